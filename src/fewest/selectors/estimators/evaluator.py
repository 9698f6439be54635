"""The estimator used for evaluation: which test rows a classifier gets wrong that sees some columns only."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, Self

import numpy as np

from fewest.arrays import Codes, Floats, Indices, Mask
from fewest.errors import InvalidInput
from fewest.parameters import legacy_seed
from fewest.statistics.class_moments import shared_units
from fewest.threads import one_blas_thread

if TYPE_CHECKING:
    from sklearn.svm import SVC, LinearSVC

#: Standard deviations outside these limits have squares that may have lost digits.
_SMALLEST, _LARGEST = 1e-100, 1e100
#: From this number of classes on the SVMs are solved together; with fewer LinearSVC is as fast.
_MANY_CLASSES = 100
#: With more columns, outputs of SVMs for rows, or products of two columns of rows, matrices grow too large: LinearSVC
#: then.
_MAX_COLUMNS, _MAX_OUTPUTS, _MAX_PRODUCTS = 50, 4_000_000, 8_000_000
_MAX_STEPS = 40


class Classifier(Protocol):
    """What is used of a classifier of scikit-learn's kind."""

    def fit(self, X: Floats, y: Codes) -> Self: ...

    def predict(self, X: Floats) -> Codes: ...


class FittedClassifier(Classifier, Protocol):
    """A classifier that knows its classes."""

    classes_: Codes


def seeded(estimator: Classifier | str | None, seed: int) -> Classifier:
    """Return a copy of the classifier with this seed wherever a random_state is None; None is a linear SVM."""
    if isinstance(estimator, str):
        from fewest.selectors.estimators.named_estimators import to_estimator

        estimator = to_estimator(estimator)
    if estimator is None:
        return StandardizedSVM()
    from sklearn.base import clone  # here and below: parameters are read without waiting for scikit-learn

    own = clone(estimator)
    parameters = own.get_params(deep=True)
    seedless = [name for name in parameters if name.split("__")[-1] == "random_state" and parameters[name] is None]
    copy: Classifier = own.set_params(**dict.fromkeys(seedless, legacy_seed(seed)))
    return copy


def misclassified(
    estimator: Classifier, train: Floats, labels: Codes, weights: Floats, test: Floats, test_labels: Codes
) -> Mask:
    """Return which test rows a copy of the classifier, trained on the training rows, gets wrong."""
    from sklearn.base import clone
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.utils.validation import has_fit_parameter

    if len(np.unique(labels)) == 1:
        return np.asarray(test_labels != labels[0])
    model = StandardizedSVM(estimator.degree) if isinstance(estimator, StandardizedSVM) else clone(estimator)
    options = {"sample_weight": weights} if has_fit_parameter(model, "sample_weight") else {}
    with warnings.catch_warnings():
        # A classifier that stopped early still separates good features from bad ones.
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            predicted = model.fit(train, labels, **options).predict(test)
        except ValueError as error:
            raise cannot_evaluate(model, error) from error
    return np.asarray(np.asarray(predicted) != test_labels)


def cannot_evaluate(model: object, error: ValueError) -> InvalidInput:
    """Return the error that says why a classifier failed."""
    return InvalidInput(
        f"{type(model).__name__} cannot evaluate the chosen columns: {str(error).splitlines()[0]} "
        "Use another estimator; None is a linear SVM that fills missing values."
    )


@dataclass(frozen=True)
class ImputingScaler:
    """Scale columns as the training rows say, and fill missing values with their means.

    Equal columns are scaled to equal bits; scikit-learn's StandardScaler multiplies matrices. The indicators of a
    column of text have one unit: together they vary as much as a column of numbers, however many they are.

    factors : powers of two for columns whose squares would vanish or overflow; None where there are none
    """

    centre: Floats
    unit: Floats
    factors: Floats | None = None

    @classmethod
    def fit(
        cls,
        rows: Floats,
        weights: Floats | None = None,
        scale: str | None = "std",
        columns: Indices | None = None,
    ) -> Self:
        """Take the centre and the unit from training rows.

        scale : the unit is the standard deviation ("std"), the range ("range"), or the largest range for all (None)
        columns : the column that each column comes from: the indicators of one have a unit in common
        """
        is_there = ~np.isnan(rows)
        of_rows = 1.0 if weights is None else weights[:, None]
        total = np.maximum((is_there * of_rows).sum(axis=0), np.finfo(float).tiny)
        centre = np.nansum(rows * of_rows, axis=0) / total
        if scale == "std":
            with np.errstate(over="ignore", invalid="ignore"):
                unit = np.sqrt(np.nansum(np.square(rows - centre) * of_rows, axis=0) / total)
            factors = _factors(rows, unit)
            if factors is not None:
                return replace(cls.fit(rows * factors, weights, scale, columns), factors=factors)
        else:
            highest = np.max(rows, axis=0, where=is_there, initial=-np.inf)
            unit = np.maximum(highest - np.min(rows, axis=0, where=is_there, initial=np.inf), 0.0)
            unit = unit if scale == "range" else np.full(len(unit), unit.max(initial=0.0))
        unit = unit if columns is None else shared_units(unit, columns, scale)
        return cls(centre, np.where(unit > 0, unit, 1.0))

    def transform(self, rows: Floats) -> Floats:
        """Return scaled rows without missing values."""
        rows = rows if self.factors is None else rows * self.factors
        return np.asarray(np.nan_to_num((rows - self.centre) / self.unit))


def _factors(rows: Floats, unit: Floats) -> Floats | None:
    """Powers of two that bring columns near 1 whose standard deviation says that squares vanish or overflow."""
    doubtful = np.flatnonzero(~((unit > _SMALLEST) & (unit < _LARGEST)))
    if len(doubtful) == 0:
        return None
    largest = np.fmax.reduce(np.abs(rows[:, doubtful]), axis=0)
    is_extreme = (largest > 0) & np.isfinite(largest) & ~((largest > _SMALLEST) & (largest < _LARGEST))
    exponents = np.where(is_extreme, np.clip(-np.frexp(largest)[1], -1000, 1000), 0)
    if not exponents.any():
        return None
    factors = np.ones(len(unit))
    factors[doubtful] = np.ldexp(1.0, exponents)
    return factors


class StandardizedSVM:
    """An SVM on standardized columns, missing values filled with their means; linear, or with products of columns.

    degree : the degree of the kernel; math.inf is the Gaussian kernel, which has products of any number of columns
    """

    def __init__(self, degree: float = 1) -> None:
        self.degree = degree

    def __str__(self) -> str:
        if math.isinf(self.degree):
            return "an SVM with a Gaussian kernel"
        return "a linear SVM" if self.degree == 1 else f"an SVM with a kernel of degree {self.degree}"

    def unfitted(self, n_columns: int) -> LinearSVC | SVC:
        """Return the SVM itself, for rows that are standardized already."""
        from sklearn.svm import SVC, LinearSVC

        if self.degree == 1:
            return LinearSVC(dual="auto", random_state=0)
        if math.isinf(self.degree):
            return SVC(gamma=1 / n_columns)
        return SVC(kernel="poly", degree=self.degree, gamma=1 / n_columns, coef0=1.0)

    def fit(self, X: Floats, y: Codes, sample_weight: Floats | None = None) -> Self:
        self.scaler = ImputingScaler.fit(X, sample_weight)
        scaled = self.scaler.transform(X)
        svm = None
        if self.degree == 1 and is_for_many_classes(len(scaled), scaled.shape[1], len(np.unique(y))):
            svm = ManyClassSVM.fit(scaled, y, sample_weight)
        self.svm = self.unfitted(X.shape[1]).fit(scaled, y, sample_weight) if svm is None else svm
        return self

    def predict(self, X: Floats) -> Codes:
        return np.asarray(self.svm.predict(self.scaler.transform(X)))


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
