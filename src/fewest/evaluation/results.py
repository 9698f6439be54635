"""What the trials of a comparison produced: the records that are stored as JSON, and the errors computed from them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypedDict, final

import numpy as np

from fewest.arrays import Floats, Indices, Integers, Mask
from fewest.evaluation.testing.stability import Stability, stability
from fewest.summary import Estimate, Views

_CONFIDENCE = 0.95

#: Selected inside each split, or once on all rows before splitting.
Selected = Literal["results", "leaked"]


class Seconds(TypedDict):
    """The time spent on selecting and on classifying."""

    select: float
    classify: float


class ClassifierRecord(TypedDict):
    """What one classifier did on the test rows of one split.

    confusion : by size, the number of rows of each class (a row) predicted as each class (a column)
    inner : by size, the mean error of the inner folds; None without inner folds
    chosen : the index of the size that the inner folds chose
    wrong : "1" for each test row that is misclassified at the chosen size, "0" for the others
    """

    confusion: list[list[list[int]]]
    inner: list[float] | None
    chosen: int
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


class BaselineRecord(TypedDict):
    """All columns on one split: by classifier the confusion matrix."""

    results: dict[str, list[list[int]]]
    seconds: Seconds


class WholeRecord(TypedDict):
    """One method on all rows: the features at each size, their scores, and what is proved."""

    failed: None
    path: list[list[int]]
    scores: dict[str, float | None]
    column_scores: list[float | None] | None
    breakpoints: list[tuple[float | None, int]]
    certificate: str | None
    seconds: float


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

    def confusions(self, classifier: str, which: Selected = "results") -> Integers:
        """Confusion matrices: splits by sizes by classes by classes."""
        return np.array([one["confusion"] for one in self._records(classifier, which)], dtype=np.int64)

    def errors(self, classifier: str, which: Selected = "results") -> Floats:
        """Share of the test rows that are misclassified: splits by sizes."""
        return _errors(self.confusions(classifier, which))

    def chosen(self, classifier: str, which: Selected = "results") -> Indices:
        """By split, the index of the size that the inner folds chose."""
        return np.array([one["chosen"] for one in self._records(classifier, which)], dtype=np.intp)

    def nested_errors(self, classifier: str, which: Selected = "results") -> Floats:
        """By split, the error at the size that was chosen without the test rows."""
        errors = self.errors(classifier, which)
        return errors[np.arange(len(errors)), self.chosen(classifier, which)]

    def inner_errors(self, classifier: str) -> Floats:
        """By split, the mean error of the inner folds at the size that they chose; NaN without inner folds."""
        records = self._records(classifier, "results")
        return np.array([np.nan if one["inner"] is None else one["inner"][one["chosen"]] for one in records])

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
    baselines : what the classifiers do with all columns, one record a split; empty where that costs too much
    truth : the columns known to be relevant, or None
    views : charts of the recommended features in numbers, what is proved of them, and substitutes
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
    truth: tuple[int, ...] | None = None
    views: Views | None = None

    @property
    def n_columns(self) -> int:
        """The number of features."""
        return len(self.feature_names)

    @property
    def completed(self) -> list[MethodResult]:
        """The methods that did not fail."""
        return [method for method in self.methods if method.failed is None and method.trials]

    @property
    def chance_error(self) -> float:
        """The error of always predicting the largest class."""
        return 1.0 - max(self.class_counts) / sum(self.class_counts)

    def estimate(self, errors: Floats) -> Estimate:
        """The mean of errors over splits, with its 95 % interval.

        Splits share training rows, which makes their variance alone too small: the interval is that of the corrected t
        (Nadeau and Bengio). With one test row a split, one split, or equal errors in all splits, it is Wilson's for
        the number of test rows.
        """
        mean = float(errors.mean())
        spread = float(errors.std(ddof=1)) if len(errors) > 1 else 0.0
        if self.n_test <= 1 or spread == 0.0:
            return Estimate(mean, *_wilson(mean, max(1.0, self.n_test) * (len(errors) if self.n_test <= 1 else 1)))
        from scipy.special import stdtrit

        reach = float(stdtrit(len(errors) - 1, (1 + _CONFIDENCE) / 2)) * spread
        reach *= math.sqrt(1 / len(errors) + self.n_test / self.n_train)
        return Estimate(mean, max(0.0, mean - reach), min(1.0, mean + reach))

    def baseline_errors(self, classifier: str) -> Floats:
        """By split, the error with all columns."""
        return _errors(np.array([one["results"][classifier] for one in self.baselines], dtype=np.int64))

    def stability(self, method: MethodResult, size_index: int) -> Stability:
        """Nogueira's stability of the features of this size over the splits."""
        return stability(method.subsets(size_index), self.n_columns)

    def median_size_index(self, method: MethodResult, classifier: str) -> int:
        """The index of the median of the sizes that were chosen inside the splits."""
        chosen = np.sort(method.chosen(classifier))
        return int(chosen[(len(chosen) - 1) // 2])


def _wilson(share: float, n: float) -> tuple[float, float]:
    """Wilson's confidence interval of a share of n."""
    from scipy.special import ndtri

    z = float(ndtri((1 + _CONFIDENCE) / 2))
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, centre - reach), min(1.0, centre + reach)


def _errors(confusions: Integers) -> Floats:
    """The share of rows off the diagonal of each confusion matrix, which is in the last two axes."""
    total = confusions.sum(axis=(-2, -1)).astype(np.float64)
    wrong: Floats = 1.0 - np.trace(confusions, axis1=-2, axis2=-1) / total
    return wrong
