"""Take one feature after the other, and after each drop those that have become superfluous."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from fewest.searches.greedy_backward import best_removal, by_loss
from fewest.searches.greedy_forward import best_addition
from fewest.searches.stopping_rule import StoppingRule, first_best, is_better
from fewest.selection import Selection


class _BestOfEachSize:
    """The best set known of each size, and what it is worth."""

    def __init__(self, objective: Any) -> None:
        self.objective = objective
        self.columns: dict[int, tuple[int, ...]] = {}
        self.worths: dict[int, float] = {}

    def take(self, columns: tuple[int, ...]) -> bool:
        """Keep this set if it is better, strictly, than the best of its size so far."""
        size, worth = len(columns), float(self.objective.score_subset(columns))
        if size in self.worths and not is_better(worth, self.worths[size]):
            return False
        self.columns[size], self.worths[size] = columns, worth
        return True


@dataclass(frozen=True)
class GreedyFloating:
    """Take one feature after the other, each the best beside those taken; after each, drop features as long as what is
    left is better, strictly, than the best set known of its size.

    Goes on from the best set known of a size. Every step back makes some size better and every other step makes the
    set larger, so it ends. Without a number of features the stopping rule says when, and the smallest of the best sets
    is returned; with a number, the best set of that size.

    The features are returned in the order of what would be lost without each, the scores. Sequential forward floating
    selection (Pudil, Novovicova and Kittler).
    """

    stop: StoppingRule = field(default_factory=StoppingRule)

    requires: ClassVar[frozenset[str]] = frozenset({"n_columns", "score_subset", "score_additions", "score_removals"})

    def run(self, objective: Any, n_features: int | None) -> Selection:
        n_columns = objective.n_columns
        limit = self.stop.limit(n_columns) if n_features is None else min(n_features, n_columns)
        best = _BestOfEachSize(objective)
        now: tuple[int, ...] = ()
        while len(now) < limit:
            left = np.setdiff1d(np.arange(n_columns), now)
            best.take((*now, best_addition(objective, now, left)[0]))
            now = best.columns[len(now) + 1]
            grown = len(now)
            while len(now) > 2 and best.take(_without(now, best_removal(objective, now)[0])):
                now = best.columns[len(now) - 1]
            if n_features is None and len(now) == grown and self._is_over(best, grown):
                break
        sizes = sorted(best.columns)
        size = limit if n_features is not None else sizes[first_best([best.worths[size] for size in sizes])]
        indices, scores = by_loss(objective, best.columns[size])
        return Selection(indices=indices, scores=scores, path={size: best.columns[size] for size in sizes})

    def _is_over(self, best: _BestOfEachSize, size: int) -> bool:
        return self.stop.is_over([best.worths[s] for s in (size - 1, size) if s in best.worths])


def _without(columns: tuple[int, ...], column: int) -> tuple[int, ...]:
    return tuple(other for other in columns if other != column)
