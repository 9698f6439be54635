"""Feature selection concave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fewest.methods.margins.concave_margin import ConcaveMargin
from fewest.methods.margins.machine_selector import WeighingSelector
from fewest.protocols import Sentence
from fewest.searches.individual_ranking import IndividualRanking


@dataclass(eq=False, repr=False)
class FSV(WeighingSelector):
    """The features of a linear machine that pays for every column about the same, however much it weighs.

    min (1 - suppression) (mean slack of the one class + mean slack of the other)
        + suppression sum_j (1 - exp(-steepness |w_j|)),

    by linear programs that follow each other (Bradley and Mangasarian 1998, FSV).

    Parameters
    ----------
    suppression : float, default=0.05
        What columns cost against slack, between 0 and 1: the lambda of the paper.
    steepness : float, default=5.0
        How soon a weight costs a whole column: the alpha of the paper.

    The other parameters are those of every selector: see FisherMarkov. Columns are standardized unless `scale` says
    otherwise.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features_in_,)
        The norm of each column's weights, over the classes against the rest: the scores; zero for most.

    The other attributes are those of every selector.

    Notes
    -----
    Where more features are asked for than have a weight, the rest follows in the order of the table; a note says so.

    Examples
    --------
    >>> from fewest import FSV
    >>> from sklearn.datasets import load_wine
    >>> data = load_wine(as_frame=True)
    >>> FSV(n_features=3).fit(data.data, data.target).selection_.features
    ('flavanoids', 'color_intensity', 'proline')
    """

    name: ClassVar[str] = "fsv"
    summary: ClassVar[str] = "the weights of a linear machine that pays for the number of its columns"
    proves: ClassVar[str] = "nothing: a local optimum"
    cost: ClassVar[str] = "one read, the rows, and a few linear programs a class"

    suppression: float = 0.05
    steepness: float = 5.0

    def sentence(self) -> Sentence:
        return ConcaveMargin(self.scale_or("std"), self.suppression, self.steepness), IndividualRanking()
