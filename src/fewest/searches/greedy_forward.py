"""Take one feature after the other, each the best beside those taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest.searches.stopping_rule import StoppingRule, first_best
from fewest.selection import NestedPath, Selection

Floats = NDArray[np.float64]

#: Scores within this of the highest are ties, and go to the lowest column.
_TIE = 1e-12
_FIRST_BATCH = 32


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
        next_best = _Lazily(objective) if self.lazy else partial(best_addition, objective)
        worths: list[float] = []
        chosen: list[int] = []
        scores: list[float] = []
        is_left = np.ones(n_columns, dtype=bool)
        while len(chosen) < limit:
            column, score = next_best(chosen, np.flatnonzero(is_left))
            chosen.append(column)
            scores.append(score)
            is_left[column] = False
            if stop is not None:
                worths.append(float(objective.score_subset(chosen)))
                if stop.is_over(worths):
                    break
        size = len(chosen) if stop is None else first_best(worths) + 1
        return Selection(tuple(chosen[:size]), tuple(scores[:size]), path=NestedPath(tuple(chosen)))


class _Lazily:
    """Finds the best addition from the worth of few columns."""

    def __init__(self, objective: Any) -> None:
        self.objective = objective
        #: The columns asked for last time: most likely one of them is next, and a high worth to begin with spares most.
        self.asked: NDArray[np.intp] = np.empty(0, dtype=np.intp)

    def __call__(self, chosen: Sequence[int], left: NDArray[np.intp]) -> tuple[int, float]:
        # A comparison with NaN is false: a column without worth is never asked for.
        bounds = np.array(self.objective.bound_additions(chosen))
        bounds[list(chosen)] = -np.inf
        asked, worth = [left[:0]], [np.empty(0)]
        best = -np.inf
        able = self.asked[bounds[self.asked] > -np.inf]
        # Where many had to be asked, as many may again: then few large batches are faster than many small ones.
        batch = max(_FIRST_BATCH, len(self.asked) // 2)
        if len(able) == 0:
            able = np.flatnonzero(bounds > -np.inf)
        while len(able):
            now = able if len(able) <= batch else able[np.argpartition(bounds[able], -batch)[-batch:]]
            found = self.objective.score_additions(chosen, now)
            asked.append(now)
            worth.append(found)
            best = np.fmax(best, np.fmax.reduce(found))
            bounds[now] = -np.inf
            # Whoever might still tie with the best has to be asked too.
            able = np.flatnonzero((bounds >= best - _TIE) & (bounds > -np.inf))
            batch *= 2
        self.asked = np.concatenate(asked)
        return _best(self.asked, np.concatenate(worth), left)


def best_addition(objective: Any, chosen: Sequence[int], left: NDArray[np.intp]) -> tuple[int, float]:
    """The column that is worth most beside those chosen, the lowest of equals, and what it is worth."""
    return _best(left, objective.score_additions(chosen, left), left)


def _best(columns: NDArray[np.intp], worth: Floats, left: NDArray[np.intp]) -> tuple[int, float]:
    """The lowest of the columns that are worth most; where none is worth anything, the first that is left."""
    best = np.fmax.reduce(worth, initial=-np.inf)
    if best == -np.inf:
        return int(left[0]), float("nan")
    ties = np.flatnonzero(worth >= best - _TIE)
    place = ties[np.argmin(columns[ties])]
    return int(columns[place]), float(worth[place])
