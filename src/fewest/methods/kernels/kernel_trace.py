"""The kernel objective of the Fisher-Markov selector, for any kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.errors import InvalidInput
from fewest.methods.kernels.kernel_functions import Kernel, KernelFunction, check_kernel, row_blocks, undefined_kernel
from fewest.objectives import SubsetObjective, column_indices
from fewest.parameters import check_number
from fewest.statistics.class_moments import check_scale
from fewest.statistics.prepared_rows import PreparedRows, reject_missing_values
from fewest.statistics.rows import Rows
from fewest.threads import one_blas_thread

#: A shift of the columns does not change the objective, and columns about zero keep more digits of a product of rows.
_CENTRED = frozenset({"linear", "rbf"})


class KernelTraceObjective(SubsetObjective):
    """The value of any subset, from sums over blocks of the kernel's matrix.

    max_numbers : the numbers of a block
    """

    def __init__(self, rows: Rows, criterion: KernelTrace, max_numbers: int = 1 << 24) -> None:
        self.criterion = criterion
        self._max_numbers = max_numbers
        # Class by class, so that the rows of a class are a slice.
        prepared = PreparedRows(rows, np.argsort(rows.codes, kind="stable"))
        prepared.scale_by_moments(criterion.scale)
        self.values, self.weights = prepared.values, prepared.weights
        self.n_columns = self.values.shape[1]
        ends = np.cumsum(np.bincount(rows.codes))
        self._classes = [slice(first, end) for first, end in pairwise([0, *ends.tolist()]) if end > first]

    def score_subset(self, subset: Sequence[int]) -> float:
        """Return (1/n) [sum_i Sum(K_i)/n_i - gamma Tr K + (gamma-1)/n Sum K] - beta |S| for these columns."""
        columns = column_indices(subset, self.values.shape[1])
        table = self._table(columns)
        kernel = KernelFunction(self.criterion.kernel, self.criterion.kernel_params, self.n_columns)
        within_classes = trace = total = 0.0
        pivot: float | None = None
        with np.errstate(over="ignore", invalid="ignore"), one_blas_thread():
            for rows in row_blocks(len(table), self._max_numbers):
                block = kernel(table[rows], table)
                # A constant added to the kernel changes nothing. Less one of its values the sums are shorter, and where
                # all values are equal they are exactly zero.
                pivot = float(block[0, -1]) if pivot is None else pivot
                block = block - pivot
                within_classes += self._sum_within_classes(block, rows)
                total += float(self.weights[rows] @ (block @ self.weights))
                trace += float(self.weights[rows] @ block.diagonal(rows.start))
            gamma, n = self.criterion.gamma, float(self.weights.sum())
            score = (within_classes - gamma * trace + (gamma - 1) / n * total) / n
        if not np.isfinite(score):
            raise undefined_kernel(self.criterion.kernel)
        return score - self.criterion.beta * len(columns)

    def _sum_within_classes(self, block: Floats, rows: slice) -> float:
        """Return what these rows add to sum_i Sum(K_i)/n_i."""
        total = 0.0
        for members in self._classes:
            here = slice(max(members.start, rows.start), min(members.stop, rows.stop))
            if here.start < here.stop:
                own = block[here.start - rows.start : here.stop - rows.start, members] @ self.weights[members]
                total += float(self.weights[here] @ own / self.weights[members].sum())
        return total

    def _table(self, columns: Indices) -> Floats:
        """Return the rows with all columns but these at zero, or without them where that is the same."""
        if callable(self.criterion.kernel):
            # What a function does with columns of zeros is unknown.
            table = np.zeros_like(self.values)
            table[:, columns] = self.values[:, columns]
            return table
        table = np.ascontiguousarray(self.values[:, columns]) if len(columns) else np.zeros((len(self.values), 1))
        if self.criterion.kernel in _CENTRED:
            table -= table.mean(axis=0)
        return table


@dataclass(frozen=True)
class KernelTrace:
    """Score subsets by the scatter between the classes in the space of a kernel, less a share of the total scatter.

    (1/n) [sum_i Sum(K_i)/n_i - gamma Tr K + (gamma-1)/n Sum K] - beta |S|, where K is the kernel's matrix over all n
    rows and K_i that over the n_i rows of class i. Columns outside the subset S count as zero, so that the default
    width of a kernel, one over the number of columns, is the same for every subset.

    Parameters
    ----------
    kernel : str or callable, default="rbf"
        The name of a kernel in scikit-learn, or a function of two tables that returns the matrix between their rows.
    gamma : float, default=0.0
        The share of the total scatter; not the gamma of the kernel, which is one of the kernel_params.
    beta : float, default=0.0
        The cost of a column.
    scale : {"std", "range", "symmetric"} or None, default="symmetric"
        As in ScatterTrace; a constant column is zero.
    kernel_params : dict or None, default=None
        Parameters of the kernel, such as {"gamma": 0.5}.

    See Also
    --------
    ScatterTrace : The same with polynomial kernels, far cheaper, with missing values and a proved optimum.
    KernelScatter : The scatter between the classes at the best width.

    Notes
    -----
    Needs Rows, without missing values. Every subset costs a pass over all pairs of rows. With the linear kernel it is
    the sum of ScatterTrace's theta.

    References
    ----------
    Cheng, Zhou, Cheng, 2011. The Fisher-Markov Selector: Fast Selecting Maximally Separable Feature Subset for
    Multiclass Classification with Applications to High-Dimensional Data, Eq. 16.
    https://doi.org/10.1109/TPAMI.2010.195
    """

    kernel: str | Kernel = "rbf"
    gamma: float = 0.0
    beta: float = 0.0
    scale: str | None = "symmetric"
    kernel_params: Mapping[str, object] | None = None

    offers: ClassVar[frozenset[str]] = frozenset({"n_columns", "score_subset", "score_additions", "score_removals"})

    def __post_init__(self) -> None:
        check_number("gamma", self.gamma)
        check_number("beta", self.beta)
        check_scale(self.scale)
        check_kernel(self.kernel, self.kernel_params)

    def statistic(self) -> Rows:
        return Rows()

    def bind(self, rows: Rows) -> KernelTraceObjective:
        if rows.n_rows == 0:
            raise InvalidInput("There are no rows with a weight above zero. Give some.")
        advice = "or use a polynomial kernel, ScatterTrace(degree=2) or ScatterTrace(degree=3)"
        reject_missing_values(rows, "a kernel compares complete rows", advice, even_without_values=True)
        return KernelTraceObjective(rows, self)
