"""Protocols of statistics, criteria, objectives and searches.

A criterion is bound to a statistic and gives an objective, on which a search runs. What a search needs of an objective
is one of the protocols below: the type checker finds a mismatch, and so does a selector, before any data are read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fewest.arrays import Codes, Floats, Indices, Mask
from fewest.constraints import UNCONSTRAINED, ColumnConstraints
from fewest.selection import Selection

if TYPE_CHECKING:
    from fewest.data.block import Block


class Statistic(Protocol):
    """A mergeable summary of rows. Empty is the identity of merge; any split of the rows gives the whole."""

    #: Groups of columns may be collected apart and joined.
    is_columnwise: bool
    #: Blocks may hold integers, as they came.
    takes_integers: bool

    def empty(self) -> Self:
        """Return a statistic of the same kind without rows."""

    def update(self, block: Block) -> None:
        """Add the rows of a block."""

    def merge(self, other: Self) -> None:
        """Add the rows of another statistic of the same columns."""

    def join(self, parts: Sequence[Self]) -> Self:
        """Return the statistic of all columns from those of consecutive groups of columns over the same rows."""


class Evidence(Statistic, Protocol):
    """A statistic that identifies its data: what a criterion is bound to."""

    @property
    def n_rows(self) -> int:
        """The number of rows added, those of weight zero left out."""

    def counts_by_class(self) -> dict[str, int]:
        """Rows in each class, in the order of the labels."""

    def fingerprint(self) -> str:
        """A hash of labels and values that depends on neither the order of the rows nor how they are stored."""


@runtime_checkable
class KeepsRows(Protocol):
    """A statistic that keeps rows, and refuses more than a number of bytes of them."""

    def limited_to(self, n_bytes: int) -> Evidence:
        """Return an empty one that refuses more than this many bytes."""

    def check_size(self, n_rows: int, n_columns: int) -> None:
        """Raise where this number of rows cannot be kept, whatever they hold."""


class Questions(Protocol):
    """Statistics that stay with the workers of an engine, one for each partition of a table, and can be asked."""

    def ask(self, question: Callable[[Any], NDArray[np.number]]) -> NDArray[np.number]:
        """Return the sum of the answers of all partitions; the question travels by pickle."""

    def of(self, getter: Callable[[Any], Any]) -> Questions:
        """Return the same of what getter takes out of each."""


@runtime_checkable
class StaysWithRows(Protocol):
    """A statistic that is as large as the rows: on an engine each partition's stays with its worker."""

    stays_with_rows: bool

    def for_partition(self) -> Evidence:
        """Return an empty statistic of the rows of one partition, for the questions that over() asks."""

    def over(self, parts: Questions) -> Evidence:
        """Return the statistic of all rows, which asks those of the partitions."""


@runtime_checkable
class ReadsTwice(Protocol):
    """A criterion that can read the rows of a stream twice, where they are too many to keep."""

    def column_summary(self) -> Evidence | None:
        """Return an empty statistic for the first read; None where one read is enough."""

    def second_pass(self, summary: Any) -> Evidence:
        """Return an empty statistic for the second read, after what the first has found."""


@runtime_checkable
class ChecksColumns(Protocol):
    """A criterion that can handle only some number of columns."""

    def check_columns(self, n_columns: int, n_statistics: int) -> None:
        """Raise, before any data are read, where there are too many columns."""


@runtime_checkable
class ChecksSubsets(Protocol):
    """A search that can handle only some number of subsets."""

    def check_subsets(
        self, n_columns: int, n_features: int | None, constraints: ColumnConstraints = UNCONSTRAINED
    ) -> None:
        """Raise, before any data are read, where there are too many subsets to choose from."""


@runtime_checkable
class FindsPath(Protocol):
    """A search that finds the best subsets of smaller sizes only where it is asked to."""

    def with_path(self) -> AnySearch:
        """Return the search for the best subset of every size up to the number asked for."""


class Objective:
    """How good features are on the data at hand: the base of what criteria bind to.

    n_columns : the number of columns
    is_additive : the value of a subset is the sum of its columns' scores
    """

    n_columns: int
    is_additive: ClassVar[bool] = False


class HasColumns(Protocol):
    """The number of columns."""

    @property
    def n_columns(self) -> int: ...


class ScoresFeatures(HasColumns, Protocol):
    """One score a column, higher is better; NaN for a column without a value."""

    @property
    def is_additive(self) -> bool: ...

    def score_features(self) -> Floats: ...


class GivesPValues(ScoresFeatures, Protocol):
    """The probability of a score this high in a column that is independent of the class."""

    def p_values(self) -> Floats: ...


@runtime_checkable
class TakesPassing(Protocol):
    """A search that takes each column on its own, and so also those that pass a test."""

    #: Nothing else decides how many columns are taken.
    takes_passing: bool

    def run_among(
        self, objective: ScoresFeatures, passing: Mask, constraints: ColumnConstraints = UNCONSTRAINED
    ) -> Selection:
        """Return the columns that pass, the highest scores first; those to keep come before them."""


#: Scores features under labels other than the rows' own: (n, n_rows) labels, as indices into the classes of the
#: statistic, and features, to (n, n_features) scores; of each feature a function that grows with its score.
PermutationScorer = Callable[[Codes, Indices], Floats]


@runtime_checkable
class ScoresPermutations(Protocol):
    """A criterion that scores features under many permutations of the labels at a time."""

    def permutation_rows(self) -> Evidence:
        """Return an empty statistic of the rows that keeps their order."""

    def permutation_scorer(self, rows: Any) -> PermutationScorer | None:
        """Return what scores features of these rows; None where one permutation after the other has to be bound."""


class ScoresPairs(ScoresFeatures, Protocol):
    """Columns by columns, the value of two together beyond their own scores; 0 on the diagonal."""

    def score_pairs(self) -> Floats: ...


@runtime_checkable
class ScoresPairsBySize(Protocol):
    """Scores of columns and pairs that add up to the value of subsets of one size, and are others for each size."""

    def for_size(self, size: int) -> ScoresPairs:
        """Return the scores for subsets of this size."""


class ScoresTriples(ScoresPairs, Protocol):
    """The same for three columns, beyond their pairs."""

    def score_triples(self) -> Floats: ...


class ScoresSubsets(HasColumns, Protocol):
    """The value of a subset."""

    def score_subset(self, subset: Sequence[int]) -> float: ...


class ScoresAdditions(HasColumns, Protocol):
    """The value of each column of `among` in addition to those selected."""

    def score_additions(self, selected: Sequence[int], among: Indices) -> Floats: ...


@runtime_checkable
class BreaksTies(Protocol):
    """One number a column: of columns with the same value in addition to others, the highest comes first."""

    @property
    def tie_scores(self) -> Floats: ...


class BoundsAdditions(ScoresAdditions, Protocol):
    """One number a column, no less than its value in addition to those selected."""

    def bound_additions(self, selected: Sequence[int]) -> Floats: ...


class ScoresRemovals(HasColumns, Protocol):
    """By how much the subset's value grows when each column of `among` is removed."""

    def score_removals(self, selected: Sequence[int], among: Indices) -> Floats: ...


class RanksRemovals(HasColumns, Protocol):
    """Those of the selected columns that matter least, the first to be removed first."""

    def least_members(self, selected: Indices, count: int) -> Indices: ...


class Differentiable(HasColumns, Protocol):
    """The value of weighted columns, with its gradient.

    start_weights() gives one number a column, NaN for one without a value, and then whatever else is tuned with them.
    """

    def start_weights(self) -> Floats: ...

    def score_weights(self, weights: Floats) -> tuple[float, Floats]: ...


@runtime_checkable
class DifferentiableInPart(Differentiable, Protocol):
    """The value of weighted columns, with its gradient in the weights of some of them."""

    def score_weights_among(self, weights: Floats, among: Indices) -> tuple[float, Floats]: ...


@runtime_checkable
class HasSample(DifferentiableInPart, Protocol):
    """An objective over many rows that can be estimated from some of them."""

    def on_sample(self) -> DifferentiableInPart | None:
        """Return about the same objective from some of the rows; None where these would be too many."""

    def start_value(self) -> float:
        """Return the value at start_weights()."""


@runtime_checkable
class MayVanish(Protocol):
    """The value of weighted columns, of which many may have no weight where it is highest."""

    def weights_vanish(self) -> bool:
        """Return whether most weights are likely to go to zero."""


StatisticT = TypeVar("StatisticT", contravariant=True)
ObjectiveOfCriterion = TypeVar("ObjectiveOfCriterion", covariant=True)
ObjectiveOfSearch = TypeVar("ObjectiveOfSearch", contravariant=True)


class Criterion(Protocol[StatisticT, ObjectiveOfCriterion]):
    """How good features are. Holds parameters only; what depends on data is in the objective.

    It may also have takes_text = True, where text is codes of categories to it, not indicators, needs_all_rows = True,
    where counts of parts of the rows are not enough, scores_jointly = True, where the score of a column depends on the
    others, and the methods of ChecksColumns, ReadsTwice and ScoresPermutations.
    """

    @property
    def offers(self) -> frozenset[str]:
        """The methods of the objective that a search may use."""

    def statistic(self) -> Evidence:
        """Return an empty statistic of the kind that bind() needs."""

    def bind(self, statistic: StatisticT) -> ObjectiveOfCriterion:
        """Return the objective on the data that the statistic has seen."""


class Search(Protocol[ObjectiveOfSearch]):
    """Decides which features to take."""

    @property
    def requires(self) -> frozenset[str]:
        """The methods of the objective that this search uses."""

    def run(self, objective: ObjectiveOfSearch, n_features: int | None) -> Selection:
        """Return the best features found: n_features, or the number that the search decides (None)."""


class ConstrainedSearch(Search[ObjectiveOfSearch], Protocol):
    """A search that takes only features that constraints on columns allow."""

    @property
    def honours(self) -> frozenset[str]:
        """The parts of ColumnConstraints that this search obeys."""

    def run(
        self, objective: ObjectiveOfSearch, n_features: int | None, constraints: ColumnConstraints = UNCONSTRAINED
    ) -> Selection:
        """Return the best features found that the constraints allow; fewer than n_features where no more can be."""


#: A criterion and a search that fits it, as estimators name them.
AnyCriterion = Criterion[Any, Any]
AnySearch = Search[Any]
Sentence = tuple[AnyCriterion, AnySearch]
