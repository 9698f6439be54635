"""A table, several tables, and the whole comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

from fewest.display.formatting import MetricFormat
from fewest.summary.data_summary import ClassCount, DataSummary
from fewest.summary.feature_pictures import Pictures
from fewest.summary.method_results import (
    AllFeatures,
    Confusion,
    Estimate,
    Leak,
    MethodSummary,
    PairTest,
    SplitChoices,
    SplitPairTest,
)
from fewest.summary.recommended_features import RecommendedSubset


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
    split_note : what a column says about the splits, and how it was read; None where no column holds them
    filled_note : for which methods missing values were filled, and with what; None where there were none
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
    split_note: str | None = None
    filled_note: str | None = None

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
    shortened : what was not done for want of time; None where all was done
    """

    title: str
    setup: Setup
    stopped: str | None
    tables: Sequence[TableSummary]
    across: AcrossTables | None = None
    shortened: str | None = None

    def to_dict(self) -> dict[str, object]:
        """Plain dictionaries and lists, for JSON."""
        return asdict(self)
