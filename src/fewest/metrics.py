"""How predictions are measured: error, balanced error, macro F1, ROC AUC, log loss, or a scorer of scikit-learn.

A metric is a loss everywhere inside: less is better. MetricFormat turns a loss into what users read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from fewest.arrays import Codes, Floats, Mask
from fewest.display.formatting import MetricFormat
from fewest.errors import InvalidInput, InvalidParameter, did_you_mean

#: What a metric needs of a classifier: classes, scores that rank rows by class, or probabilities of the classes.
Response = Literal["classes", "scores", "probabilities"]

#: Below this share of the rows, or below half of an equal share, the smallest class makes balanced error the default.
_SMALL_SHARE = 0.2

#: Probabilities are no less than this in a log loss, as in scikit-learn.
_LEAST_PROBABILITY = float(np.finfo(np.float64).eps)


class Metric:
    """A loss of predictions, lower is better, and how it is written.

    name : as parameters name it, "balanced-error"
    response : what it needs of a classifier
    is_symmetric : the numbers of the classes do not matter; otherwise they are in the order of the labels
    is_by_row : the loss is a mean over rows, so that it is defined on test rows of one class, even on a single row
    form : how a loss is written
    low, high : the least and the largest loss; None where there is no limit
    """

    name: ClassVar[str]
    response: ClassVar[Response] = "classes"
    is_symmetric: ClassVar[bool] = True
    is_by_row: ClassVar[bool] = False
    form: MetricFormat
    low: ClassVar[float | None] = 0.0
    high: ClassVar[float | None] = 1.0

    @property
    def label(self) -> str:
        """The metric in words, "balanced error"."""
        return self.form.label

    @property
    def lower_is_better(self) -> bool:
        """Whether the value that users read is better if it is lower."""
        return self.form.lower_is_better

    @property
    def needs_scores(self) -> bool:
        """Whether predicted classes are not enough."""
        return self.response != "classes"

    def loss(
        self, codes: Codes, predicted: Codes, scores: Floats | None = None, weights: Floats | None = None
    ) -> float:
        """The loss of predictions.

        Parameters
        ----------
        codes, predicted : array
            The class of each row, and the predicted one.
        scores : array or None, default=None
            Rows by all classes: the larger, the rather is it that class. Probabilities where those are needed.
        weights : array or None, default=None
            The weight of each row; None: all the same.
        """
        raise NotImplementedError

    def chance(self, codes: Codes) -> float:
        """The no-information rate: the least expected loss of guessing that knows how frequent classes are."""
        raise NotImplementedError


class ErrorRate(Metric):
    """The share of the rows that are misclassified."""

    name = "error"
    is_by_row = True
    form = MetricFormat("error", "error")

    def loss(
        self, codes: Codes, predicted: Codes, scores: Floats | None = None, weights: Floats | None = None
    ) -> float:
        return _mean(np.asarray(codes) != np.asarray(predicted), weights)

    def chance(self, codes: Codes) -> float:
        return 1.0 - float(_shares(codes).max())


class BalancedError(Metric):
    """The share of a class that is misclassified, averaged over the classes that occur: 1 - mean recall."""

    name = "balanced-error"
    form = MetricFormat("balanced-error", "balanced error")

    def loss(
        self, codes: Codes, predicted: Codes, scores: Floats | None = None, weights: Floats | None = None
    ) -> float:
        wrong = np.asarray(codes) != np.asarray(predicted)
        own = (np.asarray(codes) == code for code in np.unique(codes))
        return float(np.mean([_mean(wrong[rows], None if weights is None else weights[rows]) for rows in own]))

    def chance(self, codes: Codes) -> float:
        return 1.0 - 1.0 / len(np.unique(codes))


class MacroF1(Metric):
    """1 - F1 averaged over the classes that occur or are predicted; F1 = 2 hits / (rows of the class + predicted)."""

    name = "macro-f1"
    form = MetricFormat("macro-f1", "macro F1", lower_is_better=False, is_percentage=False)

    def loss(
        self, codes: Codes, predicted: Codes, scores: Floats | None = None, weights: Floats | None = None
    ) -> float:
        codes, predicted = np.asarray(codes), np.asarray(predicted)
        n = int(max(codes.max(), predicted.max())) + 1
        hits = np.bincount(codes, _as_weights(codes == predicted, weights), n)
        either = np.bincount(codes, weights, n) + np.bincount(predicted, weights, n)
        return 1.0 - float(np.mean(2 * hits[either > 0] / either[either > 0]))

    def chance(self, codes: Codes) -> float:
        # Guessing class c with probability q expects about 2 p q / (p + q), of which the sum is largest at q = p.
        return 1.0 - 1.0 / len(np.unique(codes))


class RankingLoss(Metric):
    """1 - area under the ROC curve; with more than two classes each against the others, averaged.

    0.5 where the rows are of one class, which leaves nothing to rank.
    """

    name = "roc-auc"
    response = "scores"
    form = MetricFormat("roc-auc", "ROC AUC", lower_is_better=False, is_percentage=False)

    def loss(
        self, codes: Codes, predicted: Codes, scores: Floats | None = None, weights: Floats | None = None
    ) -> float:
        codes, scores = np.asarray(codes), _checked_scores(self, codes, scores)
        present = np.unique(codes)
        if len(present) < 2:
            return 0.5
        # Two classes have one curve: what is for the second is against the first.
        if scores.shape[1] == 2:
            return 1.0 - _auc(scores[:, 1] - scores[:, 0], codes == 1, weights)
        return 1.0 - float(np.mean([_auc(scores[:, code], codes == code, weights) for code in present]))

    def chance(self, codes: Codes) -> float:
        return 0.5


class LogLoss(Metric):
    """The mean of -log(probability given to the class of a row), natural logarithm; probabilities sum to one."""

    name = "log-loss"
    response = "probabilities"
    is_by_row = True
    form = MetricFormat("log-loss", "log loss", is_percentage=False)
    high = None

    def loss(
        self, codes: Codes, predicted: Codes, scores: Floats | None = None, weights: Floats | None = None
    ) -> float:
        codes, scores = np.asarray(codes), _checked_scores(self, codes, scores)
        total = np.maximum(scores.sum(axis=1), _LEAST_PROBABILITY)
        own = scores[np.arange(len(codes)), codes] / total
        return _mean(-np.log(np.clip(own, _LEAST_PROBABILITY, 1.0)), weights)

    def chance(self, codes: Codes) -> float:
        shares = _shares(codes)
        shares = shares[shares > 0]
        return float(-(shares * np.log(shares)).sum())


@dataclass(frozen=True)
class ScorerMetric(Metric):
    """A scorer of scikit-learn, a function of (estimator, X, y) that gives a score; the loss is minus the score.

    It is called with recorded predictions: X is the number of each row, y the number of its class in order of the
    labels, so that the positive class of "f1" or "average_precision" is the last of two.
    """

    scorer: Callable[..., float]
    form: MetricFormat
    response: Response  # type: ignore[misc]
    is_symmetric: ClassVar[bool] = False
    low: ClassVar[float | None] = None
    high: ClassVar[float | None] = None

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.form.name

    def loss(
        self, codes: Codes, predicted: Codes, scores: Floats | None = None, weights: Floats | None = None
    ) -> float:
        n_classes = scores.shape[1] if scores is not None else max(int(np.max(codes)), int(np.max(predicted)), 1) + 1
        model = _RecordedPredictions(np.asarray(predicted), scores, n_classes)
        options = {} if weights is None else {"sample_weight": weights}
        rows = np.arange(len(codes))[:, None]
        try:
            score = float(self.scorer(model, rows, np.asarray(codes), **options))
        except (TypeError, ValueError, AttributeError) as error:
            raise InvalidInput(
                f"The metric {self.name!r} cannot measure these predictions: {error} Name another metric, such as "
                "balanced-error or roc-auc."
            ) from error
        if not np.isfinite(score):
            raise InvalidInput(f"The metric {self.name!r} is {score} on a split. Name another metric, or other splits.")
        return -score

    def chance(self, codes: Codes) -> float:
        # The best of always the same class, with the frequencies of the classes as probabilities.
        codes, shares = np.asarray(codes), _shares(codes)
        scores = np.tile(shares, (len(codes), 1))
        return min(self.loss(codes, np.full_like(codes, code), scores) for code in np.flatnonzero(shares))


class _RecordedPredictions:
    """Predictions that were made, as the fitted classifier of scikit-learn's kind that a scorer asks for them."""

    _estimator_type = "classifier"

    def __init__(self, predicted: Codes, scores: Floats | None, n_classes: int) -> None:
        self.classes_ = np.arange(n_classes)
        self._predicted = predicted
        self._scores = scores

    def __sklearn_tags__(self) -> object:
        from sklearn.utils import ClassifierTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier", target_tags=TargetTags(required=True), classifier_tags=ClassifierTags()
        )

    def fit(self, X: Floats, y: Codes) -> _RecordedPredictions:
        """Do nothing: what is recorded is what is predicted."""
        return self

    def predict(self, X: Floats) -> Codes:
        """The recorded classes."""
        return self._predicted

    def predict_proba(self, X: Floats) -> Floats:
        """The recorded scores, each row of which sums to one where they are probabilities."""
        if self._scores is None:
            raise AttributeError("no probabilities were recorded.")
        return self._scores

    def decision_function(self, X: Floats) -> Floats:
        """The recorded scores; of two classes, those of the second less those of the first."""
        scores = self.predict_proba(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores


#: The metrics that need no scorer of scikit-learn, by name.
METRICS: dict[str, type[Metric]] = {
    kind.name: kind for kind in (ErrorRate, BalancedError, MacroF1, RankingLoss, LogLoss)
}
#: What scikit-learn calls the same metrics, or their complements.
_SCIKIT_LEARN_NAMES = {
    "accuracy": "error",
    "balanced-accuracy": "balanced-error",
    "f1-macro": "macro-f1",
    "neg-log-loss": "log-loss",
}


def to_metric(metric: object) -> Metric:
    """The metric of this name, or one around a scorer of scikit-learn, by name or as made by make_scorer.

    Parameters
    ----------
    metric : str, Metric or callable
        "error", "balanced-error", "macro-f1", "roc-auc", "log-loss", the name of a scorer of scikit-learn such as
        "matthews_corrcoef", or a scorer (estimator, X, y) -> score.
    """
    if isinstance(metric, Metric):
        return metric
    if isinstance(metric, str):
        plain = metric.strip().lower().replace("_", "-")
        found = METRICS.get(_SCIKIT_LEARN_NAMES.get(plain, plain))
        return found() if found is not None else _of_scorer_name(metric.strip())
    if not callable(metric) or isinstance(metric, type):
        raise InvalidParameter(
            f"A metric is a name such as 'error' or a scorer of scikit-learn, got {metric!r} instead."
        )
    function = getattr(metric, "_score_func", metric)
    return _of_scorer(metric, getattr(function, "__name__", type(metric).__name__))


def default_metric(class_counts: Sequence[int]) -> Metric:
    """Error; balanced error where the smallest class has less than 20 % of the rows, and less than half of an equal
    share."""
    present = [count for count in class_counts if count > 0]
    if not present:
        return ErrorRate()
    limit = min(_SMALL_SHARE, 0.5 / len(present))
    return BalancedError() if min(present) < limit * sum(present) else ErrorRate()


def _of_scorer_name(name: str) -> Metric:
    from sklearn.metrics import get_scorer, get_scorer_names

    names = get_scorer_names()
    if name not in names:
        raise InvalidParameter(
            f"There is no metric {name!r}{did_you_mean(name, [*METRICS, *names])}. There are {', '.join(METRICS)}, and "
            "the scorers of scikit-learn for classes, such as matthews_corrcoef."
        )
    return _of_scorer(get_scorer(name), name)


def _of_scorer(scorer: Callable[..., float], name: str) -> Metric:
    """A metric around a scorer, tried on four rows to learn what it needs of a classifier."""
    codes = np.array([0, 0, 1, 1], dtype=np.int32)
    certain = np.array([[0.9, 0.1], [0.7, 0.3], [0.4, 0.6], [0.2, 0.8]])
    form = MetricFormat(name, name.replace("_", " "), lower_is_better=False, is_percentage=False, of_one=False)
    responses: tuple[tuple[Response, Floats | None], ...] = (("classes", None), ("probabilities", certain))
    problem: InvalidInput | None = None
    for response, scores in responses:
        found = ScorerMetric(scorer, form, response)
        try:
            found.loss(codes, codes, scores)
        except InvalidInput as error:
            problem = error
            continue
        return found
    raise InvalidParameter(f"{name!r} cannot be used as a metric of predicted classes. {problem}")


def _mean(values: Floats | Mask, weights: Floats | None) -> float:
    return float(np.average(values, weights=weights))


def _as_weights(flags: Mask, weights: Floats | None) -> Floats:
    return flags.astype(np.float64) if weights is None else flags * weights


def _shares(codes: Codes) -> Floats:
    counts = np.bincount(codes)
    shares: Floats = counts / counts.sum()
    return shares


def _checked_scores(metric: Metric, codes: Codes, scores: Floats | None) -> Floats:
    if scores is None:
        raise InvalidInput(f"The {metric.label} needs the {metric.response} of the classes, and there are none.")
    if scores.ndim != 2 or len(scores) != len(codes) or scores.shape[1] <= codes.max(initial=0):
        raise InvalidInput(f"The scores have the shape {scores.shape}. Give one row each, and one column a class.")
    return scores


def _auc(scores: Floats, is_positive: Mask, weights: Floats | None) -> float:
    """The share, by weight, of pairs of a positive and another row that the scores order rightly; ties count half."""
    of_row = np.ones(len(scores)) if weights is None else np.asarray(weights, dtype=np.float64)
    order = np.argsort(scores, kind="stable")
    group = np.concatenate([[0], np.cumsum(np.diff(scores[order]) > 0)])
    positive = np.bincount(group, (of_row * is_positive)[order])
    others = np.bincount(group, (of_row * ~is_positive)[order])
    below = np.cumsum(others) - others
    total = positive.sum() * others.sum()
    return float((positive * (below + 0.5 * others)).sum() / total) if total > 0 else 0.5
