"""Engines: what runs a task on every partition of a table, where the rows are, and merges what the tasks return."""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fewest.errors import (
    ContinuousTarget,
    FewestError,
    InfiniteValue,
    InvalidInput,
    TooManyRows,
    UnexpectedError,
    UnlabelledRows,
    UnusableColumn,
)

if TYPE_CHECKING:
    import pyarrow as pa

#: What a task returns of one partition, and a merge of several: it has empty() and merge(), and travels by pickle.
Part: TypeAlias = Any
#: What is asked of a part that stays with its worker, and the answer, which is summed over the parts.
Answers: TypeAlias = "NDArray[Any]"
Question: TypeAlias = Callable[[Part], Answers]

#: The number of parts that one task merges.
FAN_IN = 8
#: Errors that mean the same wherever the rows are, and are caught by their class.
_SAME_EVERYWHERE = (ContinuousTarget, InfiniteValue, TooManyRows, UnusableColumn)


class Task(ABC):
    """Work on one partition, as it travels to a worker.

    columns : the columns of the table that it reads
    """

    columns: list[str]

    @abstractmethod
    def run(self, index: int, batches: Iterable[pa.RecordBatch]) -> Part:
        """Return the part of the partition of this number, from its rows over the columns."""

    def __call__(self, index: int, batches: Iterable[pa.RecordBatch]) -> Part:
        """Return the part, or the error that the rows are refused with: raised it would be tried again."""
        try:
            return self.run(index, batches)
        except Exception as error:
            return Failed.of(index, error)


@dataclass(frozen=True)
class Failed:
    """The error that the rows of a partition were refused with."""

    index: int
    error: FewestError

    @classmethod
    def of(cls, index: int, error: Exception) -> Failed:
        if not isinstance(error, FewestError):
            error = UnexpectedError(f"{type(error).__name__}: {error}")
        return cls(index, error)

    def reason(self, where: str) -> FewestError:
        """The error to raise, which names the partition."""
        if isinstance(self.error, _SAME_EVERYWHERE):
            return self.error
        partition = f"Partition {self.index} of {where}: "
        if isinstance(self.error, UnlabelledRows):
            return self.error.within(partition)
        return InvalidInput(f"{partition}{self.error}")


class Checked:
    """A partition that was read without an error."""

    def empty(self) -> Checked:
        return self

    def merge(self, other: Checked) -> None:
        pass


def failure_of(part: Part) -> Checked | Failed:
    """The error of a part that stays with its worker; a part that has none is not sent."""
    return part if isinstance(part, Failed) else Checked()


class Sum:
    """A sum over partitions."""

    def __init__(self, values: Answers) -> None:
        self.values = values

    def empty(self) -> Sum:
        return Sum(np.zeros_like(self.values))

    def merge(self, other: Sum) -> None:
        self.values = self.values + other.values


class StoredParts(ABC):
    """One part a partition that stays with the workers, who answer questions about it."""

    @abstractmethod
    def ask(self, question: Question) -> Answers:
        """Return the sum of the answers of all parts."""

    def of(self, getter: Callable[[Part], Part]) -> StoredParts:
        """Return what getter takes out of each of these parts."""
        return _Within(self, getter)


@dataclass(frozen=True)
class _Composed:
    getter: Callable[[Part], Part]
    question: Question

    def __call__(self, part: Part) -> Answers:
        return self.question(self.getter(part))


class _Within(StoredParts):
    def __init__(self, parts: StoredParts, getter: Callable[[Part], Part]) -> None:
        self._parts, self._getter = parts, getter

    def ask(self, question: Question) -> Answers:
        return self._parts.ask(_Composed(self._getter, question))


@dataclass(frozen=True)
class Answer:
    """A question, as it is asked of the part of one partition."""

    question: Question

    def __call__(self, index: int, part: Part) -> Sum | Failed:
        if isinstance(part, Failed):
            return part
        try:
            return Sum(self.question(part))
        except Exception as error:
            return Failed.of(index, error)


class Engine(ABC):
    """Runs tasks on the partitions of one table.

    where : what errors call the table
    n_partitions : the number of its partitions
    schema : the names and Arrow types of its columns, as far as they are known before it is read
    n_bytes_received : what the workers have sent to this process so far
    report : called with what is being done, the number of tasks done and that of all, while work goes on
    """

    where: str
    n_partitions: int
    schema: pa.Schema
    n_bytes_received = 0

    def __init__(self) -> None:
        self.report: Callable[[str, int, int], None] | None = None

    @abstractmethod
    def merged(self, task: Task) -> Part:
        """Run the task on every partition; return the parts merged in the order of the partitions."""

    @abstractmethod
    def some(self, task: Task, indices: Sequence[int]) -> list[Part]:
        """Run the task on some partitions; return their parts."""

    @abstractmethod
    def stored(self, task: Task) -> StoredParts:
        """Run the task on every partition; the parts stay with the workers."""

    def _received(self, packed: bytes) -> Part:
        """Return what a worker has sent; raise where it is an error."""
        self.n_bytes_received += len(packed)
        return self._checked(pickle.loads(packed))

    def _checked(self, part: Part) -> Part:
        """Return a part; raise where it is an error."""
        if isinstance(part, Failed):
            raise part.reason(self.where) from None
        return part


def merge_parts(parts: Sequence[Part]) -> Part:
    """Merge parts in their order, leaving each as it is; the first error where there is one.

    A part may be asked for again, after a worker was lost: it must not change.
    """
    for part in parts:
        if isinstance(part, Failed):
            return part
    whole: Part = parts[0].empty()
    for part in parts:
        whole.merge(part)
    return whole


def pack(part: Part) -> bytes:
    """Return a part as it travels."""
    return pickle.dumps(part, protocol=pickle.HIGHEST_PROTOCOL)


def tree(parts: Sequence[Part], merge: Callable[[list[Part]], Part]) -> Part:
    """Merge neighbours, FAN_IN at a time, until one is left: the same tree for the same number of parts."""
    level = list(parts)
    while len(level) > 1:
        level = [merge(level[start : start + FAN_IN]) for start in range(0, len(level), FAN_IN)]
    return level[0]


def batches_of(table: pa.Table, rows_at_once: int) -> Iterator[pa.RecordBatch]:
    """The rows of a table, some at a time."""
    yield from table.to_batches(max_chunksize=rows_at_once)
