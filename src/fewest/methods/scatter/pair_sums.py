"""Sums of products of every two columns, tile by tile, and how they change with the origins of the columns.

Throughout, d_j = x_j - pivot_j, and every sum is over the rows in which x_j and x_l are both observed. While
nothing is missing the sums of one column's values do not depend on l, and are stored once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
        table, chosen = values, rows
        if not isinstance(values, np.ndarray):
            table, chosen = values[rows].toarray(), np.arange(len(rows))
        has_missing = shifted_rows(table, chosen, pivot, root, piece, thread_count())
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
        some, some_mask = values[start:end], None if mask is None else mask[start:end]
        class_root = np.ones(end - start) if root is None else root[start:end]
        weight, sums = float(np.square(class_root).sum()), class_root @ some
        classes.append(ClassRows(class_index, some, some_mask, weight, sums))
    return Chunk(values, squares, square_sums, mask, classes)


class ClassSums:
    """Over the rows of one class: their weight, the sums of d_j, and of d_j d_l."""

    def __init__(self, n_columns: int) -> None:
        self.weight = 0.0
        self.sums: Floats = np.zeros(n_columns)
        # Zeros that are never written take no memory: tiles below the diagonal are not touched.
        self.products: Floats = np.zeros((n_columns, n_columns))
        self.pair_weights: Floats | None = None
        self.pair_sums: Floats | None = None

    def count_pairs(self) -> None:
        """Store weights and sums for each pair from now on, since some values are missing."""
        if self.pair_sums is None:
            n_columns = len(self.sums)
            self.pair_weights = np.full((n_columns, n_columns), self.weight)
            self.pair_sums = np.repeat(self.sums[:, None], n_columns, axis=1)

    def count(self, J: slice, L: slice) -> Floats | float:
        """The weight of the rows, for j in J and l in L."""
        return self.weight if self.pair_weights is None else _upper(self.pair_weights, J, L)

    def sum(self, J: slice, L: slice) -> Floats:
        """The sums of d_j."""
        return self.sums[J, None] if self.pair_sums is None else self.pair_sums[J, L]

    def product(self, J: slice, L: slice) -> Floats:
        """The sums of d_j d_l."""
        return _upper(self.products, J, L)

    def moved_product(self, step: Floats, J: slice, L: slice) -> Floats:
        """The sums of (d_j + step_j)(d_l + step_l), less their weight times step_j step_l."""
        return self.product(J, L) + (step[None, L] * self.sum(J, L) + step[J, None] * self.sum(L, J).T)

    def add_tile(self, rows: ClassRows, J: slice, L: slice) -> None:
        """Add rows, for j in J and l in L; once all tiles are done, add_line must follow."""
        _add_product(self.products[J, L], rows.values[:, J], rows.values[:, L])
        if self.pair_weights is None or self.pair_sums is None:
            return
        if rows.mask is None:
            self.pair_weights[J, L] += rows.weight
        else:
            _add_product(self.pair_weights[J, L], rows.mask[:, J], rows.mask[:, L])
        for A, B in both_ways(J, L):
            if rows.mask is None:
                self.pair_sums[A, B] += rows.sums[A, None]
            else:
                _add_product(self.pair_sums[A, B], rows.values[:, A], rows.mask[:, B])

    def add_line(self, weight: float, sums: Floats) -> None:
        self.weight += weight
        self.sums += sums

    def add_whole(self, weight: float, sums: Floats, products: Floats) -> None:
        """Add rows in which nothing is missing, for all columns."""
        self.products += products
        if self.pair_weights is not None and self.pair_sums is not None:
            self.pair_weights += weight
            self.pair_sums += sums[:, None]
        self.add_line(weight, sums)

    def add_moved_tile(self, other: ClassSums, step: Floats, J: slice, L: slice) -> None:
        """Add sums of d that here is d + step; add_line must follow."""
        count = other.count(J, L)
        self.products[J, L] += other.moved_product(step, J, L) + step[J, None] * step[None, L] * count
        if self.pair_weights is None or self.pair_sums is None:
            return
        self.pair_weights[J, L] += count
        for A, B in both_ways(J, L):
            self.pair_sums[A, B] += other.sum(A, B) + step[A, None] * other.count(A, B)


class SquareSums:
    """Over all rows: the sums of d_j**2, of d_j**2 d_l (the thirds) and of d_j**2 d_l**2 (the squares).

    Thirds are needed only to move the origins.
    """

    def __init__(self, n_columns: int, with_thirds: bool) -> None:
        self.sums: Floats = np.zeros(n_columns)
        self.pair_sums: Floats | None = None
        self.thirds: Floats | None = np.zeros((n_columns, n_columns)) if with_thirds else None
        self.squares: Floats = np.zeros((n_columns, n_columns))

    def count_pairs(self) -> None:
        """Store sums for each pair from now on, since some values are missing."""
        if self.pair_sums is None:
            self.pair_sums = np.repeat(self.sums[:, None], len(self.sums), axis=1)

    def sum(self, J: slice, L: slice) -> Floats:
        """The sums of d_j**2, for j in J and l in L."""
        return self.sums[J, None] if self.pair_sums is None else self.pair_sums[J, L]

    def add_tile(self, chunk: Chunk, J: slice, L: slice) -> None:
        """Add rows, for j in J and l in L; once all tiles are done, the sums must follow."""
        assert chunk.squares is not None
        assert chunk.square_sums is not None
        _add_product(self.squares[J, L], chunk.squares[:, J], chunk.squares[:, L])
        for A, B in both_ways(J, L):
            if self.thirds is not None:
                _add_product(self.thirds[A, B], chunk.squares[:, A], chunk.values[:, B])
            if self.pair_sums is None:
                continue
            if chunk.mask is None:
                self.pair_sums[A, B] += chunk.square_sums[A, None]
            else:
                _add_product(self.pair_sums[A, B], chunk.squares[:, A], chunk.mask[:, B])

    def add_whole(self, sums: Floats, thirds: Floats, squares: Floats) -> None:
        """Add rows in which nothing is missing, for all columns."""
        assert self.thirds is not None
        self.thirds += thirds
        self.squares += squares
        if self.pair_sums is not None:
            self.pair_sums += sums[:, None]
        self.sums += sums

    def add_moved_tile(self, other: SquareSums, classes: Sequence[ClassSums], step: Floats, J: slice, L: slice) -> None:
        """Add sums of d that here is d + step, with those of its classes; one without thirds must not be moved."""
        for A, B in both_ways(J, L):
            a, b = step[A, None], step[None, B]
            count, sum_a, sum_b, product = over_classes(classes, A, B)
            sum_aa, sum_bb = other.sum(A, B), other.sum(B, A).T
            moved = sum_aa + 2 * a * sum_a + a**2 * count
            if self.pair_sums is not None:
                self.pair_sums[A, B] += moved
            if A == B:
                self.sums[A] += np.broadcast_to(moved, product.shape).diagonal()
            if (A, B) == (J, L):
                self.squares[J, L] += other.squares[J, L] + (a * b) ** 2 * count
                self.squares[J, L] += 2 * a * b * (2 * product + b * sum_a + a * sum_b)
                self.squares[J, L] += b**2 * sum_aa + a**2 * sum_bb
                if other.thirds is not None:
                    self.squares[J, L] += 2 * b * other.thirds[J, L] + 2 * a * other.thirds[L, J].T
            if other.thirds is not None and self.thirds is not None:
                self.thirds[A, B] += other.thirds[A, B] + b * sum_aa
                self.thirds[A, B] += 2 * a * (product + b * sum_a) + a**2 * (sum_b + b * count)


def over_classes(classes: Sequence[ClassSums], J: slice, L: slice) -> tuple[Floats | float, Floats, Floats, Floats]:
    """Return the weight of all rows, and their sums of d_j, of d_l and of d_j d_l."""
    return (
        sum(rows.count(J, L) for rows in classes),
        np.asarray(sum(rows.sum(J, L) for rows in classes)),
        np.asarray(sum(rows.sum(L, J).T for rows in classes)),
        np.asarray(sum(rows.product(J, L) for rows in classes)),
    )


def both_ways(J: slice, L: slice) -> list[tuple[slice, slice]]:
    """Return a tile above the diagonal and its mirror image, or one upon the diagonal."""
    return [(J, L), (L, J)] if J != L else [(J, L)]


def _upper(table: Floats, J: slice, L: slice) -> Floats:
    """Return a tile of a symmetric table that is stored on and above its diagonal."""
    return np.asarray(table[J, L] if J.start <= L.start else table[L, J].T)


def _add_product(table: Floats, left: Floats, right: Floats) -> None:
    """Add left.T @ right; one operand twice is recognised and costs half."""
    table += left.T @ right
