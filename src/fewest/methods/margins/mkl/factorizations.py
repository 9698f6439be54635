"""Matrices of rows by rows, ready to be solved for."""

from __future__ import annotations

import numpy as np
from scipy.linalg import blas, lapack, solve_triangular

from fewest.arrays import Floats

#: What a system solved for leaves of its right side, at most; where it is more, another way of solving is taken.
_ACCURATE = 1e-6
#: What it leaves by rounding: there is nothing to mend.
_ROUNDING = 1e-14


class Factored:
    """diag(diagonal) + columns diag(size) columns^T, ready to be solved for; is_by_columns: by a matrix of columns by
    columns (Woodbury), which loses digits where sizes are large."""

    def __init__(self, columns: Floats, diagonal: Floats, size: Floats, is_by_columns: bool) -> None:
        self.is_by_columns = is_by_columns
        self.diagonal = diagonal
        self.is_plain = columns.shape[1] == 0
        if self.is_plain:
            return
        self.scaled = np.asfortranarray(columns * np.sqrt(size))
        if is_by_columns:
            matrix = blas.dsyrk(1.0, self.scaled / np.sqrt(diagonal)[:, None], trans=1, lower=1)
            matrix[np.diag_indices(len(matrix))] += 1.0
        else:
            matrix = blas.dsyrk(1.0, self.scaled, lower=1)
            matrix[np.diag_indices(len(matrix))] += diagonal
        self.factor, info = lapack.dpotrf(matrix, lower=1, overwrite_a=1)
        if info != 0:
            raise np.linalg.LinAlgError

    def solve(self, right: Floats) -> Floats:
        """What the matrix makes the right side of; raises where digits do not last."""
        if self.is_plain:
            return right / self.diagonal[:, None]
        if not self.is_by_columns:
            return np.asarray(lapack.dpotrs(self.factor, right, lower=1)[0])
        solved = self._once(right)
        largest = np.abs(right).max()
        for _ in range(2):
            left = right - self.diagonal[:, None] * solved - self.scaled @ (self.scaled.T @ solved)
            error = np.abs(left).max()
            if error <= _ROUNDING * largest:
                return solved
            solved = solved + self._once(left)
        if not error <= _ACCURATE * largest:
            raise np.linalg.LinAlgError
        return solved

    def product(self, sides: Floats) -> Floats:
        """sides^T times the inverse times sides; of it the lower triangle."""
        if self.is_plain or self.is_by_columns:
            return np.asarray(sides.T @ self.solve(sides))
        half = solve_triangular(self.factor, sides, lower=True, check_finite=False)
        return np.asarray(blas.dsyrk(1.0, half, trans=1, lower=1))

    def _once(self, right: Floats) -> Floats:
        scaled = right / self.diagonal[:, None]
        inner = lapack.dpotrs(self.factor, self.scaled.T @ scaled, lower=1)[0]
        return np.asarray(scaled - (self.scaled @ inner) / self.diagonal[:, None])


def driven_product(columns: Floats, diagonal: Floats, size: Floats, pulls: Floats) -> Floats | None:
    """With X = columns and U = diag(pulls): U X^T times the inverse of diag(diagonal) + X diag(size) X^T times X U. The
    lower triangle of it; None where columns repeat each other.

    By G = X^T diag(diagonal)^-1 X = L L^T: (G^-1 + size)^-1 is L (1 + L^T size L)^-1 L^T, in which nothing cancels.
    """
    gram = blas.dsyrk(1.0, np.asfortranarray(columns / np.sqrt(diagonal)[:, None]), trans=1, lower=1)
    root, info = lapack.dpotrf(gram, lower=1, clean=1)
    if info != 0:
        return None
    inner = blas.dsyrk(1.0, np.asfortranarray(root * np.sqrt(size)[:, None]), trans=1, lower=1)
    inner[np.diag_indices(len(inner))] += 1.0
    factor, info = lapack.dpotrf(inner, lower=1, overwrite_a=1)
    if info != 0:
        return None
    half = solve_triangular(factor, root.T * pulls, lower=True, check_finite=False)
    return np.asarray(blas.dsyrk(1.0, half, trans=1, lower=1))


class Stacked:
    """The rows of several machines: D_k + 2 columns diag(weighting) columns^T for each, and between all of them
    Z Z^T, where Z has the columns times the pulls of each machine."""

    def __init__(self, columns: Floats, diagonal: Floats, weighting: Floats, pulls: Floats) -> None:
        n_rows = len(columns)
        across = np.asfortranarray((columns * pulls[:, None]).reshape(diagonal.size, len(weighting)))
        matrix = blas.dsyrk(1.0, across, lower=1)
        own = blas.dsyrk(2.0, np.asfortranarray(columns * np.sqrt(weighting)), lower=1)
        for first in range(0, diagonal.size, n_rows):
            matrix[first : first + n_rows, first : first + n_rows] += own
        matrix[np.diag_indices(len(matrix))] += diagonal.ravel()
        self.factor, info = lapack.dpotrf(matrix, lower=1, overwrite_a=1)
        if info != 0:
            raise np.linalg.LinAlgError

    def solve(self, right: Floats) -> Floats:
        return np.asarray(lapack.dpotrs(self.factor, right, lower=1)[0])
