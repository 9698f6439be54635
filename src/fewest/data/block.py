"""Blocks: consecutive rows of a source, with which statistics are updated."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fewest.arrays import Codes, Floats, Indices


@dataclass(frozen=True)
class Block:
    """Some rows of a source, over some of its columns.

    values : numbers, rows by columns: a NumPy array of float32 or float64 with any strides, or SciPy CSR or CSC; a
        statistic that takes_integers may also be given integers of any width
    codes : the class of each row, as an index into classes
    classes : the labels known so far, in order of their codes
    weights : the weight of each row, or None where all are one
    first_row : how many rows of the source came before the block's first
    row_numbers : which rows of the source these are, or None where they are consecutive
    columns : which columns of the source these are, or None for all
    is_all : these are all the rows there will be
    categorical_columns : the positions of the columns that hold codes of text or categories, whose order means nothing
    feature_of : the feature that each column is part of, where some are indicators of a category; None for columns
    """

    values: Any
    codes: Codes
    classes: Sequence[Hashable]
    weights: Floats | None = None
    first_row: int = 0
    row_numbers: Indices | None = None
    columns: Sequence[int] | None = None
    is_all: bool = False
    categorical_columns: Sequence[int] = ()
    feature_of: Indices | None = None

    def row_number(self, position: int) -> int:
        """Which row of the source stands at this position."""
        return self.first_row + position if self.row_numbers is None else int(self.row_numbers[position])

    def all_row_numbers(self) -> Indices:
        """Which row of the source stands at each position."""
        return self.first_row + np.arange(self.n_rows) if self.row_numbers is None else self.row_numbers

    def column_number(self, position: int) -> int:
        """Which column of the source stands at this position."""
        return position if self.columns is None else self.columns[position]

    @property
    def n_rows(self) -> int:
        return len(self.codes)

    @property
    def dense_values(self) -> NDArray[np.floating]:
        """The values as an array, copied only where they are sparse."""
        return np.asarray(self.values.toarray() if sparse.issparse(self.values) else self.values)

    @property
    def row_weights(self) -> Floats:
        """The weight of each row, ones where none were given."""
        return np.ones(self.n_rows) if self.weights is None else self.weights

    def take(self, rows: Indices) -> Block:
        """The block of the rows at these positions."""
        numbers = self.first_row + rows if self.row_numbers is None else self.row_numbers[rows]
        return self._rows(rows, self.first_row, numbers)

    def only(self, positions: Indices) -> Block:
        """The block of the columns at these positions."""
        columns: list[int] = positions.tolist()
        if self.columns is not None:
            columns = [self.columns[position] for position in columns]
        feature_of = None if self.feature_of is None else self.feature_of[positions]
        values = self.values[:, positions]
        return replace(self, values=values, columns=columns, categorical_columns=(), feature_of=feature_of)

    def as_floats(self) -> Block:
        """The same with integers as floats, float32 where that holds them without loss."""
        if self.values.dtype.kind == "f":
            return self
        return replace(self, values=self.values.astype(np.float32 if self.values.itemsize <= 2 else np.float64))

    def in_floats(self, n_bytes: int) -> Iterator[Block]:
        """The block with integers as floats, a chunk of rows at a time where they have to be converted."""
        if self.values.dtype.kind == "f":
            yield self
        else:
            yield from (piece.as_floats() for piece in self.pieces(n_bytes))

    def pieces(self, n_bytes: int) -> Iterator[Block]:
        """The block in chunks of rows of about this number of bytes each, as views."""
        width = max(int(self.values.shape[1]), 1)
        stored = self.values.nnz // max(self.n_rows, 1) if hasattr(self.values, "nnz") else width
        step = max(1, n_bytes // (8 * max(stored, 1)))
        if step >= self.n_rows:
            yield self
            return
        for first in range(0, self.n_rows, step):
            rows = slice(first, first + step)
            yield self._rows(rows, self.first_row + first, None if self.row_numbers is None else self.row_numbers[rows])

    def _rows(self, rows: Indices | slice, first_row: int, row_numbers: Indices | None) -> Block:
        values = self.values
        is_by_column = isinstance(values, np.ndarray) and values.flags.f_contiguous and not isinstance(rows, slice)
        return replace(
            self,
            # Column by column where these lie one behind the other: twice as fast, and it stays that way.
            values=values.T.take(rows, axis=1).T if is_by_column else values[rows],
            codes=self.codes[rows],
            weights=None if self.weights is None else self.weights[rows],
            first_row=first_row,
            row_numbers=row_numbers,
            is_all=False,
        )
