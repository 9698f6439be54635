"""Rows and classes of a table numbered by their contents."""

from __future__ import annotations

import numpy as np

from fewest.arrays import Codes, Floats, Indices
from fewest.data.sparse_matrix import Matrix, is_sparse
from fewest.statistics.prepared_rows import bits_of, content_order, splitmix64

#: The number of values that are hashed at a time.
_HASHED_AT_ONCE = 1 << 15


def order_by_content(
    values: Matrix, codes: Codes, n_classes: int, categorical: tuple[int, ...]
) -> tuple[Indices, Indices]:
    """Return the rows in an order that their contents decide, and the rank of each class, the largest first."""
    order, ranks = content_order(_HashedTable(values, codes, n_classes, categorical))
    counts = np.bincount(codes, minlength=n_classes)
    by_size = np.empty(n_classes, dtype=np.intp)
    by_size[np.lexsort((ranks, -counts))] = np.arange(n_classes)
    return order, by_size


def columns_by_content(values: Matrix, codes: Codes, categorical: tuple[int, ...]) -> list[int]:
    """Return all columns in an order that their contents decide, of rows in theirs; equal ones as they come."""
    n_rows, n_columns = values.shape
    hashed = _HashedTable(values, codes, 0, categorical)
    of_rows = splitmix64(np.arange(n_rows, dtype=np.uint64))[:, None]
    hashes = np.empty(n_columns, dtype=np.uint64)
    step = max(1, _HASHED_AT_ONCE // n_rows)
    for first in range(0, n_columns, step):
        part = slice(first, min(first + step, n_columns))
        chosen = hashed[:, part].copy()
        for column in set(categorical).intersection(range(part.start, part.stop)):
            chosen[:, column - first] = _in_order_of_rows(chosen[:, column - first])
        hashes[part] = splitmix64(bits_of(chosen) + of_rows).sum(axis=0, dtype=np.uint64)
    order: list[int] = np.argsort(hashes, kind="stable").tolist()
    return order


class _HashedTable:
    """Rows as they were read, for an order by their contents."""

    def __init__(self, values: Matrix, codes: Codes, n_classes: int, categorical: tuple[int, ...]) -> None:
        self._table = values.tocsc() if is_sparse(values) else values
        self.codes = codes
        self.weights = np.ones(len(codes))
        self.classes = range(n_classes)
        self.categorical_columns = categorical
        self.n_features = values.shape[1]

    @property
    def values(self) -> _HashedTable:
        return self

    def __getitem__(self, part: tuple[slice, slice | int]) -> Floats:
        rows, columns = part
        chosen = self._table[rows, columns if isinstance(columns, slice) else slice(columns, columns + 1)]
        dense = np.asarray(chosen.toarray() if is_sparse(chosen) else chosen, dtype=np.float64)
        return dense if isinstance(columns, slice) else dense[:, 0]


def _in_order_of_rows(codes: Floats) -> Floats:
    """Categories numbered by their first row; NaN stays."""
    _, firsts, which = np.unique(codes, return_index=True, return_inverse=True)
    return np.where(np.isnan(codes), np.nan, firsts[which].astype(np.float64))
