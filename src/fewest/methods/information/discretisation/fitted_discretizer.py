"""How each column becomes states, as learned from rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fewest._core import encode_columns
from fewest.arrays import Codes, Floats, Indices, Integers, Mask
from fewest.methods.information.discretisation.byte_table import MISSING_BYTE, NO_VALUE, ByteTable, moved
from fewest.methods.information.discretisation.discretizer import FEW_VALUES, Discretizer
from fewest.methods.information.discretisation.few_values import FewValues
from fewest.methods.information.discretisation.second_pass import CodedRun
from fewest.methods.information.discretisation.state_rows import StatePiece
from fewest.methods.information.discretisation.value_counts import ValueCounts, of_table
from fewest.statistics.class_moments import ClassMoments
from fewest.threads import thread_count

#: Codes of text, and whole numbers that are taken as they are, are counted from the lowest on up to so many.
_FEW_CODES = 16


class Outline(Protocol):
    """What fitting a discretizer needs to know of columns; CategoricalRows and ColumnSummary have it."""

    @property
    def n_features(self) -> int: ...
    @property
    def categorical_columns(self) -> Sequence[int]: ...
    @property
    def missing(self) -> Integers: ...
    @property
    def others(self) -> Indices: ...
    @property
    def extent(self) -> tuple[Integers, Integers]: ...
    def byte_counts(self, columns: Indices) -> Integers: ...
    def moments_of_others(self) -> ClassMoments: ...
    def few_values(self, most: int) -> FewValues: ...
    def values_of(self, place: int) -> ValueCounts: ...


class FittedDiscretizer:
    """How each column becomes states.

    n_states : (n_columns,) how many states each column has
    is_complete : (n_columns,) whether every row is in one
    """

    def __init__(self, discretizer: Discretizer, known: Outline) -> None:
        self.discretizer = discretizer
        self.others = known.others
        self.n_states: Codes = np.ones(known.n_features, dtype=np.int32)
        self._missing = known.missing
        self._is_state = np.zeros(known.n_features, dtype=bool)
        self._is_state[list(known.categorical_columns)] = True
        self._lowest, highest = known.extent
        is_other = np.zeros(known.n_features, dtype=bool)
        is_other[known.others] = True
        span = highest - self._lowest + 1
        is_natural = ~is_other & self._is_as_it_is(span)
        self._as_they_are: Indices = np.flatnonzero(is_natural)
        self.n_states[is_natural] = span[is_natural]
        self._looked_up: Indices = np.flatnonzero(~is_other & ~is_natural)
        self._states_of_bytes = self._learn_bytes(known.byte_counts(self._looked_up))
        #: Of columns each of whose values is a state, or whose limits are quantiles: the limits that part their states.
        self._own_limits: dict[int, Floats] = {}
        self._limits: Floats = np.zeros((len(self.others), 1))
        self._n_limits: Codes = np.zeros(len(self.others), dtype=np.int32)
        if len(self.others):
            self._learn_others(known)
        if discretizer.missing == "state":
            #: The state of what is missing.
            self._missing_states = self.n_states.copy()
            self.n_states[self._missing > 0] += 1

    @property
    def is_complete(self) -> Mask:
        is_complete: Mask = (self._missing == 0) | (self.discretizer.missing == "state")
        return is_complete

    def _is_as_it_is(self, span: Integers) -> Mask:
        """Which columns' bytes are states as they stand; whole numbers between them that no row holds do no harm."""
        if self.discretizer.discretize == "auto":
            most = np.where(self._is_state, _FEW_CODES, FEW_VALUES)
        else:
            most = np.where(self._is_state | (self.discretizer.discretize is None), _FEW_CODES, 0)
        has_gaps = (self._missing > 0) & (self.discretizer.missing == "state")
        is_as_it_is: Mask = (span > 0) & (span <= most) & ~has_gaps
        return is_as_it_is

    def _learn_bytes(self, counts: Integers) -> NDArray[np.uint8]:
        """The state of each whole number from the lowest on, for the columns whose bytes are not their states."""
        columns, lowest = self._looked_up, self._lowest[self._looked_up]
        known = of_table(counts, np.where(counts.any(axis=1), lowest, 0))
        states, n_states = self.discretizer.states_of(known, self._is_state[columns], columns)
        if n_states.max(initial=0) >= MISSING_BYTE - 1:
            states, n_states = _closed_up(states, known)
        self.n_states[columns] = n_states
        states_of_bytes = np.full((len(columns), 256), MISSING_BYTE, dtype=np.uint8)
        states_of_bytes[np.nonzero(counts)] = states
        return states_of_bytes

    def _learn_others(self, known: Outline) -> None:
        """The limits that part the states of each column of other numbers."""
        columns = self.others
        has_own = self._is_state[columns] | (self.discretizer.discretize in (None, "frequency"))
        is_few = np.zeros(len(columns), dtype=bool)
        if self.discretizer.discretize == "auto":
            few = known.few_values(FEW_VALUES)
            is_few = few.counts > 0
            self._limits, self._n_limits = few.values, np.maximum(few.counts - 1, 0)
        for place in np.flatnonzero(has_own & ~is_few).tolist():
            self._own_limits[place] = self._limits_of(known.values_of(place), columns[[place]])
        to_cut = np.flatnonzero(~has_own & ~is_few)
        if len(to_cut):
            moments = known.moments_of_others()
            mean, spread = moments.mean_and_spread()
            lowest, highest = moments.lowest[to_cut], moments.highest[to_cut]
            limits = self.discretizer.limits(mean[to_cut], spread[to_cut], lowest, highest, columns[to_cut])
            width = max(limits.shape[1], self._limits.shape[1])
            self._limits = np.pad(self._limits, ((0, 0), (0, width - self._limits.shape[1])))
            self._limits[to_cut, : limits.shape[1]] = limits
            self._n_limits[to_cut] = np.where(highest > lowest, limits.shape[1], 0)
        self.n_states[columns] = self._n_limits + 1
        for place, limits in self._own_limits.items():
            self.n_states[columns[place]] = len(limits) + 1

    def _limits_of(self, known: ValueCounts, column: Indices) -> Floats:
        states, _ = self.discretizer.states_of(known, self._is_state[column], column)
        limits: Floats = known.values[:-1][states[1:] > states[:-1]]
        return limits

    @property
    def base(self) -> Integers:
        """What a byte of 0 shall stand for in each column, so that all of its values fit."""
        return np.where(self._lowest == NO_VALUE, 0, self._lowest)

    def runs(self, piece: StatePiece) -> Iterator[CodedRun]:
        """Rows as codes, some columns at a time."""
        if piece.table is not None:
            yield from self._runs_of_bytes(piece.table)
        if len(self.others):
            yield self._run_of_others(piece.values)

    def _runs_of_bytes(self, table: ByteTable) -> Iterator[CodedRun]:
        columns = self._as_they_are
        if len(columns):
            codes = table.codes if len(columns) == len(table.codes) else table.codes[columns]
            yield CodedRun(columns, codes, (self._lowest - table.base)[columns])
        columns = self._looked_up
        if len(columns):
            tables = moved(self._states_of_bytes, (self._lowest - table.base)[columns], MISSING_BYTE)
            tables[:, MISSING_BYTE] = self._code_of_missing(columns, MISSING_BYTE)
            codes = np.empty((len(columns), table.codes.shape[1]), dtype=np.uint8)
            for place, column in enumerate(columns):
                np.take(tables[place], table.codes[column], out=codes[place])
            yield CodedRun(columns, codes, np.zeros(len(columns), dtype=np.int64))

    def _run_of_others(self, values: NDArray[np.floating]) -> CodedRun:
        columns = self.others
        dtype = np.uint8 if self.n_states[columns].max() < MISSING_BYTE else np.uint16
        missing = np.iinfo(dtype).max
        codes = np.empty((len(columns), len(values)), dtype=dtype)
        encode_columns(values, self._limits, self._n_limits, codes, thread_count())
        for place, limits in self._own_limits.items():
            column = values[:, place].astype(np.float64)
            codes[place] = np.where(np.isnan(column), missing, np.searchsorted(limits, column))
        if self.discretizer.missing == "state":
            for place in np.flatnonzero(self._missing[columns] > 0).tolist():
                codes[place][codes[place] == missing] = self._missing_states[columns[place]]
        return CodedRun(columns, codes, np.zeros(len(columns), dtype=np.int64))

    def _code_of_missing(self, columns: Indices, otherwise: int) -> Integers:
        if self.discretizer.missing == "pairwise":
            return np.full(len(columns), otherwise)
        return np.where(self._missing[columns] > 0, self._missing_states[columns], otherwise)


def _closed_up(states: Integers, known: ValueCounts) -> tuple[Integers, Codes]:
    """The states without those that no value is in."""
    is_next = np.zeros(len(states), dtype=np.int64)
    is_next[1:] = states[1:] != states[:-1]
    is_next[known.places == 0] = 0
    so_far = np.cumsum(is_next)
    closed = so_far - np.repeat(so_far[known.places == 0], known.n_values[known.n_values > 0])
    n_states = np.ones(len(known.n_values), dtype=np.int32)
    np.maximum.at(n_states, known.columns, closed.astype(np.int32) + 1)
    return closed, n_states
