"""Rows about a pivot, in pieces that stay in the cache: what products of columns are summed from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from fewest._core import shifted_rows
from fewest.arrays import Floats, Indices
from fewest.threads import thread_count

#: Pieces stay in the cache, but are long enough to be worth a matrix product.
_SLAB_BYTES, _SLAB_ROWS = 1 << 24, 512


@dataclass(frozen=True)
class ClassRows:
    """Those rows of a slab that are of one class; values and mask as there.

    weight : their total weight
    sums : of their values times their weights, per column
    """

    place: int
    values: Floats
    mask: Floats | None
    weight: float
    sums: Floats


@dataclass(frozen=True)
class Slab:
    """Some rows d = x - pivot, a class after the other, each times the root of its weight.

    So a product of two such columns is a weighted sum.

    values : root * d, zero where x is missing
    squares : root * d**2, and square_sums of d**2 times the weight, per column; None unless asked for
    mask : the root where x is there, zero where it is missing; None where nothing is
    """

    values: Floats
    squares: Floats | None
    square_sums: Floats | None
    mask: Floats | None
    classes: list[ClassRows]


def slabs(values: Any, codes: Indices, weights: Floats | None, pivot: Floats, with_squares: bool) -> Iterator[Slab]:
    """The rows in pieces of a fixed size, sorted by class; rows of weight zero are left out.

    Each is gone when the next is asked for: they share their memory.
    """
    n_columns = values.shape[1]
    step = max(_SLAB_ROWS, _SLAB_BYTES // (8 * max(n_columns, 1)))
    kept = np.arange(len(codes)) if weights is None else np.flatnonzero(weights > 0)
    order = kept[np.argsort(codes[kept], kind="stable")]
    room = np.empty((min(step, len(order)), n_columns))
    for first in range(0, len(order), step):
        rows = order[first : first + step]
        root = None if weights is None else np.sqrt(weights[rows])
        piece = room[: len(rows)]
        if sparse.issparse(values):
            has_gaps = shifted_rows(values[rows].toarray(), np.arange(len(rows)), pivot, root, piece, thread_count())
        else:
            has_gaps = shifted_rows(values, rows, pivot, root, piece, thread_count())
        yield _slab(piece, codes[rows], root, has_gaps, with_squares)


def _slab(values: Floats, codes: Indices, root: Floats | None, has_gaps: bool, with_squares: bool) -> Slab:
    mask = squares = square_sums = None
    if has_gaps:
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
    for place, (start, end) in zip(present.tolist(), pairwise([*starts.tolist(), len(codes)]), strict=True):
        rows = slice(start, end)
        class_root = np.ones(end - start) if root is None else root[rows]
        classes.append(
            ClassRows(
                place,
                values[rows],
                None if mask is None else mask[rows],
                float(np.square(class_root).sum()),
                class_root @ values[rows],
            )
        )
    return Slab(values, squares, square_sums, mask, classes)
