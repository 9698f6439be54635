"""Greedy searches that add and remove one feature at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar, Protocol

import numpy as np

from fewest.arrays import Floats, Indices, Mask
from fewest.constraints import ALL_CONSTRAINTS, UNCONSTRAINED, ColumnConstraints
from fewest.protocols import BoundsAdditions, BreaksTies, ScoresAdditions, ScoresFeatures, ScoresRemovals, ScoresSubsets
from fewest.searches.stopping_rule import TIE, StoppingRule
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

    Examples
    --------
    >>> from fewest import FeatureSelector, GreedyForward, RelevanceRedundancy, scan
    >>> FeatureSelector(RelevanceRedundancy(), GreedyForward(), n_features=3).fit(scan("wine")).selection_.features
    ('flavanoids', 'proline', 'od280/od315_of_diluted_wines')
    """

    lazy: bool = True
    stop: StoppingRule | None = None

    honours: ClassVar[frozenset[str]] = ALL_CONSTRAINTS
    #: Used where the objective has it.
    uses: ClassVar[frozenset[str]] = frozenset({"tie_scores"})

    @property
    def requires(self) -> frozenset[str]:
        """The methods of the objective that this search uses."""
        needed = {"score_features", "score_additions"}
        needed |= {"bound_additions"} if self.lazy else set()
        return frozenset(needed | {"score_subset"} if self.stop is not None else needed)

    def run(
        self, objective: ScoresSteps, n_features: int | None, constraints: ColumnConstraints = UNCONSTRAINED
    ) -> Selection:
        """Return the features in the order in which they were added: n_features, or until the rule ends it (None).

        Columns to keep are added first, the best of them first. Scores are less the prices of columns.
        """
        n_columns = len(objective.score_features())
        stop = self.stop if n_features is None else None
        limit = stop.limit(n_columns) if stop else n_columns if n_features is None else min(n_features, n_columns)
        is_free = constraints is UNCONSTRAINED
        prices = np.zeros(n_columns) if is_free else constraints.prices(n_columns)
        next_best = _LazyAddition(objective, prices) if self.lazy else partial(_next_of_all, objective, prices)
        values: list[float] = []
        chosen: list[int] = []
        scores: list[float] = []
        n_kept = len(constraints.kept)
        is_limited = bool(constraints.caps) or constraints.budget is not None
        while len(chosen) < limit:
            is_any = is_free or (not is_limited and len(chosen) >= n_kept)
            found = next_best(chosen, None if is_any else constraints.can_add(chosen, n_columns))
            if found is None:
                break
            chosen.append(found[0])
            scores.append(found[1])
            if stop is not None and len(chosen) >= n_kept:
                values.append(float(objective.score_subset(chosen)) - constraints.price_of(chosen))
                if stop.is_over(values):
                    break
        size = len(chosen) if stop is None else _first_best(values) + max(n_kept, 1)
        return Selection(tuple(chosen[:size]), tuple(scores[:size]), path=NestedPath(tuple(chosen), n_kept))


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

    Examples
    --------
    >>> from fewest import BayesError, FeatureSelector, GreedyBackward, scan
    >>> FeatureSelector(BayesError(), GreedyBackward(), n_features=3).fit(scan("wine")).selection_.features
    ('flavanoids', 'color_intensity', 'proline')
    """

    requires: ClassVar[frozenset[str]] = frozenset({"n_columns", "score_removals"})
    honours: ClassVar[frozenset[str]] = ALL_CONSTRAINTS
    #: Its path has the sizes from that of all columns down to n_features.
    path_ends_with_least: ClassVar[bool] = True

    def run(
        self, objective: ScoresRemovals, n_features: int | None, constraints: ColumnConstraints = UNCONSTRAINED
    ) -> Selection:
        """Return the features left: n_features, or where the value would fall (None).

        Removals go on until no cap and no budget is exceeded; only subsets that are allowed are in the path.
        """
        prices = constraints.prices(objective.n_columns)
        left = list(range(objective.n_columns))
        path = {len(left): tuple(left)} if constraints.allows(left) else {}
        while len(left) > max(len(constraints.kept), 1):
            is_allowed = constraints.are_none or constraints.allows(left)
            if len(left) <= max(n_features or 1, 1) and is_allowed:
                break
            removable = _removable(left, n_features, constraints)
            column, gain = _best_removal(objective, left, removable, prices)
            if n_features is None and is_allowed and gain < -TIE:
                break
            left.remove(column)
            if constraints.are_none or constraints.allows(left):
                path[len(left)] = tuple(left)
        indices, scores = _by_loss(objective, left, prices)
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

    Examples
    --------
    >>> from fewest import BayesError, FeatureSelector, GreedyFloating, scan
    >>> FeatureSelector(BayesError(), GreedyFloating(), n_features=3).fit(scan("wine")).selection_.features
    ('flavanoids', 'alcohol', 'color_intensity')
    """

    stop: StoppingRule = field(default_factory=StoppingRule)

    #: Used where the objective has it.
    uses: ClassVar[frozenset[str]] = frozenset({"tie_scores"})
    requires: ClassVar[frozenset[str]] = frozenset({"n_columns", "score_subset", "score_additions", "score_removals"})
    honours: ClassVar[frozenset[str]] = ALL_CONSTRAINTS

    def run(
        self, objective: ScoresMoves, n_features: int | None, constraints: ColumnConstraints = UNCONSTRAINED
    ) -> Selection:
        """Return the best subset found: of n_features, or of any size (None); it starts with the columns to keep."""
        n_columns, prices, kept = objective.n_columns, constraints.prices(objective.n_columns), set(constraints.kept)
        limit = self.stop.limit(n_columns) if n_features is None else min(n_features, n_columns)
        best: dict[int, tuple[int, ...]] = {}
        values: dict[int, float] = {}

        def is_better(columns: tuple[int, ...]) -> bool:
            """Return whether this subset is better, strictly, than the best of its size so far, and store it if so."""
            size = len(columns)
            value = float(objective.score_subset(columns)) - constraints.price_of(columns)
            if size in values and not value > values[size] + TIE:
                return False
            best[size], values[size] = columns, value
            return True

        now: tuple[int, ...] = constraints.kept
        if now:
            is_better(now)
        while len(now) < limit:
            left = np.flatnonzero(constraints.can_add(now, n_columns))
            if len(left) == 0 and len(now) + 1 not in best:
                break
            if len(left):
                is_better((*now, _best_addition(objective, now, left, prices)[0]))
            now = best[len(now) + 1]
            grown = len(now)
            while len(now) > max(2, len(kept) + 1):
                worst = _best_removal(objective, now, [column for column in now if column not in kept], prices)[0]
                if not is_better(tuple(column for column in now if column != worst)):
                    break
                now = best[len(now) - 1]
            last = [values[size] for size in (grown - 1, grown) if size in values]
            if n_features is None and len(now) == grown and self.stop.is_over(last):
                break
        path = dict(sorted(best.items()))
        size = max(path) if n_features is not None else list(path)[_first_best([values[size] for size in path])]
        indices, scores = _by_loss(objective, path[size], prices)
        return Selection(indices=indices, scores=scores, path=path)


class _LazyAddition:
    """Finds the best addition from the scores of a few columns."""

    def __init__(self, objective: BoundsAdditions, prices: Floats) -> None:
        self.objective, self.prices = objective, prices
        #: The columns scored last time: the next is probably among them, and a high first score spares most others.
        self.scored: Indices = np.empty(0, dtype=np.intp)

    def __call__(self, chosen: list[int], allowed: Mask | None) -> tuple[int, float] | None:
        """Return the best of the columns that may be added, and its score; None where none may.

        allowed : which columns may be added; None for all but those chosen
        """
        # A comparison with NaN is false: a column without a bound is never scored.
        bounds = self.objective.bound_additions(chosen) - self.prices
        bounds[chosen] = -np.inf
        if allowed is not None:
            bounds[~allowed] = -np.inf
        scored, scores = [], []
        least = _LEAST
        able = self.scored[bounds[self.scored] >= least]
        # Where many had to be scored last time, few large batches are faster than many small ones.
        batch = max(_FIRST_BATCH, len(self.scored) // 2)
        if len(able) == 0:
            able = np.flatnonzero(bounds >= least)
        while len(able):
            now = able if len(able) <= batch else able[np.argpartition(bounds[able], -batch)[-batch:]]
            found = self.objective.score_additions(chosen, now) - self.prices[now]
            scored.append(now)
            scores.append(found)
            bounds[now] = -np.inf
            # A column that may still tie with the best is scored too.
            least = np.fmax(least, np.fmax.reduce(found) - TIE)
            able = np.flatnonzero(bounds >= least)
            batch *= 2
        if scored:
            self.scored = np.concatenate(scored)
            if (best := _best(self.scored, np.concatenate(scores), _second(self.objective))) is not None:
                return best
        left = np.delete(np.arange(len(bounds)), chosen) if allowed is None else np.flatnonzero(allowed)
        return (int(left[0]), float("nan")) if len(left) else None


def _next_of_all(
    objective: ScoresAdditions, prices: Floats, chosen: list[int], allowed: Mask | None
) -> tuple[int, float] | None:
    left = np.delete(np.arange(len(prices)), chosen) if allowed is None else np.flatnonzero(allowed)
    return _best_addition(objective, chosen, left, prices) if len(left) else None


def _best_addition(
    objective: ScoresAdditions, chosen: Sequence[int], left: Indices, prices: Floats
) -> tuple[int, float]:
    """Return the best column in addition to those chosen, the lowest of equals, and its score less its price."""
    scores = objective.score_additions(chosen, left) - prices[left]
    return _best(left, scores, _second(objective)) or (int(left[0]), float("nan"))


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
    ties = np.flatnonzero(scores >= best - TIE)
    if second is not None and len(ties) > 1:
        of_ties = second[columns[ties]]
        ties = ties[of_ties >= of_ties.max() - TIE]
    index = ties[np.argmin(columns[ties])]
    return int(columns[index]), float(scores[index])


def _removable(left: list[int], n_features: int | None, constraints: ColumnConstraints) -> list[int]:
    """Return the columns that may be removed: not those to keep, and in time those of a kind of which there are many.

    Where caps demand every removal that is left, a column of such a kind goes.
    """
    if constraints.are_none:
        return left
    kept = set(constraints.kept)
    removable = [column for column in left if column not in kept]
    excess = constraints.excess(left)
    if excess and (n_features is None or len(left) - n_features <= excess):
        inside = set(left)
        full = [cap for cap in constraints.caps if len(inside.intersection(cap.members)) > cap.at_most]
        return [column for column in removable if any(column in cap.members for cap in full)]
    return removable


def _best_removal(
    objective: ScoresRemovals, columns: Sequence[int], removable: Sequence[int], prices: Floats
) -> tuple[int, float]:
    """Return the column whose removal gains most, its price included, and the gain; one without a value goes first."""
    among: Indices = np.array(removable, dtype=np.intp)
    gains = np.nan_to_num(objective.score_removals(columns, among) + prices[among], nan=np.inf)
    most = float(gains.max())
    return int(among[gains >= most - TIE].max()), most


def _by_loss(
    objective: ScoresRemovals, columns: Sequence[int], prices: Floats
) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Return the columns in the order of the loss without each, largest first, and the losses, less prices."""
    among = np.sort(np.array(columns, dtype=np.intp))
    losses = 0.0 - objective.score_removals(tuple(columns), among) - prices[among]
    order = np.argsort(-losses, kind="stable")
    return tuple(among[order].tolist()), tuple(losses[order].tolist())


def _first_best(values: Sequence[float]) -> int:
    """Return the index of the first of the largest values."""
    most = max(values)
    return next(i for i, value in enumerate(values) if value >= most - TIE)
