"""Sequential forward floating selection."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Protocol

import numpy as np

from fewest.protocols import ScoresAdditions, ScoresRemovals, ScoresSubsets
from fewest.searches.greedy_backward import best_removal, by_loss
from fewest.searches.greedy_forward import best_addition
from fewest.searches.stopping_rule import TIE, StoppingRule, first_best
from fewest.selection import Selection


class ScoresMoves(ScoresSubsets, ScoresAdditions, ScoresRemovals, Protocol):
    """The value of a subset, and of one column more or less."""


class _BestOfEachSize:
    """The best subset known of each size, and its value."""

    def __init__(self, objective: ScoresSubsets) -> None:
        self.objective = objective
        self.columns: dict[int, tuple[int, ...]] = {}
        self.values: dict[int, float] = {}

    def update(self, columns: tuple[int, ...]) -> bool:
        """Store this subset if it is better, strictly, than the best of its size so far; return whether it is."""
        size, value = len(columns), float(self.objective.score_subset(columns))
        if size in self.values and not value > self.values[size] + TIE:
            return False
        self.columns[size], self.values[size] = columns, value
        return True


@dataclass(frozen=True)
class GreedyFloating:
    """Add the best feature at each step, and then remove features while that improves the best subset of their number.

    With a number of features the best subset of that size is returned; without, the stopping rule decides, and the
    smallest of the best subsets is returned.

    Parameters
    ----------
    stop : StoppingRule, default=StoppingRule()
        When to end without a number of features.

    See Also
    --------
    GreedyForward : Never removes a feature.
    GreedyBackward : Never adds one.

    Notes
    -----
    Every removal improves the best subset of some size and every other step makes the subset larger, so it ends.
    Features are returned in the order of the loss without each, which is their score.

    References
    ----------
    Pudil, Novovičová and Kittler (1994), Floating search methods in feature selection,
    https://doi.org/10.1016/0167-8655(94)90127-9
    """

    stop: StoppingRule = field(default_factory=StoppingRule)

    requires: ClassVar[frozenset[str]] = frozenset({"n_columns", "score_subset", "score_additions", "score_removals"})

    def run(self, objective: ScoresMoves, n_features: int | None) -> Selection:
        """Return the best subset found: of n_features, or of any size (None)."""
        n_columns = objective.n_columns
        limit = self.stop.limit(n_columns) if n_features is None else min(n_features, n_columns)
        best = _BestOfEachSize(objective)
        now: tuple[int, ...] = ()
        while len(now) < limit:
            left = np.setdiff1d(np.arange(n_columns), now)
            best.update((*now, best_addition(objective, now, left)[0]))
            now = best.columns[len(now) + 1]
            grown = len(now)
            while len(now) > 2:
                worst = best_removal(objective, now)[0]
                if not best.update(tuple(column for column in now if column != worst)):
                    break
                now = best.columns[len(now) - 1]
            last = [best.values[size] for size in (grown - 1, grown) if size in best.values]
            if n_features is None and len(now) == grown and self.stop.is_over(last):
                break
        sizes = sorted(best.columns)
        size = limit if n_features is not None else sizes[first_best([best.values[size] for size in sizes])]
        indices, scores = by_loss(objective, best.columns[size])
        return Selection(indices=indices, scores=scores, path={size: best.columns[size] for size in sizes})
