"""Dask: one task a partition, merges as a tree, on the user's cluster or on the threads of this process."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias
from uuid import uuid4

from fewest.data.engines.engine import (
    Answer,
    Answers,
    Engine,
    Failed,
    Part,
    Question,
    StoredParts,
    Sum,
    Task,
    batches_of,
    failure_of,
    merge_parts,
    pack,
    tree,
)
from fewest.data.engines.partitions import ROWS_AT_ONCE
from fewest.data.files.table_file import import_pyarrow
from fewest.errors import FewestError, InvalidInput, MissingDependency

if TYPE_CHECKING:
    import pyarrow as pa

#: Of libraries without types: a frame of Dask or pandas, a value that Dask is yet to compute, a client.
Frame: TypeAlias = Any
Delayed: TypeAlias = Any
Client: TypeAlias = Any
#: Types of pandas that hold numbers as Arrow does, a missing one as NaN.
_PLAIN_NUMBERS = {"float64", "float32", "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8"}
#: How often the cluster is looked at while it works, in seconds.
_POLL = 0.5
#: Without any worker for so long, work is given up; longer where none has been there yet, since clusters grow slowly.
_NO_WORKERS, _NO_WORKERS_YET = 20.0, 300.0


def is_dask_frame(data: object) -> bool:
    """Whether this is a frame of Dask."""
    kind = type(data)
    return kind.__module__.partition(".")[0] in ("dask", "dask_expr") and hasattr(data, "to_delayed")


class DaskEngine(Engine):
    """The partitions of a Dask frame.

    frame : a dask.dataframe.DataFrame
    """

    where = "the Dask frame"

    def __init__(self, frame: Frame) -> None:
        super().__init__()
        import_pyarrow("a Dask frame")
        if not hasattr(frame, "columns") or not hasattr(frame, "npartitions"):
            raise InvalidInput(f"{type(frame).__name__} is no Dask frame. Give a dask.dataframe.DataFrame.")
        self._frame = frame
        #: Remembered from one computation to the next: the last worker may be lost before the cluster is looked at.
        self._has_worked = False
        self.n_partitions = len(frame.to_delayed())
        self.schema = _schema_of(frame)

    def merged(self, task: Task) -> Part:
        name = f"fewest-{uuid4().hex[:12]}"
        parts = self._parts(task, name)
        return self._received(self._compute(_tree_of(parts), name, len(parts), "partitions"))

    def some(self, task: Task, indices: Sequence[int]) -> list[Part]:
        import dask

        partitions = self._partitions(task.columns)
        run = dask.delayed(_run, pure=False)
        parts = [run(task, index, partitions[index]) for index in indices]
        packed = self._compute(dask.delayed(pack, pure=False)(parts), "", len(indices), "partitions")
        return [self._checked(part) for part in self._received(packed)]

    def stored(self, task: Task) -> StoredParts:
        import dask

        name = f"fewest-{uuid4().hex[:12]}"
        parts = self._parts(task, name)
        with _quiet():
            parts = list(dask.persist(*parts))
        # Waited for, so that an error names its partition before any question is asked.
        check = [dask.delayed(failure_of, pure=False)(part) for part in parts]
        self._received(self._compute(_tree_of(check), name, len(parts), "partitions"))
        return _DaskParts(self, parts)

    def ask(self, parts: Sequence[Delayed], question: Question) -> Answers:
        import dask

        name = f"fewest-{uuid4().hex[:12]}"
        ask = dask.delayed(Answer(question), pure=False, traverse=False)
        answers = [ask(index, part, dask_key_name=f"{name}-{index}") for index, part in enumerate(parts)]
        answer: Sum = self._received(self._compute(_tree_of(answers), name, len(parts), "partitions of a round"))
        return answer.values

    def _parts(self, task: Task, name: str) -> list[Delayed]:
        import dask

        partitions = self._partitions(task.columns)
        # One copy of the task in the graph: every partition's refers to it.
        shared = dask.delayed(task, pure=False, traverse=False, name=f"{name}-task")
        run = dask.delayed(_run, pure=False)
        return [run(shared, index, rows, dask_key_name=f"{name}-{index}") for index, rows in enumerate(partitions)]

    def _partitions(self, columns: list[str]) -> list[Delayed]:
        """The partitions over these columns, the same rows in each whatever the columns.

        Dask reads only the columns that are asked for, but where they are few it also puts partitions together: that
        step of its optimisation is left out.
        """
        try:
            rows = self._frame[columns].simplify().to_delayed(optimize_graph=False)
        except Exception:  # an optimiser of another version, or one that fails: then tasks read all columns
            rows = ()
        return list(rows) if len(rows) == self.n_partitions else list(self._frame.to_delayed())

    def _compute(self, root: Delayed, name: str, n_tasks: int, what: str) -> bytes:
        """Return the value of one delayed object, which is bytes."""
        client = _client()
        try:
            with _quiet():
                if client is None:
                    return self._compute_here(root, name, n_tasks, what)
                return self._compute_there(client, root, name, n_tasks, what)
        except FewestError:
            raise
        except Exception as error:
            raise self._explained(error) from error

    def _compute_here(self, root: Delayed, name: str, n_tasks: int, what: str) -> bytes:
        from dask.callbacks import Callback

        n_done = 0

        def done(key: object, *_: object) -> None:
            nonlocal n_done
            if self.report is not None and isinstance(key, str) and key.startswith(name) and key != f"{name}-task":
                n_done += 1
                self.report(what, min(n_done, n_tasks), n_tasks)

        with Callback(posttask=done):
            packed: bytes = root.compute()
        return packed

    def _compute_there(self, client: Client, root: Delayed, name: str, n_tasks: int, what: str) -> bytes:
        from distributed import wait

        future = client.compute(root)
        without_workers, patience = 0.0, _POLL
        try:
            while True:
                started = time.monotonic()
                try:
                    wait(future, timeout=_POLL)
                    packed: bytes = future.result(timeout=patience)
                    self._has_worked = True
                    return packed
                except (TimeoutError, UnboundLocalError):
                    # Dask meets a variable that is not set where the time runs out while it gives the result up.
                    if future.status == "error":
                        raise
                    if future.done():  # its result is on the way, and takes longer
                        patience *= 2
                if client.nthreads():
                    self._has_worked, without_workers = True, 0.0
                else:
                    without_workers += time.monotonic() - started
                if without_workers > (_NO_WORKERS if self._has_worked else _NO_WORKERS_YET):
                    raise InvalidInput(
                        f"The Dask cluster has had no worker for {without_workers:.0f} s. Start workers, or a new "
                        "cluster, and run again."
                    )
                if self.report is not None:
                    self.report(what, _n_done(client, name, n_tasks), n_tasks)
        except BaseException:
            # Ctrl-C too: nothing goes on that nobody waits for.
            future.cancel(force=True)
            raise

    def _explained(self, error: Exception) -> FewestError:
        """One error for what the engine, or a partition's own computation, has raised."""
        kind, text = type(error).__name__, " ".join(str(error).split())
        if kind == "KilledWorker":
            return InvalidInput(
                f"Workers of the Dask cluster died again and again on {self.where}, probably for want of memory. Give "
                f"it smaller partitions, or workers with more memory. ({_cut(text)})"
            )
        if kind in ("FutureCancelledError", "CancelledError", "CommClosedError", "OSError", "TimeoutError"):
            return InvalidInput(f"The Dask cluster is gone, or was closed: {kind}: {_cut(text)}")
        index = self._first_that_raises()
        which = f"Partition {index} of {self.where}" if index is not None else f"T{self.where[1:]}"
        return InvalidInput(f"{which} cannot be computed: {kind}: {_cut(text)}")

    def _first_that_raises(self) -> int | None:
        """The first partition whose own computation raises."""
        import dask

        for index, rows in enumerate(self._partitions(list(self._frame.columns))):
            try:
                dask.delayed(len, pure=False)(rows).compute()
            except Exception:
                return index
        return None


class _DaskParts(StoredParts):
    """Parts that Dask persists; those of a lost worker are made again from the frame."""

    def __init__(self, engine: DaskEngine, parts: Sequence[Delayed]) -> None:
        self._engine, self._parts = engine, parts

    def ask(self, question: Question) -> Answers:
        return self._engine.ask(self._parts, question)


def _run(task: Task, index: int, rows: Frame) -> Part:
    """Run a task on a partition, which is a frame of pandas."""
    pyarrow = import_pyarrow("a Dask frame")
    try:
        table = _as_table(rows, [name for name in task.columns if name in rows.columns])
    except (pyarrow.ArrowException, TypeError, ValueError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        return Failed(index, InvalidInput(f"a column holds values of several types ({reason}). Give it one type."))
    return task(index, batches_of(table, ROWS_AT_ONCE))


def _as_table(rows: Frame, names: list[str]) -> pa.Table:
    """The named columns of a frame of pandas, those of plain numbers without a copy or a look at their values."""
    pyarrow = import_pyarrow("a Dask frame")
    dtypes = dict(zip(rows.columns, rows.dtypes, strict=True))
    plain = {name for name in names if str(dtypes[name]) in _PLAIN_NUMBERS}
    others = [name for name in names if name not in plain]
    table = pyarrow.Table.from_pandas(rows[others], preserve_index=False)
    arrays = [
        pyarrow.array(rows[name].to_numpy(), from_pandas=False) if name in plain else table.column(name)
        for name in names
    ]
    return pyarrow.table(arrays, names)


def _merge_and_pack(parts: list[Part]) -> bytes:
    return pack(merge_parts(parts))


def _tree_of(parts: Sequence[Delayed]) -> Delayed:
    """Delayed bytes of all parts merged."""
    import dask

    merge, last = dask.delayed(merge_parts, pure=False), dask.delayed(_merge_and_pack, pure=False)
    return last([tree(parts, lambda some: merge(some))])


def _schema_of(frame: Frame) -> pa.Schema:
    """The names and types of the columns; of columns of Python objects, text."""
    pyarrow = import_pyarrow("a Dask frame")
    meta = frame._meta
    schema = pyarrow.Schema.from_pandas(meta, preserve_index=False)
    is_object = [str(dtype) == "object" for dtype in meta.dtypes]
    return pyarrow.schema(
        [pyarrow.field(f.name, pyarrow.string()) if o else f for f, o in zip(schema, is_object, strict=True)]
    )


def _client() -> Client | None:
    """The client that is active, or None where Dask computes in this process."""
    if "distributed" not in sys.modules:
        return None
    from distributed import default_client

    try:
        return default_client()
    except ValueError:
        return None


def _n_done(client: Client, name: str, n_tasks: int) -> int:
    """The number of this pass's tasks that the scheduler counts as done."""

    def count(dask_scheduler: Any) -> int:
        states = {"waiting", "processing", "queued", "no-worker"}
        open_ = sum(
            1 for index in range(n_tasks)
            if (task := dask_scheduler.tasks.get(f"{name}-{index}")) is not None and task.state in states
        )  # fmt: skip
        return n_tasks - open_

    return int(client.run_on_scheduler(count))


@contextmanager
def _quiet() -> Iterator[None]:
    """Without Dask's warning that a task is large: it holds the discretizer of every column."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sending large graph")
        yield


def _cut(text: str) -> str:
    return text if len(text) <= 300 else text[:299] + "…"


def import_dask() -> Any:
    """dask.dataframe; where it is absent, the error says what it takes."""
    try:
        import dask.dataframe
    except ImportError:
        raise MissingDependency("The engine 'dask' needs Dask: pip install 'fewest[dask]'") from None
    return dask.dataframe
