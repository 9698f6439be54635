"""The weights of a linear support vector machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from fewest.arrays import Floats
from fewest.methods.margins.linear_margin import LinearMargin
from fewest.methods.margins.machine_selector import MachineSelector
from fewest.protocols import Sentence
from fewest.searches.individual_ranking import IndividualRanking
from fewest.selection import Selection


@dataclass(eq=False, repr=False)
class SVMWeights(MachineSelector):
    """The features that weigh most in a linear support vector machine on all of them.

    The machine is that of scikit-learn's LinearSVC with its defaults, squared hinge and an intercept that is a column
    of ones, solved to rounding. With more than two classes there is one for each class against the rest, and the
    score is the norm of a column's weights.

    Parameters
    ----------
    C : float, default=1.0
        What slack costs.

    The other parameters are those of every selector: see FisherMarkov. Columns are standardized unless `scale` says
    otherwise.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features_in_,)
        The norm of each column's weights: the scores.

    The other attributes are those of every selector.

    Notes
    -----
    Copies of a column share its weight, so that each weighs less than it would alone: see SVMRFE.

    Examples
    --------
    >>> from fewest import SVMWeights
    >>> from sklearn.datasets import load_wine
    >>> data = load_wine(as_frame=True)
    >>> SVMWeights(n_features=3).fit(data.data, data.target).selection_.features
    ('color_intensity', 'proline', 'flavanoids')
    """

    name: ClassVar[str] = "svm-weights"
    summary: ClassVar[str] = "the largest weights of a linear support vector machine"
    cost: ClassVar[str] = "one read, the rows, and a matrix of rows or columns, whichever are fewer"

    C: float = 1.0

    def sentence(self) -> Sentence:
        return LinearMargin(self.scale_or("std"), self.C), IndividualRanking()

    def store_fitted(self, objective: Any, selection: Selection) -> None:
        self.weights_: Floats = objective.score_features()
