"""Margins by blocks of pairs against those row by row, and against the formula."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from threadpoolctl import threadpool_limits

from fewest import IterativeRelief
from fewest._core import simd_level, use_simd_level, weighted_margins
from fewest.criteria import IterativeMargin

from ...reference.relief.relief import iterative_margins
from ..random_tables import scores_of


def rows_of(n_rows, n_columns, class_sizes, seed):
    """Values from 0 to 1, rows of a class side by side, with a column of zeros, a copy and one of few values."""
    rng = np.random.default_rng(seed)
    ends = np.cumsum(class_sizes).astype(np.int64)
    y = np.repeat(np.arange(len(class_sizes)), class_sizes)
    assert len(y) == n_rows
    values = rng.normal(size=(n_rows, n_columns)) + rng.normal(size=(len(class_sizes), n_columns))[y]
    values = (values - values.min(axis=0)) / np.ptp(values, axis=0)
    values[:, 1] = 0.0
    values[:, 2] = values[:, 0]
    values[:, 3] = np.round(values[:, 3])
    weights = np.abs(rng.normal(size=n_columns))
    weights[4] = 0.0
    return values, ends, weights / np.linalg.norm(weights)


def margins(values, ends, weights, queries, width=0.5, is_squared=False, is_rough=False, row_by_row=False, n_threads=2):
    # Columns that may hold categories are compared row by row, even where none does.
    is_categorical = np.zeros(values.shape[1], dtype=bool) if row_by_row else None
    sums, counts = np.empty(values.shape[1]), np.empty(values.shape[1], dtype=np.int64)
    table = values, ends, is_categorical, 1.0, np.asarray(queries, dtype=np.int64)
    found = weighted_margins(*table, weights, width, is_squared, is_rough, sums, counts, n_threads)
    return sums, counts, found


TABLES = [
    rows_of(600, 7, (290, 310), 0),
    rows_of(577, 9, (1, 200, 2, 300, 1, 73), 1),
    rows_of(640, 6, (2,) * 320, 2),
    rows_of(513, 40, (512, 1), 3),
]


@pytest.mark.parametrize("table", TABLES, ids=["two", "unequal", "pairs", "alone"])
@pytest.mark.parametrize("is_squared", [False, True], ids=["l1", "l2"])
def test_they_are_those_row_by_row(table, is_squared):
    n_rows = len(table[0])
    for queries in (np.arange(n_rows), np.arange(0, n_rows, 3), np.arange(17)):
        for width in (0.05, 0.5, 1e-4):  # the least is too narrow for blocks of pairs
            expected, n_expected, _ = margins(*table, queries, width, is_squared, row_by_row=True)
            found, n_found, is_rough = margins(*table, queries, width, is_squared)
            assert not is_rough
            assert_array_equal(n_found, n_expected)
            assert_allclose(found, expected, atol=1e-12 * n_rows, rtol=0)
            if width == 0.5:
                rough, n_rough, is_rough = margins(*table, queries, width, is_squared, is_rough=True)
                assert is_rough
                assert_array_equal(n_rough, n_expected)
                assert_allclose(rough, expected, atol=1e-6 * n_rows, rtol=0)


@pytest.mark.parametrize("is_rough", [False, True])
def test_neither_threads_nor_the_simd_level_change_a_bit(is_rough):
    table = TABLES[1]
    for queries in (np.arange(577), np.arange(0, 577, 2)):
        expected = margins(*table, queries, is_rough=is_rough, n_threads=1)[0]
        for n_threads in (2, 3, 7):
            assert_array_equal(margins(*table, queries, is_rough=is_rough, n_threads=n_threads)[0], expected)
        now = simd_level()
        try:
            for level in ("base", "x86-64-v2", "x86-64-v3"):
                if use_simd_level(level):
                    assert_array_equal(margins(*table, queries, is_rough=is_rough)[0], expected)
        finally:
            use_simd_level(now)


@pytest.mark.parametrize("metric", ["l1", "l2"])
def test_many_rows_have_the_scores_of_the_formula(metric):
    rng = np.random.default_rng(5)
    y = rng.integers(0, 3, 530)
    X = rng.normal(size=(530, 6))
    X[:, :2] += y[:, None]
    X[:, 5] = 3.0
    found = scores_of(IterativeMargin(metric), X, y)
    assert_allclose(found, iterative_margins(X, y, metric), atol=1e-10, rtol=0)
    with threadpool_limits(1):
        assert_array_equal(scores_of(IterativeMargin(metric), X[:, ::-1], y), found[::-1])
    rows = rng.permutation(530)
    assert_allclose(scores_of(IterativeMargin(metric), X[rows], y[rows]), found, atol=1e-11, rtol=0)


def test_one_round_is_exact():
    rng = np.random.default_rng(6)
    y = rng.integers(0, 2, 600)
    X = rng.normal(size=(600, 4)) + y[:, None]
    for n_rounds in (1, 2):
        found = scores_of(IterativeMargin(max_rounds=n_rounds), X, y)
        assert_allclose(found, iterative_margins(X, y, n_rounds=n_rounds), atol=1e-9, rtol=0)


def test_some_queries_tell_about_what_all_do():
    rng = np.random.default_rng(7)
    y = rng.integers(0, 2, 1500)
    X = rng.normal(size=(1500, 8))
    X[:, :2] += y[:, None]
    every, some = (IterativeRelief(2, n_queries=n).fit(X, y).scores_ for n in (None, 300))
    assert_allclose(some, every, atol=0.01)
