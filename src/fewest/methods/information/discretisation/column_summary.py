"""The first of two passes over rows: what fitting a discretizer needs to know of each column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from scipy import sparse

from fewest.arrays import Floats, Indices, Integers, Mask
from fewest.data.block import Block
from fewest.errors import InvalidInput
from fewest.methods.information.discretisation.byte_table import MAX_RANGE, NO_VALUE, ByteTable, shifted
from fewest.methods.information.discretisation.discretizer import FEW_VALUES
from fewest.methods.information.discretisation.value_counts import FewValues, ValueCounts, repetitions
from fewest.statistics.class_moments import ClassMoments, WithMoments


class ColumnSummary(WithMoments):
    """What fitting a discretizer needs to know of columns whose rows are not kept.

    The counts of integers of a narrow range, the distinct values of other columns of few integers, and the moments.

    Memory: 256 counts a column, and its moments. Cost: one read.

    Attributes
    ----------
    moments : ClassMoments of all columns
    float_columns : the columns that do not hold integers of a narrow range only, ascending
    class_weights : (n_classes,) the number of rows in each class, a row of weight 2 being two
    """

    is_columnwise = True
    takes_integers = True

    def __init__(self, max_values: int = FEW_VALUES) -> None:
        super().__init__()
        self.max_values = max_values
        self.categorical_columns: Sequence[int] = ()
        self._allocate(0)
        self.class_weights: Floats = np.zeros(0)

    def _allocate(self, n_features: int) -> None:
        self._counts: Integers = np.zeros((n_features, 256), dtype=np.int64)
        self._lowest: Integers = np.full(n_features, NO_VALUE)
        self._highest: Integers = np.full(n_features, -NO_VALUE)
        self._fits: Mask = np.ones(n_features, dtype=bool)
        self._few = FewValues.of_no_rows(n_features, self.max_values)

    @property
    def missing(self) -> Integers:
        """The number of missing values of each column."""
        return self.moments.missing

    @property
    def float_columns(self) -> Indices:
        return np.flatnonzero(~self._fits)

    @property
    def value_range(self) -> tuple[Integers, Integers]:
        """The lowest and the highest value of each byte column; as in ByteTable where there is none."""
        return self._lowest, self._highest

    def byte_counts(self, columns: Indices) -> Integers:
        """Return the number of rows that hold each integer from the lowest on, of byte columns: columns by 256."""
        counts: Integers = self._counts[columns]
        return counts

    def float_moments(self) -> ClassMoments:
        """Return the moments of the float columns."""
        return self.moments.only(self.float_columns)

    def few_values(self, limit: int) -> FewValues:
        """Return the distinct values of the float columns, where they are few integers."""
        if limit != self.max_values:
            raise ValueError(f"{self.max_values} values were kept of each column, not {limit}")
        return FewValues(self._few.values[self.float_columns], self._few.are_few[self.float_columns])

    def values_of(self, index: int) -> ValueCounts:
        """Return the distinct values of a float column of text, given by its position among these: all its codes."""
        column = int(self.float_columns[index])
        if column not in set(self.categorical_columns):
            raise InvalidInput("The distinct values of a column of numbers are known only where rows are kept.")
        codes = np.arange(self.moments.highest[column] + 1)
        return ValueCounts(np.array([0, len(codes)]), codes, np.ones(len(codes), dtype=np.int64))

    def empty(self) -> Self:
        return type(self)(self.max_values)

    def update(self, block: Block) -> None:
        """Add the rows of a block; an error names the first infinite value."""
        if block.weights is not None and not block.weights.all():
            block = block.take(np.flatnonzero(block.weights))
        if sparse.issparse(block.values):
            raise InvalidInput("Sparse rows are kept, not summarised.")
        numbers = block.as_floats()
        self.moments.update(numbers)
        if len(self._lowest) != self.n_features:
            self._allocate(self.n_features)
        self.categorical_columns = block.categorical_columns
        times = repetitions(block.weights)
        class_weights = np.bincount(block.codes, block.weights, len(block.classes))
        self._add_classes(class_weights.astype(np.float64), block.classes)
        values = numbers.values if times is None else np.repeat(numbers.values, times, axis=0)
        table = ByteTable.without_classes(values)
        bytes_, floats = np.flatnonzero(table.fits), np.flatnonzero(~table.fits)
        lowest, highest = table.value_range()
        counts = np.zeros_like(self._counts)
        counts[bytes_] = table.value_counts(bytes_, lowest[bytes_])
        few = FewValues.of_table(counts, lowest, self.max_values)
        of_floats = FewValues.of_rows(values[:, floats], self.max_values)
        few.values[floats], few.are_few[floats] = of_floats.values, of_floats.are_few
        lowest[floats], highest[floats] = NO_VALUE, -NO_VALUE
        self._add(counts, lowest, highest, table.fits, few)

    def merge(self, other: Self) -> None:
        self.moments.merge(other.moments)
        if other.n_features == 0:
            return
        if len(self._lowest) != self.n_features:
            self._allocate(self.n_features)
        self.categorical_columns = other.categorical_columns or self.categorical_columns
        self._add_classes(other.class_weights, other.classes)
        self._add(other._counts, other._lowest, other._highest, other._fits, other._few)

    def join(self, parts: Sequence[Self]) -> Self:
        joined = self.empty()
        joined.moments = self.moments.join([part.moments for part in parts])
        joined.class_weights = parts[0].class_weights
        joined._counts = np.concatenate([part._counts for part in parts])
        joined._lowest = np.concatenate([part._lowest for part in parts])
        joined._highest = np.concatenate([part._highest for part in parts])
        joined._fits = np.concatenate([part._fits for part in parts])
        joined._few = FewValues(
            np.concatenate([part._few.values for part in parts]), np.concatenate([part._few.are_few for part in parts])
        )
        starts = np.cumsum([0, *(part.n_features for part in parts)])
        joined.categorical_columns = [
            int(start) + column
            for part, start in zip(parts, starts, strict=False)
            for column in part.categorical_columns
        ]
        return joined

    def _add(self, counts: Integers, lowest: Integers, highest: Integers, fits: Mask, few: FewValues) -> None:
        both_lowest = np.minimum(self._lowest, lowest)
        self._highest = np.maximum(self._highest, highest)
        self._fits &= fits & (self._highest - both_lowest < MAX_RANGE)
        self._counts = shifted(self._counts, self._lowest - both_lowest) + shifted(counts, lowest - both_lowest)
        self._lowest = both_lowest
        self._few = self._few.merged(few)

    def _add_classes(self, weights: Floats, classes: Sequence[object]) -> None:
        total = np.zeros(len(self.classes))
        total[: len(self.class_weights)] = self.class_weights
        np.add.at(total, self.class_indices(classes), weights)
        self.class_weights = total
