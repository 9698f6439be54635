"""The information between columns of numbers, by densities estimated with a Gaussian kernel (Parzen windows)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from fewest._core import ParzenColumns
from fewest.arrays import Floats, Indices, Integers, Mask
from fewest.data.labels import sort_classes
from fewest.errors import InvalidInput, MissingValues
from fewest.statistics.rows import Rows
from fewest.threads import thread_count

#: Up to this number of rows, sums over all pairs of them are faster than sums over a grid.
MOST_ROWS_BY_PAIRS = 256
#: The memory for the kernels of columns, and for the product of kernels.
_MEMORY = 512 << 20
#: The number of values that are standardized at a time.
_AT_ONCE = 1 << 20
#: With fewer pairs of rows than this, summing takes less time than starting a second thread.
_MIN_PAIRS_PER_THREAD = 200_000


class ParzenTable:
    """The columns as numbers, with the class, and the information between any of them in nats.

    Each column is standardized (its variance over all N rows is 1), and its density is a sum of Gaussians of width
    h = 1.06 N^(-1/5), one at each row:

    G_ki = exp(-(x_k - x_i)^2 / 2 h^2), r_k = sum_i G_ki, a_k the same over the rows of the class of k,
    I(x; c) = mean_k log [N a_k / (N_c r_k)], I(x; y) = mean_k log [N sum_i Gx_ki Gy_ki / (rx_k ry_k)], at least 0.

    A row of weight 2 is the row twice, N the total weight; weights may be fractions. A constant column has exactly no
    information.
    """

    #: Columns with missing values are refused.
    has_missing = False

    def __init__(self, rows: Rows) -> None:
        moments = rows.moments
        self.n_columns = rows.n_features
        self.n_rows = rows.n_rows
        self.is_observed: Mask = moments.weight.sum(axis=0) > 0
        _refuse_missing(moments.missing, self.is_observed)
        rank_of_class = np.argsort(sort_classes(rows.classes))
        order = np.argsort(rank_of_class[rows.codes], kind="stable")
        weights = rows.weights[order]
        self.class_weights = np.bincount(rank_of_class[rows.codes], rows.weights, minlength=len(rows.classes))
        class_counts = np.bincount(rank_of_class[rows.codes], minlength=len(rows.classes))
        self._columns = ParzenColumns(
            _standardized(rows, order, weights),
            None if (weights == 1.0).all() else weights,
            np.cumsum(class_counts, dtype=np.int64),
            ~(moments.highest > moments.lowest),
        )
        self._on_grid = self.n_rows > MOST_ROWS_BY_PAIRS
        size = self.n_rows * (self.n_rows - 1) // 2
        n_kernels = 0 if self._on_grid else min(self.n_columns, _MEMORY // (8 * max(size, 1)))
        self._triangles: Floats = np.empty((n_kernels, size))  # takes no memory before it is written to
        self._triangle_of: Integers = np.full(self.n_columns, -1, dtype=np.int64)
        self._n_kept = 0

    @property
    def relevance(self) -> Floats:
        """The information of each column with the class; NaN where it was never observed."""
        return self._relevance_and_log_sums[0]

    @property
    def class_entropy(self) -> float:
        """The entropy of the class."""
        share = self.class_weights[self.class_weights > 0] / self.class_weights.sum()
        return float(-(share * np.log(share)).sum())

    def add_information(self, selected: Indices, columns: Indices, counted: Indices, sums: Floats) -> int:
        """Add to each column's sum its information with the selected ones that are not counted yet, in their order.

        counted : the number of selected columns that each sum counts already

        Returns the number of pairs that were evaluated.
        """
        n_pairs = len(columns) * len(selected) - int(counted.sum())
        self._columns.add_information(
            self._relevance_and_log_sums[1], self._on_grid, *self._kept_triangles(selected, columns), selected, columns,
            counted, sums, self._threads(n_pairs),
        )  # fmt: skip
        return n_pairs

    def joint(self) -> JointKernel:
        """Return the product of the kernels of no column yet."""
        return JointKernel(self._columns, self.n_rows)

    @cached_property
    def _relevance_and_log_sums(self) -> tuple[Floats, Floats]:
        relevance, log_sums = np.empty(self.n_columns), np.empty(self.n_columns)
        self._columns.relevance(self._on_grid, relevance, log_sums, self._threads(self.n_columns))
        return np.where(self.is_observed, relevance, np.nan), log_sums

    def _kept_triangles(self, *requested: Indices) -> tuple[Floats, Integers]:
        """Return the kernels kept, those of these columns as memory allows, and the index of each column's."""
        if not self._on_grid:
            new = np.concatenate(requested)
            new = np.unique(new[self._triangle_of[new] < 0])[: len(self._triangles) - self._n_kept].astype(np.int64)
            end = self._n_kept + len(new)
            self._columns.triangles(new, self._triangles[self._n_kept : end], self._threads(len(new)))
            self._triangle_of[new] = np.arange(self._n_kept, end)
            self._n_kept = end
        return self._triangles, self._triangle_of

    def _threads(self, n_sums: int) -> int:
        return thread_count() if n_sums * self.n_rows**2 > _MIN_PAIRS_PER_THREAD else 1


class JointKernel:
    """The product of the kernels of columns that are taken one after the other.

    Memory: a number for every two rows, by which this method is defined.
    """

    def __init__(self, columns: ParzenColumns, n_rows: int) -> None:
        size = n_rows * (n_rows - 1) // 2
        if 8 * size > _MEMORY:
            limit = int((_MEMORY / 4) ** 0.5)
            raise InvalidInput(
                f"Joint information with density='parzen' needs a number for every two of the {n_rows:,} rows, "
                f"{8 * size / 2**30:.1f} GiB; up to {limit:,} rows fit into the {_MEMORY >> 20} MiB allowed. "
                "Give fewer rows, or use density='discrete', or MRMR."
            )
        self._columns = columns
        self._product: Floats = np.ones(size)
        self.columns: list[int] = []

    def take(self, columns: Sequence[int]) -> None:
        """Make these the columns taken; those taken before are extended where they are the first of them."""
        if self.columns != list(columns[: len(self.columns)]):
            self._product[:] = 1.0
            self.columns = []
        for column in columns[len(self.columns) :]:
            self._columns.multiply(column, self._product, thread_count())
            self.columns.append(column)

    def information(self) -> float:
        """Return the information of the columns taken with the class."""
        return float(self.information_with(np.array([-1]))[0])

    def information_with(self, others: Indices) -> Floats:
        """Return the information of the columns taken and each of others, together, with the class."""
        out = np.empty(len(others))
        self._columns.joint_information(self._product, others, out, thread_count())
        return out


def _refuse_missing(missing: Integers, is_observed: Mask) -> None:
    columns = np.flatnonzero((missing > 0) & is_observed)
    if len(columns):
        raise MissingValues(int(columns[0]), int(missing[columns[0]]), len(columns))


def _standardized(rows: Rows, order: Indices, weights: Floats) -> Floats:
    """Return columns by rows, in units of the kernel's width and in this order of rows; zeros for constant columns."""
    lowest, highest = rows.moments.lowest, rows.moments.highest
    varies = highest > lowest
    total = weights.sum()
    width = 1.06 * total**-0.2
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
