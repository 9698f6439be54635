"""The second of two passes over rows: categories are counted, or kept as bits, once a discretizer is fitted."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Self

import numpy as np

from fewest._core import CategoryColumns, PairTables
from fewest.arrays import Integers
from fewest.data.block import Block
from fewest.errors import ChangedData
from fewest.methods.information.discretisation.column_summary import ColumnSummary
from fewest.methods.information.discretisation.discretizer import EncodedColumns, FittedDiscretizer
from fewest.methods.information.discretisation.distributed_categories import DistributedCategories
from fewest.methods.information.discretisation.folded_categories import FoldedCategories
from fewest.methods.information.discretisation.value_counts import ByteTable, repeated
from fewest.protocols import Questions
from fewest.statistics.class_moments import ClassMoments, WithMoments
from fewest.statistics.splits import Assignment, LeftOut
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
        self._encoded: CategoryColumns | PairTables | DistributedCategories | None = None
        self._fill: Callable[[], CategoryColumns] | None = None
        self.category_counts: dict[int, Integers] = {}

    @property
    def stays_with_rows(self) -> bool:
        """Whether this is as large as the rows."""
        return self.counts == "rows"

    @property
    def encoded(self) -> CategoryColumns | PairTables | DistributedCategories:
        if self._encoded is None and self._fill is not None:
            self._encoded = self._fill()
        elif self._encoded is None:
            self._allocate()
        assert self._encoded is not None
        return self._encoded

    def empty(self) -> Self:
        own = type(self).__new__(type(self))  # not a copy, which would go by what travels
        own.__dict__ |= self.__dict__
        own._columns, own._own = range(len(self.discretizer.n_categories)), self.discretizer
        own._encoded, own.category_counts = None, {}
        return own

    def left_out(self, outside: Sequence[Self], assignment: Assignment) -> LeftOut[SecondPass]:
        """Return what collects this of all rows, and others of those outside each fold."""
        keeps_rows = all(one.counts == "rows" for one in (self, *outside))
        return (FoldedCategories if keeps_rows else LeftOut)(outside, self, assignment)

    def filled_by(self, fill: Callable[[], CategoryColumns]) -> Self:
        """Return the same with the bits that a function gives, once they are needed."""
        own = self.empty()
        own._fill = fill
        return own

    def for_partition(self) -> EncodedPartition:
        """Return the same, without rows yet, for those that stay with one worker of an engine."""
        return EncodedPartition(self.discretizer, self.classes)

    def over(self, parts: Questions) -> Self:
        """Return the categories of rows that stay with the workers of an engine."""
        own = self.empty()
        n_categories = np.append(self.discretizer.n_categories, len(self.classes))
        own._encoded = DistributedCategories(parts, n_categories, int(self.summary.class_weights.sum()))
        return own

    def __getstate__(self) -> dict[str, object]:
        """What travels to another process: of the summary only the classes."""
        state = self.__dict__ | {"summary": None, "moments": self.classes}
        if isinstance(self._encoded, PairTables):
            state["_encoded"] = self._encoded.cells(), self._encoded.n_rows
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state | {"moments": ClassMoments.of_classes(state["moments"])}
        if isinstance(state["_encoded"], tuple):
            self._encoded = None
            counted, self.category_counts = self.category_counts, {}
            assert isinstance(self.encoded, PairTables)
            self.encoded.add_cells(*state["_encoded"])
            self.category_counts = counted

    def update(self, block: Block) -> None:
        """Add the rows of a block."""
        if self._encoded is None and block.columns is not None and self.is_columnwise:
            self._columns = range(block.columns[0], block.columns[-1] + 1)
            self._own = self.discretizer.only(self._columns)
        own, encoded = self._own, self.encoded
        block = repeated(block)
        rows = encoded if isinstance(encoded, CategoryColumns) else own.allocate(len(self.classes), block.n_rows)
        for part in _fill(rows, own, block, self.classes):
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
            encoded.place(part.encoded, part._columns.start)  # type: ignore[arg-type,union-attr]
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


class EncodedPartition:
    """The categories of rows that stay with one worker of an engine, a chunk for each block.

    discretizer, classes : how columns become categories, and all labels
    chunks : the categories of the rows so far
    """

    is_columnwise = False
    takes_integers = True

    def __init__(self, discretizer: FittedDiscretizer, classes: Sequence[Hashable]) -> None:
        self.discretizer, self.classes = discretizer, list(classes)
        self.chunks: list[CategoryColumns] = []

    def empty(self) -> Self:
        return type(self)(self.discretizer, self.classes)

    def update(self, block: Block) -> None:
        """Add the rows of a block."""
        block = repeated(block)
        chunk = self.discretizer.allocate(len(self.classes), block.n_rows)
        deque(_fill(chunk, self.discretizer, block, self.classes), maxlen=0)
        self.chunks.append(chunk)

    def merge(self, other: Self) -> None:
        self.chunks += other.chunks

    def join(self, parts: Sequence[Self]) -> Self:
        raise NotImplementedError("Rows are encoded with all columns: is_columnwise is False.")


def _fill(
    rows: CategoryColumns, discretizer: FittedDiscretizer, block: Block, classes: Sequence[Hashable]
) -> Iterator[EncodedColumns]:
    """Add the categories of a block to rows, and give them; raises where it has what the first pass had not."""
    for part in _encode(discretizer, block, classes):
        try:
            part.fill(rows)
        except ValueError:
            raise ChangedData from None
        yield part


def _encode(discretizer: FittedDiscretizer, block: Block, classes: Sequence[Hashable]) -> Iterator[EncodedColumns]:
    """The categories of all columns of a block, and the class as one more, the last."""
    are_floats = len(discretizer.float_columns) == len(discretizer.n_categories)
    table = None if are_floats else ByteTable.without_classes(block.values, discretizer.base)
    floats = block if are_floats else block.only(discretizer.float_columns)
    yield from discretizer.encode(table, floats.as_floats().values)
    indices = {label: index for index, label in enumerate(classes)}
    if not indices.keys() >= set(block.classes):
        raise ChangedData
    codes = np.array([indices[label] for label in block.classes], dtype=np.int32)[block.codes]
    yield EncodedColumns.of_class(classes, codes, len(discretizer.n_categories))
