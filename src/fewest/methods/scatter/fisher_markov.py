"""The Fisher-Markov selector."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fewest.arrays import Floats
from fewest.errors import FewestWarning, InvalidParameter
from fewest.methods.scatter.scatter_trace import ScatterTrace
from fewest.parameters import check_choice, check_count, check_number
from fewest.protocols import Sentence
from fewest.searches.individual_ranking import IndividualRanking
from fewest.searches.minimum_cut import MaximumClosure, MinimumCut
from fewest.selection import Selection
from fewest.selectors.selector import Selector


@dataclass(eq=False, repr=False)
class FisherMarkov(Selector):
    """The features whose classes lie farthest apart, alone or together, exactly (Cheng, Zhou and Cheng).

    With T(z) = between - gamma * total of a column z, theta_j = T(x_j) and theta_jl = T(x_j x_l), chooses the subset S
    that maximises

    - degree 1: the sum over S of theta_j - beta,
    - degree 2: the sum over S of theta_j + w theta_jj / 2 - beta, plus that of w theta_jl over the pairs in S,
    - degree 3: the same for the kernel s + s^2 + s^3/3.

    Solved exactly from one read of the data, degrees 2 and 3 by minimum cuts, with the best subsets for every beta.

    Parameters
    ----------
    degree : 1, 2 or 3, default=1
        Of the kernel. 1 judges each feature on its own; 2 finds features that tell the classes apart in pairs, in
        memory for a table of columns by columns; 3 also in threes, for at most 60 columns, and keeps the rows.
    gamma : float, default=0.0
        How much a feature's total variance counts against it. Best at 0; above 1/2 it harms. With degree 1 and
        scale="std" it moves all scores alike and changes no order. Up to `exact_gamma_` the answer is proved.
    beta : float, "null" or None, default=None
        What a feature costs: take those that are then worth it; "null" (degree 1): those that a column without class
        information would not reach, at the false discovery rate `level`; None: as many as n_features says.
    level : float, default=0.05
        The false discovery rate under beta="null".
    kernel : "inhomogeneous" or "homogeneous", default="inhomogeneous"
        With degree 2 and 3: whether features count alone too, or only products of as many as the degree.
    pair_weight : float, default=1.0
        w, with degree 2. 1 as in the paper; 1 / (columns - 1) is a safer middle on real tables, but misses features
        that tell only together.
    keep_pairs : bool, default=False
        Keep `theta_pairs_`, a table of columns by columns.
    n_features : int, float, "auto" or None, default=None
        How many to take: a number, a share of the columns, "auto" (by cross-validation), or None for the 10 best.
    scale : "auto", "std", "range", "symmetric" or None, default="auto"
        "auto" divides each column by its standard deviation with degree 1, and maps it to [-1, 1] with degree 2 and 3.
    estimator : classifier or None, default=None
        Whose error decides under n_features="auto"; None is a support vector machine with a kernel of this degree, a
        linear one with degree 1.
    cv : int, splitter or iterable of (train, test) rows, default=5
        The folds under n_features="auto"; every row must be tested once. The features are selected anew inside
        each fold's training part.
    max_features : int, default=50
        The largest size tried under n_features="auto".
    random_state : int, default=0
        Seeds the folds.
    rule : "1se", "min" or "stable", default="1se"
        The fewest features within one standard error of the least error, those at the least error, or those at the
        least error within the range of sizes where it is small and steady (see TwoStage).
    verbose : bool, default=False
        Show progress while reading.

    Attributes
    ----------
    theta_ : ndarray of shape (n_features_in_,)
        theta of each column; NaN where nothing was observed.
    theta_pairs_ : ndarray of shape (n_features_in_, n_features_in_)
        theta_jl, with theta_jj on the diagonal; only with keep_pairs=True and degree 2 or 3.
    scores_ : ndarray of shape (n_features_in_,)
        With degree 1 theta, with degree 2 and 3 the beta at which a column enters the best subset.
    path_ : mapping from size to columns
    exact_gamma_ : float
        With degree 2 and 3: every gamma up to this one is solved exactly. At least 0; known beyond that where gamma is
        not 0, and always with degree 3.
    ranking_, support_, n_features_, n_features_in_, feature_names_in_, selection_
        As in every selector: 1 = first taken, the mask, how many, the input's shape and names, and the answer
        with its evidence. With degree 2 and 3 `selection_.breakpoints` has the beta at which features enter.

    Notes
    -----
    Degree 1 is exact whatever gamma. Degrees 2 and 3 are exact for every beta where gamma is at most `exact_gamma_`;
    for a number of features that is best at no beta, and for larger gamma, `selection_.bound` says how much better any
    other choice can be at most. A missing value (NaN) is left out of its column's moments, and of the products that it
    is part of. Blind to redundancy: a copied column scores as well as the original.

    Examples
    --------
    >>> from fewest import FisherMarkov
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> FisherMarkov(n_features=2).fit(X, y).selection_.indices
    (2, 3)

    Two columns that tell the classes apart only together:

    >>> import numpy as np
    >>> X = np.random.default_rng(0).choice([-1.0, 1.0], size=(400, 6))
    >>> y = X[:, 1] * X[:, 4] > 0
    >>> sorted(FisherMarkov(degree=2, n_features=2).fit(X, y).selection_.indices)
    [1, 4]
    """

    name: ClassVar[str] = "fisher-markov"
    summary: ClassVar[str] = "classes far apart, each feature alone, or in pairs (degree=2) or threes (degree=3)"
    proves: ClassVar[str] = "the exact optimum"
    cost: ClassVar[str] = "one read"

    degree: int = 1
    gamma: float = 0.0
    beta: Any = None
    level: float = 0.05
    kernel: str = "inhomogeneous"
    pair_weight: float = 1.0
    keep_pairs: bool = False

    def sentence(self) -> Sentence:
        degree = check_count("degree", self.degree, at_least=1)
        gamma = check_number("gamma", self.gamma)
        check_choice("keep_pairs", self.keep_pairs, (True, False))
        if self.beta is not None and self.n_features is not None:
            raise InvalidParameter(
                f"Give beta or n_features, not both (n_features={self.n_features!r}): each decides how many to take."
            )
        scale = self.scale
        if scale == "auto":
            scale = "std" if degree == 1 else "symmetric"
        criterion = ScatterTrace(gamma, scale, degree, self.kernel, self.pair_weight)
        if degree == 1:
            return criterion, IndividualRanking(beta=self.beta, level=self.level)
        if isinstance(self.beta, str) and self.beta == "null":
            raise InvalidParameter(
                f"beta='null' tests each column on its own, which is degree=1; degree is {degree}. Give beta a number."
            )
        return criterion, (MinimumCut if degree == 2 else MaximumClosure)(beta=self.beta)

    def chooses_size(self) -> bool:
        return self.beta is not None

    def evaluation_degree(self) -> int:
        # A linear machine is blind to what columns say only together, and would leave them out.
        return self.degree

    def fit_notes(self, selection: Selection, objective: Any) -> tuple[str, ...]:
        is_inert = self.degree == 1 and self.scale in ("auto", "std")
        if self.gamma <= 0.5 or is_inert:
            return ()
        theta = objective.score_features() if self.degree == 1 else objective.theta
        note = (
            f"gamma = {self.gamma:g} is above 1/2: in {np.count_nonzero(theta < 0):,} of {len(theta):,} columns what a "
            "column varies outweighs what it tells (theta < 0), so that columns which vary little come first. On the "
            "paper's digits, with up to 20 columns, the error was 18 to 23 % at 0.5 and 67 to 80 % from 1 on. "
            "Use gamma = 0"
        )
        warnings.warn(note, FewestWarning, stacklevel=4)
        return (note,)

    def store_fitted(self, objective: Any, selection: Selection) -> None:
        self.theta_: Floats = self.scores_ if self.degree == 1 else objective.theta
        self.path_ = selection.path
        for attribute in ("theta_pairs_", "exact_gamma_"):
            self.__dict__.pop(attribute, None)
        if self.degree > 1:
            self.exact_gamma_: float = objective.exact_gamma
        if self.degree > 1 and self.keep_pairs:
            self.theta_pairs_: Floats = objective.theta_pairs
