"""Sums of Gaussian kernels within and between classes, column by column, of stored and of streamed rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from scipy import sparse

from fewest._core import add_to_kernel_grids, kernel_grid_points, kernel_sums, kernel_sums_of_grids, sparse_kernel_sums
from fewest.arrays import Codes, Floats
from fewest.data.block import Block
from fewest.data.labels import sort_classes
from fewest.errors import ChangedData
from fewest.memory import CHUNK, KERNEL_GRIDS, check_memory
from fewest.statistics.class_moments import ClassMoments, WithMoments
from fewest.statistics.rows import as_csc
from fewest.threads import thread_count

#: The narrowest kernel, as a share of the range: below it only equal values differ from others in double precision.
_NARROWEST = 1e-15
#: The number of values copied column by column at a time.
_CHUNK_VALUES = 1 << 21


def class_kernel_sums(
    runs: Sequence[Floats | sparse.csr_array], codes: Codes, weights: Floats, n_classes: int, lowest: Floats,
    highest: Floats, width: Floats, categorical: Sequence[int] = (),
) -> tuple[Floats, Floats]:  # fmt: skip
    """Return S_cc and sum_d S_cd, S_cd = sum over i in c, j in d of w_i w_j exp(-(x_i - x_j)^2 / 2 s^2), by column.

    A column of at most 16 distinct values is summed over pairs of these; others on a grid of spacing .4175 s where each
    value contributes to the 28 nearest points: O(n_rows + n_classes * n_points) a column, never over pairs of rows. In
    a sparse column all zeros of a class are one value. Sums run over the observed rows, in their order: threads do not
    change a bit, the order of the rows only the last ones.

    runs : consecutive rows, dense or sparse
    lowest, highest : the range of each column
    width : s of each column, in its units; 0 for a constant column, whose sums are 0
    categorical : the columns of categories, where the kernel of two values is 1 if they are equal, otherwise 0
    """
    varies = (highest > lowest) & (width > 0)
    origin = np.where(varies, lowest, 0.0)
    extent = np.where(varies, highest, 0.0) - origin
    width = np.where(varies, np.maximum(width, _NARROWEST * extent), 0.0)
    width[list(categorical)] = 0.0
    within, total = np.zeros((2, len(width), n_classes))
    row_weights = None if (weights == 1.0).all() else np.ascontiguousarray(weights)
    if runs and all(sparse.issparse(run) for run in runs):
        csc: sparse.csc_array = as_csc(list(runs))
        counts = np.bincount(codes, minlength=n_classes).astype(np.int64)
        class_weights = np.bincount(codes, row_weights, minlength=n_classes).astype(np.float64)
        sparse_kernel_sums(
            csc.data, csc.indices, csc.indptr, class_weights, counts, codes, row_weights, origin, width, within, total,
            thread_count(),
        )  # fmt: skip
        return within, total
    pieces = [run if isinstance(run, np.ndarray) else run.toarray() for run in runs]
    step = max(1, _CHUNK_VALUES // max(len(codes), 1))
    for first in range(0, len(width) if pieces else 0, step):
        columns = slice(first, min(first + step, len(width)))
        values = np.empty((columns.stop - first, len(codes)))
        np.concatenate([piece[:, columns].T for piece in pieces], axis=1, out=values)
        kernel_sums(
            values, codes, row_weights, origin[columns], width[columns], within[columns], total[columns],
            thread_count(),
        )  # fmt: skip
        for j in categorical:
            if first <= j < columns.stop:
                within[j], total[j] = _category_sums(values[j - first], codes, row_weights, n_classes)
    return within, total


def _category_sums(values: Floats, codes: Codes, weights: Floats | None, n_classes: int) -> tuple[Floats, Floats]:
    """Return S_cc and sum_d S_cd of one column of categories."""
    is_observed = ~np.isnan(values)
    observed_weights = None if weights is None else weights[is_observed]
    category = np.unique(values[is_observed], return_inverse=True)[1]
    distinct, cell = np.unique(category * n_classes + codes[is_observed], return_inverse=True)
    category_of_cell, class_of_cell = np.divmod(distinct, n_classes)
    weight = np.bincount(cell, observed_weights).astype(np.float64)
    category_weight = np.bincount(category_of_cell, weight)[category_of_cell]
    within, total = np.zeros((2, n_classes))
    np.add.at(within, class_of_cell, weight * weight)
    np.add.at(total, class_of_cell, weight * category_weight)
    return within, total


class KernelGrids(WithMoments):
    """The statistic of a second pass, once the range and the kernel width of each column are known.

    G_c(g) = sum over i in c of w_i exp(-(x_i - g)^2 / s^2) at the points g of a grid: two of these give the sum of all
    kernels between two classes (see class_kernel_sums). Of a column of categories, the weight of each in each class.
    Memory: per class and column about 30 + 2.4 * range / width grid points; no rows.

    moments : ClassMoments of the same rows, from the first pass
    width : the kernel width of each column, in its units; 0 for a constant column
    max_bytes : the memory that all grids together may take
    """

    is_columnwise = False
    takes_integers = False

    def __init__(self, moments: ClassMoments, width: Floats, max_bytes: int = KERNEL_GRIDS) -> None:
        super().__init__(moments)
        self.width, self.max_bytes = width, max_bytes
        varies = (moments.highest > moments.lowest) & (width > 0)
        self._origin = np.where(varies, moments.lowest, 0.0)
        self._grid_width = np.where(varies, width, 0.0)
        extent = np.where(varies, moments.highest, 0.0) - self._origin
        # Estimated as a float: a narrow kernel may need more points than an integer holds.
        needed = 8.0 * len(self.classes) * float((extent[varies] / width[varies]).sum() * 2.4 + 32 * varies.sum())
        what = "There are too many rows to store, and grids for kernels this narrow take"
        check_memory(needed, max_bytes, what, "Give a larger width, fewer columns, or fewer rows.")
        lengths = [kernel_grid_points(float(extent[j]), float(width[j])) if varies[j] else 0 for j in range(len(width))]
        self._starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        self._points: Floats = np.zeros(int(self._starts[-1]) * len(self.classes))
        #: By column of categories: (n_categories, n_classes) weights.
        self._category_weights: dict[int, Floats] = {}

    def empty(self) -> Self:
        return type(self)(self.moments, self.width, self.max_bytes)

    def update(self, block: Block) -> None:
        """Add the rows of a block, which must lie within the range of the first pass."""
        ranks = np.argsort(sort_classes(self.classes)).astype(np.int32)
        if block.weights is not None and not block.weights.all():
            # Rows of weight zero are not there, and may lie outside the range of the others.
            block = block.take(np.flatnonzero(block.weights))
        for piece in block.pieces(CHUNK):
            codes = ranks[self.class_indices(piece.classes)][piece.codes]
            values = piece.values.toarray() if sparse.issparse(piece.values) else piece.values
            by_column = np.ascontiguousarray(values.T, dtype=np.float64)
            weights = None if piece.weights is None else np.ascontiguousarray(piece.weights)
            if not add_to_kernel_grids(
                by_column, codes, weights, self._origin, self._grid_width, self._starts, self._points,
                len(self.classes), thread_count(),
            ):  # fmt: skip
                raise ChangedData
            for column in piece.categorical_columns:
                self._add_categories(column, by_column[column], codes, weights)

    def merge(self, other: Self) -> None:
        self._points += other._points
        for column, weights in other._category_weights.items():
            self._category_weights[column] = self._category_weights.get(column, 0.0) + weights

    def sums(self) -> tuple[Floats, Floats]:
        """Return S_cc and sum_d S_cd of all columns, classes in the order of their labels."""
        within, total = np.empty((2, self.n_features, len(self.classes)))
        kernel_sums_of_grids(self._starts, self._points, within, total, thread_count())
        for column, weight in self._category_weights.items():
            within[column] = (weight * weight).sum(axis=0)
            total[column] = (weight * weight.sum(axis=1, keepdims=True)).sum(axis=0)
        return within, total

    def _add_categories(self, column: int, values: Floats, codes: Codes, weights: Floats | None) -> None:
        if not self.is_observed[column]:
            return
        n_classes = len(self.classes)
        is_observed = ~np.isnan(values)
        cell = values[is_observed].astype(np.int64) * n_classes + codes[is_observed]
        size = (int(self.moments.highest[column]) + 1) * n_classes
        added = np.bincount(cell, None if weights is None else weights[is_observed], minlength=size)
        so_far = self._category_weights.get(column, 0.0)
        self._category_weights[column] = so_far + added.reshape(-1, n_classes).astype(np.float64)
