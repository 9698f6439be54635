"""Criteria that score each feature on its own: mutual information with the class, and chi-square."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from fewest.methods.information.discretisation.categorical_rows import CategoricalRows
from fewest.methods.information.discretisation.discretizer import Discretizer
from fewest.methods.information.discretisation.second_pass import SecondPass
from fewest.methods.information.information_table import (
    CategoricalCriterion,
    CategoryTable,
    InformationCriterion,
    InformationRows,
)
from fewest.objectives import ColumnScores


@dataclass(frozen=True)
class MutualInformation(InformationCriterion):
    """The mutual information of each feature with the class, in nats.

    I(x; c) = sum over categories of p(x, c) log p(x, c) / (p(x) p(c)); with density="parzen" the mean over rows of
    log p(x, c) / (p(x) p(c)), p(x) being a sum of Gaussians.

    Parameters
    ----------
    discretizer : Discretizer, default=Discretizer()
        How columns become categories.
    density : {"discrete", "parzen"}, default="discrete"
        Whether categories are counted, text included, or a Gaussian is put on each value of complete columns of
        numbers.

    See Also
    --------
    RelevanceRedundancy : The same less the information with the selected features.
    ChiSquareStatistic : Pearson's chi-square of the same counts.

    Notes
    -----
    Keeps the rows, a byte a value where they are integers of a narrow range, or reads a large stream twice. Does not
    see redundancy, nor what features share with the class only together. Maximal relevance in the paper; information
    gain.

    References
    ----------
    Peng, Long and Ding (2005), Feature selection based on mutual information: criteria of max-dependency,
    max-relevance, and min-redundancy. https://doi.org/10.1109/TPAMI.2005.159
    """

    discretizer: Discretizer = field(default_factory=Discretizer)

    offers: ClassVar[frozenset[str]] = frozenset({"score_features"})

    def bind(self, rows: InformationRows) -> ColumnScores:
        """Return the information of each column of these rows with the class."""
        return ColumnScores(self.table(rows).relevance)


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
