"""Spark frames that are Parquet files and nothing more: their rows go from the files to the workers without Java.

On its way to Python every value of a row passes through Java on its own, which takes about ten times as long as reading
the file with Arrow. A frame whose plan is a scan of local Parquet files, with columns left out or renamed at most, is
therefore read by the workers themselves. Whatever is more than that, or is not certain to mean the same to Arrow as to
Spark, is left to Spark.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import unquote, urlsplit

from fewest.data.engines.engine import Task, pack
from fewest.data.files.arrow_batch import validated
from fewest.data.files.parquet import open_parquet
from fewest.data.files.table_file import import_pyarrow
from fewest.errors import FewestError

if TYPE_CHECKING:
    import pyarrow as pa

#: Of a library without types: a frame, and an object of Java.
Frame: TypeAlias = Any
Java: TypeAlias = Any

#: A partition is no larger than this unless a row group is, uncompressed; and there are some for each core.
_MOST_BYTES = 256 << 20
_PARTITIONS_A_CORE = 2
_SOURCES = "org.apache.spark.sql.execution.datasources"
_FORMAT = f"{_SOURCES}.parquet.ParquetFileFormat"
_INDICES = (f"{_SOURCES}.InMemoryFileIndex", f"{_SOURCES}.CatalogFileIndex")
#: Settings with which Spark reads a file otherwise than it is written.
_SPECIAL_SETTINGS = (
    "spark.sql.parquet.fieldId.read.enabled",
    "spark.sql.files.ignoreCorruptFiles",
    "spark.sql.files.ignoreMissingFiles",
    "spark.sql.parquet.binaryAsString",
)
_SPECIAL_OPTIONS = ("ignorecorruptfiles", "ignoremissingfiles", "encryption")


@dataclass(frozen=True)
class ParquetScan:
    """The files that a frame reads.

    stored_names : what each column of the frame is called in the files
    """

    paths: list[str]
    stored_names: list[str]


@dataclass(frozen=True)
class RowGroup:
    """A row group of a file.

    n_bytes : of all its columns, uncompressed
    """

    path: str
    index: int
    n_bytes: int


def parquet_scan(frame: Frame) -> ParquetScan | None:
    """The Parquet files of this machine, or of a file system mounted on all, that a frame is; None where it is more."""
    try:
        return _scan_of(frame)
    except Exception:  # a plan of another version of Spark: then Spark reads it
        return None


def _scan_of(frame: Frame) -> ParquetScan | None:
    plan = frame._jdf.queryExecution().optimizedPlan()
    stored_names = _stored_names(json.loads(plan.toJSON()))
    if stored_names is None or len(stored_names) != len(frame.columns):
        return None
    while plan.getClass().getSimpleName() == "Project":
        plan = plan.child()
    relation = plan.relation()
    settings = frame.sparkSession.conf
    if (
        plan.isStreaming()
        or _class_of(relation) != f"{_SOURCES}.HadoopFsRelation"
        or _class_of(relation.fileFormat()) != _FORMAT
        or _class_of(relation.location()) not in _INDICES
        or not relation.partitionSchema().isEmpty()
        or any(settings.get(name, "false") == "true" for name in _SPECIAL_SETTINGS)
        or any(word in str(relation.options().toString()).lower() for word in _SPECIAL_OPTIONS)
    ):
        return None
    addresses = [urlsplit(address) for address in relation.location().inputFiles()]
    if not addresses or any(address.scheme != "file" or address.netloc for address in addresses):
        return None
    return ParquetScan(sorted(unquote(address.path) for address in addresses), stored_names)


def _class_of(object_: Java) -> str:
    return str(object_.getClass().getName())


def _stored_names(nodes: Sequence[Mapping[str, Any]]) -> list[str] | None:
    """The names of a plan's columns in the relation that it reads; None where it does more than choose and rename."""
    *above, relation = nodes
    if relation["class"] != f"{_SOURCES}.LogicalRelation":
        return None
    names = {_id_of(column): column["name"] for (column,) in relation["output"]}
    order = list(names)
    for node in reversed(above):
        if not node["class"].endswith(".logical.Project"):
            return None
        order = []
        for column, *inner in node["projectList"]:
            source = inner[0] if len(inner) == 1 and column["class"].endswith(".Alias") else column
            if not source["class"].endswith(".AttributeReference") or len(inner) > 1:
                return None
            names[_id_of(column)] = names[_id_of(source)]
            order.append(_id_of(column))
    return [names[column] for column in order]


def _id_of(column: Mapping[str, Any]) -> int:
    return int(column["exprId"]["id"])


@dataclass(frozen=True)
class ReadFooter:
    """Finds, on a worker, the row groups of a file.

    types : by stored name, what the values are to Spark
    """

    types: Mapping[str, pa.DataType]

    def __call__(self, path: str) -> list[RowGroup] | None:
        """The row groups; None where Arrow cannot read the file, or reads from it what Spark does not."""
        try:
            return self._row_groups(path)
        except FewestError:
            return None

    def _row_groups(self, path: str) -> list[RowGroup] | None:
        with open_parquet(Path(path)) as file:
            schema, metadata = file.schema_arrow, file.metadata
            # Dates of another calendar, which Spark converts.
            if any(key.startswith(b"org.apache.spark.legacy") for key in metadata.metadata or ()):
                return None
            for name, expected in self.types.items():
                if len(schema.get_all_field_indices(name)) != 1 or not _is_same(schema.field(name).type, expected):
                    return None
            groups = range(metadata.num_row_groups)
            return [RowGroup(path, index, metadata.row_group(index).total_byte_size) for index in groups]


def _is_same(stored: pa.DataType, expected: pa.DataType) -> bool:
    """Whether Arrow reads from a file the values that Spark does."""
    types = import_pyarrow("Parquet").types
    if stored == expected:
        return not types.is_nested(stored)
    if types.is_dictionary(stored):
        stored = stored.value_type
    return bool(
        (types.is_integer(stored) and types.is_integer(expected) and stored.bit_width <= expected.bit_width)
        or ((types.is_string(stored) or types.is_large_string(stored)) and types.is_string(expected))
    )


def partitions_of(groups: Iterable[RowGroup], n_cores: int) -> list[list[RowGroup]]:
    """Row groups, in their order, in partitions of about the same size."""
    groups = list(groups)
    most = min(_MOST_BYTES, sum(group.n_bytes for group in groups) // (_PARTITIONS_A_CORE * n_cores))
    partitions: list[list[RowGroup]] = []
    n_bytes = 0
    for group in groups:
        if not partitions or n_bytes + group.n_bytes > most:
            partitions.append([])
            n_bytes = 0
        partitions[-1].append(group)
        n_bytes += group.n_bytes
    return partitions


@cache
def freeze_modules() -> None:
    """Take what is in the memory of a worker by now, its imported modules, out of garbage collection, once.

    Spark collects garbage after every task, which looks at each object of scikit-learn, SciPy and pandas: with those
    imported a task of a round would take longer for that than for its answer.
    """
    gc.collect()
    gc.freeze()


@dataclass(frozen=True)
class RunOnFiles:
    """Runs a task on the row groups of one partition.

    stored_names : of the columns that the task reads, in the files
    schema : the names and types of these columns in the table
    rows_at_once : rows of a record batch
    """

    task: Task
    stored_names: list[str]
    schema: pa.Schema
    rows_at_once: int

    def __call__(self, index: int, partitions: Iterable[list[RowGroup]]) -> Iterator[tuple[int, bytes]]:
        for groups in partitions:
            yield index, pack(self.task(index, self._batches(groups)))
        freeze_modules()

    def _batches(self, groups: list[RowGroup]) -> Iterator[pa.RecordBatch]:
        columns = list(dict.fromkeys(self.stored_names))
        for path, some in groupby(groups, key=lambda group: group.path):
            with open_parquet(Path(path)) as file:
                batches = file.iter_batches(
                    batch_size=self.rows_at_once,
                    row_groups=[group.index for group in some],
                    columns=columns,
                    use_threads=False,  # Spark counts the cores that a task takes
                )
                for batch in validated(batches, path):
                    batch = batch.select(self.stored_names).rename_columns(self.schema.names)
                    yield batch if batch.schema.types == self.schema.types else batch.cast(self.schema)
