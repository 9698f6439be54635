"""The Fisher score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fewest.methods.scatter.scatter_ratio import ScatterRatio
from fewest.protocols import Sentence
from fewest.searches.individual_ranking import IndividualRanking
from fewest.selectors.selector import Selector


@dataclass(eq=False, repr=False)
class FisherScore(Selector):
    """The features with the largest scatter between the classes against that within them.

    score_f = sum_c n_c (mean_c - mean)^2 / sum_c n_c var_c. Scaling does not change it: `scale` has no effect.

    Parameters
    ----------
    printed : bool, default=False
        For two classes, |mean_1 - mean_0| / sqrt(var_1 + var_0) instead.

    The other parameters and the attributes are those of every selector: see FisherMarkov.

    Examples
    --------
    >>> from fewest import FisherScore
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> FisherScore(n_features=2).fit(X, y).scores_.round(2)
    array([ 1.62,  0.67, 16.06, 13.06])
    """

    name: ClassVar[str] = "fisher-score"
    summary: ClassVar[str] = "scatter between the classes over scatter within them"
    proves: ClassVar[str] = "nothing: no objective"
    cost: ClassVar[str] = "one read"

    printed: bool = False

    def sentence(self) -> Sentence:
        return ScatterRatio(printed=self.printed), IndividualRanking()
