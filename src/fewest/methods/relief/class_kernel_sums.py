"""Sums of Gaussian kernels within and between classes, column by column."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from fewest._core import kernel_sums, sparse_kernel_sums
from fewest.arrays import Floats
from fewest.data.labels import sort_classes
from fewest.statistics.rows import Rows
from fewest.statistics.sparse_columns import by_column
from fewest.threads import thread_count

#: The sums on a grid err by at most RELATIVE_ERROR of themselves, and ABSOLUTE_ERROR for each pair of rows.
RELATIVE_ERROR = 1.1e-12
ABSOLUTE_ERROR = 1.5e-14

#: Narrower kernels tell only whether values are equal; this share of the range is where doubles end.
_NARROWEST = 1e-15
#: Numbers that are put in the order of columns at a time.
_AT_ONCE = 1 << 21


class ClassKernelSums:
    """S_cd = sum over i in c, j in d of w_i w_j exp(-(x_i - x_j)^2 / 2 s^2), of every column: S_cc and sum_d S_cd.

    A column of at most 16 distinct values is summed over pairs of these. Others on a grid of spacing .4175 s, where
    each value is spread to the 28 points near it: O(n_rows + n_classes * points) a column, never over pairs of rows.
    The error is at most RELATIVE_ERROR of the sum plus ABSOLUTE_ERROR for each pair of rows, beside rounding.
    In a sparse column all zeros of a class are one value. In a column of text two values are equal, 1, or not, 0.
    A column's sums run over its observed rows. Columns do not meet, and rows are added in their order: threads change
    no bit, the order of rows the last ones.

    Of Rows, as they came, sparse or not: the width of a kernel, and so the grid, is known only when all of them are. A
    few columns at a time are copied. Of a stream that is read twice, KernelGrids gives the same.

    weight : (n_features, n_classes) the total weight of the observed rows, classes in the order of the labels
    own : (n_features, n_classes) S_cc
    all : (n_features, n_classes) sum_d S_cd
    """

    def __init__(self, rows: Rows, width: Floats) -> None:
        """width: s for each column, in its own units; 0 where it does not vary, and the sums are 0."""
        moments = rows.moments
        order = np.array(sort_classes(rows.classes), dtype=np.intp)
        n_classes = len(order)
        rank_of_class = np.argsort(order).astype(np.int32)
        self.weight: Floats = np.ascontiguousarray(moments.weight[order].T)
        self.own: Floats = np.zeros((rows.n_features, n_classes))
        self.all: Floats = np.zeros((rows.n_features, n_classes))
        self._codes = rank_of_class[rows.codes]
        self._weights = None if (rows.weights == 1.0).all() else np.ascontiguousarray(rows.weights)
        varies = (moments.highest > moments.lowest) & (width > 0)
        self._origin = np.where(varies, moments.lowest, 0.0)
        extent = np.where(varies, moments.highest, 0.0) - self._origin
        self._width = np.where(varies, np.maximum(width, _NARROWEST * extent), 0.0)
        self._width[list(rows.state_columns)] = 0.0
        if all(sparse.issparse(run) for run in rows.runs):
            self._sum_sparse(rows.runs)
        else:
            self._sum_dense(rows.pieces, rows.state_columns)

    def _sum_sparse(self, runs: list[Any]) -> None:
        if not runs:
            return
        held = by_column(runs)
        n_classes = self.own.shape[1]
        counts = np.bincount(self._codes, minlength=n_classes).astype(np.int64)
        sparse_kernel_sums(
            held.data,
            held.indices,
            held.indptr,
            np.bincount(self._codes, self._weights, minlength=n_classes).astype(np.float64),
            counts,
            self._codes,
            self._weights,
            self._origin,
            self._width,
            self.own,
            self.all,
            thread_count(),
        )

    def _sum_dense(self, pieces: list[Any], states: Any) -> None:
        n_rows = len(self._codes)
        step = max(1, _AT_ONCE // max(n_rows, 1))
        for first in range(0, len(self.own), step):
            columns = slice(first, min(first + step, len(self.own)))
            values = np.empty((columns.stop - first, n_rows))
            end = 0
            for piece in pieces:
                values[:, end : (end := end + len(piece))] = piece[:, columns].T
            kernel_sums(
                values,
                self._codes,
                self._weights,
                self._origin[columns],
                self._width[columns],
                self.own[columns],
                self.all[columns],
                thread_count(),
            )
            for column in states:
                if first <= column < columns.stop:
                    self._sum_states(column, values[column - first])

    def _sum_states(self, column: int, values: Floats) -> None:
        """Of a column whose values are equal or not: sums over the values that there are."""
        is_there = ~np.isnan(values)
        n_classes = self.own.shape[1]
        weights = None if self._weights is None else self._weights[is_there]
        state = np.unique(values[is_there], return_inverse=True)[1]
        keys, cell = np.unique(state * n_classes + self._codes[is_there], return_inverse=True)
        state_of_cell, class_of_cell = np.divmod(keys, n_classes)
        weight = np.bincount(cell, weights).astype(np.float64)
        of_state = np.bincount(state_of_cell, weight)
        self.own[column] = np.bincount(class_of_cell, weight * weight, minlength=n_classes)
        self.all[column] = np.bincount(class_of_cell, weight * of_state[state_of_cell], minlength=n_classes)
