"""How methods did: errors with intervals, stability, what each classifier gave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from fewest.summary.certificates import Certificate


@dataclass(frozen=True)
class Estimate:
    """A mean error with its 95 % confidence interval."""

    error: float
    low: float
    high: float


@dataclass(frozen=True)
class CurvePoint(Estimate):
    """The error at one number of features, and other measures of the same predictions.

    balanced_error, macro_f1, micro_f1 : of the test rows of all splits together
    leaked_error : the error if features are selected on all rows before splitting; None where that was not measured
    """

    size: int
    balanced_error: float | None = None
    macro_f1: float | None = None
    micro_f1: float | None = None
    leaked_error: float | None = None


@dataclass(frozen=True)
class ClassifierResult(Estimate):
    """One method evaluated with one classifier; the size was chosen in inner folds of each split.

    size, size_low, size_high : the median of the chosen sizes, and their 10 % and 90 % quantiles
    best_error, best_size : the least error on the curve, an optimistic figure, since test rows chose its size
    leaked_error : the error if features are selected on all rows before splitting; None where that was not measured
    optimism : the error less the leaked error
    rank : the mean over the splits of the method's rank, 1 is best
    is_not_worse, sentence : the test against the method with the least error
    """

    size: int
    size_low: int
    size_high: int
    balanced_error: float
    macro_f1: float
    micro_f1: float
    best_error: float
    best_size: int
    leaked_error: float | None
    optimism: float | None
    rank: float
    is_not_worse: bool
    sentence: str | None


@dataclass(frozen=True)
class NestedResult(Estimate):
    """One method, with the classifier and the size chosen by inner folds inside each split.

    classifier : the one that the inner folds of all rows choose for the method
    size, size_low, size_high : the median of the sizes chosen inside the splits, and their 10 % and 90 % quantiles
    leaked_error : the error of the same procedure if features are selected on all rows before splitting; or None
    optimism : the error less the leaked error
    rank : the mean over the splits of the method's rank, 1 is best
    is_not_worse, sentence : the test against the method with the least error
    """

    classifier: str
    size: int
    size_low: int
    size_high: int
    leaked_error: float | None
    optimism: float | None
    rank: float
    is_not_worse: bool
    sentence: str | None


@dataclass(frozen=True)
class StabilityIndex:
    """Nogueira's stability of a method's features over the splits, with its 95 % interval."""

    index: float
    low: float | None
    high: float | None
    size: int
    sentence: str


@dataclass(frozen=True)
class Frequency:
    """The share of the splits in which a feature was chosen."""

    feature: str
    frequency: float


@dataclass(frozen=True)
class StabilityPaths:
    """Stability selection: how often halves of the rows select each feature, against the number that each half selects.

    sizes : the numbers of features a half, ascending; at the last of them features are selected
    features : the most frequent ones, the first of them first
    frequencies : by feature and size, shares of the halves; None where the method has no subset of that size
    threshold : the share from which on a feature is selected
    expected_false : the bound on the expected number of false selections
    n_others : features that any half selected and that are not shown
    """

    sizes: Sequence[int]
    features: Sequence[str]
    frequencies: Sequence[Sequence[float | None]]
    threshold: float
    expected_false: float
    n_others: int


@dataclass(frozen=True)
class TruthRanking:
    """How well a method ranks the columns known to be relevant before the others, averaged over the splits.

    one, all : shares of the splits with one, and with all, of the n_true columns among the first n_true
    curve : the mean ROC curve, from (0, 0) to (1, 1)
    precision, recall : of the features that each split chose, the share that is true, and of the true columns the share
        that it chose
    """

    auc: float
    one: float
    all: float
    n_true: int
    curve: Sequence[tuple[float, float]]
    precision: float
    recall: float


@dataclass(frozen=True)
class MethodSummary:
    """One method on one table.

    failed : why the method was left out; None where it was evaluated
    seconds : the mean time of one selection
    nested : with the classifier and the size chosen inside each split: the figure of the method in text and tables
    results, curves : by classifier
    column_scores : by column, None where a column has no score; None where scores are only ranks
    size_by_beta : thresholds, and the number of features admitted just below each
    paths : of stability selection
    """

    name: str
    parameters: Mapping[str, object]
    failed: str | None
    seconds: float
    certificate: Certificate | None = None
    stability: StabilityIndex | None = None
    results: Mapping[str, ClassifierResult] = field(default_factory=dict)
    curves: Mapping[str, Sequence[CurvePoint]] = field(default_factory=dict)
    column_scores: Sequence[float | None] | None = None
    size_by_beta: Sequence[tuple[float | None, int]] = ()
    frequencies: Sequence[Frequency] = ()
    truth: TruthRanking | None = None
    nested: NestedResult | None = None
    paths: StabilityPaths | None = None


@dataclass(frozen=True)
class AllFeatures(Estimate):
    """All features, with the classifier chosen by inner folds inside each split: the same rule as for the procedure.

    difference : this error less that of the recommendation
    verdict : "better" or "worse" than the recommendation where the corrected t-test finds a difference, otherwise
        "as well"
    p : the p-value of that test; None with a single split
    """

    difference: float
    verdict: Literal["better", "as well", "worse"]
    p: float | None


@dataclass(frozen=True)
class ClassRecall:
    """Of the rows of a class, the share that the recommendation's procedure classifies rightly on test rows."""

    name: str
    recall: float


@dataclass(frozen=True)
class Confusion:
    """The procedure's predictions of test rows, all splits together.

    counts : by class (a row) and predicted class (a column), in the order of TableSummary.classes
    recalls : by class
    """

    counts: Sequence[Sequence[int]]
    recalls: Sequence[ClassRecall]


@dataclass(frozen=True)
class SplitChoices:
    """Which features the recommended method chose in which split: 1 or 0 by feature and split."""

    features: Sequence[str]
    cells: Sequence[Sequence[int]]


@dataclass(frozen=True)
class Leak:
    """The error of the recommendation's procedure if features are selected before splitting, and its nested error.

    is_noise : the difference is within noise
    """

    leaked: float
    honest: float
    sentence: str
    is_noise: bool = False


@dataclass(frozen=True)
class PairTest:
    """Two methods, a and b, tested against each other.

    difference : the error of a less that of b
    p, p_adjusted : the p-value, before and after Holm's adjustment for the number of pairs
    """

    a: str
    b: str
    difference: float
    p: float
    p_adjusted: float | None
    effect: float | None
    sentence: str


@dataclass(frozen=True)
class SplitPairTest(PairTest):
    """Two methods on the same splits: the corrected t-test, McNemar's tests and the RM-characteristic.

    low, high : the 95 % interval of the difference
    better, worse, same : in how many splits a errs significantly less, more, or neither, by McNemar's test
    rho, rho_back : the shares of the sizes at which a errs less, and at which b does
    """

    classifier: str
    low: float
    high: float
    better: int
    worse: int
    same: int
    rho: float
    rho_back: float
