"""Sums of Laplacian kernels over pairs of rows, with a weight for every column, and their gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.methods.kernels.gaussian_sums import NUMBERS_OF_TILES, GaussianSums, RowPairSum


class LaplacianSums(GaussianSums):
    """The same sums as those of GaussianSums of K_ij = exp(-sum_f eta_f |x_if - x_jf|).

    Absolute differences are no matrix product: they are computed a column and a tile at a time, and never kept.
    """

    #: Tiles of many columns take long, and an interruption waits for the end of one.
    _side: ClassVar[int] = 128

    def values_and_gradients(
        self, eta: Floats, sums: Sequence[RowPairSum], among: Indices | None = None
    ) -> tuple[Floats, Floats]:
        """Return each sum and its gradient in eta: (n_sums,) and (n_sums, n_columns), or only of the columns `among`.

        With W = T o K, the gradient is -sum_ij W_ij |x_i - x_j|.
        """
        columns = self._columns if among is None else self._columns[among]
        values = np.zeros((len(self._tiles), len(sums)))
        gradients = np.zeros((len(sums), len(columns)))
        at_once = max(1, NUMBERS_OF_TILES // (len(sums) * max(len(columns), 1)))
        of_tiles = np.zeros((min(at_once, len(self._tiles)), len(sums), len(columns)))

        def add(number: int, negative: Floats, factors: list[Floats], times: float) -> None:
            a, b = self._tiles[number]
            found = of_tiles[number % at_once]
            kernel = np.exp(negative, out=negative)
            for f, one in enumerate(sums):
                for _ in range(one.power):
                    factors[f] *= kernel
                values[number, f] = times * factors[f].sum()
            differences = kernel  # of which only its products are needed from here on
            for j, column in enumerate(columns):
                np.abs(np.subtract.outer(column[a], column[b], out=differences), out=differences)
                for f, weighted in enumerate(factors):
                    found[f, j] = -times * np.vdot(differences, weighted)

        for numbers in self._for_each_tile(eta, sums, add, at_once):
            gradients += of_tiles[: len(numbers)].sum(axis=0)
        gradients *= np.array([[float(one.power)] for one in sums])
        return values.sum(axis=0) + np.array([one.constant for one in sums]), gradients

    def _negative_distances(self, eta: Floats) -> Callable[[slice, slice], Floats]:
        used = np.flatnonzero(eta > 0)

        def of_tile(a: slice, b: slice) -> Floats:
            negative = np.zeros((a.stop - a.start, b.stop - b.start))
            differences = np.empty_like(negative)
            for j in used:
                column = self._columns[j]
                np.abs(np.subtract.outer(column[a], column[b], out=differences), out=differences)
                differences *= eta[j]
                negative -= differences
            return negative

        return of_tile
