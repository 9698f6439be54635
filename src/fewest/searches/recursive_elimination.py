"""Recursive feature elimination."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from fewest.arrays import Floats, Indices, Mask
from fewest.constraints import UNCONSTRAINED, ColumnConstraints
from fewest.parameters import is_number, is_whole, wrong
from fewest.protocols import RanksRemovals, ScoresFeatures
from fewest.selection import NestedPath, Selection


class ScoresElimination(ScoresFeatures, RanksRemovals, Protocol):
    """Scores of all columns, and those of a subset that matter least."""


@dataclass(frozen=True)
class RecursiveElimination:
    """Start with all features and remove those of the least weight, fitting the rest anew, until one is left.

    Features are returned from the last that is left to the first removed; the number of features only cuts this list.
    The score of a column is the number of columns removed before it. Of equal columns the highest is removed; one
    without a value is removed first, and has no score.

    Parameters
    ----------
    step : int or float, default=1
        The number of features removed at a time; below 1 their share of all columns, rounded down but at least one.

    See Also
    --------
    GreedyBackward : Removes the feature whose removal leaves the largest value.

    References
    ----------
    Guyon, Weston, Barnhill and Vapnik (2002), Gene selection for cancer classification using support vector machines,
    https://doi.org/10.1023/A:1012487302797

    Examples
    --------
    >>> from fewest import FeatureSelector, LinearMargin, RecursiveElimination, scan
    >>> selector = FeatureSelector(LinearMargin(), RecursiveElimination(step=0.2), n_features=3)
    >>> selector.fit(scan("wine")).selection_.features
    ('color_intensity', 'proline', 'flavanoids')
    """

    step: int | float = 1

    requires: ClassVar[frozenset[str]] = frozenset({"score_features", "least_members"})
    #: What an objective may know besides: the number of columns that come first whatever else is removed.
    uses: ClassVar[frozenset[str]] = frozenset({"n_removed_first"})
    #: There is no value from which a price could be taken.
    honours: ClassVar[frozenset[str]] = frozenset({"keep", "at_most", "budget"})

    def __post_init__(self) -> None:
        check_step("step", self.step)

    def run(
        self, objective: ScoresElimination, n_features: int | None, constraints: ColumnConstraints = UNCONSTRAINED
    ) -> Selection:
        """Return the n_features last removed, or all of them (None), as far as the constraints allow.

        Columns to keep are removed when no other is left: they come first.
        """
        first_scores: Floats = objective.score_features()
        n_columns = len(first_scores)
        step = int(self.step) if self.step >= 1 else max(1, int(self.step * n_columns))
        is_left = np.ones(n_columns, dtype=bool)
        # What comes first does not change the others: as many whole steps as there are of them are one.
        is_kept: Mask = np.zeros(n_columns, dtype=bool)
        is_kept[list(constraints.kept)] = True
        n_first = 0 if constraints.kept else getattr(objective, "n_removed_first", 0)
        n_first = min(n_first, n_columns - 1) // step * step
        removed: list[int] = objective.least_members(np.arange(n_columns), n_first).tolist() if n_first else []
        is_left[removed] = False
        while n_columns - len(removed) > 1:
            count = min(step, n_columns - len(removed) - 1)
            least = _least(objective, is_left, is_kept, count)
            is_left[least] = False
            removed += least.tolist()
        order = (*np.flatnonzero(is_left).tolist(), *reversed(removed))
        outlived = np.empty(n_columns)
        outlived[list(order)] = np.arange(n_columns)[::-1]
        outlived[np.isnan(first_scores)] = np.nan
        allowed = order if constraints.are_none else tuple(constraints.take(order))
        indices = allowed if n_features is None else allowed[:n_features]
        scores = tuple(outlived[list(indices)].tolist())
        path = NestedPath(allowed, len(constraints.kept))
        return Selection(indices, scores, path=path, column_scores=outlived)


def _least(objective: ScoresElimination, is_left: Mask, is_kept: Mask, count: int) -> Indices:
    """Return the columns to remove next: of those that are left the least, kept ones when there are no others."""
    left = np.flatnonzero(is_left)
    n_kept = int(np.count_nonzero(is_kept & is_left))
    if n_kept in (0, len(left)):
        return objective.least_members(left, count)
    count = min(count, len(left) - n_kept)
    least = objective.least_members(left, min(count + n_kept, len(left)))
    return least[~is_kept[least]][:count]


def check_step(name: str, step: object, *, end: str = "") -> None:
    """Raise unless it is a number of columns or a share of them; end : what else is allowed."""
    is_count = is_whole(step) and step >= 1
    is_share = is_number(step) and 0 < step < 1
    if not (is_count or is_share):
        raise wrong(name, f"a whole number of at least 1 or a share between 0 and 1{end}", step)
