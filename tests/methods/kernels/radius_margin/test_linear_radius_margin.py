"""The radius-margin bound of rescaled columns and its gradient are those of the formulas."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime, minimize

from fewest import LinearRadiusMargin, WeightAscent
from fewest.errors import InvalidInput, InvalidParameter

from ....binding import bind
from ....reference.kernels.radius_margin import bound, linear_kernel


def bound_to(X, y, weights=None, **parameters):
    return bind(LinearRadiusMargin(**parameters), X, y, weights)


def table(seed, n=20, p=4, n_classes=2):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    y[:n_classes] = range(n_classes)
    return rng.normal(size=(n, p)) + 0.8 * y[:, None] * np.arange(p), y


def test_three_rows_on_a_line_by_hand():
    # 0 against 2 and 3: half the margin is 1 and the ball's radius 1.5, so that R^2 ||w||^2 = 2.25 with a hard margin.
    value, gradient = bound_to([[0.0], [2.0], [3.0]], [0, 1, 1], C=1e9, scale=None).score_weights(np.ones(1))
    assert_allclose(value, -2.25, rtol=1e-6)
    assert_allclose(gradient, 0.0, atol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("scale", [None, "std"])
def test_factors_have_the_value_what_the_formulas_say(n_classes, scale):
    X, y = table(1, n=12, n_classes=n_classes)
    objective = bound_to(X, y, C=0.7, scale=scale)
    weights = np.array([0.5, 0.0, 3.0, 1.0])
    factors = objective.squared_factors(weights)
    assert_allclose(factors, weights * 4 / 4.5)
    scaled = X if scale is None else (X - X.mean(axis=0)) / X.std(axis=0)
    expected = bound(linear_kernel(scaled, factors), y, 0.7)
    assert_allclose(objective.score_weights(weights)[0], -expected, rtol=1e-8)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_gradient_is_that_of_finite_differences(n_classes, weighted):
    X, y = table(2, n=40, p=6, n_classes=n_classes)
    objective = bound_to(X, y, np.random.default_rng(1).integers(1, 4, 40) / 2 if weighted else None)
    at = np.random.default_rng(3).uniform(0.2, 3, 6)
    by_difference = approx_fprime(at, lambda weights: objective.score_weights(weights)[0], 1e-6)
    assert_allclose(objective.score_weights(at)[1], by_difference, rtol=1e-4, atol=1e-5)


def test_the_climb_ends_where_no_other_method_finds_less():
    X, y = table(4, n=30)
    objective = bound_to(X, y)
    found = WeightAscent().run(objective, 4)
    least = min(
        minimize(
            lambda factors: -objective.score_weights(np.maximum(factors, 0))[0],
            start,
            bounds=[(0, 4)] * 4,
            constraints={"type": "eq", "fun": lambda factors: factors.sum() - 4},
            method="SLSQP",
            options={"ftol": 1e-12},
        ).fun
        for start in (np.ones(4), [0.1, 0.1, 0.1, 3.7], [0.1, 1.9, 1.9, 0.1])
    )
    assert -found.value <= least * (1 + 1e-6)


def test_a_row_of_weight_two_is_the_row_twice():
    X, y = table(3)
    weights = np.random.default_rng(0).integers(1, 4, 20)
    weighted, repeated = bound_to(X, y, weights), bound_to(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    at = np.array([0.5, 1.0, 2.0, 0.5])
    for found, expected in zip(weighted.score_weights(at), repeated.score_weights(at), strict=True):
        assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def test_a_constant_column_stays_out_and_comes_last():
    X, y = table(5)
    X[:, 2] = 3.0
    objective = bound_to(X, y)
    found = WeightAscent().run(objective, None)
    assert found.indices[-1] == 2
    assert objective.squared_factors(found.column_scores)[2] == 0.0
    without = bound_to(np.delete(X, 2, axis=1), y)
    assert_allclose(found.value, WeightAscent().run(without, None).value, rtol=1e-8)


def test_no_column_varies_or_has_a_weight():
    objective = bound_to(np.ones((6, 2)), [0, 1] * 3)
    assert WeightAscent().run(objective, 2).indices == (0, 1)
    X, y = table(6)
    value, gradient = bound_to(X, y).score_weights(np.zeros(4))
    assert np.isfinite(value)
    assert (gradient == 0).all()


@pytest.mark.parametrize("C", [0, -1.0, "auto", None, np.nan])
def test_an_invalid_cost_is_rejected(C):
    with pytest.raises(InvalidParameter, match="C must be a positive number"):
        LinearRadiusMargin(C=C)


@pytest.mark.parametrize("C", [1e4, 1e7, 1e10])
def test_a_margin_as_good_as_hard_is_solved_though_the_products_of_rows_have_few_dimensions(C):
    # From all rows at once the smallest ball would have no digits: it is found from softer ones.
    X, y = table(7, n=40)
    X[:, 0] += 20 * y
    value, gradient = bound_to(X, y, C=C).score_weights(np.ones(4))
    assert_allclose(value, bound_to(X, y, C=1e5).score_weights(np.ones(4))[0], rtol=1e-2)
    assert np.isfinite(gradient).all()


def test_missing_values_and_numbers_too_large_are_rejected():
    X, y = table(0)
    with pytest.raises(InvalidInput, match="no digits left at C = 1"):
        bound_to(1e100 * X, y, scale=None).score_weights(np.ones(4))
    with pytest.raises(InvalidInput, match="LinearRadiusMargin compares complete rows"):
        bound_to(np.where(X > 2, np.nan, X), y)
