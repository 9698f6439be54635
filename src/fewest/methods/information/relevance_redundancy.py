"""What a feature knows of the class that the chosen ones do not know already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.methods.information.density_estimation import InformationCriterion, InformationTable
from fewest.methods.information.discretisation.discretizer import Discretizer
from fewest.methods.information.discretisation.second_pass import SecondPass
from fewest.methods.information.discretisation.state_rows import CategoricalRows
from fewest.parameters import check_choice
from fewest.statistics.rows import Rows

FORMS = ("difference", "quotient")
#: What the quotient adds to the redundancy, in nats.
_LEAST_REDUNDANCY = 1e-4 * np.log(2.0)


class RelevanceRedundancyObjective:
    """The worth of each column beside those chosen.

    Redundancies are added up in the order in which columns were chosen, and kept: asking for the worth of few columns
    at a time gives the same numbers, to the bit, as asking for all.
    """

    is_additive = False

    def __init__(self, table: InformationTable, is_quotient: bool) -> None:
        self.table = table
        self.is_quotient = is_quotient
        self._chosen: list[int] = []
        self._taken: Indices = np.empty(0, dtype=np.intp)
        self._redundancy: Floats = np.zeros(table.n_columns)
        #: How many of the chosen columns each column's redundancy counts already.
        self._counted: Indices = np.zeros(table.n_columns, dtype=np.intp)
        self._all = np.arange(table.n_columns)
        self.n_evaluated = 0

    def score_features(self) -> Floats:
        """Relevance: what each column knows of the class."""
        return self.table.relevance

    def score_additions(self, selected: Sequence[int], among: Indices) -> Floats:
        """What each of these columns is worth beside those selected."""
        self._follow(selected)
        if 2 * len(among) > self.table.n_columns:
            # Looking the columns up would take longer than to count the few others with them.
            self.n_evaluated += self.table.add_information(self._taken, self._all, self._counted, self._redundancy)
            self._counted[:] = len(selected)
            return self._worth(slice(None))[among]
        sums = self._redundancy[among]
        self.n_evaluated += self.table.add_information(self._taken, among, self._counted[among], sums)
        self._redundancy[among] = sums
        self._counted[among] = len(selected)
        return self._worth(among)

    def bound_additions(self, selected: Sequence[int]) -> Floats:
        """No column is worth more than this: redundancy that is not counted yet can only take away."""
        self._follow(selected)
        return self._worth(slice(None))

    def _worth(self, columns: Indices | slice) -> Floats:
        relevance: Floats = self.table.relevance[columns]
        if not self._chosen:
            return relevance
        mean_redundancy = self._redundancy[columns] / len(self._chosen)
        worth: Floats = relevance - mean_redundancy
        if self.is_quotient:
            worth = relevance / (mean_redundancy + _LEAST_REDUNDANCY)
        return worth

    def _follow(self, selected: Sequence[int]) -> None:
        """Go on from the columns chosen so far, or begin anew where these are others."""
        if self._chosen != list(selected[: len(self._chosen)]):
            self._redundancy[:] = 0.0
            self._counted[:] = 0
        if self._chosen != list(selected):
            self._chosen = list(selected)
            self._taken = np.array(selected, dtype=np.intp)


@dataclass(frozen=True)
class RelevanceRedundancy(InformationCriterion):
    """What a feature knows of the class, less (or over) what it knows of the features chosen before.

    difference : I(x; c) - mean over chosen s of I(x; s)
    quotient : I(x; c) / (mean over chosen s of I(x; s) + 1e-4 ln 2)

    I is counted on states (discretizer), or estimated with a Gaussian kernel (density="parzen").

    Keeps the rows, a byte a value where they are whole, or reads a large stream twice. Blind to what features say only
    together.
    Minimal redundancy, maximal relevance (Peng, Long and Ding), MID and MIQ.
    """

    form: str = "difference"
    discretizer: Discretizer = field(default_factory=Discretizer)

    counts: ClassVar[str] = "pairs"
    offers: ClassVar[frozenset[str]] = frozenset({"score_features", "score_additions", "bound_additions"})

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("form", self.form, FORMS)

    def bind(self, rows: Rows | CategoricalRows | SecondPass) -> RelevanceRedundancyObjective:
        return RelevanceRedundancyObjective(self.table(rows), self.form == "quotient")
