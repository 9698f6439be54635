"""Margins between nearest rows under many permutations of the labels: distances are computed once."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from fewest._core import NeighbourOrders
from fewest.arrays import Codes, Floats, Indices, Integers, Mask
from fewest.statistics.rows import Rows
from fewest.threads import thread_count

#: Rows of which all others are kept in the order of their distance, at 12 bytes a pair.
_MOST_ROWS = 4000


class NeighbourRule(NamedTuple):
    """Which neighbours count, and how much; the same for all permutations of the labels.

    n_neighbors : of every class, or of each
    class_shares : the weights of the classes' own nearest misses; None takes the nearest misses of any class
    hit_factors, miss_factors : f_H and f_M of each class
    """

    n_neighbors: int | Integers
    class_shares: Floats | None
    hit_factors: Floats
    miss_factors: Floats


class PreparedForNeighbours(Protocol):
    """What is used here of NeighbourRows."""

    values: Floats
    codes: Codes
    order: Indices
    varying: Indices
    queries: Integers
    shares: Floats
    unit: float
    is_categorical: Mask | None

    @property
    def n_columns(self) -> int: ...


class PermutedMargins:
    """Mean margins of columns of numbers, without missing values, under labels other than the rows' own."""

    def __init__(self, rows: Rows, prepared: PreparedForNeighbours, rule: NeighbourRule, metric: str) -> None:
        self._prepared = prepared
        n_classes = len(prepared.shares)
        k = np.broadcast_to(np.minimum(rule.n_neighbors, len(prepared.values)), n_classes).astype(np.int64)
        self._rule = k, rule.class_shares, rule.hit_factors, rule.miss_factors
        self._orders = NeighbourOrders(prepared.values, metric == "l2", thread_count())
        # The class of a prepared row, from that of the row as it came.
        self._ranks: Codes = np.zeros(len(rows.classes), dtype=np.int32)
        self._ranks[rows.codes[prepared.order]] = prepared.codes
        self._position = np.full(prepared.n_columns, -1, dtype=np.intp)
        self._position[prepared.varying] = np.arange(len(prepared.varying))
        counts = np.bincount(prepared.codes, minlength=n_classes)
        # A row that is alone in its class has no margin.
        self._n_margins = int(counts[counts > 1].sum())

    @classmethod
    def of(
        cls, rows: Rows, prepared: PreparedForNeighbours, rule: NeighbourRule, metric: str
    ) -> PermutedMargins | None:
        """Return the margins of these rows; None where there are categories, missing values, queries or many rows."""
        n_rows = len(prepared.values)
        is_plain = prepared.is_categorical is None and len(prepared.queries) == n_rows
        return cls(rows, prepared, rule, metric) if is_plain and n_rows <= _MOST_ROWS else None

    def __call__(self, codes: Codes, features: Indices) -> Floats:
        """Return the mean margin of each feature: (n_permutations, n_features), 0 where it is constant."""
        margins = np.zeros((len(codes), len(features)))
        position = self._position[features]
        varying = np.flatnonzero(position >= 0)
        values = self._prepared.values
        if len(varying) < values.shape[1]:
            values = np.ascontiguousarray(values[:, position[varying]])
        ranked = np.ascontiguousarray(self._ranks[codes][:, self._prepared.order])
        sums = np.empty((len(codes), len(varying)))
        self._orders.margins(values, ranked, *self._rule, sums, thread_count())
        margins[:, varying] = self._prepared.unit * sums / max(self._n_margins, 1)
        return margins
