"""Chunks of rows about a pivot, sorted by class, from which products of columns are summed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy import sparse

from fewest._core import shifted_rows
from fewest.arrays import Floats, Indices
from fewest.threads import thread_count

#: Chunks stay in the cache, but are long enough for an efficient matrix product.
_CHUNK_BYTES, _CHUNK_ROWS = 1 << 24, 512


@dataclass(frozen=True)
class ClassRows:
    """The rows of a chunk that are of one class; values and mask as in Chunk.

    weight : their total weight
    sums : of their values times their weights, per column
    """

    class_index: int
    values: Floats
    mask: Floats | None
    weight: float
    sums: Floats


@dataclass(frozen=True)
class Chunk:
    """Some rows d = x - pivot, class by class, times the root of the weight: products of columns are weighted sums.

    values : root * d, zero where x is missing
    squares : root * d**2, and square_sums of d**2 times the weight, per column; None unless asked for
    mask : the root where x is observed, zero where it is missing; None where nothing is missing
    """

    values: Floats
    squares: Floats | None
    square_sums: Floats | None
    mask: Floats | None
    classes: list[ClassRows]


def row_chunks(
    values: Floats | sparse.csr_array, codes: Indices, weights: Floats | None, pivot: Floats, with_squares: bool
) -> Iterator[Chunk]:
    """Yield the rows in chunks of a fixed size, sorted by class; rows of weight zero are left out.

    Chunks share their memory: each is valid until the next.
    """
    n_columns = values.shape[1]
    step = max(_CHUNK_ROWS, _CHUNK_BYTES // (8 * max(n_columns, 1)))
    rows_of_weight = np.arange(len(codes)) if weights is None else np.flatnonzero(weights > 0)
    order = rows_of_weight[np.argsort(codes[rows_of_weight], kind="stable")]
    buffer = np.empty((min(step, len(order)), n_columns))
    for first in range(0, len(order), step):
        rows = order[first : first + step]
        root = None if weights is None else np.sqrt(weights[rows])
        piece = buffer[: len(rows)]
        if not isinstance(values, np.ndarray):
            has_missing = shifted_rows(values[rows].toarray(), np.arange(len(rows)), pivot, root, piece, thread_count())
        else:
            has_missing = shifted_rows(values, rows, pivot, root, piece, thread_count())
        yield _chunk(piece, codes[rows], root, has_missing, with_squares)


def _chunk(values: Floats, codes: Indices, root: Floats | None, has_missing: bool, with_squares: bool) -> Chunk:
    mask = squares = square_sums = None
    if has_missing:
        is_missing = np.isnan(values)
        values[is_missing] = 0.0
        mask = np.where(is_missing, 0.0, 1.0 if root is None else root[:, None])
    if with_squares:
        squares = np.square(values)
        square_sums = squares.sum(axis=0)
        if root is not None:
            squares /= root[:, None]
    present, starts = np.unique(codes, return_index=True)
    classes = []
    for class_index, (start, end) in zip(present.tolist(), pairwise([*starts.tolist(), len(codes)]), strict=True):
        rows = slice(start, end)
        class_root = np.ones(end - start) if root is None else root[rows]
        classes.append(
            ClassRows(
                class_index,
                values[rows],
                None if mask is None else mask[rows],
                float(np.square(class_root).sum()),
                class_root @ values[rows],
            )
        )
    return Chunk(values, squares, square_sums, mask, classes)
