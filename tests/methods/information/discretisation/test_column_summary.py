"""A column summary holds what the rows themselves would give."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from fewest.data.block import Block
from fewest.errors import InfiniteValue, InvalidInput
from fewest.methods.information.discretisation.categorical_rows import CategoricalRows
from fewest.methods.information.discretisation.column_summary import ColumnSummary

CLASSES = ["a", "b", "c"]


def block_of(X, y, weights=None, **more):
    return Block(X, np.asarray(y, dtype=np.int32), CLASSES, weights, **more)


def summary_of(*blocks):
    summary = ColumnSummary()
    for block in blocks:
        summary.update(block)
    return summary


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


def assert_same(summary, rows):
    assert_array_equal(summary.float_columns, rows.float_columns)
    assert_array_equal(summary.missing, rows.missing)
    assert_array_equal(summary.is_observed, rows.is_observed)
    byte_columns = np.setdiff1d(np.arange(rows.n_features), rows.float_columns)
    for of_summary, of_rows in zip(summary.value_range, rows.value_range, strict=True):
        assert_array_equal(of_summary[byte_columns], of_rows[byte_columns])
    assert_array_equal(summary.byte_counts(byte_columns), rows.byte_counts(byte_columns))
    few, expected = summary.few_values(), rows.few_values()
    assert_array_equal(few.are_few, expected.are_few)
    assert_array_equal(few.counts, expected.counts)
    assert_array_equal(few.values[few.are_few], expected.values[few.are_few])
    for one, two in zip(summary.float_moments().mean_and_spread(), rows.float_moments().mean_and_spread(), strict=True):
        assert_allclose(one, two, rtol=1e-12)
    assert_array_equal(summary.class_weights, rows.class_weights)
    assert summary.fingerprint() == rows.fingerprint()
    assert summary.counts_by_class() == rows.counts_by_class()


@pytest.mark.parametrize("cuts", [[], [30], [60], [1, 2, 50, 79]])
def test_any_split_gives_what_the_rows_do(cuts, table):
    X, y = table
    runs = [slice(a, b) for a, b in zip([0, *cuts], [*cuts, 80], strict=True)]
    rows = CategoricalRows()
    for run in runs:
        rows.update(block_of(X[run], y[run]))
    assert_same(summary_of(*(block_of(X[run], y[run]) for run in runs)), rows)
    merged = ColumnSummary()
    for run in reversed(runs):
        merged.merge(summary_of(block_of(np.asfortranarray(X[run]), y[run])))
    assert_same(merged, rows)


def test_groups_of_columns_are_joined(table):
    X, y = table
    parts = [summary_of(block_of(X[:, a:b], y, categorical_columns=text)) for a, b, text in ((0, 4, [3]), (4, 12, [2]))]
    joined = ColumnSummary().join(parts)
    rows = CategoricalRows()
    rows.update(block_of(X, y))
    assert_same(joined, rows)
    assert list(joined.categorical_columns) == [3, 6]


def test_a_weight_is_a_repetition(table):
    X, y = table
    weights = np.arange(80) % 3.0
    summary, times = summary_of(block_of(X, y, weights)), weights.astype(int)
    again = summary_of(block_of(np.repeat(X, times, axis=0), np.repeat(y, times)))
    byte_columns = np.setdiff1d(np.arange(12), again.float_columns)
    assert_array_equal(summary.byte_counts(byte_columns), again.byte_counts(byte_columns))
    assert_array_equal(summary.class_weights, again.class_weights)
    with pytest.raises(InvalidInput, match="must be a whole number"):
        summary_of(block_of(X, y, weights / 2))


def test_codes_of_much_text_are_all_categories(table):
    codes = np.arange(300.0) % 290
    summary = summary_of(block_of(codes[:, None], np.arange(300) % 3, categorical_columns=[0]))
    assert summary.float_columns.tolist() == [0]
    assert_array_equal(summary.values_of(0).values, np.arange(290.0))
    with pytest.raises(InvalidInput, match="only where rows are kept"):
        summary_of(block_of(codes[:, None], np.arange(300) % 3)).values_of(0)


def test_what_it_cannot_summarise_is_refused(table):
    X, y = table
    with pytest.raises(InvalidInput, match="Sparse rows"):
        summary_of(block_of(sparse.csr_matrix(X), y))
    X[9, 3] = np.inf
    with pytest.raises(InfiniteValue):
        summary_of(block_of(X, y))
