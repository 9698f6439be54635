"""A classifier as the judge of features: which rows it gets wrong that it has not seen."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from fewest.arrays import Codes, Floats, Mask
from fewest.errors import InvalidInput, InvalidParameter


def check_estimator(estimator: Any) -> None:
    """Raise unless this is a classifier of scikit-learn's kind, or None."""
    is_instance = not isinstance(estimator, type) and hasattr(estimator, "get_params")
    is_model = is_instance and hasattr(estimator, "fit") and hasattr(estimator, "predict")
    if estimator is not None and (not is_model or _is_regressor(estimator)):
        raise InvalidParameter(
            f"estimator must be a classifier, such as KNeighborsClassifier(), or None, got {estimator!r} instead."
        )


def _is_regressor(estimator: Any) -> bool:
    # Imported here and below: to read the parameters nobody should have to wait for scikit-learn.
    from sklearn.base import is_regressor

    return hasattr(estimator, "__sklearn_tags__") and bool(is_regressor(estimator))


def settled(estimator: Any, seed: int) -> Any:
    """The classifier that is cloned, with a seed where it would draw otherwise each time."""
    if estimator is None:
        return SupportVectors()
    from sklearn.base import clone

    own = clone(estimator)
    parameters = own.get_params(deep=True)
    seedless = [name for name in parameters if name.split("__")[-1] == "random_state" and parameters[name] is None]
    return own.set_params(**dict.fromkeys(seedless, seed))


def is_wrong(
    judge: Any,
    train: Floats,
    labels: Codes,
    weights: Floats,
    test: Floats,
    test_labels: Codes,
) -> Mask:
    """Which rows a classifier gets wrong that was trained on others."""
    from sklearn.base import clone
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.utils.validation import has_fit_parameter

    if len(np.unique(labels)) == 1:
        return np.asarray(test_labels != labels[0])
    model = SupportVectors(judge.degree) if isinstance(judge, SupportVectors) else clone(judge)
    options = {"sample_weight": weights} if has_fit_parameter(model, "sample_weight") else {}
    with warnings.catch_warnings():
        # A classifier that stopped early still tells good features from bad ones.
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            predicted = model.fit(train, labels, **options).predict(test)
        except ValueError as error:
            raise InvalidInput(
                f"{type(model).__name__} cannot judge the chosen columns: {str(error).splitlines()[0]} "
                "Use another estimator; None is a linear SVM that fills gaps."
            ) from error
    wrong: Mask = np.asarray(predicted) != test_labels
    return wrong


def with_indicators(values: Floats, states: Iterable[int]) -> Floats:
    """The columns, each state of text as a column of its own: the order of its codes means nothing.

    states : the positions of the columns that hold text
    """
    texts = set(states)
    if not texts:
        return values
    parts = []
    for place, column in enumerate(values.T):
        if place not in texts:
            parts.append(column[:, None])
            continue
        known, firsts = np.unique(column, return_index=True)
        # In the order of the rows, not of the codes, which mean nothing.
        known = known[np.argsort(firsts)]
        parts.append((column[:, None] == known[~np.isnan(known)]).astype(np.float64))
    return np.hstack(parts)


class SupportVectors:
    """A support vector machine on standardised columns, gaps filled with their means; linear, or with products.

    degree : how many columns are multiplied; math.inf is the Gaussian kernel, which has products of any number
    """

    def __init__(self, degree: float = 1) -> None:
        self.degree = degree

    def __str__(self) -> str:
        if math.isinf(self.degree):
            return "an SVM with a Gaussian kernel"
        return "a linear SVM" if self.degree == 1 else f"an SVM with a kernel of degree {self.degree}"

    def fit(self, X: Floats, y: Codes, sample_weight: Floats) -> SupportVectors:
        from sklearn.svm import SVC, LinearSVC

        weights = ~np.isnan(X) * sample_weight[:, None]
        total = np.maximum(weights.sum(axis=0), np.finfo(float).tiny)
        self.centre = np.nansum(X * sample_weight[:, None], axis=0) / total
        spread = np.sqrt(np.nansum(np.square(X - self.centre) * sample_weight[:, None], axis=0) / total)
        self.spread = np.where(spread > 0, spread, 1.0)
        if self.degree == 1:
            machine = LinearSVC(dual="auto", random_state=0)
        elif math.isinf(self.degree):
            machine = SVC(gamma=1 / X.shape[1])
        else:
            machine = SVC(kernel="poly", degree=self.degree, gamma=1 / X.shape[1], coef0=1.0)
        self.machine = machine.fit(self._standard(X), y, sample_weight)
        return self

    def predict(self, X: Floats) -> Codes:
        predicted: Codes = self.machine.predict(self._standard(X))
        return predicted

    def _standard(self, X: Floats) -> Floats:
        standard: Floats = np.nan_to_num((X - self.centre) / self.spread)
        return standard
