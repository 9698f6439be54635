"""The radius-margin bound and its gradient are those of the formulas."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime, minimize_scalar

from fewest import RadiusMarginBound, WeightAscent
from fewest.errors import InvalidInput, InvalidParameter
from fewest.methods.kernels.radius_margin.radius_margin_programs import RadiusMarginSolver, minimize_bound

from ....binding import bind
from ....reference.kernels.radius_margin import bound, bound_gradient, gaussian_kernel


def bound_to(X, y, weights=None, **parameters):
    return bind(RadiusMarginBound(**parameters), X, y, weights)


def table(seed, n=12, p=3, n_classes=2):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    y[:n_classes] = range(n_classes)
    return rng.uniform(-1, 1, (n, p)) + 0.4 * y[:, None] * np.arange(p), y


def test_two_rows_have_a_bound_of_one_whatever_the_kernel():
    # a = 1/(1 + 1/C - k) each, so ||w||^2 = 2/(1 + 1/C - k); R^2 = (1 + 1/C) - (1 + 1/C + k)/2 = (1 + 1/C - k)/2.
    for C in (0.5, 1.0, 30.0):
        objective = bound_to([[0.0], [1.0]], [0, 1], C=C, regularization=0, scale=None)
        for eta in (0.1, 1.0, 8.0):
            value, gradient = objective.score_weights(np.array([eta]))
            assert_allclose(value, -1.0, rtol=1e-13)
            assert_allclose(gradient, 0.0, atol=1e-13)


def test_the_bound_of_a_constant_kernel_by_hand():
    # Two rows of class 0 and one of class 1 that coincide: 4 n1 n2 (n - 1) / n^2 = 4 * 2 * 1 * 2 / 9; C cancels.
    X = np.array([[0.0], [0.0], [0.0]])
    assert_allclose(bound(gaussian_kernel(X, [1.0]), np.array([0, 0, 1]), 5.0), 16 / 9, rtol=1e-9)
    assert_allclose(bound_to([[0.0], [0.5], [1.0]], [0, 0, 1]).constant_bound, 16 / 9, rtol=1e-14)
    # Three classes of one row each: each against the rest, three times 4 * 1 * 2 * 2 / 9.
    assert_allclose(bound_to([[0.0], [0.5], [1.0]], [0, 1, 2]).constant_bound, 16 / 3, rtol=1e-14)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_weights_have_the_value_of_the_formulas(seed, n_classes):
    X, y = table(seed, n_classes=n_classes)
    eta = np.random.default_rng(seed).uniform(0, 2, 3)
    for C in (0.2, 5.0):
        objective = bound_to(X, y, C=C, regularization=0.0, scale=None)
        value, gradient = objective.score_weights(eta)
        assert_allclose(-value, bound(gaussian_kernel(X, eta), y, C), rtol=1e-8)
        expected = bound_gradient(X, y, eta, C)
        assert_allclose(-gradient, expected, rtol=1e-7, atol=1e-7 * np.abs(expected).max())
        regular = bound_to(X, y, C=C, regularization=0.4, scale=None)
        away = eta - regular.shared.eta
        again, slope = regular.score_weights(eta)
        assert_allclose(again, 0.6 * value - 0.4 * away @ away, rtol=1e-12)
        assert_allclose(slope, 0.6 * gradient - 0.8 * away, rtol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_gradient_is_that_of_finite_differences(n_classes, weighted):
    X, y = table(5, n=40, p=5, n_classes=n_classes)
    row_weights = np.random.default_rng(1).integers(1, 4, 40) / 2 if weighted else None
    objective = bound_to(X, y, row_weights)
    rng = np.random.default_rng(2)
    for _ in range(3):
        point = np.log(np.append(rng.uniform(0.05, 3, 5), rng.uniform(0.1, 20)))
        gradient = objective.score_weights(np.exp(point))[1] * np.exp(point)
        by_difference = approx_fprime(point, lambda at: objective.score_weights(np.exp(at))[0], 1e-6)
        assert_allclose(gradient, by_difference, rtol=1e-4, atol=1e-5)


def test_a_row_of_weight_two_is_the_row_twice():
    X, y = table(3, n=20)
    weights = np.random.default_rng(0).integers(1, 4, 20)
    weighted = bound_to(X, y, weights)
    repeated = bound_to(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert_allclose(weighted.score_features(), repeated.score_features(), rtol=1e-6)
    at = np.array([0.5, 1.0, 2.0, 3.0])
    for found, expected in zip(weighted.score_weights(at), repeated.score_weights(at), strict=True):
        assert_allclose(found, expected, rtol=1e-6)


def test_the_best_kernel_a_column_alone_is_the_best_there_is():
    X, y = table(4, n=15, p=4)
    objective = bound_to(X, y, C=2.0, scale=None)
    for column in (2, 3):  # the others separate the classes too little for a best width
        width = objective.alone[column]
        there = bound(gaussian_kernel(X[:, [column]], [width.eta]), y, 2.0)
        assert_allclose(width.bound, there, rtol=1e-8)

        def at(log_eta, column=column):
            return bound(gaussian_kernel(X[:, [column]], [np.exp(log_eta)]), y, 2.0)

        near = minimize_scalar(at, bounds=np.log(width.eta) + np.array([-1, 1]), method="bounded")
        assert width.bound <= near.fun * (1 + 1e-6)
        assert_allclose(objective.score_features()[column], 1 - there / objective.constant_bound, rtol=1e-7)


def test_one_width_for_a_subset_is_the_same_for_columns_added_one_by_one():
    X, y = table(6, n=30, p=4)
    objective = bound_to(X, y)
    added = objective.score_additions([0, 2], np.array([1, 3]))
    for column, score in zip((1, 3), added, strict=True):
        width = bound_to(X, y).best_kernel([0, 2, column])
        assert_allclose(score, 1 - width.bound / objective.constant_bound, rtol=1e-9)
    assert_array_equal(objective.score_additions([], np.array([3, 1])), objective.score_features()[[3, 1]])


def test_the_shared_width_is_capped_and_tuned_together_with_the_cost():
    X, y = table(7, n=40, p=30)
    y = np.random.default_rng(0).integers(0, 2, 40)  # noise: the narrowest kernel would have the least bound
    objective = bound_to(X, y)
    mean_squared = objective.mean_distances.sum()
    assert objective.shared.eta <= 4 / mean_squared * (1 + 1e-12)
    solver = RadiusMarginSolver(objective.rows.codes, objective.rows.weights)
    fixed = minimize_bound(solver, objective._all_distances(), mean_squared, 1.0, max_eta=4.0)
    assert objective.shared.bound <= fixed.bound * (1 + 1e-9)


def test_constant_columns_score_zero_and_others_more_however_little():
    X, y = table(8, n=30, p=4)
    X[:, 1] = 7.0
    X[:, 3] = np.arange(30) % 2  # independent of the class
    y = np.sort(y)
    objective = bound_to(X, y)
    scores = objective.score_features()
    assert scores[1] == 0.0
    assert scores[3] > 0.0
    assert np.isnan(objective.score_additions([], np.array([1]))).all()
    start = objective.start_weights()
    assert start[1] == 0.0
    assert objective.score_weights(start)[1][1] == 0.0
    assert WeightAscent(logarithmic=True).run(objective, None).indices[-1] == 1


def test_copies_of_a_column_have_the_same_weight_to_the_bit():
    X, y = table(9, n=50, p=9)
    X = np.hstack([X, X[:, [3, 0]], X[:, [3]]])
    found = WeightAscent(logarithmic=True).run(bound_to(X, y), None).column_scores
    assert found[3] == found[9] == found[11]
    assert found[0] == found[10]


def test_nothing_varies_or_there_is_one_class_only():
    for X, y in ((np.ones((6, 2)), [0, 1] * 3), (table(0)[0], [0] * 12)):
        objective = bound_to(X, y)
        assert (objective.score_features() == 0).all()
        assert WeightAscent(logarithmic=True).run(objective, 2).indices == (0, 1)
        assert objective.best_kernel([0, 1]) is None


def test_weights_too_large_or_too_small_leave_numbers():
    X, y = table(1, n=20)
    objective = bound_to(X, y)
    for extreme in (0.0, 1e-100, 1e100):
        for C in (0.0, 1e-100, 1e100):
            value, gradient = objective.score_weights(np.array([extreme, 1.0, extreme, C]))
            assert np.isfinite(value)
            assert np.isfinite(gradient).all()


@pytest.mark.parametrize(
    "parameters",
    [{"C": 0}, {"C": "best"}, {"C": True}, {"C": np.inf}, {"regularization": 1}, {"regularization": -0.1},
     {"regularization": "a"}, {"scale": "unit"}],
    ids=str,
)  # fmt: skip
def test_invalid_parameters_are_rejected(parameters):
    with pytest.raises(InvalidParameter, match=next(iter(parameters))):
        RadiusMarginBound(**parameters)


def test_missing_values_too_many_rows_and_too_little_weight_are_rejected():
    X, y = table(0)
    with pytest.raises(InvalidInput, match="RadiusMarginBound compares complete rows"):
        bound_to(np.where(X > 0.9, np.nan, X), y)
    with pytest.raises(InvalidInput, match=r"The total weight of the rows is 0\.12"):
        bound_to(X, y, np.full(12, 0.01))
    with pytest.raises(InvalidInput, match=r"too few digits\. Use scale='symmetric'"):
        bound_to(1e-90 * X, y, scale=None)
    with pytest.raises(InvalidInput, match="12 rows are too many: at most 10"):
        bound_to(X, y, max_rows=10)
