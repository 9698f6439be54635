"""The information between columns of numbers, by densities estimated with a Gaussian kernel (Parzen windows)."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from fewest._core import ParzenColumns
from fewest.arrays import Floats, Indices, Integers, Mask
from fewest.errors import MissingValues
from fewest.memory import DENSITIES
from fewest.methods.information.parzen_covariance import UncorrelatedColumns, width_of
from fewest.statistics.prepared_rows import order_by_label
from fewest.statistics.rows import Rows
from fewest.threads import thread_count

#: Up to this number of rows, sums over all pairs of them are faster than sums over a grid.
MOST_ROWS_BY_PAIRS = 256
#: The number of values that are standardized at a time.
_AT_ONCE = 1 << 20
#: With fewer pairs of rows than this, summing takes less time than starting a second thread.
_MIN_PAIRS_PER_THREAD = 200_000


class ParzenTable:
    """The columns as numbers, with the class, and the information between any of them in nats.

    Each column is standardized (its variance over all N rows is 1), and its density is a sum of Gaussians of width
    h = 1.06 N^(-1/5) ("silverman"), N^(-1/5) ("scott") or a number, one at each row:

    G_ki = exp(-(x_k - x_i)^2 / 2 h^2), r_k = sum_i G_ki, a_k the same over the rows of the class of k,
    I(x; c) = mean_k log [N a_k / (N_c r_k)], I(x; y) = mean_k log [N sum_i Gx_ki Gy_ki / (rx_k ry_k)], at least 0.

    A row of weight 2 is the row twice, N the total weight; weights may be fractions. Constant columns have I = 0.

    max_bytes : the memory for the kernels of columns, and for their product
    covariance : of the windows of a joint density: "diagonal", as above, or "full", see UncorrelatedColumns
    """

    #: Columns with missing values are refused.
    has_missing = False

    def __init__(
        self, rows: Rows, max_bytes: int = DENSITIES, width: float | str = "silverman", covariance: str = "diagonal"
    ) -> None:
        moments = rows.moments
        self.n_columns = rows.n_features
        self.n_rows = rows.n_rows
        self.max_bytes = max_bytes
        self.is_observed: Mask = moments.weight.sum(axis=0) > 0
        missing = np.flatnonzero((moments.missing > 0) & self.is_observed)
        if len(missing):
            raise MissingValues(int(missing[0]), int(moments.missing[missing[0]]), len(missing))
        order, class_ranks = order_by_label(rows)
        codes, weights = class_ranks[rows.codes], rows.weights[order]
        #: The total weight of each class, in the order of the labels.
        self.class_weights: Floats = np.bincount(codes, rows.weights, minlength=len(rows.classes)).astype(np.float64)
        class_ends = np.cumsum(np.bincount(codes, minlength=len(rows.classes)), dtype=np.int64)
        h = width_of(width, weights.sum())
        values, is_flat = _standardized(rows, order, weights, h), ~(moments.highest > moments.lowest)
        own_weights = None if (weights == 1.0).all() else weights
        self.columns = ParzenColumns(values, own_weights, class_ends, is_flat)
        self._on_grid = self.n_rows > MOST_ROWS_BY_PAIRS
        self.uncorrelated: UncorrelatedColumns | None = None
        if covariance == "full":
            self.uncorrelated = UncorrelatedColumns(values, own_weights, class_ends, is_flat, h, self._on_grid)
        size = self.n_rows * (self.n_rows - 1) // 2
        n_kernels = 0 if self._on_grid else min(self.n_columns, max_bytes // (8 * max(size, 1)))
        self._triangles: Floats = np.empty((n_kernels, size))  # takes no memory before it is written to
        self._triangle_of: Integers = np.full(self.n_columns, -1, dtype=np.int64)
        self._n_kept = 0

    @property
    def relevance(self) -> Floats:
        """The information of each column with the class; NaN where it was never observed."""
        return self._relevance_and_log_sums[0]

    def add_information(self, selected: Indices, columns: Indices, counted: Indices, sums: Floats) -> int:
        """Add to each column's sum its information with selected columns, as CategoryTable does."""
        n_pairs = len(columns) * len(selected) - int(counted.sum())
        if self.uncorrelated is not None:
            log_sums = self._relevance_and_log_sums[1]
            for index, other in enumerate(selected.tolist()):
                new = np.flatnonzero(counted <= index)
                n_threads = self._threads(len(new))
                sums[new] += self.uncorrelated.information(other, columns[new], log_sums, n_threads)
            return n_pairs
        self.columns.add_information(
            self._relevance_and_log_sums[1], self._on_grid, *self._kept_triangles(selected, columns), selected, columns,
            counted, sums, self._threads(n_pairs),
        )  # fmt: skip
        return n_pairs

    @cached_property
    def _relevance_and_log_sums(self) -> tuple[Floats, Floats]:
        relevance, log_sums = np.empty(self.n_columns), np.empty(self.n_columns)
        self.columns.relevance(self._on_grid, relevance, log_sums, self._threads(self.n_columns))
        return np.where(self.is_observed, relevance, np.nan), log_sums

    def _kept_triangles(self, *requested: Indices) -> tuple[Floats, Integers]:
        """Return the kernels kept, those of these columns as memory allows, and the index of each column's."""
        if not self._on_grid:
            new = np.concatenate(requested)
            new = np.unique(new[self._triangle_of[new] < 0])[: len(self._triangles) - self._n_kept].astype(np.int64)
            end = self._n_kept + len(new)
            self.columns.triangles(new, self._triangles[self._n_kept : end], self._threads(len(new)))
            self._triangle_of[new] = np.arange(self._n_kept, end)
            self._n_kept = end
        return self._triangles, self._triangle_of

    def _threads(self, n_sums: int) -> int:
        return thread_count() if n_sums * self.n_rows**2 > _MIN_PAIRS_PER_THREAD else 1


def _standardized(rows: Rows, order: Indices, weights: Floats, width: float) -> Floats:
    """Return columns by rows, in units of the kernel's width and in this order of rows; zeros for constant columns."""
    lowest, highest = rows.moments.lowest, rows.moments.highest
    varies = highest > lowest
    total = weights.sum()
    values = rows.values
    out = np.zeros((rows.n_features, rows.n_rows))
    step = max(1, _AT_ONCE // max(rows.n_rows, 1))
    for first in range(0, rows.n_features, step):
        columns = first + np.flatnonzero(varies[first : first + step])
        x = np.ascontiguousarray(values[:, columns].T)[:, order]
        # Within their range first: then neither a large offset nor a tiny scale costs digits.
        low, high = lowest[columns, None], highest[columns, None]
        x -= low / 2 + high / 2
        x /= high - low
        x -= (x * weights).sum(axis=1, keepdims=True) / total
        x /= width * np.sqrt((x * x * weights).sum(axis=1, keepdims=True) / total)
        out[columns] = x
    return out
