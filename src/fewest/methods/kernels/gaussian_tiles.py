"""Sums of Gaussian kernels over all pairs of rows, with a weight for every column, and their gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from fewest.arrays import Floats
from fewest.methods.kernels.class_form import ClassForm
from fewest.methods.kernels.kernel_rows import KernelRows
from fewest.threads import one_blas_thread, shared_out

#: Pairs of rows come in squares of this side: two or three of them fit into a processor's cache.
_SIDE = 256
#: Squares of values are made so many at a time.
_NUMBERS_AT_ONCE = 1 << 18


class GaussianTiles:
    """K_ij = exp(-sum_f eta_f (x_if - x_jf)^2), summed as forms say, a square of pairs at a time.

    K is symmetric: squares above its diagonal count twice and those below are left out, which halves both products of
    n^2 d. What is made of each square is added up in one order, so threads change no bit. Beside the rows it takes
    about ten numbers for each pair of a square and thread, and one for each row and square beside it.
    """

    def __init__(self, rows: KernelRows) -> None:
        self.rows = rows
        n = len(rows.codes)
        self._sides = [slice(first, min(first + _SIDE, n)) for first in range(0, n, _SIDE)]
        self._tiles = [(a, b) for place, a in enumerate(self._sides) for b in self._sides[place:]]

    def values(self, weights: Floats, multiples: Floats, forms: Sequence[ClassForm]) -> Floats:
        """(n_multiples, n_forms): each form, with the weights times each of these numbers."""
        sums = np.zeros((len(self._tiles), len(multiples), len(forms)))
        distances = self._distances(weights)
        factors = [_Factors(self.rows, form) for form in forms]

        def add(number: int, a: slice, b: slice) -> None:
            negative = distances.negative(a, b)
            of_forms = [factor.between(a, b) for factor in factors]
            kernel = np.empty_like(negative)
            for m, multiple in enumerate(multiples):
                for f, form in enumerate(forms):
                    np.exp(np.multiply(negative, multiple * form.sharpness, out=kernel), out=kernel)
                    sums[number, m, f] = (1.0 if a == b else 2.0) * np.vdot(kernel, of_forms[f])

        self._for_each_tile(add)
        totals: Floats = sums.sum(axis=0) + np.array([form.constant for form in forms])
        return totals

    def values_and_gradients(self, weights: Floats, forms: Sequence[ClassForm]) -> tuple[Floats, Floats]:
        """Each form, and its gradient by the weights: (n_forms,) and (n_forms, n_columns).

        With W = T o K, the gradient is -sum_ij W_ij (x_i - x_j)^2 = -2 [(X o X)' W 1 - colsum(X o (W X))].
        """
        columns = self.rows.columns
        n_forms = len(forms)
        values = np.zeros((len(self._tiles), n_forms))
        crossed = np.zeros((len(self._tiles), n_forms, len(columns)))
        row_sums = _RowSums(self._tiles, n_forms)
        distances = self._distances(weights)
        factors = [_Factors(self.rows, form) for form in forms]

        def add(number: int, a: slice, b: slice) -> None:
            kernel = distances.negative(a, b)
            np.exp(kernel, out=kernel)
            times = 1.0 if a == b else 2.0
            for f, form in enumerate(forms):
                weighted = factors[f].between(a, b)
                for _ in range(form.sharpness):
                    weighted *= kernel
                values[number, f] = times * row_sums.keep(number, f, weighted)
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
        gradients *= np.array([[2.0 * form.sharpness] for form in forms])
        return values.sum(axis=0) + np.array([form.constant for form in forms]), gradients

    def row_sums(self, weights: Floats, form: ClassForm) -> Floats:
        """What each row has of the form, itself left out: sum over j != i of T(c_i, c_j) K_ij."""
        sums = _RowSums(self._tiles, 1)
        distances = self._distances(weights)
        factors = _Factors(self.rows, form)

        def add(number: int, a: slice, b: slice) -> None:
            kernel = np.exp(form.sharpness * distances.negative(a, b)) * factors.between(a, b)
            if a == b:
                np.fill_diagonal(kernel, 0.0)
            sums.keep(number, 0, kernel)

        self._for_each_tile(add)
        totals: Floats = sums.totals(len(self.rows.codes))[0]
        return totals

    def _distances(self, weights: Floats) -> _Distances:
        return _Distances(self.rows.columns, weights, self._sides)

    def _for_each_tile(self, add: Callable[[int, slice, slice], None]) -> None:
        with one_blas_thread():
            shared_out([partial(add, number, a, b) for number, (a, b) in enumerate(self._tiles)])


class _Distances:
    """Squared distances between rows, where every column has a weight."""

    def __init__(self, columns: Floats, weights: Floats, sides: Sequence[slice]) -> None:
        used = np.flatnonzero(weights > 0)
        self._columns = columns if len(used) == len(weights) else columns[used]
        self._weights = weights[used][:, None]
        self._norms = np.empty(columns.shape[1])
        for side in sides:
            self._norms[side] = np.einsum("ji,ji->i", self._weights * self._columns[:, side], self._columns[:, side])

    def negative(self, a: slice, b: slice) -> Floats:
        """-sum_f eta_f (x_if - x_jf)^2 for rows i of a and j of b; exactly 0 for a row with itself."""
        scaled = (2.0 * self._weights) * self._columns[:, a]
        negative: Floats = scaled.T @ self._columns[:, b]
        negative -= self._norms[a][:, None]
        negative -= self._norms[b]
        np.minimum(negative, 0.0, out=negative)
        if a == b:
            np.fill_diagonal(negative, 0.0)
        return negative


class _Factors:
    """What each pair of rows counts in a form: w_i w_j T(c_i, c_j)."""

    def __init__(self, rows: KernelRows, form: ClassForm) -> None:
        self._codes, self._weights = rows.codes, rows.weights
        # [class][row]: a line for each class, of which the rows of a square take their part.
        self._lines = rows.table(form)[:, rows.codes] * rows.weights
        self._diagonal = rows.diagonal(form)

    def between(self, a: slice, b: slice) -> Floats:
        factors: Floats = self._lines[:, b][self._codes[a]]
        factors *= self._weights[a][:, None]
        if a == b:
            np.fill_diagonal(factors, self._diagonal[a])
        return factors


class _RowSums:
    """The sums of the rows and of the columns of every square, added up in one order whoever came first."""

    def __init__(self, tiles: Sequence[tuple[slice, slice]], n_forms: int) -> None:
        self._tiles = tiles
        self._parts = np.zeros((len(tiles), n_forms, 2, tiles[0][0].stop))

    def keep(self, number: int, form: int, square: Floats) -> float:
        """Keep those of one square, and give back the sum of all of it."""
        a, b = self._tiles[number]
        rows = square.sum(axis=1)
        self._parts[number, form, 0, : len(rows)] = rows
        if a != b:
            self._parts[number, form, 1, : square.shape[1]] = square.sum(axis=0)
        return float(rows.sum())

    def totals(self, n_rows: int) -> Floats:
        """(n_forms, n_rows): the sums of whole rows."""
        totals = np.zeros((self._parts.shape[1], n_rows))
        for (a, b), part in zip(self._tiles, self._parts, strict=True):
            totals[:, a] += part[:, 0, : a.stop - a.start]
            totals[:, b] += part[:, 1, : b.stop - b.start]
        return totals
