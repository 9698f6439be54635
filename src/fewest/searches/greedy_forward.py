"""Take one feature after the other, each the best beside those taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
        worths: list[float] = []
        chosen: list[int] = []
        scores: list[float] = []
        is_left = np.ones(n_columns, dtype=bool)
        while len(chosen) < limit:
            left = np.flatnonzero(is_left)
            step = self._lazily if self.lazy else best_addition
            column, score = step(objective, chosen, left)
            chosen.append(column)
            scores.append(score)
            is_left[column] = False
            if stop is not None:
                worths.append(float(objective.score_subset(chosen)))
                if stop.is_over(worths):
                    break
        size = len(chosen) if stop is None else first_best(worths) + 1
        return Selection(tuple(chosen[:size]), tuple(scores[:size]), path=NestedPath(tuple(chosen)))

    def _lazily(self, objective: Any, chosen: list[int], left: NDArray[np.intp]) -> tuple[int, float]:
        bounds = np.nan_to_num(objective.bound_additions(chosen)[left], nan=-np.inf)
        worth = np.full(len(left), -np.inf)
        batch = _FIRST_BATCH
        able = np.arange(len(left))
        while len(able):
            now = able if len(able) <= batch else able[np.argpartition(-bounds[able], batch)[:batch]]
            worth[now] = np.nan_to_num(objective.score_additions(chosen, left[now]), nan=-np.inf)
            bounds[now] = -np.inf
            # Whoever might still tie with the best has to be asked too.
            able = np.flatnonzero((bounds >= worth.max() - _TIE) & (bounds > -np.inf))
            batch *= 2
        return _best(left, worth)


def best_addition(objective: Any, chosen: Sequence[int], left: NDArray[np.intp]) -> tuple[int, float]:
    """The column that is worth most beside those chosen, the lowest of equals, and what it is worth."""
    return _best(left, np.nan_to_num(objective.score_additions(chosen, left), nan=-np.inf))


def _best(columns: NDArray[np.intp], worth: Floats) -> tuple[int, float]:
    place = int(np.flatnonzero(worth >= worth.max() - _TIE)[0]) if np.isfinite(worth.max()) else 0
    return int(columns[place]), float(worth[place]) if np.isfinite(worth[place]) else float("nan")
