"""The criteria of L1SVM, FSV and L0SVM: the weights of linear SVMs that use few columns."""

from __future__ import annotations

from dataclasses import dataclass

from fewest.arrays import Floats
from fewest.methods.margins.hinge_program import concave_svm_weights, l1_svm_path
from fewest.methods.margins.linear_margin import LinearSvmCriterion, PenalizedSvmCriterion, check_svm_memory
from fewest.methods.margins.linear_svms import rescaled_svm_shares
from fewest.methods.margins.svm_rows import one_versus_rest_signs, svm_rows
from fewest.objectives import ColumnScores
from fewest.parameters import check_positive
from fewest.statistics.rows import Rows


class SparseWeights(ColumnScores):
    """The weights of SVMs that use few columns, and scores that may also rank columns of weight zero."""

    def __init__(self, weights: Floats, scores: Floats) -> None:
        super().__init__(scores)
        self.weights = weights


@dataclass(frozen=True)
class SparseMargin(PenalizedSvmCriterion):
    """Score columns by their weights in a linear SVM with an L1 penalty.

    See Also
    --------
    fewest.L1SVM : The selector with this criterion.
    ConcaveMargin : A concave penalty, which leaves fewer weights.

    Notes
    -----
    score_j = ||w_j|| over the one-versus-rest SVMs, min ||w||_1 + C sum_i max(0, 1 - y_i (w . x_i + b)), a linear
    program. Columns of weight zero score below, in the order in which they enter as C grows. Up to eleven linear
    programs an SVM. Needs complete Rows. Copies of a column have the same score.
    """

    def bind(self, rows: Rows) -> SparseWeights:
        ready = svm_rows(rows, self.scale)
        signs = one_versus_rest_signs(ready.codes)
        weights, scores = l1_svm_path(ready.columns, signs, ready.weights, float(self.C))
        return SparseWeights(ready.expand(weights), ready.expand(scores))


@dataclass(frozen=True)
class ConcaveMargin(LinearSvmCriterion):
    """Score columns by their weights in a linear SVM with a concave penalty.

    Parameters
    ----------
    suppression : float, default=0.05
        Share of the penalty in the objective, between 0 and 1: the lambda of the paper.
    steepness : float, default=5.0
        How fast the penalty of a weight approaches 1: the alpha of the paper.

    See Also
    --------
    fewest.FSV : The selector with this criterion.
    SparseMargin : A convex penalty, solved to the optimum.

    Notes
    -----
    score_j = ||w_j|| over the one-versus-rest SVMs, a local minimum of (1 - suppression) (mean hinge loss of one class
    + mean hinge loss of the other) + suppression sum_j (1 - exp(-steepness |w_j|)). From w = 0 on the penalty is
    replaced by its tangent and the linear program solved, until that gains less than 1e-6. Needs complete Rows. Copies
    of a column have the same score.
    """

    suppression: float = 0.05
    steepness: float = 5.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("suppression", self.suppression, below=1.0)
        check_positive("steepness", self.steepness)

    def bind(self, rows: Rows) -> SparseWeights:
        ready = svm_rows(rows, self.scale)
        signs, parameters = one_versus_rest_signs(ready.codes), (float(self.suppression), float(self.steepness))
        weights = ready.expand(concave_svm_weights(ready.columns, signs, ready.weights, *parameters))
        return SparseWeights(weights, weights)


@dataclass(frozen=True)
class RescaledMargin(PenalizedSvmCriterion):
    """Score columns by what remains when they are repeatedly multiplied by their linear SVM weights.

    See Also
    --------
    fewest.L0SVM : The selector with this criterion.
    LinearMargin : The weights of the first SVM, without rescaling.

    Notes
    -----
    z = 1; repeat z_j = z_j ||w_j||, w of LinearMargin on x_j z_j, until no share z_j / sum z changes by 1e-6, at most
    30 times. A column below 1e-10 of the largest is dropped, and scores below the shares of those left, later ones
    higher. It approximates the SVM with the fewest features. Needs complete Rows and the matrices of LinearMargin.
    """

    def bind(self, rows: Rows) -> SparseWeights:
        check_svm_memory(rows)
        ready = svm_rows(rows, self.scale)
        signs = one_versus_rest_signs(ready.codes)
        shares, scores = rescaled_svm_shares(ready.columns, signs, float(self.C) * ready.weights)
        return SparseWeights(ready.expand(shares), ready.expand(scores))
