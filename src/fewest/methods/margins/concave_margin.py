"""The weights of a machine to which the number of its columns is what costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewest.arrays import Floats
from fewest.methods.margins.hinge_program import HingeProgram
from fewest.methods.margins.machine_rows import FitsMachines, one_versus_rest_signs, svm_rows
from fewest.methods.margins.sparse_margin import WeightObjective
from fewest.parameters import check_positive
from fewest.statistics.prepared_rows import PreparedRows
from fewest.statistics.rows import Rows

#: A linear program that gains less than this is the last.
_SETTLED = 1e-6
#: Every program lowers the objective, so there is an end; this many are never needed.
_MOST_PROGRAMS = 100


@dataclass(frozen=True)
class ConcaveMargin(FitsMachines):
    """How much each column weighs in a machine that pays for every column about the same, however much it weighs.

    min (1 - suppression) (mean slack of the one class + mean slack of the other)
        + suppression sum_j (1 - exp(-steepness |w_j|)),

    the slack of a row being max(0, 1 - y_i (w . x_i + b)). From w = 0 on, the second term is replaced by its tangent
    and the linear program solved, until that gains less than 1e-6: no small step is better then, though there may be
    better points. The score is |w_j|, with more than two classes the norm over the machines of each class against the
    rest.

    Needs Rows, without gaps; a few linear programs a machine. Columns that are not needed score zero, and copies of a
    column as it does. FSV, feature selection concave (Bradley and Mangasarian 1998).
    """

    suppression: float = 0.05
    steepness: float = 5.0

    offers: ClassVar[frozenset[str]] = frozenset({"score_features"})

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("suppression", self.suppression, below=1.0)
        check_positive("steepness", self.steepness)

    def bind(self, rows: Rows) -> WeightObjective:
        ready = svm_rows(rows, self.scale)
        if len(ready.columns) == 0:
            found = np.zeros(0)
        else:
            found = np.sqrt(sum(self._weights(ready, signs) ** 2 for signs in one_versus_rest_signs(ready.codes)))
        weights = ready.expand(found)
        return WeightObjective(weights, weights)

    def _weights(self, ready: PreparedRows, signs: Floats) -> Floats:
        share, steepness = float(self.suppression), float(self.steepness)
        of_class = [ready.weights[signs == sign].sum() for sign in (-1.0, 1.0)]
        costs = (1 - share) * ready.weights / np.where(signs > 0, of_class[1], of_class[0])
        program = HingeProgram(ready.columns, signs)
        weights = np.zeros(len(ready.columns))
        reached = float(costs.sum())  # where w and b are zero every row has a slack of one
        for _ in range(_MOST_PROGRAMS):
            prices = share * steepness * np.exp(-steepness * weights)
            found, slack = program.solve(costs, prices)
            found = np.abs(found)
            now = float(costs @ slack)
            gain = reached - now + float(prices @ (weights - found))
            weights, reached = found, now
            if gain < _SETTLED:
                break
        return weights
