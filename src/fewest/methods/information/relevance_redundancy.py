"""The criterion of mRMR: a feature's relevance, less or over its redundancy with the selected features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.errors import InvalidParameter
from fewest.methods.information.discretisation.discretizer import Discretizer
from fewest.methods.information.information_criteria import InformationCriterion, InformationRows, InformationTable
from fewest.parameters import check_choice, check_not_negative
from fewest.protocols import Objective

FORMS = ("difference", "quotient")
#: Added to the redundancy in the quotient, in nats.
_MIN_REDUNDANCY = 1e-4 * np.log(2.0)


class RelevanceRedundancyObjective(Objective):
    """The value of each column in addition to those selected.

    Redundancies are added up in the order in which columns were selected, and kept: few columns at a time give the same
    numbers, to the bit, as all at once.

    n_evaluated : the number of pairs of columns whose information was computed
    """

    def __init__(self, table: InformationTable, is_quotient: bool, weight: float = 1.0) -> None:
        self.table, self.weight = table, weight
        self.n_columns = table.n_columns
        self.is_quotient = is_quotient
        self._selected: list[int] = []
        self._redundancy: Floats = np.zeros(table.n_columns)
        #: The number of selected columns that each column's redundancy counts already.
        self._counted: Indices = np.zeros(table.n_columns, dtype=np.intp)
        self._all = np.arange(table.n_columns)
        self.n_evaluated = 0

    def score_features(self) -> Floats:
        """Return the relevance: the information of each column with the class."""
        return self.table.relevance

    def score_additions(self, selected: Sequence[int], among: Indices) -> Floats:
        """Return the value of each of these columns in addition to those selected."""
        self._update(selected)
        indices = np.array(selected, dtype=np.intp)
        if 2 * len(among) > self.n_columns:
            # Gathering the columns would take longer than to evaluate the few others with them.
            self.n_evaluated += self.table.add_information(indices, self._all, self._counted, self._redundancy)
            self._counted[:] = len(selected)
            return self._values(slice(None))[among]
        sums = self._redundancy[among]
        self.n_evaluated += self.table.add_information(indices, among, self._counted[among], sums)
        self._redundancy[among] = sums
        self._counted[among] = len(selected)
        return self._values(among)

    def bound_additions(self, selected: Sequence[int]) -> Floats:
        """Return an upper bound of each column's value: redundancy that is not counted yet can only lower it."""
        self._update(selected)
        return self._values(slice(None))

    def _values(self, columns: Indices | slice) -> Floats:
        relevance: Floats = self.table.relevance[columns]
        if not self._selected:
            return relevance
        redundancy: Floats = self._redundancy[columns] / len(self._selected)
        values: Floats = (
            relevance / (redundancy + _MIN_REDUNDANCY) if self.is_quotient else relevance - self.weight * redundancy
        )
        return values

    def _update(self, selected: Sequence[int]) -> None:
        """Continue from the columns selected so far, or start again where these are others."""
        if self._selected != list(selected[: len(self._selected)]):
            self._redundancy[:] = 0.0
            self._counted[:] = 0
        self._selected = list(selected)


@dataclass(frozen=True)
class RelevanceRedundancy(InformationCriterion):
    """A feature's information with the class, less or over its mean information with the selected features.

    Parameters
    ----------
    form : {"difference", "quotient"}, default="difference"
        "difference" (MID) is I(x; c) - mean over selected s of I(x; s); "quotient" (MIQ) is I(x; c) / (mean over
        selected s of I(x; s) + 1e-4 ln 2).
    redundancy_weight : float, default=1.0
        The factor of the mean redundancy in the difference, 0 or more; 1 in the quotient.

    See Also
    --------
    fewest.MRMR : The selector with this criterion, and its reference.
    MutualInformation : The relevance alone.
    SetRedundancy : Mean relevance less mean redundancy of a whole subset.
    ConditionalInformation : With what two features share with the class only together.
    JointInformation : The information of all selected features together.

    Notes
    -----
    Keeps the rows, a byte a value where they are integers of a narrow range, or reads a large stream twice. A pair of
    columns costs O(n_rows). Does not see what features share with the class only together.

    Examples
    --------
    >>> from fewest import FeatureSelector, GreedyForward, RelevanceRedundancy, scan
    >>> selector = FeatureSelector(RelevanceRedundancy("quotient"), GreedyForward(), n_features=3)
    >>> selector.fit(scan("wine")).selection_.features
    ('flavanoids', 'ash', 'alcohol')
    """

    form: str = "difference"
    discretizer: Discretizer = field(default_factory=Discretizer)
    redundancy_weight: float = 1.0

    counts: ClassVar[str] = "pairs"
    offers: ClassVar[frozenset[str]] = frozenset({"score_features", "score_additions", "bound_additions"})

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("form", self.form, FORMS)
        check_not_negative("redundancy_weight", self.redundancy_weight)
        if self.form == "quotient" and self.redundancy_weight != 1:
            raise InvalidParameter(
                f"redundancy_weight must be 1 in the quotient, where a factor changes no order, got "
                f"{self.redundancy_weight!r} instead. Use the difference."
            )

    def bind(self, rows: InformationRows) -> RelevanceRedundancyObjective:
        """Return the objective on these rows."""
        return RelevanceRedundancyObjective(self.table(rows), self.form == "quotient", self.redundancy_weight)
