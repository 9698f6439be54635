"""Rows made ready for sweeps over their columns, each in the order of its values."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from fewest._core import SortedColumns, sort_columns, sort_sparse_columns
from fewest.arrays import Codes, Floats, Integers
from fewest.data.labels import sort_classes
from fewest.errors import InvalidInput
from fewest.statistics.rows import Rows
from fewest.statistics.sparse_columns import by_column
from fewest.threads import thread_count

#: Values that are sorted at a time; and no fewer columns than share a line of the cache.
_AT_ONCE, _FEWEST_COLUMNS = 1 << 22, 8
#: What a row can be numbered by.
_MOST_ROWS = (1 << 31) - 1
#: All rows together count as this much where their weights are no whole numbers. Sums of whole numbers are exact in any
#: order; what is lost of a weight is below 1e-18 of the total.
_SCALED_TOTAL = 2.0**60


class KeptColumns:
    """The columns of rows that are kept, as they came: float32, strided or sparse."""

    def __init__(self, rows: Rows) -> None:
        if rows.n_rows > _MOST_ROWS:
            raise InvalidInput(f"{rows.n_rows:,} rows are more than can be sorted ({_MOST_ROWS:,}). Give fewer rows.")
        self._n_rows, self._n_columns = rows.n_rows, rows.n_features
        is_sparse = bool(rows.runs) and all(sparse.issparse(run) for run in rows.runs)
        self._held = by_column(rows.runs) if is_sparse else None
        self._pieces = [] if is_sparse else rows.pieces

    def sorted(self) -> Iterator[tuple[slice, SortedColumns]]:
        """The columns in the order of their values, some at a time, and which they are; where rows came in parts, a few
        columns at a time are copied."""
        if self._held is not None:
            held = self._held
            ordered = sort_sparse_columns(held.data, held.indices, held.indptr, self._n_rows, thread_count())
            yield slice(0, self._n_columns), ordered
        elif self._pieces:
            step = max(_FEWEST_COLUMNS, _AT_ONCE // self._n_rows)
            for first in range(0, self._n_columns, step):
                columns = slice(first, min(first + step, self._n_columns))
                yield columns, sort_columns(self._only(columns), thread_count())

    def column(self, j: int) -> Floats:
        """The values of one column, NaN where one is missing."""
        if self._held is None:
            column: Floats = self._only(slice(j, j + 1))[:, 0].astype(np.float64)
            return column
        values = np.zeros(self._n_rows)
        stored = slice(self._held.indptr[j], self._held.indptr[j + 1])
        values[self._held.indices[stored]] = self._held.data[stored]
        return values

    def _only(self, columns: slice) -> Any:
        if len(self._pieces) == 1:
            return self._pieces[0][:, columns]
        return np.concatenate([piece[:, columns] for piece in self._pieces])


def codes_by_label(rows: Rows) -> Codes:
    """The class of each row, classes in the order of their labels, and not as they came."""
    rank_of_class = np.argsort(sort_classes(rows.classes)).astype(np.int32)
    codes: Codes = rank_of_class[rows.codes]
    return codes


def whole_counts(weights: Floats) -> Integers:
    """How much each row counts: its weight where all are whole numbers, otherwise in small units."""
    whole = np.rint(weights)
    if np.array_equal(whole, weights) and whole.sum() <= _MOST_ROWS:
        return whole.astype(np.int64)
    return scaled_counts(weights / math.fsum(weights))


def scaled_counts(shares: Floats) -> Integers:
    """Shares of one as whole numbers of small units."""
    return np.rint(shares * _SCALED_TOTAL).astype(np.int64)
