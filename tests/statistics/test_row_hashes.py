"""Hashes of rows by their contents: the same whatever the order, the storage and the names."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from fewest import scan
from fewest._core import add_row_hashes
from fewest.data.array import ArraySource
from fewest.data.frame import FrameSource
from fewest.data.labels import Target
from fewest.data.retained import RetainedSource, retain
from fewest.errors import TooManyRows
from fewest.statistics import row_hashes
from fewest.statistics.row_hashes import hash_rows

MANY = 1 << 27


def hashed(X, y, weights=None):
    return hash_rows(retain(ArraySource(X, Target(y, weights)), MANY))


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 7)).round(2)
    X[rng.random(X.shape) < 0.2] = 0.0
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, rng.integers(0, 3, 60)


def test_the_order_of_rows_and_columns_and_the_names_of_classes_make_no_difference(table):
    X, y = table
    expected = hashed(X, y)
    rng = np.random.default_rng(1)
    rows, columns = rng.permutation(60), rng.permutation(7)
    found = hashed(X[np.ix_(rows, columns)], np.array(["z", "b", "m"])[y[rows]])
    assert_array_equal(found.hashes, expected.hashes[rows])
    assert_array_equal(found.class_ranks[found.codes], expected.class_ranks[expected.codes][rows])
    assert_array_equal(expected.order(0), rows[found.order(0)])


def test_how_the_values_are_stored_makes_no_difference(table):
    X, y = table
    expected = hashed(X, y).hashes
    for same in (np.asfortranarray(X), X.astype(np.float32), sparse.csr_array(X), sparse.csc_array(X)):
        assert_array_equal(hashed(same, y).hashes, expected)
    X = np.nan_to_num(X).round().astype(np.int64)
    assert_array_equal(hashed(X.astype(np.int8), y).hashes, hashed(X.astype(float), y).hashes)
    assert_array_equal(hashed(-0.0 * X, y).hashes, hashed(0.0 * X, y).hashes)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_row_is_hashed_as_float32_holds_its_values(dtype, order):
    rng = np.random.default_rng(5)
    X = np.asarray(rng.normal(size=(5000, 9)), dtype=dtype, order=order)
    X[rng.random(X.shape) < 0.1] = np.nan
    X[rng.random(X.shape) < 0.1] = 0.0
    X[:4, 0] = -0.0, -np.nan, 1e-60, 3e38
    keys = rng.integers(0, 2**63, 9).astype(np.uint64)
    is_counted = np.arange(9) != 4

    def of_value(value, key):
        bits = int(np.float32(np.nan if np.isnan(value) else value).view(np.uint32))
        hashed = (bits + int(key) + 0x9E3779B97F4A7C15) % 2**64
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            hashed = (hashed ^ (hashed >> shift)) * factor % 2**64
        return 0 if np.float32(value) == 0 else hashed ^ (hashed >> 31)

    sums = np.arange(5000, dtype=np.uint64)
    for part in (X[::-1], X[:, :]):  # any strides
        add_row_hashes(part, keys, is_counted, sums, 2)
    for row in (0, 1, 2, 3, 2047, 2048, 4999):
        once = [
            sum(of_value(v, k) for v, k, c in zip(X[r], keys, is_counted, strict=True) if c) for r in (row, 4999 - row)
        ]
        assert int(sums[row]) == (row + sum(once)) % 2**64


def test_any_change_of_a_value_changes_the_hash_of_its_row(table):
    X, y = table
    changed = X.copy()
    changed[17, 3] = 99.0
    assert hashed(changed, y).hashes[17] != hashed(X, y).hashes[17]


def test_rows_of_columns_with_the_same_values_in_other_rows_are_told_apart():
    # Each column has as many ones as the others, in both classes: by counts alone rows with two ones are equal.
    X = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1], [1, 0, 0, 1], [1, 1, 1, 0], [0, 0, 0, 1]])
    X = np.vstack([X, [[1, 0, 1, 0], [0, 1, 0, 1]]])
    y = np.array([0, 0, 0, 1, 1, 1, 0, 1])
    # Only the first two columns might be exchanged, and with them two pairs of rows.
    assert len(np.unique(hashed(X, y).hashes)) == 6


def test_copies_of_a_row_have_one_hash_and_a_whole_weight_is_a_number_of_copies(table):
    X, y = table
    weights = np.random.default_rng(2).choice([0.0, 1.0, 3.0], 60)
    repeated = np.repeat(np.arange(60), weights.astype(int))
    weighted, copies = hashed(X, y, weights), hashed(X[repeated], y[repeated])
    assert_array_equal(weighted.hashes[repeated], copies.hashes)
    assert len(np.unique(copies.hashes)) == np.count_nonzero(weights)


def test_text_counts_by_its_rows_and_not_by_its_codes(table):
    pd = pytest.importorskip("pandas")
    X, y = table
    frame = pd.DataFrame(X[:, :3], columns=["a", "b", "c"]).assign(
        kind=np.array(["u", "v", "w", "x"])[np.arange(60) % 4]
    )
    order = np.random.default_rng(3).permutation(60)

    def of(frame, y):
        return hash_rows(retain(FrameSource(frame, Target(y)).with_text_as_codes(), MANY)).hashes

    assert_array_equal(of(frame.iloc[order], y[order]), of(frame, y)[order])
    assert_array_equal(of(frame[["kind", "c", "a", "b"]], y), of(frame, y))
    other = frame.assign(kind=frame["kind"].where(frame.index != 5, "w"))
    assert of(other, y)[5] != of(frame, y)[5]


def test_a_stream_that_is_too_long_to_keep_is_hashed_with_the_names_of_its_columns(table, tmp_path):
    pd = pytest.importorskip("pandas")
    X, y = table
    frame = pd.DataFrame(X, columns=list("abcdefg")).assign(kind=np.array(["u", "v", "w"])[np.arange(60) % 3], label=y)
    order = np.random.default_rng(4).permutation(60)
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.iloc[order, ::-1].to_parquet(tmp_path / "t.parquet", row_group_size=20)
    sources = [
        retain(scan(tmp_path / name, "label").with_text_as_codes(), max_bytes=100) for name in ("t.csv", "t.parquet")
    ]
    assert not any(isinstance(source, RetainedSource) for source in sources)
    first, second = map(hash_rows, sources)
    assert_array_equal(second.hashes, first.hashes[order])


def test_rows_without_number_are_refused(table, monkeypatch):
    X, y = table
    monkeypatch.setattr(row_hashes, "MOST_ROWS", 20)
    with pytest.raises(TooManyRows):
        hash_rows(ArraySource(X, Target(y)))


def test_a_retained_source_gives_the_same_blocks(table, tmp_path):
    pd = pytest.importorskip("pandas")
    X, y = table
    pd.DataFrame(X, columns=list("abcdefg")).assign(label=y).to_parquet(tmp_path / "t.parquet", row_group_size=20)
    source = scan(tmp_path / "t.parquet", "label")
    kept = retain(source, MANY)
    assert isinstance(kept, RetainedSource)
    assert retain(kept, MANY) is kept
    for columns in (None, [4, 1]):
        for mine, theirs in zip(kept.blocks(columns), source.blocks(columns), strict=True):
            assert_array_equal(mine.values, theirs.values)
            assert_array_equal(mine.codes, theirs.codes)
            assert mine.columns == theirs.columns
