"""The weights of a machine that has few of them, since each costs its absolute value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewest.arrays import Floats
from fewest.methods.margins.hinge_program import HingeProgram
from fewest.methods.margins.machine_rows import PaysForSlack, one_versus_rest_signs, placed_below, svm_rows
from fewest.statistics.rows import Rows

#: The penalty grows by this factor, so many times at most.
_GROWTH, _MOST_STEPS = 2.0, 10
#: Less slack than this in all rows together is none: a larger penalty changes nothing.
_NO_SLACK = 1e-7


class WeightObjective:
    """The weights of columns, and scores in their order.

    weights : the norm over the machines of each column's weight, zero for most; NaN for a column without a value
    """

    is_additive = False

    def __init__(self, weights: Floats, scores: Floats) -> None:
        self.weights = weights
        self.scores = scores

    def score_features(self) -> Floats:
        """One number a column, higher is better, zero for a column that never has a weight."""
        return self.scores


@dataclass(frozen=True)
class SparseMargin(PaysForSlack):
    """How much each column weighs in a machine whose weights cost their absolute values.

    min |w|_1 + C sum_i max(0, 1 - y_i (w . x_i + b)), a linear program, solved exactly. The score is |w_j|, with more
    than two classes the norm over the machines of each class against the rest. Columns without a weight come below all
    that have one, in the order in which they enter as C grows: C doubles until no row has slack, every column has
    entered, or C has grown a thousandfold; those that enter together stand in the order of their weights.

    Needs Rows, without gaps; up to eleven linear programs a machine. Copies of a column are one column to the machine,
    and have the same score. L1-norm support vector machine (Bradley and Mangasarian 1998).
    """

    offers: ClassVar[frozenset[str]] = frozenset({"score_features"})

    def bind(self, rows: Rows) -> WeightObjective:
        ready = svm_rows(rows, self.scale)
        programs = [HingeProgram(ready.columns, signs) for signs in one_versus_rest_signs(ready.codes)]
        prices = np.ones(len(ready.columns))
        first, scores = np.zeros(len(prices)), np.zeros(len(prices))
        for step in range(_MOST_STEPS + 1 if len(prices) else 0):
            costs = float(self.C) * _GROWTH**step * ready.weights
            found = [program.solve(costs, prices) for program in programs]
            weights = np.sqrt(sum(own**2 for own, _ in found))
            entered = np.flatnonzero((weights > 0) & (scores == 0))
            if step == 0:
                first, scores = weights, weights.copy()
            elif len(entered):
                placed_below(scores, entered, weights[entered])
            if scores.all() or sum(float(slack.sum()) for _, slack in found) <= _NO_SLACK:
                break
        return WeightObjective(ready.expand(first), ready.expand(scores))
