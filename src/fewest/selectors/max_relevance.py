"""Maximal relevance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fewest.criteria import MutualInformation
from fewest.protocols import Criterion, Search
from fewest.searches import IndividualRanking
from fewest.selectors.counting import CountingSelector


@dataclass(eq=False, repr=False)
class MaxRelevance(CountingSelector):
    """The features that know most of the class, each on its own (Peng, Long and Ding).

    I(x; c), the mutual information in nats of a feature's states with the class.

    Parameters
    ----------
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

    def sentence(self) -> tuple[Criterion, Search]:
        return MutualInformation(self.coding()), IndividualRanking()
