"""What one read of a table collects: exact figures of every column, class sizes, and a sample of the rows."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from scipy import sparse

from fewest.arrays import Codes, Floats, Hashes, Indices, Integers, Mask
from fewest.data.block import Block
from fewest.memory import CHUNK
from fewest.statistics.class_moments import ClassMoments
from fewest.statistics.row_contents import ContentHash, RowPart, join_parts, text_hashes

#: Distinct rows in the sample: at most, at least, and the number of values they may have together.
_MOST_ROWS, _FEWEST_ROWS, _MOST_VALUES = 8192, 512, 1 << 21
#: With a class of its own for each of this many rows, nothing more need be read.
_ROWS_OF_OWN_CLASS = 20_000
#: Rows that are looked at first for counters of rows: they rule out nearly every column.
_FIRST_ROWS = 8
#: Rounding of counters with decimals, in steps.
_TOLERANCE = 1e-6


class TableStatistic:
    """Figures of every column, class sizes, and a sample of the rows. Rows of weight zero are left out.

    Memory: the sample, of 512 to 8,192 rows, the fewer the more columns there are, and some numbers a column.
    Cost: one read of the rows, and a hash of every value where not all rows can be kept.

    content_hash : the hash of a row
    n_sampled_columns : the columns of the sample, where more are added to these later
    """

    is_columnwise = False
    takes_integers = True

    def __init__(self, content_hash: ContentHash, n_sampled_columns: int | None = None) -> None:
        n_columns = n_sampled_columns or len(content_hash.column_keys)
        size = int(np.clip(_MOST_VALUES // max(n_columns, 1), _FEWEST_ROWS, _MOST_ROWS))
        self._n_sampled_columns = n_sampled_columns
        self.class_counts: dict[Hashable, int] = {}
        self.figures = ColumnFigures(len(content_hash.column_keys))
        self.sample = RowSample(size, content_hash)

    @property
    def n_rows(self) -> int:
        return sum(self.class_counts.values())

    @property
    def has_only_classes_of_one(self) -> bool:
        """Whether every row so far, and there are many, is of a class of its own."""
        return len(self.class_counts) == self.n_rows >= _ROWS_OF_OWN_CLASS

    def empty(self) -> Self:
        return type(self)(self.sample.content_hash, self._n_sampled_columns)

    def update(self, block: Block) -> None:
        """Add the rows of a block."""
        if block.n_rows:
            if sparse.issparse(block.values):
                # What is stored of a row is little, however many columns there are.
                self.sample.size = _MOST_ROWS
            self._count(block.classes, np.bincount(block.codes, minlength=len(block.classes)).tolist())
            self.figures.update(block)
            self.sample.update(block)

    def merge(self, other: Self) -> None:
        self._count(list(other.class_counts), list(other.class_counts.values()))
        self.figures.merge(other.figures)
        self.sample.merge(other.sample)

    def join(self, parts: Sequence[Self]) -> Self:
        raise NotImplementedError("The sample is drawn by the values of all columns: is_columnwise is False.")

    def _count(self, classes: Sequence[Hashable], counts: Sequence[int]) -> None:
        for label, count in zip(classes, counts, strict=True):
            if count:
                self.class_counts[label] = self.class_counts.get(label, 0) + count


class ColumnFigures:
    """Range, mean, scatter, missing values and row counters of every column, exact over all rows.

    A statistic in which columns do not meet: groups of them are collected apart and joined.
    Memory: some numbers a column. Cost: one read of the rows.

    moments : ClassMoments of all rows as of one class
    counters : which columns are a linear function of the row number
    """

    is_columnwise = True
    takes_integers = True

    def __init__(self, n_columns: int) -> None:
        self.moments = ClassMoments(n_columns)
        self.counters = RowCounters(n_columns)

    def empty(self) -> Self:
        return type(self)(self.moments.n_features)

    def update(self, block: Block) -> None:
        for piece in block.in_floats(CHUNK):
            codes = np.zeros(piece.n_rows, dtype=np.int32)
            self.moments.update(replace(piece, codes=codes, classes=["all"], weights=None))
        self.counters.update(block)

    def merge(self, other: Self) -> None:
        self.moments.merge(other.moments)
        self.counters.merge(other.counters)

    def join(self, parts: Sequence[Self]) -> Self:
        joined = self.empty()
        joined.moments = parts[0].moments.join([part.moments for part in parts])
        joined.counters = parts[0].counters.join([part.counters for part in parts])
        return joined


class RowCounters:
    """Which columns are a linear function of the row number, over all rows added, in whatever order they come.

    Memory: a few numbers a column. Cost: some rows of every block, and all rows of the columns that are still linear.
    """

    def __init__(self, n_columns: int) -> None:
        self.n_rows = 0
        self.is_linear: Mask = np.ones(n_columns, dtype=bool)
        #: One row, the values there, and the difference from one row to the next; NaN where only one row is known.
        self._row = 0
        self._values: Floats = np.zeros(n_columns)
        self._steps: Floats = np.full(n_columns, np.nan)

    @property
    def steps(self) -> Floats:
        """The difference from one row to the next; NaN where a column does not count the rows."""
        return np.where(self.is_linear, self._steps, np.nan)

    def empty(self) -> Self:
        return type(self)(len(self.is_linear))

    def update(self, block: Block) -> None:
        """Add the rows of a block."""
        if block.n_rows == 0:
            return
        other = self.empty()
        other._fit(block)
        self.merge(other)

    def _fit(self, block: Block) -> None:
        numbers = block.all_row_numbers()
        self.n_rows, self._row = block.n_rows, int(numbers[0])
        columns = np.arange(len(self.is_linear))
        for n_rows in (min(_FIRST_ROWS, block.n_rows), block.n_rows):
            values = self._dense(block, slice(0, n_rows), columns)
            self._values[columns] = values[0]
            if n_rows > 1:
                passed = numbers[:n_rows] - numbers[0]
                steps = (values[-1] - values[0]) / passed[-1]
                self._steps[columns] = steps
                is_linear = (steps != 0) & _is_line(values, passed, steps)
                self.is_linear[columns[~is_linear]] = False
                columns = columns[is_linear]
        self.is_linear &= np.isfinite(self._values)

    def _dense(self, block: Block, rows: slice, columns: Indices) -> Floats:
        if not sparse.issparse(block.values):
            return np.asarray(block.values[rows][:, columns], dtype=np.float64)
        return np.asarray(block.values[rows][:, columns].toarray(), dtype=np.float64)

    def merge(self, other: Self) -> None:
        if other.n_rows == 0:
            return
        if self.n_rows == 0:
            self.n_rows, self._row = other.n_rows, other._row
            self.is_linear, self._values, self._steps = (
                other.is_linear.copy(),
                other._values.copy(),
                other._steps.copy(),
            )
            return
        self.n_rows += other.n_rows
        passed = other._row - self._row
        if passed == 0:
            self.is_linear[:] = False
            return
        between = (other._values - self._values) / passed
        near = _TOLERANCE * np.abs(between) + 1e-12 * np.maximum(np.abs(self._values), np.abs(other._values))
        self.is_linear &= other.is_linear & (between != 0)
        for steps in (self._steps, other._steps):
            self.is_linear &= np.isnan(steps) | (np.abs(steps - between) <= near)
        self._steps = between

    def join(self, others: list[Self]) -> Self:
        """Return the counters of all columns from those of consecutive groups of columns."""
        joined = type(self)(sum(len(one.is_linear) for one in others))
        joined.n_rows, joined._row = others[0].n_rows, others[0]._row
        joined.is_linear = np.concatenate([one.is_linear for one in others])
        joined._values = np.concatenate([one._values for one in others])
        joined._steps = np.concatenate([one._steps for one in others])
        return joined


def _is_line(values: Floats, passed: Indices, steps: Floats) -> Mask:
    """Whether each column rises by the same step with every row; a missing value makes it no line."""
    with np.errstate(invalid="ignore", over="ignore"):
        off = np.abs(values - (values[0] + passed[:, None] * steps)).max(axis=0)
        return np.asarray(off <= _TOLERANCE * np.abs(steps) + 1e-12 * np.abs(values).max(axis=0))


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
