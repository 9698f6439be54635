"""What a second read leaves behind, once it is known how columns become states."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from fewest._core import CategoryColumns, PairTables
from fewest.arrays import Codes, Floats, Indices, Integers, Mask
from fewest.data.block import Block
from fewest.data.labels import sort_classes
from fewest.methods.information.discretisation.byte_table import ByteTable
from fewest.methods.information.discretisation.column_summary import ColumnSummary
from fewest.methods.information.discretisation.repetitions import repetitions
from fewest.methods.information.discretisation.state_rows import StatePiece
from fewest.statistics.with_moments import WithMoments
from fewest.threads import thread_count


class CodedRun(NamedTuple):
    """A run of rows of some columns: codes[i] of columns[i], whose first state has the code first[i]; what is missing
    has the largest number of the type."""

    columns: Indices
    codes: NDArray[np.unsignedinteger]
    first: Integers


class Coder(Protocol):
    """How columns become states.

    n_states, is_complete : how many states each column has, and whether every row is in one
    base : what a byte of 0 shall stand for in each column, so that all of its values fit
    others : the columns that do not fit bytes
    """

    n_states: Codes
    others: Indices

    @property
    def is_complete(self) -> Mask: ...
    @property
    def base(self) -> Integers: ...
    def runs(self, piece: StatePiece) -> Iterator[CodedRun]:
        """Rows as codes, some columns at a time."""
        ...


class SecondPass(WithMoments):
    """Rows as states, by what a first read has told of their columns. The class is one more column, the last.

    states : what the rows know, as CategoryColumns does
    known : the outline of the same rows
    """

    is_columnwise = False
    takes_integers = True
    states: Any

    def __init__(self, coder: Coder, known: ColumnSummary) -> None:
        super().__init__(known.moments)
        self.coder = coder
        self.known = known
        self.n_states = np.append(coder.n_states, len(known.moments.classes)).astype(np.int32)
        self._ranks = np.argsort(sort_classes(known.moments.classes))

    @property
    def class_weights(self) -> Floats:
        return self.known.class_weights

    @property
    def missing(self) -> Integers:
        return self.known.missing

    def empty(self) -> Self:
        return type(self)(self.coder, self.known)

    def update(self, block: Block) -> None:
        if block.weights is not None:
            times = repetitions(block.weights)
            rows = np.arange(block.n_rows) if times is None else np.repeat(np.arange(block.n_rows), times)
            block = block.take(rows)
        codes = self._class_ranks(block.classes)[block.codes]
        keys = np.ones(1, dtype=np.uint64)
        table = ByteTable.of(block.values, np.zeros(block.n_rows, dtype=np.int32), keys, self.coder.base.copy())
        others = block.only(self.coder.others).as_floats().values
        self._take([*self.coder.runs(StatePiece(table, others, codes, np.empty(0), False)), self._classes(codes)])

    @abstractmethod
    def merge(self, other: Self) -> None: ...

    @abstractmethod
    def _take(self, runs: list[CodedRun]) -> None:
        """Count these rows."""
        ...

    def _class_ranks(self, classes: Sequence[Any]) -> Codes:
        known = dict(zip(self.classes, self._ranks.tolist(), strict=True))
        return np.array([known[label] for label in classes], dtype=np.int32)

    def _classes(self, codes: Codes) -> CodedRun:
        return CodedRun(np.array([self.n_features]), codes.astype(np.uint16)[None], np.zeros(1, dtype=np.int64))

    def _room_for(self, n_rows: int) -> CategoryColumns:
        is_complete = np.append(self.coder.is_complete, True)
        return CategoryColumns(self.n_states, is_complete, np.zeros(len(self.n_states), dtype=bool), n_rows)


def _fill(states: CategoryColumns, runs: list[CodedRun]) -> None:
    for run in runs:
        states.fill(run.columns, run.codes, run.first, thread_count())


class ContingencyTables(SecondPass):
    """How often the states of each column meet those of the class, or those of every other column as well.

    Memory: the square of all states together, or the states times the classes; no rows. Cost: one read, and for all
    pairs a count of each.
    """

    def __init__(self, coder: Coder, known: ColumnSummary, of_all_pairs: bool = True) -> None:
        super().__init__(coder, known)
        self.of_all_pairs = of_all_pairs
        self.states = PairTables(self.n_states, of_all_pairs)

    def empty(self) -> Self:
        return type(self)(self.coder, self.known, self.of_all_pairs)

    def merge(self, other: Self) -> None:
        self.states.merge(other.states)

    def _take(self, runs: list[CodedRun]) -> None:
        rows = self._room_for(runs[-1].codes.shape[1])
        _fill(rows, runs)
        self.states.add(rows, thread_count())


class PackedBits(SecondPass):
    """All rows, a bit for each state of each column but one.

    Memory: about the number of states in bits, for each value. Cost: one read.
    """

    def __init__(self, coder: Coder, known: ColumnSummary) -> None:
        super().__init__(coder, known)
        self.states = self._room_for(int(known.class_weights.sum()))

    def merge(self, other: Self) -> None:
        raise NotImplementedError("Bits are filled in from the first row to the last.")

    def _take(self, runs: list[CodedRun]) -> None:
        _fill(self.states, runs)
