"""Sums of Gaussian kernels over all pairs of rows, with a weight for every column, and their gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from fewest.criteria.class_form import ClassForm
from fewest.criteria.kernel_rows import KernelRows
from fewest.threads import one_blas_thread, shared_out

Floats = NDArray[np.float64]

#: Pairs of rows come in squares of this side: two or three of them fit into a processor's cache.
_SIDE = 256


class GaussianTiles:
    """K_ij = exp(-sum_f eta_f (x_if - x_jf)^2), summed as forms say, a square of pairs at a time.

    K is symmetric: squares above its diagonal count twice and those below are left out, which halves both products of
    n^2 d. What is made of each square is added up in one order, so threads change no bit. Beside the rows it takes
    about ten numbers for each pair of a square and thread, and one for each row and square beside it.
    """

    def __init__(self, rows: KernelRows) -> None:
        self.rows = rows
        n = len(rows.codes)
        sides = [slice(first, min(first + _SIDE, n)) for first in range(0, n, _SIDE)]
        self._tiles = [(a, b) for place, a in enumerate(sides) for b in sides[place:]]

    def values(self, weights: Floats, multiples: Floats, forms: Sequence[ClassForm]) -> Floats:
        """(n_multiples, n_forms): each form, with the weights times each of these numbers."""
        sums = np.zeros((len(self._tiles), len(multiples), len(forms)))

        def add(number: int, a: slice, b: slice) -> None:
            negative = self._negative_distances(weights, a, b)
            factors = [self._factors(form, a, b) for form in forms]
            kernel = np.empty_like(negative)
            for m, multiple in enumerate(multiples):
                for f, (form, factor) in enumerate(zip(forms, factors, strict=True)):
                    np.exp(np.multiply(negative, multiple * form.sharpness, out=kernel), out=kernel)
                    sums[number, m, f] = (1.0 if a == b else 2.0) * np.vdot(kernel, factor)

        self._for_each_tile(add)
        constants = [form.constant for form in forms]
        totals: Floats = sums.sum(axis=0) + np.array(constants)
        return totals

    def values_and_gradients(self, weights: Floats, forms: Sequence[ClassForm]) -> tuple[Floats, Floats]:
        """Each form, and its gradient by the weights: (n_forms,) and (n_forms, n_columns).

        With W = T o K, the gradient is -sum_ij W_ij (x_i - x_j)^2 = -2 [(X o X)' W 1 - colsum(X o (W X))].
        """
        columns = self.rows.columns
        n_tiles, n_forms, side = len(self._tiles), len(forms), self._tiles[0][0].stop
        values = np.zeros((n_tiles, n_forms))
        crossed = np.zeros((n_tiles, n_forms, len(columns)))
        row_sums = np.zeros((n_tiles, n_forms, 2, side))

        def add(number: int, a: slice, b: slice) -> None:
            kernel = self._negative_distances(weights, a, b)
            np.exp(kernel, out=kernel)
            times = 1.0 if a == b else 2.0
            for f, form in enumerate(forms):
                own = kernel if form.sharpness == 1 else kernel**form.sharpness
                weighted = own * self._factors(form, a, b)
                of_a = weighted.sum(axis=1)
                row_sums[number, f, 0, : len(of_a)] = of_a
                if a != b:
                    row_sums[number, f, 1, : weighted.shape[1]] = weighted.sum(axis=0)
                values[number, f] = times * of_a.sum()
                product = columns[:, b] @ weighted.T
                np.einsum("ji,ji->j", columns[:, a], product, out=crossed[number, f])
                crossed[number, f] *= times

        self._for_each_tile(add)
        totals = np.zeros((n_forms, columns.shape[1]))
        for (a, b), of_tile in zip(self._tiles, row_sums, strict=True):
            totals[:, a] += of_tile[:, 0, : a.stop - a.start]
            totals[:, b] += of_tile[:, 1, : b.stop - b.start]
        gradients = crossed.sum(axis=0)
        for j, column in enumerate(columns):
            gradients[:, j] -= totals @ np.square(column)
        gradients *= np.array([[2.0 * form.sharpness] for form in forms])
        return values.sum(axis=0) + np.array([form.constant for form in forms]), gradients

    def row_sums(self, weights: Floats, form: ClassForm) -> Floats:
        """What each row has of the form, itself left out: sum over j != i of T(c_i, c_j) K_ij."""
        parts = np.zeros((len(self._tiles), 2, self._tiles[0][0].stop))

        def add(number: int, a: slice, b: slice) -> None:
            kernel = np.exp(form.sharpness * self._negative_distances(weights, a, b)) * self._factors(form, a, b)
            if a == b:
                np.fill_diagonal(kernel, 0.0)
            else:
                parts[number, 1, : kernel.shape[1]] = kernel.sum(axis=0)
            parts[number, 0, : len(kernel)] = kernel.sum(axis=1)

        self._for_each_tile(add)
        totals = np.zeros(len(self.rows.codes))
        for (a, b), of_tile in zip(self._tiles, parts, strict=True):
            totals[a] += of_tile[0, : a.stop - a.start]
            totals[b] += of_tile[1, : b.stop - b.start]
        return totals

    def _for_each_tile(self, add: Callable[[int, slice, slice], None]) -> None:
        with one_blas_thread():
            shared_out([partial(add, number, a, b) for number, (a, b) in enumerate(self._tiles)])

    def _negative_distances(self, weights: Floats, a: slice, b: slice) -> Floats:
        """-sum_f eta_f (x_if - x_jf)^2 for rows i of a and j of b; exactly 0 for a row with itself."""
        used = np.flatnonzero(weights > 0)
        columns = self.rows.columns if len(used) == len(weights) else self.rows.columns[used]
        eta = weights[used][:, None]
        of_a, of_b = columns[:, a], columns[:, b]
        scaled = eta * of_a
        negative: Floats = scaled.T @ of_b
        negative *= 2.0
        negative -= np.einsum("ji,ji->i", scaled, of_a)[:, None]
        negative -= np.einsum("ji,ji->i", eta * of_b, of_b)
        np.minimum(negative, 0.0, out=negative)
        if a == b:
            np.fill_diagonal(negative, 0.0)
        return negative

    def _factors(self, form: ClassForm, a: slice, b: slice) -> Floats:
        """What each pair counts: w_i w_j T(c_i, c_j)."""
        codes, weights = self.rows.codes, self.rows.weights
        factors: Floats = self.rows.table(form)[codes[a]][:, codes[b]] * weights[a][:, None]
        factors *= weights[b]
        if a == b:
            np.fill_diagonal(factors, self.rows.diagonal(form)[a])
        return factors
