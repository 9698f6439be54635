"""A sample of rows that their own contents decide, so that their order changes nothing."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Hashable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fewest.arrays import Codes, Floats, Hashes, Indices, Integers
from fewest.data.block import Block
from fewest.memory import MIB
from fewest.statistics.prepared_rows import splitmix64

#: Hashes of the categories of a column of text, in order of their codes: at least as many as are asked for.
CategoryHashes = Callable[[int, int], Hashes]

#: The number of bytes that are hashed at a time, so that they stay in the cache.
_CHUNK = MIB // 2
_SHIFT = np.uint64(29)
#: The number of rows whose columns are hashed one by one, so that they stay in the cache.
_ROWS_AT_ONCE = 8192
#: From this number of rows on, columns that lie one behind the other are hashed one by one.
_LONG = 512
_MISSING = np.uint64(0x7FF8)


class RowSample:
    """Rows drawn by a hash of their values, each distinct row of a class once, with the number of its copies.

    The rows with the lowest hashes are kept: the same for any order of the rows, split into blocks and merges, and
    with all copies of a row or none. As long as there are no more rows than `size`, all are kept as they are.
    Memory: twice `size` rows. Cost: one multiplication a value, none where there are few rows.

    size : the number of distinct rows to keep
    column_keys : a number a column that its name or index decides
    categories : hashes of the categories of columns of text, whose codes depend on the order of the rows
    """

    def __init__(self, size: int, column_keys: Hashes, categories: CategoryHashes | None = None) -> None:
        self.size = size
        self.column_keys = column_keys | np.uint64(1)
        self.categories = categories
        self.categorical_columns: Sequence[int] = ()
        self.classes: list[Hashable] = []
        #: Every row that was added is kept, each on its own.
        self.is_all = True
        self._parts: list[_Part] = []
        #: There is one part, of distinct rows in the order of their hashes.
        self._is_compressed = False
        #: Rows with larger hashes are not drawn; None as long as there is room.
        self._limit: np.uint64 | None = None

    def empty(self) -> Self:
        return type(self)(self.size, self.column_keys, self.categories)

    @property
    def codes(self) -> Codes:
        """The class of each row kept, as an index into classes."""
        return self._whole().codes

    @property
    def counts(self) -> Integers:
        """The number of copies of each row kept."""
        return self._whole().counts

    @property
    def row_numbers(self) -> Indices:
        """Which row of the source each is, the first of its copies."""
        return self._whole().row_numbers

    @property
    def values(self) -> Any:
        """The rows, dense or CSR; NaN where a value is missing."""
        return self._whole().values

    @property
    def hashes(self) -> Hashes:
        """A hash of the values of each row."""
        whole = self._whole()
        return self._hash(whole.values) if whole.hashes is None else whole.hashes

    def update(self, block: Block) -> None:
        """Add the rows of a block."""
        indices = self._class_indices(block.classes)
        codes = indices[block.codes]
        numbers = block.all_row_numbers()
        self.categorical_columns = block.categorical_columns
        values = block.values.tocsr() if sparse.issparse(block.values) else block.values
        ones = np.ones(block.n_rows, dtype=np.int64)
        self._add(_Part(values, codes, ones, numbers, None))

    def merge(self, other: Self) -> None:
        indices = self._class_indices(other.classes)
        self.categorical_columns = other.categorical_columns or self.categorical_columns
        for part in other._parts:
            self._add(part.with_codes(indices[part.codes]))
        if not other.is_all and self.is_all:
            self._draw()

    def _add(self, part: _Part) -> None:
        if self.is_all and sum(len(one.codes) for one in self._parts) + len(part.codes) <= self.size:
            self._parts.append(part)
            return
        if self.is_all:
            self._draw()
        if part.hashes is None:
            part = part.with_hashes(self._hash(part.values))
        assert part.hashes is not None
        limit = self._limit
        if limit is None and len(part.codes) > self.size:
            # No more distinct rows of this part than can be kept.
            ordered = np.sort(part.hashes)
            distinct = ordered[np.flatnonzero(ordered[1:] != ordered[:-1])]
            limit = distinct[self.size - 1] if len(distinct) > self.size else None
        self._parts.append(part if limit is None else part.take(np.flatnonzero(part.hashes <= limit)))
        self._is_compressed = False
        if sum(len(one.codes) for one in self._parts) > 2 * self.size:
            self._compress()

    def _draw(self) -> None:
        """Go from all rows to those with the lowest hashes."""
        self.is_all = False
        self._parts = [
            part if part.hashes is not None else part.with_hashes(self._hash(part.values)) for part in self._parts
        ]
        self._compress()

    def _compress(self) -> None:
        """Make one part of all, of distinct rows in the order of their hashes, those beyond the size left out."""
        if not self._parts or self._is_compressed:
            return
        self._is_compressed = True
        whole = _joined(self._parts)
        assert whole.hashes is not None
        order = np.lexsort((whole.row_numbers, self._class_hashes()[whole.codes], whole.hashes))
        hashes, codes = whole.hashes[order], whole.codes[order]
        is_first = np.ones(len(order), dtype=bool)
        is_first[1:] = (hashes[1:] != hashes[:-1]) | (codes[1:] != codes[:-1])
        starts = np.flatnonzero(is_first)
        counts = np.add.reduceat(whole.counts[order], starts)
        kept = starts[: self.size]
        first = whole.take(order[kept])
        self._parts = [_Part(first.values, first.codes, counts[: self.size], first.row_numbers, first.hashes)]
        if len(kept) == self.size:
            self._limit = hashes[kept[-1]]

    def _whole(self) -> _Part:
        if not self.is_all:
            self._compress()
        elif len(self._parts) > 1:
            self._parts = [_joined(self._parts)]
        if not self._parts:
            nothing = np.zeros(0, dtype=np.int64)
            return _Part(np.zeros((0, len(self.column_keys))), nothing.astype(np.int32), nothing, nothing, None)
        return self._parts[0]

    def _class_indices(self, classes: Sequence[Hashable]) -> Codes:
        known = {value: index for index, value in enumerate(self.classes)}
        indices = [known.setdefault(value, len(known)) for value in classes]
        self.classes = list(known)
        return np.array(indices, dtype=np.int32)

    def _class_hashes(self) -> Hashes:
        return text_hashes(self.classes)

    def _hash(self, values: Any) -> Hashes:
        """A hash of each row; equal rows have the same in any file, order of columns and width of floats."""
        if sparse.issparse(values):
            return self._hash_sparse(values)
        hashes = np.zeros(values.shape[0], dtype=np.uint64)
        texts = set() if self.categories is None else set(self.categorical_columns)
        is_by_column = values.flags.f_contiguous and len(values) >= _LONG
        step = max(1, _CHUNK // (8 * max(values.shape[1], 1)))
        if texts or is_by_column:
            for first in range(0, len(values), _ROWS_AT_ONCE):
                part = slice(first, first + _ROWS_AT_ONCE)
                self._add_columns(values[part], texts, hashes[part])
            return splitmix64(hashes)
        for first in range(0, len(values), step):
            rows = np.asarray(values[first : first + step], dtype=np.float64, order="C")
            hashes[first : first + step] = _mixed_bits(rows) @ self.column_keys
        return splitmix64(hashes)

    def _add_columns(self, values: NDArray[np.number], texts: Collection[int], hashes: Hashes) -> None:
        """Add what each column gives to the hashes of some rows, in memory that is used again for every column."""
        numbers = np.empty(len(values))
        bits, mixed = numbers.view(np.uint64), np.empty(len(values), dtype=np.uint64)
        for j, key in enumerate(self.column_keys):
            if j in texts:
                np.multiply(self._hash_categories(j, np.asarray(values[:, j], dtype=np.float64)), key, out=mixed)
            else:
                np.add(values[:, j], 0.0, out=numbers)
                np.right_shift(bits, _SHIFT, out=mixed)
                np.bitwise_xor(bits, mixed, out=mixed)
                np.multiply(mixed, key, out=mixed)
            np.add(hashes, mixed, out=hashes)

    def _hash_categories(self, column: int, codes: Floats) -> Hashes:
        assert self.categories is not None
        is_missing = codes != codes
        has_missing = bool(is_missing.any())
        indices = (np.where(is_missing, 0, codes) if has_missing else codes).astype(np.intp)
        known = self.categories(column, int(indices.max(initial=0)) + 1)
        if len(known) == 0:
            return np.full(len(codes), _MISSING)
        return np.where(is_missing, _MISSING, known[indices]) if has_missing else known[indices]

    def _hash_sparse(self, values: sparse.csr_array) -> Hashes:
        parts = _mixed_bits(values.data.astype(np.float64)) * self.column_keys[values.indices]
        # A sum modulo 2**64 over each row: differences of running sums.
        totals = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(parts, dtype=np.uint64)])
        return splitmix64(totals[values.indptr[1:]] - totals[values.indptr[:-1]])


def _mixed_bits(values: Floats) -> Hashes:
    """Numbers as they are stored, with one zero, the low bits filled: whole numbers have none of their own."""
    bits: Hashes = (values + 0.0).view(np.uint64)
    return bits ^ (bits >> _SHIFT)


class _Part:
    """Some rows: their values, classes, numbers of copies, numbers in the source and, where known, hashes."""

    def __init__(
        self, values: Any, codes: Codes, counts: Integers, row_numbers: Indices, hashes: Hashes | None
    ) -> None:
        self.values, self.codes, self.counts, self.row_numbers, self.hashes = values, codes, counts, row_numbers, hashes

    def take(self, rows: Indices | slice) -> _Part:
        hashes = None if self.hashes is None else self.hashes[rows]
        return _Part(self.values[rows], self.codes[rows], self.counts[rows], self.row_numbers[rows], hashes)

    def with_hashes(self, hashes: Hashes) -> _Part:
        return _Part(self.values, self.codes, self.counts, self.row_numbers, hashes)

    def with_codes(self, codes: Codes) -> _Part:
        return _Part(self.values, codes, self.counts, self.row_numbers, self.hashes)


def _joined(parts: Sequence[_Part]) -> _Part:
    if len(parts) == 1:
        return parts[0]
    is_sparse = sparse.issparse(parts[0].values)
    values = [part.values for part in parts]
    hashes = [part.hashes for part in parts]
    return _Part(
        sparse.vstack(values, format="csr") if is_sparse else np.concatenate(values),
        np.concatenate([part.codes for part in parts]),
        np.concatenate([part.counts for part in parts]),
        np.concatenate([part.row_numbers for part in parts]),
        None if any(one is None for one in hashes) else np.concatenate([one for one in hashes if one is not None]),
    )


def text_hashes(values: Sequence[object]) -> Hashes:
    """Numbers that depend on the texts of the values alone."""
    texts = [str(value).encode(errors="surrogatepass") for value in values]
    low = np.fromiter(map(zlib.crc32, texts), dtype=np.uint64, count=len(texts))
    high = np.fromiter(map(zlib.adler32, texts), dtype=np.uint64, count=len(texts))
    return splitmix64(low ^ (high << np.uint64(32)))
