"""How many features: cross-validation over the sizes, selecting anew inside each fold."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest.errors import InvalidInput
from fewest.protocols import Source
from fewest.searches.sizes import candidate_sizes
from fewest.statistics import Folded, RowSample

#: Enough to know an error to about half a percent; a table of any length is judged on a sample of this size. A machine
#: whose kernel multiplies columns takes time that grows with the square of the rows, and gets fewer.
_ROWS_JUDGED, _ROWS_JUDGED_TOGETHER = 5000, 2000


@dataclass(frozen=True)
class SizeChoice:
    """The size chosen, and the error at every size that was tried."""

    size: int
    curve: dict[int, tuple[float, float]]
    note: str


def choose_size(selector: Any, source: Source, folded: Folded[Any]) -> SizeChoice:
    """Select on each fold's training rows, judge every size on the rest, and apply the selector's rule."""
    criterion, search = selector.sentence()
    limit = min(selector.max_features, source.n_features)
    paths = [search.run(selector.bind(criterion, folded.without(k)), limit).path for k in range(len(folded.folds))]
    sizes = [size for size in candidate_sizes(limit) if all(size in path for path in paths)]
    columns = sorted({column for path in paths for size in sizes for column in path[size]})
    degree = selector.judged_degree()
    judge = selector.estimator if selector.estimator is not None else _SupportVectors(degree)
    limit_of_rows = _ROWS_JUDGED if selector.estimator is not None or degree == 1 else _ROWS_JUDGED_TOGETHER
    share = min(1.0, limit_of_rows / max(folded.n_rows, 1))
    rows = source.only(columns).collect(RowSample(folded.assignment, share, selector.random_state))
    places = [[np.searchsorted(columns, path[size]) for size in sizes] for path in paths]
    errors = _errors(judge, rows, places)
    mean, spread = errors.mean(axis=0), _standard_error(errors)
    best = int(np.argmin(mean))
    allowed = mean[best] + (spread[best] if selector.rule == "1se" else 0.0)
    at = int(np.flatnonzero(mean <= allowed)[0])
    what = str(judge) if selector.estimator is None else type(judge).__name__
    rule = "the fewest within one standard error of the least" if selector.rule == "1se" else "the least error"
    note = (
        f"{sizes[at]} chosen by {len(errors)}-fold cross-validation of {what}: error {100 * mean[at]:.2g} % "
        f"± {100 * spread[at]:.1g} ({rule}, {100 * mean[best]:.2g} % at {sizes[best]})"
    )
    chance = 1 - np.bincount(rows.codes, rows.weights).max() / rows.weights.sum()
    if mean[at] + spread[at] >= chance:
        note += f"; that is no better than always saying the largest class ({100 * chance:.2g} %)"
    curve = dict(zip(sizes, zip(mean.tolist(), spread.tolist(), strict=True), strict=True))
    return SizeChoice(sizes[at], curve, note)


def _errors(judge: Any, rows: RowSample, subsets: Sequence[Sequence[NDArray[np.intp]]]) -> NDArray[np.float64]:
    """The error on each fold, a row, of each of its subsets; a fold without rows or without others has no row."""
    errors = []
    for k, of_fold in enumerate(subsets):
        is_test = rows.folds == k
        if is_test.any() and not is_test.all():
            errors.append([_error(judge, rows, subset, is_test) for subset in of_fold])
    return np.array(errors)


def _standard_error(errors: NDArray[np.float64]) -> NDArray[np.float64]:
    if len(errors) == 1:
        return np.zeros(errors.shape[1])
    spread: NDArray[np.float64] = np.std(errors, axis=0, ddof=1) / np.sqrt(len(errors))
    return spread


def _error(judge: Any, rows: RowSample, columns: NDArray[np.intp], is_test: NDArray[np.bool_]) -> float:
    """The share, by weight, of a fold's rows that a classifier trained on the other rows gets wrong."""
    from sklearn.base import clone
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.utils.validation import has_fit_parameter

    values = _with_indicators(rows, columns)
    train, test = values[~is_test], values[is_test]
    labels, weights = rows.codes[~is_test], rows.weights[~is_test]
    if len(np.unique(labels)) == 1:
        predicted = np.full(len(test), labels[0])
    else:
        model = _SupportVectors(judge.degree) if isinstance(judge, _SupportVectors) else clone(judge)
        options = {"sample_weight": weights} if has_fit_parameter(model, "sample_weight") else {}
        with warnings.catch_warnings():
            # A classifier that stopped early still ranks the sizes.
            warnings.simplefilter("ignore", ConvergenceWarning)
            try:
                predicted = model.fit(train, labels, **options).predict(test)
            except ValueError as error:
                raise InvalidInput(
                    f"{type(model).__name__} cannot judge the chosen columns: {str(error).splitlines()[0]} "
                    "Use another estimator; None is a linear SVM that fills gaps."
                ) from error
    return float(np.average(predicted != rows.codes[is_test], weights=rows.weights[is_test]))


def _with_indicators(rows: RowSample, columns: NDArray[np.intp]) -> NDArray[np.float64]:
    """These columns, each state of text as a column of its own: the order of its codes means nothing."""
    states = set(rows.state_columns)
    if not states.intersection(columns.tolist()):
        return rows.values[:, columns]
    parts = []
    for column in columns.tolist():
        values = rows.values[:, column]
        known = np.unique(values[~np.isnan(values)]) if column in states else None
        parts.append(values[:, None] if known is None else (values[:, None] == known).astype(np.float64))
    return np.hstack(parts)


class _SupportVectors:
    """A support vector machine on standardised columns, gaps filled with their means; linear, or with products."""

    def __init__(self, degree: int) -> None:
        self.degree = degree

    def __str__(self) -> str:
        return "a linear SVM" if self.degree == 1 else f"an SVM with a kernel of degree {self.degree}"

    def fit(self, X: NDArray[np.float64], y: NDArray[np.int32], sample_weight: NDArray[np.float64]) -> _SupportVectors:
        from sklearn.svm import SVC, LinearSVC

        weights = ~np.isnan(X) * sample_weight[:, None]
        total = np.maximum(weights.sum(axis=0), np.finfo(float).tiny)
        self.centre = np.nansum(X * sample_weight[:, None], axis=0) / total
        spread = np.sqrt(np.nansum(np.square(X - self.centre) * sample_weight[:, None], axis=0) / total)
        self.spread = np.where(spread > 0, spread, 1.0)
        if self.degree == 1:
            machine = LinearSVC(dual="auto", random_state=0)
        else:
            machine = SVC(kernel="poly", degree=self.degree, gamma=1 / X.shape[1], coef0=1.0)
        self.machine = machine.fit(self._standard(X), y, sample_weight)
        return self

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.int32]:
        predicted: NDArray[np.int32] = self.machine.predict(self._standard(X))
        return predicted

    def _standard(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        standard: NDArray[np.float64] = np.nan_to_num((X - self.centre) / self.spread)
        return standard
