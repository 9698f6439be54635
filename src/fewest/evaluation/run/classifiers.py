"""The classifiers that evaluate features, by name."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, cast

import numpy as np

from fewest._core import nested_svm_decisions, nested_tree_classes
from fewest.arrays import Codes, Floats, Indices
from fewest.errors import InvalidParameter
from fewest.evaluation.run.calibration import Sigmoids, out_of_fold
from fewest.evaluation.run.classifier import LOWEST_SCORE, Classifier, Predictions, softmax
from fewest.evaluation.run.nested_classifiers import (
    DiscreteNaiveBayes,
    GaussianNaiveBayes,
    NearestNeighbours,
    ParzenNaiveBayes,
)
from fewest.metrics import ErrorRate, Metric, Response
from fewest.selectors.estimators.named_estimators import NAMED_ESTIMATORS, find_named, is_around_another
from fewest.selectors.selector_parameters import read_parameters
from fewest.threads import thread_count

if TYPE_CHECKING:
    from fewest.evaluation.design.groups import Groups
    from fewest.selectors.estimators.evaluator import Classifier as Estimator

#: Folds of the training rows by which Platt's sigmoids turn the scores of a classifier into probabilities.
_CALIBRATION_FOLDS = 3

#: Linear SVMs with at most this number of unknowns, rows or columns, are solved by Newton's method.
_MOST_UNKNOWNS = 1500


@dataclass(frozen=True)
class EstimatorClassifier(Classifier):
    """A classifier of scikit-learn's kind.

    grid : the parameters that tuning tries
    one_thread : sums of several threads differ in their last bits, and predictions with them
    """

    name: str
    description: str
    estimator: Estimator
    grid: tuple[Mapping[str, float], ...] = ()
    one_thread: bool = False

    def predict(self, train: Floats, codes: Codes, test: Floats) -> Codes:
        with _quick_fits(self.one_thread):
            return _classes(self._fitted(self.estimator, train, codes), test)

    def scores_nested(
        self, train: Floats, codes: Codes, test: Floats, ends: Sequence[int], response: Response, n_classes: int
    ) -> Predictions:
        """Decision values, or probabilities; where the estimator has none, decision values through Platt's sigmoids."""
        # A class without training rows comes last.
        present, own = np.unique(codes, return_inverse=True)
        classes = np.empty((len(ends), len(test)), dtype=np.int32)
        scores = np.full((len(ends), len(test), n_classes), 0.0 if response == "probabilities" else LOWEST_SCORE)
        with _quick_fits(self.one_thread):
            for index, end in enumerate(ends):
                fitted = self._fitted(self.estimator, train[:, :end], codes)
                classes[index] = _classes(fitted, test[:, :end])
                if response == "probabilities" and not hasattr(fitted, "predict_proba"):
                    found = self._calibrated(fitted, train[:, :end], own.astype(np.int32), test[:, :end])
                else:
                    found = self._scores(fitted, test[:, :end], response)
                scores[index][:, present] = found
        return Predictions(classes, scores)

    def _fitted(self, estimator: Estimator, train: Floats, codes: Codes) -> Estimator:
        from sklearn.base import clone

        own: Estimator = clone(estimator)
        return own.fit(train, codes)

    def _scores(self, fitted: Estimator, test: Floats, response: Response) -> Floats:
        """The scores of the classes that were trained on."""
        decide, predict = getattr(fitted, "decision_function", None), getattr(fitted, "predict_proba", None)
        if predict is not None and (response == "probabilities" or decide is None):
            return np.asarray(predict(test), dtype=np.float64)
        if decide is not None:
            values = np.asarray(decide(test), dtype=np.float64)
            return np.column_stack([-values, values]) if values.ndim == 1 else values
        raise InvalidParameter(
            f"The classifier {self.name!r} has neither predict_proba nor decision_function, which this metric needs. "
            "Leave it out, or take a metric of predicted classes such as balanced-error."
        )

    def _calibrated(self, fitted: Estimator, train: Floats, codes: Codes, test: Floats) -> Floats:
        """Probabilities from decision values; with a single row of a class, their softmax."""
        decisions = self._scores(fitted, test, "scores")
        n_folds = min(_CALIBRATION_FOLDS, int(np.bincount(codes).min()))
        if n_folds < 2:
            return softmax(decisions)

        def decide(fit: Floats, own: Codes, rest: Floats) -> Floats:
            return self._scores(self._fitted(self.estimator, fit, own), rest, "scores")

        return Sigmoids.fit(out_of_fold(train, codes, n_folds, decide), codes).probabilities(decisions)

    def tuning_candidates(self) -> Sequence[Classifier]:
        from sklearn.base import clone

        return [replace(self, estimator=clone(self.estimator).set_params(**parameters)) for parameters in self.grid]


@dataclass(frozen=True)
class LinearSvm(EstimatorClassifier):
    """scikit-learn's LinearSVC, with l2 penalty and squared hinge loss, solved to double precision.

    All nested subsets are solved in one call, each from the solution of the one before. Where neither rows nor columns
    are few, it is LinearSVC itself.
    """

    def predict_nested(self, train: Floats, codes: Codes, test: Floats, ends: Sequence[int]) -> Codes:
        n_exact = sum(_is_for_newton(len(train), end) for end in ends)
        predicted = np.empty((len(ends), len(test)), dtype=np.int32)
        if n_exact:
            present, values = _svm_decisions(train, codes, test, ends[:n_exact], self._cost)
            predicted[:n_exact] = _classes_of_decisions(present, values)
        for index in range(n_exact, len(ends)):
            end = ends[index]
            predicted[index] = self.predict(train[:, :end], codes, test[:, :end])
        return predicted

    @property
    def _cost(self) -> float:
        return float(getattr(self.estimator, "C", 1.0))

    def _fitted(self, estimator: Estimator, train: Floats, codes: Codes) -> Estimator:
        if not _is_for_newton(len(train), train.shape[1]):
            return super()._fitted(estimator, train, codes)
        return cast("Estimator", FittedLinearSvm(train, codes, self._cost))


@dataclass(frozen=True)
class FittedLinearSvm:
    """The linear SVMs of training rows, as far as an estimator of scikit-learn's kind is used here."""

    train: Floats
    codes: Codes
    cost: float

    def decision_function(self, X: Floats) -> Floats:
        """The decision values: a column for each class, or of two classes one number a row."""
        _, (values,) = _svm_decisions(self.train, self.codes, X, [X.shape[1]], self.cost)
        only: Floats = values[:, 0] if values.shape[1] == 1 else values
        return only

    def predict(self, X: Floats) -> Codes:
        """The class of the largest decision value."""
        present, values = _svm_decisions(self.train, self.codes, X, [X.shape[1]], self.cost)
        only: Codes = _classes_of_decisions(present, values)[0]
        return only


@dataclass(frozen=True)
class DecisionTree(EstimatorClassifier):
    """scikit-learn's DecisionTreeClassifier by entropy, all nested subsets in one call: the same trees, faster."""

    def predict_nested(self, train: Floats, codes: Codes, test: Floats, ends: Sequence[int]) -> Codes:
        present, own = np.unique(codes, return_inverse=True)
        # As scikit-learn: numbers of 32 bits, and a splitter whose random numbers begin with one that it draws.
        columns, asked = np.ascontiguousarray(train.T, dtype=np.float32), np.ascontiguousarray(test, dtype=np.float32)
        state = int(np.random.RandomState(0).randint(0, 0x7FFFFFFF))
        found = np.empty((len(ends), len(test)), dtype=np.int32)
        places = np.asarray(ends, dtype=np.int64)
        nested_tree_classes(columns, own.astype(np.int32), asked, places, len(present), state, found)
        classes: Codes = present.astype(np.int32)[found]
        return classes


def _is_for_newton(n_rows: int, n_columns: int) -> bool:
    return min(n_rows, n_columns) <= _MOST_UNKNOWNS


def _svm_decisions(train: Floats, codes: Codes, test: Floats, ends: Sequence[int], cost: float) -> tuple[Codes, Floats]:
    """The classes that were trained on, and decision values of the test rows: ends by rows by SVMs."""
    present, own = np.unique(codes, return_inverse=True)
    # The first column has the intercept for its weight.
    columns, asked = (np.ascontiguousarray(np.vstack([np.ones(len(rows)), rows.T])) for rows in (train, test))
    found = np.empty((len(ends), len(test), 1 if len(present) == 2 else len(present)))
    nested_svm_decisions(
        columns, own.astype(np.int32), asked, np.asarray(ends, dtype=np.int64) + 1, len(present), cost, found,
        thread_count(),
    )  # fmt: skip
    return present.astype(np.int32), found


def _classes_of_decisions(present: Codes, values: Floats) -> Codes:
    """The class of the largest decision value, the first of equals; of two classes the second where it is positive."""
    largest = (values[:, :, 0] > 0).astype(np.intp) if values.shape[2] == 1 else values.argmax(axis=2)
    classes: Codes = present[largest]
    return classes


#: Classifiers of our own, by name; those of scikit-learn are in NAMED_ESTIMATORS.
_OWN: dict[str, Callable[..., Classifier]] = {
    "knn": NearestNeighbours, "nb": GaussianNaiveBayes, "discrete-nb": DiscreteNaiveBayes,
    "parzen-nb": ParzenNaiveBayes,
}  # fmt: skip


def to_classifiers(classifiers: object) -> tuple[Classifier, ...]:
    """The classifiers named or passed, one or several, each once."""
    if isinstance(classifiers, str) or hasattr(classifiers, "predict") or not isinstance(classifiers, Iterable):
        classifiers = [classifiers]
    found = tuple(to_classifier(one) for one in classifiers)
    if len({one.name for one in found}) < len(found) or not found:
        raise InvalidParameter("classifiers must be one or more, each named once.")
    return found


def to_classifier(classifier: object) -> Classifier:
    """The classifier of this name, or one around an estimator of scikit-learn's kind."""
    if isinstance(classifier, Classifier):
        return classifier
    if isinstance(classifier, str):
        return _named_classifier(*find_named(classifier, _OWN))
    if isinstance(classifier, type) or not all(hasattr(classifier, one) for one in ("fit", "predict", "get_params")):
        raise InvalidParameter(
            "A classifier is a name such as 'svm', or an estimator with fit, predict and get_params, got "
            f"{classifier!r} instead."
        )
    kind = type(classifier).__name__
    return EstimatorClassifier(kind, kind, cast("Estimator", classifier))


def _named_classifier(name: str, settings: Sequence[str]) -> Classifier:
    """The classifier of this name with parameters such as "strategy=ovr", which are part of its name then."""
    full_name = f"{name}({', '.join(settings)})" if settings else name
    if name in _OWN:
        own = _OWN[name]
        known = [one.name for one in fields(own) if one.name != "name"]  # type: ignore[arg-type]
        return own(**read_parameters(name, known, settings), name=full_name)
    named = NAMED_ESTIMATORS[name]
    estimator = named.built(name, settings)
    prefix = "estimator__" if is_around_another(estimator) else ""
    # What is set is not tuned.
    fixed = {setting.partition("=")[0].strip() for setting in settings}
    grid = tuple({prefix + key: value for key, value in one.items() if key not in fixed} for one in named.grid)
    grid = tuple({str(sorted(one.items())): one for one in grid if one}.values())
    description = f"{named.description} ({', '.join(settings)})" if settings else named.description
    kind = LinearSvm if name == "svm" else DecisionTree if full_name == "tree" else EstimatorClassifier
    return kind(full_name, description, estimator, grid, named.one_thread)


@dataclass(frozen=True)
class TunedClassifier(Classifier):
    """A classifier with the parameters that have the least cross-validated loss on the training rows."""

    classifier: Classifier
    n_folds: int = 5
    seed: int = 0
    groups: Groups | None = None
    metric: Metric = field(default_factory=ErrorRate)

    def with_groups(self, groups: Groups | None) -> Classifier:
        return replace(self, groups=groups)

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.classifier.name

    @property
    def description(self) -> str:  # type: ignore[override]
        return f"{self.classifier.description}, tuned by {self.n_folds}-fold cross-validation"

    def predict_nested(self, train: Floats, codes: Codes, test: Floats, ends: Sequence[int]) -> Codes:
        return self.respond(train, codes, test, ends, "classes", int(codes.max()) + 1).classes

    def respond(
        self, train: Floats, codes: Codes, test: Floats, ends: Sequence[int], response: Response, n_classes: int
    ) -> Predictions:
        candidates = self.classifier.tuning_candidates()
        if not candidates:
            return self.classifier.respond(train, codes, test, ends, response, n_classes)
        best = self._least_losses(candidates, train, codes, ends, n_classes)
        classes = np.empty((len(ends), len(test)), dtype=np.int32)
        scores = None if response == "classes" else np.empty((len(ends), len(test), n_classes))
        for number in np.unique(best):
            own = np.flatnonzero(best == number)
            own_ends = [ends[size] for size in own.tolist()]
            found = candidates[number].respond(train, codes, test, own_ends, response, n_classes)
            classes[own] = found.classes
            if scores is not None and found.scores is not None:
                scores[own] = found.scores
        return Predictions(classes, scores)

    def _least_losses(
        self, candidates: Sequence[Classifier], train: Floats, codes: Codes, ends: Sequence[int], n_classes: int
    ) -> Indices:
        """By end, the number of the candidate with the least loss over the folds of the training rows."""
        from fewest.evaluation.design.resampling import assign_folds

        folds = assign_folds(codes, self.n_folds, np.random.default_rng(self.seed), self.groups)
        losses = np.zeros((len(candidates), len(ends)))
        for fold in range(self.n_folds):
            own = folds == fold
            if not own.any() or len(np.unique(codes[~own])) < 2:
                continue
            inside = (train[~own], codes[~own], train[own], ends, self.metric.response, n_classes)
            for number, candidate in enumerate(candidates):
                found = candidate.respond(*inside)
                for size in range(len(ends)):
                    loss = self.metric.loss(codes[own], found.classes[size], found.scores_at(size))
                    losses[number, size] += loss * np.count_nonzero(own)
        # Rounded, so that sums of the same losses in another order are equal.
        best: Indices = np.round(losses, 9).argmin(axis=0)
        return best


@contextmanager
def _quick_fits(one_thread: bool) -> Iterator[None]:
    """Thousands of fits: values and parameters are known to be valid."""
    from sklearn import config_context
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    limits = threadpool_limits(1) if one_thread else nullcontext()
    with limits, config_context(assume_finite=True, skip_parameter_validation=True), warnings.catch_warnings():
        # A classifier that stopped early still tells good features from bad ones.
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", "Variables are collinear")
        # Shrinkage of a class with a single training row.
        warnings.filterwarnings("ignore", "Only one sample available")
        yield


def _classes(model: Estimator, test: Floats) -> Codes:
    return np.asarray(model.predict(test), dtype=np.int32)
