"""A sample of the rows of every class, drawn by their own values in one read."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Self

import numpy as np
from scipy import sparse

from fewest.arrays import Codes, Floats, Hashes, Indices, Integers, Mask
from fewest.data.block import Block
from fewest.data.sparse_matrix import is_sparse
from fewest.memory import MIB
from fewest.statistics.class_moments import ClassMoments, WithMoments
from fewest.statistics.prepared_rows import bits_of, splitmix64
from fewest.statistics.row_contents import (
    CategoryHashes,
    ContentHash,
    RowPart,
    join_parts,
    text_hashes,
)

#: Distinct rows of a table of few columns that are kept at least: the more, the better copies are counted.
_KEPT_BYTES = 4 * MIB
#: Kept in addition, so that what is drawn is kept whatever the order of the rows: a share, and a number for each class.
_SPARE_SHARE, _SPARE_ROWS = 0.5, 32
#: A row whose copies should be drawn this often on average, or more often, is frequent: it is known by its count.
_FREQUENT = 1 / 16
#: The lines of the table of counts, its entries for each row of the sample, and the most entries of a line.
_LINES, _ENTRIES, _MOST_ENTRIES = 4, 64, 1 << 22
_NO_LIMIT = np.uint64(2**64 - 1)


class StratifiedRows(WithMoments):
    """A sample of a table of any length, of every class in proportion, and the moments of all rows.

    A hash of their values and a seed decides which rows, the same for any order, split into blocks and merges. Copies
    of a row are drawn in proportion to their number.

    Memory: about `size` rows, or 4 MiB of rows where that is more, twice while they are drawn, and 1 KiB for each row
    of the sample. Cost: one read, and a hash of every value.

    Parameters
    ----------
    size : int
        The number of rows drawn, two of every class at least.
    seed : int, default=0
        Another seed draws other rows.
    categories : callable or None, default=None
        Hashes of the categories of columns of text, whose codes depend on the order of the rows.
    moments : ClassMoments or None, default=None
        The moments of all rows, where they are known beforehand.

    Attributes
    ----------
    moments : ClassMoments
        The moments of all rows, drawn or not.
    values : array of shape (n_drawn, n_features)
        float64, missing values as NaN.
    codes, weights : arrays of shape (n_drawn,)
        The class of each row drawn, as an index into classes, and its weight.

    See Also
    --------
    Rows : All rows.

    Notes
    -----
    Of every class the distinct rows with the lowest hashes are kept, with the number of their copies. A row with so
    many copies that some of them should be in the sample may have a high hash; it is found by a table of counts (a
    count-min sketch, which depends on no order), kept as soon as it is frequent, and drawn by its count. The other rows
    are drawn from those with the lowest hashes, in proportion to their copies.

    Examples
    --------
    >>> from fewest import scan
    >>> from fewest.statistics import StratifiedRows
    >>> rows = scan("iris").collect(StratifiedRows(30))
    >>> rows.values.shape, rows.moments.n_rows
    ((30, 4), 150)
    """

    is_columnwise = False
    takes_integers = False

    def __init__(
        self, size: int, seed: int = 0, categories: CategoryHashes | None = None, moments: ClassMoments | None = None
    ) -> None:
        super().__init__(moments)
        # An integer of NumPy has no number of bits, and a larger one is no float.
        self.size = size = min(int(size), sys.maxsize)
        self.seed = seed
        self.categories = categories
        self.categorical_columns: Sequence[int] = ()
        self._counts = _ContentCounts(size)
        self._parts: list[RowPart] = []
        #: There is one part, of distinct rows.
        self._is_compressed = True
        #: Rows of each class with a higher hash have been left out, unless they are frequent.
        self._limits: Hashes = np.empty(0, dtype=np.uint64)
        self._drawn: RowPart | None = None

    @property
    def values(self) -> Floats:
        values = self._draw().values
        return np.asarray(values.toarray() if is_sparse(values) else values, dtype=np.float64)

    @property
    def codes(self) -> Codes:
        return self._draw().codes

    @property
    def weights(self) -> Floats:
        drawn = self._draw()
        return np.ones(len(drawn.codes)) if drawn.weights is None else drawn.weights

    @property
    def row_numbers(self) -> Indices:
        """Which row of the source each row drawn is; of copies, one of them."""
        return self._draw().row_numbers

    def block(self) -> Block:
        """Return the rows drawn, in an order that their contents decide."""
        drawn = self._draw()
        return Block(drawn.values, drawn.codes, self.classes, drawn.weights, is_all=True)

    def empty(self) -> Self:
        return type(self)(self.size, self.seed, self.categories)

    def update(self, block: Block) -> None:
        """Add the rows of a block; one error names the first infinite value."""
        self.moments.update(block)
        self.categorical_columns = block.categorical_columns
        content_hash = content_hash_of(self.n_features, self.categories)
        for piece in block.pieces(8 * MIB):
            values = piece.values.tocsr() if sparse.issparse(piece.values) else piece.values
            self.add_hashed(piece, content_hash.of(values, block.categorical_columns))

    def merge(self, other: Self) -> None:
        self.moments.merge(other.moments)
        self.categorical_columns = other.categorical_columns or self.categorical_columns
        self._counts.merge(other._counts)
        codes = self.class_indices(other.classes)
        limits = self._class_limits()
        limits[codes] = np.minimum(limits[codes], other._class_limits())
        for part in other._parts:
            self._keep(part.with_codes(codes[part.codes]))

    def add_hashed(self, block: Block, contents: Hashes) -> None:
        """Add rows whose contents are hashed, and whose moments are known.

        block : the rows, whose values are kept where they are drawn; contents : a hash of the values of each
        """
        values = block.values.tocsr() if sparse.issparse(block.values) else block.values
        codes = self.class_indices(block.classes)[block.codes]
        hashes = self._hash(contents, block.weights)
        identities = self._identities(hashes, codes)
        rows = np.arange(block.n_rows) if block.weights is None else np.flatnonzero(block.weights)
        self._counts.add(identities[rows])
        is_kept = hashes[rows] <= self._class_limits()[codes[rows]]
        is_kept |= self._counts.of(identities[rows]) >= self._least_count(0.5 * _FREQUENT)
        rows = rows[is_kept]
        _, firsts, counts = np.unique(identities[rows], return_index=True, return_counts=True)
        rows = rows[firsts]
        weights = None if block.weights is None else block.weights[rows]
        self._keep(RowPart(values[rows], codes[rows], counts, block.all_row_numbers()[rows], hashes[rows], weights))

    def _keep(self, part: RowPart) -> None:
        self._drawn = None
        self._is_compressed = False
        self._parts.append(part)
        n_kept = len(self._parts[0].codes)
        if sum(len(one.codes) for one in self._parts) > n_kept + max(n_kept, self._capacity) // 2:
            self._compress()

    def _compress(self) -> RowPart:
        """Make one part of all, of distinct rows, those left out that cannot be drawn any more."""
        if not self._parts:
            nothing = np.empty(0, dtype=np.int64)
            values, codes = np.empty((0, self.n_features)), nothing.astype(np.int32)
            return RowPart(values, codes, nothing, nothing, nothing.astype(np.uint64))
        if self._is_compressed:
            return self._parts[0]
        whole = join_parts(self._parts)
        assert whole.hashes is not None
        identities = self._identities(whole.hashes, whole.codes)
        identities, firsts, which = np.unique(identities, return_index=True, return_inverse=True)
        copies = np.bincount(which, whole.counts).astype(np.int64)
        counts, hashes, codes = self._counts.of(identities), whole.hashes[firsts], whole.codes[firsts]
        limits = self._class_limits()
        is_light = (counts < self._least_count(_FREQUENT)) & (hashes <= limits[codes])
        kept = np.minimum(self._of_classes(self._capacity) * (1 + _SPARE_SHARE) + _SPARE_ROWS, self.n_rows)
        is_low = np.zeros(len(hashes), dtype=bool)
        for c, rows in _by_class(hashes, codes, is_light):
            n_kept = int(kept[c])
            is_low[rows[:n_kept]] = True
            if len(rows) > n_kept:
                limits[c] = hashes[rows[n_kept - 1]]
        is_kept = is_low | (counts >= self._least_count(0.5 * _FREQUENT))
        rows = firsts[is_kept]
        self._parts = [replace(whole.take(rows), counts=copies[is_kept])]
        self._is_compressed = True
        return self._parts[0]

    def _draw(self) -> RowPart:
        """The rows drawn, those with lower hashes first."""
        if self._drawn is None:
            kept = self._compress()
            assert kept.hashes is not None
            counts = self._counts.of(self._identities(kept.hashes, kept.codes))
            is_frequent = counts >= self._least_count(_FREQUENT)
            n_of_class = np.array(self.moments.class_counts)
            n_drawn = n_of_class
            if self.size < self.n_rows:
                n_drawn = np.minimum(n_of_class, np.maximum(2, np.rint(self._of_classes(self.size)).astype(np.int64)))
            candidates = np.maximum(n_drawn, np.rint(self._of_classes(self._capacity)).astype(np.int64))
            times = np.zeros(len(kept.codes), dtype=np.int64)
            frequent = dict(_by_class(kept.hashes, kept.codes, is_frequent))
            # Of rows above the limit that were frequent for a while not all copies are counted.
            is_light = ~is_frequent & (kept.hashes <= self._class_limits()[kept.codes])
            light = dict(_by_class(kept.hashes, kept.codes, is_light))
            for c in {*frequent, *light}:
                rows, others = frequent.get(c, _NO_ROWS), light.get(c, _NO_ROWS)[: candidates[c]]
                n_frequent = min(int(counts[rows].sum()), int(n_of_class[c]))
                n_taken = round(n_drawn[c] * n_frequent / n_of_class[c])
                times[rows] = _times_drawn(counts[rows], n_taken, self.seed)
                times[others] = _times_drawn(kept.counts[others], int(n_drawn[c]) - n_taken, self.seed)
            order = np.lexsort((text_hashes(self.classes)[kept.codes], kept.hashes))
            self._drawn = kept.take(np.repeat(order, times[order]))
        return self._drawn

    @property
    def _capacity(self) -> int:
        """The number of distinct rows from which the sample is drawn."""
        return max(self.size, _KEPT_BYTES // (8 * max(self.n_features, 1)))

    def _of_classes(self, n_rows: int) -> Floats:
        """This number of rows, divided among the classes in proportion."""
        return n_rows * np.array(self.moments.class_counts) / max(self.n_rows, 1)

    def _least_count(self, times_drawn: float) -> int:
        """The number of copies from which on a row should be drawn this often; one alone is no copy."""
        return max(2, int(times_drawn * self.n_rows / self.size))

    def _class_limits(self) -> Hashes:
        n_new = len(self.classes) - len(self._limits)
        if n_new > 0:
            self._limits = np.concatenate([self._limits, np.full(n_new, _NO_LIMIT)])
        return self._limits

    def _hash(self, contents: Hashes, weights: Floats | None) -> Hashes:
        """A hash of the contents of each row, its weight and the seed."""
        if weights is not None:
            # Nothing is added for a weight of one, which is no weight.
            contents = contents + (bits_of(weights) - bits_of(np.ones(1)))
        return splitmix64(contents + _seed_hash(self.seed))

    def _identities(self, hashes: Hashes, codes: Codes) -> Hashes:
        """A hash of each row with the name of its class."""
        return splitmix64(hashes ^ text_hashes(self.classes)[codes])


def content_hash_of(n_columns: int, categories: CategoryHashes | None) -> ContentHash:
    """Return the hash by which samples are drawn: by the order of the columns, which not all sources have names for."""
    return ContentHash(splitmix64(np.arange(n_columns, dtype=np.uint64)), categories)


_NO_ROWS: Indices = np.empty(0, dtype=np.intp)


def _by_class(hashes: Hashes, codes: Codes, is_taken: Mask) -> list[tuple[int, Indices]]:
    """The rows taken of each class that has some, those with lower hashes first."""
    rows = np.flatnonzero(is_taken)
    rows = rows[np.lexsort((hashes[rows], codes[rows]))]
    present, starts = np.unique(codes[rows], return_index=True)
    return list(zip(present.tolist(), np.split(rows, starts[1:]), strict=True)) if len(rows) else []


def _times_drawn(counts: Integers, n_drawn: int, seed: int) -> Integers:
    """How often each row is drawn, if this number of all copies are drawn at random without replacement."""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    n_drawn = min(n_drawn, total)
    if total <= 4 * n_drawn:
        copies = np.argsort(_random_numbers(total, seed), kind="stable")[:n_drawn]
    else:
        # Less than a quarter is drawn: of twice as many numbers enough differ.
        drawn = _random_numbers(2 * n_drawn + 64, seed) % np.uint64(max(total, 1))
        distinct, firsts = np.unique(drawn.astype(np.intp), return_index=True)
        copies = distinct[np.argsort(firsts)[:n_drawn]]
    return np.bincount(np.searchsorted(ends, copies, side="right"), minlength=len(counts))


def _random_numbers(count: int, seed: int) -> Hashes:
    numbers: Hashes = np.arange(count, dtype=np.uint64) + _seed_hash(seed)
    return splitmix64(numbers)


def _seed_hash(seed: int) -> Hashes:
    return splitmix64(np.array([int(seed) % 2**64], dtype=np.uint64))


class _ContentCounts:
    """How often rows of the same contents came, or a little more: a count-min sketch.

    The same for any order of the rows, and merged by adding up.
    """

    def __init__(self, size: int) -> None:
        width = min(1 << (_ENTRIES * size - 1).bit_length(), _MOST_ENTRIES)
        self._lines = np.zeros((_LINES, width), dtype=np.uint32)
        self._n_rows = 0

    def add(self, identities: Hashes) -> None:
        self._n_rows += len(identities)
        for number, line in enumerate(self._lines):
            np.add.at(line, self._entries(identities, number), np.uint32(1))

    def merge(self, other: _ContentCounts) -> None:
        self._n_rows += other._n_rows
        self._lines += other._lines

    def of(self, identities: Hashes) -> Integers:
        """The number of rows of these contents, less what others add to an entry on average."""
        least: Integers = np.full(len(identities), np.iinfo(np.int64).max)
        for number, line in enumerate(self._lines):
            np.minimum(least, line[self._entries(identities, number)], out=least)
        return np.maximum(least - self._n_rows // self._lines.shape[1], 0)

    def _entries(self, identities: Hashes, number: int) -> Indices:
        mask = np.uint64(self._lines.shape[1] - 1)
        entries: Indices = (splitmix64(identities + np.uint64(number)) & mask).astype(np.intp)
        return entries
