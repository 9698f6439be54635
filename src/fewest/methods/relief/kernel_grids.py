"""Rows spread over grids, for sums of Gaussian kernels between classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from scipy import sparse

from fewest._core import add_to_kernel_grids, kernel_grid_points, kernel_sums_of_grids
from fewest.arrays import Codes, Floats
from fewest.data.block import Block
from fewest.data.labels import sort_classes
from fewest.errors import InvalidInput
from fewest.statistics.class_moments import ClassMoments
from fewest.statistics.with_moments import WithMoments
from fewest.threads import thread_count

#: What all grids together may take.
_MEMORY = 1 << 30
_BYTES_AT_ONCE = 1 << 24


class KernelGrids(WithMoments):
    """What a second read leaves behind, once the range of each column and the width of its kernel are known.

    G_c(g) = sum over i in c of w_i exp(-(x_i - g)^2 / s^2) at the points g of a grid: two of these give the sum of all
    kernels between two classes (see ClassKernelSums). Of a column of text, the weight of each value in each class.

    Memory: points of the grid, some 30 and 2.4 times the range over the width, a class and column; no rows.

    moments : ClassMoments of the same rows, from the first read
    weight, own, all : (n_features, n_classes) as of ClassKernelSums
    """

    is_columnwise = False
    takes_integers = False

    def __init__(self, moments: ClassMoments, width: Floats) -> None:
        """width: of each column's kernel, in its own units; 0 where it does not vary."""
        super().__init__(moments)
        self._given_width = width
        varies = (moments.highest > moments.lowest) & (width > 0)
        self._origin = np.where(varies, moments.lowest, 0.0)
        self._width = np.where(varies, width, 0.0)
        extent = np.where(varies, moments.highest, 0.0) - self._origin
        n_classes = len(moments.classes)
        # About as many, as a float: of a narrow kernel there may be more than any integer holds.
        needed = 8.0 * n_classes * float((extent[varies] / width[varies]).sum() * 2.4 + 32 * varies.sum())
        if needed > _MEMORY:
            raise InvalidInput(
                f"These rows are too many to be kept, and kernels so narrow need a grid of {needed / 2**30:.1f} GiB; "
                f"{_MEMORY / 2**30:.0f} GiB are allowed. Give a larger width, fewer columns, or fewer rows."
            )
        lengths = [kernel_grid_points(float(extent[j]), float(width[j])) if varies[j] else 0 for j in range(len(width))]
        self._starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        self._points: Floats = np.zeros(int(self._starts[-1]) * n_classes)
        #: By column of text: the weight of each value, a row, in each class.
        self._states: dict[int, Floats] = {}

    @property
    def weight(self) -> Floats:
        return np.ascontiguousarray(self.moments.weight[sort_classes(self.moments.classes)].T)

    @property
    def own(self) -> Floats:
        return self._sums()[0]

    @property
    def all(self) -> Floats:
        return self._sums()[1]

    def empty(self) -> Self:
        return type(self)(self.moments, self._given_width)

    def update(self, block: Block) -> None:
        """Add the rows of a block, which must lie within the range that is known."""
        for piece in block.pieces(_BYTES_AT_ONCE):
            codes = self._class_ranks(piece.classes)[piece.codes]
            values = piece.values.toarray() if sparse.issparse(piece.values) else piece.values
            by_column = np.ascontiguousarray(values.T, dtype=np.float64)
            weights = None if piece.weights is None else np.ascontiguousarray(piece.weights)
            is_inside = add_to_kernel_grids(
                by_column,
                codes,
                weights,
                self._origin,
                self._width,
                self._starts,
                self._points,
                len(self.moments.classes),
                thread_count(),
            )
            if not is_inside:
                raise InvalidInput("The data changed between the first read and the second. Let nobody write to them.")
            for column in piece.states:
                self._add_states(column, by_column[column], codes, weights)

    def merge(self, other: Self) -> None:
        self._points += other._points
        for column, weights in other._states.items():
            self._states[column] = self._states.get(column, 0.0) + weights

    def _add_states(self, column: int, values: Floats, codes: Codes, weights: Floats | None) -> None:
        if not self.moments.is_observed[column]:
            return
        n_classes = len(self.moments.classes)
        size = (int(self.moments.highest[column]) + 1) * n_classes
        is_there = ~np.isnan(values)
        cell = values[is_there].astype(np.int64) * n_classes + codes[is_there]
        counted = np.bincount(cell, None if weights is None else weights[is_there], minlength=size)
        self._states[column] = self._states.get(column, 0.0) + counted.reshape(-1, n_classes).astype(np.float64)

    def _sums(self) -> tuple[Floats, Floats]:
        own, everything = np.empty((2, self.n_features, len(self.moments.classes)))
        kernel_sums_of_grids(self._starts, self._points, own, everything, thread_count())
        for column, weight in self._states.items():
            own[column] = (weight * weight).sum(axis=0)
            everything[column] = (weight * weight.sum(axis=1, keepdims=True)).sum(axis=0)
        return own, everything

    def _class_ranks(self, classes: Sequence[Any]) -> Codes:
        order = sort_classes(self.moments.classes)
        known = {self.moments.classes[c]: rank for rank, c in enumerate(order)}
        return np.array([known[label] for label in classes], dtype=np.int32)
