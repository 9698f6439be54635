"""Rows: whatever they come in, the same table comes out."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from fewest.data.block import Block
from fewest.errors import InfiniteValue, InvalidInput
from fewest.statistics.class_moments import ClassMoments
from fewest.statistics.rows import Rows
from fewest.statistics.splits import Folded, GivenFolds


def block_of(X, y, weights=None, classes=("a", "b", "c")):
    return Block(X, np.asarray(y, dtype=np.int32), list(classes), weights)


def rows_of(*blocks):
    rows = Rows()
    for block in blocks:
        rows.update(block)
    return rows


def labels_of(rows):
    return [rows.classes[code] for code in rows.codes]


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4)).astype(np.float32).astype(np.float64)
    X[rng.random(X.shape) < 0.3] = 0.0
    return X, rng.integers(0, 3, 30)


def test_a_single_block_in_c_order_is_not_copied_and_cannot_be_written_to(table):
    X, y = table
    rows = rows_of(block_of(X, y))
    assert np.shares_memory(rows.values, X)
    with pytest.raises(ValueError, match="read-only"):
        rows.values[0, 0] = 1.0
    assert X.flags.writeable


@pytest.mark.parametrize(
    "storage",
    [
        np.asfortranarray,
        np.float32,
        lambda X: np.repeat(X, 2, axis=1)[:, ::2],
        sparse.csr_matrix,
        sparse.csc_matrix,
        lambda X: sparse.csr_array(X.astype(np.float32)),
    ],
)
def test_every_storage_gives_the_same_table(storage, table):
    X, y = table
    rows = rows_of(block_of(storage(X), y))
    assert rows.values.dtype == np.float64
    assert rows.values.flags.c_contiguous
    assert_array_equal(rows.values, X)
    assert rows.fingerprint() == rows_of(block_of(X, y)).fingerprint()


def test_blocks_of_different_storage_stand_one_below_the_other(table):
    X, y = table
    rows = rows_of(
        block_of(X[:7].astype(np.float32), y[:7]),
        block_of(sparse.csr_array(X[7:20]), y[7:20]),
        block_of(X[20:], y[20:]),
    )
    assert_array_equal(rows.values, X)
    assert_array_equal(rows.codes, y)
    assert rows.codes.dtype == np.int32
    assert_array_equal(rows.weights, np.ones(30))
    assert (rows.n_rows, rows.n_features) == (30, 4)
    # Rows may come after the table was asked for.
    rows.update(block_of(X[:3], y[:3]))
    assert_array_equal(rows.values, np.vstack([X, X[:3]]))


def test_rows_of_weight_zero_are_left_out_and_gaps_kept(table):
    X, y = table
    X[3, 1] = np.nan
    weights = np.tile([0.0, 0.5, 2.0], 10)
    rows = rows_of(block_of(X, y, weights))
    assert_array_equal(rows.values, X[weights > 0])
    assert_array_equal(rows.codes, y[weights > 0])
    assert_array_equal(rows.weights, weights[weights > 0])
    assert rows.n_rows == 20


def test_it_tells_its_rows_as_class_moments_do(table):
    X, y = table
    moments, rows = ClassMoments(), rows_of(block_of(X, y))
    moments.update(block_of(X, y))
    assert rows.counts_by_class() == moments.counts_by_class()
    assert rows.fingerprint() == moments.fingerprint()
    with pytest.raises(InfiniteValue, match="Column 2 holds infinity"):
        rows.update(block_of(np.array([[0.0, 1.0, np.inf, 2.0]]), [0]))


def test_merging_maps_classes_by_their_labels(table):
    X, y = table
    rows = rows_of(block_of(X[:10], y[:10]))
    rows.merge(rows_of(block_of(X[10:], y[10:], classes=["c", "d", "a"])))
    rows.merge(Rows())
    assert rows.classes == ["a", "b", "c", "d"]
    assert_array_equal(rows.values, X)
    assert labels_of(rows) == [*("abc"[c] for c in y[:10]), *("cda"[c] for c in y[10:])]
    assert rows.n_rows == 30


def test_an_empty_one_is_the_identity_of_merge(table):
    rows = Rows()
    assert rows.values.shape == (0, 0)
    rows.merge(Rows())
    rows.merge(rows_of(block_of(*table)))
    assert_array_equal(rows.values, table[0])
    assert rows.empty().n_rows == 0


def test_rows_of_another_width_are_refused(table):
    X, y = table
    rows = rows_of(block_of(X, y))
    with pytest.raises(InvalidInput, match="cannot be merged"):
        rows.merge(rows_of(block_of(X[:, :2], y)))
    assert_array_equal(rows.values, X)


def test_merged_rows_survive_what_is_written_to_the_array_that_they_came_in(table):
    X, y = table
    before, weights = X.copy(), np.ones(30)
    rows = Rows()
    rows.merge(rows_of(block_of(X, y, weights)))
    X[:] = 0.0
    weights[:] = 7.0
    assert_array_equal(rows.values, before)
    assert_array_equal(rows.weights, np.ones(30))


def test_groups_of_columns_are_joined(table):
    X, y = table
    weights = np.tile([0.0, 1.0, 2.0], 10)
    parts = [rows_of(block_of(X[:, group], y, weights)) for group in (slice(0, 1), slice(1, 4))]
    joined, whole = Rows().join(parts), rows_of(block_of(X, y, weights))
    for name in ("values", "codes", "weights", "classes"):
        assert_array_equal(getattr(joined, name), getattr(whole, name))
    assert joined.fingerprint() == whole.fingerprint()


def test_it_survives_pickling(table):
    X, y = table
    for rows in (rows_of(block_of(X, y)), rows_of(block_of(sparse.csr_array(X), y), block_of(X, y))):
        copy = pickle.loads(pickle.dumps(rows))
        assert_array_equal(copy.values, rows.values)
        assert labels_of(copy) == labels_of(rows)
        assert copy.fingerprint() == rows.fingerprint()


def test_folds_of_rows_make_up_the_whole(table):
    X, y = table
    folded = Folded(Rows(), GivenFolds(np.arange(30) % 3, 3))
    folded.update(block_of(X, y))
    assert sorted(map(tuple, folded.whole().values)) == sorted(map(tuple, X))
    assert folded.without(0).n_rows == 30 - folded.folds[0].n_rows
    assert folded.whole().fingerprint() == rows_of(block_of(X, y)).fingerprint()


@pytest.mark.parametrize("has_ties", [False, True])
def test_the_canonical_order_does_not_depend_on_the_one_the_rows_came_in(has_ties, table):
    X, y = table
    rng = np.random.default_rng(1)
    X[rng.random(X.shape) < 0.2] = np.nan
    if has_ties:
        X, y = np.sign(X), y % 2
    weights = rng.choice([1.0, 2.0], 30)

    def in_order(order, classes=("a", "b", "c")):
        codes_of = np.array([classes.index(label) for label in "abc"])
        rows = rows_of(block_of(X[order], codes_of[y[order]], weights[order], classes))
        canonical = rows.canonical_order()
        assert sorted(canonical) == list(range(30))
        labels = [labels_of(rows)[row] for row in canonical]
        assert labels == sorted(labels)
        return np.column_stack([rows.values[canonical], rows.weights[canonical]]), labels

    values, labels = in_order(np.arange(30))
    for classes in (("a", "b", "c"), ("c", "a", "b")):
        again, labels_again = in_order(rng.permutation(30), classes)
        assert_array_equal(again, values)
        assert labels_again == labels


def test_more_rows_than_memory_is_allowed_for_are_refused_with_what_to_do():
    wide = sparse.csr_array((20_000, 100_000))
    with pytest.raises(InvalidInput, match=r"20,000 of 100,000 columns take 14\.9 GiB; .*FisherMarkov"):
        Rows().update(Block(wide, np.zeros(20_000, dtype=np.int32), ["a"]))
