"""Sums of Gaussian kernels tile by tile: parts of the gradient, batches of tiles, widths by squares and polynomials."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from threadpoolctl import threadpool_limits

from fewest import KernelScatter, KernelSeparability
from fewest.methods.kernels import gaussian_sums, scatter_objective
from fewest.searches import WeightAscent, weight_ascent

from .test_kernel_separability import objective_of


def objective(n=700, p=12, seed=0, form="between"):
    random = np.random.default_rng(seed)
    y = random.integers(0, 3, n)
    X = random.normal(size=(n, p))
    X[:, :3] += y[:, None]
    return objective_of(X, y, KernelScatter(form=form))


@pytest.mark.parametrize("form", ["between", "ratio"])
def test_a_part_of_the_gradient_is_that_part(form):
    one = objective(form=form)
    weights = np.where(np.arange(12) % 3 == 0, 0.4, 0.0)
    value, gradient = one.score_weights(weights)
    among = np.array([7, 0, 3])
    part_value, part = one.score_weights_among(weights, among)
    assert part_value == value
    assert_allclose(part, gradient[among], rtol=1e-11, atol=1e-12 * np.abs(gradient).max())


def test_batches_of_tiles_give_the_same_sums(monkeypatch):
    weights = np.linspace(0.0, 1.0, 12)
    one = objective()
    expected, rows = one.score_weights(weights), one._weighted_sums.row_sums(weights, one.pair_sums[0])
    monkeypatch.setattr(gaussian_sums, "NUMBERS_OF_TILES", 1100)
    value, gradient = objective().score_weights(weights)
    assert value == expected[0]
    assert_allclose(gradient, expected[1], rtol=1e-12)
    assert_array_equal(one._weighted_sums.row_sums(weights, one.pair_sums[0]), rows)


@pytest.mark.parametrize(("seed", "form"), [(0, "between"), (1, "between"), (2, "ratio")])
def test_the_shared_weight_is_the_same_whether_distances_are_kept_or_not(seed, form, monkeypatch):
    kept = objective(300, seed=seed, form=form).shared_weight
    monkeypatch.setattr(scatter_objective, "_MAX_NUMBERS", 0)
    # The value is flat about its maximum: eta is known to the root of the error of the value.
    assert_allclose(objective(300, seed=seed, form=form).shared_weight, kept, rtol=1e-5)


def test_setting_weights_aside_ends_at_a_maximum_as_high(monkeypatch):
    random = np.random.default_rng(3)
    y = np.arange(120) % 2
    X = random.normal(size=(120, 200))
    X[:, :6] += 1.1 * y[:, None]
    parted = KernelSeparability(n_features=10).fit(X, y)
    monkeypatch.setattr(weight_ascent, "_MANY_ZEROS", 10**9)
    whole = KernelSeparability(n_features=10).fit(X, y)
    assert parted.selection_.value >= whole.selection_.value * (1 - 1e-8)
    assert set(np.flatnonzero(parted.weights_ > 1e-3)) == set(np.flatnonzero(whole.weights_ > 1e-3))
    one = objective_of(X, y, KernelScatter())
    gradient = one.score_weights(parted.weights_)[1]
    # No weight of zero would gain: its gradient is negative, or next to nothing beside the others.
    assert gradient[parted.weights_ == 0].max() <= 1e-3 * np.abs(gradient).max()
    assert np.all(np.diff(parted.objective_) >= 0)


def test_few_gradients_of_all_columns_are_computed(monkeypatch):
    random = np.random.default_rng(4)
    y = np.arange(80) % 2
    X = random.normal(size=(80, 300))
    X[:, :4] += y[:, None]
    one = objective_of(X, y, KernelScatter())
    counts = {"all": 0, "part": 0}
    whole, part = one.score_weights, one.score_weights_among

    def all_columns(weights):
        counts["all"] += 1
        return whole(weights)

    def some_columns(weights, among):
        counts["part"] += 1
        return part(weights, among)

    monkeypatch.setattr(one, "score_weights", all_columns)
    monkeypatch.setattr(one, "score_weights_among", some_columns)
    WeightAscent().run(one, 5)
    assert counts["part"] > counts["all"]


@pytest.mark.parametrize("form", ["between", "ratio"])
def test_moments_are_the_derivatives_of_the_sums_in_a_multiple_of_eta(form):
    one = objective(400, form=form)
    sums, pairs = one._weighted_sums, one.pair_sums
    eta = np.linspace(0.0, 0.2, 12)
    moments = sums.moments(eta, 11, pairs)
    for share in (-0.1, -0.01, 0.1):
        series = sum(moments[k] * share**k / math.factorial(k) for k in range(11))
        exact = sums.values(eta, np.array([1.0 + share]), pairs)[0]
        assert_allclose(series, exact, rtol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_a_sum_of_some_rows_estimates_that_of_all_and_is_it_where_all_are_drawn(seed):
    one = objective(900, seed=seed)
    weights = np.full(12, 0.05)
    expected = one.score_weights(weights)[0]
    for every, tolerance in ((1, 1e-12), (3, 0.25)):
        some = np.arange(0, 900, every)
        sums = gaussian_sums.GaussianSums(
            one.rows.columns[:, some], one.rows.codes[some], one.rows.weights_of_some(some)
        )
        found = sums.values_and_gradients(weights, [one.rows.pair_sum_of_some(one.pair_sums[0], some)])[0][0]
        penalty = 0.25 * 12 * (0.05 - one.shared_weight) ** 2
        assert_allclose(0.75 * found - penalty, expected, rtol=tolerance)


def fit_many(monkeypatch, n_sampled, X, y, **settings):
    monkeypatch.setattr(scatter_objective, "_SAMPLED_ROWS", n_sampled)
    monkeypatch.setattr(scatter_objective, "_MAX_NUMBERS", 0)
    return KernelSeparability(n_features=4, **settings).fit(X, y)


@pytest.mark.parametrize("seed", range(6))
def test_an_ascent_by_a_sample_ends_where_one_over_all_rows_does(seed, monkeypatch):
    random = np.random.default_rng(seed)
    n, p = 650, int(random.integers(3, 80))
    y = random.choice(4, n, p=[0.6, 0.3, 0.09, 0.01])
    X = random.normal(size=(n, p))
    X[:, :3] += 0.9 * y[:, None]
    if seed % 2:
        X[:, 0], X[:, 2] = 7.0, X[:, 1]  # constant, and a copy
    if seed % 3 == 0:
        X = np.exp(X) * 10.0 ** random.integers(-6, 6, p)
    settings = {"regularization": (0.25, 0.0, 0.9)[seed % 3]}
    every = fit_many(monkeypatch, 10**9, X, y, **settings)
    sampled = fit_many(monkeypatch, 200, X, y, **settings)
    assert_allclose(sampled.width_, every.width_, rtol=1e-5)
    # J is flat about the shared weight, which is known to some parts in a million, and so is the penalty.
    assert sampled.selection_.value == pytest.approx(every.selection_.value, rel=1e-5)
    assert sampled.objective_[0] == pytest.approx(every.objective_[0], rel=1e-8)
    assert_allclose(sampled.weights_, every.weights_, atol=1e-3 * every.weights_.max())


def test_an_ascent_by_a_sample_is_the_same_to_the_bit_on_any_number_of_threads_and_in_any_order(monkeypatch):
    random = np.random.default_rng(5)
    y = random.integers(0, 3, 800)
    X = random.normal(size=(800, 9))
    X[:, :2] += y[:, None]
    order = random.permutation(800)
    with threadpool_limits(1):
        one = fit_many(monkeypatch, 256, X, y)
    with threadpool_limits(3):
        several = fit_many(monkeypatch, 256, X[order], y[order])
    assert_array_equal(one.weights_, several.weights_)
    assert one.selection_.value == several.selection_.value
