"""Begin with all features, drop those that weigh least, learn anew, and so on."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fewest.errors import InvalidParameter
from fewest.selection import NestedPath, Selection

Floats = NDArray[np.float64]
Columns = NDArray[np.intp]

#: Scores within this are ties, and the highest column goes.
_TIE = 1e-12
#: So many of the columns that scored least last time are asked first; most likely one of them is next.
_ASKED_FIRST = 32
#: Below every score, and still a number.
_NONE = np.finfo(np.float64).min


@dataclass(frozen=True)
class RecursiveElimination:
    """Begin with all features, drop those that weigh least, weigh the rest anew, and so on until one is left.

    step : how many are dropped at a time; below 1, that share of all columns, rounded down but at least one

    The features are returned from the last that is left to the first that went, and the number of features only cuts
    this list. The score of a column is how many it has outlived. Few columns are asked for their weight: those whose
    bounds (bound_members) say that no other can weigh less. The answer is the same, ties included.
    Of equal columns the highest goes; one without a weight goes first.
    """

    step: int | float = 1

    requires: ClassVar[frozenset[str]] = frozenset({"n_columns", "score_members", "bound_members"})

    def __post_init__(self) -> None:
        is_number = isinstance(self.step, Real) and not isinstance(self.step, bool)
        is_count = is_number and isinstance(self.step, Integral) and self.step >= 1
        is_share = is_number and not isinstance(self.step, Integral) and 0 < float(self.step) < 1
        if not (is_count or is_share):
            raise InvalidParameter(
                f"step must be a whole number of at least 1 or a share between 0 and 1, got {self.step!r} instead."
            )

    def run(self, objective: Any, n_features: int | None) -> Selection:
        n_columns: int = objective.n_columns
        step = int(self.step) if self.step >= 1 else max(1, int(self.step * n_columns))
        left = np.arange(n_columns)
        near = left[:0]
        gone: list[int] = []
        while len(left) > 1:
            count = min(step, len(left) - 1)
            near, places = _least(objective, left, near, count)
            gone += left[places].tolist()
            stays = np.ones(len(left), dtype=bool)
            stays[places] = False
            left = left[stays]
        order = (*left.tolist(), *reversed(gone))
        outlived = np.empty(n_columns)
        outlived[list(order)] = np.arange(n_columns)[::-1]
        indices = order if n_features is None else order[:n_features]
        scores = tuple(outlived[list(indices)].tolist())
        return Selection(indices, scores, path=NestedPath(order), column_scores=outlived)


def _least(objective: Any, left: Columns, near: Columns, count: int) -> tuple[Columns, Columns]:
    """The places, among the columns left, of the `count` that go, in that order; with the columns to ask first next
    time, of which `near` are those of last time."""
    bounds = _known(objective.bound_members(left))
    # Columns are in ascending order, so their places can be searched for.
    asked = np.minimum(np.searchsorted(left, near), len(left) - 1)
    asked = asked[left[asked] == near]
    if len(asked) < count:
        asked = np.argpartition(bounds, count - 1)[:count]
    known, scores = asked[:0], np.empty(0)
    while len(asked):
        scores = np.append(scores, _known(objective.score_members(left, left[asked])))
        known = np.append(known, asked)
        bounds[asked] = np.inf
        # Whoever might weigh less, or as little, has to be asked too.
        asked = np.flatnonzero(bounds <= np.partition(scores, count - 1)[count - 1] + _TIE)
    order = np.argsort(scores, kind="stable")
    known, scores = known[order], scores[order]
    ties = np.zeros(len(scores), dtype=np.intp)
    np.cumsum(scores[1:] - scores[:-1] > _TIE, out=ties[1:])
    known = known[np.lexsort((-known, ties))]
    return np.sort(left[known[count : count + _ASKED_FIRST]]), known[:count]


def _known(scores: Floats) -> Floats:
    """The scores, a column without one below all others."""
    known: Floats = np.fmax(scores, _NONE)
    return known
