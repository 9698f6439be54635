"""How far a feature's counts by class are from those of independence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from fewest.methods.information.category_table import StateTable
from fewest.methods.information.discretisation.discretizer import Coding
from fewest.methods.information.discretisation.on_states import OnStates
from fewest.methods.information.discretisation.second_pass import CountedAgain
from fewest.methods.information.discretisation.state_rows import StateRows
from fewest.methods.information.mutual_information import ScoredFeatures


@dataclass(frozen=True)
class StateChiSquare(OnStates):
    """How far the counts of a feature's states by class are from those of independence: Pearson's chi square.

    sum over states and classes of (count - expected)^2 / expected.

    Keeps the rows, a byte a value, or reads a large stream twice. Grows with the number of states; blind to redundancy.
    """

    coding: Coding = field(default_factory=Coding)

    offers: ClassVar[frozenset[str]] = frozenset({"score_features"})

    def bind(self, rows: StateRows | CountedAgain) -> ScoredFeatures:
        return ScoredFeatures(StateTable(rows, self.coding).chi_square)
