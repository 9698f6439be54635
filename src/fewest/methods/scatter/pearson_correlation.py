"""Correlation with the class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fewest.methods.scatter.class_correlation import ClassCorrelation
from fewest.protocols import Sentence
from fewest.searches.individual_ranking import IndividualRanking
from fewest.selectors.selector import Selector


@dataclass(eq=False, repr=False)
class PearsonCorrelation(Selector):
    """The features that correlate most with the class.

    Two classes: |corr(x, +-1)|; more: the multiple correlation with the classes' indicators. Scaling does not
    change it: `scale` has no effect.

    The parameters and the attributes are those of every selector: see FisherMarkov.

    Examples
    --------
    >>> from fewest import PearsonCorrelation
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> PearsonCorrelation(n_features=2).fit(X, y).scores_.round(2)
    array([0.79, 0.63, 0.97, 0.96])
    """

    name: ClassVar[str] = "pearson-correlation"
    summary: ClassVar[str] = "correlation with the class"
    proves: ClassVar[str] = "nothing: no objective"
    cost: ClassVar[str] = "one read"

    def sentence(self) -> Sentence:
        return ClassCorrelation(), IndividualRanking()
