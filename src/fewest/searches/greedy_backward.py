"""Greedy backward elimination of features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewest.arrays import Indices
from fewest.protocols import ScoresRemovals
from fewest.searches.stopping_rule import TIE
from fewest.selection import Selection


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

    def run(self, objective: ScoresRemovals, n_features: int | None) -> Selection:
        """Return the features left: n_features, or where the value would fall (None)."""
        left = list(range(objective.n_columns))
        path = {len(left): tuple(left)}
        while len(left) > max(n_features or 1, 1):
            column, gain = best_removal(objective, left)
            if n_features is None and gain < -TIE:
                break
            left.remove(column)
            path[len(left)] = tuple(left)
        indices, scores = by_loss(objective, left)
        return Selection(indices=indices, scores=scores, path=dict(sorted(path.items())))


def best_removal(objective: ScoresRemovals, columns: Sequence[int]) -> tuple[int, float]:
    """Return the column whose removal gains most, and the gain; a column without a value goes first."""
    among: Indices = np.array(columns, dtype=np.intp)
    gains = np.nan_to_num(objective.score_removals(columns, among), nan=np.inf)
    most = float(gains.max())
    return int(among[gains >= most - TIE].max()), most


def by_loss(objective: ScoresRemovals, columns: Sequence[int]) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Return the columns in the order of the loss without each, largest first, and the losses."""
    among = np.sort(np.array(columns, dtype=np.intp))
    losses = 0.0 - objective.score_removals(tuple(columns), among)
    order = np.argsort(-losses, kind="stable")
    return tuple(among[order].tolist()), tuple(losses[order].tolist())
