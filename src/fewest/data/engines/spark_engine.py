"""Spark: one task a partition, by mapInArrow or from Parquet files, merges as a tree, encoded parts persisted."""

from __future__ import annotations

import pickle
import re
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias
from uuid import uuid4

from fewest.data.engines.engine import (
    FAN_IN,
    Answer,
    Answers,
    Engine,
    Failed,
    Part,
    Question,
    StoredParts,
    Sum,
    Task,
    merge_parts,
    pack,
    tree,
)
from fewest.data.engines.partitions import ROWS_AT_ONCE
from fewest.data.engines.spark_parquet import (
    ParquetScan,
    ReadFooter,
    RowGroup,
    RunOnFiles,
    freeze_modules,
    parquet_scan,
    partitions_of,
)
from fewest.data.files.table_file import import_pyarrow
from fewest.errors import FewestError, InvalidInput, MissingDependency

if TYPE_CHECKING:
    import pyarrow as pa

#: Of a library without types: a frame, and what it is as a distributed list.
Frame: TypeAlias = Any
Rdd: TypeAlias = Any
#: A task whose Python process was killed is run again; in local mode Spark itself does not.
_TRIES = 4
#: How often the progress of a job is looked at, in seconds.
_POLL = 0.5
#: Tasks, for each core, that look into files.
_FOOTERS_A_CORE = 4
#: Answers of a round that come here without a merge on the workers, all together.
_MOST_BYTES_OF_ROUND = 32 << 20
_PART = "part int, packed binary"
_KILLED = ("Python worker exited unexpectedly", "Python worker failed to connect", "EOFException", "Connection reset")


class SparkEngine(Engine):
    """The partitions of a Spark frame.

    frame : a pyspark.sql.DataFrame
    """

    where = "the Spark frame"

    def __init__(self, frame: Frame) -> None:
        super().__init__()
        import_pyarrow("a Spark frame")
        self._collects_answers = True
        self._scan: ParquetScan | None = None
        self._partitions: list[list[RowGroup]] | None = None
        if "connect" in type(frame).__module__:
            raise InvalidInput(
                "A frame of Spark Connect has no partitions that can be asked again. Use a session of its own cluster, "
                "or write the frame as Parquet and scan that."
            )
        # Columns by number: a name may hold what Spark's SQL reads as syntax.
        self._frame = frame.toDF(*(f"c{i}" for i in range(len(frame.columns))))
        self._context = frame.sparkSession.sparkContext
        with self._explained():
            self.schema = _schema_of(frame)
            self._scan = parquet_scan(frame)
            self._partitions = self._row_groups(self._scan)
            if self._partitions is not None:
                self.n_partitions = len(self._partitions)
                return
            self.n_partitions = int(self._frame.rdd.getNumPartitions())
            level = frame.storageLevel
            # Rows that are dealt to partitions in turn are dealt otherwise where other columns are read.
            is_dealt = "RoundRobin" in frame._jdf.queryExecution().toString()
            self._reads_all = is_dealt and not (level.useMemory or level.useDisk)
        if self.n_partitions == 0:
            raise InvalidInput(f"{self.where} has no partitions: it is empty. Give a table with at least two rows.")

    def merged(self, task: Task) -> Part:
        return self._received(self._run("partitions", lambda: _tree_of(self._parts(task), self.n_partitions)))

    def some(self, task: Task, indices: Sequence[int]) -> list[Part]:
        parts = self._parts(task)
        found = self._run("partitions", lambda: self._context.runJob(parts, list, list(indices)))
        return [self._received(packed) for _, packed in sorted(found)]

    def stored(self, task: Task) -> StoredParts:
        from pyspark import StorageLevel

        # Not as packed bytes: Spark packs what it persists, and unpacks it in every round.
        parts = self._parts(task).mapValues(pickle.loads).persist(StorageLevel.MEMORY_AND_DISK)
        failures = self._run("partitions", lambda: parts.values().filter(_has_failed).map(pack).collect())
        for failure in sorted(map(pickle.loads, failures), key=lambda failure: failure.index)[:1]:
            self._checked(failure)
        return _SparkParts(self, parts)

    def ask(self, parts: Rdd, question: Question) -> Answers:
        answer: Sum | None = None
        if self._collects_answers:
            # A merge on the workers is a shuffle, which takes longer than the answers of a round.
            most = _MOST_BYTES_OF_ROUND // self.n_partitions
            packed = self._run("partitions of a round", lambda: parts.map(_Ask(question, most)).collect())
            self._collects_answers = all(one is not None for _, one in packed)
            if self._collects_answers:
                answer = tree([self._received(one) for _, one in sorted(packed)], merge_parts)
        if answer is None:
            answers = parts.map(_Ask(question))
            answer = self._received(self._run("partitions of a round", lambda: _tree_of(answers, self.n_partitions)))
        return answer.values

    def _row_groups(self, scan: ParquetScan | None) -> list[list[RowGroup]] | None:
        """The partitions of the Parquet files that the frame is; None where Spark itself must read it."""
        if scan is None:
            return None
        types = dict(zip(scan.stored_names, self.schema.types, strict=True))
        n_tasks = min(len(scan.paths), _FOOTERS_A_CORE * self._context.defaultParallelism)
        try:
            paths = self._context.parallelize(scan.paths, n_tasks)
            files = self._run("files", lambda: paths.map(ReadFooter(types)).collect())
        except FewestError:  # what keeps Spark from reading them too is said when it does
            return None
        if any(groups is None for groups in files):
            return None
        return partitions_of((group for groups in files for group in groups), self._context.defaultParallelism) or None

    def _parts(self, task: Task) -> Rdd:
        """The packed part of every partition, with its number."""
        rows, names = self._frame, list(self.schema.names)
        if self._scan is not None and self._partitions is not None:
            indices = [names.index(name) for name in task.columns]
            schema = import_pyarrow("a Spark frame").schema([self.schema.field(index) for index in indices])
            run = RunOnFiles(task, [self._scan.stored_names[index] for index in indices], schema, ROWS_AT_ONCE)
            return self._context.parallelize(self._partitions, self.n_partitions).mapPartitionsWithIndex(run)
        if not self._reads_all:
            rows, names = rows.select(*(f"c{names.index(name)}" for name in task.columns)), task.columns
        with warnings.catch_warnings():
            # No frame of pandas is made, whatever version is installed.
            warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas")
            return rows.mapInArrow(_RunInArrow(task, names), _PART).rdd.map(_as_pair)

    def _run(self, what: str, action: Callable[[], Any]) -> Any:
        """Return what an action of Spark gives; a lost worker's tasks are done again, an interrupt cancels the job."""
        group = f"fewest-{uuid4().hex[:12]}"
        self._context.setJobGroup(group, f"fewest: {what}", interruptOnCancel=True)
        with self._explained(), self._reported(group, what):
            for attempt in range(_TRIES):
                try:
                    return action()
                except KeyboardInterrupt:
                    self._context.cancelJobGroup(group)
                    raise
                except FewestError:
                    raise
                except Exception as error:
                    if attempt + 1 == _TRIES or not any(sign in str(error) for sign in _KILLED):
                        raise
        raise AssertionError("the last attempt returns or raises")

    @contextmanager
    def _reported(self, group: str, what: str) -> Iterator[None]:
        """Report, from a thread of its own, how many tasks of the job are done."""
        report = self.report
        if report is None:
            yield
            return
        is_done = threading.Event()
        tracker = self._context.statusTracker()

        def look() -> None:
            while not is_done.wait(_POLL):
                stages = [
                    stage
                    for job in tracker.getJobIdsForGroup(group)
                    if (found := tracker.getJobInfo(job)) is not None
                    for index in found.stageIds
                    if (stage := tracker.getStageInfo(index)) is not None
                ]
                if stages:
                    first = stages[0]
                    report(what, min(first.numCompletedTasks, self.n_partitions), self.n_partitions)

        thread = threading.Thread(target=look, daemon=True)
        thread.start()
        try:
            yield
        finally:
            is_done.set()
            thread.join()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """What Spark raises becomes one error."""
        try:
            yield
        except FewestError:
            raise
        except Exception as error:
            raise _error_of(error, self.where, self._first_that_raises) from error

    def _first_that_raises(self) -> int | None:
        """The first partition whose own computation raises."""
        if self._partitions is not None:  # what keeps a file from being read is the partition's own error already
            return None
        rows = self._frame.rdd
        for index in range(self.n_partitions):
            try:
                self._context.runJob(rows, _exhausted, [index])
            except Exception:
                return index
        return None


class _SparkParts(StoredParts):
    """Parts that Spark persists; those of a lost worker are made again from the frame."""

    def __init__(self, engine: SparkEngine, parts: Rdd) -> None:
        self._engine, self._parts = engine, parts

    def ask(self, question: Question) -> Answers:
        return self._engine.ask(self._parts, question)

    def __del__(self) -> None:
        try:
            self._parts.unpersist()
        except Exception:  # at the end of the process Spark may be gone already
            return


class _RunInArrow:
    """Runs a task on the record batches of one partition; what it returns is a row with the packed part.

    names : those of the columns of the batches in the table
    """

    def __init__(self, task: Task, names: list[str]) -> None:
        self._task, self._names = task, names

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None
        index = context.partitionId()
        packed = pack(self._task(index, _pieces(batches, self._names)))
        freeze_modules()
        yield pyarrow.RecordBatch.from_arrays(
            [pyarrow.array([index], pyarrow.int32()), pyarrow.array([packed], pyarrow.binary())], ["part", "packed"]
        )


def _pieces(batches: Iterable[pa.RecordBatch], names: list[str]) -> Iterator[pa.RecordBatch]:
    """The rows of a partition, some at a time, with the names that the columns have in the table."""
    for batch in batches:
        batch = batch.rename_columns(names)
        for start in range(0, batch.num_rows, ROWS_AT_ONCE):
            yield batch.slice(start, ROWS_AT_ONCE)


class _Ask:
    """Asks the part of a partition a question.

    most_bytes : None in place of an answer that is larger
    """

    def __init__(self, question: Question, most_bytes: int | None = None) -> None:
        self._answer, self._most_bytes = Answer(question), most_bytes

    def __call__(self, pair: tuple[int, Part]) -> tuple[int, bytes | None]:
        packed = pack(self._answer(*pair))
        freeze_modules()
        return pair[0], None if self._most_bytes is not None and len(packed) > self._most_bytes else packed


def _has_failed(part: Part) -> bool:
    return isinstance(part, Failed)


def _as_pair(row: Any) -> tuple[int, bytes]:
    return int(row[0]), bytes(row[1])


def _tree_of(parts: Rdd, n_parts: int) -> bytes:
    """All packed parts merged into one: neighbours, in their order, as often as it takes."""
    while n_parts > FAN_IN:
        n_parts = -(-n_parts // FAN_IN)
        parts = parts.map(_to_group).groupByKey(n_parts).map(_merge_group)
    return _merge_packed(parts.collect())


def _to_group(pair: tuple[int, bytes]) -> tuple[int, tuple[int, bytes]]:
    return pair[0] // FAN_IN, pair


def _merge_group(group: tuple[int, Iterable[tuple[int, bytes]]]) -> tuple[int, bytes]:
    return group[0], _merge_packed(group[1])


def _merge_packed(pairs: Iterable[tuple[int, bytes]]) -> bytes:
    return pack(merge_parts([pickle.loads(packed) for _, packed in sorted(pairs, key=lambda pair: pair[0])]))


def _schema_of(frame: Frame) -> pa.Schema:
    """The names and Arrow types of the columns."""
    pyarrow = import_pyarrow("a Spark frame")
    from pyspark.sql.pandas.types import to_arrow_type

    fields = []
    for field in frame.schema.fields:
        try:
            arrow_type = to_arrow_type(field.dataType)
        except Exception:  # a type that Arrow has not, such as an interval: named as it is, and refused as a feature
            arrow_type = pyarrow.list_(pyarrow.null())
        fields.append(pyarrow.field(field.name, arrow_type))
    return pyarrow.schema(fields)


def _exhausted(rows: Iterable[object]) -> list[int]:
    return [sum(1 for _ in rows)]


def _error_of(error: Exception, where: str, find_partition: Callable[[], int | None]) -> FewestError:
    """One error for what Spark has raised.

    find_partition : the partition whose computation raises, if it is one's
    """
    kind, text = type(error).__name__, str(error)
    if kind in ("Py4JNetworkError", "ConnectionRefusedError", "ConnectionResetError", "BrokenPipeError"):
        return InvalidInput(f"The Spark session is gone: {kind}. Start a new one, and give its frame.")
    if "SparkContext was shut down" in text or "stopped SparkContext" in text:
        return InvalidInput("The Spark session was stopped. Start a new one, and give its frame.")
    if "No module named 'fewest'" in text or "No module named fewest" in text:
        return InvalidInput("The workers of Spark have no fewest. Install it in the Python that they run.")
    if "OutOfMemoryError" in text or any(sign in text for sign in _KILLED):
        return InvalidInput(
            f"Workers of Spark died again and again on {where}, probably for want of memory. Repartition it into "
            f"smaller parts, or give the workers more memory. ({_reason(text)})"
        )
    index = find_partition()
    which = f"T{where[1:]}" if index is None else f"Partition {index} of {where}"
    return InvalidInput(f"{which} cannot be computed: {_reason(text)}")


def _reason(text: str) -> str:
    """The line of a long report of Spark that says what happened."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if re.match(r"[\w.]*(Error|Exception)\b.*:", line) and "Py4J" not in line]
    found = (telling or lines or ["no reason was given"])[-1 if telling else 0]
    return found if len(found) <= 300 else found[:299] + "…"


def import_spark() -> Any:
    """pyspark.sql; where it is absent, the error says what it takes."""
    try:
        import pyspark.sql
    except ImportError:
        raise MissingDependency("The engine 'spark' needs PySpark: pip install 'fewest[spark]', and Java 17.") from None
    return pyspark.sql
