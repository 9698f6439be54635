"""How far a feature's counts by class are from those of independence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from fewest.methods.information.category_table import CategoryTable
from fewest.methods.information.discretisation.discretizer import Discretizer
from fewest.methods.information.discretisation.on_states import CategoricalCriterion
from fewest.methods.information.discretisation.second_pass import SecondPass
from fewest.methods.information.discretisation.state_rows import CategoricalRows
from fewest.methods.information.mutual_information import ScoredFeatures


@dataclass(frozen=True)
class ChiSquareStatistic(CategoricalCriterion):
    """How far the counts of a feature's states by class are from those of independence: Pearson's chi square.

    sum over states and classes of (count - expected)^2 / expected.

    Keeps the rows, a byte a value, or reads a large stream twice. Grows with the number of states; blind to redundancy.
    """

    discretizer: Discretizer = field(default_factory=Discretizer)

    offers: ClassVar[frozenset[str]] = frozenset({"score_features"})

    def bind(self, rows: CategoricalRows | SecondPass) -> ScoredFeatures:
        return ScoredFeatures(CategoryTable(rows, self.discretizer).chi_square)
