"""The chi-square statistic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fewest.criteria import StateChiSquare
from fewest.protocols import Criterion, Search
from fewest.searches import IndividualRanking
from fewest.selectors.counting import CountingSelector


@dataclass(eq=False, repr=False)
class ChiSquare(CountingSelector):
    """The features whose states depend most on the class, by Pearson's chi square.

    Sum over states and classes of (count - expected)^2 / expected, of the table of a feature's states by class. Not
    scikit-learn's chi2, which adds up values as if they were counts.

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

    Notes
    -----
    Grows with the number of states, so compare features of like many. Blind to redundancy.

    Examples
    --------
    >>> from fewest import ChiSquare
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> ChiSquare(n_features=2).fit(X, y).selection_.indices
    (3, 2)
    """

    name: ClassVar[str] = "chi-square"
    summary: ClassVar[str] = "how far each feature's counts by class are from independence"
    proves: ClassVar[str] = "nothing: no objective"

    def sentence(self) -> tuple[Criterion, Search]:
        return StateChiSquare(self.coding()), IndividualRanking()
