"""Rows kept for counting: bytes where they fit, and nothing is lost."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from fewest.data.block import Block
from fewest.errors import InfiniteValue, InvalidInput, TooManyRows
from fewest.methods.information.discretisation.categorical_rows import CategoricalRows
from fewest.statistics.class_moments import ClassMoments
from fewest.statistics.splits import Folded, GivenFolds

CLASSES = ["a", "b", "c"]


def block_of(X, y, weights=None, classes=CLASSES, **more):
    return Block(X, np.asarray(y, dtype=np.int32), list(classes), weights, **more)


def rows_of(*blocks):
    rows = CategoricalRows()
    for block in blocks:
        rows.update(block)
    return rows


def values_of(rows):
    """All values, of byte and float columns alike."""
    parts = []
    for chunk in rows.chunks:
        values = np.full((len(chunk.codes), rows.n_features), np.inf)
        if chunk.table is not None:
            byte_columns = np.setdiff1d(np.arange(rows.n_features), rows.float_columns)
            assert chunk.table.fits[byte_columns].all()
            values[:, byte_columns] = chunk.table.numbers(byte_columns)
        of_floats = chunk.values.toarray() if sparse.issparse(chunk.values) else chunk.values
        values[:, rows.float_columns] = of_floats
        parts.append(values)
    return np.vstack(parts)


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = np.column_stack(
        [
            rng.integers(0, 3, 60), rng.normal(size=60), rng.integers(-60, 50, 60), rng.integers(0, 9, 60) * 1000,
            np.where(rng.random(60) < 0.4, np.nan, rng.integers(0, 2, 60)), np.full(60, np.nan), np.full(60, 7.0),
            # Integers up to row 40; and narrow in every chunk, but too wide over all of them.
            np.where(np.arange(60) < 40, 1.0, 0.25), np.where(np.arange(60) < 30, 5.0, 500.0),
        ]
    )  # fmt: skip
    return X, rng.integers(0, 3, 60)


def test_integers_of_a_narrow_range_are_bytes_and_other_columns_as_they_were(table):
    X, y = table
    rows = rows_of(block_of(X, y))
    assert rows.float_columns.tolist() == [1, 3, 7, 8]
    assert_array_equal(values_of(rows), X)
    assert rows.is_observed.tolist() == [True] * 5 + [False] + [True] * 3
    assert_array_equal(rows.missing, np.isnan(X).sum(axis=0))
    lowest, highest = rows.value_range
    assert (lowest[0], highest[0]) == (0, 2)
    assert lowest[5] > highest[5]


@pytest.mark.parametrize("cuts", [[], [30], [1, 30, 31, 59], [40], [10, 20, 50]])
def test_any_split_of_the_rows_is_the_whole(cuts, table):
    X, y = table
    runs = [slice(a, b) for a, b in zip([0, *cuts], [*cuts, 60], strict=True)]
    rows = rows_of(*(block_of(X[run], y[run]) for run in runs))
    merged = CategoricalRows()
    for run in reversed(runs):
        merged.merge(rows_of(block_of(X[run], y[run], classes=CLASSES)))
    moments = ClassMoments()
    moments.update(block_of(X, y))
    assert_array_equal(values_of(rows), X)
    assert_array_equal(values_of(merged), np.vstack([X[run] for run in reversed(runs)]))
    for one in (rows, merged):
        assert one.float_columns.tolist() == [1, 3, 7, 8]
        assert one.fingerprint() == moments.fingerprint()
        assert one.counts_by_class() == moments.counts_by_class()
        assert one.n_rows == 60
        assert_array_equal(one.missing, moments.missing)
        assert_array_equal(one.moments.lowest, moments.lowest[one.float_columns])


@pytest.mark.parametrize(
    "storage",
    [
        np.asfortranarray, np.float32, lambda X: np.repeat(X, 2, axis=1)[:, ::2], sparse.csr_matrix, sparse.csc_array,
    ],
)  # fmt: skip
def test_every_storage_gives_the_same_rows_and_fingerprint(storage, table):
    X, y = table
    X = X.astype(np.float32).astype(np.float64)
    rows = rows_of(block_of(storage(X), y))
    assert_array_equal(values_of(rows), X)
    assert rows.fingerprint() == rows_of(block_of(X, y)).fingerprint()


def test_sparse_and_dense_blocks_stand_one_below_the_other(table):
    X, y = table
    rows = rows_of(block_of(X[:20], y[:20]), block_of(sparse.csr_matrix(X[20:50]), y[20:50]), block_of(X[50:], y[50:]))
    assert_array_equal(values_of(rows), X)
    assert len(rows.float_columns) == X.shape[1]


def test_an_array_of_floats_in_memory_is_not_copied_until_it_is_merged():
    X, y = np.random.default_rng(1).normal(size=(20, 3)), np.arange(20) % 2
    rows = rows_of(block_of(X, y))
    assert np.shares_memory(rows.chunks[0].values, X)
    assert rows.chunks[0].table is None
    merged = CategoricalRows()
    merged.merge(rows)
    before = X.copy()
    X[:] = -1.0
    assert_array_equal(values_of(merged), before)


def test_rows_of_weight_zero_are_left_out_and_others_repeated(table):
    X, y = table
    weights = np.arange(60) % 3.0
    rows = rows_of(block_of(X, y, weights))
    assert_array_equal(values_of(rows), X[weights > 0])
    again, times = rows.repeated(), weights.astype(int)
    expected = rows_of(block_of(np.repeat(X, times, axis=0), np.repeat(y, times)))
    assert_array_equal(values_of(again), values_of(expected))
    assert_array_equal(again.missing, expected.missing)
    assert again.counts_by_class() == expected.counts_by_class()


def test_an_infinite_value_is_named(table):
    X, y = table
    X[33, 3] = np.inf
    with pytest.raises(InfiniteValue) as caught:
        rows_of(block_of(X[:20], y[:20]), block_of(X[20:], y[20:], first_row=20))
    assert (caught.value.row, caught.value.column) == (33, 3)
    X[33, 3], X[2, 0] = 0.0, -np.inf
    with pytest.raises(InfiniteValue) as caught:
        rows_of(block_of(X, y))
    assert (caught.value.row, caught.value.column) == (2, 0)


def test_rows_of_another_width_are_refused(table):
    X, y = table
    with pytest.raises(InvalidInput, match="Rows of 9 and of 4 columns"):
        rows_of(block_of(X, y), block_of(X[:, :4], y))
    with pytest.raises(InvalidInput, match="Rows of 9 and of 4 columns"):
        rows_of(block_of(X, y)).merge(rows_of(block_of(X[:, :4], y)))


def test_an_empty_one_is_the_identity_of_merge_and_folds_make_up_the_whole(table):
    X, y = table
    rows = rows_of(block_of(X, y))
    empty = CategoricalRows()
    empty.merge(rows)
    rows.merge(CategoricalRows())
    assert empty.fingerprint() == rows.fingerprint()
    folded = Folded(CategoricalRows(), GivenFolds(np.arange(60) % 4, 4))
    folded.update(block_of(X, y))
    assert folded.takes_integers
    assert folded.whole().fingerprint() == rows.fingerprint()
    assert folded.without(0).n_rows == 60 - folded.folds[0].n_rows
    assert pickle.loads(pickle.dumps(rows)).fingerprint() == rows.fingerprint()


@pytest.mark.parametrize("make", [lambda rng: rng.normal(size=(50, 4)), lambda rng: rng.integers(0, 3, (50, 4))])
def test_rows_that_come_in_parts_are_counted_against_the_limit(make):
    rng = np.random.default_rng(2)
    blocks = [block_of(make(rng), np.arange(50) % 2) for _ in range(3)]
    n_bytes = 2 * 50 * 4 * (8 if blocks[0].values.dtype == float else 1)
    rows = CategoricalRows(n_bytes)
    for block in blocks[:2]:
        rows.update(block)
    with pytest.raises(TooManyRows, match="150 of 4 columns take"):
        rows.update(blocks[2])
    CategoricalRows(1).update(blocks[0])  # what comes as a whole was there before
