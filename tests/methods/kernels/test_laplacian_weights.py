"""Weights of columns by the Laplacian kernel, against its formula."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from threadpoolctl import threadpool_limits

from fewest import KernelScatter, KernelSeparability, WeightAscent, WeightElimination
from fewest.data.block import Block
from fewest.methods.kernels import gaussian_sums, laplacian_sums, scatter_objective
from fewest.statistics.rows import Rows

from ...reference.kernels import kernel_scatter as reference
from .test_kernel_separability import objective_of, random_table

PLAIN = KernelScatter("laplacian", regularization=0.0)


def test_three_points_by_hand():
    # On a line at 0, 2 and 4, scaled to -1, 0 and 1, the first alone in its class. With k = exp(-eta):
    # Sum(K_aa)/n_a are 1 and (2 + 2k)/2, Sum(K) = 3 + 4k + 2 k^2.
    objective = objective_of([[0.0], [2.0], [4.0]], ["a", "b", "b"], PLAIN)
    value, gradient = objective.score_weights(np.array([0.7]))
    k = np.exp(-0.7)
    assert_allclose(value, 1 + (1 + k) - (3 + 4 * k + 2 * k**2) / 3)
    assert_allclose(gradient, [-k + (4 * k + 4 * k**2) / 3])
    # Distances of 1, 1 and 2 between two rows.
    assert_allclose(objective.column_distances, [4 / 3])


@pytest.mark.parametrize("seed", range(300))
def test_values_and_gradients_agree_with_the_formula(seed):
    X, y, random = random_table(seed)
    if seed % 11 == 0:
        X *= 10.0 ** random.integers(-100, 100, X.shape[1])
    Z = reference.scaled(X)
    eta = random.exponential(size=X.shape[1]) * (random.random(X.shape[1]) < 0.8)
    between, within, _ = reference.traces_fast(reference.laplacian(Z, eta), y)
    objective = objective_of(X, y, PLAIN)
    value, gradient = objective.score_weights(eta)
    assert_allclose(value, between, atol=1e-10)
    expected = reference.laplacian_between_gradient(Z, y, eta)
    assert_allclose(gradient, expected, atol=1e-10)
    among = np.flatnonzero(random.random(X.shape[1]) < 0.5)
    assert_allclose(objective.score_weights_among(eta, among)[1], expected[among], atol=1e-10)
    n, n_classes = len(y), len(np.unique(y))
    ratio = objective_of(X, y, KernelScatter("laplacian", form="ratio", ridge=0.1, regularization=0.0))
    if n > n_classes:
        assert_allclose(
            ratio.score_weights(eta)[0],
            (between + 0.1 * (n_classes - 1)) / (within + 0.1 * (n - n_classes)),
            rtol=1e-9,
        )
    apart = np.abs(Z[:, None] - Z[None]).sum(axis=(0, 1)) / (n * (n - 1))
    assert_allclose(objective.column_distances, apart, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_gradients_agree_with_finite_differences(seed):
    X, y, random = random_table(seed)
    for options in ({}, {"form": "ratio", "ridge": 0.2}, {"scale": "std"}):
        objective = objective_of(X, y, KernelScatter("laplacian", **options))
        eta = random.exponential(size=X.shape[1])
        gradient = objective.score_weights(eta)[1]
        for f in range(len(eta)):
            step = 1e-6 * np.eye(len(eta))[f]
            up, down = objective.score_weights(eta + step)[0], objective.score_weights(eta - step)[0]
            assert_allclose(gradient[f], (up - down) / 2e-6, rtol=1e-5, atol=1e-7)


def test_one_weight_for_all_columns_is_the_best_up_to_its_cap():
    for seed in range(6):
        X, y, _ = random_table(seed + 50)
        Z, objective = reference.scaled(X), objective_of(X, y, PLAIN)
        distance = np.abs(Z[:, None] - Z[None]).sum() / (len(Z) * (len(Z) - 1))
        etas = 2.0 ** np.linspace(-10, 2, 2001) / distance
        values = [reference.traces_fast(reference.laplacian(Z, np.full(Z.shape[1], eta)), y)[0] for eta in etas]
        start = objective.start_weights()
        assert objective.shared_weight <= 4.0001 / distance
        assert objective.score_weights(start)[0] >= max(values) - 1e-5 * abs(max(values))
        assert_array_equal(start == 0, np.ptp(Z, axis=0) == 0)


def test_subsets_and_equal_weights_have_the_same_value():
    X, y, _ = random_table(7)
    objective = objective_of(X, y, PLAIN)
    weights = np.zeros(X.shape[1])
    weights[[0, 2]] = objective.width_of([0, 2])
    assert_allclose(objective.score_weights(weights)[0], objective.score_subset([0, 2]), rtol=1e-9)


def test_a_weight_of_two_is_the_row_twice():
    X, y, _ = random_table(13)
    weights = np.arange(len(y)) % 3.0
    repeated = np.repeat(np.arange(len(y)), weights.astype(int))
    weighted, plain = Rows(), Rows()
    codes = y.astype(np.int32)
    labels = list(range(codes.max() + 1))
    weighted.update(Block(X, codes, labels, weights))
    plain.update(Block(X[repeated], codes[repeated], labels))
    one, other = PLAIN.bind(weighted), PLAIN.bind(plain)
    eta = np.linspace(0.1, 2, X.shape[1])
    for found, expected in zip(one.score_weights(eta), other.score_weights(eta), strict=True):
        assert_allclose(found, expected, rtol=1e-9, atol=1e-10)
    assert_allclose(one.shared_weight, other.shared_weight, rtol=1e-6)


def big_table():
    random = np.random.default_rng(0)
    y = random.integers(0, 3, 700)
    return random.normal(size=(700, 5)) + y[:, None] * [0, 0.3, 0.6, 1.0, 0], y


def test_many_rows_are_summed_in_tiles_to_the_same_bits_by_any_number_of_threads(monkeypatch):
    X, y = big_table()
    Z, eta = reference.scaled(X), np.array([0.5, 0.0, 2.0, 0.1, 0.3])
    objective = objective_of(X, y, PLAIN)
    value, gradient = objective.score_weights(eta)
    K = reference.laplacian(Z, eta)
    assert_allclose(value, reference.traces_fast(K, y)[0], rtol=1e-11)
    W = (np.where(y[:, None] == y, 1 / np.bincount(y)[y][:, None], 0) - 1 / 700) * K
    assert_allclose(gradient, [-(W * np.abs(c[:, None] - c)).sum() for c in Z.T], rtol=1e-9)
    for n_threads in (1, 2, 5):
        with threadpool_limits(n_threads):
            again = objective_of(X, y, PLAIN).score_weights(eta)
            assert again[0] == value
            assert_array_equal(again[1], gradient)
            fitted = KernelSeparability(kernel="laplacian", n_features=2).fit(X[::2], y[::2])
            assert_array_equal(fitted.weights_, KernelSeparability(kernel="laplacian").fit(X[::2], y[::2]).weights_)
    # As many sums at once as fit, or one at a time.
    for module in (gaussian_sums, laplacian_sums):
        monkeypatch.setattr(module, "NUMBERS_OF_TILES", 12)
    few = objective_of(X, y, PLAIN).score_weights(eta)
    assert few[0] == value
    assert_allclose(few[1], gradient, rtol=1e-12)


def test_a_sample_of_many_rows_leads_to_the_same_maximum(monkeypatch):
    X, y = big_table()
    expected = WeightAscent().run(objective_of(X, y, KernelScatter("laplacian")), 2)
    monkeypatch.setattr(scatter_objective, "_SAMPLED_ROWS", 150)
    objective = objective_of(X, y, KernelScatter("laplacian"))
    assert objective.on_sample() is not None
    found = WeightAscent().run(objective, 2)
    assert found.indices == expected.indices == (3, 2)
    assert_allclose(found.value, expected.value, rtol=1e-6)


def test_a_maximum_has_no_slope_and_odd_columns_come_last():
    random = np.random.default_rng(4)
    y = np.repeat([0, 1], 12)
    x = random.normal(size=24) + 2 * y
    X = np.column_stack([np.full(24, 3.0), random.normal(size=24), x, x])
    objective = objective_of(X, y, KernelScatter("laplacian"))
    for search in (WeightAscent(), WeightElimination()):
        found = search.run(objective, 4)
        assert found.indices[-1] == 0, search
        assert_allclose(found.column_scores[2], found.column_scores[3], rtol=1e-9)
        gradient = objective.score_weights(found.column_scores)[1]
        assert np.abs(gradient[found.column_scores > 0]).max() < 1e-2
        assert gradient[found.column_scores == 0].max() <= 0
    nothing = WeightAscent().run(objective_of(np.ones((6, 3)), [0, 0, 0, 1, 1, 1], PLAIN), 2)
    assert nothing.scores == (0.0, 0.0)


def test_the_selector_takes_text_and_a_fixed_gamma_has_no_weights():
    import pandas as pd

    random = np.random.default_rng(2)
    y = np.arange(80) % 2
    frame = pd.DataFrame(
        {"noise": random.normal(size=80), "kind": np.where(y == 1, "a", "b"), "b": random.normal(size=80)}
    )
    for mode in ("weights", "elimination"):
        fitted = KernelSeparability(mode, "laplacian", n_features=1).fit(frame, y)
        assert fitted.get_feature_names_out().tolist() == ["kind"]
        assert fitted.weights_.shape == (3,)
    assert "score_weights" not in KernelScatter("laplacian", kernel_params={"gamma": 0.5}).offers
