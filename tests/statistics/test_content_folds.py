"""Folds by the contents of rows: even, with copies and groups together."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from fewest.data.array import ArraySource
from fewest.data.labels import Target
from fewest.data.retained import retain
from fewest.errors import InvalidInput, InvalidType
from fewest.statistics.content_folds import group_codes, spread_groups, spread_rows
from fewest.statistics.row_hashes import hash_rows


def hashed(X, y, weights=None):
    return hash_rows(retain(ArraySource(X, Target(y, weights)), 1 << 27))


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return rng.normal(size=(203, 5)), rng.choice(3, 203, p=[0.7, 0.25, 0.05])


def counts_of(folds, y, n_folds):
    return np.array([np.bincount(folds[y == c], minlength=n_folds) for c in np.unique(y)])


def test_every_class_and_all_rows_are_spread_evenly(table):
    X, y = table
    folds = spread_rows(hashed(X, y), 5, seed=0)
    counts = counts_of(folds, y, 5)
    assert np.ptp(counts, axis=1).max() <= 1
    assert np.ptp(counts.sum(axis=0)) <= 1


def test_the_folds_follow_the_contents_and_the_seed(table):
    X, y = table
    order = np.random.default_rng(1).permutation(203)
    folds = spread_rows(hashed(X, y), 5, seed=0)
    again = spread_rows(hashed(X[order][:, ::-1], np.array(["q", "a", "f"])[y[order]]), 5, seed=0)
    assert_array_equal(again, folds[order])
    assert np.mean(spread_rows(hashed(X, y), 5, seed=1) != folds) > 0.5


def test_copies_of_a_row_are_in_one_fold_and_the_folds_stay_even(table):
    X, y = table
    rows = np.r_[np.arange(203), np.arange(40), np.arange(20), [3, 3]]
    folds = spread_rows(hashed(X[rows], y[rows]), 5, seed=0)
    for row in range(40):
        assert len(np.unique(folds[rows == row])) == 1
    counts = counts_of(folds, y[rows], 5)
    assert np.ptp(counts, axis=1).max() <= 2


def test_a_weight_of_two_is_the_row_twice(table):
    X, y = table
    weights = np.random.default_rng(2).choice([0.0, 1.0, 2.0], 203)
    rows = np.repeat(np.arange(203), weights.astype(int))
    weighted = spread_rows(hashed(X, y, weights), 4, seed=0)
    assert_array_equal(weighted[rows], spread_rows(hashed(X[rows], y[rows]), 4, seed=0))


def test_rows_of_a_table_with_few_distinct_ones_are_spread_over_all_folds():
    X = np.repeat([[0], [1], [0], [1]], [40, 10, 10, 40], axis=0)
    y = np.repeat([0, 0, 1, 1], [40, 10, 10, 40])
    folds = spread_rows(hashed(X, y), 5, seed=0)
    for first, last in ((0, 40), (40, 50), (50, 60), (60, 100)):
        assert set(folds[first:last]) == set(range(5))


def test_groups_stay_together_whatever_they_are_called(table):
    X, y = table
    groups = np.random.default_rng(3).integers(0, 30, 203)
    rows = hashed(X, y)
    folds = spread_groups(rows, group_codes(groups, rows.row_numbers), 5, seed=0)
    for group in range(30):
        assert len(np.unique(folds[groups == group])) == 1
    assert np.ptp(np.bincount(folds)) < 25
    names = np.array([f"patient {(7 * g) % 30}" for g in groups])
    assert_array_equal(spread_groups(rows, group_codes(names, rows.row_numbers), 5, seed=0), folds)


def test_bad_groups_are_refused(table):
    X, y = table
    rows = hashed(X, y)
    with pytest.raises(InvalidInput, match="All rows are of one group"):
        spread_groups(rows, group_codes(["a"] * 203, rows.row_numbers), 5, seed=0)
    with pytest.raises(InvalidInput, match="X has 203 rows but groups has 5 values"):
        group_codes([1] * 5, rows.row_numbers)
    with pytest.raises(InvalidInput, match="groups has no value in 1 of 203 rows"):
        group_codes([None, *range(202)], rows.row_numbers)
    with pytest.raises(InvalidInput, match="must be a single value"):
        group_codes([[1]] * 203, rows.row_numbers)
    with pytest.raises(InvalidType, match="one value a row, got 'patient'"):
        group_codes("patient", rows.row_numbers)
