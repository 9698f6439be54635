"""Missing numbers filled with the means of their columns, for methods that take complete rows only."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from fewest.arrays import Floats, Mask
from fewest.data.sparse_matrix import Array, Matrix, is_sparse


def count_missing(values: Matrix, categorical: Collection[int]) -> int:
    """Return how many numbers are missing; codes of categories are none."""
    is_number = _is_number(values, categorical)
    if is_sparse(values):
        return int(np.count_nonzero(np.isnan(values.data) & is_number[values.indices]))
    return int(np.count_nonzero(np.isnan(values), axis=0)[is_number].sum())


def complete(values: Matrix, categorical: Collection[int]) -> Matrix:
    """Return rows with each missing number replaced by the mean of its column over these rows.

    A column that has no value becomes zeros, a constant, so that it ends no fit. Codes of categories stay as they are:
    the indicators of a missing one are zero. What a sparse matrix (CSR) does not store is zero, not missing.
    """
    is_number = _is_number(values, categorical)
    if is_sparse(values):
        is_gap = np.isnan(values.data) & is_number[values.indices]
        n_known = values.shape[0] - np.bincount(values.indices[is_gap], minlength=values.shape[1])
        known = np.where(is_gap, 0, values.data) / np.maximum(n_known, 1)[values.indices]
        means = np.bincount(values.indices, weights=known, minlength=values.shape[1])
        completed = values.copy()
        completed.data[is_gap] = means[values.indices[is_gap]]
        return completed
    completed = values.copy()
    for column in np.flatnonzero(np.isnan(values).any(axis=0) & is_number).tolist():
        completed[:, column] = _completed(values[:, column])
    return completed


def _completed(column: Array) -> Floats:
    """Return a column with the mean of its values in its gaps."""
    is_gap = np.isnan(column)
    known: Floats = column[~is_gap].astype(np.float64)
    # Divided first: the sum of large numbers could overflow.
    return np.where(is_gap, (known / max(len(known), 1)).sum(), column)


def _is_number(values: Matrix, categorical: Collection[int]) -> Mask:
    """Return for each column whether it holds numbers, not codes of categories."""
    is_number = np.ones(values.shape[1], dtype=np.bool_)
    is_number[list(categorical)] = False
    return is_number
