"""What objectives share: one score a column, or a value for any subset."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from copy import copy
from typing import Protocol, Self

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.errors import InvalidParameter
from fewest.protocols import Objective


class CombinesScores(Protocol):
    """Which columns are one feature."""

    def combine(self, scores: Floats, how: str) -> Floats: ...


class ColumnScores(Objective):
    """One score a column, each of a column on its own; NaN where a column holds no value.

    combines : how the scores of a feature's columns are its own, as in ColumnGroups.combine
    """

    #: Which columns are one feature, and which of these features are one, where they were combined.
    _combined: tuple[CombinesScores, ...] = ()

    def __init__(self, scores: Floats, combines: str = "max") -> None:
        self.scores, self.combines = scores, combines
        self.n_columns = len(scores)

    def score_features(self) -> Floats:
        """Return one score a column, higher is better."""
        return self.scores

    def grouped(self, groups: CombinesScores) -> Self:
        """Return one score a feature, from those of its columns."""
        grouped = copy(self)
        grouped.scores = groups.combine(self.scores, self.combines)
        grouped.n_columns = len(grouped.scores)
        grouped._combined = (*self._combined, groups)
        return grouped

    def _p_values_of_features(self, p_values: Floats) -> Floats:
        """Return the p-value of each feature from those of its columns: the least times their number."""
        for groups in self._combined:
            n_columns = groups.combine(np.ones(len(p_values)), "sum")
            p_values = np.minimum(-groups.combine(-p_values, "max") * n_columns, 1.0)
        return p_values


class SubsetObjective(Objective, ABC):
    """An objective that scores subsets, and so also a column more or one less."""

    @abstractmethod
    def score_subset(self, subset: Sequence[int]) -> float:
        """Return the value of a subset."""

    def score_subsets(self, subsets: Sequence[Sequence[int]]) -> Floats:
        """Return the value of each subset; a subclass may compute many at once."""
        return np.array([self.score_subset(subset) for subset in subsets])

    def score_additions(self, selected: Sequence[int], among: Indices) -> Floats:
        """Return by how much each of these columns, added, raises the value of those selected."""
        return self._gains(selected, [[*selected, column] for column in among.tolist()])

    def score_removals(self, selected: Sequence[int], among: Indices) -> Floats:
        """Return by how much each of these columns, removed, raises the value of those selected."""
        return self._gains(selected, [[other for other in selected if other != column] for column in among.tolist()])

    def _gains(self, selected: Sequence[int], others: Sequence[Sequence[int]]) -> Floats:
        values = self.score_subsets([selected, *others])
        return np.asarray(values[1:] - values[0])


def subsets_by_size(subsets: Sequence[Sequence[int]], max_subsets: int) -> Iterator[tuple[Indices, Indices]]:
    """Yield subsets of the same size, at most max_subsets at a time: which they are, and their columns, ascending."""
    sizes = np.array([len(subset) for subset in subsets], dtype=np.intp)
    for size in np.unique(sizes):
        same = np.flatnonzero(sizes == size)
        for first in range(0, len(same), max_subsets):
            which = same[first : first + max_subsets]
            columns = np.array([subsets[i] for i in which.tolist()], dtype=np.intp).reshape(len(which), size)
            yield which, np.sort(columns, axis=1)


def column_indices(subset: Sequence[int], n_features: int) -> Indices:
    """Return the columns of a subset in ascending order; raise where one is out of range or named twice."""
    try:
        columns = np.asarray(subset if isinstance(subset, np.ndarray) else list(subset))
    except (TypeError, ValueError):
        columns = np.empty(0, dtype=object)
    if columns.size == 0 and columns.dtype.kind in "iuf":
        return np.empty(0, dtype=np.intp)
    if columns.ndim != 1 or columns.dtype.kind not in "iu":
        raise InvalidParameter(f"A subset is given as the numbers of its columns, such as [0, 3]; got {subset!r}.")
    outside = columns[(columns < 0) | (columns >= n_features)]
    if len(outside):
        there = f"there are {n_features} columns, numbered from 0"
        raise InvalidParameter(f"Column {outside[0]} of the subset is not there: {there}.")
    distinct, counts = np.unique(columns, return_counts=True)
    if len(distinct) < len(columns):
        raise InvalidParameter(f"Column {distinct[counts > 1][0]} is in the subset more than once; name it once.")
    return distinct.astype(np.intp)
