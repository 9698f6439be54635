"""The support vector machine whose columns are rescaled by their weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fewest.methods.margins.machine_selector import WeighingSelector
from fewest.methods.margins.rescaled_margin import RescaledMargin
from fewest.protocols import Sentence
from fewest.searches.individual_ranking import IndividualRanking


@dataclass(eq=False, repr=False)
class L0SVM(WeighingSelector):
    """The features that are left when columns are multiplied by their weights in a linear machine again and again.

    What weighs little soon weighs nothing: this approximates the machine with the fewest columns (Weston, Elisseeff,
    Schoelkopf and Tipping 2003). The machine is that of SVMWeights.

    Parameters
    ----------
    C : float, default=1.0
        What slack costs.

    The other parameters are those of every selector: see FisherMarkov. Columns are standardized unless `scale` says
    otherwise.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features_in_,)
        The share that each column has in the end of all that is left; zero for those that were dropped.
    scores_ : ndarray of shape (n_features_in_,)
        The same; for those dropped, a number below all shares that tells when they went.

    The other attributes are those of every selector.

    Examples
    --------
    >>> from fewest import L0SVM
    >>> from sklearn.datasets import load_wine
    >>> data = load_wine(as_frame=True)
    >>> L0SVM(n_features=3).fit(data.data, data.target).selection_.features
    ('color_intensity', 'flavanoids', 'proline')
    """

    name: ClassVar[str] = "l0-svm"
    summary: ClassVar[str] = "what is left when columns are multiplied by their weights again and again"
    proves: ClassVar[str] = "nothing: a local optimum"
    cost: ClassVar[str] = "one read, the rows, and up to 30 times svm-weights"

    C: float = 1.0

    def sentence(self) -> Sentence:
        return RescaledMargin(self.scale_or("std"), self.C), IndividualRanking()
