"""The Kolmogorov-Smirnov statistic against its definition and worked examples."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.stats import ks_2samp

from fewest import DistributionDistance
from fewest.data.block import Block

from ...reference.thresholds import distribution_distances
from ..random_tables import random_table


def rows_of(*blocks):
    """The statistic of blocks of values, classes and weights, as they came."""
    rows = DistributionDistance().statistic()
    for values, y, weights in blocks:
        weights = None if weights is None else np.asarray(weights, dtype=float)
        rows.update(Block(values, np.asarray(y, dtype=np.int32), list(range(9)), weights))
    return rows


def scores_of(X, y, weights=None):
    return DistributionDistance().bind(rows_of((X, y, weights))).score_features()


def test_two_classes_worked_by_hand():
    # {1, 2, 3} and {2, 4}: 1/3 at 1, 2/3 - 1/2 at 2 (a step of both), 1 - 1/2 at 3.
    X, y = np.array([[1.0], [2.0], [3.0], [2.0], [4.0]]), [0, 0, 0, 1, 1]
    assert scores_of(X, y).tolist() == [0.5]
    assert scores_of(-X, y).tolist() == [0.5]


def test_three_classes_worked_by_hand():
    # {1}, {2, 2}, {3}: the outer two are 1 from the others, the one between them 1/2; shares 1/4, 1/2, 1/4.
    assert scores_of(np.array([[2.0], [1.0], [3.0], [2.0]]), [1, 0, 2, 1]).tolist() == [0.75]


def test_what_a_threshold_divides_is_one_apart_and_what_does_not_vary_not_at_all():
    X = np.array([[1.0, 5.0, np.nan, 1.0], [2.0, 5.0, np.nan, 2.0], [7.0, 5.0, np.nan, np.nan]])
    assert_array_equal(scores_of(X, [0, 0, 1]), [1.0, 0.0, np.nan, 0.0])
    assert_array_equal(scores_of(sparse.csc_array(X), [0, 0, 1]), [1.0, 0.0, np.nan, 0.0])
    assert_array_equal(scores_of(sparse.csr_array((3, 2)), [0, 0, 1]), [0.0, 0.0])


@pytest.mark.parametrize("seed", range(24))
def test_random_tables_agree_with_the_definition(seed):
    X, y, _ = random_table(seed)
    expected = distribution_distances(X, y)
    assert_allclose(scores_of(X, y), expected, rtol=1e-13, atol=1e-15)
    for held in (sparse.csr_array, sparse.csc_array):
        assert_array_equal(scores_of(held(np.nan_to_num(X)), y), scores_of(np.nan_to_num(X), y))
        assert_array_equal(scores_of(held(X), y), scores_of(X, y))


#: Columns that are sorted in different ways: by comparing, by digits, by digits and then among those that share them.
LONG = {
    "even": lambda rng, n: rng.normal(size=n),
    "far from zero": lambda rng, n: 1e8 + rng.normal(size=n),
    "apart in the last bits": lambda rng, n: rng.choice([-1e100, 1.0], n) * (1 + rng.integers(0, 50, n) * 2.0**-52),
    "of all sizes": lambda rng, n: rng.normal(size=n) * 10.0 ** rng.integers(-320, 140, n),
    "few values": lambda rng, n: rng.integers(-3, 4, n).astype(float),
    "whole": lambda rng, n: rng.integers(-2000, 2000, n).astype(float),
    "mostly zero, of both signs": lambda rng, n: np.where(rng.random(n) < 0.7, 0.0, 1.0) * rng.normal(size=n),
}  # fmt: skip


@pytest.mark.parametrize("kind", LONG)
@pytest.mark.parametrize("n", [100, 700, 9000])
def test_long_columns_agree_with_scipy(kind, n):
    rng = np.random.default_rng(n)
    x, y = LONG[kind](rng, n), rng.integers(0, 2, n)
    x += np.where((y == 1) & (rng.random(n) < 0.1), np.abs(x), 0.0)
    expected = ks_2samp(x[y == 0], x[y == 1], method="asymp").statistic
    assert_allclose(scores_of(x[:, None], y), [expected], rtol=1e-12)
    assert scores_of(sparse.csc_array(x[:, None]), y) == scores_of(x[:, None], y)
    several = rng.integers(0, 5, n)
    one_of_four = np.sort(rng.permutation(n)[: min(n, 400)])
    assert_allclose(
        scores_of(x[one_of_four, None], several[one_of_four]),
        distribution_distances(x[one_of_four, None], several[one_of_four]),
        rtol=1e-12,
    )


@pytest.mark.parametrize("seed", range(8))
def test_neither_order_nor_storage_nor_parts_change_a_bit(seed):
    X, y, _ = random_table(seed)
    X = X.astype(np.float32).astype(float)
    rng = np.random.default_rng(seed)
    weights = rng.choice([0.3, 1.7, 2.1], len(y))
    order = rng.permutation(len(y))
    wide = np.full((2 * len(y), 3 * X.shape[1]), np.nan)
    wide[::2, ::3] = X
    for given in (None, weights):
        expected = scores_of(X, y, given)
        shuffled = scores_of(X[order], y[order], None if given is None else given[order])
        assert_array_equal(shuffled, expected)
        for same in (np.asfortranarray(X), X.astype(np.float32), wide[::2, ::3]):
            assert_array_equal(scores_of(same, y, given), expected)
        parts = [(part, y[rows], None if given is None else given[rows])
                 for rows in np.array_split(np.arange(len(y)), 3)
                 for part in [X[rows] if rows[0] else sparse.csr_array(X[rows])]]  # fmt: skip
        assert_array_equal(DistributionDistance().bind(rows_of(*parts)).score_features(), expected)


@pytest.mark.parametrize("seed", range(8))
def test_a_weight_is_a_repetition_and_may_be_a_fraction(seed):
    X, y, _ = random_table(seed)
    times = np.random.default_rng(seed).integers(0, 4, len(y))
    times[:4] = 1
    rows = np.repeat(np.arange(len(y)), times)
    assert_array_equal(scores_of(X, y, times), scores_of(X[rows], y[rows]))
    fractions = times / 7
    assert_allclose(scores_of(X, y, fractions), distribution_distances(X, y, fractions), rtol=1e-12, atol=1e-15)
    assert_allclose(scores_of(X, y, fractions), scores_of(X, y, times), rtol=1e-12, atol=1e-15)


def test_columns_that_order_the_rows_alike_tie():
    x = np.random.default_rng(0).normal(size=500)
    y = (x + np.random.default_rng(1).normal(size=500) > 0).astype(int)
    scores = scores_of(np.column_stack([x, np.exp(x), -x, 1e6 + x**3]), y)
    assert len(set(scores.tolist())) == 1
