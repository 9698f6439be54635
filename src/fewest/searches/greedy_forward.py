"""Take one feature after the other, each the best beside those taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.searches.stopping_rule import StoppingRule, first_best
from fewest.selection import NestedPath, Selection

#: Scores within this of the highest are ties, and go to the lowest column.
_TIE = 1e-12
_FIRST_BATCH = 32
#: What is worth less is worth nothing.
_LEAST = np.finfo(np.float64).min


@dataclass(frozen=True)
class GreedyForward:
    """Take one feature after the other, each the best beside those taken; ties to the lowest column.

    lazy : ask for the worth of few columns at a time, those first that can be worth most, and stop when no other can
        win. Needs a criterion that gives upper bounds (bound_additions). The answer is the same, ties included.
    stop : when to end without a number of features. Needs the worth of sets (score_subset). None: with all columns
    """

    lazy: bool = True
    stop: StoppingRule | None = None

    @property
    def requires(self) -> frozenset[str]:
        needed = {"score_features", "score_additions"}
        needed |= {"bound_additions"} if self.lazy else set()
        return frozenset(needed | {"score_subset"} if self.stop is not None else needed)

    def run(self, objective: Any, n_features: int | None) -> Selection:
        n_columns = len(objective.score_features())
        stop = self.stop if n_features is None else None
        limit = n_columns if n_features is None else min(n_features, n_columns)
        limit = limit if stop is None else stop.limit(n_columns)
        next_best = _Lazily(objective, n_columns) if self.lazy else partial(_fully, objective, n_columns)
        worths: list[float] = []
        chosen: list[int] = []
        scores: list[float] = []
        while len(chosen) < limit:
            column, score = next_best(chosen)
            chosen.append(column)
            scores.append(score)
            if stop is not None:
                worths.append(float(objective.score_subset(chosen)))
                if stop.is_over(worths):
                    break
        size = len(chosen) if stop is None else first_best(worths) + 1
        return Selection(tuple(chosen[:size]), tuple(scores[:size]), path=NestedPath(tuple(chosen)))


class _Lazily:
    """Finds the best addition from the worth of few columns."""

    def __init__(self, objective: Any, n_columns: int) -> None:
        self.objective = objective
        self.n_columns = n_columns
        #: The columns asked for last time: most likely one of them is next, and a high worth to begin with spares most.
        self.asked: Indices = np.empty(0, dtype=np.intp)

    def __call__(self, chosen: list[int]) -> tuple[int, float]:
        # A comparison with NaN is false: a column without worth is never asked for.
        bounds = np.array(self.objective.bound_additions(chosen))
        bounds[chosen] = -np.inf
        asked, worth = [], []
        least = _LEAST
        able = self.asked[bounds[self.asked] >= least]
        # Where many had to be asked, as many may again: then few large batches are faster than many small ones.
        batch = max(_FIRST_BATCH, len(self.asked) // 2)
        if len(able) == 0:
            able = np.flatnonzero(bounds >= least)
        while len(able):
            now = able if len(able) <= batch else able[np.argpartition(bounds[able], -batch)[-batch:]]
            found = self.objective.score_additions(chosen, now)
            asked.append(now)
            worth.append(found)
            bounds[now] = -np.inf
            # Whoever might still tie with the best has to be asked too.
            least = np.fmax(least, np.fmax.reduce(found) - _TIE)
            able = np.flatnonzero(bounds >= least)
            batch *= 2
        if not asked:
            return _first_left(self.n_columns, chosen)
        self.asked = np.concatenate(asked)
        return _best(self.asked, np.concatenate(worth)) or _first_left(self.n_columns, chosen)


def _fully(objective: Any, n_columns: int, chosen: list[int]) -> tuple[int, float]:
    return best_addition(objective, chosen, np.delete(np.arange(n_columns), chosen))


def best_addition(objective: Any, chosen: Sequence[int], left: Indices) -> tuple[int, float]:
    """The column that is worth most beside those chosen, the lowest of equals, and what it is worth."""
    return _best(left, objective.score_additions(chosen, left)) or (int(left[0]), float("nan"))


def _best(columns: Indices, worth: Floats) -> tuple[int, float] | None:
    """The lowest of the columns that are worth most; None where none is worth anything."""
    best = np.fmax.reduce(worth)
    if not best >= _LEAST:
        return None
    ties = np.flatnonzero(worth >= best - _TIE)
    place = ties[np.argmin(columns[ties])]
    return int(columns[place]), float(worth[place])


def _first_left(n_columns: int, chosen: list[int]) -> tuple[int, float]:
    return min(set(range(n_columns)).difference(chosen)), float("nan")
