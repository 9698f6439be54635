"""The statistic of Kolmogorov and Smirnov."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fewest.methods.thresholds.distribution_distance import DistributionDistance
from fewest.protocols import Sentence
from fewest.searches.individual_ranking import IndividualRanking
from fewest.selectors.selector import Selector


@dataclass(eq=False, repr=False)
class KolmogorovSmirnov(Selector):
    """The features in which the distributions of the classes lie farthest apart.

    score_f = sup |F_1 - F_2|, the largest difference between the shares of the two classes that lie at or below a
    threshold; with more classes, each against all others, the mean by the classes' shares. From 0 to 1. Only the order
    of a column's values counts: `scale` has no effect.

    The parameters and the attributes are those of every selector: see FisherMarkov.

    Examples
    --------
    >>> from fewest import KolmogorovSmirnov
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> KolmogorovSmirnov(n_features=2).fit(X, y).scores_.round(2)
    array([0.6 , 0.42, 0.81, 0.8 ])
    """

    name: ClassVar[str] = "kolmogorov-smirnov"
    summary: ClassVar[str] = "largest difference between the classes' distribution functions"
    takes: ClassVar[str] = "numbers, gaps allowed, dense or sparse"
    proves: ClassVar[str] = "nothing: no objective"
    cost: ClassVar[str] = "one read, the rows, and a sort of each column"

    def sentence(self) -> Sentence:
        return DistributionDistance(), IndividualRanking()
