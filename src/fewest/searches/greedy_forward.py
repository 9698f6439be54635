"""Greedy forward selection of features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.protocols import BoundsAdditions, ScoresAdditions, ScoresFeatures, ScoresSubsets
from fewest.searches.stopping_rule import TIE, StoppingRule, first_best
from fewest.selection import NestedPath, Selection

#: Scores that are computed first where bounds can spare the others.
_FIRST_BATCH = 32
#: A score below this is none.
_LEAST = np.finfo(np.float64).min


class ScoresSteps(ScoresFeatures, BoundsAdditions, ScoresSubsets, Protocol):
    """What the search may ask for: bounds only where it is lazy, values of subsets only with a stopping rule."""


@dataclass(frozen=True)
class GreedyForward:
    """Add one feature at a time, each the best in addition to those selected; ties go to the lowest column.

    Parameters
    ----------
    lazy : bool, default=True
        Whether to score only columns whose upper bound can win, highest bounds first. Needs a criterion with
        bound_additions. The answer is the same, ties included.
    stop : StoppingRule or None, default=None
        When to end without a number of features; needs a criterion with score_subset. None ends with all columns.

    See Also
    --------
    GreedyFloating : Also removes features that have become superfluous.
    GreedyBackward : Starts with all features.
    """

    lazy: bool = True
    stop: StoppingRule | None = None

    @property
    def requires(self) -> frozenset[str]:
        """The methods of the objective that this search uses."""
        needed = {"score_features", "score_additions"}
        needed |= {"bound_additions"} if self.lazy else set()
        return frozenset(needed | {"score_subset"} if self.stop is not None else needed)

    def run(self, objective: ScoresSteps, n_features: int | None) -> Selection:
        """Return the features in the order in which they were added: n_features, or until the rule ends it (None)."""
        n_columns = len(objective.score_features())
        stop = self.stop if n_features is None else None
        limit = n_columns if n_features is None else min(n_features, n_columns)
        limit = limit if stop is None else stop.limit(n_columns)
        next_best = _LazyAddition(objective, n_columns) if self.lazy else partial(_next_of_all, objective, n_columns)
        values: list[float] = []
        chosen: list[int] = []
        scores: list[float] = []
        while len(chosen) < limit:
            column, score = next_best(chosen)
            chosen.append(column)
            scores.append(score)
            if stop is not None:
                values.append(float(objective.score_subset(chosen)))
                if stop.is_over(values):
                    break
        size = len(chosen) if stop is None else first_best(values) + 1
        return Selection(tuple(chosen[:size]), tuple(scores[:size]), path=NestedPath(tuple(chosen)))


class _LazyAddition:
    """Finds the best addition from the scores of a few columns."""

    def __init__(self, objective: BoundsAdditions, n_columns: int) -> None:
        self.objective = objective
        self.n_columns = n_columns
        #: The columns scored last time: the next is probably among them, and a high first score spares most others.
        self.scored: Indices = np.empty(0, dtype=np.intp)

    def __call__(self, chosen: list[int]) -> tuple[int, float]:
        # A comparison with NaN is false: a column without a bound is never scored.
        bounds = np.array(self.objective.bound_additions(chosen))
        bounds[chosen] = -np.inf
        scored, scores = [], []
        least = _LEAST
        able = self.scored[bounds[self.scored] >= least]
        # Where many had to be scored last time, few large batches are faster than many small ones.
        batch = max(_FIRST_BATCH, len(self.scored) // 2)
        if len(able) == 0:
            able = np.flatnonzero(bounds >= least)
        while len(able):
            now = able if len(able) <= batch else able[np.argpartition(bounds[able], -batch)[-batch:]]
            found = self.objective.score_additions(chosen, now)
            scored.append(now)
            scores.append(found)
            bounds[now] = -np.inf
            # A column that may still tie with the best is scored too.
            least = np.fmax(least, np.fmax.reduce(found) - TIE)
            able = np.flatnonzero(bounds >= least)
            batch *= 2
        if not scored:
            return _first_left(self.n_columns, chosen)
        self.scored = np.concatenate(scored)
        return _best(self.scored, np.concatenate(scores)) or _first_left(self.n_columns, chosen)


def _next_of_all(objective: ScoresAdditions, n_columns: int, chosen: list[int]) -> tuple[int, float]:
    return best_addition(objective, chosen, np.delete(np.arange(n_columns), chosen))


def best_addition(objective: ScoresAdditions, chosen: Sequence[int], left: Indices) -> tuple[int, float]:
    """Return the best column in addition to those chosen, the lowest of equals, and its score."""
    return _best(left, objective.score_additions(chosen, left)) or (int(left[0]), float("nan"))


def _best(columns: Indices, scores: Floats) -> tuple[int, float] | None:
    """Return the lowest of the columns with the highest score, and the score; None where none has a score."""
    best = np.fmax.reduce(scores)
    if not best >= _LEAST:
        return None
    ties = np.flatnonzero(scores >= best - TIE)
    index = ties[np.argmin(columns[ties])]
    return int(columns[index]), float(scores[index])


def _first_left(n_columns: int, chosen: list[int]) -> tuple[int, float]:
    return min(set(range(n_columns)).difference(chosen)), float("nan")
