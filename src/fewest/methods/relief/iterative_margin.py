"""The criterion of Iterative Relief: margins against all rows, under column weights that the margins update."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fewest.arrays import Floats
from fewest.methods.relief.neighbour_criteria import MarginObjective, NeighbourCriterion, NeighbourRows, unit_weights
from fewest.parameters import check_count, check_positive
from fewest.statistics.rows import Rows

#: Iterative Relief has converged when the weight vector changes by less than this.
_TOLERANCE = 1e-6
#: As long as it changes by more, rounds may be run in float32: what that loses shrinks with every later change.
_ROUGH = 1e-4
#: Of a smaller width not even one over it, in units of the longest range, might be a finite number.
_LEAST_WIDTH = 1e-100


class IterativeMarginObjective(MarginObjective):
    """The margins of the last round, the number of rounds and whether the weights converged."""

    n_rounds: int
    has_converged: bool


@dataclass(frozen=True)
class IterativeMargin(NeighbourCriterion):
    """Score columns by margins against all rows, near ones counting more, under weights that the margins update.

    With f(t) = exp(-t / width) of the distance t = sum_d w_d |u_d| ("l2": the root of sum_d w_d u_d^2), each round is

    v = mean_n (1 - o_n) [mean |x_n - M| over the misses, weighted by f - mean |x_n - H| over the hits, weighted by f],
    o_n = sum of f over the misses / sum of f over all, w <- positive part of v over its length,

    from equal weights until w changes by less than 1e-6. The scores are the last v.

    Parameters
    ----------
    width : float, default=0.5
        The width of f, in units of a weighted distance.
    max_rounds : int, default=200
        The largest number of rounds.

    See Also
    --------
    fewest.IterativeRelief : The selector with this criterion, and its reference.

    Notes
    -----
    Missing values and rows alone in their class as in HitMissMargin; the weight of a missing column goes to those
    observed in both rows. Needs Rows. Every round compares every row with all: O(N^2 D).

    Examples
    --------
    >>> from fewest import FeatureSelector, IndividualRanking, IterativeMargin, scan
    >>> FeatureSelector(IterativeMargin(), IndividualRanking(), n_features=3).fit(scan("wine")).selection_.features
    ('proline', 'od280/od315_of_diluted_wines', 'flavanoids')
    """

    width: float = 0.5
    max_rounds: int = 200

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("width", self.width, at_least=_LEAST_WIDTH)
        check_count("max_rounds", self.max_rounds, 1)

    def bind(self, rows: Rows) -> IterativeMarginObjective:
        prepared = self.prepare(rows)
        margins, n_rounds, has_converged = self._iterate(prepared)
        objective = IterativeMarginObjective(prepared, margins, lambda rows: self._iterate(rows)[0])
        objective.n_rounds, objective.has_converged = n_rounds, has_converged
        return objective

    def _iterate(self, prepared: NeighbourRows) -> tuple[Floats, int, bool]:
        """Return the margins of the last round, the number of rounds and whether the weights converged."""
        # An order that the values decide makes distances the same to the bit for any order of the columns.
        prepared.sort_columns()
        n_columns = len(prepared.varying)
        weights = np.full(n_columns, 1 / np.sqrt(max(n_columns, 1)))
        margins = prepared.expand(np.full(n_columns, np.nan))
        n_rounds, has_converged = 0, n_columns == 0
        # As long as weights change much, few digits of them are enough; what is returned is of the last, exact round.
        may_be_rough = self.max_rounds > 1
        while not has_converged and n_rounds < self.max_rounds:
            margins, is_rough = prepared.mean_weighted_margins(self.metric, float(self.width), weights, may_be_rough)
            before, weights = weights, unit_weights(margins[prepared.varying])
            n_rounds += 1
            change = float(np.linalg.norm(weights - before))
            has_converged = change < _TOLERANCE and not is_rough
            may_be_rough &= change > _ROUGH and n_rounds + 1 < self.max_rounds
        return margins, n_rounds, has_converged
