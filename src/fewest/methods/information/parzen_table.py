"""What columns of numbers know of the class and of each other, by densities estimated with a Gaussian kernel."""

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

#: Up to so many rows, sums over all pairs of them are faster than sums over a grid.
MOST_ROWS_BY_PAIRS = 256
#: What may be kept of the kernels of columns, and of the product of kernels.
_MEMORY = 512 << 20
#: Values that are standardized at a time.
_AT_ONCE = 1 << 20
#: Fewer pairs of rows than this are summed sooner than a second thread is started.
_WORTH_A_THREAD = 200_000


class ParzenTable:
    """The columns as numbers, with the class, and the information between any of them in nats.

    Each column is standardized (its variance over all N rows is 1), and its density is a sum of Gaussians of width
    h = 1.06 N^(-1/5), one at each row:

    G_ki = exp(-(x_k - x_i)^2 / 2 h^2), r_k = sum_i G_ki, a_k the same over the rows of the class of k,
    I(x; c) = mean_k log [N a_k / (N_c r_k)], I(x; y) = mean_k log [N sum_i Gx_ki Gy_ki / (rx_k ry_k)], at least 0.

    A row of weight 2 is the row twice, N the total weight; weights may be fractions. A column that does not vary knows
    exactly nothing.
    """

    #: Joint densities need every value, and here every value is there.
    has_gaps = False

    def __init__(self, rows: Rows) -> None:
        moments = rows.moments
        self.n_columns = rows.n_features
        self.n_rows = rows.n_rows
        self.is_observed: Mask = moments.weight.sum(axis=0) > 0
        _refuse_gaps(moments.missing, self.is_observed)
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
        room = 0 if self._on_grid else min(self.n_columns, _MEMORY // (8 * max(size, 1)))
        self._triangles: Floats = np.empty((room, size))  # takes no memory before it is written to
        self._place: Integers = np.full(self.n_columns, -1, dtype=np.int64)
        self._n_kept = 0

    @property
    def relevance(self) -> Floats:
        """What each column knows of the class; NaN where it was never observed."""
        return self._relevance_and_log_sums[0]

    @property
    def class_entropy(self) -> float:
        """What there is to know of the class."""
        share = self.class_weights[self.class_weights > 0] / self.class_weights.sum()
        return float(-(share * np.log(share)).sum())

    def add_information(self, chosen: Indices, columns: Indices, counted: Indices, sums: Floats) -> int:
        """Add to each column's sum what it knows of the chosen ones that are not counted yet, in their order; how many
        pairs that were."""
        n_pairs = len(columns) * len(chosen) - int(counted.sum())
        log_sums = self._relevance_and_log_sums[1]
        self._columns.add_information(
            log_sums,
            self._on_grid,
            *self._kept_triangles(chosen, columns),
            chosen,
            columns,
            counted,
            sums,
            self._threads(n_pairs),
        )
        return n_pairs

    def joint(self) -> JointKernel:
        """The product of kernels of columns taken one after the other."""
        return JointKernel(self._columns, self.n_rows)

    @cached_property
    def _relevance_and_log_sums(self) -> tuple[Floats, Floats]:
        relevance, log_sums = np.empty(self.n_columns), np.empty(self.n_columns)
        self._columns.relevance(self._on_grid, relevance, log_sums, self._threads(self.n_columns))
        return np.where(self.is_observed, relevance, np.nan), log_sums

    def _kept_triangles(self, *asked_for: Indices) -> tuple[Floats, Integers]:
        """The kernels of columns, kept when first asked for, while there is room; and where each column's is."""
        if not self._on_grid:
            new = np.concatenate(asked_for)
            new = np.unique(new[self._place[new] < 0])[: len(self._triangles) - self._n_kept].astype(np.int64)
            end = self._n_kept + len(new)
            self._columns.triangles(new, self._triangles[self._n_kept : end], self._threads(len(new)))
            self._place[new] = np.arange(self._n_kept, end)
            self._n_kept = end
        return self._triangles, self._place

    def _threads(self, n_sums: int) -> int:
        return thread_count() if n_sums * self.n_rows**2 > _WORTH_A_THREAD else 1


class JointKernel:
    """The product of the kernels of columns taken one after the other.

    Memory: half a square of the rows, which is what this method is defined by.
    """

    def __init__(self, columns: ParzenColumns, n_rows: int) -> None:
        size = n_rows * (n_rows - 1) // 2
        if 8 * size > _MEMORY:
            limit = int((_MEMORY / 4) ** 0.5)
            raise InvalidInput(
                f"What columns know together, with density='parzen', needs a number for every two of the {n_rows:,} "
                f"rows, {8 * size / 2**30:.1f} GiB; up to {limit:,} rows fit into the {_MEMORY >> 20} MiB allowed. "
                "Give fewer rows, or use density='discrete', or MRMR."
            )
        self._columns = columns
        self._product: Floats = np.ones(size)
        self.columns: list[int] = []

    def take(self, columns: Sequence[int]) -> None:
        """Make these the columns taken; they mostly go on from those that are."""
        if self.columns != list(columns[: len(self.columns)]):
            self._product[:] = 1.0
            self.columns = []
        for column in columns[len(self.columns) :]:
            self._columns.multiply(column, self._product, thread_count())
            self.columns.append(column)

    def information(self) -> float:
        """What the columns taken know of the class together."""
        return float(self.information_with(np.array([-1]))[0])

    def information_with(self, others: Indices) -> Floats:
        """What they know of the class together with each of others."""
        out = np.empty(len(others))
        self._columns.joint_information(self._product, others, out, thread_count())
        return out


def _refuse_gaps(missing: Integers, is_observed: Mask) -> None:
    with_gaps = np.flatnonzero((missing > 0) & is_observed)
    if len(with_gaps):
        raise MissingValues(int(with_gaps[0]), int(missing[with_gaps[0]]), len(with_gaps))


def _standardized(rows: Rows, order: Indices, weights: Floats) -> Floats:
    """(n_columns, n_rows) values in units of the kernel's width, in this order of rows; zeros where nothing varies."""
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
