"""A sample of rows that their own contents decide, so that their order changes nothing."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Self

import numpy as np
from scipy import sparse

from fewest.arrays import Codes, Hashes, Indices, Integers
from fewest.data.block import Block
from fewest.statistics.row_contents import ContentHash, RowPart, join_parts, text_hashes


class RowSample:
    """Rows drawn by a hash of their values, each distinct row of a class once, with the number of its copies.

    The rows with the lowest hashes are kept: the same for any order of the rows, split into blocks and merges, and
    with all copies of a row or none. As long as there are no more rows than `size`, all are kept as they are.
    Memory: twice `size` rows. Cost: one multiplication a value, none where there are few rows.

    size : the number of distinct rows to keep
    content_hash : the hash of a row
    """

    def __init__(self, size: int, content_hash: ContentHash) -> None:
        self.size = size
        self.content_hash = content_hash
        self.categorical_columns: Sequence[int] = ()
        self.classes: list[Hashable] = []
        #: Every row that was added is kept, each on its own.
        self.is_all = True
        self._parts: list[RowPart] = []
        #: There is one part, of distinct rows in the order of their hashes.
        self._is_compressed = False
        #: Rows with larger hashes are not drawn; None as long as there is room.
        self._limit: np.uint64 | None = None

    def empty(self) -> Self:
        return type(self)(self.size, self.content_hash)

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
        self._add(RowPart(values, codes, ones, numbers))

    def merge(self, other: Self) -> None:
        indices = self._class_indices(other.classes)
        self.categorical_columns = other.categorical_columns or self.categorical_columns
        for part in other._parts:
            self._add(part.with_codes(indices[part.codes]))
        if not other.is_all and self.is_all:
            self._draw()

    def _add(self, part: RowPart) -> None:
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
        whole = join_parts(self._parts)
        assert whole.hashes is not None
        order = np.lexsort((whole.row_numbers, self._class_hashes()[whole.codes], whole.hashes))
        hashes, codes = whole.hashes[order], whole.codes[order]
        is_first = np.ones(len(order), dtype=bool)
        is_first[1:] = (hashes[1:] != hashes[:-1]) | (codes[1:] != codes[:-1])
        starts = np.flatnonzero(is_first)
        counts = np.add.reduceat(whole.counts[order], starts)
        kept = starts[: self.size]
        first = whole.take(order[kept])
        self._parts = [RowPart(first.values, first.codes, counts[: self.size], first.row_numbers, first.hashes)]
        if len(kept) == self.size:
            self._limit = hashes[kept[-1]]

    def _whole(self) -> RowPart:
        if not self.is_all:
            self._compress()
        elif len(self._parts) > 1:
            self._parts = [join_parts(self._parts)]
        if not self._parts:
            nothing = np.zeros(0, dtype=np.int64)
            values = np.zeros((0, len(self.content_hash.column_keys)))
            return RowPart(values, nothing.astype(np.int32), nothing, nothing)
        return self._parts[0]

    def _class_indices(self, classes: Sequence[Hashable]) -> Codes:
        known = {value: index for index, value in enumerate(self.classes)}
        indices = [known.setdefault(value, len(known)) for value in classes]
        self.classes = list(known)
        return np.array(indices, dtype=np.int32)

    def _class_hashes(self) -> Hashes:
        return text_hashes(self.classes)

    def _hash(self, values: Any) -> Hashes:
        return self.content_hash.of(values, self.categorical_columns)
