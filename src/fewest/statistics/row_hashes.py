"""A hash of every row, from the contents of the table alone.

The order of rows and columns, the names of classes, the codes of text and the kind of file make no difference. Values
count as float32 holds them, so that 0.1 is the same from text and from an array of float32.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fewest._core import add_row_hashes
from fewest.arrays import Codes, Floats, Hashes, Indices, Mask
from fewest.data.block import Block
from fewest.data.retained import RetainedSource
from fewest.data.source import Source
from fewest.errors import TooManyRows
from fewest.statistics.prepared_rows import bits_of, splitmix64
from fewest.threads import thread_count

#: The number of values that are hashed at a time.
_AT_ONCE = 1 << 16
#: Enough for what differs anywhere to reach the hashes of all rows.
_ROUNDS = 4
#: More rows have no hashes, which would take 30 bytes each: how that many are drawn hardly matters.
MOST_ROWS = 1 << 24


@dataclass(frozen=True)
class HashedRows:
    """The rows of a table, each with a hash of its contents.

    hashes, codes : the hash and the class of each row
    counts : how often each row counts: 0 for one of weight zero, the weight where all weights are whole numbers, or 1
    row_numbers : which row of the source each is
    class_ranks : the rank of each class by its number of rows and the hashes of these, whatever its name
    """

    hashes: Hashes
    codes: Codes
    counts: NDArray[np.uint64]
    row_numbers: Indices
    class_ranks: Indices

    def order(self, seed: int) -> Indices:
        """The rows that count, class by class, within a class as if drawn at random; copies come together."""
        counted = np.flatnonzero(self.counts)
        drawn = splitmix64(self.hashes[counted] + splitmix64(np.array([seed % 2**64], dtype=np.uint64)))
        return counted[np.lexsort((drawn, self.class_ranks[self.codes[counted]]))]


def hash_rows(source: Source) -> HashedRows:
    """Hash the rows of a source.

    Of a table in memory a value is hashed with the values of its column. Of a stream that is too long to be kept it is
    hashed with the name of its column, which takes one read; without names, two. Raises TooManyRows beyond MOST_ROWS.
    """
    if isinstance(source, RetainedSource):
        return _hash_contents(source)
    names = source.feature_names
    if names is None:
        keys = splitmix64(source.collect(_ColumnSums()).sums)
    else:
        keys = np.array([_of_text(name) for name in names], dtype=np.uint64)
    if (source.n_rows or 0) > MOST_ROWS:
        raise TooManyRows("The rows of the stream are too many for a hash of each.")
    kind = _PartitionedRows if source.is_distributed else _StreamedRows
    hashes, codes, weights, row_numbers = source.collect(kind(keys, _TextHashes(source))).gathered()
    counts = _whole_counts(weights)
    return HashedRows(hashes, codes, counts, row_numbers, _class_ranks(hashes, codes, counts))


def _hash_contents(source: RetainedSource) -> HashedRows:
    blocks = [block for block in source.blocks() if block.n_rows]
    nothing = np.empty(0, dtype=np.int32)
    codes = np.concatenate([nothing, *(block.codes for block in blocks)])
    weights = np.concatenate([np.empty(0), *(block.row_weights for block in blocks)])
    row_numbers = np.concatenate([nothing.astype(np.intp), *(block.all_row_numbers() for block in blocks)])
    counts = _whole_counts(weights)
    n_classes = int(codes.max(initial=-1)) + 1
    hashes = splitmix64(_sums(counts, codes, n_classes))[codes]
    if not np.array_equal(weights[counts > 0], counts[counts > 0]):
        hashes = splitmix64(hashes + bits_of(weights))
    texts = _text_columns(source)
    n_distinct, n_rows = 0, int(counts.sum())
    for n_rounds in range(_ROUNDS):
        hashes = _round(blocks, source.n_features, hashes, counts, texts, is_first=n_rounds == 0)
        found = len(np.unique(hashes[counts > 0]))
        if found in (n_distinct, n_rows):
            break
        # Rows that differ may have one hash where columns hold the same values in other rows: once more, with the
        # hashes of rows and classes so far in those of columns, until that separates no more of them.
        n_distinct = found
        hashes = splitmix64(hashes + _sums(hashes * counts, codes, n_classes)[codes])
    return HashedRows(hashes, codes, counts, row_numbers, _class_ranks(hashes, codes, counts))


def _round(
    blocks: Sequence[Block], n_columns: int, of_rows: Hashes, counts: Hashes, texts: Sequence[int], is_first: bool
) -> Hashes:
    """The hash of each row from its values, each with the hash of its column, which has those of the rows so far."""
    is_number = np.ones(n_columns, dtype=bool)
    is_number[list(texts)] = False
    sums = np.zeros(n_columns, dtype=np.uint64)
    for rows, cells in _all_cells(blocks):
        if is_first:
            # Products, which are faster, are enough: what they leave equal the second round separates.
            cells.add_to_columns(sums, cells.values * (cells.values + np.uint64(0x9E3779B1)), (of_rows * counts)[rows])
        else:
            cells.add_to_columns(sums, splitmix64(cells.values + cells.by_row(of_rows[rows])), counts[rows])
    keys = splitmix64(sums)
    totals = np.zeros(len(of_rows), dtype=np.uint64)
    start = 0
    for block in blocks:
        _add_row_sums(block, keys, is_number, totals[start : start + block.n_rows])
        start += block.n_rows
    numbers = splitmix64(of_rows + totals)
    totals[:] = 0
    for column in texts:
        # A category is known by the rows that have it, not by its name or code.
        values = np.concatenate([block.dense_values[:, column] for block in blocks])
        _, which = np.unique(values, return_inverse=True)
        cells_of_text = splitmix64(_sums(numbers * counts, which, int(which.max(initial=-1)) + 1))[which]
        key = splitmix64((splitmix64(cells_of_text) * counts).sum(dtype=np.uint64, keepdims=True))
        totals += splitmix64(cells_of_text + key)
    return splitmix64(numbers + totals) if len(texts) else numbers


@dataclass(frozen=True)
class _DenseCells:
    """Some values as bits, rows by columns."""

    values: Hashes

    def by_row(self, of_rows: Hashes) -> Hashes:
        return of_rows[:, None]

    def add_to_columns(self, sums: Hashes, hashes: Hashes, factors: Hashes) -> None:
        sums += (hashes * (self.values != 0) * factors[:, None]).sum(axis=0, dtype=np.uint64)


@dataclass(frozen=True)
class _SparseCells:
    """The stored values of some rows as bits, with the row and the column of each."""

    values: Hashes
    rows: Indices
    columns: Indices

    @classmethod
    def of(cls, values: sparse.csr_array) -> _SparseCells:
        stored = values.tocsr()
        rows = np.repeat(np.arange(stored.shape[0]), np.diff(stored.indptr))
        return cls(_bits(stored.data), rows, stored.indices)

    def by_row(self, of_rows: Hashes) -> Hashes:
        return of_rows[self.rows]

    def add_to_columns(self, sums: Hashes, hashes: Hashes, factors: Hashes) -> None:
        np.add.at(sums, self.columns, hashes * (self.values != 0) * factors[self.rows])


_Cells = _DenseCells | _SparseCells


def _all_cells(blocks: Sequence[Block]) -> Iterator[tuple[slice, _Cells]]:
    """All values, a chunk of rows at a time, with the positions of the rows."""
    start = 0
    for block in blocks:
        for rows, cells in _cells(block):
            yield slice(start + rows.start, start + rows.stop), cells
        start += block.n_rows


def _cells(block: Block) -> Iterator[tuple[slice, _Cells]]:
    if sparse.issparse(block.values):
        yield slice(0, block.n_rows), _SparseCells.of(block.values)
        return
    step = max(1, _AT_ONCE // max(int(block.values.shape[1]), 1))
    for first in range(0, block.n_rows, step):
        part = slice(first, min(first + step, block.n_rows))
        yield part, _DenseCells(_bits(block.values[part]))


def _add_row_sums(block: Block, keys: Hashes, is_number: Mask, sums: Hashes) -> None:
    """Add the hashes of each row's values that are not zero, so that a sparse table has the same sums."""
    values = block.values
    if not sparse.issparse(values):
        floats = values if values.dtype in (np.float32, np.float64) else values.astype(np.float32)
        add_row_hashes(floats, keys, is_number, sums, thread_count())
        return
    cells = _SparseCells.of(values)
    np.add.at(sums, cells.rows, splitmix64(cells.values + keys[cells.columns]) * (cells.values != 0))


def _bits(values: NDArray[np.number]) -> Hashes:
    """Numbers as float32 stores them, with one zero and one NaN."""
    with np.errstate(over="ignore", invalid="ignore"):
        floats = np.array(values, dtype=np.float32, order="C")
    floats += np.float32(0.0)
    floats[np.isnan(floats)] = np.nan
    return floats.view(np.uint32).astype(np.uint64)


def _whole_counts(weights: Floats) -> NDArray[np.uint64]:
    is_whole = bool(np.all(weights == np.floor(weights)))
    return weights.astype(np.uint64) if is_whole else (weights > 0).astype(np.uint64)


def _sums(hashes: Hashes, groups: NDArray[np.integer], n_groups: int) -> Hashes:
    sums = np.zeros(n_groups, dtype=np.uint64)
    np.add.at(sums, groups, hashes)
    return sums


def _class_ranks(hashes: Hashes, codes: Codes, counts: Hashes) -> Indices:
    n_classes = int(codes.max(initial=-1)) + 1
    ranks = np.empty(n_classes, dtype=np.intp)
    order = np.lexsort((_sums(hashes * counts, codes, n_classes), _sums(counts, codes, n_classes)))
    ranks[order] = np.arange(n_classes)
    return ranks


def _text_columns(source: Source) -> list[int]:
    if not source.text_columns or source.feature_names is None:
        return []
    texts = set(source.text_columns)
    return [column for column, name in enumerate(source.feature_names) if name in texts]


def _of_text(text: object) -> int:
    digest = hashlib.blake2b(str(text).encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


class _ColumnSums:
    """A sum for each column over hashes of its values."""

    is_columnwise = True
    takes_integers = True

    def __init__(self) -> None:
        self.sums: Hashes = np.empty(0, dtype=np.uint64)

    def empty(self) -> Self:
        return type(self)()

    def update(self, block: Block) -> None:
        if len(self.sums) == 0:
            self.sums = np.zeros(block.values.shape[1], dtype=np.uint64)
        for rows, cells in _cells(block):
            once = np.ones(rows.stop - rows.start, dtype=np.uint64)
            cells.add_to_columns(self.sums, splitmix64(cells.values), once)

    def merge(self, other: Self) -> None:
        self.sums = other.sums if len(self.sums) == 0 else self.sums + other.sums

    def join(self, parts: Sequence[Self]) -> Self:
        joined = self.empty()
        joined.sums = np.concatenate([part.sums for part in parts])
        return joined


class RowSums:
    """Sums over hashes of the values of each row, to which groups of columns are added on several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._sums: Hashes = np.zeros(1 << 16, dtype=np.uint64)
        self.n_rows = 0

    @property
    def all(self) -> Hashes:
        return self._sums[: self.n_rows]

    def add(self, first: int, sums: Hashes) -> None:
        """Add to the sums of consecutive rows."""
        end = first + len(sums)
        with self._lock:
            if end > len(self._sums):
                more = np.zeros(max(end, 2 * len(self._sums)) - len(self._sums), dtype=np.uint64)
                self._sums = np.concatenate([self._sums, more])
            self._sums[first:end] += sums
            self.n_rows = max(self.n_rows, end)

    def __getstate__(self) -> Hashes:
        return self.all

    def __setstate__(self, sums: Hashes) -> None:
        self._lock, self._sums, self.n_rows = Lock(), sums, len(sums)


class _StreamedRows:
    """The hash, class, weight and number of each row of a stream, up to a number of rows, from one read of it.

    keys : a number for each column
    sums : of all columns; groups of columns that are read in parallel add to the same
    """

    is_columnwise = True
    takes_integers = True

    def __init__(self, keys: Hashes, texts: _TextHashes, sums: RowSums | None = None) -> None:
        self._keys = keys
        self._texts = texts
        self._sums = RowSums() if sums is None else sums
        self._n_rows = 0
        #: The class, the weight and the number of each row, in the group of the first column.
        self._parts: list[tuple[Codes, Floats, Indices]] = []

    def empty(self) -> Self:
        return type(self)(self._keys, self._texts, self._sums)

    def pass_key(self) -> Hashable:
        return self._keys.tobytes()

    def update(self, block: Block) -> None:
        if self._n_rows + block.n_rows > MOST_ROWS:
            raise TooManyRows("The rows of the stream are too many for a hash of each.")
        columns = np.arange(len(self._keys)) if block.columns is None else np.asarray(block.columns, dtype=np.intp)
        keys, texts = self._keys[columns], list(block.categorical_columns)
        is_number = np.ones(len(keys), dtype=bool)
        is_number[texts] = False
        sums = np.zeros(block.n_rows, dtype=np.uint64)
        _add_row_sums(block, keys, is_number, sums)
        for position in texts:
            codes = np.nan_to_num(block.dense_values[:, position], nan=-1.0).astype(np.intp)
            sums += splitmix64(self._texts.of(int(columns[position]), codes) + keys[position])
        self._sums.add(self._n_rows, sums)
        self._n_rows += block.n_rows
        if columns[0] == 0:
            self._parts.append((block.codes, block.row_weights, block.all_row_numbers()))

    def gathered(self) -> tuple[Hashes, Codes, Floats, Indices]:
        """The hashes, classes, weights and numbers of all rows."""
        nothing = (np.empty(0, np.int32), np.empty(0), np.empty(0, np.intp))
        codes, weights, numbers = zip(nothing, *self._parts, strict=True)
        return splitmix64(self._sums.all), np.concatenate(codes), np.concatenate(weights), np.concatenate(numbers)

    def merge(self, other: Self) -> None:
        raise NotImplementedError("Rows are added from the first to the last.")

    def join(self, parts: Sequence[Self]) -> Self:
        return parts[0]


class _PartitionedRows(_StreamedRows):
    """The same of rows that an engine holds: each partition has its own sums, which are put one after the other."""

    def empty(self) -> Self:
        return type(self)(self._keys, self._texts)

    def merge(self, other: Self) -> None:
        self._sums.add(self._n_rows, other._sums.all)
        self._n_rows += other._n_rows
        self._parts += other._parts


class _TextHashes:
    """A hash for the text of each row, which is the same whatever code it has."""

    def __init__(self, source: Source) -> None:
        self._source: Source | None = source
        self._of_column: dict[int, Hashes] = {}

    def of(self, column: int, codes: Indices) -> Hashes:
        table = self._of_column.get(column)
        if self._source is not None:
            table = self._table(self._source, column, table)
        return splitmix64(codes.astype(np.uint64)) if table is None else table[codes]

    def _table(self, source: Source, column: int, table: Hashes | None) -> Hashes | None:
        """The hashes of the texts met so far, by their codes; None for a column of numbers."""
        assert source.feature_names is not None
        known = source.categories_of(source.feature_names[column])
        if known is not None and (table is None or len(table) <= len(known)):
            table = self._of_column[column] = np.array([*map(_of_text, known), 0], dtype=np.uint64)
        return table

    def __getstate__(self) -> dict[str, object]:
        """What travels to a worker: the hashes, which are all known there, without the source."""
        if self._source is not None:
            for column in _text_columns(self._source):
                self._table(self._source, column, None)
        return {"_source": None, "_of_column": self._of_column}
