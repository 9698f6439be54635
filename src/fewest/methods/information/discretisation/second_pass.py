"""The second of two passes over rows: categories are counted, or kept as bits, once a discretizer is fitted."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Self

import numpy as np

from fewest._core import CategoryColumns, PairTables
from fewest.data.block import Block
from fewest.data.labels import sort_classes
from fewest.methods.information.discretisation.column_summary import ColumnSummary
from fewest.methods.information.discretisation.discretizer import EncodedColumns, FittedDiscretizer
from fewest.methods.information.discretisation.value_counts import ByteTable, repetitions
from fewest.statistics.class_moments import WithMoments
from fewest.threads import thread_count


class SecondPass(WithMoments):
    """The rows as categories, by the column summary of a first pass. The class is one more column, the last.

    encoded : the categories of the rows, or their counts
    summary : the column summary of the same rows
    """

    is_columnwise = False
    takes_integers = True
    encoded: CategoryColumns | PairTables

    def __init__(self, discretizer: FittedDiscretizer, summary: ColumnSummary) -> None:
        super().__init__(summary.moments)
        self.discretizer = discretizer
        self.summary = summary

    def empty(self) -> Self:
        return type(self)(self.discretizer, self.summary)

    def update(self, block: Block) -> None:
        """Add the rows of a block."""
        if block.weights is not None:
            times = repetitions(block.weights)
            rows = np.arange(block.n_rows)
            block = block.take(rows if times is None else np.repeat(rows, times))
        table = ByteTable.without_classes(block.values, self.discretizer.base)
        floats = block.only(self.discretizer.float_columns).as_floats().values
        ranks = np.argsort(sort_classes(self.classes))[self.class_indices(block.classes)][block.codes]
        of_class = EncodedColumns(
            np.array([self.n_features]), ranks.astype(np.uint16)[None], np.zeros(1, dtype=np.int64)
        )
        self._add([*self.discretizer.encode(table, floats), of_class])

    @abstractmethod
    def merge(self, other: Self) -> None: ...

    @abstractmethod
    def _add(self, parts: Sequence[EncodedColumns]) -> None:
        """Add rows, of all columns and the class."""


class ContingencyTables(SecondPass):
    """The counts of the categories of each column with those of the class, or of every other column as well.

    Memory: the square of the number of all categories, or their number times that of the classes; no rows. Cost: one
    read, and for all pairs a count of each.
    """

    encoded: PairTables

    def __init__(self, discretizer: FittedDiscretizer, summary: ColumnSummary, of_all_pairs: bool = True) -> None:
        super().__init__(discretizer, summary)
        self.of_all_pairs = of_all_pairs
        n_categories = np.append(discretizer.n_categories, len(self.classes)).astype(np.int32)
        self.encoded = PairTables(n_categories, of_all_pairs)

    def empty(self) -> Self:
        return type(self)(self.discretizer, self.summary, self.of_all_pairs)

    def merge(self, other: Self) -> None:
        self.encoded.merge(other.encoded)

    def _add(self, parts: Sequence[EncodedColumns]) -> None:
        rows = self.discretizer.allocate(len(self.classes), parts[-1].codes.shape[1])
        for part in parts:
            part.fill(rows)
        self.encoded.add(rows, thread_count())


class PackedBits(SecondPass):
    """All rows, a bit for each category of each column but one.

    Memory: about the number of categories in bits, for each value. Cost: one read.
    """

    encoded: CategoryColumns

    def __init__(self, discretizer: FittedDiscretizer, summary: ColumnSummary) -> None:
        super().__init__(discretizer, summary)
        self.encoded = discretizer.allocate(len(self.classes), int(summary.class_weights.sum()))

    def merge(self, other: Self) -> None:
        raise NotImplementedError("Bits are filled in from the first row to the last.")

    def _add(self, parts: Sequence[EncodedColumns]) -> None:
        for part in parts:
            part.fill(self.encoded)
