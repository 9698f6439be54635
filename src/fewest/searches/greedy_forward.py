"""Take one feature after the other, each the best beside those taken."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    """

    lazy: bool = True

    @property
    def requires(self) -> frozenset[str]:
        needed = {"score_features", "score_additions"}
        return frozenset(needed | {"bound_additions"} if self.lazy else needed)

    def run(self, objective: Any, n_features: int | None) -> Selection:
        n_columns = len(objective.score_features())
        limit = n_columns if n_features is None else min(n_features, n_columns)
        next_best = _Lazily(objective, n_columns) if self.lazy else partial(_fully, objective, n_columns)
        chosen: list[int] = []
        scores: list[float] = []
        while len(chosen) < limit:
            column, score = next_best(chosen)
            if column is None:
                # What is left has no worth at all: in the order of the columns.
                column = min(set(range(n_columns)).difference(chosen))
            chosen.append(column)
            scores.append(score)
        indices = tuple(chosen)
        return Selection(indices=indices, scores=tuple(scores), path=NestedPath(indices))


class _Lazily:
    """Finds the best addition from the worth of few columns."""

    def __init__(self, objective: Any, n_columns: int) -> None:
        self.objective = objective
        #: The columns asked for last time: most likely one of them is next, and a high worth to begin with spares most.
        self.asked: NDArray[np.intp] = np.empty(0, dtype=np.intp)

    def __call__(self, chosen: list[int]) -> tuple[int | None, float]:
        # A comparison with NaN is false: a column without worth is never asked for.
        bounds = np.array(self.objective.bound_additions(chosen))
        bounds[chosen] = -np.inf
        asked, worth = [], []
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
        if not asked:
            return None, np.nan
        self.asked = np.concatenate(asked)
        return _best(self.asked, np.concatenate(worth))


def _fully(objective: Any, n_columns: int, chosen: list[int]) -> tuple[int | None, float]:
    left = np.delete(np.arange(n_columns), chosen)
    return _best(left, objective.score_additions(chosen, left))


def _best(columns: NDArray[np.intp], worth: Floats) -> tuple[int | None, float]:
    """The lowest of the columns that are worth most; None where none is worth anything."""
    best = np.fmax.reduce(worth, initial=-np.inf)
    if best == -np.inf:
        return None, np.nan
    ties = np.flatnonzero(worth >= best - _TIE)
    place = ties[np.argmin(columns[ties])]
    return int(columns[place]), float(worth[place])
