"""Products of every two columns, summed in every class: what the scatter of products of columns needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fewest._core import shifted_rows
from fewest.errors import InvalidInput
from fewest.protocols import Block
from fewest.statistics.class_moments import ClassMoments
from fewest.threads import one_blas_thread, shared_out, thread_count

Floats = NDArray[np.float64]
#: Given moments, where the zero of each column will lie.
Origin = Callable[[ClassMoments], Floats]

#: Columns of a tile. Products are made tile by tile, always the same ones, so that threads change no bit.
_TILE = 256
#: Rows are copied, less the pivot, in pieces that stay in the cache, but long enough to be worth a product.
_SLAB_BYTES, _SLAB_ROWS = 1 << 24, 512
#: Below this share of stored values a sparse product is faster than a dense one.
_SPARSE_SHARE = 0.05
#: A mean farther than this from zero, in standard deviations, costs digits: sums then run about the mean.
_FAR = 10.0


class PairMoments:
    """Sums of products of every two columns in every class, from one read of the rows.

    Sums run about a pivot near the data, one a column, and are moved to another zero by algebra: offsets cost no
    digits, scaling needs no second read, and parts with different pivots can be merged. NaN is a missing value: a
    pair's sums are those of the rows where both columns are observed.

    with_total : also keep what the total scatter of products needs: products of squares, and to move them to another
        zero the products of squares with values. Where all rows come in one block the pivot is the zero that the
        columns will have, and the latter are spared.
    origin : given moments, where the zero of each column will lie

    Memory: a table of n_features squared for each class (half of it touched where nothing is missing, four times as
    much otherwise), and up to three more for the total. Cost: one symmetric product of the data, two with the total.

    Attributes
    ----------
    moments : ClassMoments of the same rows
    """

    is_columnwise = False

    def __init__(self, with_total: bool = False, origin: Origin | None = None) -> None:
        self.with_total = with_total
        self._origin = origin
        self.moments = ClassMoments()
        self._pivot: Floats | None = None
        self._has_thirds = with_total
        self._has_gaps = False
        # One of each for every class, in the order of moments.classes.
        self._weight: list[float] = []
        self._sums: list[Floats] = []
        self._products: list[Floats] = []
        # With gaps sums and weights differ from pair to pair.
        self._pair_weights: list[Floats] = []
        self._pair_sums: list[Floats] = []

    @property
    def n_features(self) -> int:
        return self.moments.n_features

    @property
    def n_rows(self) -> int:
        return self.moments.n_rows

    def counts_by_class(self) -> dict[str, int]:
        return self.moments.counts_by_class()

    def fingerprint(self) -> str:
        return self.moments.fingerprint()

    def empty(self) -> Self:
        return type(self)(self.with_total, self._origin)

    def update(self, block: Block) -> None:
        """Add the rows of a block."""
        self.moments.update(block)
        if block.n_rows == 0:
            return
        if self._pivot is None:
            self._choose_pivot(block)
        self._know_classes()
        known = {label: c for c, label in enumerate(self.moments.classes)}
        places = np.array([known[label] for label in block.classes], dtype=np.intp)
        with one_blas_thread():
            if _is_thin(block.values) and not np.any(self._pivot):
                self._add_sparse(block.values, places[block.codes], block.weights)
            else:
                self._add_dense(block.values, places[block.codes], block.weights)

    def merge(self, other: Self) -> None:
        if other._pivot is None:
            self.moments.merge(other.moments)
            return
        if self._pivot is None:
            self._start(other._pivot, other._has_thirds)
        if self.with_total and not (self._has_thirds and other._has_thirds):
            raise InvalidInput(
                "Rows cannot be added to sums that were closed when all rows were there. Begin with partial_fit."
            )
        self.moments.merge(other.moments)
        self._know_classes()
        if other._has_gaps:
            self._open_gaps()
        known = {label: c for c, label in enumerate(self.moments.classes)}
        places = [known[label] for label in other.moments.classes]
        with one_blas_thread():
            self._each_tile(partial(self._merge_tile, other, places))
        for c, place in enumerate(places):
            self._sums[place] += other._sums[c] + other._weight[c] * self._step_from(other)
            self._weight[place] += other._weight[c]

    def join(self, parts: Sequence[Self]) -> Self:
        raise NotImplementedError("columns meet in this statistic, so it is never collected in groups of columns")

    def scatter(self, origin: Floats, unit: Floats) -> tuple[Floats, Floats | None]:
        """Scatter between the classes of (x_j - origin_j)(x_l - origin_l) / (unit_j unit_l), and its total variance.

        Both symmetric, over the total weight; zero where a unit is 0. The total only where it was asked for.
        """
        p = self.n_features
        between = np.zeros((p, p))
        total = np.zeros((p, p)) if self.with_total else None
        if self._pivot is None:
            return between, total
        # Sums run about the pivot: what lies between it and the zero is added by algebra.
        shift = np.where(unit > 0, self._pivot - origin, 0.0)
        inverse = np.zeros(p)
        np.divide(1.0, unit, out=inverse, where=unit > 0)

        # What overflows is infinite, or not a number, and is found by whoever reads the table.
        @np.errstate(divide="ignore", invalid="ignore", over="ignore")
        def fill(J: slice, L: slice) -> None:
            tiles = [(between, self._between_tile(shift, J, L))]
            if total is not None:
                tiles.append((total, self._total_tile(shift, J, L)))
            factor = np.square(np.outer(inverse[J], inverse[L]))
            for table, tile in tiles:
                tile *= factor
                table[J, L] = tile
                if J != L:
                    table[L, J] = tile.T

        self._each_tile(fill)
        return between, total

    def copies(self) -> NDArray[np.intp]:
        """For each column the lowest column that holds the same values in every row."""
        original = np.arange(self.n_features)
        _, group, size = np.unique(self.moments.checksums, return_inverse=True, return_counts=True)
        # Copies have one checksum, but so have columns whose values are the same in another order: then their
        # distance tells.
        alike = np.flatnonzero(size[group] > 1)
        for columns in np.split(alike[np.argsort(group[alike], kind="stable")], np.cumsum(size[size > 1])[:-1]):
            self._note_copies(np.sort(columns), original)
        return original

    def _note_copies(self, columns: NDArray[np.intp], original: NDArray[np.intp]) -> None:
        for place, column in enumerate(columns):
            if original[column] != column:
                continue
            later = columns[place + 1 :]
            apart, size = np.zeros(len(later)), np.zeros(len(later))
            for products in self._products:
                own, others = products[column, column], products[later, later]
                apart += own + others - 2 * products[column, later]
                size += own + others
            is_copy = (apart <= 1e-12 * size) & (self.moments.missing[later] == self.moments.missing[column])
            if self._has_gaps and is_copy.any():
                both = sum(weights[column, later] for weights in self._pair_weights)
                is_copy &= both == sum(weights[column, column] for weights in self._pair_weights)
            original[later[is_copy & (original[later] == later)]] = column

    def _each_tile(self, work: Callable[[slice, slice], None]) -> None:
        """Call work(J, L) for every tile of columns on and above the diagonal, on several threads."""
        edges = [slice(first, min(first + _TILE, self.n_features)) for first in range(0, self.n_features, _TILE)]
        shared_out([partial(work, J, L) for i, J in enumerate(edges) for L in edges[i:]])

    # What is read off the tables: sums over class c of products of d = x - pivot, for j in J and l in L.

    def _count(self, c: int, J: slice, L: slice) -> Any:
        return self._pair_weights[c][J, L] if self._has_gaps else self._weight[c]

    def _sum(self, c: int, J: slice, L: slice) -> Floats:
        """Sum of d_j where x_l is observed."""
        return self._pair_sums[c][J, L] if self._has_gaps else self._sums[c][J, None]

    def _square_sum(self, J: slice, L: slice) -> Floats:
        """Sum of d_j squared where x_l is observed."""
        return self._pair_square_sums[J, L] if self._has_gaps else self._square_sums[J, None]

    def _between_tile(self, shift: Floats, J: slice, L: slice) -> Floats:
        """Sum over classes of share (mean in class - mean) squared, of z = d_j d_l + shift_j d_l + shift_l d_j."""
        weights: list[Any] = []
        totals: list[Any] = []
        for c in range(len(self._weight)):
            if self._weight[c] == 0:
                continue
            weights.append(self._count(c, J, L))
            totals.append(
                self._products[c][J, L] + shift[J, None] * self._sum(c, L, J).T + shift[None, L] * self._sum(c, J, L)
            )
        weight = sum(weights)
        mean = sum(totals) / weight
        between: Floats = np.zeros_like(totals[0])
        for class_weight, class_total in zip(weights, totals, strict=True):
            class_total /= class_weight
            class_total -= mean
            class_total *= class_total
            class_total *= class_weight / weight
            if self._has_gaps:
                # A pair that is never observed in a class knows nothing of it.
                class_total[class_weight == 0] = 0.0
            between += class_total
        return between

    def _total_tile(self, shift: Floats, J: slice, L: slice) -> Floats:
        """The variance of the same z."""
        at_j, at_l = shift[J, None], shift[None, L]
        classes = range(len(self._weight))
        weight = sum(self._count(c, J, L) for c in classes)
        first: Any = sum(self._products[c][J, L] for c in classes)
        second = self._squares[J, L].copy()
        if self._has_thirds:
            second += 2 * at_j * at_l * first
            second += 2 * at_l * self._thirds[J, L] + 2 * at_j * self._thirds[L, J].T
            second += at_l**2 * self._square_sum(J, L) + at_j**2 * self._square_sum(L, J).T
        for c in classes:
            first = first + at_j * self._sum(c, L, J).T + at_l * self._sum(c, J, L)
        variance: Floats = second / weight - np.square(first / weight)
        if self._has_gaps:
            variance[weight == 0] = 0.0
        return np.maximum(variance, 0.0, out=variance)

    def _choose_pivot(self, block: Block) -> None:
        moments = self.moments
        between, within, weight = moments.between_and_within()
        mean = np.zeros(moments.n_features)
        np.divide(np.nansum(moments.weight * moments.mean, axis=0), weight, out=mean, where=weight > 0)
        is_constant = ~(moments.highest > moments.lowest)
        reach = _FAR * np.sqrt(between + within)
        if _is_thin(block.values) and np.all(is_constant | (np.abs(mean) <= reach)):
            self._start(np.zeros(moments.n_features), self.with_total)  # zeros stay zeros
            return
        if self.with_total and block.is_all and self._origin is not None:
            origin = self._origin(moments)
            if np.all(is_constant | (np.abs(mean - origin) <= reach)):
                # All rows are here: the sums run about the very zero that is wanted, and never need to be moved.
                self._start(origin, has_thirds=False)
                return
        self._start(mean, self.with_total)

    def _start(self, pivot: Floats, has_thirds: bool) -> None:
        p = len(pivot)
        self._pivot = pivot
        self._has_thirds = has_thirds
        if self.with_total:
            self._squares: Floats = np.zeros((p, p))
            self._square_sums: Floats = np.zeros(p)
        if has_thirds:
            #: [j, l]: sum of d_j squared times d_l
            self._thirds: Floats = np.zeros((p, p))

    def _know_classes(self) -> None:
        p = self.n_features
        while len(self._weight) < len(self.moments.classes):
            self._weight.append(0.0)
            self._sums.append(np.zeros(p))
            # Zeros that nobody writes to take no memory: below the diagonal, these are never touched.
            self._products.append(np.zeros((p, p)))
            if self._has_gaps:
                self._pair_weights.append(np.zeros((p, p)))
                self._pair_sums.append(np.zeros((p, p)))

    def _open_gaps(self) -> None:
        """From now on keep weights and sums for each pair."""
        if self._has_gaps:
            return
        p = self.n_features
        self._has_gaps = True
        self._pair_weights = [np.full((p, p), weight) for weight in self._weight]
        self._pair_sums = [np.repeat(sums[:, None], p, axis=1) for sums in self._sums]
        if self.with_total:
            self._pair_square_sums: Floats = np.repeat(self._square_sums[:, None], p, axis=1)

    def _add_dense(self, values: Any, codes: NDArray[np.intp], weights: NDArray[np.float64] | None) -> None:
        assert self._pivot is not None
        for slab in _slabs(values, codes, weights, self._pivot):
            if slab.mask is not None:
                self._open_gaps()
            self._each_tile(partial(self._add_tile, slab))
            for c, rows in slab.classes:
                self._weight[c] += slab.weight(rows)
                self._sums[c] += slab.sums(rows)
            if self.with_total:
                self._square_sums += slab.square_sums()

    def _add_tile(self, slab: _Slab, J: slice, L: slice) -> None:
        both_ways = [(J, L), (L, J)] if J != L else [(J, L)]
        for c, rows in slab.classes:
            _add_product(self._products[c][J, L], slab.values[rows, J], slab.values[rows, L])
            if slab.mask is not None:
                _add_product(self._pair_weights[c][J, L], slab.mask[rows, J], slab.mask[rows, L])
                if J != L:
                    self._pair_weights[c][L, J] = self._pair_weights[c][J, L].T
                for A, B in both_ways:
                    _add_product(self._pair_sums[c][A, B], slab.values[rows, A], slab.mask[rows, B])
            elif self._has_gaps:
                for A, B in both_ways:
                    self._pair_weights[c][A, B] += slab.weight(rows)
                    self._pair_sums[c][A, B] += slab.sums(rows)[A, None]
        if not self.with_total:
            return
        _add_product(self._squares[J, L], slab.squares[:, J], slab.squares[:, L])
        for A, B in both_ways:
            if self._has_thirds:
                _add_product(self._thirds[A, B], slab.squares[:, A], slab.values[:, B])
            if slab.mask is not None:
                _add_product(self._pair_square_sums[A, B], slab.squares[:, A], slab.mask[:, B])
            elif self._has_gaps:
                self._pair_square_sums[A, B] += slab.square_sums()[A, None]

    def _add_sparse(self, values: Any, codes: NDArray[np.intp], weights: NDArray[np.float64] | None) -> None:
        rows = values.tocsr().astype(np.float64)
        root = np.ones(len(codes)) if weights is None else np.sqrt(weights)
        scaled = sparse.diags_array(root) @ rows
        squares = scaled.multiply(rows).tocsr()
        for c in np.unique(codes):
            members = np.flatnonzero(codes == c)
            part = scaled[members]
            product = part.T @ part
            self._products[c] += product.toarray()
            weight, sums = float(np.square(root[members]).sum()), part.T @ root[members]
            self._weight[c] += weight
            self._sums[c] += sums
            if self._has_gaps:
                self._pair_weights[c] += weight
                self._pair_sums[c] += sums[:, None]
        if self.with_total:
            square_sums = squares.T @ root
            self._squares += (squares.T @ squares).toarray()
            self._thirds += (squares.T @ scaled).toarray()
            self._square_sums += square_sums
            if self._has_gaps:
                self._pair_square_sums += square_sums[:, None]

    def _step_from(self, other: Self) -> Floats:
        assert self._pivot is not None
        assert other._pivot is not None
        return other._pivot - self._pivot

    def _merge_tile(self, other: Self, places: Sequence[int], J: slice, L: slice) -> None:
        """Add the other's tables, moved to this pivot: there d' = d + step."""
        step = self._step_from(other)
        for A, B in [(J, L), (L, J)] if J != L else [(J, L)]:
            at_j, at_l = step[A, None], step[None, B]
            count: Any = 0.0
            product: Any = 0.0
            sum_j: Any = 0.0
            sum_l: Any = 0.0
            for c, place in enumerate(places):
                n, s, t = other._count(c, A, B), other._sum(c, A, B), other._sum(c, B, A).T
                p = other._products[c][A, B] if A.start <= B.start else other._products[c][B, A].T
                if A.start <= B.start:
                    self._products[place][A, B] += p + at_l * s + at_j * t + at_j * at_l * n
                if self._has_gaps:
                    self._pair_weights[place][A, B] += n
                    self._pair_sums[place][A, B] += s + at_j * n
                count, product, sum_j, sum_l = count + n, product + p, sum_j + s, sum_l + t
            if not self.with_total:
                continue
            v_j, v_l = other._square_sum(A, B), other._square_sum(B, A).T
            r_jl, r_lj = other._thirds[A, B], other._thirds[B, A].T
            if A.start <= B.start:
                self._squares[A, B] += other._squares[A, B] + (
                    2 * at_l * r_jl + 2 * at_j * r_lj + at_l**2 * v_j + at_j**2 * v_l + 4 * at_j * at_l * product
                    + 2 * at_j * at_l * (at_l * sum_j + at_j * sum_l) + (at_j * at_l) ** 2 * count
                )  # fmt: skip
            self._thirds[A, B] += (
                r_jl + at_l * v_j + 2 * at_j * (product + at_l * sum_j) + at_j**2 * (sum_l + at_l * count)
            )
            if self._has_gaps:
                self._pair_square_sums[A, B] += v_j + 2 * at_j * sum_j + at_j**2 * count
            if A == B:
                diagonal = np.arange(A.stop - A.start)
                gained = v_j + 2 * at_j * sum_j + at_j**2 * count
                gained = np.broadcast_to(gained, product.shape)[diagonal, diagonal]
                self._square_sums[A] += gained


class _Slab:
    """Some rows about the pivot, a class after the other, each times the root of its weight; zero where missing."""

    def __init__(
        self,
        values: Floats,
        classes: list[tuple[int, slice]],
        root: Floats | None,
        mask: Floats | None,
    ) -> None:
        self.values = values
        self.classes = classes
        self.mask = mask
        self._root = root
        self._squares: Floats | None = None

    @property
    def squares(self) -> Floats:
        if self._squares is None:
            self._squares = np.square(self.values)
            if self._root is not None:
                np.divide(self._squares, self._root[:, None], out=self._squares)
        return self._squares

    def weight(self, rows: slice) -> float:
        return float(rows.stop - rows.start if self._root is None else np.square(self._root[rows]).sum())

    def sums(self, rows: slice) -> Floats:
        sums: Floats = self._root_of(rows) @ self.values[rows]
        return sums

    def square_sums(self) -> Floats:
        sums: Floats = np.einsum("ij,ij->j", self.values, self.values)
        return sums

    def _root_of(self, rows: slice) -> Floats:
        return np.ones(rows.stop - rows.start) if self._root is None else self._root[rows]


def _slabs(values: Any, codes: NDArray[np.intp], weights: NDArray[np.float64] | None, pivot: Floats) -> Iterator[_Slab]:
    """The rows in pieces of a fixed size, sorted by class; rows of weight zero are left out."""
    n_columns = values.shape[1]
    step = max(_SLAB_ROWS, _SLAB_BYTES // (8 * max(n_columns, 1)))
    kept = np.arange(len(codes)) if weights is None else np.flatnonzero(weights > 0)
    order = kept[np.argsort(codes[kept], kind="stable")]
    room = np.empty((min(step, len(order)), n_columns))
    for first in range(0, len(order), step):
        rows = order[first : first + step]
        root = None if weights is None else np.sqrt(weights[rows])
        slab = room[: len(rows)]
        if sparse.issparse(values):
            dense = values[rows].toarray()
            has_gaps = shifted_rows(dense, np.arange(len(rows)), pivot, root, slab, thread_count())
        else:
            has_gaps = shifted_rows(values, rows, pivot, root, slab, thread_count())
        mask = None
        if has_gaps:
            is_missing = np.isnan(slab)
            slab[is_missing] = 0.0
            mask = np.where(is_missing, 0.0, 1.0 if root is None else root[:, None])
        present, starts = np.unique(codes[rows], return_index=True)
        ends = [*starts[1:], len(rows)]
        classes = [(int(c), slice(int(a), int(b))) for c, a, b in zip(present, starts, ends, strict=True)]
        yield _Slab(slab, classes, root, mask)


def _add_product(table: Floats, left: Floats, right: Floats) -> None:
    """Add left.T @ right; one operand twice is recognised and costs half."""
    table += left.T @ right


def _is_thin(values: Any) -> bool:
    """Whether a sparse product of these rows is worth it; gaps need the dense one."""
    if not sparse.issparse(values) or np.isnan(values.data).any():
        return False
    return bool(values.nnz < _SPARSE_SHARE * max(values.shape[0] * values.shape[1], 1))
