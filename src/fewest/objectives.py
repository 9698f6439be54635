"""What one column more or less changes, for objectives that know the worth of any set."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fewest.errors import InvalidParameter

Floats = NDArray[np.float64]


class SubsetSteps(ABC):
    """An objective that scores sets, and so also what a set gains by a column more or by one less.

    n_columns : how many columns there are
    """

    n_columns: int

    @abstractmethod
    def score_subset(self, subset: Sequence[int]) -> float:
        """What a set is worth."""

    def score_subsets(self, subsets: Sequence[Sequence[int]]) -> Floats:
        """What each of these sets is worth; for a subclass that knows how to do many at once."""
        return np.array([self.score_subset(subset) for subset in subsets])

    def score_additions(self, selected: Sequence[int], among: NDArray[np.intp]) -> Floats:
        """What each of these columns adds to those selected."""
        return self._gains(selected, [[*selected, column] for column in among.tolist()])

    def score_removals(self, selected: Sequence[int], among: NDArray[np.intp]) -> Floats:
        """What those selected gain by losing each of these columns."""
        return self._gains(selected, [[other for other in selected if other != column] for column in among.tolist()])

    def _gains(self, selected: Sequence[int], others: Sequence[Sequence[int]]) -> Floats:
        worths = self.score_subsets([selected, *others])
        gains: Floats = worths[1:] - worths[0]
        return gains


def columns_of(subset: Sequence[int], n_features: int) -> NDArray[np.intp]:
    """The columns of a subset in ascending order, each of which must be there, and once."""
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
        raise InvalidParameter(
            f"Column {outside[0]} of the subset is not there: there are {n_features} columns, numbered from 0."
        )
    distinct, counts = np.unique(columns, return_counts=True)
    if len(distinct) < len(columns):
        raise InvalidParameter(f"Column {distinct[counts > 1][0]} is in the subset more than once; name it once.")
    return distinct.astype(np.intp)
