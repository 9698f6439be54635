"""Sources: where rows come from, and how a statistic is collected from them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from fewest._core import release_freed_memory
from fewest.data.block import Block
from fewest.display.progress import reading_display
from fewest.errors import InfiniteValue, InvalidInput
from fewest.memory import CHUNK
from fewest.protocols import Questions, Statistic, StaysWithRows
from fewest.threads import run_in_parallel, thread_count

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

S = TypeVar("S", bound=Statistic)
T = TypeVar("T", bound=Statistic)


class Source(ABC):
    """Where rows come from. Reading it again gives the same rows in the same order."""

    #: The columns' names, or None where the data have none.
    feature_names: Sequence[str] | None
    n_features: int
    #: Names of the columns of text or categories: refused by a criterion that needs numbers, otherwise read as codes.
    text_columns: Sequence[str]
    #: What each feature holds: "number", "boolean", "category", or "date" or "other", which are refused.
    column_kinds: Sequence[str] = ()
    #: How the numbers are written of each column that holds them as text with marks or units.
    numbers_as_text: Mapping[str, str] = MappingProxyType({})
    #: The columns that were left out of the features unasked, each with what it holds, such as dates.
    left_out: Mapping[str, str] = MappingProxyType({})
    #: What else somebody should know about how the rows are read, a sentence each.
    notes: Sequence[str] = ()
    #: The number of columns that are best read at a time, by all readers together.
    columns_at_once: int
    #: The number of readers that may work in parallel, each on columns of its own.
    readers_at_once: int = 1
    #: All rows are held by the process already.
    is_in_memory: bool = False
    #: Rows stay with the workers of an engine: `collect` sends statistics there.
    is_distributed: bool = False
    #: The number of rows, where it is known before they are read; for the progress bar.
    n_rows: int | None = None
    #: About how many rows there are, where only that is known.
    n_rows_about: int | None = None
    #: The names of the columns known to carry the class, where the data know them: those of a generated data set.
    true_columns: Sequence[str] = ()
    #: Arrays of one value a row that are no features, by name: what else a file of arrays holds.
    row_arrays: Mapping[str, NDArray[np.generic]] = MappingProxyType({})

    @abstractmethod
    def blocks(self, columns: Sequence[int] | None = None) -> Iterator[Block]:
        """All rows, a block at a time, over the given columns (all by default)."""

    def group_blocks(self, groups: Sequence[Sequence[int] | None]) -> Iterator[tuple[int, Block]]:
        """All rows over each group of columns, with the group's number; the rows of one group come in order."""
        for g, columns in enumerate(groups):
            for block in self.blocks(columns):
                yield g, block

    def only(self, columns: Sequence[int]) -> Source:
        """The same rows with these columns alone."""
        return _OnlyColumns(self, columns)

    @contextmanager
    def reporting(self, report: Callable[[str, int, int], None]) -> Iterator[None]:
        """Call report with what is counted, the number done and that of all, while an engine works."""
        yield

    def first_rows(self, n_rows: int) -> Source:
        """The first n_rows rows."""
        return _FirstRows(self, n_rows)

    def with_text_as_codes(self) -> Source:
        """The same rows, with text as codes 0, 1, ... by first appearance, the same in every pass; NaN is missing."""
        if not self.text_columns:
            return self
        raise InvalidInput(
            f"Column {self.text_columns[0]!r} holds text, which {type(self).__name__} cannot read as categories. "
            "Encode it as numbers, or read it from a frame, CSV, Parquet or Arrow file."
        )

    @property
    def unusable_columns(self) -> Mapping[str, str]:
        """What each column holds that is known, before it is read, to hold neither numbers nor categories, by name."""
        return {}

    def categories_of(self, name: str) -> Sequence[Hashable] | None:
        """What the codes of a column of text stand for, as far as it has been read; None for a column of numbers."""
        return None

    def collect(self, statistic: S, *, is_part: bool = False) -> S:
        """The statistic of all rows, from one read; is_part where rows of other sources will be added to it."""
        if not statistic.is_columnwise or self.columns_at_once >= self.n_features:
            return self._collect_groups(statistic, [None], is_part)[0]
        n_readers = max(1, min(thread_count(), self.readers_at_once))
        width = max(1, self.columns_at_once // n_readers)
        groups = [range(start, min(start + width, self.n_features)) for start in range(0, self.n_features, width)]
        shares = [groups[reader::n_readers] for reader in range(min(n_readers, len(groups)))]
        parts = run_in_parallel([partial(self._collect_groups, statistic, share, is_part) for share in shares])
        collected = statistic.join([parts[g % n_readers][g // n_readers] for g in range(len(groups))])
        del parts
        release_freed_memory()
        return collected

    def collect_twice(self, first: S, second: Callable[[S], T]) -> T:
        """What second makes of the statistic of one read, collected in another."""
        return self.collect(second(self.collect(first)))

    def _categorical_columns(self, columns: Sequence[int] | None) -> Sequence[int]:
        """The positions among these columns of those that hold codes of text."""
        if not self.text_columns or self.feature_names is None:
            return ()
        texts = set(self.text_columns)
        read = range(self.n_features) if columns is None else columns
        return [position for position, column in enumerate(read) if self.feature_names[column] in texts]

    def _collect_groups(self, statistic: S, groups: Sequence[Sequence[int] | None], is_part: bool) -> list[S]:
        collected = [statistic.empty() for _ in groups]
        try:
            for g, block in self.group_blocks(groups):
                is_all = block.is_all and not is_part
                block = replace(block, is_all=is_all, categorical_columns=self._categorical_columns(groups[g]))
                for piece in [block] if statistic.takes_integers else block.in_floats(CHUNK):
                    collected[g].update(piece)
        except InfiniteValue as error:
            if self.feature_names is None or isinstance(error.column, str):
                raise
            raise InfiniteValue(error.value, error.row, self.feature_names[error.column]) from None
        return collected


class _DerivedSource(Source):
    """Another source, described as it is."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.feature_names = source.feature_names
        self.n_features = source.n_features
        self.text_columns = source.text_columns
        self.columns_at_once = source.columns_at_once
        self.readers_at_once = source.readers_at_once
        self.n_rows, self.n_rows_about = source.n_rows, source.n_rows_about
        self.is_in_memory = source.is_in_memory
        self.is_distributed = source.is_distributed
        self.row_arrays = source.row_arrays
        self.column_kinds = source.column_kinds
        self.numbers_as_text = source.numbers_as_text
        self.left_out = source.left_out
        self.notes = source.notes
        self.true_columns = source.true_columns

    @property
    def unusable_columns(self) -> Mapping[str, str]:
        return {name: what for name, what in self.source.unusable_columns.items() if name in set(self.text_columns)}

    def categories_of(self, name: str) -> Sequence[Hashable] | None:
        return self.source.categories_of(name)

    def blocks(self, columns: Sequence[int] | None = None) -> Iterator[Block]:
        return (block for _, block in self.group_blocks([columns]))

    def collect(self, statistic: S, *, is_part: bool = False) -> S:
        if not self.is_distributed:
            return super().collect(statistic, is_part=is_part)
        mapped = self.source.collect(MappedStatistic(statistic, self._block_map()), is_part=is_part)
        return mapped.statistic

    def _block_map(self) -> Callable[[Block], Block]:
        """What makes a block of this source from one of the other with all of its columns; it travels by pickle."""
        raise NotImplementedError(f"{type(self).__name__} holds rows of its own.")


class MappedStatistic(Generic[S]):
    """A statistic of blocks that are made from those of another source, where its rows are."""

    is_columnwise = False

    def __init__(self, statistic: S, block_map: Callable[[Block], Block]) -> None:
        self.statistic, self._map = statistic, block_map
        self.takes_integers = statistic.takes_integers

    @property
    def stays_with_rows(self) -> bool:
        return isinstance(self.statistic, StaysWithRows) and self.statistic.stays_with_rows

    def empty(self) -> Self:
        return type(self)(self.statistic.empty(), self._map)

    def update(self, block: Block) -> None:
        self.statistic.update(self._map(block))

    def merge(self, other: Self) -> None:
        self.statistic.merge(other.statistic)

    def join(self, parts: Sequence[Self]) -> Self:
        raise NotImplementedError("Blocks have all columns: is_columnwise is False.")

    def for_partition(self) -> MappedStatistic[Statistic]:
        assert isinstance(self.statistic, StaysWithRows)
        return MappedStatistic(self.statistic.for_partition(), self._map)

    def over(self, parts: Questions) -> Self:
        assert isinstance(self.statistic, StaysWithRows)
        return type(self)(self.statistic.over(parts.of(attrgetter("statistic"))), self._map)


class _OnlyColumns(_DerivedSource):
    """Another source with some of its columns."""

    def __init__(self, source: Source, columns: Sequence[int]) -> None:
        super().__init__(source)
        self.columns = columns
        self.n_features = len(columns)
        self.column_kinds = [source.column_kinds[c] for c in columns] if source.column_kinds else ()
        if source.feature_names is not None:
            names = self.feature_names = [source.feature_names[c] for c in columns]
            chosen = set(names)
            self.true_columns = [name for name in source.true_columns if name in chosen]
            self.text_columns = [name for name in source.text_columns if name in chosen]
            self.numbers_as_text = {name: how for name, how in source.numbers_as_text.items() if name in chosen}

    def first_rows(self, n_rows: int) -> Source:
        return _OnlyColumns(self.source.first_rows(n_rows), self.columns)

    def with_text_as_codes(self) -> Source:
        return _OnlyColumns(self.source.with_text_as_codes(), self.columns) if self.text_columns else self

    def group_blocks(self, groups: Sequence[Sequence[int] | None]) -> Iterator[tuple[int, Block]]:
        read = [self.columns if group is None else [self.columns[c] for c in group] for group in groups]
        for g, block in self.source.group_blocks(read):
            yield g, replace(block, columns=groups[g])


class _FirstRows(_DerivedSource):
    """The first rows of another source."""

    def __init__(self, source: Source, n_rows: int) -> None:
        super().__init__(source)
        self._n_first = n_rows
        self.n_rows = None if source.n_rows is None else min(n_rows, source.n_rows)

    def with_text_as_codes(self) -> Source:
        return _FirstRows(self.source.with_text_as_codes(), self._n_first) if self.text_columns else self

    def group_blocks(self, groups: Sequence[Sequence[int] | None]) -> Iterator[tuple[int, Block]]:
        for g, columns in enumerate(groups):
            for block in self.source.blocks(columns):
                numbers = block.all_row_numbers()
                if numbers[0] < self._n_first:
                    yield (
                        g,
                        block if numbers[-1] < self._n_first else block.take(np.flatnonzero(numbers < self._n_first)),
                    )
                if numbers[-1] + 1 >= self._n_first:
                    break


class StoredSource(_DerivedSource):
    """Another source, with text as codes, whose blocks have been read already and are held in memory."""

    def __init__(self, source: Source, blocks: Sequence[Block]) -> None:
        super().__init__(source)
        self.is_distributed = False
        self._blocks = blocks

    def with_text_as_codes(self) -> Source:
        return self

    def group_blocks(self, groups: Sequence[Sequence[int] | None]) -> Iterator[tuple[int, Block]]:
        for g, columns in enumerate(groups):
            for block in self._blocks:
                values = block.values if columns is None else block.values[:, np.asarray(columns, dtype=np.intp)]
                yield g, replace(block, values=values, columns=columns)


class ProgressSource(_DerivedSource):
    """Another source, with every value that is read counted on a progress bar."""

    def __init__(self, source: Source, progress: Progress, description: str = "reading") -> None:
        super().__init__(source)
        self.progress = progress
        self.description = description
        self._task: TaskID | None = None
        self._n_values_read = 0

    def only(self, columns: Sequence[int]) -> Source:
        return ProgressSource(self.source.only(columns), self.progress, "reading chosen columns")

    def with_text_as_codes(self) -> Source:
        if not self.text_columns:
            return self
        return ProgressSource(self.source.with_text_as_codes(), self.progress, self.description)

    def group_blocks(self, groups: Sequence[Sequence[int] | None]) -> Iterator[tuple[int, Block]]:
        for g, block in self.source.group_blocks(groups):
            yield g, block
            if self._task is not None:
                n_values = block.n_rows * int(block.values.shape[1])
                self._n_values_read += n_values
                n_rows = self._n_values_read // max(self.n_features, 1)
                self.progress.update(self._task, advance=n_values, shown=f"{n_rows:,} rows")

    def collect(self, statistic: S, *, is_part: bool = False) -> S:
        if self.is_distributed:
            # Partitions are counted, not values.
            return self.source.collect(statistic, is_part=is_part)
        self._n_values_read = 0
        total = None if self.n_rows is None else self.n_rows * self.n_features
        self._task = self.progress.add_task(self.description, total=total, shown="")
        collected = super().collect(statistic, is_part=is_part)
        self.progress.remove_task(self._task)
        self._task = None
        return collected

    def report(self, what: str, n_done: int, n_all: int) -> None:
        """Show how many partitions an engine has done, in a pass or in a round of questions."""
        if self._task is None:
            self._task = self.progress.add_task("", shown="")
        shown = f"{n_done:,} of {n_all:,} {what}"
        self.progress.update(self._task, description=self.description, completed=n_done, total=n_all, shown=shown)


@contextmanager
def with_progress(source: Source, is_shown: bool) -> Iterator[Source]:
    """The source, with a progress bar on standard error while it is read, if asked for."""
    if not is_shown:
        yield source
        return
    with reading_display() as progress:
        shown = ProgressSource(source, progress)
        with source.reporting(shown.report):
            yield shown
