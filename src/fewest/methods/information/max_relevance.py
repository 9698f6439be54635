"""Maximal relevance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fewest.methods.information.density import DensitySelector
from fewest.methods.information.mutual_information import MutualInformation
from fewest.protocols import Sentence
from fewest.searches.individual_ranking import IndividualRanking


@dataclass(eq=False, repr=False)
class MaxRelevance(DensitySelector):
    """The features that know most of the class, each on its own (Peng, Long and Ding).

    I(x; c), the mutual information in nats of a feature with the class.

    Parameters
    ----------
    density, discretize, n_bins, factor, missing
        How densities are estimated, and how columns become states: see MRMR.

    The other parameters are those of every selector: see FisherMarkov. `scale` has no effect: states have none.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features_in_,)
        The information; exactly 0 where a column is constant, NaN where nothing was observed.
    ranking_, support_, n_features_, n_features_in_, feature_names_in_, selection_
        As in every selector.

    Notes
    -----
    Blind to redundancy: a copied column scores as well as the original. See MRMR.

    Examples
    --------
    >>> from fewest import MaxRelevance
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> MaxRelevance(n_features=2).fit(X, y).selection_.indices
    (2, 3)
    """

    name: ClassVar[str] = "max-relevance"
    summary: ClassVar[str] = "what each feature knows of the class: mutual information"
    proves: ClassVar[str] = "nothing: no objective"

    def sentence(self) -> Sentence:
        return MutualInformation(self.discretizer(), density=self.checked_density()), IndividualRanking()
