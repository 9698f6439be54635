"""The objective of mRMR for whole subsets: mean relevance less mean redundancy, and the redundancy alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.memory import COLUMN_PAIRS, check_memory
from fewest.methods.information.discretisation.discretizer import Discretizer
from fewest.methods.information.information_criteria import InformationCriterion, InformationRows, InformationTable
from fewest.methods.information.parzen_table import ParzenTable
from fewest.methods.information.triple_information import TripleTable
from fewest.objectives import SubsetObjective, column_indices
from fewest.parameters import check_choice, check_not_negative
from fewest.protocols import Objective

FORMS = ("difference", "redundancy")


#: Tables of columns by columns that a search for the best pairs makes.
_PAIR_TABLES = 6


class PairScores(Objective):
    """Scores of columns and pairs; those of the columns and pairs of a subset add up to its value."""

    def __init__(self, features: Floats, pairs: Floats) -> None:
        self._features, self._pairs, self.n_columns = features, pairs, len(features)

    def score_features(self) -> Floats:
        """Return the scores of the columns alone."""
        return self._features

    def score_pairs(self) -> Floats:
        """Return what two columns add together, 0 on the diagonal."""
        return self._pairs


class SetRedundancyObjective(SubsetObjective):
    """The value of a subset: D(S) - weight * R(S), or -R(S); 0 of no columns.

    The information of a column with all others is computed when it is first selected, and kept.
    """

    def __init__(self, table: InformationTable, form: str, weight: float) -> None:
        self.table, self.n_columns = table, table.n_columns
        self._with_relevance, self._weight = form == "difference", weight
        #: A column that was never observed shares nothing.
        self._relevance: Floats = np.nan_to_num(table.relevance)
        self._with: dict[int, Floats] = {}
        self._own: Floats | None = None

    def score_features(self) -> Floats:
        """Return the value of each column as a subset of its own; NaN where it was never observed."""
        return self._observed(self._value(self._relevance, self._with_itself, 1), slice(None))

    def score_subset(self, subset: Sequence[int]) -> float:
        """Return the value of a subset."""
        columns = column_indices(subset, self.n_columns)
        return float(self._value(*self._sums(columns), len(columns)))

    def score_additions(self, selected: Sequence[int], among: Indices) -> Floats:
        """Return by how much each of these columns, added, raises the value of those selected."""
        columns = column_indices(selected, self.n_columns)
        relevance, redundancy = self._sums(columns)
        pairs = self._pairs(columns, among)
        grown = self._value(
            relevance + self._relevance[among], redundancy + 2 * pairs + self._with_itself[among], len(columns) + 1
        )
        return self._observed(grown - self._value(relevance, redundancy, len(columns)), among)

    def score_removals(self, selected: Sequence[int], among: Indices) -> Floats:
        """Return by how much each of these columns, removed, raises the value of those selected."""
        columns = column_indices(selected, self.n_columns)
        relevance, redundancy = self._sums(columns)
        pairs = self._pairs(columns, among)
        left = self._value(
            relevance - self._relevance[among], redundancy - 2 * pairs + self._with_itself[among], len(columns) - 1
        )
        return self._observed(left - self._value(relevance, redundancy, len(columns)), among)

    def score_pairs(self) -> Floats:
        """Return the value of two columns together, beyond their own as subsets of one."""
        relevance, own = self._relevance, self._with_itself
        both = self._value(np.add.outer(relevance, relevance), np.add.outer(own, own) + 2 * self._information(), 2)
        alone = self._value(relevance, own, 1)
        pairs = both - np.add.outer(alone, alone)
        np.fill_diagonal(pairs, 0.0)
        return np.asarray(pairs)

    def for_size(self, size: int) -> PairScores:
        """Return scores of columns and pairs that add up to the value of every subset of this size."""
        pairs = -2.0 * (self._weight if self._with_relevance else 1.0) / size**2 * self._information()
        np.fill_diagonal(pairs, 0.0)
        scores = self._value(self._relevance, self._with_itself, size)
        return PairScores(self._observed(scores, slice(None)), pairs)

    def _information(self) -> Floats:
        """Return the information of every two columns, each with itself on the diagonal."""
        n = self.n_columns
        advice = "Choose columns first, such as by MaxRelevance(n_features=1000), or use GreedyFloating()."
        check_memory(8 * _PAIR_TABLES * n**2, COLUMN_PAIRS, f"Scores of all pairs of {n:,} columns take", advice)
        everything = np.arange(n)
        return np.array([self._pairs(np.array([column]), everything) for column in range(n)]).reshape(n, n)

    def _value(self, relevance: Floats | float, redundancy: Floats | float, size: int) -> Floats:
        size = max(size, 1)
        redundancy = np.asarray(redundancy) / size**2
        return np.asarray(relevance / size - self._weight * redundancy if self._with_relevance else -redundancy)

    def _observed(self, values: Floats, columns: Indices | slice) -> Floats:
        return np.where(self.table.is_observed[columns], values, np.nan)

    def _sums(self, columns: Indices) -> tuple[float, float]:
        """Return the sum of the relevance of columns, and that of the information between any two, each with itself."""
        return float(self._relevance[columns].sum()), float(self._pairs(columns, columns).sum())

    def _pairs(self, columns: Indices, among: Indices) -> Floats:
        """Return, for each of the second columns, its information with all of the first, added up."""
        total = np.zeros(len(among))
        for column in columns.tolist():
            if column not in self._with:
                found, everything = np.zeros(self.n_columns), np.arange(self.n_columns)
                none = np.zeros(self.n_columns, dtype=np.intp)
                self.table.add_information(np.array([column]), everything, none, found)
                found[column] = self._with_itself[column]
                self._with[column] = found
            total += self._with[column][among]
        return total

    @property
    def _with_itself(self) -> Floats:
        """The information of each column with itself: of categories the entropy."""
        if self._own is None:
            if isinstance(self.table, ParzenTable):
                self._own = np.zeros(self.n_columns)
                for column in range(self.n_columns):
                    one = np.array([column])
                    self.table.add_information(one, one, np.zeros(1, dtype=np.intp), self._own[column : column + 1])
            else:
                self._own = TripleTable(self.table).entropies[:-1]
        return self._own


@dataclass(frozen=True)
class SetRedundancy(InformationCriterion):
    """The mean relevance of a subset of features less the mean redundancy among them: mRMR's objective, Φ = D - R.

    D(S) = mean over x in S of I(x; c); R(S) = mean over all x and s in S, x = s included, of I(x; s).

    Parameters
    ----------
    form : {"difference", "redundancy"}, default="difference"
        "difference" is D(S) - redundancy_weight * R(S); "redundancy" is -R(S).
    redundancy_weight : float, default=1.0
        The factor of R(S), 0 or more.

    See Also
    --------
    RelevanceRedundancy : What mRMR maximises at each step, for one feature in addition to those selected.

    Notes
    -----
    Scores subsets, so that every search runs on it. Adding the feature of the largest value by RelevanceRedundancy is
    not the same as raising Φ most: there the redundancy of a new feature is over the features selected, here over all
    pairs, and a feature's information with itself, which the paper's sum includes, favours features of low entropy.
    Exhaustive proves the best subset; MinimumCut bounds how much better than its answer any subset can be.
    Does not see what features share with the class only together.

    References
    ----------
    Peng, Long and Ding (2005), Feature selection based on mutual information: criteria of max-dependency,
    max-relevance, and min-redundancy, Eqs. 4 to 6. https://doi.org/10.1109/TPAMI.2005.159

    Examples
    --------
    >>> from fewest import Exhaustive, FeatureSelector, SetRedundancy, scan
    >>> chosen = FeatureSelector(SetRedundancy(), Exhaustive(), n_features=3).fit(scan("wine")).selection_
    >>> chosen.features, chosen.is_optimal
    (('proline', 'od280/od315_of_diluted_wines', 'color_intensity'), True)
    """

    form: str = "difference"
    discretizer: Discretizer = field(default_factory=Discretizer)
    redundancy_weight: float = 1.0

    #: A column's information with itself is no count of a pair.
    counts: ClassVar[str] = "rows"
    offers: ClassVar[frozenset[str]] = frozenset(
        {"n_columns", "score_features", "score_pairs", "score_subset", "score_additions", "score_removals"}
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("form", self.form, FORMS)
        check_not_negative("redundancy_weight", self.redundancy_weight)

    def bind(self, rows: InformationRows) -> SetRedundancyObjective:
        """Return the objective on these rows."""
        return SetRedundancyObjective(self.table(rows), self.form, self.redundancy_weight)
