"""Sums of Gaussian kernels over pairs of rows, with a weight for every column, and their gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from fewest.arrays import Codes, Floats, Indices
from fewest.threads import one_blas_thread, run_on_threads

#: Rows and columns of a tile of pairs: two or three tiles fit into a processor's cache.
_TILE = 256
#: Numbers that are kept of tiles before they are added up.
NUMBERS_OF_TILES = 1 << 21
#: Values that are squared at a time.
_NUMBERS_AT_ONCE = 1 << 18

_AddTile = Callable[[int, Floats, list[Floats], float], None]


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

    K is symmetric: tiles above the diagonal count twice and those below are skipped. Tiles are added up in one order,
    so threads change no bit. Memory besides the rows: about ten numbers for each pair of a tile and thread.

    columns : (n_columns, n_rows)
    codes, weights : the class and the weight of each row
    """

    #: Rows and columns of a tile, at most _TILE.
    _side: ClassVar[int] = _TILE

    def __init__(self, columns: Floats, codes: Codes, weights: Floats) -> None:
        self._columns, self._codes, self._weights = columns, codes, weights
        self._is_unweighted = bool((weights == 1.0).all())
        n = len(codes)
        self._sides = [slice(first, min(first + self._side, n)) for first in range(0, n, self._side)]
        self._tiles = [(a, b) for index, a in enumerate(self._sides) for b in self._sides[index:]]

    def values(
        self, eta: Floats, multiples: Floats, sums: Sequence[RowPairSum], kept: dict[int, Floats] | None = None
    ) -> Floats:
        """Return (n_multiples, n_sums): each sum, at eta times each of these numbers.

        kept : empty, or the squared distances that an earlier call with this eta put there
        """
        totals = np.zeros((len(self._tiles), len(multiples), len(sums)))

        def add(number: int, negative: Floats, factors: list[Floats], times: float) -> None:
            kernel = np.empty_like(negative)
            for m, multiple in enumerate(multiples):
                for f, one in enumerate(sums):
                    np.exp(np.multiply(negative, multiple * one.power, out=kernel), out=kernel)
                    totals[number, m, f] = times * np.vdot(kernel, factors[f])

        return self._sum_up(eta, sums, add, totals, kept)

    def values_by_squares(self, eta: Floats, n_steps: int, sums: Sequence[RowPairSum]) -> Floats:
        """Return (n_steps, n_sums): each sum at eta, sqrt(2) eta, 2 eta ..., of which the kernels are squares."""
        totals = np.zeros((len(self._tiles), n_steps, len(sums)))

        def add(number: int, negative: Floats, factors: list[Floats], times: float) -> None:
            for f, one in enumerate(sums):
                for first in range(min(2, n_steps)):
                    kernel = np.exp(one.power * 2.0 ** (first / 2.0) * negative)
                    for m in range(first, n_steps, 2):
                        totals[number, m, f] = times * np.vdot(kernel, factors[f])
                        np.multiply(kernel, kernel, out=kernel)

        with np.errstate(under="ignore"):
            return self._sum_up(eta, sums, add, totals, None)

    def moments(self, eta: Floats, n_moments: int, sums: Sequence[RowPairSum]) -> Floats:
        """Return (n_moments, n_sums): each sum with K_ij times powers 0, 1, ... of -sum_f eta_f (x_if - x_jf)^2.

        These are the derivatives of the sums in s, at 0, where eta is multiplied by 1 + s.
        """
        totals = np.zeros((len(self._tiles), n_moments, len(sums)))

        def add(number: int, negative: Floats, factors: list[Floats], times: float) -> None:
            for f, one in enumerate(sums):
                exponents = one.power * negative
                terms = np.exp(exponents)
                terms *= factors[f]
                totals[number, 0, f] = times * terms.sum()
                for m in range(1, n_moments):
                    totals[number, m, f] = times * np.vdot(terms, exponents)
                    terms *= exponents

        for _ in self._for_each_tile(eta, sums, add, len(self._tiles)):
            pass
        found: Floats = totals.sum(axis=0)
        found[0] += np.array([one.constant for one in sums])
        return found

    def _sum_up(
        self, eta: Floats, sums: Sequence[RowPairSum], add: _AddTile, totals: Floats, kept: dict[int, Floats] | None
    ) -> Floats:
        for _ in self._for_each_tile(eta, sums, add, len(self._tiles), kept):
            pass
        values: Floats = totals.sum(axis=0) + np.array([one.constant for one in sums])
        return values

    def values_and_gradients(
        self, eta: Floats, sums: Sequence[RowPairSum], among: Indices | None = None
    ) -> tuple[Floats, Floats]:
        """Return each sum and its gradient in eta: (n_sums,) and (n_sums, n_columns), or only of the columns `among`.

        With W = T o K, the gradient is -sum_ij W_ij (x_i - x_j)^2 = -2 [(X o X)' W 1 - colsum(X o (W X))].
        """
        columns = self._columns if among is None else self._columns[among]
        values = np.zeros((len(self._tiles), len(sums)))
        gradients = np.zeros((len(sums), len(columns)))
        totals = np.zeros((len(sums), len(self._codes)))
        at_once = max(1, NUMBERS_OF_TILES // (len(sums) * (len(columns) + 2 * _TILE)))
        crossed = np.zeros((min(at_once, len(self._tiles)), len(sums), len(columns)))
        parts = np.zeros((len(crossed), len(sums), 2, _TILE))

        def add(number: int, negative: Floats, factors: list[Floats], times: float) -> None:
            here = number % at_once
            a, b = self._tiles[number]
            kernel = np.exp(negative, out=negative)
            for f, one in enumerate(sums):
                weighted = factors[f]
                for _ in range(one.power):
                    weighted *= kernel
                values[number, f] = times * _store_sums(parts[here, f], weighted, times)
                np.einsum("ji,ji->j", columns[:, a], columns[:, b] @ weighted.T, out=crossed[here, f])
                crossed[here, f] *= times

        for numbers in self._for_each_tile(eta, sums, add, at_once):
            gradients += crossed[: len(numbers)].sum(axis=0)
            self._add_row_totals(numbers, parts, totals)
        step = max(1, _NUMBERS_AT_ONCE // max(columns.shape[1], 1))
        with one_blas_thread():
            for first in range(0, len(columns), step):
                some = slice(first, first + step)
                gradients[:, some] -= totals @ np.square(columns[some]).T
        gradients *= np.array([[2.0 * one.power] for one in sums])
        return values.sum(axis=0) + np.array([one.constant for one in sums]), gradients

    def row_sums(self, eta: Floats, one: RowPairSum) -> Floats:
        """Return what each row contributes to the sum by its pairs with other rows."""
        at_once = NUMBERS_OF_TILES // (2 * _TILE)
        parts = np.zeros((min(at_once, len(self._tiles)), 1, 2, _TILE))
        totals = np.zeros((1, len(self._codes)))

        def add(number: int, negative: Floats, factors: list[Floats], times: float) -> None:
            kernel = np.exp(one.power * negative) * factors[0]
            if times == 1.0:
                np.fill_diagonal(kernel, 0.0)
            _store_sums(parts[number % at_once, 0], kernel, times)

        for some in self._for_each_tile(eta, [one], add, at_once):
            self._add_row_totals(some, parts, totals)
        found: Floats = totals[0]
        return found

    def _add_row_totals(self, numbers: range, parts: Floats, totals: Floats) -> None:
        """Add the sums of these tiles to (n_sums, n_rows), in one order whichever thread came first."""
        for number, part in zip(numbers, parts, strict=False):
            a, b = self._tiles[number]
            totals[:, a] += part[:, 0, : a.stop - a.start]
            totals[:, b] += part[:, 1, : b.stop - b.start]

    def _negative_distances(self, eta: Floats) -> Callable[[slice, slice], Floats]:
        """Return the function that computes -sum_f eta_f (x_if - x_jf)^2 for a tile."""
        used = np.flatnonzero(eta > 0)
        columns = self._columns if len(used) == len(eta) else self._columns[used]
        eta = eta[used][:, None]
        norms = np.empty(len(self._codes))
        for side in self._sides:
            norms[side] = np.einsum("ji,ji->i", eta * columns[:, side], columns[:, side])

        def of_tile(a: slice, b: slice) -> Floats:
            negative: Floats = ((2.0 * eta) * columns[:, a]).T @ columns[:, b]
            negative -= norms[a][:, None]
            negative -= norms[b]
            np.minimum(negative, 0.0, out=negative)
            if a == b:
                np.fill_diagonal(negative, 0.0)
            return negative

        return of_tile

    def _for_each_tile(
        self,
        eta: Floats,
        sums: Sequence[RowPairSum],
        add: _AddTile,
        at_once: int,
        kept: dict[int, Floats] | None = None,
    ) -> Iterator[range]:
        """Call add(number of the tile, -distances, w_i w_j T(c_i, c_j) of each sum, times) for each tile.

        times : 1 for a tile on the diagonal, 2 for one that stands for its mirror image too
        at_once : the number of tiles after which the numbers of those that were done are given to the caller
        kept : -distances of tiles, which are then not to be changed
        """
        distances_of = self._negative_distances(eta)
        # [class][row]: the rows of a tile are a slice of the line of a class.
        lines = [one.factors[:, self._codes] * self._weights for one in sums]

        def negative_distances(number: int, a: slice, b: slice) -> Floats:
            if kept and number in kept:
                return kept[number]
            negative = distances_of(a, b)
            if kept is not None:
                kept[number] = negative
            return negative

        def sum_tile(number: int, a: slice, b: slice) -> None:
            negative = negative_distances(number, a, b)
            factors = [line[:, b][self._codes[a]] for line in lines]
            for one, factor in zip(sums, factors, strict=True):
                if not self._is_unweighted:
                    factor *= self._weights[a][:, None]
                if a == b:
                    np.fill_diagonal(factor, one.diagonal[a])
            add(number, negative, factors, 1.0 if a == b else 2.0)

        for first in range(0, len(self._tiles), at_once):
            some = range(first, min(first + at_once, len(self._tiles)))
            with one_blas_thread():
                run_on_threads([partial(sum_tile, number, *self._tiles[number]) for number in some])
            yield some


def _store_sums(parts: Floats, tile: Floats, times: float) -> float:
    """Store the sums of a tile's rows, and of its columns where it counts twice; return its total."""
    rows = tile.sum(axis=1)
    parts[0, : len(rows)] = rows
    parts[1, : tile.shape[1]] = tile.sum(axis=0) if times == 2.0 else 0.0
    return float(rows.sum())
