"""Parzen windows with the full covariance of the columns, by columns made uncorrelated."""

from __future__ import annotations

import numpy as np

from fewest._core import ParzenColumns
from fewest.arrays import Floats, Indices, Integers, Mask

#: Columns whose squared correlation leaves less than this of the variance are taken to leave this much.
_LEAST_VARIANCE = 1e-6
#: Information that is not clipped at 0 is shifted by this, in nats, so that it stays above.
_SHIFT = 20.0
#: The number of values that are made uncorrelated at a time.
_AT_ONCE = 1 << 20


def width_of(width: float | str, total: float) -> float:
    """Return the width of the kernel, in standard deviations, for rows of this total weight."""
    if isinstance(width, str):
        return (1.06 if width == "silverman" else 1.0) * float(total**-0.2)
    return float(width)


class UncorrelatedColumns:
    """Columns made uncorrelated with others, standardized again: windows of full covariance are products of these.

    values : (n_columns, n_rows) standardized, in units of the kernel's width
    """

    def __init__(
        self, values: Floats, weights: Floats | None, class_ends: Integers, is_flat: Mask, width: float, on_grid: bool
    ) -> None:
        self.values, self.weights, self.is_flat, self.width = values, weights, is_flat, width
        self._class_ends, self._on_grid = class_ends, on_grid
        self._shares = np.full(values.shape[1], 1.0) if weights is None else weights
        self.total = float(self._shares.sum())
        self._shares = self._shares / self.total

    def residuals(self, columns: Indices, basis: list[Floats]) -> tuple[Floats, Floats]:
        """Return columns less what they share linearly with a basis, standardized, and the variance that was left of 1.

        Where nearly nothing is left they are zeros. basis : uncorrelated, as columns of this kind are
        """
        left = self.values[columns] * self.width
        variance = np.ones(len(columns))
        for column in basis:
            unit = column * self.width
            shared = (left * (unit * self._shares)).sum(axis=1, keepdims=True)
            left -= shared * unit
        if basis:
            variance = (left * left * self._shares).sum(axis=1)
            is_left = variance > _LEAST_VARIANCE
            left[is_left] /= np.sqrt(variance[is_left])[:, None]
            left[~is_left] = 0.0
        return left / self.width, np.clip(variance, _LEAST_VARIANCE, 1.0)

    def columns_of(self, values: Floats) -> ParzenColumns:
        """Return columns of these values, of which those of zeros are constant."""
        is_flat: Mask = np.asarray(~values.any(axis=1))
        return ParzenColumns(np.ascontiguousarray(values), self.weights, self._class_ends, is_flat)

    def information(self, selected: int, columns: Indices, log_sums: Floats, n_threads: int) -> Floats:
        """Return I(x; s) of columns x with a selected s, from windows of their full covariance, in nats.

        mean_k log [N J_k / (rx_k rs_k)] - log(1 - rho^2) / 2, J_k the sum over rows of the kernel of s times that of x
        made uncorrelated with it.
        """
        found = np.empty(len(columns))
        step = max(1, _AT_ONCE // max(self.values.shape[1], 1))
        for first in range(0, len(columns), step):
            some = columns[first : first + step]
            left, variance = self.residuals(some, [self.values[selected]])
            # Without the sums of each column, and shifted: what is at least 0 then is known below 0 as well.
            pair = self.columns_of(np.vstack([self.values[[selected]], left]))
            none, sums = np.full(len(some) + 1, -0.5 * _SHIFT * self.total), np.zeros(len(some))
            pair.add_information(
                none, self._on_grid, np.empty((0, self._n_pairs)), np.full(len(some) + 1, -1), np.zeros(1, np.int64),
                np.arange(1, len(some) + 1), np.zeros(len(some), np.int64), sums, n_threads,
            )  # fmt: skip
            log_joint = sums - _SHIFT
            # Of zeros the kernel is 1 everywhere.
            log_joint[~left.any(axis=1)] = np.log(self.total) + log_sums[selected] / self.total
            own = (log_sums[some] + log_sums[selected]) / self.total
            found[first : first + step] = np.maximum(log_joint - own - np.log(variance) / 2, 0.0)
        found[self.is_flat[columns] | self.is_flat[selected]] = 0.0
        return found

    @property
    def _n_pairs(self) -> int:
        n_rows = int(self.values.shape[1])
        return n_rows * (n_rows - 1) // 2
