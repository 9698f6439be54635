"""Columns of stored rows, each sorted by its values, and row weights as exact integers."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fewest._core import SortedColumns, sort_columns, sort_sparse_columns
from fewest.arrays import Codes, Floats, Integers
from fewest.data.labels import sort_classes
from fewest.errors import InvalidInput
from fewest.statistics.rows import Rows, as_csc
from fewest.threads import thread_count

#: The number of values sorted at a time; and the fewest columns: those that share a cache line.
_CHUNK_VALUES, _FEWEST_COLUMNS = 1 << 22, 8
#: The largest number of rows: row numbers are 32-bit.
_MOST_ROWS = (1 << 31) - 1
#: The integer total of fractional weights: integer sums are exact in any order; rounding is below 1e-18 of the total.
_SCALED_TOTAL = 2.0**60


class StoredColumns:
    """Read access to the columns of stored rows: float32, strided or sparse, without a copy of the table."""

    def __init__(self, rows: Rows) -> None:
        if rows.n_rows > _MOST_ROWS:
            what = f"{rows.n_rows:,} rows are more than can be sorted ({_MOST_ROWS:,})."
            raise InvalidInput(f"{what} Select on a sample of them (sample=100000).")
        self._n_rows, self._n_columns = rows.n_rows, rows.n_features
        is_sparse = bool(rows.chunks) and all(sparse.issparse(run) for run in rows.chunks)
        self._csc: sparse.csc_array | None = as_csc(rows.chunks) if is_sparse else None
        self._pieces: list[NDArray[np.float64] | NDArray[np.float32]] = [] if is_sparse else rows.dense_chunks

    @property
    def is_sparse(self) -> bool:
        """Whether only values other than zero are stored."""
        return self._csc is not None

    def sorted_chunks(self) -> Iterator[tuple[slice, SortedColumns]]:
        """Yield chunks of columns, each column sorted by its values."""
        if self._csc is not None:
            csc = self._csc
            ordered = sort_sparse_columns(csc.data, csc.indices, csc.indptr, self._n_rows, thread_count())
            yield slice(0, self._n_columns), ordered
        elif self._pieces:
            step = max(_FEWEST_COLUMNS, _CHUNK_VALUES // self._n_rows)
            for first in range(0, self._n_columns, step):
                columns = slice(first, min(first + step, self._n_columns))
                yield columns, sort_columns(self._dense(columns), thread_count())

    def column(self, j: int) -> Floats:
        """Return the values of one column, NaN where one is missing."""
        if self._csc is None:
            return self._dense(slice(j, j + 1))[:, 0].astype(np.float64)
        values = np.zeros(self._n_rows)
        stored = slice(self._csc.indptr[j], self._csc.indptr[j + 1])
        values[self._csc.indices[stored]] = self._csc.data[stored]
        return values

    def _dense(self, columns: slice) -> NDArray[np.float64] | NDArray[np.float32]:
        if len(self._pieces) == 1:
            return self._pieces[0][:, columns]
        return np.concatenate([piece[:, columns] for piece in self._pieces])


def codes_by_label(rows: Rows) -> Codes:
    """Return the class of each row, classes numbered in the order of their labels instead of their appearance."""
    return np.asarray(np.argsort(sort_classes(rows.classes)).astype(np.int32)[rows.codes])


def integer_weights(weights: Floats) -> Integers:
    """Return weights as integers: unchanged where all are whole numbers, otherwise in units of 2^-60 of their total."""
    rounded = np.rint(weights)
    if np.array_equal(rounded, weights) and rounded.sum() <= _MOST_ROWS:
        return rounded.astype(np.int64)
    return scaled_shares(weights / math.fsum(weights))


def scaled_shares(shares: Floats) -> Integers:
    """Return shares of 1 as integers, in units of 2^-60."""
    return np.rint(shares * _SCALED_TOTAL).astype(np.int64)
