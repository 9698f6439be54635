"""A sample of the rows of any source, as a source in memory."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from fewest.arrays import Codes, Floats, Hashes, Indices
from fewest.data.block import Block
from fewest.data.retained import RetainedSource
from fewest.data.source import Source
from fewest.memory import STORED_ROWS, check_memory
from fewest.statistics.class_moments import ClassMoments, WithMoments
from fewest.statistics.prepared_rows import splitmix64
from fewest.statistics.row_contents import ContentHash, SourceCategories
from fewest.statistics.row_hashes import MOST_ROWS, RowSums
from fewest.statistics.stratified_rows import StratifiedRows, content_hash_of


class SampledSource(RetainedSource):
    """A sample of the rows of another source, in memory, numbered anew.

    of_all : the moments of all rows, also of those from which the other source is a sample
    row_numbers : which of all rows each row is; of copies, one of them
    """

    n_rows: int

    def __init__(self, source: Source, block: Block, row_numbers: Indices, of_all: ClassMoments) -> None:
        super().__init__(source, [block])
        self.of_all, self.row_numbers = of_all, row_numbers
        if isinstance(source, SampledSource):
            self.of_all, self.row_numbers = source.of_all, source.row_numbers[row_numbers]

    @property
    def share(self) -> float:
        """The share of all rows that was drawn."""
        return self.n_rows / self.of_all.n_rows


def sample_rows(source: Source, size: int, seed: int) -> Source:
    """Return a sample of the rows of a source, every class in proportion; the source itself where it has no more.

    The contents of the rows decide which: not their order, nor how they are stored. Text must be read as codes. Takes
    one read; of files whose columns are read in groups two, so that no more than a group is held in memory: one that
    hashes the rows, and one that keeps those drawn.
    """
    size = min(int(size), sys.maxsize)  # an integer of NumPy has no number of bits, and a larger one is no float
    if source.n_rows is not None and source.n_rows <= size:
        return source
    if not source.is_in_memory:
        what = f"A sample of {size:,} rows of {source.n_features:,} columns takes"
        advice = f"Give a smaller one, of at most {max(4, STORED_ROWS // (8 * source.n_features)):,} rows."
        check_memory(8.0 * size * source.n_features, STORED_ROWS, what, advice)
    categories = SourceCategories(source, source.feature_names or ()) if source.text_columns else None
    is_wide = source.columns_at_once < source.n_features and not source.is_distributed
    if not is_wide or source.n_rows is None or source.n_rows > MOST_ROWS:
        drawn = source.collect(StratifiedRows(size, seed, categories))
        if drawn.n_rows <= size:
            return source
        return SampledSource(source, drawn.block(), drawn.row_numbers, drawn.moments)
    read = source.collect(_HashedRows(content_hash_of(source.n_features, categories)))
    drawn = StratifiedRows(size, seed, moments=read.moments)
    for block, contents in read.blocks():
        drawn.add_hashed(block, contents)
    if drawn.n_rows <= size:
        return source
    values = source.collect(_RowsByNumber(drawn.row_numbers)).values
    return SampledSource(source, replace(drawn.block(), values=values), drawn.row_numbers, drawn.moments)


class _HashedRows(WithMoments):
    """The moments of all rows, and the hash, class, weight and number of each, from groups of columns.

    sums : of all columns; groups of columns that are read in parallel add to the same
    """

    is_columnwise = True
    takes_integers = False

    def __init__(self, content_hash: ContentHash, sums: RowSums | None = None) -> None:
        super().__init__()
        self._content_hash = content_hash
        self._sums = RowSums() if sums is None else sums
        self._n_rows = 0
        #: The class, the weight and the number of each row, in the group of the first column.
        self._parts: list[tuple[Codes, Floats | None, Indices]] = []

    def empty(self) -> Self:
        return type(self)(self._content_hash, self._sums)

    def update(self, block: Block) -> None:
        self.moments.update(block)
        columns = range(block.values.shape[1]) if block.columns is None else block.columns
        values = block.values if isinstance(block.values, np.ndarray) else block.values.tocsr()
        self._sums.add(self._n_rows, self._content_hash.sums(values, block.categorical_columns, columns))
        self._n_rows += block.n_rows
        if columns[0] == 0:
            codes = self.class_indices(block.classes)[block.codes]
            self._parts.append((codes, block.weights, block.all_row_numbers()))

    def merge(self, other: Self) -> None:
        raise NotImplementedError("Rows are added from the first to the last.")

    def join(self, parts: Sequence[Self]) -> Self:
        joined = self.empty()
        joined.moments = parts[0].moments.join([part.moments for part in parts])
        joined._parts = parts[0]._parts
        return joined

    def blocks(self) -> Iterator[tuple[Block, Hashes]]:
        """Yield the rows without their values, a chunk at a time, and their hashes."""
        first = 0
        for codes, weights, numbers in self._parts:
            contents = splitmix64(self._sums.all[first : first + len(codes)])
            first += len(codes)
            yield Block(np.empty((len(codes), 0)), codes, self.classes, weights, row_numbers=numbers), contents


class _RowsByNumber:
    """The values of the rows with these numbers, in this order; a row may be named twice."""

    is_columnwise = True
    takes_integers = True

    def __init__(self, row_numbers: Indices) -> None:
        self._row_numbers = row_numbers
        self._distinct, self._which = np.unique(row_numbers, return_inverse=True)
        #: The distinct rows, in the order in which they are read.
        self._parts: list[NDArray[np.floating]] = []
        self._joined: NDArray[np.floating] | None = None

    @property
    def values(self) -> NDArray[np.floating]:
        return np.concatenate(self._parts)[self._which] if self._joined is None else self._joined

    def empty(self) -> Self:
        return type(self)(self._row_numbers)

    def update(self, block: Block) -> None:
        if block.row_numbers is None:
            first, end = np.searchsorted(self._distinct, [block.first_row, block.first_row + block.n_rows])
            rows = self._distinct[first:end] - block.first_row
        else:
            rows = np.flatnonzero(np.isin(block.row_numbers, self._distinct, assume_unique=True))
        self._parts.append(block.take(rows).dense_values)

    def merge(self, other: Self) -> None:
        self._parts += other._parts

    def join(self, parts: Sequence[Self]) -> Self:
        joined = self.empty()
        widths = [part._parts[0].shape[1] for part in parts]
        dtype = np.result_type(*(part._parts[0].dtype for part in parts))
        joined._joined = np.empty((len(self._row_numbers), sum(widths)), dtype=dtype)
        for part, last, width in zip(parts, np.cumsum(widths).tolist(), widths, strict=True):
            joined._joined[:, last - width : last] = part.values
            # The sample is held once, not twice.
            part._parts = []
        return joined
