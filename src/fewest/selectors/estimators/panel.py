"""The panel of classifiers that evaluates sizes: a linear SVM and nearest neighbours, or what was asked for."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np

from fewest._core import nearest_neighbour_classes
from fewest.arrays import Codes, Floats, Indices, Mask
from fewest.data.labels import sort_classes
from fewest.data.source import Source
from fewest.errors import InvalidInput
from fewest.metrics import Metric, Response, ScorerMetric
from fewest.selectors.estimators.evaluator import (
    Classifier,
    FittedClassifier,
    ImputingScaler,
    StandardizedSVM,
    cannot_evaluate,
)
from fewest.statistics.category_indicators import TableIndicators
from fewest.statistics.splits import Assignment, NumberedFolds, RowSample
from fewest.threads import thread_count

#: The number of neighbours that vote.
_K = 5


class Predictions(NamedTuple):
    """The predicted class of each test row, and a score of each class where the metric needs them."""

    classes: Codes
    scores: Floats | None


class Fold(NamedTuple):
    """Training rows and test rows over the columns of nested subsets.

    train, test : rows by columns as they are, with indicators of categories
    scaled_train, scaled_test : the same on a common scale, without missing values
    codes, weights : the class and the weight of each training row
    ends : where each subset ends among the columns
    """

    train: Floats
    test: Floats
    scaled_train: Floats
    scaled_test: Floats
    codes: Codes
    weights: Floats
    n_classes: int
    ends: Sequence[int]


class Member(Protocol):
    """A classifier of the panel; str() says what it is."""

    def predict(self, fold: Fold, response: Response) -> list[Predictions]:
        """Predict the test rows of a fold with each of its subsets."""


@dataclass(frozen=True)
class EstimatorMember:
    """An estimator of scikit-learn's kind, on columns as they are; name : by which it was asked for."""

    estimator: Classifier
    name: str | None = None

    def __str__(self) -> str:
        return type(self.estimator).__name__ if self.name is None else self.name

    def predict(self, fold: Fold, response: Response) -> list[Predictions]:
        from sklearn.base import clone
        from sklearn.utils.validation import has_fit_parameter

        options = {"sample_weight": fold.weights} if has_fit_parameter(self.estimator, "sample_weight") else {}
        found = []
        for end in fold.ends:
            model = clone(self.estimator)
            try:
                with _without_convergence_warnings():
                    model.fit(fold.train[:, :end], fold.codes, **options)
                    found.append(_respond(model, fold.test[:, :end], fold.n_classes, response))
            except ValueError as error:
                raise cannot_evaluate(model, error) from error
        return found


@dataclass(frozen=True)
class SVMMember:
    """An SVM on standardized columns; degree : as in StandardizedSVM."""

    degree: float = 1

    def __str__(self) -> str:
        return str(StandardizedSVM(self.degree))

    def predict(self, fold: Fold, response: Response) -> list[Predictions]:
        from sklearn import config_context

        found = []
        with config_context(assume_finite=True, skip_parameter_validation=True), _without_convergence_warnings():
            for end in fold.ends:
                svm = StandardizedSVM(self.degree).unfitted(end)
                svm.fit(fold.scaled_train[:, :end], fold.codes, fold.weights)
                found.append(_respond(svm, fold.scaled_test[:, :end], fold.n_classes, response))
        return found


@dataclass(frozen=True)
class NeighboursMember:
    """The most frequent class among the nearest rows, on standardized columns; of equals the first.

    A whole weight is a number of copies; other weights do not count among neighbours.
    """

    k: int = _K

    def __str__(self) -> str:
        return f"{self.k} nearest neighbours"

    def predict(self, fold: Fold, response: Response) -> list[Predictions]:
        train, codes = fold.scaled_train, fold.codes
        if np.any(fold.weights != 1) and np.all(fold.weights == np.floor(fold.weights)):
            # No more copies than neighbours make a difference.
            copies = np.minimum(fold.weights, self.k).astype(np.intp)
            train, codes = np.repeat(train, copies, axis=0), np.repeat(codes, copies)
        k = min(self.k, len(train))
        if response != "classes":
            return [self._votes(train[:, :end], codes, fold, end, k) for end in fold.ends]
        predicted = np.empty((len(fold.ends), len(fold.scaled_test)), dtype=np.int32)
        nearest_neighbour_classes(
            np.ascontiguousarray(train.T), np.ascontiguousarray(codes), np.ascontiguousarray(fold.scaled_test),
            np.asarray(fold.ends, dtype=np.int64), k, fold.n_classes, predicted, thread_count(),
        )  # fmt: skip
        return [Predictions(classes, None) for classes in predicted]

    def _votes(self, train: Floats, codes: Codes, fold: Fold, end: int, k: int) -> Predictions:
        """The share of the neighbours of each class; one more vote is spread over all classes."""
        from sklearn.neighbors import KNeighborsClassifier

        model = KNeighborsClassifier(k, algorithm="brute").fit(train, codes)
        shares = _respond(model, fold.scaled_test[:, :end], fold.n_classes, "probabilities").scores
        assert shares is not None
        smooth = (k * shares + 1 / fold.n_classes) / (k + 1)
        return Predictions(np.asarray(shares.argmax(axis=1), dtype=np.int32), smooth)


def panel_losses(
    members: Sequence[Member],
    metric: Metric,
    rows: RowSample,
    subsets: Sequence[Sequence[Sequence[int]]],
    advance: Callable[[], None] = lambda: None,
) -> Floats:
    """Return the loss of each member (first axis) on each fold with each of its subsets.

    rows : the rows that evaluate, in their order; a fold without test or training rows is left out
    subsets : for each fold, subsets of the columns of `rows`
    advance : called after each fold
    """
    order = _content_order(rows.values)
    losses: list[list[list[float]]] = [[] for _ in members]
    n_classes = int(rows.codes.max(initial=0)) + 1
    for k, of_fold in enumerate(subsets):
        is_test = rows.folds == k
        if not is_test.any() or is_test.all():
            continue
        codes, weights = rows.codes[is_test], rows.weights[is_test]
        own_weights = None if np.all(weights == 1) else weights
        folds = list(_folds(rows, of_fold, is_test, order, n_classes))
        for m, member in enumerate(members):
            predicted = [one for fold in folds for one in _predict(member, fold, metric)]
            losses[m].append([metric.loss(codes, one.classes, one.scores, own_weights) for one in predicted])
        advance()
    return np.array(losses).reshape(len(members), -1, len(subsets[0]) if subsets else 0)


def _predict(member: Member, fold: Fold, metric: Metric) -> list[Predictions]:
    if len(np.unique(fold.codes)) > 1:
        return member.predict(fold, metric.response)
    # Trained on one class, a classifier knows no other.
    classes = np.full(len(fold.test), fold.codes[0], dtype=np.int32)
    scores = np.zeros((len(classes), fold.n_classes))
    scores[:, fold.codes[0]] = 1.0
    return [Predictions(classes, scores if metric.needs_scores else None)] * len(fold.ends)


def _folds(
    rows: RowSample, subsets: Sequence[Sequence[int]], is_test: Mask, order: Indices, n_classes: int
) -> list[Fold]:
    """The rows over the columns of nested subsets, as one table; or a table for each subset."""
    if all(set(small) <= set(large) for small, large in pairwise(subsets)):
        columns = list(dict.fromkeys(c for subset in subsets for c in sorted(subset, key=order.__getitem__)))
        tables = [(columns, [len(subset) for subset in subsets])]
    else:
        tables = [(sorted(subset, key=order.__getitem__), [len(subset)]) for subset in subsets]
    texts = set(rows.categorical_columns)
    found = []
    for columns, sizes in tables:
        train, test = (rows.values[which][:, columns] for which in (~is_test, is_test))
        indicators = TableIndicators(train, [i for i, column in enumerate(columns) if column in texts])
        train, test, ends = indicators.transform(train), indicators.transform(test), indicators.ends
        weights = rows.weights[~is_test]
        scaler = ImputingScaler.fit(train, weights, columns=indicators.columns)
        scaled = scaler.transform(train), scaler.transform(test)
        last = [int(ends[size - 1]) for size in sizes]
        found.append(Fold(train, test, *scaled, rows.codes[~is_test], weights, n_classes, last))
    return found


def _content_order(values: Floats) -> Indices:
    """The rank of each column by its values."""
    columns = np.ascontiguousarray(values.T) + 0.0
    ranks = np.empty(len(columns), dtype=np.intp)
    ranks[sorted(range(len(columns)), key=lambda column: columns[column].tobytes())] = np.arange(len(columns))
    return ranks


def _respond(model: FittedClassifier, X: Floats, n_classes: int, response: Response) -> Predictions:
    """Predict with a fitted estimator: classes, and where needed a score for each class or its probability."""
    if response == "classes":
        return Predictions(np.asarray(model.predict(X), dtype=np.int32), None)
    if hasattr(model, "predict_proba"):
        known = np.asarray(model.predict_proba(X))
        scores = np.zeros((len(X), n_classes))
    elif hasattr(model, "decision_function"):
        known = np.asarray(model.decision_function(X), dtype=np.float64)
        known = np.column_stack([-known / 2, known / 2]) if known.ndim == 1 else known
        if response == "probabilities":
            known = np.exp(known - known.max(axis=1, keepdims=True))
            known /= known.sum(axis=1, keepdims=True)
        scores = np.full((len(X), n_classes), known.min() - 1.0 if response == "scores" else 0.0)
    else:
        raise InvalidInput(
            f"{type(model).__name__} gives no probabilities and no decision_function, which this metric needs. Use "
            "another estimator or another metric."
        )
    scores[:, np.asarray(model.classes_, dtype=np.intp)] = known
    return Predictions(np.asarray(model.predict(X), dtype=np.int32), scores)


def _without_convergence_warnings() -> warnings.catch_warnings[None]:
    """Ignore that a classifier stopped early: it still separates good features from bad ones."""
    from sklearn.exceptions import ConvergenceWarning

    return warnings.catch_warnings(action="ignore", category=ConvergenceWarning)


def fold_losses(
    members: Sequence[Member],
    metric: Metric,
    source: Source,
    assignment: Assignment,
    n_rows: int,
    paths: Sequence[Sequence[Sequence[int]]],
    advance: Callable[[], None],
) -> Floats:
    """Return the loss of each member on each fold with each of its subsets of columns; advance is called by fold.

    assignment, n_rows : the fold of each row, and the number of rows
    """
    columns = sorted({column for of_fold in paths for subset in of_fold for column in subset})
    if isinstance(assignment, NumberedFolds):
        assignment = assignment.for_rows(n_rows)
    rows = source.only(columns).collect(RowSample(assignment))
    ranks = _label_ranks(rows) if isinstance(metric, ScorerMetric) else getattr(assignment, "class_ranks", None)
    rows = rows.in_order(_ranks_by_size(rows.codes) if ranks is None else ranks)
    subsets = [[np.searchsorted(columns, subset).tolist() for subset in of_fold] for of_fold in paths]
    return panel_losses(members, metric, rows, subsets, advance)


def _label_ranks(rows: RowSample) -> Indices:
    """Classes in the order of their labels: a scorer may call the last one positive."""
    return np.argsort(sort_classes(rows.classes))


def _ranks_by_size(codes: Codes) -> Indices:
    return np.argsort(np.argsort(np.bincount(codes), kind="stable"), kind="stable")
