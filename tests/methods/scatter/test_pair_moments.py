"""PairMoments against the formula, by hand and in rational arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from fewest.errors import InfiniteValue
from fewest.methods.scatter.pair_moments import PairMoments

from ...reference.scatter.products import theta_pairs
from .pair_scatters import (
    SCALES,
    assert_agree,
    block_of,
    empty_of,
    exact_tables,
    gappy,
    statistic_of,
    table,
    tables_of,
    variance_if_independent,
)


@pytest.mark.parametrize("is_all", [False, True])
def test_two_columns_of_four_rows_worked_by_hand(is_all):
    # class 0: (1, 2), (3, 0); class 1: (0, 1), (2, 2).
    # x1 x2: 2, 0 | 0, 4. means 1 and 2, of all 1.5: between 0.25; squares 4 + 16 over 4, less 2.25: total 2.75.
    # x1 x1: 1, 9 | 0, 4. means 5 and 2, of all 3.5: between 2.25; 98 / 4 - 12.25 = 12.25.
    # x2 x2: 4, 0 | 1, 4. means 2 and 2.5, of all 2.25: between 0.0625; 33 / 4 - 5.0625 = 3.1875.
    X = np.array([[1.0, 2.0], [3.0, 0.0], [0.0, 1.0], [2.0, 2.0]])
    statistic = statistic_of(X, [0, 0, 1, 1], is_all=is_all)
    between, total = tables_of(statistic)
    assert between.tolist() == [[2.25, 0.25], [0.25, 0.0625]]
    assert total.tolist() == [[12.25, 2.75], [2.75, 3.1875]]
    assert tables_of(statistic_of(X, [0, 0, 1, 1], with_total=False))[1] is None
    # From 0 to 1 they are x1 / 3 and x2 / 2.
    between, total = tables_of(statistic_of(X, [0, 0, 1, 1], scale="range", is_all=is_all), "range")
    assert_agree((between, total), ([[2.25 / 81, 0.25 / 36], [0.25 / 36, 1 / 256]], total), rtol=1e-15)
    assert total[0, 1] == pytest.approx(2.75 / 36, rel=1e-15)


@pytest.mark.parametrize("is_all", [False, True])
def test_a_gap_takes_a_row_from_its_own_pairs_alone_worked_by_hand(is_all):
    # As above, and (missing, 7) in class 1. x2 x2: 4, 0 | 1, 4, 49: means 2 and 18, of all 11.6.
    # between 2/5 9.6^2 + 3/5 6.4^2 = 61.44; total (16 + 0 + 1 + 16 + 2401) / 5 - 11.6^2 = 352.24.
    X = np.array([[1.0, 2.0], [3.0, 0.0], [0.0, 1.0], [2.0, 2.0], [np.nan, 7.0]])
    between, total = tables_of(statistic_of(X, [0, 0, 1, 1, 1], is_all=is_all))
    assert_agree((between, total), (np.array([[2.25, 0.25], [0.25, 61.44]]), np.array([[12.25, 2.75], [2.75, 352.24]])))


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("has_gaps", [False, True])
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("is_all", [False, True])
def test_scatter_agrees_with_rational_arithmetic(scale, has_gaps, is_weighted, is_all):
    for seed in range(3):
        X, y = table(seed=seed)
        X[:, 3] = -7.25
        if has_gaps:
            X = gappy(X)
        weights = np.random.default_rng(1).choice([0.0, 0.5, 1.0, 3.0], len(y)) if is_weighted else None
        expected = exact_tables(X, y, scale, weights)
        found = tables_of(statistic_of(X, y, weights, scale, is_all=is_all), scale)
        assert_agree(found, expected)
        for table_ in found:
            assert_array_equal(table_, table_.T)
            assert not table_[3].any()
        without_total, none = tables_of(statistic_of(X, y, weights, scale, with_total=False), scale)
        assert none is None
        assert_agree((without_total, None), expected)
        for gamma in (-0.5, 0.3):
            theta = theta_pairs(X, y, gamma, scale, weights)
            assert_agree((found[0] - gamma * found[1], None), (theta, expected[1]))


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("is_all", [False, True])
@pytest.mark.parametrize("offset", [1e3, -1e6, 1e6])
def test_an_offset_costs_no_digits(scale, is_all, offset):
    rng = np.random.default_rng(5)
    y = rng.integers(0, 3, 60)
    X = rng.normal(size=(60, 4)) + 0.5 * y[:, None] + offset
    for data in (X, gappy(X)):
        expected = exact_tables(data, y, scale)
        found = tables_of(statistic_of(data, y, scale=scale, is_all=is_all), scale)
        without_total = tables_of(statistic_of(data, y, scale=scale, with_total=False), scale)[0]
        assert_agree(found, expected, rtol=1e-13)
        assert_agree((without_total, None), expected, rtol=1e-13)
        for gamma in (0.0, -0.5):
            theta = expected[0] - gamma * expected[1]
            # Of itself each has as many digits as are left of its size.
            assert np.max(np.abs(found[0] - gamma * found[1] - theta) / np.abs(theta)) <= 1e-12


def degenerate_tables():
    X, y = table(24, 4, seed=3)
    apart = X.copy()
    apart[::2, 0] = np.nan
    apart[1::2, 1] = np.nan
    unknown = X.copy()
    unknown[y == 1, 0] = np.nan
    empty = X.copy()
    empty[:, 2] = np.nan
    nothing = np.full_like(X, np.nan)
    few = np.full_like(X, np.nan)
    few[4] = X[4]
    return {
        "a pair never observed together": (apart, y),
        "a class never observed in a column": (unknown, y),
        "a column never observed": (empty, y),
        "nothing observed": (nothing, y),
        "a single row observed": (few, y),
        "a class of one row": (X, np.where(np.arange(24) == 7, 3, 0)),
        "one class": (X, np.zeros(24, dtype=int)),
        "one row": (X[:1], y[:1]),
        "two rows": (X[:2], y[:2]),
        "one column": (X[:, :1], y),
        "whole numbers": (np.round(X), y),
        "all constant": (np.full_like(X, 0.1), y),
    }


@pytest.mark.parametrize("name", degenerate_tables())
@pytest.mark.parametrize("scale", SCALES)
def test_degenerate_tables_agree_with_rational_arithmetic(name, scale):
    X, y = degenerate_tables()[name]
    weights = np.random.default_rng(2).choice([0.0, 0.7, 2.0], len(y))
    weights[:5] = 1.0
    for w in (None, weights):
        for is_all in (False, True):
            found = tables_of(statistic_of(X, y, w, scale, is_all=is_all), scale)
            assert_agree(found, exact_tables(X, y, scale, w), variance_if_independent(X, scale, w))


def test_nothing_seen_and_no_row_of_any_weight_is_zero():
    between, total = PairMoments(True).scatter(np.zeros(0), np.zeros(0))
    assert between.shape == total.shape == (0, 0)
    X, y = table()
    statistic = statistic_of(X, y, np.zeros(len(y)))
    assert not np.any(tables_of(statistic))
    assert statistic.n_rows == 0
    statistic = empty_of()
    statistic.update(block_of(X[:0], y[:0]))
    assert not np.any(tables_of(statistic))
    assert tables_of(statistic)[0].shape == (5, 5)


def test_an_infinite_value_is_named():
    X, y = table()
    X[7, 2] = np.inf
    with pytest.raises(InfiniteValue, match=r"Column 2 holds infinity \(row 7\)"):
        statistic_of(X, y)
    weights = np.where(np.arange(len(y)) == 7, 0.0, 1.0)
    X[7] = 1e6
    assert_agree(tables_of(statistic_of(X, y, weights)), exact_tables(X, y, None, weights))


@pytest.mark.parametrize("offset", [0.0, 0.1, 1e5])
@pytest.mark.parametrize("is_all", [False, True])
@pytest.mark.parametrize("has_gaps", [False, True])
def test_what_varies_only_by_rounding_varies_no_more_than_its_class_means(offset, is_all, has_gaps):
    # Scaled to +-1 the product of a column of two values with itself, or with its opposite, is 1 or -1.
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 3000)
    x = rng.choice([0.3, 0.7], 3000)
    X = np.column_stack([x, 1 - x, x, rng.normal(size=3000)]) + offset
    X = gappy(X) if has_gaps else X
    between, total = tables_of(statistic_of(X, y, scale="symmetric", is_all=is_all), "symmetric")
    assert between[:3, :3].max() < 1e-20
    assert_array_equal(total[:3, :3], between[:3, :3])
    assert (total[3] > 1e-3).all()


@pytest.mark.parametrize("size", [1e-60, 1e60])
def test_very_large_and_very_small_columns_can_be_scaled(size):
    X, y = table(30, 3)
    X[:, 1] *= size
    for with_total in (False, True):
        found = tables_of(statistic_of(X, y, scale="symmetric", with_total=with_total), "symmetric")
        assert_agree(found, exact_tables(X, y, "symmetric"))
    X[:, 1] *= size
    found = tables_of(statistic_of(X, y, scale="symmetric", with_total=False), "symmetric")
    assert_agree(found, exact_tables(X, y, "symmetric"))


def test_a_huge_constant_counts_as_zero():
    X, y = table(30, 3)
    X[:, 1] = 1e100
    for values in (X, gappy(X)):
        for scale in SCALES:
            for is_all in (False, True):
                found = tables_of(statistic_of(values, y, scale=scale, is_all=is_all), scale)
                assert_agree(found, exact_tables(values, y, scale))
    # Thin rows keep zero for a pivot, and then its products with the others overflow.
    wide = np.zeros((30, 40))
    wide[:, 1] = 1e150
    wide[np.arange(30), np.arange(30) % 3 * 2] = 1e6 * X[:, 0]
    found = tables_of(statistic_of(sparse.csr_array(wide), y))
    assert_agree([t[:5, :5] for t in found], exact_tables(wide[:, :5], y))
