"""Rows prepared for comparison with each other, and mean margins from their nearest hits and misses."""

from __future__ import annotations

import numpy as np

from fewest._core import neighbour_margins, weighted_margins
from fewest.arrays import Floats, Indices, Integers, Mask
from fewest.errors import InvalidInput
from fewest.statistics.class_moments import origin_and_unit
from fewest.statistics.content_order import content_order
from fewest.statistics.prepared_rows import PreparedRows, order_by_label, varying_columns
from fewest.statistics.rows import Rows
from fewest.threads import thread_count


class NeighbourRows(PreparedRows):
    """Rows in one unit of length, sorted by class, over the columns that vary.

    values : (n_rows, n_varying) in C order, in units of `unit`, the longest range of all; a category is its code
    class_ends : the end of each class in the rows
    is_categorical : whether a column holds categories, whose difference is 0 or 1; None where all are numbers and none
        is missing
    queries : the rows whose margins are averaged
    shares : the share of each class in the rows
    """

    def __init__(self, rows: Rows, scale: str | None, n_queries: int | None, seed: int) -> None:
        _check_weights_and_classes(rows)
        varying = varying_columns(rows, scale)
        super().__init__(rows, *order_by_label(rows), varying)
        is_categorical = np.isin(varying, list(rows.categorical_columns))
        # Counted from the lowest value, so that columns far from zero keep their digits.
        lowest, highest = self.moments.lowest[varying], self.moments.highest[varying]
        length = np.where(is_categorical, 1.0, origin_and_unit(self.moments, scale)[1][varying])
        # One unit for all columns: in it no difference is above 1 or too small to square.
        spans = np.where(is_categorical, 1.0, (highest - lowest) / length)
        self.unit = float(spans.max(initial=0.0)) or 1.0
        self.values -= np.where(is_categorical, 0.0, lowest)
        self.values /= np.where(is_categorical, 1.0, length * self.unit)
        is_plain = not is_categorical.any() and not self.moments.missing[varying].any()
        self.is_categorical: Mask | None = None if is_plain else is_categorical
        counts = np.bincount(self.codes, minlength=len(rows.classes))
        self.class_ends: Integers = np.cumsum(counts).astype(np.int64)
        self.shares: Floats = counts / max(rows.n_rows, 1)
        self.queries = _draw_queries(rows, self.order, n_queries, seed)

    def sort_columns(self) -> Indices:
        order = super().sort_columns()
        if self.is_categorical is not None:
            self.is_categorical = self.is_categorical[order]
        return order

    def mean_margins(
        self, metric: str, n_neighbors: int, class_shares: Floats | None, hit_factors: Floats, miss_factors: Floats
    ) -> Floats:
        """Return, by column, the mean over the queries of f_M mean |x - M| - f_H mean |x - H| over the nearest rows.

        class_shares : the weights of the classes' own nearest misses; None takes the nearest misses of any class
        hit_factors, miss_factors : f_H and f_M of each class
        """
        n_columns = self.values.shape[1]
        sums, counts = np.empty(n_columns), np.empty(n_columns, dtype=np.int64)
        neighbour_margins(
            self.values, self.class_ends, self.is_categorical, 1 / self.unit, self.queries,
            min(int(n_neighbors), len(self.values)), metric == "l2", class_shares, hit_factors, miss_factors, sums,
            counts, thread_count(),
        )  # fmt: skip
        return self._mean(sums, counts)

    def mean_weighted_margins(self, metric: str, width: float, weights: Floats) -> Floats:
        """Return the mean margins against all rows, weighted by exp(-distance / width) under these column weights."""
        n_columns = self.values.shape[1]
        sums, counts = np.empty(n_columns), np.empty(n_columns, dtype=np.int64)
        weighted_margins(
            self.values, self.class_ends, self.is_categorical, 1 / self.unit, self.queries, weights, width / self.unit,
            metric == "l2", sums, counts, thread_count(),
        )  # fmt: skip
        return self._mean(sums, counts)

    def _mean(self, sums: Floats, counts: Integers) -> Floats:
        """Return the mean margins of all columns: 0 for a constant column, NaN where there is no margin."""
        return self.expand(np.divide(self.unit * sums, counts, out=np.full(len(sums), np.nan), where=counts > 0))


def _check_weights_and_classes(rows: Rows) -> None:
    """Raise where rows are weighted or no row has both a hit and a miss."""
    if not np.all(rows.weights == 1):
        raise InvalidInput(
            "sample_weight is refused: the nearest rows are the same whatever they weigh, so a weight is not a "
            "repetition here. Leave it out, or repeat rows."
        )
    counts = np.bincount(rows.codes, minlength=1)
    if np.count_nonzero(counts) < 2 or counts.max() < 2:
        raise InvalidInput(
            f"There are {rows.n_rows} row(s) of {np.count_nonzero(counts)} class(es): a margin needs another row of "
            "the same class and one of another class. Give at least two classes, one of them with two rows."
        )


def _draw_queries(rows: Rows, order: Indices, n_queries: int | None, seed: int) -> Integers:
    """Return positions among the ordered rows, drawn evenly from the classes by the seed and the rows' values."""
    if n_queries is None or n_queries >= rows.n_rows:
        return np.arange(rows.n_rows, dtype=np.int64)
    drawn, _ = content_order(rows, seed=int(seed))
    position = np.empty(rows.n_rows, dtype=np.int64)
    position[order] = np.arange(rows.n_rows)
    return np.sort(position[drawn[np.arange(n_queries) * rows.n_rows // n_queries]])
