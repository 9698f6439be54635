"""Categories of rows that stay with the workers of an engine, who are asked how often they meet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._core import PairTables, triple_counts, triple_information_of_cells
from fewest.arrays import Floats, Indices, Integers
from fewest.memory import MOST_CATEGORIES, check_memory
from fewest.protocols import Questions
from fewest.threads import thread_count

#: The name of a table of counts that is too large, and what to do then.
_MANY_COUNTS = "Counts of columns with many categories take"
_FEWER_COUNTS = "Leave out the columns with the most categories, or give a sample of the rows."


@dataclass(frozen=True)
class JointCounts:
    """How often the categories of all columns meet those of one, in the rows of a partition.

    dtype : of the answer, which holds any number of rows of the table
    """

    column: int
    all_columns: Indices
    n_cells: tuple[int, int]
    dtype: str

    def __call__(self, partition: Any) -> NDArray[np.number]:
        total, counts = np.zeros(self.n_cells, dtype=np.int64), np.empty(self.n_cells, dtype=np.int64)
        for chunk in partition.chunks:
            chunk.joint_counts(self.column, self.all_columns, counts, thread_count())
            total += counts
        return total.astype(self.dtype)


@dataclass(frozen=True)
class TripleCounts:
    """How often the categories of columns meet those of a selected column and of the class, in a partition's rows."""

    target: int
    selected: int
    columns: Indices
    n_cells: tuple[int, int]
    dtype: str

    def __call__(self, partition: Any) -> NDArray[np.number]:
        total, counts = np.zeros(self.n_cells, dtype=np.int64), np.empty(self.n_cells, dtype=np.int64)
        for chunk in partition.chunks:
            triple_counts(chunk, self.target, self.selected, self.columns, counts, thread_count())
            total += counts
        return total.astype(self.dtype)


class DistributedCategories:
    """What CategoryColumns of all rows know, to the bit: counts of the partitions add up.

    One round of questions for each column that is selected: its counts with all others come at once, so that a search
    that asks for few values at a time asks the workers no more often.

    n_categories : of each column, the class the last
    """

    def __init__(self, parts: Questions, n_categories: Indices, n_rows: int) -> None:
        self._parts, self._n_categories, self._n_rows = parts, n_categories.astype(np.int32), n_rows
        self._information: dict[int, Floats] = {}
        self._triples: dict[int, Floats] = {}
        self._counts: list[Integers] | None = None

    def information(self, column: int, others: Indices, out: Floats, n_threads: int) -> None:
        """Mutual information of a column with each of others, in nats."""
        out[:] = self._with_all(column)[others]

    def add_information(
        self, selected: Indices, columns: Indices, counted: Indices, sums: Floats, n_threads: int
    ) -> None:
        """Add to each sum the column's information with the selected ones that it does not count yet, in order."""
        for index, other in enumerate(selected.tolist()):
            new = np.flatnonzero(counted <= index)
            sums[new] += self._with_all(other)[columns[new]]

    def chi_square(self, column: int, others: Indices, out: Floats, n_threads: int) -> None:
        """Pearson's chi-square of a column with each of others."""
        self._tables(column).chi_square(len(self._n_categories), others, out, n_threads)

    def category_counts(self, column: int) -> Integers:
        """The number of rows in each category of a column."""
        if self._counts is None:
            self._with_all(len(self._n_categories) - 1)
        assert self._counts is not None
        return self._counts[column]

    def triple_information(self, selected: int) -> Floats:
        """Return what the function triple_information gives of each column, a selected one and the class."""
        if selected not in self._triples:
            columns = np.arange(len(self._n_categories) - 1)
            n_selected, n_classes = int(self._n_categories[selected]), int(self._n_categories[-1])
            found, cells = np.empty((len(columns), 5)), self.triple_counts(selected, columns)
            triple_information_of_cells(cells, self._n_categories[:-1], n_selected, n_classes, self._n_rows, found)
            self._triples[selected] = found
        return self._triples[selected]

    def triple_counts(self, selected: int, columns: Indices) -> Integers:
        """Return how often the categories of columns meet those of a selected column and of the class."""
        width = int(self._n_categories[selected]) * int(self._n_categories[-1])
        n_cells = int(self._n_categories[columns].sum()), width
        check_memory(8 * n_cells[0] * n_cells[1], MOST_CATEGORIES, _MANY_COUNTS, _FEWER_COUNTS)
        question = TripleCounts(len(self._n_categories) - 1, selected, columns, n_cells, self._dtype)
        return self._parts.ask(question).astype(np.int64)

    @property
    def _dtype(self) -> str:
        return "uint32" if self._n_rows < 2**32 else "int64"

    def _with_all(self, column: int) -> Floats:
        """The information of a column with all."""
        if column not in self._information:
            n_columns = len(self._n_categories)
            found = np.zeros(n_columns)
            self._tables(column).information(n_columns, np.arange(n_columns), found, 1)
            self._information[column] = found
        return self._information[column]

    def _tables(self, column: int) -> PairTables:
        """The counts of all columns with one, which is the last column of these tables once more."""
        n_categories = self._n_categories
        n_cells = int(n_categories.sum()), int(n_categories[column])
        check_memory(8 * n_cells[0] * n_cells[1], MOST_CATEGORIES, _MANY_COUNTS, _FEWER_COUNTS)
        question = JointCounts(column, np.arange(len(n_categories)), n_cells, self._dtype)
        cells = self._parts.ask(question).astype(np.int64)
        tables = PairTables(np.append(n_categories, n_categories[column]).astype(np.int32), False)
        tables.add_cells(cells, self._n_rows)
        if column == len(n_categories) - 1:
            # No row is without a class: these are all rows of each category.
            self._counts = np.split(cells.sum(axis=1), np.cumsum(n_categories)[:-1])
        return tables
