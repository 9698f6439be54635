"""A table in partitions that an engine holds: statistics travel, rows stay where they are."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self, TypeVar
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from fewest.arrays import Integers
from fewest.data.block import Block
from fewest.data.categories import ColumnCategories, TextSource
from fewest.data.column_choice import ReadingRequest
from fewest.data.column_kinds import CATEGORY, EMPTY, NUMBER, ColumnReading
from fewest.data.engines.engine import Engine, Task
from fewest.data.files.arrow_batch import TEXT, float_type, kind_of, read_batch
from fewest.data.files.arrow_kinds import TextSample, find_readings
from fewest.data.files.table_file import ColumnRoles, TableFile, assign_roles
from fewest.data.frame import check_names
from fewest.data.source import Source
from fewest.errors import InvalidInput
from fewest.protocols import Statistic, StaysWithRows

if TYPE_CHECKING:
    import pyarrow as pa

S = TypeVar("S", bound=Statistic)

#: Rows of a partition that are read at a time.
ROWS_AT_ONCE = 16_384
_ROWS_OF_SAMPLE, _PARTITIONS_OF_SAMPLE = 4096, 8
#: Odd, so that a product with it loses nothing.
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class PartitionReader:
    """How a partition is read on a worker: all that is known of the table but its rows.

    classes, categories : the labels, and the values of each column of text, in the order of their codes; None before
        they are known
    checked : columns of numbers of which every pass that reads them makes a checksum
    first_rows, n_rows, checksums : of each partition, as the first read of the table found them
    """

    where: str
    roles: ColumnRoles
    readings: Mapping[str, ColumnReading]
    drop_unlabelled: bool
    is_float32: bool
    classes: Sequence[Hashable] | None = None
    categories: Mapping[str, Sequence[Hashable]] = field(default_factory=dict)
    checked: Sequence[str] = ()
    first_rows: Integers | None = None
    n_rows: Integers | None = None
    checksums: Sequence[int] = ()

    def open(self, index: int, batches: Iterable[pa.RecordBatch]) -> Partition:
        return Partition(self, index, batches)

    def only(self, features: list[str]) -> PartitionReader:
        return replace(self, roles=replace(self.roles, features=features))

    @property
    def columns(self) -> list[str]:
        """The columns that are read: every name once."""
        return list(dict.fromkeys(self.roles.read_with(self.roles.features)))


class Partition(TableFile):
    """The rows of one partition, on a worker."""

    def __init__(self, reader: PartitionReader, index: int, batches: Iterable[pa.RecordBatch]) -> None:
        super().__init__(reader.where, reader.roles, reader.readings, reader.drop_unlabelled)
        self._index, self._batches = index, batches
        self._known_schema: pa.Schema | None = None
        self._reader = reader
        self._dtype: np.dtype[np.floating] = np.dtype(np.float32 if reader.is_float32 else np.float64)
        self.first_row = 0 if reader.first_rows is None else int(reader.first_rows[index])
        self.n_rows_read = 0
        names = [name for name in self.text_columns if self._readings[name].kind == CATEGORY]
        self._categories = known_categories(names, reader.categories, self._of_where)
        if reader.classes is not None:
            self._labels.encode(_as_objects(reader.classes))
        features = self.roles.features
        self._checked = [features.index(name) for name in reader.checked if name in features]
        self.checksum = 0

    def group_blocks(self, groups: Sequence[Sequence[int] | None]) -> Iterator[tuple[int, Block]]:
        # All columns at once: the rows of a partition are there already.
        assert list(groups) == [None]
        self._refuse_text(self.roles.features)
        for g, block in self._read_groups([self.roles.features]):
            if block.n_rows:
                yield g, block

    def _read_groups(self, names: Sequence[list[str]]) -> Iterator[tuple[int, Block]]:
        for batch in self._batches:
            self._check_columns(batch)
            first_row = self.first_row + self.n_rows_read
            block = read_batch(
                batch, names[0], self.roles, self._labels, first_row, self._dtype, self._categories, self._formats,
                self.where,
            )  # fmt: skip
            self.n_rows_read += batch.num_rows
            if len(self._checked) == len(self._reader.checked):
                self.checksum = (self.checksum + _checksum(block, self._checked)) % 2**64
            yield 0, block
        self._check_rows()

    def _check_columns(self, batch: pa.RecordBatch) -> None:
        """Raise where a column is absent, or of another kind than in the partitions that were looked at."""
        if self._known_schema is not None and batch.schema.equals(self._known_schema):
            return
        present = dict(zip(batch.schema.names, batch.schema.types, strict=True))
        for name in self.roles.read_with(self.roles.features):
            if name not in present:
                raise InvalidInput(f"it lacks the column {name!r}, which others have. Give all the same columns.")
            if name == self.roles.target:
                continue
            kind = kind_of(present[name])
            reading = self._reader.readings.get(name)
            takes_text = reading is not None and (reading.kind == CATEGORY or reading.format is not None)
            if kind != EMPTY and kind != (TEXT if takes_text else NUMBER):
                expected = "text or categories" if takes_text else "numbers"
                raise InvalidInput(
                    f"column {name!r} is of type {present[name]}, and holds {expected} in others. Give it one type."
                )
        self._known_schema = batch.schema

    def _check_rows(self) -> None:
        """Raise where the rows are not those that the first read found."""
        reader = self._reader
        if reader.n_rows is None:
            return
        n_classes = 0 if reader.classes is None else len(reader.classes)
        categories = self._categories
        has_new = categories is not None and any(
            len(categories.values(name)) > len(known) for name, known in reader.categories.items() if name in categories
        )
        is_checked = len(self._checked) == len(reader.checked)
        if (
            self.n_rows_read != reader.n_rows[self._index]
            or len(self._labels.values) > n_classes
            or has_new
            or (is_checked and self.checksum != reader.checksums[self._index])
        ):
            raise InvalidInput(
                "its rows have changed since they were first read. Write the table, or persist it, and read that."
            )


class TableFacts:
    """What the first read of a table finds: rows, labels and categories, in the order of the partitions.

    n_rows, checksums : of each partition
    """

    def __init__(self) -> None:
        self.n_rows: list[int] = []
        self.checksums: list[int] = []
        self.classes: dict[Hashable, None] = {}
        self.categories: dict[str, dict[Hashable, None]] = {}

    def empty(self) -> TableFacts:
        return TableFacts()

    def merge(self, other: TableFacts) -> None:
        self.n_rows += other.n_rows
        self.checksums += other.checksums
        self.classes |= other.classes
        for name, values in other.categories.items():
            self.categories.setdefault(name, {}).update(values)


@dataclass(frozen=True)
class _ReaderTask(Task):
    """A task on the rows of a partition as a reader opens them."""

    reader: PartitionReader

    @property
    def columns(self) -> list[str]:  # type: ignore[override]
        return self.reader.columns


@dataclass(frozen=True)
class FindFacts(_ReaderTask):
    """Read the labels, the weights and the columns of text."""

    def run(self, index: int, batches: Iterable[pa.RecordBatch]) -> TableFacts:
        rows = self.reader.open(index, batches)
        for _ in rows.group_blocks([None]):
            pass
        facts = TableFacts()
        facts.n_rows, facts.checksums = [rows.n_rows_read], [rows.checksum]
        facts.classes = dict.fromkeys(rows._labels.values)
        facts.categories = {name: dict.fromkeys(rows.categories_of(name) or ()) for name in rows.text_columns}
        return facts


@dataclass(frozen=True)
class Head(Task):
    """The first rows of a partition, as a table of Arrow."""

    columns: list[str]
    n_rows: int

    def run(self, index: int, batches: Iterable[pa.RecordBatch]) -> pa.Table | None:
        import pyarrow

        found, n_rows = [], 0
        for batch in batches:
            found.append(batch.slice(0, self.n_rows - n_rows))
            n_rows += found[-1].num_rows
            if n_rows >= self.n_rows:
                break
        return pyarrow.Table.from_batches(found) if found else None


@dataclass(frozen=True)
class Collect(_ReaderTask):
    """Collect a statistic of the rows of a partition."""

    statistic: Statistic

    def run(self, index: int, batches: Iterable[pa.RecordBatch]) -> Statistic:
        own = self.statistic
        if isinstance(own, StaysWithRows) and own.stays_with_rows:
            own = own.for_partition()
        return self.reader.open(index, batches).collect(own, is_part=True)


@dataclass(frozen=True)
class ReadBlocks(_ReaderTask):
    """The blocks of a partition themselves."""

    def run(self, index: int, batches: Iterable[pa.RecordBatch]) -> list[Block]:
        return [block for _, block in self.reader.open(index, batches).group_blocks([None])]


class PartitionedSource(TableFile):
    """A table in partitions, such as a Dask or Spark frame.

    Labels, weights and columns of text are read once when the source is made: their codes are then the same on all
    workers, by first appearance in the order of the partitions, as if one process had read them.

    engine : what holds the table
    request : the parameters of scan; target and weight are names of columns
    """

    is_distributed = True

    def __init__(self, engine: Engine, request: ReadingRequest) -> None:
        self.engine = engine
        names = check_names(engine.schema.names, engine.where)
        roles = assign_roles(names, request, engine.where)
        types = {name: [engine.schema.field(name).type] for name in roles.read_with(roles.features)}
        readings = find_readings(types, roles, request, self._sample, engine.where)
        super().__init__(engine.where, roles, readings, request.drop_unlabelled)
        is_float32 = float_type([types[name][0] for name in self.roles.features]) == np.float32
        numbers = [name for name, kind in zip(self.feature_names, self.column_kinds, strict=True) if kind == NUMBER]
        checked = [numbers[i] for i in sorted({0, len(numbers) // 2, len(numbers) - 1})] if numbers else []
        reader = PartitionReader(
            self.where, self.roles, readings, request.drop_unlabelled, is_float32, checked=checked
        )  # fmt: skip
        texts = [name for name in self.text_columns if readings[name].kind == CATEGORY]
        facts: TableFacts = engine.merged(FindFacts(reader.only([*texts, *checked])))
        n_rows = np.array(facts.n_rows, dtype=np.int64)
        self.n_rows = int(n_rows.sum())
        if self.n_rows == 0:
            raise InvalidInput(f"{self.where} has column names but no rows. Give a table with at least two.")
        if not facts.classes:
            raise InvalidInput(f"No row of {self.where} has a label in {self.roles.target!r}. Name another target.")
        self._reader = replace(
            reader,
            classes=list(facts.classes),
            categories={name: list(values) for name, values in facts.categories.items()},
            first_rows=np.cumsum(n_rows) - n_rows,
            n_rows=n_rows,
            checksums=facts.checksums,
        )
        self._labels.encode(_as_objects(self._reader.classes or ()))
        self._labels.check_classes()
        known_categories(texts, self._reader.categories, self._of_where)

    def _sample(self, names: list[str]) -> TextSample:
        """Rows of the named columns: the first of some partitions all over the table."""
        n = self.engine.n_partitions
        spread = sorted({round(i * (n - 1) / (_PARTITIONS_OF_SAMPLE - 1)) for i in range(_PARTITIONS_OF_SAMPLE)})
        for head in self.engine.some(Head(names, _ROWS_OF_SAMPLE), spread):
            if head is not None:
                yield from head.combine_chunks().to_batches()

    @contextmanager
    def reporting(self, report: Callable[[str, int, int], None]) -> Iterator[None]:
        self.engine.report, before = report, self.engine.report
        try:
            yield
        finally:
            self.engine.report = before

    def with_text_as_codes(self) -> Self:
        coded = super().with_text_as_codes()
        if coded is not self:
            assert coded._categories is not None
            for name, values in self._reader.categories.items():
                if name in coded._categories:
                    coded._categories.encode(name, values)
        return coded

    def only(self, columns: Sequence[int]) -> Source:
        chosen = [self.feature_names[column] for column in columns]
        own, categories = copy(self), self._categories
        own.roles = replace(self.roles, features=chosen)
        TextSource.__init__(own, chosen, self._reader.readings, self.where)
        own._categories, own.columns_at_once = categories, len(chosen)
        own._formats = self._formats
        return own

    def collect(self, statistic: S, *, is_part: bool = False) -> S:
        self._refuse_text(self.roles.features)
        task = Collect(self._reader.only(self.roles.features), statistic)
        if isinstance(statistic, StaysWithRows) and statistic.stays_with_rows:
            return statistic.over(self.engine.stored(task))
        whole = statistic.empty()
        whole.merge(self.engine.merged(task))
        return whole

    def _read_groups(self, names: Sequence[list[str]]) -> Iterator[tuple[int, Block]]:
        """Rows that are needed here after all come a partition at a time."""
        for g, features in enumerate(names):
            for index in range(self.engine.n_partitions):
                blocks = self.engine.some(ReadBlocks(self._reader.only(features)), [index])[0]
                yield from ((g, block) for block in blocks)


def known_categories(names: Sequence[str], values: Mapping[str, Sequence[Hashable]], of_where: str) -> ColumnCategories:
    """The categories of columns of text, those known already with their codes."""
    categories = ColumnCategories({name: f"Column {name!r}{of_where}" for name in names})
    for name in names:
        categories.encode(name, values.get(name, ()))
    return categories


def _checksum(block: Block, columns: Sequence[int]) -> int:
    """A sum over rows that the values and classes of other rows, or of rows in which they meet otherwise, change."""
    # By the label, not its code: before all labels are known each partition has codes of its own.
    of_rows = np.array([crc32(repr(label).encode()) for label in block.classes], dtype=np.uint64)[block.codes]
    for column in columns:
        bits = block.values[:, column].astype(np.float64).view(np.uint64)
        of_rows = (of_rows ^ (bits >> np.uint64(31)) ^ bits) * _FACTOR
    return int(of_rows.sum(dtype=np.uint64))


def _as_objects(values: Sequence[Hashable]) -> NDArray[np.object_]:
    return np.fromiter(values, dtype=object, count=len(values))
