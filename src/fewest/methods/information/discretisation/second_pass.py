"""The second of two passes over rows: categories are counted, or kept as bits, once a discretizer is fitted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np

from fewest._core import CategoryColumns, PairTables
from fewest.arrays import Integers
from fewest.data.block import Block
from fewest.methods.information.discretisation.column_summary import ColumnSummary
from fewest.methods.information.discretisation.discretizer import EncodedColumns, FittedDiscretizer
from fewest.methods.information.discretisation.value_counts import ByteTable, repetitions
from fewest.statistics.class_moments import WithMoments
from fewest.threads import thread_count


class SecondPass(WithMoments):
    """The rows as categories, by the column summary of a first pass. The class is one more column, the last.

    counts : what is kept. "classes", the counts of each column's categories by class; "pairs", those of all pairs of
        columns (memory: the square of the number of categories); "rows", a bit for each value and category but one.
        All but "pairs" are collected in groups of columns
    encoded : the counts or the bits
    category_counts : the rows in each category, of the columns that a column of many categories may be paired with,
        and of itself; where the rows are kept none
    """

    takes_integers = True

    def __init__(self, discretizer: FittedDiscretizer, summary: ColumnSummary, counts: str) -> None:
        super().__init__(summary.moments)
        self.discretizer, self.summary, self.counts = discretizer, summary, counts
        self.is_columnwise = counts != "pairs"
        #: The columns that are collected here, the discretizer of these, and what is kept of them.
        self._columns = range(len(discretizer.n_categories))
        self._own = discretizer
        self._encoded: CategoryColumns | PairTables | None = None
        self.category_counts: dict[int, Integers] = {}

    @property
    def encoded(self) -> CategoryColumns | PairTables:
        if self._encoded is None:
            self._allocate()
        assert self._encoded is not None
        return self._encoded

    def empty(self) -> Self:
        return type(self)(self.discretizer, self.summary, self.counts)

    def update(self, block: Block) -> None:
        """Add the rows of a block."""
        if self._encoded is None and block.columns is not None and self.is_columnwise:
            self._columns = range(block.columns[0], block.columns[-1] + 1)
            self._own = self.discretizer.only(self._columns)
        if (times := repetitions(block.weights)) is not None:
            block = block.take(np.repeat(np.arange(block.n_rows), times))
        own, encoded = self._own, self.encoded
        table = ByteTable.without_classes(block.values, own.base)
        floats = block.only(own.float_columns).as_floats().values
        codes = self.class_indices(block.classes)[block.codes]
        of_class = EncodedColumns.of_class(self.classes, codes, len(self._columns))
        rows = encoded if isinstance(encoded, CategoryColumns) else own.allocate(len(self.classes), block.n_rows)
        for part in (*own.encode(table, floats), of_class):
            part.fill(rows)
            self._count(part)
        if isinstance(encoded, PairTables):
            encoded.add(rows, thread_count())

    def merge(self, other: Self) -> None:
        if not isinstance(self.encoded, PairTables) or not isinstance(other.encoded, PairTables):
            raise NotImplementedError("Bits are filled in from the first row to the last.")
        self.encoded.merge(other.encoded)
        for column, counts in other.category_counts.items():
            self.category_counts[column] += counts

    def join(self, parts: Sequence[Self]) -> Self:
        joined = self.empty()
        encoded = joined.encoded
        for part in parts:
            encoded.place(part.encoded, part._columns.start)  # type: ignore[arg-type]
            joined.category_counts |= part.category_counts
            # One copy of the bits is enough memory.
            part._encoded = None
        return joined

    def _allocate(self) -> None:
        own = self._own
        if self.counts == "rows":
            self._encoded = own.allocate(len(self.classes), int(self.summary.class_weights.sum()))
            return
        n_categories = np.append(own.n_categories, len(self.classes)).astype(np.int32)
        self._encoded = PairTables(n_categories, self.counts == "pairs")
        # A column of many categories may be paired with any.
        is_counted = self.discretizer.is_many.any() if self.counts == "pairs" else own.is_many
        for column in np.flatnonzero(np.broadcast_to(is_counted, len(self._columns))).tolist():
            self.category_counts[self._columns[column]] = np.zeros(own.n_categories[column], dtype=np.int64)

    def _count(self, part: EncodedColumns) -> None:
        """Add the rows in each category of those of these columns that are counted."""
        if not self.category_counts:
            return
        for index, position in enumerate(part.columns.tolist()):
            column = self._columns.start + position
            if column in self.category_counts and position < len(self._columns):
                counts = self.category_counts[column]
                codes = part.codes[index].astype(np.int64) - part.first_codes[index]
                is_missing = part.codes[index] == np.iinfo(part.codes.dtype).max
                counts += np.bincount(codes[~is_missing], minlength=len(counts))
