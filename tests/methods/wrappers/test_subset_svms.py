"""Linear SVMs on many subsets at once against a slow solver, and against LinearSVC."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from fewest.methods.wrappers import cross_validated_error, subset_svms
from fewest.methods.wrappers.cross_validated_error import CrossValidatedError
from fewest.methods.wrappers.subset_svms import SubsetSVMs
from fewest.selectors.estimators.evaluator import StandardizedSVM, misclassified

from ...reference.margins.svms import squared_hinge_weights
from .test_cross_validated_error import objective_of


def table_of(n_rows, n_columns, n_classes, seed):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n_rows) % n_classes).astype(np.int32)
    X = rng.normal(size=(n_rows, n_columns)) + 0.7 * rng.normal(size=(n_classes, n_columns))[y]
    tests = np.arange(n_rows) % 3 == np.arange(3)[:, None]
    return X, y, tests


def masks_of(X, y, weights, tests, subsets, order=None, n_threads=2):
    order = np.arange(len(X)) if order is None else order
    svms = SubsetSVMs(X, order, y[order], weights[order], list(tests[:, order]))
    return np.concatenate(list(svms.misclassified(subsets, n_threads)))


def outputs_by_hand(X, y, weights, test, columns):
    """The outputs of one-against-rest SVMs for the test rows, columns scaled by weighted means and deviations."""
    known, w = X[~test][:, columns], weights[~test]
    is_there = ~np.isnan(known)
    total = (is_there * w[:, None]).sum(axis=0)
    mean = np.nansum(known * w[:, None], axis=0) / total
    sd = np.sqrt(np.nansum((known - mean) ** 2 * w[:, None], axis=0) / total)
    Z = np.nan_to_num((X[:, columns] - mean) / np.where(sd > 0, sd, 1.0))
    Z = np.column_stack([Z, np.ones(len(Z))])
    classes = np.unique(y[~test])
    positive = classes[1:] if len(classes) == 2 else classes
    found = [weighted_hinge(Z[~test], np.where(y[~test] == c, 1.0, -1.0), w) for c in positive]
    return classes, Z[test] @ np.array(found).T


def weighted_hinge(Z, signs, costs):
    from scipy.optimize import minimize

    def value(w):
        slack = np.maximum(1 - signs * (Z @ w), 0)
        return w @ w / 2 + costs @ slack**2, w - 2 * Z.T @ (costs * signs * slack)

    start = np.zeros(Z.shape[1])
    return minimize(value, start, jac=True, method="BFGS", options={"gtol": 1e-9, "maxiter": 10_000}).x


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("kind", ["plain", "weights", "missing", "scales", "degenerate"])
def test_they_are_those_of_a_slow_solver(n_classes, kind):
    X, y, tests = table_of(75, 5, n_classes, seed=n_classes)
    weights = np.ones(75)
    rng = np.random.default_rng(1)
    if kind == "weights":
        weights = rng.uniform(0.2, 3.0, 75)
    elif kind == "missing":
        X[rng.random(X.shape) < 0.2] = np.nan
    elif kind == "scales":
        X *= np.array([1e-90, 1e-6, 1.0, 1e6, 1e90])
    elif kind == "degenerate":
        X[:, 1] = X[:, 0]
        X[:, 2] = 4.0
        X[:, 3] = np.where(tests[0], 1.0, 0.0)
    subsets = [[0, 1], [1, 3], [2, 4]]
    found = masks_of(X, y, weights, tests, subsets)
    n_compared = 0
    for mask, columns in zip(found, subsets, strict=True):
        for test in tests:
            classes, outputs = outputs_by_hand(X, y, weights, test, columns)
            if outputs.shape[1] == 1:
                predicted, margin = classes[(outputs[:, 0] > 0).astype(int)], np.abs(outputs[:, 0])
            else:
                predicted, margin = classes[np.argmax(outputs, axis=1)], np.ptp(np.sort(outputs)[:, -2:], axis=1)
            is_clear = margin > 1e-6
            assert_array_equal(mask[test][is_clear], (predicted != y[test])[is_clear])
            n_compared += np.count_nonzero(is_clear)
    assert n_compared > 200


def test_equal_costs_give_the_weights_of_the_reference():
    X, y, _ = table_of(60, 3, 2, seed=9)
    Z, signs = np.column_stack([X, np.ones(60)]), np.where(y == 1, 1.0, -1.0)
    np.testing.assert_allclose(
        weighted_hinge(Z, signs, np.ones(60))[:3], squared_hinge_weights(X, signs, 1.0)[:3], atol=1e-5
    )


@pytest.mark.parametrize("n_classes", [2, 4])
def test_hardly_a_row_differs_from_linear_svc_which_stops_early(n_classes):
    X, y, tests = table_of(300, 6, n_classes, seed=0)
    subsets = [[a, b, c] for a in range(6) for b in range(a) for c in range(b)]
    found = masks_of(X, y, np.ones(300), tests, subsets)
    n_different = 0
    for mask, columns in zip(found, subsets, strict=True):
        for test in tests:
            theirs = misclassified(
                StandardizedSVM(), X[~test][:, columns], y[~test], np.ones((~test).sum()), X[test][:, columns], y[test]
            )
            n_different += np.count_nonzero(theirs != mask[test])
    assert n_different <= 0.002 * len(subsets) * 300


def test_threads_and_the_number_of_subsets_at_once_change_nothing(monkeypatch):
    X, y, tests = table_of(90, 8, 3, seed=3)
    order = np.random.default_rng(0).integers(0, 90, 120)
    subsets = [[a, b] for a in range(8) for b in range(a)]
    found = masks_of(X, y, np.ones(90), tests, subsets, order, n_threads=1)
    monkeypatch.setattr(subset_svms, "_SUBSETS_AT_ONCE", 3)
    monkeypatch.setattr(subset_svms, "_VALUES_AT_ONCE", 1)
    for n_threads in (1, 2, 5):
        assert_array_equal(masks_of(X, y, np.ones(90), tests, subsets, order, n_threads=n_threads), found)


def test_a_training_set_of_one_class_predicts_it():
    X, y, _ = table_of(12, 2, 2, seed=0)
    tests = np.array([y == 1, y == 0])
    assert masks_of(X, y, np.ones(12), tests, [[0], [1]]).all()


def test_what_is_not_solved_is_left_to_the_estimator(monkeypatch):
    X, y, _ = table_of(60, 5, 2, seed=5)
    expected = objective_of(CrossValidatedError(), X, y).score_features()

    def unsolved(*arguments):
        arguments[-2][:] = False

    monkeypatch.setattr(subset_svms, "subset_svms", unsolved)
    assert_array_equal(objective_of(CrossValidatedError(), X, y).score_features(), expected)
    monkeypatch.undo()
    monkeypatch.setattr(cross_validated_error, "MAX_COLUMNS", 0)
    assert_array_equal(objective_of(CrossValidatedError(), X, y).score_features(), expected)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_weights_of_any_size_are_enough(n_classes):
    # With small costs all rows have slack, and the weights are the costs times one direction.
    X, y, tests = table_of(90, 4, n_classes, 5)
    subsets, weights = [[0, 1], [2, 3]], np.random.default_rng(0).uniform(1, 2, 90)
    expected = masks_of(X, y, 1e-7 * weights, tests, subsets)
    assert expected.mean() < 0.9 * (1 - 1 / n_classes)
    for size in (1e-13, 1e-30):
        assert_array_equal(masks_of(X, y, size * weights, tests, subsets), expected)
