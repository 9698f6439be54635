"""The second of two passes over rows: categories are counted, or kept as bits, once a discretizer is fitted."""

from __future__ import annotations

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
        columns (memory: the square of the number of categories); "rows", a bit for each value and category but one
    encoded : the counts or the bits
    category_counts : the rows in each category, of the columns that a column of many categories may be paired with,
        and of itself; where the rows are kept none
    """

    is_columnwise = False
    takes_integers = True

    def __init__(self, discretizer: FittedDiscretizer, summary: ColumnSummary, counts: str) -> None:
        super().__init__(summary.moments)
        self.discretizer, self.summary, self.counts = discretizer, summary, counts
        self.encoded: CategoryColumns | PairTables
        if counts == "rows":
            self.encoded = discretizer.allocate(len(self.classes), int(summary.class_weights.sum()))
        else:
            n_categories = np.append(discretizer.n_categories, len(self.classes)).astype(np.int32)
            self.encoded = PairTables(n_categories, counts == "pairs")
        self.category_counts: dict[int, Integers] = {}
        if counts != "rows" and (is_many := discretizer.is_many).any():
            counted = np.arange(len(is_many)) if counts == "pairs" else np.flatnonzero(is_many)
            n_categories = discretizer.n_categories
            self.category_counts = {c: np.zeros(n_categories[c], dtype=np.int64) for c in counted.tolist()}

    def empty(self) -> Self:
        return type(self)(self.discretizer, self.summary, self.counts)

    def update(self, block: Block) -> None:
        """Add the rows of a block."""
        if (times := repetitions(block.weights)) is not None:
            block = block.take(np.repeat(np.arange(block.n_rows), times))
        table = ByteTable.without_classes(block.values, self.discretizer.base)
        floats = block.only(self.discretizer.float_columns).as_floats().values
        codes, encoded = self.class_indices(block.classes)[block.codes], self.encoded
        of_class = EncodedColumns.of_class(self.classes, codes, self.n_features)
        allocate = self.discretizer.allocate
        rows = encoded if isinstance(encoded, CategoryColumns) else allocate(len(self.classes), block.n_rows)
        for part in (*self.discretizer.encode(table, floats), of_class):
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

    def _count(self, part: EncodedColumns) -> None:
        """Add the rows in each category of those of these columns that are counted."""
        for index, column in enumerate(part.columns.tolist()):
            if column in self.category_counts:
                counts = self.category_counts[column]
                codes = part.codes[index].astype(np.int64) - part.first_codes[index]
                is_missing = part.codes[index] == np.iinfo(part.codes.dtype).max
                counts += np.bincount(codes[~is_missing], minlength=len(counts))
