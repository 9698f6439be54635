"""The statistic of degree 2: sums of products of every two columns in every class."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from functools import partial
from typing import Self

import numpy as np
from scipy import sparse

from fewest.arrays import Floats, Indices, Mask
from fewest.data.block import Block
from fewest.errors import InvalidInput
from fewest.methods.scatter.pair_sums import Chunk, ClassSums, SquareSums, over_classes, row_chunks
from fewest.statistics.class_moments import ClassMoments, WithMoments
from fewest.threads import one_blas_thread, run_on_threads

#: From moments, the origin of each scaled column.
Origin = Callable[[ClassMoments], Floats]

#: Columns of a tile. Products are made tile by tile, always the same ones, so that threads change no bit.
_TILE = 256
#: Below this share of stored values a sparse product is faster than a dense one.
_SPARSE_SHARE = 0.05
#: In standard deviations. A pivot farther than this from the mean costs digits, the fourth power of it where squares of
#: products are moved to another origin; where they stay only the second.
_FAR, _FAR_UNMOVED = 4.0, 10.0
#: An origin beyond this number of standard deviations is not precise enough as one number.
_FAR_ROUNDED = 50.0
#: A variance of products below this share of their squares may be all rounding.
_NOISE = 512 * float(np.finfo(np.float64).eps)
_CLOSED = "Rows cannot be added to sums that were closed when all rows were there. Begin with partial_fit."


class PairMoments(WithMoments):
    """Sums of products of every two columns in every class, from one pass over the rows.

    Sums run about a pivot near the data, one a column, and are moved to another origin by algebra: offsets cost no
    digits, scaling needs no second pass, and parts with different pivots can be merged. NaN is a missing value: a
    pair's sums are those of the rows where both columns are observed.

    Parameters
    ----------
    with_total : bool, default=False
        Whether to store what the total scatter of products needs: products of squares, and to move them to another
        origin the products of squares with values. Where all rows come in one block the pivot is the origin that the
        columns will have, and the latter are spared: then no rows can be added.
    origin : callable or None, default=None
        The origin of each scaled column, from moments.

    See Also
    --------
    fewest.statistics.ClassMoments : The moments of single columns, which these hold too.

    Notes
    -----
    Memory: a table of n_features squared for each class (half of it touched where nothing is missing, four times as
    much otherwise), and up to three more for the total. Cost: one symmetric product of the data, two with the total.

    Examples
    --------
    >>> from fewest import scan
    >>> from fewest.statistics import PairMoments
    >>> sums = scan("iris").collect(PairMoments())
    >>> sums.n_rows, sums.counts_by_class()
    (150, {'setosa': 50, 'versicolor': 50, 'virginica': 50})
    """

    is_columnwise = False
    takes_integers = False

    def __init__(self, with_total: bool = False, origin: Origin | None = None) -> None:
        self.with_total = with_total
        self._origin = origin
        super().__init__()
        self._pivot: Floats | None = None
        self._has_missing = False
        self._classes: list[ClassSums] = []  # in the order of moments.classes
        self._squares: SquareSums | None = None
        self._original: Indices = np.zeros(0, dtype=np.intp)

    @property
    def pivot(self) -> Floats:
        """The value of each column that sums run about."""
        return np.zeros(self.n_features) if self._pivot is None else self._pivot

    @property
    def mean_about_pivot(self) -> Floats:
        """The mean of each column less its pivot, with more digits than their difference; 0 if never observed."""
        sums, weight = np.zeros((2, self.n_features))
        for rows in self._classes:
            sums += rows.sums if rows.pair_sums is None else rows.pair_sums.diagonal()
            weight += rows.weight if rows.pair_weights is None else rows.pair_weights.diagonal()
        return np.divide(sums, weight, out=np.zeros_like(sums), where=weight > 0)

    def empty(self) -> Self:
        return type(self)(self.with_total, self._origin)

    def update(self, block: Block) -> None:
        """Add the rows of a block."""
        if block.n_rows and self._is_closed:
            raise InvalidInput(_CLOSED)
        self.moments.update(block)
        if block.n_rows == 0:
            return
        if self._pivot is None:
            self._start(*self._initial_pivot(block))
        else:
            self._update_pivot(is_sparse=_is_very_sparse(block.values) and not self._pivot.any())
        self._add_classes()
        self._split_copies(range(self.n_features), self.moments.checksums.tolist())
        class_indices = self.class_indices(block.classes)[block.codes].astype(np.intp)
        with one_blas_thread():
            if _is_very_sparse(block.values) and not self.pivot.any():
                self._add_sparse(block.values, class_indices, block.weights)
            else:
                self._add_dense(block.values, class_indices, block.weights)

    def merge(self, other: Self) -> None:
        if other._pivot is None:
            self.moments.merge(other.moments)
            return
        if self._is_closed or (other._is_closed and self._pivot is not None):
            raise InvalidInput(_CLOSED)
        self.moments.merge(other.moments)
        if self._pivot is None:
            self._start(other._pivot, with_thirds=not other._is_closed)
        else:
            self._update_pivot(is_sparse=not (self._pivot.any() or other._pivot.any()))
        self._add_classes()
        self._split_copies(range(self.n_features), other._original)
        self._add_moved(other, [self._classes[c] for c in self.class_indices(other.moments.classes)])

    def scatter(self, shift: Floats, unit: Floats) -> tuple[Floats, Floats | None]:
        """Return the scatter between the classes and the variance of z_j z_l, for z = (x - pivot + shift) / unit.

        Both symmetric, over the total weight; zero where a unit is 0. The variance only with_total.
        """
        between: Floats = np.zeros((self.n_features,) * 2)
        total = np.zeros_like(between) if self.with_total else None
        if self._is_closed:
            shift = np.zeros_like(shift)
        inverse = np.divide(1.0, unit, out=np.zeros_like(unit), where=unit > 0)

        def fill(J: slice, L: slice) -> None:
            factor = np.outer(inverse[J], inverse[L])
            tile = self._between_tile(shift, factor, J, L)
            _put(between, tile, J, L, unit)
            if total is not None:
                # Where rounding is all, the total may seem smaller than the scatter between the classes.
                _put(total, np.maximum(self._total_tile(shift, factor, J, L), tile), J, L, unit)

        if any(rows.weight for rows in self._classes):
            self._each_tile(fill)
        return between, total

    def copies(self) -> Indices:
        """Return for each column the lowest column that holds the same values in every row."""
        return np.resize(self._original, self.n_features)  # zeros without rows: all columns are alike

    @property
    def _is_closed(self) -> bool:
        return self._squares is not None and self._squares.thirds is None

    def _each_tile(self, work: Callable[[slice, slice], None]) -> None:
        """Call work(J, L) for every tile of columns on and above the diagonal, on several threads."""

        def work_quietly(J: slice, L: slice) -> None:
            # Overflow makes infinity or NaN, which the reader of the tables reports.
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                work(J, L)

        edges = [slice(first, min(first + _TILE, self.n_features)) for first in range(0, self.n_features, _TILE)]
        run_on_threads([partial(work_quietly, J, L) for i, J in enumerate(edges) for L in edges[i:]])

    def _between_tile(self, shift: Floats, factor: Floats, J: slice, L: slice) -> Floats:
        """Return the scatter between the classes of z_j z_l less a constant, for a tile."""
        classes = [rows for rows in self._classes if rows.weight > 0]
        weights = [rows.count(J, L) for rows in classes]
        totals = [rows.moved_product(shift, J, L) for rows in classes]
        weight = sum(weights)
        mean = sum(totals) / weight
        between: Floats = np.zeros_like(mean)
        for class_weight, class_total in zip(weights, totals, strict=True):
            difference = class_total / class_weight
            difference -= mean
            # Scaled before it is squared, so that it does not overflow.
            difference *= factor
            difference *= difference
            difference *= class_weight / weight
            if self._has_missing:
                difference[class_weight == 0] = 0.0  # the pair is never observed in the class
            between += difference
        return between

    def _total_tile(self, shift: Floats, factor: Floats, J: slice, L: slice) -> Floats:
        """Return the variance of the same products; zero where it may be all rounding."""
        assert self._squares is not None
        a, b = shift[J, None], shift[None, L]
        weight, sum_j, sum_l, product = over_classes(self._classes, J, L)
        size = self._squares.squares[J, L] + (b**2 * self._squares.sum(J, L) + a**2 * self._squares.sum(L, J).T)
        second = size + 2 * a * b * product
        if self._squares.thirds is not None:
            second += 2 * b * self._squares.thirds[J, L] + 2 * a * self._squares.thirds[L, J].T
        mean = (product + (b * sum_j + a * sum_l)) / weight
        variance: Floats = second / weight - np.square(mean)
        noise = _NOISE * size / weight
        variance[(variance <= noise) & (noise < np.inf)] = 0.0
        if self._has_missing:
            variance[weight == 0] = 0.0
        variance *= factor
        variance *= factor
        return variance

    def _initial_pivot(self, block: Block) -> tuple[Floats, bool]:
        """Return the pivot, and whether the sums may be moved to another origin."""
        mean, deviation, varies = self._spread()
        if _is_very_sparse(block.values) and not np.any(varies & (np.abs(mean) > _FAR * deviation)):
            return np.zeros(self.n_features), True  # zeros stay zeros
        if self.with_total and block.is_all and self._origin is not None:
            origin = self._origin(self.moments)
            is_far = np.abs(mean - origin) > _FAR_UNMOVED * deviation
            is_far |= np.abs(origin) > _FAR_ROUNDED * deviation
            if not np.any(varies & is_far):
                # All rows are here: the sums run about the final origin, and are never moved.
                return origin, False
        return mean, True

    def _update_pivot(self, is_sparse: bool) -> None:
        """Move the pivot where the mean is far from it: the first rows were unlike the rest, or had no values."""
        assert self._pivot is not None
        mean, deviation, varies = self._spread()
        is_far = np.abs(mean - self._pivot) > _FAR * deviation
        if is_sparse:
            is_far &= varies  # for a constant column zeros stay zeros
        if is_far.any():
            old = copy(self)
            self._start(np.where(is_far, mean, self._pivot), with_thirds=True)
            self._classes = [ClassSums(self.n_features) for _ in old._classes]
            self._has_missing = False
            self._add_moved(old, self._classes)

    def _spread(self) -> tuple[Floats, Floats, Mask]:
        """Return the mean of each column, its standard deviation, and whether it varies."""
        moments = self.moments
        between, within, weight = moments.between_and_within()
        mean = np.zeros(moments.n_features)
        np.divide((moments.weight * moments.mean).sum(axis=0), weight, out=mean, where=weight > 0)
        varies = moments.highest > moments.lowest
        # A rounded mean would seem to move from block to block where nothing varies.
        return np.where(varies | (weight == 0), mean, moments.lowest), np.sqrt(between + within), varies

    def _start(self, pivot: Floats, with_thirds: bool) -> None:
        self._pivot = pivot
        self._original = self.copies()
        if self.with_total:
            self._squares = SquareSums(len(pivot), with_thirds)

    def _add_classes(self) -> None:
        while len(self._classes) < len(self.moments.classes):
            self._classes.append(ClassSums(self.n_features))

    def _count_pairs(self) -> None:
        """Store weights and sums for each pair from now on, since some values are missing."""
        self._has_missing = True
        for rows in self._classes:
            rows.count_pairs()
        if self._squares is not None and not self._is_closed:
            self._squares.count_pairs()

    def _add_dense(self, values: Floats | sparse.csr_array, class_indices: Indices, weights: Floats | None) -> None:
        assert self._pivot is not None
        for chunk in row_chunks(values, class_indices, weights, self._pivot, with_squares=self.with_total):
            if chunk.mask is not None:
                self._count_pairs()
            self._split_copies(*_columns_of_chunk(chunk, self._alike()))
            self._each_tile(partial(self._add_tile, chunk))
            for rows in chunk.classes:
                self._classes[rows.class_index].add_line(rows.weight, rows.sums)
            if self._squares is not None and chunk.square_sums is not None:
                self._squares.sums += chunk.square_sums

    def _add_tile(self, chunk: Chunk, J: slice, L: slice) -> None:
        for rows in chunk.classes:
            self._classes[rows.class_index].add_tile(rows, J, L)
        if self._squares is not None:
            self._squares.add_tile(chunk, J, L)

    def _add_sparse(self, values: sparse.csr_array, class_indices: Indices, weights: Floats | None) -> None:
        of_weight = slice(None) if weights is None else np.flatnonzero(weights > 0)
        class_indices = class_indices[of_weight]
        rows = values.tocsr()[of_weight].astype(np.float64)
        root = np.ones(len(class_indices)) if weights is None else np.sqrt(weights[of_weight])
        scaled = (sparse.diags_array(root) @ rows).tocsr()
        self._split_copies(*_columns_of_sparse(scaled, self._alike()))
        for class_index in np.unique(class_indices):
            members = np.flatnonzero(class_indices == class_index)
            part = scaled[members]
            weight = float(np.square(root[members]).sum())
            self._classes[class_index].add_whole(weight, part.T @ root[members], (part.T @ part).toarray())
        if self._squares is not None:
            squares = scaled.multiply(rows).tocsr()
            self._squares.add_whole(squares.T @ root, (squares.T @ scaled).toarray(), (squares.T @ squares).toarray())

    def _add_moved(self, other: Self, classes: Sequence[ClassSums]) -> None:
        """Add the other's tables, each of its classes to one of these, where its d is d + step here."""
        assert self._pivot is not None
        assert other._pivot is not None
        if other._has_missing:
            self._count_pairs()
        step = other._pivot - self._pivot
        # The other may have a class without rows.
        pairs = list(zip(classes, other._classes, strict=False))

        def add_tile(J: slice, L: slice) -> None:
            for own, others in pairs:
                own.add_moved_tile(others, step, J, L)
            if self._squares is not None and other._squares is not None:
                self._squares.add_moved_tile(other._squares, other._classes, step, J, L)

        self._each_tile(add_tile)
        for own, others in pairs:
            own.add_line(others.weight, others.sums + others.weight * step)

    def _alike(self) -> Indices:
        """Return the columns that have been equal to another in every row so far."""
        size = np.bincount(self._original, minlength=self.n_features)
        return np.flatnonzero(size[self._original] > 1)

    def _split_copies(self, columns: Iterable[int], values: Iterable[object]) -> None:
        """Separate columns that were equal so far and have different values here."""
        lowest: dict[tuple[int, object], int] = {}
        for column, value in zip(columns, values, strict=True):
            key = int(self._original[column]), value
            self._original[column] = lowest.setdefault(key, column)


def _put(table: Floats, tile: Floats, J: slice, L: slice, unit: Floats) -> None:
    """Write a tile and, across the diagonal, its mirror image; zero where a unit is."""
    if J == L:
        tile = np.triu(tile) + np.triu(tile, 1).T
    tile[unit[J] == 0] = 0.0
    tile[:, unit[L] == 0] = 0.0
    table[J, L] = tile
    table[L, J] = tile.T


def _columns_of_chunk(chunk: Chunk, columns: Indices) -> tuple[Indices, list[bytes]]:
    """Return the values of each of these columns, as bytes; zeros of either sign are equal."""
    parts = [chunk.values] if chunk.mask is None else [chunk.values, chunk.mask]
    tables = [np.ascontiguousarray(part[:, columns].T) + 0.0 for part in parts]
    return columns, [b"".join(line.tobytes() for line in lines) for lines in zip(*tables, strict=True)]


def _columns_of_sparse(rows: sparse.csr_array, columns: Indices) -> tuple[Indices, list[tuple[bytes, bytes]]]:
    if len(columns) == 0:
        return columns, []
    lines = rows[:, columns].tocsc()
    lines.eliminate_zeros()
    lines.sort_indices()
    spans = [slice(*lines.indptr[i : i + 2]) for i in range(len(columns))]
    return columns, [(lines.indices[span].tobytes(), lines.data[span].tobytes()) for span in spans]


def _is_very_sparse(values: Floats | sparse.csr_array) -> bool:
    """Return whether a sparse product of these rows is faster; missing values need the dense one."""
    if isinstance(values, np.ndarray) or np.isnan(values.data).any():
        return False
    return bool(values.nnz < _SPARSE_SHARE * max(values.shape[0] * values.shape[1], 1))
