"""All rows, kept for counting: a byte a value wherever that is enough."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fewest.arrays import Codes, Floats, Indices, Integers, Mask
from fewest.data.block import Block
from fewest.errors import InvalidInput
from fewest.memory import STORED_ROWS, check_stored_rows
from fewest.methods.information.discretisation.value_counts import ByteTable, FewValues, ValueCounts, repetitions
from fewest.statistics.class_moments import ClassMoments, WithMoments, fingerprint_of


class RowChunk(NamedTuple):
    """Some rows: the columns that fit bytes, and the values of those that do not.

    table : the byte columns; None where there are none
    values : rows by float columns, dense or sparse
    codes, weights : the class and the weight of each row
    is_borrowed : the values belong to somebody else, who may write to them later
    """

    table: ByteTable | None
    values: NDArray[np.floating] | sparse.csr_matrix
    codes: Codes
    weights: Floats
    is_borrowed: bool

    @property
    def n_bytes(self) -> int:
        """The memory that these rows take."""
        of_values = int(self.values.data.nbytes if sparse.issparse(self.values) else self.values.nbytes)
        return of_values + (0 if self.table is None else self.table.codes.nbytes)

    def owned(self) -> RowChunk:
        """Return the same with values that nobody else writes to."""
        if not self.is_borrowed:
            return self
        return self._replace(values=self.values.copy(), weights=self.weights.copy(), is_borrowed=False)

    def repeated(self) -> RowChunk:
        """Return each row as often as its weight says, with a weight of one."""
        times = self.weights.astype(np.intp)
        rows = np.repeat(np.arange(len(times)), times)
        table = self.table
        if table is not None:
            codes = np.take(table.codes, rows, axis=1)
            missing = np.count_nonzero(codes == ByteTable.MISSING, axis=1)
            table = replace(table, codes=codes, missing=np.where(table.fits, missing, 0))
        return RowChunk(table, self.values[rows], self.codes[rows], np.ones(len(rows)), is_borrowed=False)

    def with_float_columns(self, before: Indices, columns: Indices) -> RowChunk:
        """Return the same rows with these float columns, which are more than before."""
        if self.table is None or len(before) == len(columns):
            return self
        values = self.table.numbers(columns)
        values[:, np.searchsorted(columns, before)] = self.values
        return self._replace(values=values, is_borrowed=False)


class CategoricalRows(WithMoments):
    """All rows, for criteria that count categories. Those of weight zero are left out.

    A column of integers of a narrow range, with or without missing values, is a byte column; the others are float
    columns. Text and categories are integer codes. A block of an array in memory is not copied: do not write to it.

    Memory: a byte a value, and what float columns take. Cost: one read of the rows.

    max_bytes, max_merged_bytes : the memory for rows that come in parts, and for rows that are merged

    Attributes
    ----------
    chunks : the rows, as they came
    moments, float_moments, few_values : of the float columns, the moments, and the distinct values where they are few
    values_of : the distinct values of a float column, given by its position among these
    value_range, byte_counts : the range of each byte column, and the number of rows with each integer from the lowest
    """

    is_columnwise = False
    takes_integers = True

    def __init__(self, max_bytes: int = STORED_ROWS, max_merged_bytes: int = STORED_ROWS) -> None:
        super().__init__()
        self.max_bytes, self.max_merged_bytes = max_bytes, max_merged_bytes
        self.categorical_columns: Sequence[int] = ()
        self.float_columns: Indices = np.empty(0, dtype=np.intp)
        self.chunks: list[RowChunk] = []
        self._n_features = 0

    def limited_to(self, n_bytes: int) -> CategoricalRows:
        return CategoricalRows(n_bytes, self.max_merged_bytes)

    def check_size(self, n_rows: int, n_columns: int) -> None:
        # A value takes a byte at least.
        check_stored_rows(n_rows, n_columns, float(n_rows * n_columns), self.max_bytes)

    @property
    def n_features(self) -> int:
        return self._n_features

    @property
    def class_weights(self) -> Floats:
        """The number of rows in each class, a row of weight 2 being two."""
        return np.bincount(self.codes, self.weights, len(self.classes)).astype(np.float64)

    @property
    def codes(self) -> Codes:
        """The class of each row, as an index into classes."""
        return np.concatenate([np.empty(0, dtype=np.int32), *(chunk.codes for chunk in self.chunks)])

    @property
    def weights(self) -> Floats:
        """The weight of each row."""
        return np.concatenate([np.empty(0), *(chunk.weights for chunk in self.chunks)])

    @property
    def missing(self) -> Integers:
        missing = sum((table.missing for table in self._tables()), start=np.zeros(self.n_features, dtype=np.int64))
        missing[self.float_columns] = self.moments.missing
        return missing

    @property
    def is_observed(self) -> Mask:
        """Which columns hold a value at all."""
        is_observed: Mask = self.missing < self.n_rows
        return is_observed

    @property
    def value_range(self) -> tuple[Integers, Integers]:
        lowest, highest = np.full(self.n_features, ByteTable.NO_VALUE), np.full(self.n_features, -ByteTable.NO_VALUE)
        for table in self._tables():
            of_table = table.value_range()
            lowest, highest = np.minimum(lowest, of_table[0]), np.maximum(highest, of_table[1])
        return lowest, highest

    def byte_counts(self, columns: Indices) -> Integers:
        lowest = self.value_range[0][columns]
        counts = np.zeros((len(columns), 256), dtype=np.int64)
        for table in self._tables() if len(columns) else ():
            counts += table.value_counts(columns, lowest)
        return counts

    def float_moments(self) -> ClassMoments:
        return self.moments

    def few_values(self) -> FewValues:
        found = FewValues.of_no_rows(len(self.float_columns))
        for chunk in self.chunks:
            if len(chunk.codes):
                found = found.merged(FewValues.of_rows(chunk.values))
        return found

    def values_of(self, index: int) -> ValueCounts:
        return ValueCounts.of_column(np.concatenate([chunk.values[:, index] for chunk in self.chunks]))

    def fingerprint(self) -> str:
        checksums = sum((t.checksums for t in self._tables()), start=np.zeros(self.n_features, dtype=np.uint64))
        checksums[self.float_columns] = self.moments.checksums
        return fingerprint_of(checksums, self.missing, self.counts_by_class())

    def kept_blocks(self) -> Iterator[Block]:
        """The rows, in the blocks in which they came."""
        for chunk in self.chunks:
            values = chunk.values
            if chunk.table is not None:
                values = chunk.table.numbers(np.arange(self.n_features))
                values[:, self.float_columns] = chunk.values
            weights = None if (chunk.weights == 1).all() else chunk.weights
            yield Block(values, chunk.codes, self.classes, weights, categorical_columns=self.categorical_columns)

    def empty(self) -> Self:
        return type(self)(self.max_bytes, self.max_merged_bytes)

    def update(self, block: Block) -> None:
        """Add the rows of a block; an error names the first infinite value."""
        self._set_width(block.values.shape[1])
        self.categorical_columns = block.categorical_columns
        if block.weights is not None and not block.weights.all():
            block = block.take(np.flatnonzero(block.weights))
        table = None
        if not sparse.issparse(block.values):
            table = ByteTable.of(block.values, block.codes, self.moments.keys_of(block.classes))
        self._add_float_columns(np.arange(self.n_features) if table is None else np.flatnonzero(~table.fits))
        are_all = len(self.float_columns) == self.n_features
        numbers = (block if are_all else block.only(self.float_columns)).as_floats()
        self.moments.update(numbers)
        # A selection or a conversion is a copy already.
        is_borrowed = numbers.values is block.values and block.row_numbers is None
        weights = np.ones(block.n_rows) if block.weights is None else block.weights
        codes = self.class_indices(block.classes)[block.codes]
        self.chunks.append(RowChunk(None if are_all else table, numbers.values, codes, weights, is_borrowed))
        self._add_wide_columns()
        self._check_memory(self.max_bytes)

    def merge(self, other: Self) -> None:
        if not other.chunks:
            self.moments.merge(other.moments)
            return
        # The caller may come back with more rows in the same array, so these are copied now.
        theirs = copy(other)
        theirs.chunks = [chunk.owned() for chunk in other.chunks]
        self._set_width(other.n_features)
        self.categorical_columns = other.categorical_columns or self.categorical_columns
        self._add_float_columns(theirs.float_columns)
        theirs._add_float_columns(self.float_columns)
        self.moments.merge(theirs.moments)
        indices = self.class_indices(other.classes)
        self.chunks += [chunk._replace(codes=indices[chunk.codes]) for chunk in theirs.chunks]
        self._add_wide_columns()
        self._check_memory(self.max_merged_bytes)

    def repeated(self) -> Self:
        """Return each row as often as its weight says; raise where a weight is not an integer."""
        if repetitions(self.weights) is None:
            return self
        repeated = copy(self)
        repeated.chunks = [chunk.repeated() for chunk in self.chunks]
        repeated._collect_moments(is_weighted=False)
        return repeated

    def _tables(self) -> list[ByteTable]:
        """The byte columns of each chunk; empty where there are none."""
        return [chunk.table for chunk in self.chunks if chunk.table is not None]

    def _set_width(self, n_features: int) -> None:
        """Take the number of columns from the first rows; raise where later ones have another."""
        if self.chunks and n_features != self.n_features:
            raise InvalidInput(f"Rows of {self.n_features} and of {n_features} columns cannot be put together.")
        self._n_features = n_features

    def _add_float_columns(self, columns: Indices) -> None:
        """Store these columns as floats, from the first row on."""
        before, self.float_columns = self.float_columns, np.union1d(self.float_columns, columns).astype(np.intp)
        if not self.chunks or len(before) == len(self.float_columns):
            return
        chunks = [chunk.with_float_columns(before, self.float_columns) for chunk in self.chunks]
        are_all = len(self.float_columns) == self.n_features
        self.chunks = [chunk._replace(table=None) if are_all else chunk for chunk in chunks]
        self._collect_moments()

    def _add_wide_columns(self) -> None:
        """Store columns as floats that fit bytes in every chunk, but not over all of them."""
        if len(self._tables()) > 1:
            lowest, highest = self.value_range
            is_wide = highest - lowest >= ByteTable.MAX_RANGE
            is_wide[self.float_columns] = False
            self._add_float_columns(np.flatnonzero(is_wide))

    def _collect_moments(self, *, is_weighted: bool = True) -> None:
        classes, self.moments = self.classes, ClassMoments()
        for chunk in self.chunks:
            self.moments.update(Block(chunk.values, chunk.codes, classes, chunk.weights if is_weighted else None))

    def _check_memory(self, max_bytes: int) -> None:
        """Raise where rows that came in parts take more; a single block was in memory already."""
        if len(self.chunks) > 1:
            n_bytes = sum(chunk.n_bytes for chunk in self.chunks)
            check_stored_rows(self.n_rows, self.n_features, n_bytes, max_bytes)
