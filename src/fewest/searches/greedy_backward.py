"""Begin with all features and drop one after the other, each the one that is missed least."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fewest.arrays import Indices
from fewest.selection import Selection

#: What dropping a column gains within this of the most is a tie, and the highest column goes.
_TIE = 1e-12


@dataclass(frozen=True)
class GreedyBackward:
    """Begin with all features and drop one after the other, each the one without which the rest is worth most.

    Without a number of features it drops as long as the rest is worth no less, down to one; with a number, that many
    are left. Of equal columns the highest goes: where columns come in the order of a ranking, the lowest-ranked.

    The features are returned in the order of what would be lost without each, the scores. Costs half the square of the
    number of columns. The backward wrapper of the mRMR paper.
    """

    requires: ClassVar[frozenset[str]] = frozenset({"n_columns", "score_removals"})

    def run(self, objective: Any, n_features: int | None) -> Selection:
        left = list(range(objective.n_columns))
        path = {len(left): tuple(left)}
        while len(left) > max(n_features or 1, 1):
            column, gain = best_removal(objective, left)
            if n_features is None and gain < -_TIE:
                break
            left.remove(column)
            path[len(left)] = tuple(left)
        indices, scores = by_loss(objective, left)
        return Selection(indices=indices, scores=scores, path=dict(sorted(path.items())))


def best_removal(objective: Any, columns: Sequence[int]) -> tuple[int, float]:
    """The column that is best dropped, and what that gains; one that says nothing of its worth goes first."""
    among: Indices = np.array(columns, dtype=np.intp)
    gains = np.nan_to_num(objective.score_removals(columns, among), nan=np.inf)
    most = float(gains.max())
    return int(among[gains >= most - _TIE].max()), most


def by_loss(objective: Any, columns: Sequence[int]) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """The columns in the order of what would be lost without each, most first, and what that is."""
    among = np.sort(np.array(columns, dtype=np.intp))
    losses = 0.0 - objective.score_removals(tuple(columns), among)
    order = np.argsort(-losses, kind="stable")
    return tuple(among[order].tolist()), tuple(losses[order].tolist())
