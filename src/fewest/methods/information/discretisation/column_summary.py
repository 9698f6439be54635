"""What can be told of columns without keeping rows, for learning their states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from scipy import sparse

from fewest.arrays import Floats, Indices, Integers, Mask
from fewest.data.block import Block
from fewest.errors import InvalidInput
from fewest.methods.information.discretisation.byte_table import NO_VALUE, WIDEST, ByteTable, moved
from fewest.methods.information.discretisation.few_values import FewValues
from fewest.methods.information.discretisation.repetitions import repetitions
from fewest.methods.information.discretisation.value_counts import ValueCounts
from fewest.statistics.class_moments import ClassMoments
from fewest.statistics.with_moments import WithMoments


class ColumnSummary(WithMoments):
    """How often each value of a column of close whole numbers is held, the few distinct ones of others, and the moments
    of all: enough to learn the states of each column in a first read, so that a second can count them.

    Memory: 256 counts a column, and its moments. Cost: one read.

    Attributes
    ----------
    moments : ClassMoments of all columns
    others : the columns that do not hold close whole numbers only, ascending
    class_weights : (n_classes,) how many rows each class has, a row of weight 2 being two
    """

    is_columnwise = True
    takes_integers = True

    def __init__(self, most_values: int = 10) -> None:
        super().__init__()
        self.most_values = most_values
        self.categorical_columns: Sequence[int] = ()
        self._allocate(0)
        self.class_weights: Floats = np.zeros(0)

    def _allocate(self, n_features: int) -> None:
        self._counts: Integers = np.zeros((n_features, 256), dtype=np.int64)
        self._lowest: Integers = np.full(n_features, NO_VALUE)
        self._highest: Integers = np.full(n_features, -NO_VALUE)
        self._is_whole: Mask = np.ones(n_features, dtype=bool)
        self._few = FewValues.none(n_features, self.most_values)

    @property
    def missing(self) -> Integers:
        return self.moments.missing

    @property
    def others(self) -> Indices:
        return np.flatnonzero(~self._is_whole)

    @property
    def extent(self) -> tuple[Integers, Integers]:
        """The lowest and the highest value of each column of close whole numbers; see ByteTable where there is none."""
        return self._lowest, self._highest

    def byte_counts(self, columns: Indices) -> Integers:
        """How many rows hold each whole number from the lowest on, of columns of close ones: columns by 256."""
        counts: Integers = self._counts[columns]
        return counts

    def moments_of_others(self) -> ClassMoments:
        return self.moments.only(self.others)

    def few_values(self, most: int) -> FewValues:
        """The distinct values of the others, where they are few and whole."""
        if most != self.most_values:
            raise ValueError(f"{self.most_values} values were kept of each column, not {most}")
        return FewValues(self._few.values[self.others], self._few.are_few[self.others])

    def values_of(self, place: int) -> ValueCounts:
        """The distinct values of one of the others, where it holds codes of text: all up to the highest."""
        column = int(self.others[place])
        if column not in set(self.categorical_columns):
            raise InvalidInput("The distinct values of a column of numbers are known only where rows are kept.")
        codes = np.arange(self.moments.highest[column] + 1)
        return ValueCounts(np.array([0, len(codes)]), codes, np.ones(len(codes), dtype=np.int64))

    def empty(self) -> Self:
        return type(self)(self.most_values)

    def update(self, block: Block) -> None:
        """Add the rows of a block; one error names the first infinite value."""
        if block.weights is not None and not block.weights.all():
            block = block.take(np.flatnonzero(block.weights))
        if sparse.issparse(block.values):
            raise InvalidInput("Sparse rows are kept, not outlined.")
        numbers = block.as_floats()
        self.moments.update(numbers)
        if len(self._lowest) != self.n_features:
            self._allocate(self.n_features)
        self.categorical_columns = block.categorical_columns
        times = repetitions(block.weights)
        counts_of_classes = np.bincount(block.codes, block.weights, len(block.classes)).astype(np.float64)
        self._add_classes(counts_of_classes, block.classes)
        values = numbers.values if times is None else np.repeat(numbers.values, times, axis=0)
        table = ByteTable.of(values, np.zeros(len(values), dtype=np.int32), np.ones(1, dtype=np.uint64))
        whole, rest = np.flatnonzero(table.is_whole), np.flatnonzero(~table.is_whole)
        lowest, highest = table.extent()
        counts = np.zeros_like(self._counts)
        counts[whole] = table.counts(whole, lowest[whole])
        few = FewValues.of_counts(counts, lowest, self.most_values)
        few.put(rest, FewValues.of(values[:, rest], self.most_values))
        lowest[rest], highest[rest] = NO_VALUE, -NO_VALUE
        self._add(counts, lowest, highest, table.is_whole, few)

    def merge(self, other: Self) -> None:
        self.moments.merge(other.moments)
        if other.n_features == 0:
            return
        if len(self._lowest) != self.n_features:
            self._allocate(self.n_features)
        self.categorical_columns = other.categorical_columns or self.categorical_columns
        self._add_classes(other.class_weights, other.moments.classes)
        self._add(other._counts, other._lowest, other._highest, other._is_whole, other._few)

    def join(self, parts: Sequence[Self]) -> Self:
        joined = self.empty()
        joined.moments = self.moments.join([part.moments for part in parts])
        joined.class_weights = parts[0].class_weights
        joined._counts = np.concatenate([part._counts for part in parts])
        joined._lowest = np.concatenate([part._lowest for part in parts])
        joined._highest = np.concatenate([part._highest for part in parts])
        joined._is_whole = np.concatenate([part._is_whole for part in parts])
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

    def _add(self, counts: Integers, lowest: Integers, highest: Integers, is_whole: Mask, few: FewValues) -> None:
        both_lowest = np.minimum(self._lowest, lowest)
        self._highest = np.maximum(self._highest, highest)
        self._is_whole &= is_whole & (self._highest - both_lowest < WIDEST)
        self._counts = moved(self._counts, self._lowest - both_lowest) + moved(counts, lowest - both_lowest)
        self._lowest = both_lowest
        self._few = self._few.with_those_of(few)

    def _add_classes(self, weights: Floats, classes: Sequence[Any]) -> None:
        known = {label: c for c, label in enumerate(self.moments.classes)}
        total = np.zeros(len(known))
        total[: len(self.class_weights)] = self.class_weights
        np.add.at(total, [known[label] for label in classes], weights)
        self.class_weights = total
