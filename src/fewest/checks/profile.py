"""A table as the rules of the check see it, from one read of a source."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
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
    others: _OtherColumns | None = None
    most_rows = None if most_values is None else max(_FEWEST_ROWS_READ, most_values // max(source.n_features, 1))
    is_cut = most_rows is not None and source.n_rows is not None and source.n_rows > most_rows
    if is_cut and most_rows is not None:
        # Not a whole block more: the first rows of a wide file take long enough.
        source = source.first_rows(most_rows)
    try:
        read = _FirstColumns(source, names, is_text, range(width) if width < source.n_features else None, most_rows)
        if width < source.n_features:
            rest = source.only(range(width, source.n_features)).first_rows(read.end)
            others = rest.collect(_OtherColumns(rest, read.statistic.sample.row_numbers))
    except InfiniteValue as error:
        column = error.column if isinstance(error.column, str) else names[error.column]
        raise InfiniteValue(error.value, error.row, column) from None
    is_complete = read.is_complete and not is_cut
    found, sample = read.statistic, read.statistic.sample
    figures, values, present = found.figures, sample.values, read.present
    if others is not None:
        figures, present = figures.join([figures, others.figures]), present | others.present
        values = np.hstack([values, others.values])
    mean, deviation = figures.moments.mean_and_spread()
    is_known = figures.moments.lowest <= figures.moments.highest
    profile = Profile(
        names=names,
        is_text=is_text,
        categories={int(j): present[names[j]].of(names[j], source) for j in np.flatnonzero(is_text)},
        n_rows=found.n_rows,
        class_counts=found.class_counts,
        is_complete=is_complete,
        sample=SampledRows(values, sample.codes, sample.counts, sample.classes),
        is_sampled=not sample.is_all,
        lowest=np.where(is_known, figures.moments.lowest, np.nan),
        highest=np.where(is_known, figures.moments.highest, np.nan),
        mean=mean,
        variance=np.square(deviation),
        missing=figures.moments.missing,
        steps=figures.counters.steps,
        row_hashes=sample.hashes,
        are_rows_hashed_whole=others is None,
    )
    return profile, read.blocks if is_complete else None


class _FirstColumns:
    """All columns, or the first group of those that are read in groups: their contents draw the sample."""

    def __init__(
        self, source: Source, names: Sequence[str], is_text: Mask, group: range | None, most_rows: int | None
    ) -> None:
        columns = range(source.n_features) if group is None else group
        read = [names[j] for j in columns]
        content_hash = ContentHash(text_hashes(read), SourceCategories(source, read))
        self.statistic = TableStatistic(content_hash, source.n_features)
        self.is_complete = True
        #: The number of rows read, and that after the last of them.
        self.n_rows_read = self.end = 0
        # What is in memory can be read again at no cost; groups of columns cannot be kept as one block, and rows that
        # will not all be kept need not be in the meantime.
        are_many = (source.n_rows_about or 0) * source.n_features * 8 > 2 * STORED_ROWS_OF_STREAM
        self.blocks: list[Block] | None = None if source.is_in_memory or group is not None or are_many else []
        texts = np.flatnonzero(is_text[columns.start : columns.stop]).tolist()
        self.present = {names[columns[position]]: _PresentCategories(position) for position in texts}
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
                if block.n_rows:  # none where all rows were left out
                    self.end = block.row_number(block.n_rows - 1) + 1
                run(self._update, _counted(replace(block, categorical_columns=texts)))
                if self.statistic.has_only_classes_of_one:
                    break

    def _update(self, block: Block) -> None:
        self.statistic.update(block)
        for present in self.present.values():
            present.update(block)


class _OtherColumns:
    """The other columns, over the same rows, with the rows of the sample that the first columns drew.

    A statistic in which columns do not meet: groups of them are collected apart and joined.

    source : the rows that the first columns have, over the other columns
    rows : the numbers of the sampled rows, in the order of the sample
    """

    is_columnwise = True
    takes_integers = True

    def __init__(self, source: Source, rows: Indices) -> None:
        self._source, self._rows = source, rows
        self._order = np.argsort(rows)
        self._parts: list[NDArray[np.number]] = []
        self.figures = ColumnFigures(0)
        self.present: dict[str, _PresentCategories] = {}

    @property
    def values(self) -> Floats:
        """The rows of the sample."""
        in_order = np.concatenate(self._parts)
        values = np.empty(in_order.shape)
        values[self._order] = in_order
        return values

    def empty(self) -> Self:
        return type(self)(self._source, self._rows)

    def update(self, block: Block) -> None:
        if not self._parts:
            self.figures = ColumnFigures(block.values.shape[1])
            self.present = _present_categories(self._source, block)
        block = _counted(block)
        self.figures.update(block)
        for present in self.present.values():
            present.update(block)
        numbers, in_order = block.all_row_numbers(), self._rows[self._order]
        here = in_order[np.isin(in_order, numbers, assume_unique=True)]
        self._parts.append(block.values[np.searchsorted(numbers, here)])

    def merge(self, other: Self) -> None:
        raise NotImplementedError("Rows are added from the first to the last.")

    def join(self, parts: Sequence[Self]) -> Self:
        joined = self.empty()
        joined.figures = parts[0].figures.join([part.figures for part in parts])
        for part in parts:
            joined.present |= part.present
        joined._parts = [np.hstack([np.concatenate(part._parts) for part in parts])]
        return joined


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
    """Which categories of a column the rows read have: a source knows those of rows without a label or a weight too.

    position : that of the column in a block
    """

    def __init__(self, position: int) -> None:
        self._position = position
        self._is_present: Mask = np.zeros(0, dtype=bool)

    def update(self, block: Block) -> None:
        values = block.values[:, self._position]
        codes = values[~np.isnan(values)].astype(np.intp)
        if len(codes):
            is_present = np.zeros(max(len(self._is_present), int(codes.max()) + 1), dtype=bool)
            is_present[: len(self._is_present)] = self._is_present
            is_present[codes] = True
            self._is_present = is_present

    def of(self, name: str, source: Source) -> Sequence[Hashable]:
        """The categories of a column that the rows have."""
        known = source.categories_of(name) or ()
        if len(known) == len(self._is_present) and self._is_present.all():
            return known
        return [known[code] for code in np.flatnonzero(self._is_present).tolist()]


def _present_categories(source: Source, block: Block) -> dict[str, _PresentCategories]:
    """One for each column of text of a block, by name."""
    names = source.feature_names or ()
    columns = range(source.n_features) if block.columns is None else block.columns
    return {names[columns[position]]: _PresentCategories(position) for position in block.categorical_columns}
