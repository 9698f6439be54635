"""The estimator used for evaluation: which test rows a classifier gets wrong that sees some columns only."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

import numpy as np

from fewest.arrays import Codes, Floats, Indices, Mask
from fewest.errors import InvalidInput
from fewest.parameters import legacy_seed
from fewest.selectors.many_class_svm import ManyClassSVM, is_for_many_classes
from fewest.statistics.class_moments import shared_units

#: Standard deviations outside these limits have squares that may have lost digits.
_SMALLEST, _LARGEST = 1e-100, 1e100


class Classifier(Protocol):
    """What is used of a classifier of scikit-learn's kind."""

    def fit(self, X: Floats, y: Codes) -> Self: ...

    def predict(self, X: Floats) -> Codes: ...


def seeded(estimator: Classifier | None, seed: int) -> Classifier:
    """Return a copy of the classifier with this seed wherever a random_state is None; None is a linear SVM."""
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

    def unfitted(self, n_columns: int) -> Any:
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
        self.svm: Any = None
        if self.degree == 1 and is_for_many_classes(len(scaled), scaled.shape[1], len(np.unique(y))):
            self.svm = ManyClassSVM.fit(scaled, y, sample_weight)
        if self.svm is None:
            self.svm = self.unfitted(X.shape[1]).fit(scaled, y, sample_weight)
        return self

    def predict(self, X: Floats) -> Codes:
        return np.asarray(self.svm.predict(self.scaler.transform(X)))
