"""FeatureSelector: any criterion with any search that fits it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from fewest.protocols import AnyCriterion, AnySearch, FindsPath, Sentence
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

    The best of all pairs, proved, by a criterion that no other search is exact for:

    >>> from fewest import BayesError, Exhaustive
    >>> chosen = FeatureSelector(BayesError(), Exhaustive(), n_features=2).fit(X, y).selection_
    >>> sorted(chosen.indices), chosen.is_optimal
    ([2, 3], True)
    """

    criterion: AnyCriterion
    search: AnySearch

    def sentence(self) -> Sentence:
        # Under "auto" subsets of all sizes are compared.
        if self.n_features == "auto" and isinstance(self.search, FindsPath):
            return self.criterion, self.search.with_path()
        return self.criterion, self.search

    def _objective_words(self) -> str:
        return type(self.criterion).__name__

    def _chooses_size(self) -> bool:
        return getattr(self.search, "beta", None) is not None or super()._chooses_size()

    def _with_sizes(self, sizes: Sequence[int]) -> Self:
        own: Self = super()._with_sizes(sizes)
        if isinstance(self.search, FindsPath) and len(sizes) > 1:
            own.set_params(search=self.search.with_path())
        return own
