"""FeatureSelector: any criterion with any search that fits it."""

from __future__ import annotations

from dataclasses import dataclass

from fewest.protocols import AnyCriterion, AnySearch, Sentence
from fewest.selectors.row_selector import RowSelector


@dataclass(eq=False, repr=False)
class FeatureSelector(RowSelector):
    """Select features by any criterion with any search that fits it.

    Parameters
    ----------
    criterion : criterion
        How good features are, such as ScatterTrace().
    search : search
        Which features to take, such as IndividualRanking().

    See Also
    --------
    FisherMarkov : The criterion ScatterTrace with the search that is exact for it.

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
