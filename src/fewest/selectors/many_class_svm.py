"""Linear SVMs of many classes, one against the rest each, solved together."""

from __future__ import annotations

import numpy as np

from fewest.arrays import Codes, Floats, Indices
from fewest.threads import one_blas_thread

#: From this number of classes on the SVMs are solved together; with fewer LinearSVC is as fast.
_MANY_CLASSES = 100
#: With more columns, outputs of SVMs for rows, or products of two columns of rows, matrices grow too large: LinearSVC
#: then.
_MAX_COLUMNS, _MAX_OUTPUTS, _MAX_PRODUCTS = 50, 4_000_000, 8_000_000
_MAX_STEPS = 40


def is_for_many_classes(n_rows: int, n_columns: int, n_classes: int) -> bool:
    """Return whether the SVMs of a table of this shape are to be solved together."""
    is_small = n_rows * n_classes <= _MAX_OUTPUTS and n_rows * (n_columns + 1) ** 2 // 2 <= _MAX_PRODUCTS
    return n_classes >= _MANY_CLASSES and n_columns <= _MAX_COLUMNS and is_small


class ManyClassSVM:
    """LinearSVC of many classes: L2 penalty with a penalized intercept, squared hinge loss, C = 1.

    classes : the labels, sorted
    weights : (n_columns + 1, n_classes), the intercept last
    """

    def __init__(self, classes: Codes, weights: Floats) -> None:
        self.classes = classes
        self.weights = weights

    @classmethod
    def fit(cls, X: Floats, y: Codes, costs: Floats | None = None) -> ManyClassSVM | None:
        """Train an SVM for each class; None where Newton's method does not converge.

        costs : by row, the penalty of its squared hinge loss
        """
        classes, codes = np.unique(y, return_inverse=True)
        with one_blas_thread():
            weights = _solve(X, codes, len(classes), np.ones(len(X)) if costs is None else costs)
        return None if weights is None else cls(classes, weights)

    def predict(self, X: Floats) -> Codes:
        """Return the class with the largest output, of ties the first."""
        with one_blas_thread():
            outputs = X @ self.weights[:-1] + self.weights[-1]
        return np.asarray(self.classes[np.argmax(outputs, axis=1)])


def _solve(X: Floats, codes: Indices, n_classes: int, costs: Floats) -> Floats | None:
    """Newton's method for all SVMs at once, until the rows with slack are those that it was solved for.

    An SVM's second derivatives are sums over its rows with slack of products of two columns: for all SVMs together
    one matrix product. A row is of one class: to all other SVMs it is negative.
    """
    rows = np.column_stack([X, np.ones(len(X))])
    n_weights = rows.shape[1]
    first, second = np.triu_indices(n_weights)
    products = np.ascontiguousarray((2 * costs[:, None] * rows[:, first] * rows[:, second]).T)
    scaled = np.ascontiguousarray((2 * costs[:, None] * rows).T)
    weights = np.zeros((n_weights, n_classes))
    left, had_slack = np.arange(n_classes), np.empty((len(X), 0))
    for _ in range(_MAX_STEPS):
        # By how much each output exceeds -1: the slack of a negative row.
        slack = rows @ weights[:, left]
        slack += 1.0
        position = np.full(n_classes, -1)
        position[left] = np.arange(len(left))
        own = np.flatnonzero(position[codes] >= 0)
        at = own, position[codes[own]]
        of_own_class = np.maximum(2.0 - slack[at], 0.0)
        slack[at] = 0.0
        np.maximum(slack, 0.0, out=slack)
        slack[at] = -of_own_class
        has_slack = np.square(np.sign(slack))
        if had_slack.shape[1]:
            is_open = (has_slack != had_slack).any(axis=0)
            left, slack, has_slack = left[is_open], slack[:, is_open], has_slack[:, is_open]
        if len(left) == 0:
            return weights
        gradient = weights[:, left] + scaled @ slack
        sums = (products @ has_slack).T
        hessian = np.empty((len(left), n_weights, n_weights))
        hessian[:, first, second] = sums
        hessian[:, second, first] = sums
        hessian += np.eye(n_weights)
        weights[:, left] -= np.linalg.solve(hessian, gradient.T[:, :, None])[:, :, 0].T
        had_slack = has_slack
    return None
