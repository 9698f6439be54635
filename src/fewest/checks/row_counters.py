"""Columns that count the rows: a value that grows by the same amount from each row to the next."""

from __future__ import annotations

from typing import Self

import numpy as np
from scipy import sparse

from fewest.arrays import Floats, Indices, Mask
from fewest.data.block import Block

#: Rows that are looked at first: they rule out nearly every column.
_FIRST_ROWS = 8
#: Rounding of values with decimals, in steps.
_TOLERANCE = 1e-6


class RowCounters:
    """Which columns are a linear function of the row number, over all rows added, in whatever order they come.

    Memory: a few numbers a column. Cost: some rows of every block, and all rows of the columns that are still linear.
    """

    def __init__(self, n_columns: int) -> None:
        self.n_rows = 0
        self.is_linear: Mask = np.ones(n_columns, dtype=bool)
        #: One row, the values there, and the difference from one row to the next; NaN where only one row is known.
        self._row = 0
        self._values: Floats = np.zeros(n_columns)
        self._steps: Floats = np.full(n_columns, np.nan)

    @property
    def steps(self) -> Floats:
        """The difference from one row to the next; NaN where a column does not count the rows."""
        return np.where(self.is_linear, self._steps, np.nan)

    def empty(self) -> Self:
        return type(self)(len(self.is_linear))

    def update(self, block: Block) -> None:
        """Add the rows of a block."""
        if block.n_rows == 0:
            return
        other = self.empty()
        other._fit(block)
        self.merge(other)

    def _fit(self, block: Block) -> None:
        numbers = block.all_row_numbers()
        self.n_rows, self._row = block.n_rows, int(numbers[0])
        columns = np.arange(len(self.is_linear))
        for n_rows in (min(_FIRST_ROWS, block.n_rows), block.n_rows):
            values = self._dense(block, slice(0, n_rows), columns)
            self._values[columns] = values[0]
            if n_rows > 1:
                passed = numbers[:n_rows] - numbers[0]
                steps = (values[-1] - values[0]) / passed[-1]
                self._steps[columns] = steps
                is_linear = (steps != 0) & _is_line(values, passed, steps)
                self.is_linear[columns[~is_linear]] = False
                columns = columns[is_linear]
        self.is_linear &= np.isfinite(self._values)

    def _dense(self, block: Block, rows: slice, columns: Indices) -> Floats:
        if not sparse.issparse(block.values):
            return np.asarray(block.values[rows][:, columns], dtype=np.float64)
        return np.asarray(block.values[rows][:, columns].toarray(), dtype=np.float64)

    def merge(self, other: Self) -> None:
        if other.n_rows == 0:
            return
        if self.n_rows == 0:
            self.n_rows, self._row = other.n_rows, other._row
            self.is_linear, self._values, self._steps = (
                other.is_linear.copy(),
                other._values.copy(),
                other._steps.copy(),
            )
            return
        self.n_rows += other.n_rows
        passed = other._row - self._row
        if passed == 0:
            self.is_linear[:] = False
            return
        between = (other._values - self._values) / passed
        near = _TOLERANCE * np.abs(between) + 1e-12 * np.maximum(np.abs(self._values), np.abs(other._values))
        self.is_linear &= other.is_linear & (between != 0)
        for steps in (self._steps, other._steps):
            self.is_linear &= np.isnan(steps) | (np.abs(steps - between) <= near)
        self._steps = between

    def join(self, others: list[Self]) -> Self:
        """Return the counters of all columns from those of consecutive groups of columns."""
        joined = type(self)(sum(len(one.is_linear) for one in others))
        joined.n_rows, joined._row = others[0].n_rows, others[0]._row
        joined.is_linear = np.concatenate([one.is_linear for one in others])
        joined._values = np.concatenate([one._values for one in others])
        joined._steps = np.concatenate([one._steps for one in others])
        return joined


def _is_line(values: Floats, passed: Indices, steps: Floats) -> Mask:
    """Whether each column rises by the same step with every row; a missing value makes it no line."""
    with np.errstate(invalid="ignore", over="ignore"):
        off = np.abs(values - (values[0] + passed[:, None] * steps)).max(axis=0)
        return np.asarray(off <= _TOLERANCE * np.abs(steps) + 1e-12 * np.abs(values).max(axis=0))
