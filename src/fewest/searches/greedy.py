"""Greedy searches that add and remove one feature at a time, and the rule that ends them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar, Protocol

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.protocols import BoundsAdditions, BreaksTies, ScoresAdditions, ScoresFeatures, ScoresRemovals, ScoresSubsets
from fewest.selection import NestedPath, Selection

#: Values within this of each other are equal.
_TIE = 1e-12
#: Scores that are computed first where bounds can spare the others.
_FIRST_BATCH = 32
#: A score below this is none.
_LEAST = np.finfo(np.float64).min


@dataclass(frozen=True)
class StoppingRule:
    """End when the value of the subset falls, and return the smallest subset of the largest value.

    With errors of 10, 8, 4, 4, 4, 7 for one to six features: the search ends at six and returns three.

    Parameters
    ----------
    at_most : int or None, default=None
        The largest size; None is the number of columns.
    enough : float, default=inf
        A value that no subset can exceed; a subset that reaches it ends the search.

    See Also
    --------
    GreedyForward : Adds features one at a time.
    GreedyFloating : Adds features, and removes those that have become superfluous.
    """

    at_most: int | None = None
    enough: float = math.inf

    def limit(self, n_columns: int) -> int:
        """Return the largest size to try."""
        return n_columns if self.at_most is None else min(self.at_most, n_columns)

    def is_over(self, values: Sequence[float]) -> bool:
        """Return whether to end after subsets of these values, in the order of their sizes."""
        is_worse = len(values) > 1 and values[-1] < values[-2] - _TIE
        return is_worse or values[-1] >= self.enough


class ScoresSteps(ScoresFeatures, BoundsAdditions, ScoresSubsets, Protocol):
    """What the search may ask for: bounds only where it is lazy, values of subsets only with a stopping rule."""


@dataclass(frozen=True)
class GreedyForward:
    """Add one feature at a time, each the best in addition to those selected; ties go to the lowest column.

    Where the objective has tie_scores, as JointInformation has relevance, these decide among equals first.

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

    #: Used where the objective has it.
    uses: ClassVar[frozenset[str]] = frozenset({"tie_scores"})

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
        limit = stop.limit(n_columns) if stop else n_columns if n_features is None else min(n_features, n_columns)
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
        size = len(chosen) if stop is None else _first_best(values) + 1
        return Selection(tuple(chosen[:size]), tuple(scores[:size]), path=NestedPath(tuple(chosen)))


@dataclass(frozen=True)
class GreedyBackward:
    """Start with all features and remove one at a time, each the one whose removal leaves the largest value.

    With a number of features it ends there; without, it removes features while the value does not fall, down to one.
    Of equal columns the highest is removed: where columns come in the order of a ranking, the lowest-ranked.

    See Also
    --------
    GreedyForward : Starts with no feature.
    RecursiveElimination : Removes the features with the least weights.

    Notes
    -----
    Features are returned in the order of the loss without each, which is their score. The number of subsets evaluated
    grows with the square of the number of columns. The backward wrapper of the mRMR paper.
    """

    requires: ClassVar[frozenset[str]] = frozenset({"n_columns", "score_removals"})
    #: Its path has the sizes from that of all columns down to n_features.
    path_ends_with_least: ClassVar[bool] = True

    def run(self, objective: ScoresRemovals, n_features: int | None) -> Selection:
        """Return the features left: n_features, or where the value would fall (None)."""
        left = list(range(objective.n_columns))
        path = {len(left): tuple(left)}
        while len(left) > max(n_features or 1, 1):
            column, gain = _best_removal(objective, left)
            if n_features is None and gain < -_TIE:
                break
            left.remove(column)
            path[len(left)] = tuple(left)
        indices, scores = _by_loss(objective, left)
        return Selection(indices=indices, scores=scores, path=dict(sorted(path.items())))


class ScoresMoves(ScoresSubsets, ScoresAdditions, ScoresRemovals, Protocol):
    """The value of a subset, and of one column more or less."""


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

    #: Used where the objective has it.
    uses: ClassVar[frozenset[str]] = frozenset({"tie_scores"})
    requires: ClassVar[frozenset[str]] = frozenset({"n_columns", "score_subset", "score_additions", "score_removals"})

    def run(self, objective: ScoresMoves, n_features: int | None) -> Selection:
        """Return the best subset found: of n_features, or of any size (None)."""
        n_columns = objective.n_columns
        limit = self.stop.limit(n_columns) if n_features is None else min(n_features, n_columns)
        best: dict[int, tuple[int, ...]] = {}
        values: dict[int, float] = {}

        def is_better(columns: tuple[int, ...]) -> bool:
            """Return whether this subset is better, strictly, than the best of its size so far, and store it if so."""
            size, value = len(columns), float(objective.score_subset(columns))
            if size in values and not value > values[size] + _TIE:
                return False
            best[size], values[size] = columns, value
            return True

        now: tuple[int, ...] = ()
        while len(now) < limit:
            left = np.setdiff1d(np.arange(n_columns), now)
            is_better((*now, _best_addition(objective, now, left)[0]))
            now = best[len(now) + 1]
            grown = len(now)
            while len(now) > 2:
                worst = _best_removal(objective, now)[0]
                if not is_better(tuple(column for column in now if column != worst)):
                    break
                now = best[len(now) - 1]
            last = [values[size] for size in (grown - 1, grown) if size in values]
            if n_features is None and len(now) == grown and self.stop.is_over(last):
                break
        path = dict(sorted(best.items()))
        size = limit if n_features is not None else list(path)[_first_best([values[size] for size in path])]
        indices, scores = _by_loss(objective, path[size])
        return Selection(indices=indices, scores=scores, path=path)


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
            least = np.fmax(least, np.fmax.reduce(found) - _TIE)
            able = np.flatnonzero(bounds >= least)
            batch *= 2
        if scored:
            self.scored = np.concatenate(scored)
            if (best := _best(self.scored, np.concatenate(scores), _second(self.objective))) is not None:
                return best
        return min(set(range(self.n_columns)).difference(chosen)), float("nan")


def _next_of_all(objective: ScoresAdditions, n_columns: int, chosen: list[int]) -> tuple[int, float]:
    return _best_addition(objective, chosen, np.delete(np.arange(n_columns), chosen))


def _best_addition(objective: ScoresAdditions, chosen: Sequence[int], left: Indices) -> tuple[int, float]:
    """Return the best column in addition to those chosen, the lowest of equals, and its score."""
    return _best(left, objective.score_additions(chosen, left), _second(objective)) or (int(left[0]), float("nan"))


def _second(objective: ScoresAdditions) -> Floats | None:
    """Return the scores that decide among equals, where the objective has any."""
    return objective.tie_scores if isinstance(objective, BreaksTies) else None


def _best(columns: Indices, scores: Floats, second: Floats | None = None) -> tuple[int, float] | None:
    """Return the lowest of the columns with the highest score, and the score; None where none has a score.

    second : by column, which of those with the highest score come first
    """
    best = np.fmax.reduce(scores)
    if not best >= _LEAST:
        return None
    ties = np.flatnonzero(scores >= best - _TIE)
    if second is not None and len(ties) > 1:
        of_ties = second[columns[ties]]
        ties = ties[of_ties >= of_ties.max() - _TIE]
    index = ties[np.argmin(columns[ties])]
    return int(columns[index]), float(scores[index])


def _best_removal(objective: ScoresRemovals, columns: Sequence[int]) -> tuple[int, float]:
    """Return the column whose removal gains most, and the gain; a column without a value goes first."""
    among: Indices = np.array(columns, dtype=np.intp)
    gains = np.nan_to_num(objective.score_removals(columns, among), nan=np.inf)
    most = float(gains.max())
    return int(among[gains >= most - _TIE].max()), most


def _by_loss(objective: ScoresRemovals, columns: Sequence[int]) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Return the columns in the order of the loss without each, largest first, and the losses."""
    among = np.sort(np.array(columns, dtype=np.intp))
    losses = 0.0 - objective.score_removals(tuple(columns), among)
    order = np.argsort(-losses, kind="stable")
    return tuple(among[order].tolist()), tuple(losses[order].tolist())


def _first_best(values: Sequence[float]) -> int:
    """Return the index of the first of the largest values."""
    most = max(values)
    return next(i for i, value in enumerate(values) if value >= most - _TIE)
