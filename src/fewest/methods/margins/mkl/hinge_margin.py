"""The criterion of SVM weights with the hinge loss of the papers on kernels (SVM-LW)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fewest.methods.margins.linear_margin import (
    PenalizedSvmCriterion,
    SparseWeights,
    check_svm_memory,
    one_versus_rest_signs,
    svm_rows,
)
from fewest.methods.margins.mkl.fixed_subset import solve_svms
from fewest.methods.margins.mkl.mkl_program import MklProgram
from fewest.parameters import is_number, wrong
from fewest.statistics.rows import Rows
from fewest.threads import one_blas_thread


@dataclass(frozen=True)
class HingeMargin(PenalizedSvmCriterion):
    """Score columns by their weights in a linear SVM with hinge loss.

    Parameters
    ----------
    tau : float, default=1e-3
        Softness of the loss: quadratic up to tau C, then linear.

    See Also
    --------
    fewest.SVMWeights : The selector with this criterion, by loss="hinge", and its references.
    LinearMargin : The squared hinge loss.

    Notes
    -----
    score_j = ||w_j|| over the one-versus-rest SVMs, w_j = sum_n alpha_n y_n x_nj, where alpha maximizes
    2 sum_n alpha_n - ||w||^2 - tau sum_n alpha_n^2 subject to 0 <= alpha <= C and sum_n alpha_n y_n = 0 (Xu et al.
    2009, Eq. 3 with all features). Needs complete Rows. Copies of a column have the same score.

    Examples
    --------
    >>> from fewest import FeatureSelector, HingeMargin, IndividualRanking, scan
    >>> FeatureSelector(HingeMargin(), IndividualRanking(), n_features=3).fit(scan("wine")).selection_.features
    ('proline', 'color_intensity', 'flavanoids')
    """

    tau: float = 1e-3

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, value in (("C", self.C), ("tau", self.tau)):
            if not is_number(value) or not 1e-9 <= float(value) <= 1e9:
                raise wrong(name, "a number from 1e-9 to 1e9", value)

    def bind(self, rows: Rows) -> SparseWeights:
        check_svm_memory(rows)
        ready = svm_rows(rows, self.scale)
        columns, norms = np.asfortranarray(ready.values), np.zeros(len(ready.varying))
        if len(norms):
            signs, caps = one_versus_rest_signs(ready.codes), float(self.C) * ready.weights
            with one_blas_thread():
                norms = solve_svms(MklProgram(columns, signs, caps, float(self.tau) / ready.weights)).weight_norms
            # Copies stand side by side; sums of their products may differ in the last digit.
            is_first = np.ones(len(norms), dtype=bool)
            is_first[1:] = (columns[:, 1:] != columns[:, :-1]).any(axis=0)
            norms = norms[is_first][np.cumsum(is_first) - 1]
        return SparseWeights(ready, norms, norms)
