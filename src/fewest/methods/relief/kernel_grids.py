"""Streamed rows summed into grids, from which Gaussian kernel sums between classes follow."""

from __future__ import annotations

from typing import Self

import numpy as np
from scipy import sparse

from fewest._core import add_to_kernel_grids, kernel_grid_points, kernel_sums_of_grids
from fewest.arrays import Codes, Floats
from fewest.data.block import Block
from fewest.data.labels import sort_classes
from fewest.errors import InvalidInput
from fewest.memory import CHUNK, KERNEL_GRIDS, check_memory
from fewest.methods.relief.class_kernel_sums import KernelSums
from fewest.statistics.class_moments import ClassMoments, WithMoments
from fewest.threads import thread_count


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
        for piece in block.pieces(CHUNK):
            codes = ranks[self.class_indices(piece.classes)][piece.codes]
            values = piece.values.toarray() if sparse.issparse(piece.values) else piece.values
            by_column = np.ascontiguousarray(values.T, dtype=np.float64)
            weights = None if piece.weights is None else np.ascontiguousarray(piece.weights)
            if not add_to_kernel_grids(
                by_column, codes, weights, self._origin, self._grid_width, self._starts, self._points,
                len(self.classes), thread_count(),
            ):  # fmt: skip
                raise InvalidInput("The data changed between the first and the second pass. Do not write to them.")
            for column in piece.categorical_columns:
                self._add_categories(column, by_column[column], codes, weights)

    def merge(self, other: Self) -> None:
        self._points += other._points
        for column, weights in other._category_weights.items():
            self._category_weights[column] = self._category_weights.get(column, 0.0) + weights

    def sums(self) -> KernelSums:
        """Return the kernel sums of all columns, classes in the order of their labels."""
        within, total = np.empty((2, self.n_features, len(self.classes)))
        kernel_sums_of_grids(self._starts, self._points, within, total, thread_count())
        for column, weight in self._category_weights.items():
            within[column] = (weight * weight).sum(axis=0)
            total[column] = (weight * weight.sum(axis=1, keepdims=True)).sum(axis=0)
        return KernelSums(np.ascontiguousarray(self.moments.weight[sort_classes(self.classes)].T), within, total)

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
