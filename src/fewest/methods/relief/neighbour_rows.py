"""Rows made ready to be compared with each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewest._core import neighbour_margins
from fewest.arrays import Floats, Indices, Integers, Mask
from fewest.errors import InvalidInput
from fewest.parameters import check_choice, check_count
from fewest.statistics.content_order import content_order
from fewest.statistics.prepared_rows import PreparedRows, order_by_label, varying_columns
from fewest.statistics.rows import Rows
from fewest.statistics.scaling import check_scale, origin_and_unit
from fewest.threads import thread_count

METRICS = ("l1", "l2")


class NeighbourRows(PreparedRows):
    """Rows in one unit of length, those of a class side by side, over the columns that vary.

    values : (n_rows, n_varying) in C order, in units of `unit`, the longest range of all; a category is its code
    class_ends : where the rows of each class end
    is_categorical : whether a column holds categories, whose difference is 0 or 1; None where all are numbers and none
        is missing
    queries : the rows whose margins are averaged
    shares : the share of each class in the rows
    """

    def __init__(self, rows: Rows, scale: str | None, n_queries: int | None, seed: int) -> None:
        _check(rows)
        varying = varying_columns(rows, scale)
        super().__init__(rows, *order_by_label(rows), varying)
        is_categorical = np.isin(varying, list(rows.categorical_columns))
        # From the lowest value on: what the differences need, and columns far from zero keep their digits.
        lowest, highest = self.moments.lowest[varying], self.moments.highest[varying]
        length = np.where(is_categorical, 1.0, origin_and_unit(self.moments, scale)[1][varying])
        # One unit for all: in it no difference is above 1, nor too small to square.
        spans = np.where(is_categorical, 1.0, (highest - lowest) / length)
        self.unit = float(spans.max(initial=0.0)) or 1.0
        self.values -= np.where(is_categorical, 0.0, lowest)
        self.values /= np.where(is_categorical, 1.0, length * self.unit)
        is_plain = not is_categorical.any() and not self.moments.missing[varying].any()
        self.is_categorical: Mask | None = None if is_plain else is_categorical
        counts = np.bincount(self.codes, minlength=len(rows.classes))
        self.class_ends: Integers = np.cumsum(counts).astype(np.int64)
        self.shares: Floats = counts / max(rows.n_rows, 1)
        self.queries = _queries(rows, self.order, n_queries, seed)

    def sort_columns(self) -> Indices:
        order = super().sort_columns()
        if self.is_categorical is not None:
            self.is_categorical = self.is_categorical[order]
        return order

    def mean_margins(
        self, metric: str, n_neighbors: int, class_shares: Floats | None, hit_factors: Floats, miss_factors: Floats
    ) -> Floats:
        """By column, the mean over rows of miss factor times the mean difference to the nearest misses, less hit factor
        times that to the nearest hits; misses of each class apart, with these shares, or all together (None)."""
        n_columns = self.values.shape[1]
        sums, counts = np.empty(n_columns), np.empty(n_columns, dtype=np.int64)
        neighbour_margins(
            self.values, self.class_ends, self.is_categorical, 1 / self.unit, self.queries,
            min(int(n_neighbors), len(self.values)), metric == "l2", class_shares, hit_factors, miss_factors, sums,
            counts, thread_count(),
        )  # fmt: skip
        return self.mean(sums, counts)

    def mean(self, sums: Floats, counts: Integers) -> Floats:
        """Mean margins of all columns: exactly zero where a column does not vary, NaN where there is none."""
        return self.expand(np.divide(self.unit * sums, counts, out=np.full(len(sums), np.nan), where=counts > 0))


def _check(rows: Rows) -> None:
    """Raise where there is nothing to measure, or what rows weigh would have to count."""
    if not np.all(rows.weights == 1):
        raise InvalidInput(
            "sample_weight is refused: the nearest of some rows are other rows whatever they weigh, so a weight is not "
            "a repetition here. Leave it out, or repeat rows."
        )
    counts = np.bincount(rows.codes, minlength=1)
    if np.count_nonzero(counts) < 2 or counts.max() < 2:
        raise InvalidInput(
            f"There are {rows.n_rows} row(s) of {np.count_nonzero(counts)} class(es): a margin needs another row of "
            "the same class and one of another class. Give at least two classes, one of them with two rows."
        )


def _queries(rows: Rows, order: Indices, n_queries: int | None, seed: int) -> Integers:
    """The places, among the ordered rows, of those whose margins are wanted: evenly from the classes, drawn by the seed
    and the rows' own values, so that the order of the rows does not matter."""
    if n_queries is None or n_queries >= rows.n_rows:
        return np.arange(rows.n_rows, dtype=np.int64)
    drawn, _ = content_order(rows, seed=seed)
    place = np.empty(rows.n_rows, dtype=np.int64)
    place[order] = np.arange(rows.n_rows)
    return np.sort(place[drawn[np.arange(n_queries) * rows.n_rows // n_queries]])


@dataclass(frozen=True)
class ComparesRows:
    """What criteria share that compare rows with other rows.

    metric : "l1" or "l2", by which distances over all columns are measured
    scale : as in ScatterTrace; text is states, whose difference is 0 or 1
    n_queries : how many rows' margins are averaged, drawn evenly from the classes; None for all. Each is still compared
        with all rows.
    random_state : seeds the draw
    """

    metric: str = "l1"
    scale: str | None = "range"
    n_queries: int | None = None
    random_state: int = 0

    offers: ClassVar[frozenset[str]] = frozenset({"score_features"})
    takes_text: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_choice("metric", self.metric, METRICS)
        check_scale(self.scale)
        if self.n_queries is not None:
            check_count("n_queries", self.n_queries, 1, end=" or None")
        check_count("random_state", self.random_state, 0)

    def statistic(self) -> Rows:
        return Rows()

    def ready(self, rows: Rows) -> NeighbourRows:
        return NeighbourRows(rows, self.scale, self.n_queries, self.random_state)
