"""The values of columns: distinct values with their counts, and integers of a narrow range as bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fewest._core import byte_counts, few_distinct, room_for_bytes, to_bytes
from fewest.arrays import Codes, Floats, Hashes, Indices, Integers, Mask
from fewest.data.block import Block
from fewest.errors import InvalidInput
from fewest.threads import thread_count

Numbers = TypeVar("Numbers", bound=np.number)

#: The largest total of weights that are repetitions.
_MAX_REPETITIONS = 1 << 31


@dataclass(frozen=True)
class ValueCounts:
    """The distinct values of each column in ascending order, and the number of rows with each; missing ones left out.

    starts : (n_columns + 1,) where the values of each column begin
    values, counts : those of all columns, one column after the other
    """

    starts: Integers
    values: Floats
    counts: Integers

    @classmethod
    def of_table(cls, counts: Integers, lowest: Integers) -> ValueCounts:
        """Return the values of columns of which counts[i, k] rows hold lowest[i] + k."""
        columns, offsets = np.nonzero(counts)
        starts = np.searchsorted(columns, np.arange(len(counts) + 1))
        return cls(starts, (lowest[columns] + offsets).astype(np.float64), counts[columns, offsets])

    @classmethod
    def of_column(cls, values: NDArray[np.floating]) -> ValueCounts:
        """Return the values of one column."""
        distinct, counts = np.unique(values[~np.isnan(values)], return_counts=True)
        return cls(np.array([0, len(distinct)]), distinct.astype(np.float64), counts)

    @classmethod
    def of_sparse(cls, matrix: sparse.csc_matrix) -> tuple[ValueCounts, Integers, Integers]:
        """Return the values of a CSC matrix, each entry stored once, and indices into them.

        The indices are those of each stored entry, column by column, -1 where it is missing; and those of the zeros of
        each column, -1 where every row is stored.
        """
        n_rows, n_columns = matrix.shape
        n_stored = np.diff(matrix.indptr)
        observed = np.flatnonzero(~np.isnan(matrix.data))
        with_zeros = np.flatnonzero(n_stored < n_rows)
        columns = np.concatenate([np.repeat(np.arange(n_columns), n_stored)[observed], with_zeros])
        values = np.concatenate([matrix.data[observed].astype(np.float64), np.zeros(len(with_zeros))])
        times = np.concatenate([np.ones(len(observed), dtype=np.int64), n_rows - n_stored[with_zeros]])
        order = np.lexsort((values, columns))
        columns, values = columns[order], values[order]
        is_new = np.ones(len(order), dtype=bool)
        is_new[1:] = (columns[1:] != columns[:-1]) | (values[1:] != values[:-1])
        which = np.cumsum(is_new) - 1
        index = np.empty(len(order), dtype=np.int64)
        index[order] = which
        counts = np.bincount(which, times[order], minlength=int(is_new.sum())).astype(np.int64)
        starts = np.searchsorted(columns[is_new], np.arange(n_columns + 1))
        of_entry, of_zero = np.full(len(matrix.data), -1), np.full(n_columns, -1)
        of_entry[observed], of_zero[with_zeros] = index[: len(observed)], index[len(observed) :]
        return cls(starts, values[is_new], counts), of_entry, of_zero

    @property
    def n_values(self) -> Integers:
        """The number of distinct values of each column."""
        return np.diff(self.starts)

    @property
    def columns(self) -> Integers:
        """The column of each value."""
        return np.repeat(np.arange(len(self.starts) - 1), self.n_values)

    @property
    def ranks(self) -> Integers:
        """The rank of each value within its column, from 0."""
        return np.arange(len(self.values)) - np.repeat(self.starts[:-1], self.n_values)

    @property
    def lowest(self) -> Floats:
        """The lowest value of each column; infinite where it has none."""
        return self._at(self.starts[:-1], np.inf)

    @property
    def highest(self) -> Floats:
        """The highest value of each column; minus infinity where it has none."""
        return self._at(self.starts[1:] - 1, -np.inf)

    def total(self) -> Integers:
        """Return the number of rows with a value, for each column."""
        ends = np.concatenate([[0], np.cumsum(self.counts)])
        return np.diff(ends[self.starts])

    def mean_and_spread(self) -> tuple[Floats, Floats]:
        """Return the mean of each column and its standard deviation (n - 1); NaN where it has no value.

        Sums run about a value of the column, so integers, and equal values, lose nothing.
        """
        n_values, total = self.n_values, self.total().astype(np.float64)
        middle = np.zeros(len(total))
        middle[n_values > 0] = self.values[(self.starts[:-1] + n_values // 2)[n_values > 0]]
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            from_middle = self.values - np.repeat(middle, n_values)
            sums = self._sums(self.counts * from_middle)
            squares = self._sums(self.counts * from_middle * from_middle)
            # n (sum of squares) - (sum)^2 is exact as long as its parts are integers that a float can hold.
            scatter = np.maximum(total * squares - sums * sums, 0.0) / (total * np.maximum(total - 1, 1))
            return middle + sums / total, np.sqrt(scatter)

    def lower_quantiles(self, shares: Floats) -> Floats:
        """Return, for each column and share, the quantile rounded down to a value of the column."""
        ends = np.cumsum(self.counts)
        before = np.concatenate([[0], ends])[self.starts[:-1]]
        rows = before[:, None] + np.floor(shares * (self.total()[:, None] - 1)).astype(np.int64)
        at = np.minimum(np.searchsorted(ends, rows, side="right"), max(len(self.values) - 1, 0))
        quantiles: Floats = self.values[at] if len(self.values) else np.zeros(rows.shape)
        return quantiles

    def _sums(self, of_values: Floats) -> Floats:
        sums: Floats = np.bincount(self.columns, weights=of_values, minlength=len(self.starts) - 1).astype(np.float64)
        return sums

    def _at(self, indices: Integers, otherwise: float) -> Floats:
        found = np.full(len(indices), otherwise)
        has_any = self.n_values > 0
        found[has_any] = self.values[indices[has_any]]
        return found


@dataclass(frozen=True)
class FewValues:
    """The distinct values of each column, as long as they are integers and at most LIMIT.

    values : (n_columns, LIMIT) ascending; infinite after the last
    are_few : (n_columns,) whether these are all there are
    """

    LIMIT: ClassVar[int] = 10

    values: Floats
    are_few: Mask

    @classmethod
    def of_no_rows(cls, n_columns: int) -> FewValues:
        """Return the empty one: columns without any value."""
        return cls(np.full((n_columns, cls.LIMIT), np.inf), np.ones(n_columns, dtype=bool))

    @classmethod
    def of_rows(cls, rows: NDArray[np.floating]) -> FewValues:
        """Return the values of rows by columns."""
        n_columns = rows.shape[1]
        values, counts = np.zeros((n_columns, cls.LIMIT)), np.zeros(n_columns, dtype=np.int32)
        few_distinct(rows, True, values, counts, thread_count())
        are_few = (counts >= 0) & (counts <= cls.LIMIT)
        values[(np.arange(cls.LIMIT) >= counts[:, None]) | ~are_few[:, None]] = np.inf
        return cls(values, are_few)

    @classmethod
    def of_table(cls, counts: Integers, lowest: Integers) -> FewValues:
        """Return the values of columns of which counts[i, k] rows hold lowest[i] + k."""
        is_held = counts > 0
        held_first = np.argsort(~is_held, axis=1, kind="stable")[:, : cls.LIMIT]
        n_held = is_held.sum(axis=1)
        values = np.where(np.arange(cls.LIMIT) < n_held[:, None], lowest[:, None] + held_first, np.inf)
        return cls(values, n_held <= cls.LIMIT)

    @property
    def counts(self) -> Codes:
        """The number of values of each column; 0 where there are more than LIMIT, or none."""
        return np.where(self.are_few, np.isfinite(self.values).sum(axis=1), 0).astype(np.int32)

    def merged(self, other: FewValues) -> FewValues:
        """Return the values of the rows of both."""
        merged, few = FewValues.of_no_rows(len(self.values)), np.flatnonzero(self.are_few & other.are_few)
        together = np.sort(np.hstack([self.values[few], other.values[few]]), axis=1)
        together[:, 1:][together[:, 1:] == together[:, :-1]] = np.inf
        together.sort(axis=1)
        merged.are_few[:] = False
        merged.are_few[few] = ~np.isfinite(together[:, self.LIMIT :]).any(axis=1)
        merged.values[few] = together[:, : self.LIMIT]
        return merged


@dataclass(frozen=True)
class ByteTable:
    """Integer columns of a narrow range, a byte a value.

    codes : (n_features, n_rows) the value less its column's base; MISSING where it is missing
    base : (n_features,) the value that a byte of 0 stands for
    lowest, highest_next : (n_features,) the lowest byte, and one more than the highest (0 where nothing was observed)
    fits : (n_features,) whether the column fits bytes; of the others nothing here is of use
    missing, checksums : (n_features,) as in ClassMoments
    """

    MISSING: ClassVar[int] = 255
    #: The highest value less the lowest is below this in a column that fits bytes.
    MAX_RANGE: ClassVar[int] = 254
    #: The lowest value of a column without any; the highest is minus this.
    NO_VALUE: ClassVar[int] = 1 << 40

    codes: NDArray[np.uint8]
    base: Integers
    lowest: NDArray[np.uint8]
    highest_next: NDArray[np.uint8]
    fits: Mask
    missing: Integers
    checksums: Hashes

    @classmethod
    def of(cls, values: NDArray[Any], codes: Codes, class_keys: Hashes, base: Integers | None = None) -> ByteTable:
        """Return the bytes of these rows.

        codes, class_keys : the class of each row, and each class's factor in the checksums
        base : the value that a byte of 0 stands for in each column; chosen by the first rows by default
        """
        n_rows, n_columns = values.shape
        kinds = (np.int64, np.uint8, np.uint8, bool, np.int64, np.uint64)
        table = cls(room_for_bytes(n_columns, n_rows), *(np.empty(n_columns, dtype=kind) for kind in kinds))
        if base is not None:
            table.base[:] = base
        to_bytes(
            values, codes, class_keys, table.base, table.fits, table.lowest, table.highest_next, table.missing,
            table.checksums, table.codes, base is not None, thread_count(),
        )  # fmt: skip
        return table

    @classmethod
    def without_classes(cls, values: NDArray[Any], base: Integers | None = None) -> ByteTable:
        """Return the same where checksums are not needed."""
        return cls.of(values, np.zeros(len(values), dtype=np.int32), np.ones(1, dtype=np.uint64), base)

    def numbers(self, columns: Indices) -> Floats:
        """Return the values of these columns, rows by columns."""
        codes = self.codes[columns].T
        return np.where(codes == self.MISSING, np.nan, codes + self.base[columns].astype(np.float64))

    def value_range(self) -> tuple[Integers, Integers]:
        """Return the lowest and the highest value of each column; NO_VALUE and -NO_VALUE where there is none."""
        has_any = self.highest_next > 0
        lowest = np.where(has_any, self.base + self.lowest, self.NO_VALUE)
        highest = np.where(has_any, self.base + self.highest_next - 1, -self.NO_VALUE)
        return lowest, highest

    def value_counts(self, columns: Indices, lowest: Integers) -> Integers:
        """Return the number of rows that hold each integer from these lowest ones on: columns by 256."""
        counts = np.zeros((len(columns), 256), dtype=np.int64)
        byte_counts(self.codes, columns, counts, thread_count())
        counts[:, self.MISSING] = 0
        return shift(counts, self.base[columns] - lowest)


def shift(tables: NDArray[Numbers], by: Integers, fill: int = 0) -> NDArray[Numbers]:
    """Return each table of 256 numbers shifted to the right; what leaves it is dropped."""
    sources = np.arange(256) - by[:, None]
    is_inside = (sources >= 0) & (sources < 256)
    out: NDArray[Numbers] = np.where(is_inside, np.take_along_axis(tables, np.clip(sources, 0, 255), axis=1), fill)
    return out


def repetitions(weights: Floats | None) -> Indices | None:
    """Return how often each row counts, None where each counts once; raise where a weight is not an integer."""
    if weights is None or (weights == 1.0).all():
        return None
    times = np.rint(weights)
    if np.any(times != weights) or times.sum() > _MAX_REPETITIONS:
        raise InvalidInput(
            "Mutual information counts rows, so a sample_weight must be a whole number: how often the row counts. "
            "Round the weights, or leave them out."
        )
    return times.astype(np.intp)


def repeated(block: Block) -> Block:
    """Return each row of a block as often as its weight says."""
    times = repetitions(block.weights)
    return block if times is None else block.take(np.repeat(np.arange(block.n_rows), times))
