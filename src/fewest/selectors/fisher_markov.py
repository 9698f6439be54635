"""The Fisher-Markov selector."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fewest.criteria import ScatterTrace
from fewest.errors import InvalidParameter
from fewest.protocols import Criterion, Search
from fewest.searches import IndividualRanking
from fewest.selection import Selection
from fewest.selectors.parameters import check_count, check_number
from fewest.selectors.selector import Selector


@dataclass(eq=False, repr=False)
class FisherMarkov(Selector):
    """The features whose classes lie farthest apart, exactly (Cheng, Zhou and Cheng).

    Chooses the subset S that maximises sum over S of (theta_f - beta) with theta_f = between_f - gamma * total_f:
    the linear Fisher-Markov selector, solved exactly from one read of the data.

    Parameters
    ----------
    degree : int, default=1
        Of the kernel. 1 is the linear selector.
    gamma : float, default=0.0
        How much a feature's total variance counts against it. Best at 0; above 1/2 it harms. With scale="std" it
        moves all scores alike and changes no order.
    beta : float, "null" or None, default=None
        Take the features with theta above this; "null": those that a column without class information would not
        reach, at the false discovery rate `level`; None: as many as n_features says.
    level : float, default=0.05
        The false discovery rate under beta="null".
    n_features : int, float, "auto" or None, default=None
        How many to take: a number, a share of the columns, "auto" (by cross-validation), or None for the 10 best.
    scale : "auto", "std", "range", "symmetric" or None, default="auto"
        Divide each column by its standard deviation ("auto"), map it to [0, 1] or [-1, 1], or leave it.
    estimator : classifier or None, default=None
        Whose error decides under n_features="auto"; None is a linear support vector machine.
    cv : int, splitter or iterable of (train, test) rows, default=5
        The folds under n_features="auto"; every row must be tested once. The features are selected anew inside
        each fold's training part.
    max_features : int, default=50
        The largest size tried under n_features="auto".
    random_state : int, default=0
        Seeds the folds.
    rule : "1se" or "min", default="1se"
        The fewest features within one standard error of the least error, or those at the least error.
    verbose : bool, default=False
        Show progress while reading.

    Attributes
    ----------
    theta_, scores_ : ndarray of shape (n_features_in_,)
        theta of each column; NaN where nothing was observed.
    path_ : mapping from size to columns
    ranking_, support_, n_features_, n_features_in_, feature_names_in_, selection_
        As in every selector: 1 = first taken, the mask, how many, the input's shape and names, and the answer
        with its evidence.

    Notes
    -----
    Exact: no subset has a larger value, whatever gamma. A missing value (NaN) is left out of its column's moments.
    Blind to redundancy: a copied column scores as well as the original.

    Examples
    --------
    >>> from fewest import FisherMarkov
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> FisherMarkov(n_features=2).fit(X, y).selection_.indices
    (2, 3)
    """

    name: ClassVar[str] = "fisher-markov"
    summary: ClassVar[str] = "classes far apart, each feature on its own (linear Fisher-Markov)"
    proves: ClassVar[str] = "the exact optimum"
    cost: ClassVar[str] = "one read"

    degree: int = 1
    gamma: float = 0.0
    beta: Any = None
    level: float = 0.05

    def sentence(self) -> tuple[Criterion, Search]:
        if check_count("degree", self.degree, at_least=1) != 1:
            raise InvalidParameter(f"degree must be 1, got {self.degree!r} instead.")
        gamma = check_number("gamma", self.gamma)
        scale = "std" if self.scale == "auto" else self.scale
        return ScatterTrace(gamma=gamma, scale=scale), IndividualRanking(beta=self.beta, level=self.level)

    def cuts_by_itself(self) -> bool:
        return self.beta is not None

    def learn(self, objective: Any, selection: Selection) -> None:
        self.theta_: NDArray[np.float64] = self.scores_
        self.path_ = selection.path
