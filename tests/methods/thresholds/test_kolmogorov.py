"""p-values of the largest difference between two distribution functions, and distances under permuted labels."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import ks_2samp

from fewest._core import kolmogorov_tails
from fewest.data.array import ArraySource
from fewest.data.labels import Target
from fewest.methods.thresholds.threshold_criteria import DistributionDistance

from ...binding import bind
from ...reference.significance import kolmogorov_smirnov


def test_two_and_two_rows_by_hand():
    # 6 orders of two and two values. Apart by 1: aabb and bbaa. By 1/2 or more: all.
    tails = np.empty(3)
    two = np.array([2, 2, 2])
    kolmogorov_tails(two, two, np.array([4, 2, 0]), tails, 1)
    assert_allclose(tails, [2 / 6, 1.0, 1.0], rtol=1e-15)


@pytest.mark.parametrize("seed", range(12))
def test_they_are_the_shares_of_all_labellings(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 10))
    y = rng.integers(0, 2, n)
    y[:2] = [0, 1]
    X = rng.permuted(np.tile(np.arange(n, dtype=float), (3, 1)), axis=1).T
    expected = [kolmogorov_smirnov(x, y) for x in X.T]
    assert_allclose(bind(DistributionDistance(), X, y).p_values(), expected, rtol=1e-12)


@pytest.mark.parametrize(("first", "second"), [(1, 1), (1, 30), (7, 12), (40, 40), (33, 90)])
def test_they_are_those_of_scipy(first, second):
    rng = np.random.default_rng(first)
    X = rng.normal(size=(first + second, 12))
    y = np.repeat([0, 1], [first, second])
    X += np.linspace(0, 2, 12) * y[:, None]
    found = bind(DistributionDistance(), X, y).p_values()
    expected = [ks_2samp(x[y == 0], x[y == 1], method="exact").pvalue for x in X.T]
    assert_allclose(found, expected, rtol=1e-10)


def test_of_many_rows_they_are_asymptotic():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2600, 3)), np.repeat([0, 1], [1200, 1400])
    X[:, 0] += 0.1 * y
    expected = [ks_2samp(x[y == 0], x[y == 1], method="asymp").pvalue for x in X.T]
    assert_allclose(bind(DistributionDistance(), X, y).p_values(), expected, rtol=1e-10)


def test_missing_values_are_left_out_and_weights_are_repetitions():
    rng = np.random.default_rng(1)
    X, y, weights = rng.normal(size=(60, 4)), rng.integers(0, 2, 60), rng.integers(0, 3, 60)
    X[rng.random(X.shape) < 0.2] = np.nan
    X[:, 2] = np.nan
    X[:, 3] = 1.0
    repeated = np.repeat(np.arange(60), weights)
    found = bind(DistributionDistance(), X, y, weights).p_values()
    assert_allclose(found, bind(DistributionDistance(), X[repeated], y[repeated]).p_values(), rtol=1e-12)
    assert found[2:].tolist() == [1.0, 1.0]
    known = repeated[~np.isnan(X[repeated, 0])]
    scipy = ks_2samp(X[known, 0][y[known] == 0], X[known, 0][y[known] == 1], method="exact")
    assert_allclose(found[0], scipy.pvalue, rtol=1e-10)


def test_more_classes_and_weights_that_are_no_numbers_of_rows_have_none():
    X, y = np.arange(12.0).reshape(6, 2), np.array([0, 0, 1, 1, 2, 2])
    assert not hasattr(bind(DistributionDistance(), X, y), "p_values")
    assert not hasattr(bind(DistributionDistance(), X, y % 2, np.full(6, 0.5)), "p_values")


def test_threads_change_no_bit():
    sizes = np.arange(1, 60, dtype=np.int64)
    found = [np.empty(59), np.empty(59)]
    for n_threads, tails in enumerate(found, start=1):
        kolmogorov_tails(sizes, sizes[::-1].copy(), sizes * 7, tails, n_threads)
    assert found[0].tolist() == found[1].tolist()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_distances_under_other_labels_are_those_of_rows_with_these_labels(n_classes):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(50, 6)).round(1), rng.integers(0, n_classes, 50)
    X[rng.random(X.shape) < 0.1] = np.nan
    criterion = DistributionDistance()
    rows = ArraySource(X, Target(y)).collect(criterion.permutation_rows())
    code_of = np.array([list(rows.classes).index(c) for c in range(n_classes)], dtype=np.int32)
    labels = np.array([rng.permutation(y) for _ in range(5)])
    features = np.array([0, 3, 5])
    found = criterion.permutation_scorer(rows)(code_of[labels], features)
    for permuted, scores in zip(labels, found, strict=True):
        assert_allclose(scores, bind(criterion, X, permuted).scores[features], rtol=1e-12)
