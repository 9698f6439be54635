"""The distinct values of columns, and how many rows hold each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fewest.arrays import Floats, Integers


@dataclass(frozen=True)
class ValueCounts:
    """The distinct values of some columns, ascending, and how many rows hold each; missing ones are not among them.

    starts : (n_columns + 1,) where the values of each column begin; a column without values has none
    values, counts : of all columns, one after the other
    """

    starts: Integers
    values: Floats
    counts: Integers

    @property
    def n_values(self) -> Integers:
        """How many distinct values each column has."""
        return np.diff(self.starts)

    @property
    def columns(self) -> Integers:
        """The column of each value."""
        return np.repeat(np.arange(len(self.starts) - 1), self.n_values)

    @property
    def places(self) -> Integers:
        """Which of its column's values each is: 0, 1, ..."""
        return np.arange(len(self.values)) - np.repeat(self.starts[:-1], self.n_values)

    @property
    def lowest(self) -> Floats:
        """Of each column; infinite where it has no value."""
        return self._at(self.starts[:-1], np.inf)

    @property
    def highest(self) -> Floats:
        return self._at(self.starts[1:] - 1, -np.inf)

    def total(self) -> Integers:
        """How many rows hold a value, for each column."""
        ends = np.concatenate([[0], np.cumsum(self.counts)])
        return np.diff(ends[self.starts])

    def mean_and_spread(self) -> tuple[Floats, Floats]:
        """The mean of each column, and its standard deviation over n - 1; NaN where it has no value.

        Sums run about a value of the column, so whole numbers, and equal ones, lose nothing.
        """
        n_values, total = self.n_values, self.total().astype(np.float64)
        middle = np.zeros(len(total))
        middle[n_values > 0] = self.values[(self.starts[:-1] + n_values // 2)[n_values > 0]]
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            from_middle = self.values - np.repeat(middle, n_values)
            sums = self._sums(self.counts * from_middle)
            squares = self._sums(self.counts * from_middle * from_middle)
            # n (sum of squares) - (sum)^2 is exact as long as its parts are whole numbers that a float can hold.
            scatter = np.maximum(total * squares - sums * sums, 0.0) / (total * np.maximum(total - 1, 1))
            return middle + sums / total, np.sqrt(scatter)

    def lower_quantiles(self, shares: Floats) -> Floats:
        """For each column and share the value at that share of its rows, rounded down to one that is there."""
        ends = np.cumsum(self.counts)
        before = np.concatenate([[0], ends])[self.starts[:-1]]
        wanted = before[:, None] + np.floor(shares * (self.total()[:, None] - 1)).astype(np.int64)
        at = np.minimum(np.searchsorted(ends, wanted, side="right"), max(len(self.values) - 1, 0))
        quantiles: Floats = self.values[at] if len(self.values) else np.zeros(wanted.shape)
        return quantiles

    def _sums(self, of_values: Floats) -> Floats:
        sums: Floats = np.bincount(self.columns, weights=of_values, minlength=len(self.starts) - 1).astype(np.float64)
        return sums

    def _at(self, places: Integers, otherwise: float) -> Floats:
        found = np.full(len(places), otherwise)
        has_any = self.n_values > 0
        found[has_any] = self.values[places[has_any]]
        return found


def of_table(counts: Integers, lowest: Integers) -> ValueCounts:
    """From counts of whole numbers: of column i, counts[i, k] rows hold lowest[i] + k."""
    columns, places = np.nonzero(counts)
    starts = np.searchsorted(columns, np.arange(len(counts) + 1))
    return ValueCounts(starts, (lowest[columns] + places).astype(np.float64), counts[columns, places])


def of_column(values: NDArray[np.floating]) -> ValueCounts:
    """From the values of one column."""
    distinct, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    return ValueCounts(np.array([0, len(distinct)]), distinct.astype(np.float64), counts)


class ListedValues(NamedTuple):
    """The values of a sparse matrix, each as a place among those of its column."""

    known: ValueCounts
    #: Of each stored entry, column by column: which value of all it is; -1 where it is missing.
    of_entry: Integers
    #: Of each column: which value of all zero is; -1 where every row is stored.
    of_zero: Integers


def of_sparse(matrix: Any) -> ListedValues:
    """From the columns of a CSC matrix, each entry stored once; what is not stored is zero."""
    n_rows, n_columns = matrix.shape
    n_stored = np.diff(matrix.indptr)
    seen = np.flatnonzero(~np.isnan(matrix.data))
    with_zeros = np.flatnonzero(n_stored < n_rows)
    columns = np.concatenate([np.repeat(np.arange(n_columns), n_stored)[seen], with_zeros])
    values = np.concatenate([matrix.data[seen].astype(np.float64), np.zeros(len(with_zeros))])
    times = np.concatenate([np.ones(len(seen), dtype=np.int64), n_rows - n_stored[with_zeros]])
    order = np.lexsort((values, columns))
    columns, values = columns[order], values[order]
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = (columns[1:] != columns[:-1]) | (values[1:] != values[:-1])
    which = np.cumsum(is_new) - 1
    place = np.empty(len(order), dtype=np.int64)
    place[order] = which
    counts = np.bincount(which, times[order], minlength=int(is_new.sum())).astype(np.int64)
    known = ValueCounts(np.searchsorted(columns[is_new], np.arange(n_columns + 1)), values[is_new], counts)
    of_entry, of_zero = np.full(len(matrix.data), -1), np.full(n_columns, -1)
    of_entry[seen], of_zero[with_zeros] = place[: len(seen)], place[len(seen) :]
    return ListedValues(known, of_entry, of_zero)
