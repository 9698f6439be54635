"""Sums of Gaussian kernels tile by tile: parts of the gradient, batches of tiles, widths by squares and polynomials."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fewest import KernelScatter, KernelSeparability
from fewest.methods.kernels import gaussian_sums, kernel_separability
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
    expected, rows = one.score_weights(weights), one._gaussian_sums.row_sums(weights, one.pair_sums[0])
    monkeypatch.setattr(gaussian_sums, "_NUMBERS_OF_TILES", 1100)
    value, gradient = objective().score_weights(weights)
    assert value == expected[0]
    assert_allclose(gradient, expected[1], rtol=1e-12)
    assert_array_equal(one._gaussian_sums.row_sums(weights, one.pair_sums[0]), rows)


@pytest.mark.parametrize(("seed", "form"), [(0, "between"), (1, "between"), (2, "ratio")])
def test_the_shared_weight_is_the_same_whether_distances_are_kept_or_not(seed, form, monkeypatch):
    kept = objective(300, seed=seed, form=form).shared_weight
    monkeypatch.setattr(kernel_separability, "_MAX_NUMBERS", 0)
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
