"""Sums of Gaussian kernels over pairs of rows, with a weight for every column, and their gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from fewest._core import kernel_sums, subset_kernel_ladder, subset_kernel_sums
from fewest.arrays import Codes, Floats, Indices
from fewest.threads import one_blas_thread, shared_out, thread_count

#: Rows and columns of a tile of pairs: two or three tiles fit into a processor's cache.
_TILE = 256
#: Values that are squared at a time.
_NUMBERS_AT_ONCE = 1 << 18


@dataclass(frozen=True)
class ClassPairSum:
    """constant + sum_ij T(c_i, c_j) K_ij^power over all pairs of rows; T(a, b) = [a = b] same_a + every_a + every_b.

    same, every : (..., n_classes), one sum or a batch of them
    """

    same: Floats
    every: Floats
    constant: float = 0.0
    power: int = 1

    def value(self, same_sums: Floats, every_sums: Floats) -> Floats:
        """Return the value from the sums of K within each class, and of each class with all rows."""
        value: Floats = self.constant + (self.same * same_sums + 2.0 * self.every * every_sums).sum(axis=-1)
        return value

    @property
    def factors(self) -> Floats:
        """T, classes by classes."""
        return np.diag(self.same) + self.every[:, None] + self.every[None, :]


@dataclass(frozen=True)
class RowPairSum:
    """constant + sum_i diagonal_i + sum_{i != j} w_i w_j factors(c_i, c_j) K_ij^power over rows with K_ii = 1.

    factors : (n_classes, n_classes), symmetric
    diagonal : (n_rows,) what each row contributes with itself
    """

    factors: Floats
    diagonal: Floats
    constant: float = 0.0
    power: int = 1


class GaussianSums:
    """Sums over all pairs of rows of K_ij = exp(-sum_f eta_f (x_if - x_jf)^2), a tile of pairs at a time.

    K is symmetric: tiles above the diagonal count twice and those below are skipped, which halves both products of
    n^2 d. Tiles are added up in one order, so threads change no bit. Memory besides the rows: about ten numbers for
    each pair of a tile and thread, and one for each row and tile.

    columns : (n_columns, n_rows)
    codes, weights : the class and the weight of each row
    """

    def __init__(self, columns: Floats, codes: Codes, weights: Floats) -> None:
        self._columns, self._codes, self._weights = columns, codes, weights
        n = len(codes)
        self._sides = [slice(first, min(first + _TILE, n)) for first in range(0, n, _TILE)]
        self._tiles = [(a, b) for index, a in enumerate(self._sides) for b in self._sides[index:]]

    def values(self, eta: Floats, multiples: Floats, sums: Sequence[RowPairSum]) -> Floats:
        """Return (n_multiples, n_sums): each sum, at eta times each of these numbers."""
        totals = np.zeros((len(self._tiles), len(multiples), len(sums)))
        distances = self._distances(eta)
        factors = self._factors(sums)

        def add(number: int, a: slice, b: slice) -> None:
            negative = distances.negative(a, b)
            tiles = [factor.tile(a, b) for factor in factors]
            kernel = np.empty_like(negative)
            for m, multiple in enumerate(multiples):
                for f, one in enumerate(sums):
                    np.exp(np.multiply(negative, multiple * one.power, out=kernel), out=kernel)
                    totals[number, m, f] = (1.0 if a == b else 2.0) * np.vdot(kernel, tiles[f])

        self._for_each_tile(add)
        values: Floats = totals.sum(axis=0) + np.array([one.constant for one in sums])
        return values

    def values_and_gradients(self, eta: Floats, sums: Sequence[RowPairSum]) -> tuple[Floats, Floats]:
        """Return each sum and its gradient in eta: (n_sums,) and (n_sums, n_columns).

        With W = T o K, the gradient is -sum_ij W_ij (x_i - x_j)^2 = -2 [(X o X)' W 1 - colsum(X o (W X))].
        """
        columns = self._columns
        values = np.zeros((len(self._tiles), len(sums)))
        crossed = np.zeros((len(self._tiles), len(sums), len(columns)))
        row_sums = _RowSums(self._tiles, len(sums))
        distances = self._distances(eta)
        factors = self._factors(sums)

        def add(number: int, a: slice, b: slice) -> None:
            kernel = distances.negative(a, b)
            np.exp(kernel, out=kernel)
            times = 1.0 if a == b else 2.0
            for f, one in enumerate(sums):
                weighted = factors[f].tile(a, b)
                for _ in range(one.power):
                    weighted *= kernel
                values[number, f] = times * row_sums.store(number, f, weighted)
                product = columns[:, b] @ weighted.T
                np.einsum("ji,ji->j", columns[:, a], product, out=crossed[number, f])
                crossed[number, f] *= times

        self._for_each_tile(add)
        gradients = crossed.sum(axis=0)
        totals = row_sums.totals(columns.shape[1])
        step = max(1, _NUMBERS_AT_ONCE // max(columns.shape[1], 1))
        with one_blas_thread():
            for first in range(0, len(columns), step):
                some = slice(first, first + step)
                gradients[:, some] -= totals @ np.square(columns[some]).T
        gradients *= np.array([[2.0 * one.power] for one in sums])
        return values.sum(axis=0) + np.array([one.constant for one in sums]), gradients

    def row_sums(self, eta: Floats, one: RowPairSum) -> Floats:
        """Return what each row contributes to the sum by its pairs with other rows."""
        sums = _RowSums(self._tiles, 1)
        distances = self._distances(eta)
        (factors,) = self._factors([one])

        def add(number: int, a: slice, b: slice) -> None:
            kernel = np.exp(one.power * distances.negative(a, b)) * factors.tile(a, b)
            if a == b:
                np.fill_diagonal(kernel, 0.0)
            sums.store(number, 0, kernel)

        self._for_each_tile(add)
        totals: Floats = sums.totals(len(self._codes))[0]
        return totals

    def _distances(self, eta: Floats) -> _Distances:
        return _Distances(self._columns, eta, self._sides)

    def _factors(self, sums: Sequence[RowPairSum]) -> list[_Factors]:
        return [_Factors(self._codes, self._weights, one) for one in sums]

    def _for_each_tile(self, add: Callable[[int, slice, slice], None]) -> None:
        with one_blas_thread():
            shared_out([partial(add, number, a, b) for number, (a, b) in enumerate(self._tiles)])


class SubsetGaussianSums:
    """Sums over pairs of rows of exp(-eta |x - z|^2), for subsets of columns that differ by one column.

    columns, codes, weights : as in GaussianSums
    sums : what is summed; powers 1 and 2
    selected : the columns that the subsets have in common
    among : the column that each subset has in addition (sign=1), or lacks (sign=-1)
    """

    def __init__(
        self,
        columns: Floats,
        codes: Codes,
        weights: Floats,
        sums: Sequence[RowPairSum],
        selected: Indices,
        among: Indices,
        sign: float,
    ) -> None:
        self._columns, self._codes, self._weights, self._sums, self._sign = columns, codes, weights, sums, sign
        self._selected = np.ascontiguousarray(selected, dtype=np.int64)
        self._among = np.ascontiguousarray(among, dtype=np.int64)
        self._factors = np.stack([one.factors for one in sums])
        self._constants = np.array([one.diagonal.sum() + one.constant for one in sums])

    def at(self, eta: Floats, which: Indices) -> list[Floats]:
        """Return each sum for the subsets of these indices, each at its eta."""
        sums = np.empty((len(which), len(self._sums)))
        subset_kernel_sums(
            self._columns, self._selected, self._among[which], self._sign, self._codes, self._weights, self._factors,
            eta, np.array([one.power == 2 for one in self._sums]), sums, thread_count(),
        )  # fmt: skip
        return list((self._constants + 2.0 * sums).T)

    def on_grid(self, first_eta: Floats, n_steps: int) -> list[Floats]:
        """Return each sum as (n_subsets, n_steps), at eta from first_eta in steps of the root of two."""
        # The square of a kernel is the kernel two steps further; the compiled function takes an even number of steps.
        sums = np.empty((len(self._among), len(self._sums), n_steps + 2 + (n_steps % 2)))
        subset_kernel_ladder(
            self._columns, self._selected, self._among, self._sign, self._codes, self._weights, self._factors,
            first_eta, sums, thread_count(),
        )  # fmt: skip
        shifts = [2 * (one.power - 1) for one in self._sums]
        return [self._constants[f] + 2.0 * sums[:, f, shift : shift + n_steps] for f, shift in enumerate(shifts)]


def column_sums(
    columns: Floats, codes: Codes, weights: Floats | None, lowest: Floats, eta: Floats, n_classes: int
) -> tuple[Floats, Floats]:
    """Return, columns by classes, the sums of each column's own kernel within a class, and of a class with all rows.

    columns : (n_columns, n_rows), where NaN leaves a row out
    lowest : the lowest value of each column
    """
    same = np.zeros((len(columns), n_classes))
    every = np.zeros_like(same)
    kernel_sums(columns, codes, weights, lowest, np.sqrt(0.5 / eta), same, every, thread_count())
    return same, every


class _Distances:
    """Squared distances between rows, where every column has a weight."""

    def __init__(self, columns: Floats, eta: Floats, sides: Sequence[slice]) -> None:
        used = np.flatnonzero(eta > 0)
        self._columns = columns if len(used) == len(eta) else columns[used]
        self._eta = eta[used][:, None]
        self._norms = np.empty(columns.shape[1])
        for side in sides:
            self._norms[side] = np.einsum("ji,ji->i", self._eta * self._columns[:, side], self._columns[:, side])

    def negative(self, a: slice, b: slice) -> Floats:
        """Return -sum_f eta_f (x_if - x_jf)^2 for rows i of a and j of b; exactly 0 for a row with itself."""
        scaled = (2.0 * self._eta) * self._columns[:, a]
        negative: Floats = scaled.T @ self._columns[:, b]
        negative -= self._norms[a][:, None]
        negative -= self._norms[b]
        np.minimum(negative, 0.0, out=negative)
        if a == b:
            np.fill_diagonal(negative, 0.0)
        return negative


class _Factors:
    """The factor of each pair of rows in a sum: w_i w_j T(c_i, c_j)."""

    def __init__(self, codes: Codes, weights: Floats, one: RowPairSum) -> None:
        self._codes, self._weights, self._diagonal = codes, weights, one.diagonal
        # [class][row]: the rows of a tile are a slice of the line of a class.
        self._lines = one.factors[:, codes] * weights

    def tile(self, a: slice, b: slice) -> Floats:
        factors: Floats = self._lines[:, b][self._codes[a]]
        factors *= self._weights[a][:, None]
        if a == b:
            np.fill_diagonal(factors, self._diagonal[a])
        return factors


class _RowSums:
    """The sums of the rows and of the columns of every tile, added up in one order whichever thread came first."""

    def __init__(self, tiles: Sequence[tuple[slice, slice]], n_sums: int) -> None:
        self._tiles = tiles
        self._parts = np.zeros((len(tiles), n_sums, 2, tiles[0][0].stop))

    def store(self, number: int, f: int, tile: Floats) -> float:
        """Store the sums of one tile, and return its total."""
        a, b = self._tiles[number]
        rows = tile.sum(axis=1)
        self._parts[number, f, 0, : len(rows)] = rows
        if a != b:
            self._parts[number, f, 1, : tile.shape[1]] = tile.sum(axis=0)
        return float(rows.sum())

    def totals(self, n_rows: int) -> Floats:
        """Return (n_sums, n_rows), the sums of complete rows."""
        totals = np.zeros((self._parts.shape[1], n_rows))
        for (a, b), part in zip(self._tiles, self._parts, strict=True):
            totals[:, a] += part[:, 0, : a.stop - a.start]
            totals[:, b] += part[:, 1, : b.stop - b.start]
        return totals
