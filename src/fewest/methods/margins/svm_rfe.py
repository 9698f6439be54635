"""Recursive elimination by the weights of a linear support vector machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fewest.methods.margins.linear_margin import LinearMargin
from fewest.methods.margins.machine_selector import MachineSelector
from fewest.protocols import Sentence
from fewest.searches.recursive_elimination import RecursiveElimination


@dataclass(eq=False, repr=False)
class SVMRFE(MachineSelector):
    """The features that are left when those that weigh least in a linear machine are dropped again and again.

    The machine of SVMWeights is fitted, the column with the smallest weight dropped, the machine fitted to the rest,
    and so on until one is left (Guyon, Weston, Barnhill and Vapnik 2002). The ranking is the reverse of that order;
    `n_features` says no more than where it is cut.

    Parameters
    ----------
    C : float, default=1.0
        What slack costs.
    step : int or float, default=1
        How many columns are dropped at a time; below 1, that share of all columns. More than one at a time may drop two
        columns that could have stood in for each other.

    The other parameters are those of every selector: see FisherMarkov. Columns are standardized unless `scale` says
    otherwise.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features_in_,)
        How many columns each has outlived.

    The other attributes are those of every selector.

    Notes
    -----
    Of columns whose weights are within 1e-12 the highest goes. Every machine is solved to rounding, from where the last
    one stood: see `docs/svm_rfe.md`.

    Examples
    --------
    >>> from fewest import SVMRFE
    >>> from sklearn.datasets import load_wine
    >>> data = load_wine(as_frame=True)
    >>> SVMRFE(n_features=3).fit(data.data, data.target).selection_.features
    ('color_intensity', 'proline', 'flavanoids')
    """

    name: ClassVar[str] = "svm-rfe"
    summary: ClassVar[str] = "what is left when the smallest weights of a linear machine are dropped again and again"
    proves: ClassVar[str] = "nothing: greedy"
    cost: ClassVar[str] = "one read, the rows, and for each column a few products of rows or of columns"

    C: float = 1.0
    step: int | float = 1

    def sentence(self) -> Sentence:
        return LinearMargin(self.scale_or("std"), self.C), RecursiveElimination(self.step)
