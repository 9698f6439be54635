"""The chi-square statistic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fewest.methods.information.chi_square_statistic import ChiSquareStatistic
from fewest.methods.information.counting import CountingSelector
from fewest.protocols import Sentence
from fewest.searches.individual_ranking import IndividualRanking


@dataclass(eq=False, repr=False)
class ChiSquare(CountingSelector):
    """The features whose states depend most on the class, by Pearson's chi square.

    Sum over states and classes of (count - expected)^2 / expected, of the table of a feature's states by class. Not
    scikit-learn's chi2, which adds up values as if they were counts.

    Parameters
    ----------
    discretize, n_bins, factor, missing
        How columns become states: see MRMR.

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

    def sentence(self) -> Sentence:
        return ChiSquareStatistic(self.discretizer()), IndividualRanking()
