"""Begin with all features, drop those that weigh least, learn anew, and so on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fewest.arrays import Floats
from fewest.parameters import is_number, is_whole, wrong
from fewest.selection import NestedPath, Selection


@dataclass(frozen=True)
class RecursiveElimination:
    """Begin with all features, drop those that weigh least, weigh the rest anew, and so on until one is left.

    step : how many are dropped at a time; below 1, that share of all columns, rounded down but at least one

    The features are returned from the last that is left to the first that went, and the number of features only cuts
    this list. The score of a column is how many it has outlived. Of equal columns the highest goes; one without a
    value goes first, and has no score. Recursive feature elimination (Guyon, Weston, Barnhill and Vapnik 2002).
    """

    step: int | float = 1

    requires: ClassVar[frozenset[str]] = frozenset({"score_features", "least_members"})

    def __post_init__(self) -> None:
        is_count = is_whole(self.step) and self.step >= 1
        is_share = is_number(self.step) and 0 < self.step < 1
        if not (is_count or is_share):
            raise wrong("step", "a whole number of at least 1 or a share between 0 and 1", self.step)

    def run(self, objective: Any, n_features: int | None) -> Selection:
        at_first: Floats = objective.score_features()
        n_columns = len(at_first)
        step = int(self.step) if self.step >= 1 else max(1, int(self.step * n_columns))
        is_left = np.ones(n_columns, dtype=bool)
        gone: list[int] = []
        while n_columns - len(gone) > 1:
            count = min(step, n_columns - len(gone) - 1)
            going = objective.least_members(np.flatnonzero(is_left), count)
            is_left[going] = False
            gone += going.tolist()
        order = (*np.flatnonzero(is_left).tolist(), *reversed(gone))
        outlived = np.empty(n_columns)
        outlived[list(order)] = np.arange(n_columns)[::-1]
        outlived[np.isnan(at_first)] = np.nan
        indices = order if n_features is None else order[:n_features]
        scores = tuple(outlived[list(indices)].tolist())
        return Selection(indices, scores, path=NestedPath(order), column_scores=outlived)
