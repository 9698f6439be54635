"""The weights of linear SVMs against non-negative least squares."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.svm import LinearSVC

from fewest import LinearMargin
from fewest.data.array import ArraySource
from fewest.data.labels import Target
from fewest.errors import InvalidInput, InvalidParameter
from fewest.methods.margins.linear_margin import check_svm_memory
from fewest.statistics import Rows

from ...binding import bind
from ...reference.margins.svms import norms, standardized


def table(n, p, n_classes=2, seed=0, shift=0.0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    X = rng.normal(size=(n, p))
    X[:, 0] += shift * y
    return X, y


def residual(svms):
    """By how much the coefficients miss 2 cost slack sign, the condition of the optimum."""
    columns = svms._columns[svms._is_in]
    coefficients = np.empty(svms._signs.shape)
    svms.compiled.coefficients(coefficients)
    outputs = coefficients @ (columns.T @ columns + 1)
    slack = np.maximum(0, 1 - svms._signs * outputs)
    return np.abs(coefficients / (2 * svms._costs) - svms._signs * slack).max()


def test_two_rows_worked_by_hand():
    # Rows 1 and -1 of opposite classes, C = 1: by symmetry b = 0, and w^2/2 + 2 (1 - w)^2 is least where
    # w - 4 (1 - w) = 0: w = 4/5.
    assert_allclose(bind(LinearMargin(), np.array([[1.0], [-1.0]]), [1, 0]).score_features(), [0.8], rtol=1e-14)
    # The same column twice is a column of length sqrt(2): v - 4 sqrt(2) (1 - sqrt(2) v) = 0 shared by two, 4/9 each.
    twice = np.array([[1.0, 1.0], [-1.0, -1.0]])
    assert_allclose(bind(LinearMargin(), twice, [1, 0]).score_features(), [4 / 9, 4 / 9], rtol=1e-14)


@pytest.mark.parametrize(("n", "p"), [(20, 5), (20, 60), (61, 61), (3, 1)])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("C", [0.01, 1.0, 1000.0])
def test_weights_are_those_of_least_squares(n, p, n_classes, C):
    for seed, shift in ((0, 0.0), (1, 6.0)):
        X, y = table(n, p, n_classes, seed, shift)
        objective = bind(LinearMargin(C=C), X, y)
        assert residual(objective.svms) < 1e-8
        assert_allclose(objective.score_features(), norms(standardized(X), y, C), rtol=1e-7, atol=1e-9)


def test_weights_are_those_of_scikit_learn():
    X, y = table(80, 12, 3, shift=1.0)
    theirs = LinearSVC(dual=True, tol=1e-10, max_iter=1_000_000).fit(standardized(X), y).coef_
    assert_allclose(bind(LinearMargin(), X, y).score_features(), np.linalg.norm(theirs, axis=0), rtol=1e-8)


def test_unbalanced_classes_copies_and_constant_columns():
    X, y = table(40, 9)
    y = (np.arange(40) < 3).astype(int)  # 3 against 37
    X[:, 2] = 5.0
    X[:, 4] = X[:, 1]
    X[:, 7] = 0.0
    found = bind(LinearMargin(), X, y).score_features()
    assert_allclose(found, norms(standardized(X), y), atol=1e-10)
    assert_array_equal(found[[2, 7]], 0.0)
    assert found[4] == found[1] > 0
    assert_array_equal(bind(LinearMargin(), np.ones((6, 3)), [0, 1] * 3).score_features(), np.zeros(3))


def test_a_weight_of_two_is_the_row_twice_to_the_bit():
    X, y = table(30, 40, 3)
    twice = np.arange(30) % 4 == 0
    weighted = bind(LinearMargin(), X, y, np.where(twice, 2.0, 1.0)).score_features()
    repeated = bind(LinearMargin(), np.vstack([X, X[twice]]), np.append(y, y[twice])).score_features()
    assert_array_equal(weighted, repeated)
    assert np.abs(weighted - bind(LinearMargin(), X, y).score_features()).max() > 1e-4


@pytest.mark.parametrize(("n", "p"), [(15, 40), (40, 15)])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_svms_on_nested_subsets_are_those_of_the_columns_alone(n, p, n_classes):
    X, y = table(n, p, n_classes)
    objective = bind(LinearMargin(), X, y)
    for columns in (np.arange(p), np.arange(1, p), np.arange(3, p), np.arange(p - 4, p), np.arange(2, p), np.arange(1)):
        expected = norms(standardized(X)[:, columns], y)
        for count in {1, len(columns) // 2 or 1, len(columns)}:
            found = objective.least_members(columns, count)
            assert_array_equal(found, columns[np.argsort(expected)[:count]])
        assert residual(objective.svms) < 1e-12
    assert_allclose(objective.score_features(), norms(standardized(X), y), rtol=1e-9)


@pytest.mark.parametrize(("n", "p"), [(30, 300), (60, 90)])
def test_rounding_does_not_accumulate_over_many_eliminations(n, p):
    X, y = table(n, p, 3, seed=3)
    objective = bind(LinearMargin(), X, y)
    left = np.arange(p)
    while len(left) > 1:
        (going,) = objective.least_members(left, 1)
        assert residual(objective.svms) < 1e-11
        weights = norms(standardized(X)[:, left], y) if len(left) % 20 == 0 else None
        assert weights is None or left[np.argmin(weights)] == going
        left = left[left != going]


def test_of_ties_the_highest_column_is_first_and_constant_columns_before_them():
    X, y = table(30, 5)
    X = np.column_stack([X, X[:, 1], np.ones(30), X[:, 1], np.full(30, np.nan), np.zeros(30)])
    objective = bind(LinearMargin(), X, y)
    order = objective.least_members(np.arange(10), 10).tolist()
    assert order[:3] == [8, 9, 6]
    first = order.index(7)
    assert order[first : first + 3] == [7, 5, 1]
    assert objective.least_members(np.arange(10), 2).tolist() == [8, 9]


@pytest.mark.parametrize("p", [8, 30])
def test_numbers_of_any_size_are_fitted_as_they_are(p):
    X, y = table(20, p)
    for factor in (1e-9, 1e-3, 1e3, 1e6, 1e9):
        scores = bind(LinearMargin(None), factor * X, y).score_features()
        assert (factor * scores < 10).all()  # a larger change of the outputs is far from any optimum
        if factor <= 1e3:
            assert_allclose(scores, norms(factor * X, y), rtol=1e-4)
        assert np.isfinite(bind(LinearMargin(None), 1e3 + factor * X, y).score_features()).all()


def test_products_that_overflow_are_refused():
    X, y = table(4, 3000)
    with pytest.raises(InvalidInput, match=r"overflow.*scale='std'"):
        bind(LinearMargin(None), 3e152 * np.sign(X), y)
    for columns in (X, X[:, :1]):
        with pytest.raises(InvalidInput, match=r"overflow.*a smaller C"):
            bind(LinearMargin(C=1e308), columns, y)


def test_missing_values_one_class_and_wrong_parameters_are_refused():
    X, y = table(20, 3)
    X[3, 1] = np.nan
    with pytest.raises(InvalidInput, match="Input X contains NaN: 1 values are missing, in 1 of 3 columns"):
        bind(LinearMargin(), X, y)
    with pytest.raises(InvalidInput, match=r"1 class\(es\)"):
        bind(LinearMargin(), X[:, :1], np.zeros(20, dtype=int))
    for wrong in (0, -1.0, np.inf, np.nan, "1", True, None):
        with pytest.raises(InvalidParameter, match="C must be a positive number, got"):
            LinearMargin(C=wrong)
    with pytest.raises(InvalidParameter, match="scale must be one of"):
        LinearMargin("sd")


def test_matrices_that_take_too_much_memory_are_refused():
    X, y = table(30, 40)
    with pytest.raises(InvalidInput, match=r"1 SVM\(s\) on 30 rows of 40 columns take .* Select columns first"):
        check_svm_memory(ArraySource(X, Target(y)).collect(Rows()), max_bytes=10_000)
    check_svm_memory(ArraySource(X[:, :10], Target(y)).collect(Rows()), max_bytes=10_000)  # eleven by eleven are enough
