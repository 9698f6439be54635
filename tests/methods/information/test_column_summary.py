"""An outline of columns tells what the rows themselves would."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from fewest.data.block import Block
from fewest.errors import InfiniteValue, InvalidInput
from fewest.methods.information.discretisation.column_summary import ColumnSummary
from fewest.methods.information.discretisation.state_rows import CategoricalRows

CLASSES = ["a", "b", "c"]


def block_of(X, y, weights=None, **more):
    return Block(X, np.asarray(y, dtype=np.int32), CLASSES, weights, **more)


def outline_of(*blocks):
    outline = ColumnSummary(10)
    for block in blocks:
        outline.update(block)
    return outline


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    columns = [
        rng.integers(0, 3, 80), rng.normal(size=80), rng.integers(0, 8, 80) * 1000, rng.integers(0, 60, 80),
        np.where(rng.random(80) < 0.4, np.nan, rng.integers(0, 2, 80)), np.full(80, np.nan), np.full(80, 7.0),
        np.where(np.arange(80) < 60, 1.0, 0.25), np.where(np.arange(80) < 30, 5.0, 500.0),
        np.where(np.arange(80) < 60, np.arange(80) % 9, 1000 + np.arange(80) % 5), rng.integers(0, 20, 80) * 100,
        np.where(np.arange(80) < 50, np.nan, 3.0),
    ]  # fmt: skip
    return np.column_stack(columns), rng.integers(0, 3, 80)


def assert_same(outline, rows):
    assert_array_equal(outline.others, rows.others)
    assert_array_equal(outline.missing, rows.missing)
    assert_array_equal(outline.is_observed, rows.is_observed)
    whole = np.setdiff1d(np.arange(rows.n_features), rows.others)
    for of_outline, of_rows in zip(outline.extent, rows.extent, strict=True):
        assert_array_equal(of_outline[whole], of_rows[whole])
    assert_array_equal(outline.byte_counts(whole), rows.byte_counts(whole))
    few, expected = outline.few_values(10), rows.few_values(10)
    assert_array_equal(few.are_few, expected.are_few)
    assert_array_equal(few.counts, expected.counts)
    assert_array_equal(few.values[few.are_few], expected.values[few.are_few])
    for one, two in zip(
        outline.moments_of_others().mean_and_spread(), rows.moments_of_others().mean_and_spread(), strict=True
    ):
        assert_allclose(one, two, rtol=1e-12)
    assert_array_equal(outline.class_weights, rows.class_weights)
    assert outline.fingerprint() == rows.fingerprint()
    assert outline.counts_by_class() == rows.counts_by_class()


@pytest.mark.parametrize("cuts", [[], [30], [60], [1, 2, 50, 79]])
def test_any_split_tells_what_the_rows_do(cuts, table):
    X, y = table
    runs = [slice(a, b) for a, b in zip([0, *cuts], [*cuts, 80], strict=True)]
    rows = CategoricalRows()
    for run in runs:
        rows.update(block_of(X[run], y[run]))
    assert_same(outline_of(*(block_of(X[run], y[run]) for run in runs)), rows)
    merged = ColumnSummary(10)
    for run in reversed(runs):
        merged.merge(outline_of(block_of(np.asfortranarray(X[run]), y[run])))
    assert_same(merged, rows)


def test_groups_of_columns_are_joined(table):
    X, y = table
    parts = [
        outline_of(block_of(X[:, a:b], y, categorical_columns=states)) for a, b, states in ((0, 4, [3]), (4, 12, [2]))
    ]
    joined = ColumnSummary(10).join(parts)
    rows = CategoricalRows()
    rows.update(block_of(X, y))
    assert_same(joined, rows)
    assert list(joined.categorical_columns) == [3, 6]


def test_a_weight_is_a_repetition(table):
    X, y = table
    weights = np.arange(80) % 3.0
    outline, times = outline_of(block_of(X, y, weights)), weights.astype(int)
    again = outline_of(block_of(np.repeat(X, times, axis=0), np.repeat(y, times)))
    whole = np.setdiff1d(np.arange(12), again.others)
    assert_array_equal(outline.byte_counts(whole), again.byte_counts(whole))
    assert_array_equal(outline.class_weights, again.class_weights)
    with pytest.raises(InvalidInput, match="must be a whole number"):
        outline_of(block_of(X, y, weights / 2))


def test_codes_of_much_text_are_all_states(table):
    codes = np.arange(300.0) % 290
    outline = outline_of(block_of(codes[:, None], np.arange(300) % 3, categorical_columns=[0]))
    assert outline.others.tolist() == [0]
    assert_array_equal(outline.values_of(0).values, np.arange(290.0))
    with pytest.raises(InvalidInput, match="only where rows are kept"):
        outline_of(block_of(codes[:, None], np.arange(300) % 3)).values_of(0)


def test_what_it_cannot_outline_is_refused(table):
    X, y = table
    with pytest.raises(InvalidInput, match="Sparse rows"):
        outline_of(block_of(sparse.csr_matrix(X), y))
    X[9, 3] = np.inf
    with pytest.raises(InfiniteValue):
        outline_of(block_of(X, y))
