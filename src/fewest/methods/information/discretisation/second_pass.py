"""The second of two passes over rows: categories are counted, or kept as bits, once a discretizer is fitted."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Self

import numpy as np

from fewest._core import CategoryColumns, PairTables
from fewest.arrays import Codes, Floats, Integers
from fewest.data.block import Block
from fewest.data.labels import sort_classes
from fewest.errors import InvalidInput
from fewest.methods.information.discretisation.byte_table import ByteTable
from fewest.methods.information.discretisation.column_summary import ColumnSummary
from fewest.methods.information.discretisation.discretizer import Discretizer, EncodedColumns, FittedDiscretizer
from fewest.methods.information.discretisation.value_counts import repetitions
from fewest.statistics.class_moments import WithMoments
from fewest.threads import thread_count

#: Up to here rows are kept as bits rather than counted in pairs of columns, and up to the second where pairs take more.
FEW_BYTES = 256 << 20
MAX_BYTES = 2 << 30


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
        self.n_categories: Codes = np.append(discretizer.n_categories, len(self.classes)).astype(np.int32)

    @property
    def class_weights(self) -> Floats:
        """The number of rows in each class, a row of weight 2 being two."""
        return self.summary.class_weights

    @property
    def missing(self) -> Integers:
        """The number of missing values of each column."""
        return self.summary.missing

    def empty(self) -> Self:
        return type(self)(self.discretizer, self.summary)

    def update(self, block: Block) -> None:
        """Add the rows of a block."""
        if block.weights is not None:
            times = repetitions(block.weights)
            rows = np.arange(block.n_rows)
            block = block.take(rows if times is None else np.repeat(rows, times))
        table = ByteTable.without_classes(block.values, self.discretizer.base.copy())
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

    def _allocate(self, n_rows: int) -> CategoryColumns:
        is_complete = np.append(self.discretizer.is_complete, True)
        return CategoryColumns(self.n_categories, is_complete, np.zeros(len(self.n_categories), dtype=bool), n_rows)


class ContingencyTables(SecondPass):
    """The counts of the categories of each column with those of the class, or of every other column as well.

    Memory: the square of the number of all categories, or their number times that of the classes; no rows. Cost: one
    read, and for all pairs a count of each.
    """

    encoded: PairTables

    def __init__(self, discretizer: FittedDiscretizer, summary: ColumnSummary, of_all_pairs: bool = True) -> None:
        super().__init__(discretizer, summary)
        self.of_all_pairs = of_all_pairs
        self.encoded = PairTables(self.n_categories, of_all_pairs)

    def empty(self) -> Self:
        return type(self)(self.discretizer, self.summary, self.of_all_pairs)

    def merge(self, other: Self) -> None:
        self.encoded.merge(other.encoded)

    def _add(self, parts: Sequence[EncodedColumns]) -> None:
        rows = self._allocate(parts[-1].codes.shape[1])
        _fill(rows, parts)
        self.encoded.add(rows, thread_count())


class PackedBits(SecondPass):
    """All rows, a bit for each category of each column but one.

    Memory: about the number of categories in bits, for each value. Cost: one read.
    """

    encoded: CategoryColumns

    def __init__(self, discretizer: FittedDiscretizer, summary: ColumnSummary) -> None:
        super().__init__(discretizer, summary)
        self.encoded = self._allocate(int(summary.class_weights.sum()))

    def merge(self, other: Self) -> None:
        raise NotImplementedError("Bits are filled in from the first row to the last.")

    def _add(self, parts: Sequence[EncodedColumns]) -> None:
        _fill(self.encoded, parts)


def _fill(columns: CategoryColumns, parts: Sequence[EncodedColumns]) -> None:
    for part in parts:
        columns.fill(part.columns, part.codes, part.first_codes, thread_count())


def second_pass_of(discretizer: Discretizer, summary: ColumnSummary, counts: str) -> SecondPass:
    """Return the empty second pass that takes the least memory; raise where none takes little enough.

    counts : what is needed: "classes", counts with the class; "pairs", counts of every two columns; "rows"
    """
    fitted = discretizer.fit(summary)
    if counts == "classes":
        return ContingencyTables(fitted, summary, of_all_pairs=False)
    n_categories = fitted.n_categories.astype(np.int64)
    n_rows = int(summary.class_weights.sum())
    for_bits = n_rows * int(np.where(n_categories > 16, 16, n_categories).sum()) // 8
    for_pairs = 8 * (int(n_categories.sum()) + len(summary.class_weights)) ** 2
    if for_bits > FEW_BYTES and counts == "pairs" and for_pairs <= min(for_bits, MAX_BYTES):
        return ContingencyTables(fitted, summary)
    if for_bits > MAX_BYTES:
        raise InvalidInput(
            f"{n_rows:,} rows of {summary.n_features:,} columns take {for_bits / 2**30:.1f} GiB as categories, and "
            f"their counts in pairs {for_pairs / 2**30:.1f} GiB; {MAX_BYTES / 2**30:.0f} GiB are allowed. Choose "
            "columns first, such as by MaxRelevance(n_features=1000), or give fewer rows."
        )
    return PackedBits(fitted, summary)
