"""Pearson's chi-square of each feature's counts by class."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from fewest.methods.information.discretisation.categorical_rows import CategoricalRows
from fewest.methods.information.discretisation.discretizer import Discretizer
from fewest.methods.information.discretisation.second_pass import SecondPass
from fewest.methods.information.information_table import CategoricalCriterion, CategoryTable
from fewest.objectives import ColumnScores


@dataclass(frozen=True)
class ChiSquareStatistic(CategoricalCriterion):
    """Pearson's chi-square of the counts of each feature's categories by class.

    The sum over categories and classes of (count - expected)^2 / expected.

    Parameters
    ----------
    discretizer : Discretizer, default=Discretizer()
        How columns become categories.

    See Also
    --------
    MutualInformation : The information in the same counts.

    Notes
    -----
    Keeps the rows, a byte a value, or reads a large stream twice. Grows with the number of categories; does not see
    redundancy.
    """

    discretizer: Discretizer = field(default_factory=Discretizer)

    offers: ClassVar[frozenset[str]] = frozenset({"score_features"})

    def bind(self, rows: CategoricalRows | SecondPass) -> ColumnScores:
        """Return the statistic of each column of these rows."""
        return ColumnScores(CategoryTable(rows, self.discretizer).chi_square)
