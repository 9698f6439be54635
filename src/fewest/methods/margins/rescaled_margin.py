"""The weights of a machine on columns that are rescaled by their weights, again and again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.methods.margins.linear_margin import check_room, machines_on
from fewest.methods.margins.machine_rows import PaysForSlack, one_versus_rest_signs, placed_below, svm_rows
from fewest.methods.margins.sparse_margin import WeightObjective
from fewest.statistics.rows import Rows
from fewest.threads import thread_count

#: Shares that change by less than this have settled.
_SETTLED = 1e-6
_MOST_ROUNDS = 30
#: A column below this share of the largest is dropped.
_LEAST = 1e-10
#: Where no column is worth more than this, none is worth anything, and squares would underflow.
_NOTHING = 1e-140


@dataclass(frozen=True)
class RescaledMargin(PaysForSlack):
    """How much is left of each column when columns are multiplied by their weights again and again.

    z <- 1; repeat: w of LinearMargin's machine on x_j z_j, z_j <- z_j |w_j|, until no share z_j / sum z changes by
    1e-6, at most 30 times. With more than two classes |w_j| is the norm over the machines of each class against the
    rest. A column below 1e-10 of the largest is dropped. The score of those left is their share; those dropped come
    below, the last to go first, and among those that went together the one with the largest share.

    Needs Rows, without gaps, and the matrices of LinearMargin. Approximates the fewest columns that tell the classes
    apart (Weston, Elisseeff, Schoelkopf and Tipping 2003).
    """

    offers: ClassVar[frozenset[str]] = frozenset({"score_features"})

    def bind(self, rows: Rows) -> WeightObjective:
        check_room(rows)
        ready = svm_rows(rows, self.scale)
        costs, signs = float(self.C) * ready.weights, one_versus_rest_signs(ready.codes)
        left = np.arange(len(ready.columns))
        factors = np.ones(len(left))
        shares = factors / max(len(left), 1)
        dropped: list[tuple[Indices, Floats]] = []
        for _ in range(_MOST_ROUNDS if len(left) else 0):
            machines = machines_on(ready.columns[left] * factors[:, None], costs, signs)
            machines.solve(thread_count())
            weights = np.empty(len(left))
            machines.norms(weights)
            factors = factors * weights
            largest = float(factors.max())
            if largest < _NOTHING:
                break
            before, shares = shares, factors / factors.sum()
            change = float(np.abs(shares - before).max())
            stays = factors >= _LEAST * largest
            if not stays.all():
                dropped.append((left[~stays], shares[~stays]))
                left, factors, shares = left[stays], factors[stays], shares[stays]
            if change < _SETTLED:
                break
        weights = np.zeros(len(ready.columns))
        weights[left] = shares
        scores = weights.copy()
        for columns, last in reversed(dropped):
            # A column that never had any weight scores zero, as one that does not vary.
            placed_below(scores, columns[last > 0], last[last > 0])
        return WeightObjective(ready.expand(weights), ready.expand(scores))
