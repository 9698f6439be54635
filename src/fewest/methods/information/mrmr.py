"""Minimal redundancy, maximal relevance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fewest.methods.information.density import DensitySelector
from fewest.methods.information.relevance_redundancy import RelevanceRedundancy
from fewest.parameters import check_choice
from fewest.protocols import Sentence
from fewest.searches.greedy_forward import GreedyForward


@dataclass(eq=False, repr=False)
class MRMR(DensitySelector):
    """Features that know much of the class and little of each other (Peng, Long and Ding).

    One after the other, first the most relevant, then the one with the largest

    - "difference" (MID): I(x; c) - mean over the chosen s of I(x; s),
    - "quotient" (MIQ): I(x; c) / (mean over the chosen s of I(x; s) + 1e-4 ln 2),

    I being the mutual information, in nats, of states or of densities. All columns are candidates at every step; those
    that cannot win are not evaluated, which changes nothing.

    Parameters
    ----------
    criterion : "difference" or "quotient", default="difference"
    density : "discrete" or "parzen", default="discrete"
        "discrete" counts states. "parzen" needs no states: the density of a column is a sum of Gaussians, one at each
        row, on standardized values, of width 1.06 N^(-1/5). It takes numbers without gaps, and sample weights that are
        fractions; discretize, n_bins, factor and missing have no effect.
    discretize : "auto", None, "mean", "sigma", "width" or "frequency", default="auto"
        How a column becomes states. "auto": text, categories, booleans and whole numbers of at most 10 values are
        states as they are; the rest are cut as by "sigma". None: every column as it is. "mean": above the mean or not.
        "sigma": below, within or above mean - factor * sd to mean + factor * sd. "width", "frequency": n_bins of equal
        width, or of about as many rows each. Cuts are learned on the training rows.
    n_bins : int, default=5
        Of "width" and "frequency".
    factor : float, default=1.0
        Of "sigma".
    missing : "state" or "pairwise", default="state"
        A missing value is a state of its own, or a pair is counted over the rows where both are observed.

    The other parameters are those of every selector: see FisherMarkov. `scale` has no effect: states have none.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features_in_,)
        What a column was worth when it was taken; NaN for those that were not.
    ranking_, support_, n_features_, n_features_in_, feature_names_in_, selection_
        As in every selector.

    Notes
    -----
    Ties, scores within 1e-12 of the highest, go to the lowest column. Blind to what features say only together.

    Examples
    --------
    >>> from fewest import MRMR
    >>> from sklearn.datasets import load_wine
    >>> data = load_wine(as_frame=True)
    >>> MRMR(n_features=3).fit(data.data, data.target).selection_.features
    ('flavanoids', 'proline', 'od280/od315_of_diluted_wines')
    """

    name: ClassVar[str] = "mrmr"
    summary: ClassVar[str] = "features that know much of the class and little of each other"
    proves: ClassVar[str] = "nothing: greedy"

    criterion: str = "difference"

    def sentence(self) -> Sentence:
        check_choice("criterion", self.criterion, ("difference", "quotient"))
        criterion = RelevanceRedundancy(self.criterion, self.discretizer(), density=self.checked_density())
        return criterion, GreedyForward()
