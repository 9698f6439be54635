"""Mean and variance of theta against simulation, with and without class information."""

from __future__ import annotations

import numpy as np
import pytest

from fewest import ThetaDistribution, scan
from fewest.errors import InvalidInput
from fewest.statistics import ClassMoments

N_DRAWS = 100_000


def drawn_thetas(counts, means, deviation, gamma, seed=0):
    """theta of many columns of normal numbers, by its definition."""
    rng = np.random.default_rng(seed)
    parts = [rng.normal(mean, deviation, (N_DRAWS, n)) for n, mean in zip(counts, means, strict=True)]
    everything = np.hstack(parts)
    middle = everything.mean(axis=1)
    between = sum(part.shape[1] * (part.mean(axis=1) - middle) ** 2 for part in parts) / everything.shape[1]
    return between - gamma * everything.var(axis=1)


CASES = [
    ((10, 10), (0.0, 1.0), 1.0),
    ((5, 12, 8), (0.0, 0.0, 0.0), 2.0),
    ((4, 6, 15), (1.0, -0.5, 7.0), 0.7),
    ((30, 3), (100.0, 101.0), 1.5),
]


@pytest.mark.parametrize("gamma", [-0.5, 0.0, 0.3, 1.0])
@pytest.mark.parametrize(("counts", "means", "deviation"), CASES)
def test_mean_and_variance_are_those_of_simulated_columns(counts, means, deviation, gamma):
    theta = ThetaDistribution(counts, means, deviation, gamma)
    drawn = drawn_thetas(counts, means, deviation, gamma)
    # Five standard errors of the mean, and of the variance with its kurtosis.
    assert drawn.mean() == pytest.approx(theta.mean, abs=5 * np.sqrt(theta.variance / N_DRAWS))
    kurtosis = np.mean((drawn - drawn.mean()) ** 4) / drawn.var() ** 2
    assert drawn.var() == pytest.approx(theta.variance, rel=5 * np.sqrt((kurtosis - 1) / N_DRAWS))
    noise = drawn_thetas(counts, np.zeros(len(counts)), deviation, gamma, seed=1)
    assert noise.mean() == pytest.approx(theta.noise_mean, abs=5 * np.sqrt(theta.noise_variance / N_DRAWS))
    kurtosis = np.mean((noise - noise.mean()) ** 4) / noise.var() ** 2
    assert noise.var() == pytest.approx(theta.noise_variance, rel=5 * np.sqrt((kurtosis - 1) / N_DRAWS))


def test_the_variance_of_the_paper_is_another():
    # Eq. 23 with g = 2, n = 20, gamma = 0, sigma = 1: 2 / 400 * (2 + 0 + 1), three times as much.
    theta = ThetaDistribution((10, 10), (0.0, 0.0), 1.0)
    assert theta.noise_variance == pytest.approx(2 / 400)
    assert drawn_thetas((10, 10), (0.0, 0.0), 1.0, 0.0).var() < 0.5 * 2 / 400 * 3


def test_an_example_by_hand():
    # U = 1/4; mean = U + 1/100, variance = 4 U / 100 + 2 / 100^2.
    theta = ThetaDistribution([50, 50], [0.0, 1.0], 1.0)
    assert (theta.separation, theta.mean, theta.noise_mean) == pytest.approx((0.25, 0.26, 0.01))
    assert theta.variance == pytest.approx(0.0102)
    assert theta.kappa == pytest.approx(0.25 / np.sqrt(0.0102))


def test_the_best_separation_is_at_gamma_zero():
    kappas = {gamma: ThetaDistribution([20, 30], [0.0, 1.0], 1.0, gamma).kappa for gamma in np.linspace(-2, 0.9, 30)}
    assert max(kappas.values()) <= ThetaDistribution([20, 30], [0.0, 1.0], 1.0).kappa + 1e-12


def test_shifts_change_nothing_and_columns_are_computed_together():
    means = np.array([[0.0, 5.0], [1.0, 6.0], [3.0, 8.0]])
    theta = ThetaDistribution([5, 6, 7], means, [1.0, 1.0], 0.2)
    assert theta.variance.shape == (2,)
    np.testing.assert_allclose(theta.variance[0], theta.variance[1], rtol=1e-12)
    np.testing.assert_allclose(theta.kappa[0], theta.kappa[1], rtol=1e-12)


def test_of_columns_has_the_means_and_deviations_that_were_observed():
    rng = np.random.default_rng(0)
    y = np.array([0] * 30 + [1] * 50)
    X = rng.normal(size=(80, 3)) + np.outer(y, [0.0, 1.0, 4.0])
    theta = ThetaDistribution.of_columns(scan(X, y).collect(ClassMoments()), gamma=0.1)
    pooled = np.sqrt((30 * X[y == 0].var(axis=0) + 50 * X[y == 1].var(axis=0)) / 78)
    expected = ThetaDistribution([30, 50], [X[y == 0].mean(axis=0), X[y == 1].mean(axis=0)], pooled, 0.1)
    np.testing.assert_allclose(theta.variance, expected.variance, rtol=1e-10)
    np.testing.assert_allclose(theta.mean, expected.mean, rtol=1e-10)
    assert theta.kappa[0] < 2 < theta.kappa[2]
    X[0, 0] = np.nan
    with pytest.raises(InvalidInput, match="Some values are missing"):
        ThetaDistribution.of_columns(scan(X, y).collect(ClassMoments()))


@pytest.mark.parametrize(
    "arguments", [([5], [1.0], 1.0), ([5, 0], [1.0, 2.0], 1.0), ([5, 5], [1.0], 1.0), ([5, 5], [1.0, np.nan], 1.0)]
)
def test_what_is_no_distribution_is_refused(arguments):
    with pytest.raises(InvalidInput, match="class_"):
        ThetaDistribution(*arguments)


def test_a_column_without_variance_within_the_classes_is_infinitely_far_apart():
    assert ThetaDistribution([5, 5], [0.0, 1.0], 0.0).kappa == np.inf
    assert ThetaDistribution([5, 5], [1.0, 1.0], 0.0).kappa == 0.0
