"""The criterion of SVM weights and SVM-RFE: the weights of linear SVMs with squared hinge loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.memory import SVM_MATRICES, check_memory
from fewest.methods.margins.linear_svms import NestedLinearSvms
from fewest.methods.margins.svm_rows import one_versus_rest_signs, svm_rows
from fewest.parameters import check_positive
from fewest.protocols import Objective
from fewest.selectors.docstrings import compose_docstring
from fewest.statistics.class_moments import check_scale
from fewest.statistics.prepared_rows import PreparedRows
from fewest.statistics.rows import Rows


@dataclass(frozen=True)
class LinearSvmCriterion:
    """Base of criteria that fit linear SVMs, one per class against the rest where there are more than two.

    Parameters
    ----------
    scale : {"std", "range", "symmetric"} or None, default="std"
        The scaling of the columns; a constant column has weight zero.
    """

    scale: str | None = "std"

    offers: ClassVar[frozenset[str]] = frozenset({"n_columns", "score_features"})
    allows_missing: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        compose_docstring(cls)

    def __post_init__(self) -> None:
        check_scale(self.scale)

    def statistic(self) -> Rows:
        return Rows()


@dataclass(frozen=True)
class PenalizedSvmCriterion(LinearSvmCriterion):
    """Base of those whose loss has a penalty C.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of the loss.
    """

    C: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("C", self.C)


class LinearMarginObjective(Objective):
    """The weights of linear SVMs on all columns, and on subsets that lose columns one after the other."""

    def __init__(self, rows: PreparedRows, C: float) -> None:
        self.rows = rows
        self.n_columns = rows.n_columns
        self.svms = NestedLinearSvms(rows.columns, C * rows.weights, one_versus_rest_signs(rows.codes), rows.varying)
        #: The position of each column among those that vary, or -1.
        self._position = np.full(self.n_columns, -1, dtype=np.intp)
        self._position[rows.varying] = np.arange(len(rows.varying))

    def score_features(self) -> Floats:
        """The norm of each column's weights; 0 for a constant column, NaN for one without a value."""
        return self.rows.expand(self.svms.weight_norms())

    def least_members(self, selected: Sequence[int] | Indices, count: int) -> Indices:
        """The selected columns with the smallest weights in SVMs on the selected columns alone, ascending.

        Of ties, weights within 1e-12, the highest column comes first. Before all others come columns without a value,
        then constant columns.
        """
        columns = np.asarray(selected)
        positions = self._position[columns]
        is_constant = positions < 0
        if not is_constant.any():
            return self.rows.varying[self.svms.smallest(positions, count)]
        constant = np.sort(columns[is_constant])[::-1]
        first = constant[np.argsort(self.rows.is_observed[constant], kind="stable")][:count]
        if len(first) == count:
            return first
        smallest = self.svms.smallest(positions[~is_constant], count - len(first))
        return np.concatenate([first, self.rows.varying[smallest]])


@dataclass(frozen=True)
class LinearMargin(PenalizedSvmCriterion):
    """Score columns by their weights in a linear SVM with squared hinge loss.

    See Also
    --------
    fewest.SVMWeights, fewest.SVMRFE : The selectors with this criterion.
    SparseMargin : The weights of an SVM with an L1 penalty.

    Notes
    -----
    score_j = ||w_j|| over the one-versus-rest SVMs, min 1/2 (||w||^2 + b^2) + C sum_i max(0, 1 - y_i (w . x_i + b))^2,
    solved to double precision: the SVM of scikit-learn's LinearSVC with its defaults. Needs complete Rows, and for
    each SVM a matrix of rows by rows or of columns by columns, whichever is smaller. Copies of a column share its
    weight.
    """

    offers: ClassVar[frozenset[str]] = frozenset({"n_columns", "score_features", "least_members"})

    def bind(self, rows: Rows) -> LinearMarginObjective:
        check_svm_memory(rows)
        return LinearMarginObjective(svm_rows(rows, self.scale), float(self.C))


def check_svm_memory(rows: Rows, max_bytes: float = SVM_MATRICES) -> None:
    """Raise where the matrices of the SVMs take more memory than is allowed."""
    n_classes = len(np.unique(rows.codes))
    n_svms = n_classes if n_classes > 2 else 1
    side = min(rows.n_rows, rows.n_features + 1)
    what = f"The matrices of {n_svms} SVM(s) on {rows.n_rows:,} rows of {rows.n_features:,} columns take"
    advice = "Select columns first, such as by FisherMarkov(n_features=1000), or give fewer rows."
    check_memory(8 * side**2 * (n_svms + 1), max_bytes, what, advice)
