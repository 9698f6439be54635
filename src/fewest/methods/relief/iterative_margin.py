"""Margins against all rows, near ones counting more, near by columns weighted by their margins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fewest._core import weighted_margins
from fewest.arrays import Floats
from fewest.methods.relief.mean_margins import MarginObjective, unit_weights
from fewest.methods.relief.neighbour_rows import ComparesRows, NeighbourRows
from fewest.parameters import check_count, check_positive
from fewest.statistics.rows import Rows
from fewest.threads import thread_count

#: Weights that move less than this, as a vector, have settled.
_SETTLED = 1e-6


class IterativeMarginObjective(MarginObjective):
    """The margins of the last round, and how many rounds there were."""

    def __init__(self, margins: Floats, n_rounds: int, has_settled: bool) -> None:
        super().__init__(margins)
        self.n_rounds = n_rounds
        self.has_settled = has_settled


@dataclass(frozen=True)
class IterativeMargin(ComparesRows):
    """How much farther rows are from those of other classes than from their own, near rows counting more, and near by
    columns weighted by their margins.

    With f(t) = exp(-t/width) of the distance t = sum_d w_d |u_d| ("l2": the root of sum_d w_d u_d^2), each round takes

    v = mean_n (1 - o_n) [mean |x_n - M| over the misses, weighted by f - mean |x_n - H| over the hits, weighted by f],
    o_n = sum of f over the misses / sum of f over all, w <- positive part of v over its length,

    from equal weights on, until w moves by less than 1e-6, at most max_rounds times. The scores are the last v. Gaps
    and rows alone in their class as in HitMissMargin; a missing column's weight goes to those observed in both rows.

    Needs Rows. Every round compares every row with all: N^2 D. Iterative Relief (Sun 2007).
    """

    width: float = 0.5
    max_rounds: int = 200

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("width", self.width)
        check_count("max_rounds", self.max_rounds, 1)

    def bind(self, rows: Rows) -> IterativeMarginObjective:
        ready = self.ready(rows)
        # In an order of the columns that their values decide, so that distances are the same to the bit for any other.
        ready.sort_columns()
        return self._settled(ready)

    def _settled(self, ready: NeighbourRows) -> IterativeMarginObjective:
        n_columns = ready.values.shape[1]
        weights = np.full(n_columns, 1 / np.sqrt(max(n_columns, 1)))
        margins, has_settled, n_rounds = ready.mean(np.zeros(n_columns), np.zeros(n_columns, dtype=np.int64)), False, 0
        while n_columns and not has_settled and n_rounds < self.max_rounds:
            sums, counts = np.empty(n_columns), np.empty(n_columns, dtype=np.int64)
            weighted_margins(
                ready.values, ready.class_ends, ready.is_categorical, 1 / ready.unit, ready.queries, weights,
                float(self.width) / ready.unit, self.metric == "l2", sums, counts, thread_count(),
            )  # fmt: skip
            margins = ready.mean(sums, counts)
            before, weights = weights, unit_weights(margins[ready.varying])
            n_rounds += 1
            has_settled = bool(np.linalg.norm(weights - before) < _SETTLED)
        return IterativeMarginObjective(margins, n_rounds, has_settled or n_columns == 0)
