"""What one read of a table collects: exact figures of every column, class sizes, and a sample of the rows."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Self

import numpy as np
from scipy import sparse

from fewest.checks.row_counters import RowCounters
from fewest.checks.row_sample import RowSample
from fewest.data.block import Block
from fewest.memory import CHUNK
from fewest.statistics.class_moments import ClassMoments
from fewest.statistics.row_contents import ContentHash

#: Distinct rows in the sample: at most, at least, and the number of values they may have together.
_MOST_ROWS, _FEWEST_ROWS, _MOST_VALUES = 8192, 512, 1 << 21
#: With a class of its own for each of this many rows, nothing more need be read.
_ROWS_OF_OWN_CLASS = 20_000


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
