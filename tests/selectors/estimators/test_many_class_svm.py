"""Linear SVMs of many classes, against those of scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.svm import LinearSVC

from fewest.selectors.estimators.evaluator import ManyClassSVM, StandardizedSVM, is_for_many_classes


def table(n_columns, seed=0):
    """120 classes of two or three rows."""
    random = np.random.default_rng(seed)
    labels = random.permutation(np.arange(300) % 120) * 7
    return random.normal(size=(300, n_columns)) + random.normal(size=(840, n_columns))[labels], labels


@pytest.mark.parametrize("n_columns", [1, 3, 12])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_it_is_linear_svc(n_columns, is_weighted):
    X, y = table(n_columns)
    costs = np.random.default_rng(1).uniform(0.5, 2, len(y)) if is_weighted else None
    found = ManyClassSVM.fit(X, y, costs)
    expected = LinearSVC(dual=False, tol=1e-9, max_iter=100_000).fit(X, y, costs)
    assert_allclose(found.weights[:-1].T, expected.coef_, atol=1e-6)
    assert_allclose(found.weights[-1], expected.intercept_, atol=1e-6)
    assert_array_equal(found.predict(X), expected.predict(X))


def test_copies_of_columns_and_rows_and_constant_columns_are_no_obstacle():
    X, y = table(3)
    X, y = np.repeat(np.column_stack([X, X[:, 0], np.zeros(len(X))]), 2, axis=0), np.repeat(y, 2)
    expected = LinearSVC(dual=False, tol=1e-9, max_iter=100_000).fit(X, y)
    assert_array_equal(ManyClassSVM.fit(X, y).predict(X), expected.predict(X))


def test_the_standard_svm_uses_it_where_there_are_many_classes():
    X, y = table(4)
    assert isinstance(StandardizedSVM().fit(X, y).svm, ManyClassSVM)
    assert isinstance(StandardizedSVM().fit(X, y % 50).svm, LinearSVC)
    assert not is_for_many_classes(10**6, 4, 100)
