"""Text as columns of zeros and ones: which categories have one, and whatever must not change it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fewest.selectors.estimators.evaluator import ImputingScaler
from fewest.statistics.category_indicators import TableIndicators
from fewest.statistics.class_moments import shared_units

NAN = float("nan")


def indicators_of(column, new=None):
    table = TableIndicators(np.asarray(column, dtype=float)[:, None], [0])
    return table.transform(np.asarray(column if new is None else new, dtype=float)[:, None])


def test_few_categories_have_an_indicator_each_and_a_missing_value_is_zero_in_all():
    values = np.array([[1.5, 2.0], [2.5, 0.0], [3.5, NAN], [4.5, 2.0]])
    table = TableIndicators(values, [1])
    assert table.transform(values).tolist() == [[1.5, 1, 0], [2.5, 0, 1], [3.5, 0, 0], [4.5, 1, 0]]
    assert table.ends.tolist() == [1, 3]
    assert table.columns.tolist() == [0, 1, 1]


def test_numbers_stay_as_they_are():
    values = np.ones((3, 2))
    table = TableIndicators(values, [])
    assert table.transform(values) is values
    assert table.ends.tolist() == [1, 2]


def test_two_categories_are_one_indicator_unless_values_are_missing():
    assert indicators_of([0, 1, 1, 1]).tolist() == [[0], [1], [1], [1]]
    assert indicators_of([0, 1, 1, NAN]).shape == (4, 2)
    # A single category varies only where values are missing; without any category there is one column of zeros.
    assert indicators_of([0, 0, NAN]).tolist() == [[1], [1], [0]]
    assert indicators_of([NAN, NAN]).tolist() == [[0], [0]]


def test_rare_categories_and_those_beyond_thirty_share_one():
    column = np.concatenate([np.repeat(np.arange(70), 6), np.repeat(np.arange(70, 80), 4), np.repeat([80, 81], 9)])
    found = indicators_of(column)
    assert found.shape[1] == 31
    assert (found.sum(axis=1) == 1).all()
    assert found[:, :2].sum() == 18
    assert (found[:, -1] == 1).sum() == 10 * 4 + 42 * 6
    # Ten categories of one row each are few.
    assert indicators_of(np.arange(10)).shape == (10, 10)
    assert indicators_of(np.arange(11)).tolist() == [[1]] * 11


def test_a_category_that_training_rows_do_not_have_is_with_the_rest():
    train = np.concatenate([np.repeat(np.arange(11), 5), [11]])
    found = indicators_of(train, [3, 11, 12, 500, NAN])
    assert found[:, -1].tolist() == [0, 1, 1, 1, 0]
    assert found.sum(axis=1).tolist() == [1, 1, 1, 1, 0]
    # Without a rest it is none.
    assert indicators_of([0, 0, 1, 1, 2, 2], [7]).tolist() == [[0, 0, 0]]


@pytest.mark.parametrize("seed", range(3))
def test_neither_the_order_of_rows_nor_the_codes_matter(seed):
    rng = np.random.default_rng(seed)
    values = np.column_stack([np.repeat(np.arange(80), 6), rng.integers(0, 70, 480), rng.normal(size=480)])
    expected = TableIndicators(values, [0, 1]).transform(values)
    order, renamed = rng.permutation(480), rng.permutation(200)
    others = values[order]
    others[:, :2] = renamed[others[:, :2].astype(int)]
    assert_array_equal(TableIndicators(others, [0, 1]).transform(others), expected[order])


def test_indicators_of_a_column_have_one_unit():
    # Three categories of 1/2, 1/4, 1/4: variances 1/4, 3/16, 3/16 add up to 5/8.
    rows = np.column_stack([np.repeat(np.eye(3), [4, 2, 2], axis=0), np.arange(8.0)])
    columns = np.array([0, 0, 0, 1])
    scaled = ImputingScaler.fit(rows, columns=columns).transform(rows)
    assert_allclose(scaled[:, :3].var(axis=0).sum(), 1.0)
    assert_allclose(scaled[:, 3].var(), 1.0)
    scaled = ImputingScaler.fit(rows, scale="range", columns=columns).transform(rows)
    assert_allclose(np.linalg.norm(scaled[0, :3] - scaled[7, :3]), 1.0)
    symmetric = rows[:, :3] - 1 / 3
    symmetric /= shared_units(np.full(3, 0.5), np.zeros(3, dtype=int), "symmetric")
    assert_allclose(np.linalg.norm(symmetric, axis=1), 1.0)
    units = np.array([0.3, 0.7, 0.1])
    assert shared_units(units, np.array([0, 1, 2]), "std") is units
