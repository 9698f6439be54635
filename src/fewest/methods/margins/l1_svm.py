"""The support vector machine whose weights cost their absolute values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fewest.methods.margins.machine_selector import WeighingSelector
from fewest.methods.margins.sparse_margin import SparseMargin
from fewest.protocols import Sentence
from fewest.searches.individual_ranking import IndividualRanking


@dataclass(eq=False, repr=False)
class L1SVM(WeighingSelector):
    """The features that weigh most in a linear machine whose weights cost their absolute values.

    min |w|_1 + C sum_i max(0, 1 - y_i (w . x_i + b)), which leaves most columns without a weight (Bradley and
    Mangasarian 1998). After those that have one come those that enter as C grows, in that order.

    Parameters
    ----------
    C : float, default=1.0
        What slack costs: the larger, the more columns have a weight.

    The other parameters are those of every selector: see FisherMarkov. Columns are standardized unless `scale` says
    otherwise.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features_in_,)
        The norm of each column's weights, over the classes against the rest; zero for most.
    scores_ : ndarray of shape (n_features_in_,)
        The same; for columns without a weight, a number below all weights that tells when they enter.

    The other attributes are those of every selector.

    Notes
    -----
    There are never more weights than rows in a machine. Where more features are asked for than ever enter, the rest
    follows in the order of the table, and a note says so.

    Examples
    --------
    >>> from fewest import L1SVM
    >>> from sklearn.datasets import load_wine
    >>> data = load_wine(as_frame=True)
    >>> L1SVM(n_features=3).fit(data.data, data.target).selection_.features
    ('flavanoids', 'color_intensity', 'proline')
    """

    name: ClassVar[str] = "l1-svm"
    summary: ClassVar[str] = "the largest weights of a linear machine that has few of them"
    cost: ClassVar[str] = "one read, the rows, and up to eleven linear programs a class"

    C: float = 1.0

    def sentence(self) -> Sentence:
        return SparseMargin(self.scale_or("std"), self.C), IndividualRanking()
