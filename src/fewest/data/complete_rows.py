"""Missing numbers filled with the means of their columns, for methods that take complete rows only."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from fewest.arrays import Floats, Indices, Mask
from fewest.data.source import Source, StoredSource
from fewest.data.sparse_matrix import Matrix, is_sparse


def completed(source: Source, *, is_private: bool = False) -> Source:
    """Return the source, held in memory, with each missing number replaced by the mean of its column over all rows.

    Codes of categories stay as they are: the indicators of a missing one are zero. What a sparse matrix does not store
    is zero, not missing.

    is_private : the values of its blocks may be written to
    """
    readable = source.with_text_as_codes()
    texts = set(readable.text_columns)
    categorical = [column for column, name in enumerate(readable.feature_names or ()) if name in texts]
    blocks = [replace(one, values=_writable(one.values, is_private=is_private)) for one in readable.blocks()]
    means = column_means([block.values for block in blocks], categorical)
    for block in blocks:
        fill(block.values, means)
    return StoredSource(readable, blocks)


def _writable(values: Matrix, *, is_private: bool) -> Matrix:
    """Return values that may be written to, of sparse ones by rows."""
    if is_sparse(values):
        return values.tocsr(copy=not is_private)
    return values if is_private else values.copy()


def count_missing(values: Matrix, categorical: Collection[int]) -> int:
    """Return how many numbers are missing in columns that have some; codes of categories are none."""
    counts = _count_missing(values)
    return int(counts[_is_number(values, categorical) & (counts < values.shape[0])].sum())


def column_means(parts: Sequence[Matrix], categorical: Collection[int]) -> Floats:
    """Return what stands for a missing value of each column: NaN for categories, which stay as they are.

    A column without any value gets zeros, a constant, so that it ends no fit.
    """
    n_rows, n_missing = sum(values.shape[0] for values in parts), np.sum([_count_missing(one) for one in parts], axis=0)
    # Divided first: the sum of large numbers could overflow.
    sums = np.sum([_sums(one, np.maximum(n_rows - n_missing, 1), n_missing > 0) for one in parts], axis=0)
    return np.where(_is_number(parts[0], categorical), sums, np.nan)


def fill(values: Matrix, means: Floats) -> None:
    """Write these means where values are missing."""
    if is_sparse(values):
        is_missing = np.isnan(values.data)
        values.data[is_missing] = means[values.indices[is_missing]]
        return
    for column in np.flatnonzero(_count_missing(values)).tolist():
        own = values[:, column]
        own[np.isnan(own)] = means[column]


def _sums(values: Matrix, divisors: Floats, chosen: Mask) -> Floats:
    """Return the sums of the chosen columns over the values that are there, each divided by its divisor."""
    if is_sparse(values):
        known = np.where(np.isnan(values.data), 0, values.data) / divisors[values.indices]
        return np.asarray(np.bincount(values.indices, weights=known, minlength=values.shape[1]), dtype=np.float64)
    # A column at a time, so that no table of float64 is made.
    sums = np.zeros(values.shape[1])
    for column in np.flatnonzero(chosen).tolist():
        sums[column] = np.nansum(values[:, column].astype(np.float64) / divisors[column])
    return sums


def _count_missing(values: Matrix) -> Indices:
    """Return how many of the stored values of each column are missing."""
    if is_sparse(values):
        counts = np.bincount(values.indices[np.isnan(values.data)], minlength=values.shape[1])
    else:
        counts = np.count_nonzero(np.isnan(values), axis=0)
    return np.asarray(counts, dtype=np.intp)


def _is_number(values: Matrix, categorical: Collection[int]) -> Mask:
    """Return for each column whether it holds numbers, not codes of categories."""
    is_number = np.ones(values.shape[1], dtype=np.bool_)
    is_number[list(categorical)] = False
    return is_number
