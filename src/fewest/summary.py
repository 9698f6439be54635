"""What a comparison found, as frozen dataclasses.

Evaluation builds a Summary. The page, the terminal, tables and JSON read the same objects. What is called error is the
loss of the metric of the comparison on test rows, averaged over the splits: less is better. `TableSummary.metric`
writes a loss as users read it; with the metric "error" it is the share of the test rows that were misclassified.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Self

from fewest.formatting import MetricFormat


@dataclass(frozen=True)
class Estimate:
    """A mean error with its 95 % confidence interval."""

    error: float
    low: float
    high: float


@dataclass(frozen=True)
class CurvePoint(Estimate):
    """The error at one number of features."""

    size: int


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
class TruthRanking:
    """How well a method ranks the columns known to be relevant before the others, averaged over the splits.

    one, all : shares of the splits with one, and with all, of the n_true columns among the first n_true
    curve : the mean ROC curve, from (0, 0) to (1, 1)
    """

    auc: float
    one: float
    all: float
    n_true: int
    curve: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class MethodSummary:
    """One method on one table.

    failed : why the method was left out; None where it was evaluated
    seconds : the mean time of one selection
    nested : with the classifier and the size chosen inside each split: the figure of the method in text and tables
    results, curves : by classifier
    column_scores : by column, None where a column has no score; None where scores are only ranks
    size_by_beta : thresholds, and the number of features admitted just below each
    """

    name: str
    parameters: Mapping[str, object]
    failed: str | None
    seconds: float
    certificate: str | None = None
    stability: StabilityIndex | None = None
    results: Mapping[str, ClassifierResult] = field(default_factory=dict)
    curves: Mapping[str, Sequence[CurvePoint]] = field(default_factory=dict)
    column_scores: Sequence[float | None] | None = None
    size_by_beta: Sequence[tuple[float | None, int]] = ()
    frequencies: Sequence[Frequency] = ()
    truth: TruthRanking | None = None
    nested: NestedResult | None = None


@dataclass(frozen=True)
class Swap:
    """Another column in the place of a feature, and the error of the recommended features with it."""

    feature: str
    error: float


@dataclass(frozen=True)
class Similar:
    """The column most like a feature, from -1 to 1: their correlation, or an association where one holds categories."""

    feature: str
    correlation: float


@dataclass(frozen=True)
class RecommendedFeature:
    """A recommended feature.

    frequency : the share of the splits in which it was chosen
    error_without : the error of the other recommended features, in the folds of RecommendedSubset.fold_error
    swap : the best of the columns that were tried in its place, in the same folds; None where none was tried
    similar : the column most like it, of all columns
    """

    name: str
    score: float | None
    frequency: float | None
    error_without: float | None = None
    swap: Swap | None = None
    similar: Similar | None = None


@dataclass(frozen=True)
class RecommendedSubset(Estimate):
    """What the procedure chooses on all rows, and the nested error of that procedure over the splits.

    The procedure: method, classifier and size by inner folds. Where it does not beat guessing, there are no features
    to recommend: `features` is empty, size is 0, and the sentence says so.

    choice : what choosing among several methods and classifiers means for the error
    certificate : what is proved of these features
    beats_guessing : whether the whole interval of the error lies below the no-information rate
    notes : what else is to be known, a sentence each: features that are not stable, a size at the edge of those tried
    stable : the features that were chosen in at least half of the splits
    fold_error : the error of these features in the inner folds of all rows, which also chose them: it is optimistic,
        and is there for error_without and swap to be compared with
    replacement : a sentence where one column is the best swap of most features
    """

    method: str
    classifier: str
    size: int
    sentence: str
    choice: str | None
    certificate: str | None
    features: Sequence[RecommendedFeature]
    beats_guessing: bool = True
    notes: Sequence[str] = ()
    stable: Sequence[str] = ()
    fold_error: float | None = None
    replacement: str | None = None


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
class Finding:
    """Something that the data check found.

    kind : a short name of it, such as "identifier", "constant", "leak"
    severity : "note" where nothing need be done, "warning" where somebody should look, "error" where the table cannot
        be used as it is
    columns : the names of the columns concerned; none where it is about the rows, the classes or the table
    message : what was found, in a sentence
    action : what was done about it, or what to do, in a sentence
    """

    kind: str
    severity: Literal["note", "warning", "error"]
    columns: Sequence[str]
    message: str
    action: str


@dataclass(frozen=True)
class ColumnKinds:
    """The number of columns of each kind; every column is of one kind only.

    numbers : columns of numbers with more than two values
    binary : columns of two values, numbers or text
    categories : columns of text or categories with more than two values
    constant : columns of one value, or of none
    dates : columns of dates, times or durations
    with_missing : the columns, of any kind, with missing values
    """

    numbers: int
    binary: int
    categories: int
    constant: int
    dates: int
    with_missing: int


@dataclass(frozen=True)
class DataSummary:
    """What a table holds and what the data check found in it.

    n_columns : the features as given, those that were set aside included
    n_missing : the number of missing values
    set_aside : the names of the columns that were left out before anything was selected
    """

    n_rows: int
    n_columns: int
    kinds: ColumnKinds
    n_missing: int
    findings: Sequence[Finding]
    set_aside: Sequence[str]

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Read what `dataclasses.asdict` made."""
        findings = [Finding(**finding | {"columns": tuple(finding["columns"])}) for finding in content["findings"]]
        kinds = ColumnKinds(**content["kinds"])
        return cls(**{**content, "kinds": kinds, "findings": tuple(findings), "set_aside": tuple(content["set_aside"])})


@dataclass(frozen=True)
class ClassCount:
    """A class and its number of rows."""

    name: str
    count: int


@dataclass(frozen=True)
class ClassDensity:
    """The density of a feature in one class, on the grid of the feature, and its mean; None without a value."""

    name: str
    density: Sequence[float]
    mean: float | None


@dataclass(frozen=True)
class FeatureDensity:
    """The densities of a feature by class.

    grid : from the least to the largest value; where is_cut, the outermost 1 % of the rows lie beyond
    missing : the share of the rows without a value
    is_logarithmic : the grid is even, and the density is that, of the logarithm
    """

    feature: str
    grid: Sequence[float]
    classes: Sequence[ClassDensity]
    is_cut: bool = False
    missing: float = 0.0
    is_logarithmic: bool = False


@dataclass(frozen=True)
class ClassShares:
    """The share of each category of a feature in one class."""

    name: str
    shares: Sequence[float]


@dataclass(frozen=True)
class FeatureShares:
    """The categories of a feature, or its values where they are few, and the share of each by class."""

    feature: str
    categories: Sequence[str]
    classes: Sequence[ClassShares]


@dataclass(frozen=True)
class FeaturePair:
    """The two features with the least error of the nearest neighbour, and rows as (x, y, class code) in them.

    error : the leave-one-out error of the nearest neighbour in this pair
    n_features : the number of features of which every two were tried
    """

    x: str
    y: str
    points: Sequence[tuple[float, float, int]]
    error: float
    n_features: int


@dataclass(frozen=True)
class Redundancy:
    """How alike every two features are, from 0 to 1."""

    features: Sequence[str]
    matrix: Sequence[Sequence[float]]
    measure: str


@dataclass(frozen=True)
class Pictures:
    """The recommended features in numbers that can be drawn."""

    densities: Sequence[FeatureDensity] = ()
    pair: FeaturePair | None = None
    redundancy: Redundancy | None = None
    shares: Sequence[FeatureShares] = ()

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Read what `dataclasses.asdict` made."""
        pair, redundancy = content["pair"], content["redundancy"]
        return cls(
            [
                FeatureDensity(**d | {"classes": [ClassDensity(**one) for one in d["classes"]]})
                for d in content["densities"]
            ],
            FeaturePair(**pair | {"points": [(x, y, code) for x, y, code in pair["points"]]}) if pair else None,
            Redundancy(**redundancy) if redundancy else None,
            [FeatureShares(**s | {"classes": [ClassShares(**one) for one in s["classes"]]}) for s in content["shares"]],
        )


@dataclass(frozen=True)
class Substitute:
    """What a recommended feature is worth, and what could take its place: as in RecommendedFeature."""

    error_without: float | None = None
    swap: Swap | None = None
    similar: Similar | None = None

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Read what `dataclasses.asdict` made."""
        swap, similar = content["swap"], content["similar"]
        return cls(content["error_without"], Swap(**swap) if swap else None, Similar(**similar) if similar else None)


@dataclass(frozen=True)
class Substitutes:
    """The substitutes of the recommended features, by column number, in the inner folds of all rows.

    fold_error : the error of the recommended features in these folds, which also chose them
    replacement : a sentence where one column is the best swap of most features
    """

    fold_error: float | None
    by_column: Mapping[str, Substitute]
    replacement: str | None = None

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Read what `dataclasses.asdict` made."""
        known = {column: Substitute.from_dict(one) for column, one in content["by_column"].items()}
        return cls(content["fold_error"], known, content["replacement"])


@dataclass(frozen=True)
class Views:
    """What is known of the recommended features beyond their error.

    selection : the selection on all rows at the recommended size, as JSON holds it
    """

    pictures: Pictures
    certificate: str | None
    substitutes: Substitutes
    selection: Mapping[str, Any] | None = None

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Read what `dataclasses.asdict` made."""
        substitutes = Substitutes.from_dict(content["substitutes"])
        pictures = Pictures.from_dict(content["pictures"])
        return cls(**{**content, "pictures": pictures, "substitutes": substitutes})


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


@dataclass(frozen=True)
class TableSummary:
    """One table: its data, what each method reached on it, and the recommended features.

    chance_error : the no-information rate: with the metric "error", that of always predicting the largest class
    all_features : by classifier, the error without selection; empty where that was too much work
    split_choices : None where there are fewer than two splits
    metric : what is called error here, and how it is written
    without_selection : the error without selection that is compared with the recommendation; None where that was too
        much work
    confusion : of the recommendation's procedure
    data : what the data check found; None where it was not made
    """

    name: str
    n_rows: int
    n_columns: int
    classes: Sequence[ClassCount]
    fingerprint: str
    chance_error: float
    all_features: Mapping[str, Estimate]
    sizes: Sequence[int]
    methods: Sequence[MethodSummary]
    recommended: RecommendedSubset | None
    split_choices: SplitChoices | None
    views: Pictures
    leak: Leak | None
    pairs: Sequence[SplitPairTest]
    metric: MetricFormat = field(default_factory=MetricFormat)
    without_selection: AllFeatures | None = None
    confusion: Confusion | None = None
    data: DataSummary | None = None

    @property
    def completed(self) -> list[MethodSummary]:
        """The methods that did not fail."""
        return [method for method in self.methods if not method.failed]

    def by_error(self, classifier: str) -> list[MethodSummary]:
        """The methods evaluated with a classifier, the least error first."""
        known = [method for method in self.completed if classifier in method.results]
        return sorted(known, key=lambda method: method.results[classifier].error)


@dataclass(frozen=True)
class AcrossTables:
    """The methods over several tables: mean ranks, Friedman's and Nemenyi's tests, Wilcoxon's tests of pairs.

    groups : the first and last of methods in order of rank that do not differ significantly
    """

    methods: Sequence[str]
    mean_ranks: Sequence[float]
    critical_difference: float
    level: float
    groups: Sequence[tuple[int, int]]
    friedman_p: float
    sentence: str
    pairs: Sequence[PairTest]
    pairs_sentence: str


@dataclass(frozen=True)
class Setup:
    """How a comparison was run.

    outer, inner : the splits, and the folds that choose the size inside each, in words
    rule : how the size is chosen, "1se" or "min"
    classifiers : by their short names, what they are in words
    command : what makes the comparison again
    metric : what is called error
    metric_reason : why it is not the plain error, where nobody asked for it
    """

    outer: str
    inner: str
    rule: str
    seed: int
    version: str
    seconds: float
    classifiers: Mapping[str, str]
    groups: str | None = None
    command: str | None = None
    metric: MetricFormat = field(default_factory=MetricFormat)
    metric_reason: str | None = None


@dataclass(frozen=True)
class Summary:
    """Everything that the report shows.

    stopped : how far an interrupted comparison came; None where it was completed
    across : None for a single table
    """

    title: str
    setup: Setup
    stopped: str | None
    tables: Sequence[TableSummary]
    across: AcrossTables | None = None

    def to_dict(self) -> dict[str, object]:
        """Plain dictionaries and lists, for JSON."""
        return asdict(self)
