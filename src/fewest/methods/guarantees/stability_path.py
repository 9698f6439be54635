"""How often halves of the rows select each column, against the number of columns that each half selects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.objectives.subset_sizes import logarithmic_sizes
from fewest.selection import NestedPath

#: Sizes of a path that are counted, evenly apart in logarithms where there are more.
_MOST_SIZES = 50


@dataclass(frozen=True)
class StabilityPath:
    """Selection frequencies of the columns that any half selected.

    sizes : the numbers of features a half, ascending; the last is q
    columns : the columns of the table, ascending
    frequencies : sizes by columns; NaN where the selector has no subset of that size
    threshold : the frequency from which on a column is selected
    """

    sizes: tuple[int, ...]
    columns: Indices
    frequencies: Floats
    threshold: float

    def among(self, table_column: Callable[[int], int]) -> StabilityPath:
        """Return the path with other numbers of its columns: those of a table of which they are some."""
        columns = np.array([table_column(column) for column in self.columns.tolist()], dtype=np.intp)
        return replace(self, columns=columns)

    def of_column(self, column: int) -> Floats:
        """Return the frequencies of a column at each size."""
        at = int(np.searchsorted(self.columns, column))
        if at < len(self.columns) and self.columns[at] == column:
            return np.asarray(self.frequencies[:, at])
        return np.zeros(len(self.sizes))


class PathCounts:
    """Counts how many halves select each column, at each size."""

    def __init__(self, size: int, n_columns: int) -> None:
        self.sizes = logarithmic_sizes(size, _MOST_SIZES)
        self.n_halves = 0
        #: Of the last size.
        self.counts: Indices = np.zeros(n_columns, dtype=np.intp)
        self._by_column: dict[int, Indices] = {}
        self._n_known: Indices = np.zeros(len(self.sizes), dtype=np.intp)

    def add(self, chosen: Sequence[int], path: Mapping[int, Sequence[int]]) -> None:
        """Add what a half selects: in the end, and at each size of its path; columns are those of the table."""
        self.n_halves += 1
        self.counts[list(chosen)] += 1
        if isinstance(path, NestedPath):
            self._n_known += 1
            # A column is in from the size of its rank on.
            firsts = np.searchsorted(self.sizes, np.arange(1, len(path.order) + 1))
            for column, first in zip(path.order, firsts.tolist(), strict=True):
                self._of(column)[first:] += 1
            return
        for number, size in enumerate(self.sizes):
            if size in path:
                self._n_known[number] += 1
                for column in path[size]:
                    self._of(column)[number] += 1

    def _of(self, column: int) -> Indices:
        return self._by_column.setdefault(column, np.zeros(len(self.sizes), dtype=np.intp))

    def path(self, threshold: float) -> StabilityPath:
        """Return the frequencies; of a size that some half has no subset of there is none."""
        columns = sorted(set(self._by_column) | set(np.flatnonzero(self.counts).tolist()))
        counts = np.array([self._of(column) for column in columns], dtype=float).reshape(len(columns), len(self.sizes))
        frequencies = np.where(self._n_known[:, None] == self.n_halves, counts.T / self.n_halves, np.nan)
        frequencies[-1] = self.counts[columns] / self.n_halves
        return StabilityPath(tuple(self.sizes), np.array(columns, dtype=np.intp), frequencies, threshold)
