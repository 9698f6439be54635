"""Relief with densities in place of neighbours."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

from fewest.errors import FewestWarning
from fewest.methods.relief.margin_selector import MarginSelector
from fewest.methods.relief.parzen_margin import ParzenMargin
from fewest.protocols import Sentence
from fewest.searches.individual_ranking import IndividualRanking
from fewest.selection import Selection


@dataclass(eq=False, repr=False)
class ParzenRelief(MarginSelector):
    """The features on which rows lie nearer to their own class than to the others, by densities (Parzen-Relief).

    A feature's score is the mean Gaussian kernel between two rows of a class, less that between a row of it and one of
    the others, the mean over the classes: 0 on the mean for a feature that knows nothing of the class.

    Parameters
    ----------
    width : "sd/2", "silverman" or float, default="sd/2"
        The width of the kernel: half the standard deviation of each column, 1.06 sd N^(-1/5), or a number in units of
        the scaled column.
    printed : bool, default=False
        The paper's form. There each row is compared with itself too, and large classes count more: a feature that knows
        nothing then scores above 0, the more so the more it is spread out.

    The other parameters are those of every selector: see FisherMarkov. `scale` is "range" by default, and has an effect
    where `width` is a number.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features_in_,)
        The mean margin of each column; NaN where it was never observed.
    weights_ : ndarray of shape (n_features_in_,)
        The unit vector that makes the most of the margins: their positive part, over its length.
    ranking_, support_, n_features_, n_features_in_, feature_names_in_, selection_
        As in every selector.

    Notes
    -----
    Text and categories are taken as they are: two values are equal or not. `sample_weight` may be fractions; a class
    counts where its weight is two and more.

    Examples
    --------
    >>> from fewest import ParzenRelief
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> ParzenRelief(n_features=2).fit(X, y).scores_.round(2)
    array([0.28, 0.12, 0.69, 0.7 ])
    """

    name: ClassVar[str] = "parzen-relief"
    summary: ClassVar[str] = "features on which rows lie nearer to their own class than to the others"
    takes: ClassVar[str] = "numbers, text and categories, gaps allowed, dense, sparse or streamed"
    proves: ClassVar[str] = "nothing: no objective"
    cost: ClassVar[str] = "one read; O(rows) a column"

    width: str | float = "sd/2"
    printed: bool = False

    def sentence(self) -> Sentence:
        return ParzenMargin(self.width, bool(self.printed), self.scale_or("range")), IndividualRanking()

    def fit_notes(self, selection: Selection, objective: Any) -> tuple[str, ...]:
        if objective.n_classes > 0:
            return ()
        note = "no class has two rows (a total weight of 2), and so no margin: every score is 0"
        warnings.warn(note, FewestWarning, stacklevel=5)
        return (note,)
