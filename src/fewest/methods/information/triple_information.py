"""What two columns and the class share, from how often three categories meet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fewest._core import CategoryColumns, category_entropies, n_categories_of, triple_counts, triple_information
from fewest.arrays import Floats, Indices, Integers
from fewest.memory import MOST_CATEGORIES, check_memory
from fewest.methods.information.beyond_chance import Chance, chance_information_within
from fewest.methods.information.discretisation.distributed_categories import DistributedCategories
from fewest.methods.information.information_criteria import CategoryTable
from fewest.methods.information.joint_information import JointCategories


class Triples(NamedTuple):
    """What columns x share with one selected s and the class c, in nats, over the rows where x and s are observed.

    conditional, redundancy, entropy : I(x; c | s), I(x; s), H(x, s, c)
    relevance, of_selected : I(x; c), I(s; c)
    """

    conditional: Floats
    redundancy: Floats
    entropy: Floats
    relevance: Floats
    of_selected: Floats

    @property
    def joint(self) -> Floats:
        """I(x, s; c)."""
        return self.of_selected + self.conditional


class TripleTable:
    """The information of any two columns with the class, beyond chance where one of them has many categories."""

    def __init__(self, table: CategoryTable) -> None:
        if not isinstance(table.encoded, CategoryColumns | DistributedCategories):
            raise TypeError("counts of three columns need the rows, and only counts of two were kept")
        self.table, self._encoded = table, table.encoded
        #: I(x; c); 0 of a column that was never observed, which has one category.
        self.relevance: Floats = np.nan_to_num(table.relevance)
        self._entropies: Floats | None = None

    @property
    def entropies(self) -> Floats:
        """The entropy of each column, and of the class as the last."""
        if self._entropies is None:
            if isinstance(self._encoded, CategoryColumns):
                self._entropies = np.empty(self.table.n_columns + 1)
                category_entropies(self._encoded, self._entropies)
            else:
                counts = [self.table.category_counts(column) for column in range(self.table.n_columns + 1)]
                self._entropies = np.array([_entropy(numbers) for numbers in counts])
        return self._entropies

    def of(self, selected: int, columns: Indices) -> Triples:
        """Return what these columns share with a selected one and the class."""
        table = self.table
        found = np.empty((len(columns), 5))
        found[:, 3], found[:, 4] = self.relevance[columns], self.relevance[selected]
        if isinstance(self._encoded, DistributedCategories):
            # Over all rows the relevance is known, corrected where it has to be.
            n_known = 5 if table.has_missing else 3
            found[:, :n_known] = self._encoded.triple_information(selected)[columns, :n_known]
        else:
            n_threads = table.threads(len(columns))
            triple_information(self._encoded, table.n_columns, selected, columns, found, n_threads)
        corrected = np.flatnonzero(table.is_corrected[columns] | table.is_corrected[selected])
        if len(corrected):
            which = columns[corrected]
            found[corrected, 0] = self._beyond_chance(selected, which, found[corrected, 0])
            found[corrected, 1] = table.information(selected, which)
            found[corrected, 3], found[corrected, 4] = self.relevance[which], self.relevance[selected]
        return Triples(*found.T)

    def _beyond_chance(self, selected: int, columns: Indices, conditional: Floats) -> Floats:
        """Return I(x; c | s) beyond what columns have by chance within the categories of s."""
        if isinstance(self._encoded, CategoryColumns) and not self.table.has_missing:
            joint = JointCategories(self.table)
            joint.add(selected)
            chances = joint.chances(columns)
        else:
            chances = self._chances(selected, columns)
        beyond = [chance.beyond(conditional[[index]])[0] for index, chance in enumerate(chances)]
        return np.array(beyond)

    def _chances(self, selected: int, columns: Indices) -> Iterator[Chance]:
        """Give the same as JointCategories.chances, from counts of three columns."""
        for column in columns.tolist():
            cells = self._cells(selected, column)
            # A category of s without rows is no part of them.
            cells = cells[:, cells.any(axis=(0, 2))]
            of_pair = cells.sum(axis=2)
            category, part = np.nonzero(of_pair)
            counts = np.column_stack([part, of_pair[category, part]])
            yield chance_information_within(of_pair.sum(axis=0), counts, cells.sum(axis=0))

    def _cells(self, selected: int, column: int) -> Integers:
        """Return the rows in each category of a column, of a selected one and of the class."""
        n_classes = len(self.table.class_weights)
        if isinstance(self._encoded, DistributedCategories):
            cells = self._encoded.triple_counts(selected, np.array([column]))
            return cells.reshape(len(cells), -1, n_classes)
        n_own, n_selected = (n_categories_of(self._encoded, index) for index in (column, selected))
        advice = "Use missing='state', correction=None, or leave out the columns with the most categories."
        what = "Counts of columns with many categories take"
        check_memory(8 * n_own * n_selected * n_classes, MOST_CATEGORIES, what, advice)
        cells = np.empty((n_own, n_selected * n_classes), dtype=np.int64)
        triple_counts(self._encoded, self.table.n_columns, selected, np.array([column]), cells, 1)
        return cells.reshape(n_own, n_selected, n_classes)


def _entropy(counts: Integers) -> float:
    n_rows = max(int(counts.sum()), 1)
    share = counts[counts > 0] / n_rows
    return float(-(share * np.log(share)).sum())
