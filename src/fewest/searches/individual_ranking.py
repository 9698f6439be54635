"""Take the features with the highest scores, each judged on its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fewest.arrays import Floats, Indices, Mask
from fewest.parameters import is_number, wrong
from fewest.selection import NestedPath, Selection


@dataclass(frozen=True)
class IndividualRanking:
    """Take the features with the highest scores, each judged on its own.

    beta=None : as many as asked for
    beta=number : those that score above it, strictly
    beta="null" : those whose score would be unlikely in a column without class information: the false discovery
        rate among them is at most `level` (Benjamini-Hochberg)

    Ties go to the lowest column; a column without a score comes last. For a criterion whose subsets are worth the
    sum of their features' scores the answer is the exact optimum.
    """

    beta: float | str | None = None
    level: float = 0.05

    def __post_init__(self) -> None:
        if not (isinstance(self.beta, str) and self.beta == "null"):
            check_threshold(self.beta, "a finite number, 'null' or None")
        if not is_number(self.level) or not 0 < self.level < 1:
            raise wrong("level", "a number between 0 and 1", self.level)

    @property
    def requires(self) -> frozenset[str]:
        return frozenset({"score_features", "p_values"} if self.beta == "null" else {"score_features"})

    def run(self, objective: Any, n_features: int | None) -> Selection:
        scores: Floats = objective.score_features()
        if self.beta is None:
            chosen = highest(scores, len(scores) if n_features is None else n_features)
            value = float(np.nansum(scores[chosen]))
        elif self.beta == "null":
            # A set of tests, not the optimum of an objective.
            passing = np.flatnonzero(passes_false_discovery_rate(objective.p_values(), self.level))
            chosen, value = passing[highest(scores[passing], len(passing))], None
        else:
            beta = float(self.beta)
            above = np.flatnonzero(scores > beta)
            chosen = above[highest(scores[above], len(above))]
            value = float(np.sum(scores[chosen] - beta))
        if not objective.is_additive:
            value = None
        indices = tuple(chosen.tolist())
        return Selection(
            indices=indices,
            scores=tuple(scores[chosen].tolist()),
            path=NestedPath(indices),
            value=value,
            bound=value,
            is_optimal=None if value is None else True,
            column_scores=scores,
        )


def check_threshold(beta: Any, allowed: str = "a finite number or None") -> None:
    """Raise unless beta is a finite number or None."""
    if not (beta is None or (is_number(beta) and np.isfinite(float(beta)))):
        raise wrong("beta", allowed, beta)


def highest(scores: Floats, count: int) -> Indices:
    """The columns with the highest scores, best first; ties to the lowest column, NaN last."""
    count = min(count, len(scores))
    if count == 0:
        return np.empty(0, dtype=np.intp)
    candidates = _candidates(scores, count)
    return candidates[np.argsort(-scores[candidates], kind="stable")][:count]


def _candidates(scores: Floats, count: int) -> Indices:
    """A few columns, ascending, among which are the highest `count`.

    As many blocks of columns as are asked for hold a score of at least the count-th highest block maximum, so no
    column below it is needed: two reads of the scores instead of a sort.
    """
    n_blocks = 32 * count
    width = len(scores) // n_blocks
    if width < 2:
        return np.arange(len(scores))
    maxima = np.fmax.reduce(scores[: n_blocks * width].reshape(n_blocks, width), axis=1)
    limit = np.sort(np.where(np.isnan(maxima), -np.inf, maxima))[-count]
    found = np.flatnonzero(scores >= limit)
    return found if len(found) >= count else np.arange(len(scores))


def passes_false_discovery_rate(p_values: Floats, level: float) -> Mask:
    """Which tests pass at this false discovery rate (Benjamini-Hochberg)."""
    order = np.sort(p_values)
    passing = np.flatnonzero(order <= level * np.arange(1, len(order) + 1) / max(len(order), 1))
    if len(passing) == 0:
        return np.zeros(len(p_values), dtype=bool)
    passes: Mask = p_values <= order[passing[-1]]
    return passes
