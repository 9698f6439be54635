"""Any criterion with any search that fits it."""

from __future__ import annotations

from dataclasses import dataclass

from fewest.protocols import AnyCriterion, AnySearch, Sentence
from fewest.selectors.selector import Selector


@dataclass(eq=False, repr=False)
class FeatureSelector(Selector):
    """Join any criterion with any search that fits it.

    Parameters
    ----------
    criterion : how good features are, such as ScatterTrace()
    search : which to take, such as IndividualRanking()

    The other parameters are those of every selector: see FisherMarkov.

    Examples
    --------
    >>> from fewest import FeatureSelector, IndividualRanking, ScatterTrace
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> FeatureSelector(ScatterTrace(gamma=-0.5, scale=None), IndividualRanking(), n_features=2).fit(X, y).support_
    array([False, False,  True,  True])
    """

    criterion: AnyCriterion
    search: AnySearch

    def sentence(self) -> Sentence:
        return self.criterion, self.search
