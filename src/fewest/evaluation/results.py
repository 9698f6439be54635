"""What the trials of a comparison produced: the records that are stored as JSON, and the errors computed from them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, NotRequired, TypedDict, final

import numpy as np

from fewest.arrays import Floats, Indices, Integers, Mask
from fewest.display.formatting import MetricFormat
from fewest.evaluation.testing.stability import Stability, stability
from fewest.metrics import Metric
from fewest.summary import DataSummary, Estimate, Views

_CONFIDENCE = 0.95
#: The interval of a t with fewer than four degrees of freedom says little.
_FEW_SPLITS = 5

#: Selected inside each split, or once on all rows before splitting.
Selected = Literal["results", "leaked"]


class Seconds(TypedDict):
    """The time spent on selecting and on classifying."""

    select: float
    classify: float


class InnerRecord(TypedDict):
    """What the inner folds of some training rows say of one method with one classifier.

    inner : by size, the mean loss of the inner folds; None without inner folds
    chosen : the index of the size that they choose
    """

    inner: list[float] | None
    chosen: int


class ClassifierRecord(InnerRecord):
    """What one classifier did on the test rows of one split.

    confusion : by size, the number of rows of each class (a row) predicted as each class (a column)
    loss : by size, the loss of the metric
    wrong : "1" for each test row that is misclassified at the chosen size, "0" for the others
    """

    confusion: list[list[list[int]]]
    loss: list[float]
    wrong: str


@final
class TrialRecord(TypedDict):
    """One method on one split: the features at each size, and by classifier what they achieve."""

    path: list[list[int]]
    results: dict[str, ClassifierRecord]
    leaked: dict[str, ClassifierRecord] | None
    seconds: Seconds


@final
class Failure(TypedDict):
    """The error for which a method is left out."""

    failed: str


class BaselineResult(TypedDict):
    """One classifier with all columns: the loss on the test rows, and the mean loss of the inner folds or None."""

    loss: float
    inner: float | None


class BaselineRecord(TypedDict):
    """All columns on one split, by classifier."""

    results: dict[str, BaselineResult]
    seconds: Seconds


class ChoiceRecord(TypedDict):
    """One method in the inner folds of all rows, by classifier."""

    failed: None
    choices: dict[str, InnerRecord]
    seconds: Seconds


class PathsRecord(TypedDict):
    """How often halves select each of some columns, the most frequent first, by column and size."""

    sizes: list[int]
    columns: list[int]
    frequencies: list[list[float | None]]
    threshold: float
    expected_false: float
    n_others: int


class FitRecord(TypedDict):
    """One method on all rows: the features at each size, their scores, and what is proved.

    n_filled : the number of missing values that were filled with means, for a method that takes complete rows
    """

    failed: None
    path: list[list[int]]
    scores: dict[str, float | None]
    column_scores: list[float | None] | None
    breakpoints: list[tuple[float | None, int]]
    certificate: Mapping[str, Any] | None
    seconds: float
    paths: NotRequired[PathsRecord]
    n_filled: NotRequired[int]


class WholeRecord(FitRecord):
    """One method on all rows, and by classifier what the inner folds of all rows say."""

    choices: dict[str, InnerRecord]


@dataclass(frozen=True)
class MetricRecord:
    """The metric of a comparison: how it is written, whether it is a mean over rows, and its limits, None for none."""

    form: MetricFormat
    is_by_row: bool = True
    low: float | None = 0.0
    high: float | None = 1.0

    @classmethod
    def of(cls, metric: Metric) -> MetricRecord:
        """The record of a metric."""
        return cls(metric.form, metric.is_by_row, metric.low, metric.high)

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> MetricRecord:
        """Read what `dataclasses.asdict` made."""
        return cls(**{**content, "form": MetricFormat(**content["form"])})

    @property
    def is_share(self) -> bool:
        """Whether a loss lies between 0 and 1."""
        return (self.low, self.high) == (0.0, 1.0)

    def clip(self, loss: float) -> float:
        """The loss within its limits."""
        low = -math.inf if self.low is None else self.low
        return min(max(loss, low), math.inf if self.high is None else self.high)


@dataclass(frozen=True)
class MethodResult:
    """What one method did on one table.

    name, parameters : the method
    whole : its selection on all rows; None where it failed
    trials : one record a split
    failed : the error for which it was left out, or None
    """

    name: str
    parameters: Mapping[str, object]
    whole: WholeRecord | None
    trials: tuple[TrialRecord, ...]
    failed: str | None = None

    def confusions(self, classifier: str) -> Integers:
        """Confusion matrices: splits by sizes by classes by classes."""
        return np.array([one["confusion"] for one in self._records(classifier, "results")], dtype=np.int64)

    def errors(self, classifier: str, which: Selected = "results") -> Floats:
        """The loss of the metric on the test rows: splits by sizes."""
        return np.array([one["loss"] for one in self._records(classifier, which)])

    def chosen(self, classifier: str, which: Selected = "results") -> Indices:
        """By split, the index of the size that the inner folds chose."""
        return np.array([one["chosen"] for one in self._records(classifier, which)], dtype=np.intp)

    def nested_errors(self, classifier: str, which: Selected = "results") -> Floats:
        """By split, the error at the size that was chosen without the test rows."""
        errors = self.errors(classifier, which)
        return errors[np.arange(len(errors)), self.chosen(classifier, which)]

    def inner_errors(self, classifier: str, which: Selected = "results") -> Floats:
        """By split, the mean loss of the inner folds at the size that they chose; NaN without inner folds."""
        records = self._records(classifier, which)
        return np.array([np.nan if one["inner"] is None else one["inner"][one["chosen"]] for one in records])

    def record(self, classifier: str, split: int, which: Selected = "results") -> ClassifierRecord:
        """What a classifier did in one split."""
        return self._records(classifier, which)[split]

    def misclassified(self, classifier: str) -> list[Mask]:
        """By split, which test rows are misclassified at the chosen size."""
        return [np.array([mark == "1" for mark in one["wrong"]]) for one in self._records(classifier, "results")]

    def subsets(self, size_index: int) -> list[list[int]]:
        """By split, the features of this size."""
        return [trial["path"][size_index] for trial in self.trials]

    @property
    def seconds(self) -> float:
        """The mean time of a selection."""
        return float(np.mean([trial["seconds"]["select"] for trial in self.trials])) if self.trials else 0.0

    @property
    def has_scores(self) -> bool:
        """Whether the scores on all rows are more than positions in an order, one for each column."""
        scores = self.whole["column_scores"] if self.whole else None
        if scores is None:
            return self.whole is not None
        known = [score for score in scores if score is not None]
        return len(set(known)) < len(known) or not set(known) <= set(range(len(scores)))

    @property
    def has_leak(self) -> bool:
        """Whether the trials were repeated with features selected before splitting."""
        return bool(self.trials) and self.trials[0]["leaked"] is not None

    def _records(self, classifier: str, which: Selected) -> list[ClassifierRecord]:
        by_classifier = [trial[which] for trial in self.trials]
        return [one[classifier] for one in by_classifier if one is not None]


@dataclass(frozen=True)
class TableResult:
    """What all methods did on one table.

    n_train, n_test : mean numbers of rows
    metric : what is called error
    chance_error : the no-information rate of the metric
    baselines : what the classifiers do with all columns, one record a split; empty where that costs too much
    truth : the columns known to be relevant, or None
    views : charts of the recommended features in numbers, what is proved of them, and substitutes
    data : what the data check found; None where it was not made
    input_names : all columns of the table as it was given, those that are no features included
    split_note : what a column says about the splits, and how it was read; or None
    """

    name: str
    n_rows: int
    classes: tuple[str, ...]
    class_counts: tuple[int, ...]
    feature_names: tuple[str, ...]
    fingerprint: str
    sizes: tuple[int, ...]
    n_train: float
    n_test: float
    methods: tuple[MethodResult, ...]
    baselines: tuple[BaselineRecord, ...]
    metric: MetricRecord
    chance_error: float
    truth: tuple[int, ...] | None = None
    views: Views | None = None
    data: DataSummary | None = None
    input_names: tuple[str, ...] = ()
    split_note: str | None = None

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> TableResult:
        """Read what a comparison wrote as JSON."""
        methods = tuple(MethodResult(**{**method, "trials": tuple(method["trials"])}) for method in content["methods"])
        lists = ("classes", "class_counts", "feature_names", "sizes", "baselines", "input_names")
        known = {**content, "methods": methods, **{name: tuple(content[name]) for name in lists}}
        del known["answer"]  # computed again from the rest
        known["metric"] = MetricRecord.from_dict(content["metric"])
        known["views"] = Views.from_dict(content["views"]) if content["views"] else None
        known["data"] = DataSummary.from_dict(content["data"]) if content.get("data") else None
        known["truth"] = None if content["truth"] is None else tuple(content["truth"])
        return cls(**known)

    def to_dict(self) -> dict[str, Any]:
        """What a comparison writes as JSON."""
        return {
            **vars(self),
            "methods": [vars(method) for method in self.methods],
            "metric": asdict(self.metric),
            "views": asdict(self.views) if self.views else {},
            "data": asdict(self.data) if self.data else None,
        }

    @property
    def n_columns(self) -> int:
        """The number of features."""
        return len(self.feature_names)

    @property
    def completed(self) -> list[MethodResult]:
        """The methods that did not fail."""
        return [method for method in self.methods if method.failed is None and method.trials]

    def estimate(self, errors: Floats) -> Estimate:
        """The mean of errors over splits, with its 95 % interval.

        Splits share training rows, which makes their variance alone too small: the interval is that of the corrected t
        (Nadeau and Bengio). Where test sets are single rows, that of the plain t. With fewer than five splits, whose
        variance is hardly known, or equal errors in all, and for the share of single rows, it is Wilson's for the rows
        of one test set; where classes count alike, for as many rows as if all were as small as the smallest.
        """
        mean = float(errors.mean())
        spread = float(errors.std(ddof=1)) if len(errors) > 1 else 0.0
        metric = self.metric
        if metric.is_share and (self.n_test <= 1 or spread == 0.0 or len(errors) < _FEW_SPLITS):
            n = self.n_test * (len(errors) if self.n_test <= 1 else 1)
            if not metric.is_by_row:
                n *= len(self.class_counts) * min(self.class_counts) / sum(self.class_counts)
            return Estimate(mean, *_wilson(mean, max(1.0, n)))
        if spread == 0.0:
            return Estimate(mean, mean, mean)
        from scipy.special import stdtrit

        reach = float(stdtrit(len(errors) - 1, (1 + _CONFIDENCE) / 2)) * spread
        reach *= math.sqrt(1 / len(errors) + (0.0 if self.n_test <= 1 else self.n_test / self.n_train))
        return Estimate(mean, metric.clip(mean - reach), metric.clip(mean + reach))

    def baseline_errors(self, classifier: str) -> Floats:
        """By split, the loss with all columns."""
        return np.array([one["results"][classifier]["loss"] for one in self.baselines])

    def stability(self, method: MethodResult, size_index: int) -> Stability:
        """Nogueira's stability of the features of this size over the splits."""
        return stability(method.subsets(size_index), self.n_columns)


def _wilson(share: float, n: float) -> tuple[float, float]:
    """Wilson's confidence interval of a share of n."""
    from scipy.special import ndtri

    z = float(ndtri((1 + _CONFIDENCE) / 2))
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, centre - reach), min(1.0, centre + reach)
