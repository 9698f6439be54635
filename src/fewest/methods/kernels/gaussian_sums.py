"""Sums of Gaussian kernels over pairs of rows, with a weight for every column, and their gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from fewest._core import kernel_sums, subset_kernel_ladder, subset_kernel_sums
from fewest.arrays import Codes, Floats, Indices, Integers
from fewest.threads import one_blas_thread, run_on_threads, thread_count

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

        def add(number: int, negative: Floats, factors: list[Floats], times: float) -> None:
            kernel = np.empty_like(negative)
            for m, multiple in enumerate(multiples):
                for f, one in enumerate(sums):
                    np.exp(np.multiply(negative, multiple * one.power, out=kernel), out=kernel)
                    totals[number, m, f] = times * np.vdot(kernel, factors[f])

        self._for_each_tile(eta, sums, add)
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

        def add(number: int, negative: Floats, factors: list[Floats], times: float) -> None:
            a, b = self._tiles[number]
            kernel = np.exp(negative, out=negative)
            for f, one in enumerate(sums):
                weighted = factors[f]
                for _ in range(one.power):
                    weighted *= kernel
                values[number, f] = times * row_sums.store(number, f, weighted)
                product = columns[:, b] @ weighted.T
                np.einsum("ji,ji->j", columns[:, a], product, out=crossed[number, f])
                crossed[number, f] *= times

        self._for_each_tile(eta, sums, add)
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

        def add(number: int, negative: Floats, factors: list[Floats], times: float) -> None:
            kernel = np.exp(one.power * negative) * factors[0]
            if times == 1.0:
                np.fill_diagonal(kernel, 0.0)
            sums.store(number, 0, kernel)

        self._for_each_tile(eta, [one], add)
        totals: Floats = sums.totals(len(self._codes))[0]
        return totals

    def _for_each_tile(
        self, eta: Floats, sums: Sequence[RowPairSum], add: Callable[[int, Floats, list[Floats], float], None]
    ) -> None:
        """Call add(number of the tile, -squared distances, w_i w_j T(c_i, c_j) of each sum, 1 or 2) for each tile.

        The number is 1 for a tile on the diagonal, 2 for one that stands for its mirror image too.
        """
        used = np.flatnonzero(eta > 0)
        columns = self._columns if len(used) == len(eta) else self._columns[used]
        eta = eta[used][:, None]
        norms = np.empty(len(self._codes))
        for side in self._sides:
            norms[side] = np.einsum("ji,ji->i", eta * columns[:, side], columns[:, side])
        # [class][row]: the rows of a tile are a slice of the line of a class.
        lines = [one.factors[:, self._codes] * self._weights for one in sums]

        def sum_tile(number: int, a: slice, b: slice) -> None:
            negative = ((2.0 * eta) * columns[:, a]).T @ columns[:, b]
            negative -= norms[a][:, None]
            negative -= norms[b]
            np.minimum(negative, 0.0, out=negative)
            factors = [line[:, b][self._codes[a]] for line in lines]
            for one, factor in zip(sums, factors, strict=True):
                factor *= self._weights[a][:, None]
                if a == b:
                    np.fill_diagonal(factor, one.diagonal[a])
            if a == b:
                np.fill_diagonal(negative, 0.0)
            add(number, negative, factors, 1.0 if a == b else 2.0)

        with one_blas_thread():
            run_on_threads([partial(sum_tile, number, a, b) for number, (a, b) in enumerate(self._tiles)])


@dataclass(frozen=True)
class SubsetGaussianSums:
    """Sums over pairs of rows of exp(-eta |x - z|^2), for subsets of columns that differ by one column.

    columns, codes, weights : as in GaussianSums
    sums : what is summed; powers 1 and 2
    selected : the columns that the subsets have in common
    among : the column that each subset has in addition (sign=1), or lacks (sign=-1)
    """

    columns: Floats
    codes: Codes
    weights: Floats
    sums: Sequence[RowPairSum]
    selected: Indices
    among: Indices
    sign: float

    def at(self, eta: Floats, which: Indices) -> list[Floats]:
        """Return each sum for the subsets of these indices, each at its eta."""
        sums = np.empty((len(which), len(self.sums)))
        is_squared = np.array([one.power == 2 for one in self.sums])
        subset_kernel_sums(*self._arguments(which), eta, is_squared, sums, thread_count())
        return list((self._constants + 2.0 * sums).T)

    def on_grid(self, first_eta: Floats, n_steps: int) -> list[Floats]:
        """Return each sum as (n_subsets, n_steps), at eta from first_eta in steps of the root of two."""
        # The square of a kernel is the kernel two steps further; the compiled function takes an even number of steps.
        sums = np.empty((len(self.among), len(self.sums), n_steps + 2 + (n_steps % 2)))
        subset_kernel_ladder(*self._arguments(slice(None)), first_eta, sums, thread_count())
        shifts = [2 * (one.power - 1) for one in self.sums]
        return [self._constants[f] + 2.0 * sums[:, f, shift : shift + n_steps] for f, shift in enumerate(shifts)]

    @property
    def _constants(self) -> Floats:
        return np.array([one.diagonal.sum() + one.constant for one in self.sums])

    def _arguments(self, which: Indices | slice) -> tuple[Floats, Integers, Integers, float, Codes, Floats, Floats]:
        selected, among = (np.ascontiguousarray(part, np.int64) for part in (self.selected, self.among[which]))
        factors = np.stack([one.factors for one in self.sums])
        return self.columns, selected, among, self.sign, self.codes, self.weights, factors


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
