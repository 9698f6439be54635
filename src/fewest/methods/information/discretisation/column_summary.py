"""The first of two passes over rows: what fitting a discretizer needs to know of each column."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fewest.arrays import Floats, Indices, Integers, Mask
from fewest.data.block import Block
from fewest.errors import InvalidInput
from fewest.methods.information.discretisation.value_counts import ByteTable, FewValues, ValueCounts, repetitions, shift
from fewest.statistics.class_moments import ClassMoments, WithMoments


class _Summary(NamedTuple):
    """Of each byte column the counts of integers from the lowest on, and of each column the values as in FewValues.

    fits : whether each column is a byte column
    counts : a line for each of these
    """

    counts: Integers
    lowest: Integers
    highest: Integers
    fits: Mask
    few_values: Floats
    are_few: Mask

    @classmethod
    def of_no_rows(cls, n_columns: int) -> _Summary:
        range_ = np.full(n_columns, ByteTable.NO_VALUE), np.full(n_columns, -ByteTable.NO_VALUE)
        few = FewValues.of_no_rows(n_columns)
        counts = np.zeros((n_columns, 256), dtype=np.int64)
        return cls(counts, *range_, np.ones(n_columns, dtype=bool), few.values, few.are_few)

    @classmethod
    def of_rows(cls, values: NDArray[np.floating]) -> _Summary:
        table = ByteTable.without_classes(values)
        bytes_, floats = np.flatnonzero(table.fits), np.flatnonzero(~table.fits)
        lowest, highest = table.value_range()
        counts = table.value_counts(bytes_, lowest[bytes_])
        few = FewValues.of_no_rows(len(lowest))
        of_floats = FewValues.of_rows(values if len(bytes_) == 0 else values[:, floats])
        for columns, own in ((bytes_, FewValues.of_table(counts, lowest[bytes_])), (floats, of_floats)):
            few.values[columns], few.are_few[columns] = own.values, own.are_few
        lowest[floats], highest[floats] = ByteTable.NO_VALUE, -ByteTable.NO_VALUE
        return cls(counts, lowest, highest, table.fits, few.values, few.are_few)

    @property
    def is_open(self) -> bool:
        """Whether more rows can change anything: not where all columns hold fractions, or many values far apart."""
        return bool((self.fits | self.are_few).any())

    def counts_of(self, columns: Indices) -> Integers:
        """Return the counts of some byte columns."""
        counts: Integers = self.counts[(np.cumsum(self.fits) - 1)[columns]]
        return counts

    def merged(self, other: _Summary) -> _Summary:
        lowest, highest = np.minimum(self.lowest, other.lowest), np.maximum(self.highest, other.highest)
        fits = self.fits & other.fits & (highest - lowest < ByteTable.MAX_RANGE)
        both = np.flatnonzero(fits)
        counts = np.zeros((len(both), 256), dtype=np.int64)
        for one in (self, other):
            counts += shift(one.counts_of(both), (one.lowest - lowest)[both])
        few = FewValues(self.few_values, self.are_few).merged(FewValues(other.few_values, other.are_few))
        return _Summary(counts, lowest, highest, fits, few.values, few.are_few)


class ColumnSummary(WithMoments):
    """What fitting a discretizer needs to know of columns whose rows are not kept, as in CategoricalRows.

    Memory: the moments of each column, 256 counts of a byte column, one for each category of text. Cost: one read.

    Attributes
    ----------
    moments : ClassMoments of all columns
    class_weights : (n_classes,) the number of rows in each class, a row of weight 2 being two
    """

    is_columnwise = True
    takes_integers = True

    def __init__(self) -> None:
        super().__init__()
        self.categorical_columns: Sequence[int] = ()
        self.class_weights: Floats = np.zeros(0)
        self._columns = _Summary.of_no_rows(0)
        #: The number of rows with each code, of every column of text.
        self._code_counts: dict[int, Integers] = {}

    @property
    def missing(self) -> Integers:
        return self.moments.missing

    @property
    def float_columns(self) -> Indices:
        return np.flatnonzero(~self._columns.fits)

    @property
    def value_range(self) -> tuple[Integers, Integers]:
        return self._columns.lowest, self._columns.highest

    def byte_counts(self, columns: Indices) -> Integers:
        return self._columns.counts_of(columns)

    def float_moments(self) -> ClassMoments:
        return self.moments.only(self.float_columns)

    def few_values(self) -> FewValues:
        return FewValues(self._columns.few_values[self.float_columns], self._columns.are_few[self.float_columns])

    def values_of(self, index: int) -> ValueCounts:
        column = int(self.float_columns[index])
        if column not in self._code_counts:
            raise InvalidInput("The distinct values of a column of numbers are known only where rows are kept.")
        counts = self._code_counts[column]
        codes = np.flatnonzero(counts)
        return ValueCounts(np.array([0, len(codes)]), codes.astype(np.float64), counts[codes])

    def empty(self) -> Self:
        return type(self)()

    def pass_key(self) -> Hashable:
        return ()

    def update(self, block: Block) -> None:
        """Add the rows of a block; an error names the first infinite value."""
        if block.weights is not None and not block.weights.all():
            block = block.take(np.flatnonzero(block.weights))
        if sparse.issparse(block.values):
            raise InvalidInput("Sparse rows are kept, not summarised.")
        numbers = block.as_floats()
        self.add_moments(numbers)
        times = repetitions(block.weights)
        values = numbers.values if times is None else np.repeat(numbers.values, times, axis=0)
        class_weights = np.bincount(block.codes, block.weights, len(block.classes)).astype(np.float64)
        self._add_class_weights(class_weights, block.classes)
        if self._columns.is_open or len(self._columns.fits) != self.n_features:
            self._add_columns(_Summary.of_rows(values))
        self.categorical_columns = block.categorical_columns
        for column in block.categorical_columns:
            codes = values[:, column]
            self._add_codes(column, np.bincount(codes[~np.isnan(codes)].astype(np.intp)))

    def merge(self, other: Self) -> None:
        self.moments.merge(other.moments)
        if other.n_features:
            self._add_class_weights(other.class_weights, other.classes)
            self._add_columns(other._columns)
            self.categorical_columns = other.categorical_columns or self.categorical_columns
            for column, counts in other._code_counts.items():
                self._add_codes(column, counts)

    def join(self, parts: Sequence[Self]) -> Self:
        joined = self.empty()
        joined.moments = self.moments.join([part.moments for part in parts])
        joined.class_weights = parts[0].class_weights
        joined._columns = _Summary(*map(np.concatenate, zip(*(part._columns for part in parts), strict=True)))
        starts = np.cumsum([0, *(part.n_features for part in parts[:-1])]).tolist()
        with_starts = zip(parts, starts, strict=True)
        for part, start in with_starts:
            joined.categorical_columns = [*joined.categorical_columns, *(start + c for c in part.categorical_columns)]
            joined._code_counts |= {start + c: counts for c, counts in part._code_counts.items()}
        return joined

    def _add_codes(self, column: int, counts: Integers) -> None:
        before = self._code_counts.get(column, np.zeros(0, dtype=np.int64))
        total = np.zeros(max(len(before), len(counts)), dtype=np.int64)
        total[: len(before)] += before
        total[: len(counts)] += counts
        self._code_counts[column] = total

    def _add_columns(self, columns: _Summary) -> None:
        is_first = len(self._columns.fits) != self.n_features
        self._columns = (_Summary.of_no_rows(self.n_features) if is_first else self._columns).merged(columns)

    def _add_class_weights(self, class_weights: Floats, classes: Sequence[object]) -> None:
        total = np.zeros(len(self.classes))
        total[: len(self.class_weights)] = self.class_weights
        np.add.at(total, self.class_indices(classes), class_weights)
        self.class_weights = total
