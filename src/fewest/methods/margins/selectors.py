"""Selectors that rank features by the weights of linear support vector machines (SVMs)."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np

from fewest.arrays import Floats
from fewest.methods.margins.linear_margin import (
    ConcaveMargin,
    LinearMargin,
    LinearMarginObjective,
    RescaledMargin,
    SparseMargin,
    SparseWeights,
)
from fewest.methods.margins.mkl.hinge_margin import HingeMargin
from fewest.parameters import check_choice, check_positive
from fewest.protocols import Sentence
from fewest.searches.individual_ranking import IndividualRanking
from fewest.searches.recursive_elimination import RecursiveElimination
from fewest.selection import Selection
from fewest.selectors.row_selector import RowSelector, ScoredRowSelector


@dataclass(eq=False, repr=False)
class LinearSVMSelector(RowSelector):
    """Base of selectors that fit linear SVMs, one per class against the rest where there are more than two.

    Parameters
    ----------
    scale : {"auto", "std", "range", "symmetric"} or None, default="auto"
        How each column is scaled; "auto" is "std", mean 0 and variance 1.
    """

    takes: ClassVar[str] = "numbers and text, no missing numbers"
    proves: ClassVar[str] = "nothing: no objective"

    def _allows_missing(self) -> bool:
        return False


@dataclass(eq=False, repr=False)
class SparseSVMSelector(LinearSVMSelector):
    """Base of selectors that rank columns by the weights of SVMs with few non-zero weights.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features_in_,)
        The norm of each column's weights over the one-versus-rest SVMs; mostly zero.
    """

    def _store_fitted(self, objective: SparseWeights, selection: Selection) -> None:
        self.weights_: Floats = objective.weights

    def _fit_notes(self, selection: Selection, objective: SparseWeights) -> tuple[str, ...]:
        n_scored = int(np.count_nonzero(objective.score_features() > 0))
        if n_scored >= len(selection):
            return ()
        return (f"the SVMs use {n_scored} columns; the other selected columns follow in table order, not by score",)


@dataclass(eq=False, repr=False)
class SVMWeights(LinearSVMSelector, ScoredRowSelector):
    """Select the features with the largest weights in a linear SVM on all features.

    The SVM is scikit-learn's LinearSVC with its defaults (squared hinge loss), solved to double precision.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of the loss.
    loss : {"squared_hinge", "hinge"}, default="squared_hinge"
        "hinge" is the SVM of Xu et al. 2009, Eq. 3 (SVM-LW there), whose intercept is not penalized.
    tau : float, default=1e-3
        Softness of the hinge loss, quadratic up to tau C, then linear; Eq. 3 has tau of its own, such as 1.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features_in_,)
        The norm of each column's weights over the one-versus-rest SVMs: the scores.

    See Also
    --------
    SVMRFE : Recursive elimination by the same weights.
    L1SVM : An SVM whose weights are mostly zero.

    Notes
    -----
    score_j = ||w_j||, where w minimizes 1/2 (||w||^2 + b^2) + C sum_i max(0, 1 - y_i (w . x_i + b))^2. Copies of a
    column share its weight, so that each scores lower than it would alone. Memory: the square of the number of rows or
    of columns, whichever is smaller, per SVM.

    References
    ----------
    Xu, Jin, Ye, Lyu, King 2009, Non-monotonic feature selection. ICML. https://doi.org/10.1145/1553374.1553520
    Guyon, Weston, Barnhill, Vapnik 2002, Gene selection for cancer classification using support vector machines.
    https://doi.org/10.1023/A:1012487302797

    Examples
    --------
    >>> from fewest import SVMWeights
    >>> from sklearn.datasets import load_wine
    >>> data = load_wine(as_frame=True)
    >>> SVMWeights(n_features=3).fit(data.data, data.target).selection_.features
    ('color_intensity', 'proline', 'flavanoids')
    """

    name: ClassVar[str] = "svm-weights"
    summary: ClassVar[str] = "the largest weights of a linear SVM"
    formula: ClassVar[str] = "|w_j| of min ½ (‖w‖² + b²) + C Σ max(0, 1 − y (w·x + b))²"
    cost: ClassVar[str] = "one read, the rows, a matrix of rows or columns, whichever are fewer"

    C: float = 1.0
    _: KW_ONLY
    loss: str = "squared_hinge"
    tau: float = 1e-3

    def sentence(self) -> Sentence:
        check_choice("loss", self.loss, ("squared_hinge", "hinge"))
        check_positive("tau", self.tau)
        if self.loss == "hinge":
            return HingeMargin(self._scale_or("std"), self.C, self.tau), IndividualRanking()
        return LinearMargin(self._scale_or("std"), self.C), IndividualRanking()

    def _store_fitted(self, objective: LinearMarginObjective | SparseWeights, selection: Selection) -> None:
        self.weights_: Floats = objective.score_features()


@dataclass(eq=False, repr=False)
class SVMRFE(LinearSVMSelector):
    """Select features by recursive elimination of the smallest weights of a linear SVM (SVM-RFE).

    The SVM of SVMWeights is fitted, the column with the smallest weight is dropped, and so on until one column is
    left. The ranking is the reverse of that order, and `n_features` only says where it is cut.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of the squared hinge loss.
    step : int or float, default=1
        The number of columns to drop at a time; below 1, a fraction of all columns. More than one at a time may drop
        two columns that could have replaced each other.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features_in_,)
        The number of columns eliminated before each column.

    See Also
    --------
    SVMWeights : The weights of the first SVM, without elimination.

    Notes
    -----
    Of weights within 1e-12 of each other the highest column is dropped first. Every SVM is solved to double precision,
    starting from the one before. Memory as in SVMWeights.

    References
    ----------
    Guyon, Weston, Barnhill, Vapnik 2002, Gene selection for cancer classification using support vector machines.
    https://doi.org/10.1023/A:1012487302797

    Examples
    --------
    >>> from fewest import SVMRFE
    >>> from sklearn.datasets import load_wine
    >>> data = load_wine(as_frame=True)
    >>> SVMRFE(n_features=3).fit(data.data, data.target).selection_.features
    ('color_intensity', 'proline', 'flavanoids')
    """

    name: ClassVar[str] = "svm-rfe"
    summary: ClassVar[str] = "recursive elimination of the smallest weights of a linear SVM"
    formula: ClassVar[str] = "remove the column of least |w_j|, fit the SVM again, until one is left"
    proves: ClassVar[str] = "nothing: greedy"
    cost: ClassVar[str] = "one read, the rows, and for each column a few products of rows or columns"

    C: float = 1.0
    step: int | float = 1

    def sentence(self) -> Sentence:
        return LinearMargin(self._scale_or("std"), self.C), RecursiveElimination(self.step)


@dataclass(eq=False, repr=False)
class L0SVM(SparseSVMSelector):
    """Select the features that remain when columns are repeatedly multiplied by their linear SVM weights.

    Columns with small weights soon vanish: this approximates the SVM with the fewest non-zero weights.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of the squared hinge loss.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features_in_,)
        Each column's share of the sum of the final scaling factors; zero for dropped columns.
    scores_ : ndarray of shape (n_features_in_,)
        The same; dropped columns score below all shares, those dropped later higher.

    See Also
    --------
    SVMWeights : The weights of the first SVM, without rescaling.
    FSV : A concave approximation of the number of features.

    Notes
    -----
    z = 1; repeat z_j = z_j ||w_j||, w the weights of SVMWeights on x_j z_j, at most 30 times: a local optimum.

    References
    ----------
    Weston, Elisseeff, Schoelkopf, Tipping 2003, Use of the zero-norm with linear models and kernel methods. JMLR 3.
    https://www.jmlr.org/papers/v3/weston03a.html

    Examples
    --------
    >>> from fewest import L0SVM
    >>> from sklearn.datasets import load_wine
    >>> data = load_wine(as_frame=True)
    >>> L0SVM(n_features=3).fit(data.data, data.target).selection_.features
    ('color_intensity', 'flavanoids', 'proline')
    """

    name: ClassVar[str] = "l0-svm"
    summary: ClassVar[str] = "columns multiplied by their linear SVM weights until few remain"
    formula: ClassVar[str] = "repeat z_j ← z_j |w_j|, w of a linear SVM on the columns x_j z_j"
    proves: ClassVar[str] = "nothing: a local optimum"
    cost: ClassVar[str] = "one read, the rows, and up to 30 times svm-weights"

    C: float = 1.0

    def sentence(self) -> Sentence:
        return RescaledMargin(self._scale_or("std"), self.C), IndividualRanking()


@dataclass(eq=False, repr=False)
class L1SVM(SparseSVMSelector):
    """Select the features with the largest weights in a linear SVM with an L1 penalty.

    Most weights are zero. After the columns with a non-zero weight come those that enter as C grows, in that order.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of the hinge loss; the larger, the more weights are non-zero.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features_in_,)
        The weights; columns of weight zero score below all weights, those that enter at a smaller C higher.

    See Also
    --------
    FSV : A concave penalty, which leaves fewer weights.
    SVMWeights : The SVM with an L2 penalty.

    Notes
    -----
    w minimizes ||w||_1 + C sum_i max(0, 1 - y_i (w . x_i + b)), a linear program; no SVM has more non-zero weights
    than rows. Columns that never enter follow in table order, and a note says so.

    References
    ----------
    Bradley, Mangasarian 1998, Feature selection via concave minimization and support vector machines. ICML.

    Examples
    --------
    >>> from fewest import L1SVM
    >>> from sklearn.datasets import load_wine
    >>> data = load_wine(as_frame=True)
    >>> L1SVM(n_features=3).fit(data.data, data.target).selection_.features
    ('flavanoids', 'color_intensity', 'proline')
    """

    name: ClassVar[str] = "l1-svm"
    summary: ClassVar[str] = "the largest weights of a linear SVM with an L1 penalty"
    formula: ClassVar[str] = "|w_j| of min ‖w‖₁ + C Σ max(0, 1 − y (w·x + b))"
    cost: ClassVar[str] = "one read, the rows, and up to eleven linear programs a class"

    C: float = 1.0

    def sentence(self) -> Sentence:
        return SparseMargin(self._scale_or("std"), self.C), IndividualRanking()


@dataclass(eq=False, repr=False)
class FSV(SparseSVMSelector):
    """Select features by a linear SVM with a concave penalty that approximates the number of features (FSV).

    Parameters
    ----------
    suppression : float, default=0.05
        Share of the penalty in the objective, between 0 and 1: the lambda of the paper.
    steepness : float, default=5.0
        How fast the penalty of a weight approaches 1: the alpha of the paper.

    See Also
    --------
    L1SVM : A convex penalty, solved to the optimum.
    L0SVM : Another approximation of the SVM with the fewest features.

    Notes
    -----
    w is a local minimum of (1 - suppression) (mean hinge loss of one class + mean hinge loss of the other)
    + suppression sum_j (1 - exp(-steepness |w_j|)), found by successive linear programs. Columns of weight zero follow
    in the order of the first of these, an SVM with an L1 penalty, and a note says so.

    References
    ----------
    Bradley, Mangasarian 1998, Feature selection via concave minimization and support vector machines. ICML.

    Examples
    --------
    >>> from fewest import FSV
    >>> from sklearn.datasets import load_wine
    >>> data = load_wine(as_frame=True)
    >>> FSV(n_features=3).fit(data.data, data.target).selection_.features
    ('flavanoids', 'color_intensity', 'proline')
    """

    name: ClassVar[str] = "fsv"
    summary: ClassVar[str] = "the weights of a linear SVM that penalizes the number of features"
    formula: ClassVar[str] = "|w_j| of min (1 − λ) (mean hinge loss of each class) + λ Σ_j (1 − exp(−α |w_j|))"
    proves: ClassVar[str] = "nothing: a local optimum"
    cost: ClassVar[str] = "one read, the rows, and a few linear programs a class"

    suppression: float = 0.05
    steepness: float = 5.0

    def sentence(self) -> Sentence:
        return ConcaveMargin(self._scale_or("std"), self.suppression, self.steepness), IndividualRanking()

    def _fit_notes(self, selection: Selection, objective: SparseWeights) -> tuple[str, ...]:
        n_used = int(np.count_nonzero(objective.weights > 0))
        if n_used >= len(selection):
            return ()
        return (f"the SVMs use {n_used} columns; the others follow in the order of an SVM with an L1 penalty",)
