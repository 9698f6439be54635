"""A table as the rules of the check see it, from one read of a source."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from fewest.arrays import Codes, Floats, Hashes, Indices, Integers, Mask
from fewest.checks.table_statistic import ColumnFigures, TableStatistic
from fewest.data.block import Block
from fewest.data.source import Source
from fewest.errors import InfiniteValue
from fewest.memory import STORED_ROWS_OF_STREAM
from fewest.statistics.row_contents import ContentHash, SourceCategories, text_hashes
from fewest.threads import thread_count

#: However many columns there are, this many rows are read.
_FEWEST_ROWS_READ = 4096
#: Values of some columns that are made dense at a time, and rows of the screen.
_CHUNK_VALUES, _SCREEN_ROWS = 1 << 20, 512


@dataclass(frozen=True)
class SampledRows:
    """Rows of the table, all or some, over all columns.

    values : dense or CSR; NaN where a value is missing
    codes : the class of each row, as an index into classes
    counts : the number of copies of each row
    """

    values: Any
    codes: Codes
    counts: Integers
    classes: Sequence[Hashable]

    @property
    def is_sparse(self) -> bool:
        return bool(sparse.issparse(self.values))

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def n_rows(self) -> int:
        """The number of rows, copies counted each."""
        return int(self.counts.sum())

    @cached_property
    def class_counts(self) -> Integers:
        """The number of rows of each class, copies counted each."""
        return np.bincount(self.codes, self.counts, len(self.classes)).astype(np.int64)

    def dense(self, columns: Indices) -> Floats:
        """Some columns as float64 in Fortran order."""
        chosen = self._by_column[:, columns].toarray() if self.is_sparse else self.values[:, columns]
        return np.asarray(chosen, dtype=np.float64, order="F")

    @cached_property
    def _by_column(self) -> sparse.csc_array:
        return self.values.tocsc()

    def column(self, column: int) -> Floats:
        """The values of one column."""
        if not self.is_sparse:
            return np.asarray(self.values[:, column], dtype=np.float64)
        stored = slice(*self._by_column.indptr[column : column + 2])
        values = np.zeros(len(self))
        values[self._by_column.indices[stored]] = self._by_column.data[stored]
        return values

    def take(self, rows: Indices) -> SampledRows:
        """Some of the rows."""
        return SampledRows(self.values[rows], self.codes[rows], self.counts[rows], self.classes)

    def column_chunks(self, columns: Indices) -> Iterator[tuple[Indices, Floats]]:
        """Some columns, a few at a time, each chunk as float64."""
        step = max(1, _CHUNK_VALUES // max(len(self), 1))
        for first in range(0, len(columns), step):
            yield columns[first : first + step], self.dense(columns[first : first + step])


@dataclass(frozen=True)
class Profile:
    """What is known of a table.

    names : the columns' names
    is_text : which columns hold codes of text or categories
    categories : the categories of columns of text that the rows read have, by index
    n_rows, class_counts : the rows that were read, and those of each class
    is_complete : whether these are all rows of the table
    sample : all rows read, or some
    is_sampled : whether the sample lacks rows
    lowest, highest, mean, variance : over all rows read; NaN where nothing was observed
    missing : the number of missing values
    steps : by how much a column grows with each row; NaN where it does not do so evenly
    row_hashes : a hash of each sampled row, in any order of rows the same
    are_rows_hashed_whole : whether the hash is one of all columns
    """

    names: Sequence[str]
    is_text: Mask
    categories: Mapping[int, Sequence[Hashable]]
    n_rows: int
    class_counts: Mapping[Hashable, int]
    is_complete: bool
    sample: SampledRows
    is_sampled: bool
    lowest: Floats
    highest: Floats
    mean: Floats
    variance: Floats
    missing: Integers
    steps: Floats
    row_hashes: Hashes
    are_rows_hashed_whole: bool

    @property
    def n_columns(self) -> int:
        return len(self.names)

    def only(self, columns: Sequence[int]) -> Profile:
        """The profile of these columns alone."""
        if len(columns) == self.n_columns:
            return self
        at = np.asarray(columns, dtype=np.intp)
        arrays = ("is_text", "lowest", "highest", "mean", "variance", "missing", "steps")
        return replace(
            self,
            names=[self.names[column] for column in columns],
            categories={new: self.categories[old] for new, old in enumerate(columns) if old in self.categories},
            sample=replace(self.sample, values=self.sample.values[:, at]),
            **{name: getattr(self, name)[at] for name in arrays},
        )

    @cached_property
    def n_known(self) -> Integers:
        """The number of values of each column that are not missing."""
        return self.n_rows - self.missing

    @cached_property
    def is_constant(self) -> Mask:
        """Which columns hold one value in all rows, or none at all."""
        return np.asarray((self.n_known == 0) | ((self.missing == 0) & (self.lowest == self.highest)))

    @cached_property
    def screen(self) -> SampledRows:
        """A few rows of every class: what fails in them need not be tried in all."""
        return self.screen_of(64)

    def screen_of(self, per_class: int) -> SampledRows:
        """This number of rows of every class, or fewer where there are many, the same in any order of the rows."""
        per_class = max(4, min(per_class, _SCREEN_ROWS // max(len(self.sample.classes), 1)))
        codes = self.sample.codes[self._order]
        by_class = np.argsort(codes, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=len(self.sample.classes)))])
        rank = np.arange(len(codes)) - starts[codes[by_class]]
        return self.sample.take(np.sort(self._order[by_class[rank < per_class]]))

    @cached_property
    def _order(self) -> Indices:
        return np.argsort(self.row_hashes, kind="stable")

    @property
    def scope(self) -> str:
        """Words that say what a finding rests on, where that is not every row."""
        if not self.is_complete:
            return f" (in the first {self.n_rows:,} rows)"
        return f" (in a sample of {self.sample.n_rows:,} rows)" if self.is_sampled else ""


def read_profile(source: Source, *, most_values: int | None = None) -> tuple[Profile, list[Block] | None]:
    """Read a source once and describe what it holds; also the blocks, where they are few enough to be kept.

    source : with text as codes
    most_values : where there are more values, only the first rows are read
    """
    names = list(source.feature_names or [f"x{column}" for column in range(source.n_features)])
    texts = set(source.text_columns)
    is_text = np.array([name in texts for name in names], dtype=bool)
    width = max(1, min(source.columns_at_once, source.n_features))
    groups = [range(first, min(first + width, source.n_features)) for first in range(0, source.n_features, width)]
    most_rows = None if most_values is None else max(_FEWEST_ROWS_READ, most_values // max(source.n_features, 1))
    try:
        read = _FirstColumns(source, names, is_text, groups[0] if len(groups) > 1 else None, most_rows)
        others = [_OtherColumns(source, names, is_text, group, read) for group in groups[1:]]
    except InfiniteValue as error:
        column = error.column if isinstance(error.column, str) else names[error.column]
        raise InfiniteValue(error.value, error.row, column) from None
    found, sample = read.statistic, read.statistic.sample
    figures = found.figures.join([found.figures, *(other.figures for other in others)]) if others else found.figures
    values = np.hstack([sample.values, *(other.values() for other in others)]) if others else sample.values
    mean, deviation = figures.moments.mean_and_spread()
    is_known = figures.moments.lowest <= figures.moments.highest
    profile = Profile(
        names=names,
        is_text=is_text,
        categories={
            int(j): (read if j < len(read.columns) else others[j // width - 1]).present.of(names[j], source)
            for j in np.flatnonzero(is_text)
        },
        n_rows=found.n_rows,
        class_counts=found.class_counts,
        is_complete=read.is_complete,
        sample=SampledRows(values, sample.codes, sample.counts, sample.classes),
        is_sampled=not sample.is_all,
        lowest=np.where(is_known, figures.moments.lowest, np.nan),
        highest=np.where(is_known, figures.moments.highest, np.nan),
        mean=mean,
        variance=np.square(deviation),
        missing=figures.moments.missing,
        steps=figures.counters.steps,
        row_hashes=sample.hashes,
        are_rows_hashed_whole=not others,
    )
    return profile, read.blocks if read.is_complete else None


class _FirstColumns:
    """All columns, or the first group of those that are read in groups: their contents draw the sample."""

    def __init__(
        self, source: Source, names: Sequence[str], is_text: Mask, group: range | None, most_rows: int | None
    ) -> None:
        self.columns = columns = range(source.n_features) if group is None else group
        read = [names[j] for j in columns]
        self.statistic = TableStatistic(ContentHash(text_hashes(read), SourceCategories(source, read)))
        self.is_complete = True
        self.n_rows_read = 0
        # What is in memory can be read again at no cost; groups of columns cannot be kept as one block.
        self.blocks: list[Block] | None = None if source.is_in_memory or group is not None else []
        texts = np.flatnonzero(is_text[columns.start : columns.stop]).tolist()
        self.present = _PresentCategories({j: names[columns[j]] for j in texts})
        n_bytes = 0
        with _beside_reading(source) as run:
            for block in source.blocks(group):
                if most_rows is not None and self.n_rows_read >= most_rows:
                    self.is_complete = False
                    break
                if self.blocks is not None:
                    n_bytes += block.values.nbytes
                    self.blocks.append(block)
                    self.blocks = self.blocks if n_bytes <= STORED_ROWS_OF_STREAM else None
                self.n_rows_read += block.n_rows
                run(self._update, _counted(replace(block, categorical_columns=texts)))
                if self.statistic.has_only_classes_of_one:
                    break

    def _update(self, block: Block) -> None:
        self.statistic.update(block)
        self.present.update(block)


class _OtherColumns:
    """Another group of columns, over the rows of the sample that the first columns drew."""

    def __init__(self, source: Source, names: Sequence[str], is_text: Mask, group: range, first: _FirstColumns) -> None:
        self.figures = ColumnFigures(len(group))
        self.present = _PresentCategories({j: names[column] for j, column in enumerate(group) if is_text[column]})
        self._rows: Indices = first.statistic.sample.row_numbers
        self._order = np.argsort(self._rows)
        in_order = self._rows[self._order]
        self._parts = []
        n_rows_read = 0
        with _beside_reading(source) as run:
            for block in source.blocks(group):
                if n_rows_read >= first.n_rows_read:
                    break
                # The cuts between blocks may be others than those of the first columns.
                if block.n_rows > first.n_rows_read - n_rows_read:
                    block = block.take(np.arange(first.n_rows_read - n_rows_read))
                n_rows_read += block.n_rows
                block = _counted(block)
                if block.n_rows:
                    run(self._update, block)
                    numbers = block.all_row_numbers()
                    here = in_order[np.searchsorted(in_order, numbers[0]) : np.searchsorted(in_order, numbers[-1] + 1)]
                    self._parts.append(block.values[np.searchsorted(numbers, here)])

    def _update(self, block: Block) -> None:
        self.figures.update(block)
        self.present.update(block)

    def values(self) -> Floats:
        """The rows of the sample."""
        in_order = np.concatenate(self._parts)
        values = np.empty(in_order.shape)
        values[self._order] = in_order
        return values


@contextmanager
def _beside_reading(source: Source) -> Iterator[Callable[[Callable[[Block], None], Block], None]]:
    """A function that updates a statistic by a block while the next one is read, on another thread where there is one.

    The blocks are added one after the other, in order.
    """
    if source.is_in_memory or thread_count() < 2:
        yield lambda update, block: update(block)
        return
    with ThreadPoolExecutor(1) as thread:
        running: list[Future[None]] = []

        def run(update: Callable[[Block], None], block: Block) -> None:
            # One block at a time, so that no more than two are in memory.
            if running:
                running.pop().result()
            running.append(thread.submit(update, block))

        yield run
        if running:
            running.pop().result()


def _counted(block: Block) -> Block:
    """The rows of a block that have a weight."""
    if block.weights is None or block.weights.all():
        return block
    return block.take(np.flatnonzero(block.weights))


class _PresentCategories:
    """Which categories the rows read have: a source knows those of rows without a label or a weight too.

    names : the names of the columns of text, by their position in a block
    """

    def __init__(self, names: Mapping[int, str]) -> None:
        self._position = {name: position for position, name in names.items()}
        self._is_present: dict[int, Mask] = {position: np.zeros(0, dtype=bool) for position in names}

    def update(self, block: Block) -> None:
        for position, known in self._is_present.items():
            values = block.values[:, position]
            codes = values[~np.isnan(values)].astype(np.intp)
            if len(codes):
                is_present = np.zeros(max(len(known), int(codes.max()) + 1), dtype=bool)
                is_present[: len(known)] = known
                is_present[codes] = True
                self._is_present[position] = is_present

    def of(self, name: str, source: Source) -> Sequence[Hashable]:
        """The categories of a column that the rows have."""
        known = source.categories_of(name) or ()
        is_present = self._is_present[self._position[name]]
        if len(known) == len(is_present) and is_present.all():
            return known
        return [known[code] for code in np.flatnonzero(is_present).tolist()]
