"""Factorized matrices of rows by rows: a diagonal plus products of columns."""

from __future__ import annotations

import numpy as np
from scipy.linalg import blas, lapack, solve_triangular

from fewest.arrays import Floats

#: The largest relative residual of a solved system; above it the solve fails.
_ACCURATE = 1e-6
#: A relative residual that is rounding: iterative refinement cannot improve it.
_ROUNDING = 1e-14
#: The number of rows that are scaled at a time.
_ROWS_AT_ONCE = 1 << 14


class DiagonalPlusProduct:
    """The factorized matrix diag(diagonal) + X diag(sizes) X^T, where X = columns.

    use_woodbury : factorize a matrix of columns by columns instead, which is less accurate where sizes are large
    """

    def __init__(self, columns: Floats, diagonal: Floats, sizes: Floats, use_woodbury: bool) -> None:
        self.use_woodbury = use_woodbury
        self.diagonal = diagonal
        self.is_diagonal = columns.shape[1] == 0
        if self.is_diagonal:
            return
        self.columns, self.roots = columns, np.sqrt(sizes)
        if use_woodbury:
            matrix = np.zeros((len(sizes), len(sizes)), order="F")
            for first in range(0, len(diagonal), _ROWS_AT_ONCE):
                rows = slice(first, first + _ROWS_AT_ONCE)
                part = columns[rows] * self.roots / np.sqrt(diagonal[rows])[:, None]
                matrix = blas.dsyrk(1.0, np.asfortranarray(part), 1.0, matrix, trans=1, lower=1, overwrite_c=1)
            matrix[np.diag_indices(len(matrix))] += 1.0
        else:
            matrix = blas.dsyrk(1.0, np.asfortranarray(columns * self.roots), lower=1)
            matrix[np.diag_indices(len(matrix))] += diagonal
        self.factor = cholesky(matrix)

    def solve(self, right: Floats) -> Floats:
        """Solve for one or more right sides; raise LinAlgError where the solution is not accurate."""
        if self.is_diagonal:
            return right / self.diagonal[:, None]
        if not self.use_woodbury:
            return np.asarray(lapack.dpotrs(self.factor, right, lower=1)[0])
        solved = self._woodbury(right)
        largest = np.abs(right).max()
        for _ in range(2):
            residual = right - self.diagonal[:, None] * solved - self._product(self._projected(solved))
            error = np.abs(residual).max()
            if error <= _ROUNDING * largest:
                return solved
            solved = solved + self._woodbury(residual)
        if not error <= _ACCURATE * largest:
            raise np.linalg.LinAlgError
        return solved

    def quadratic_form(self, sides: Floats) -> Floats:
        """The lower triangle of sides^T times the inverse times sides."""
        if self.is_diagonal or self.use_woodbury:
            return np.asarray(sides.T @ self.solve(sides))
        half = solve_triangular(self.factor, sides, lower=True, check_finite=False)
        return np.asarray(blas.dsyrk(1.0, half, trans=1, lower=1))

    def quadratic_form_of(self, sides: Floats) -> Floats:
        """The same for many sides: as a difference of products, with few rows of sides at a time."""
        n_sides = sides.shape[1]
        product = np.zeros((n_sides, n_sides), order="F")
        across = np.zeros((0 if self.is_diagonal else len(self.roots), n_sides))
        for first in range(0, len(sides), _ROWS_AT_ONCE):
            rows = slice(first, first + _ROWS_AT_ONCE)
            part = sides[rows] / np.sqrt(self.diagonal[rows])[:, None]
            product = blas.dsyrk(1.0, part.T, 1.0, product, lower=1, overwrite_c=1)
            if not self.is_diagonal:
                part /= np.sqrt(self.diagonal[rows])[:, None]
                across += self.roots[:, None] * (self.columns[rows].T @ part)
        if self.is_diagonal:
            return product
        if not self.use_woodbury:
            return self.quadratic_form(sides)
        half = solve_triangular(self.factor, across, lower=True, check_finite=False)
        return np.asarray(blas.dsyrk(-1.0, half.T, 1.0, product, lower=1, overwrite_c=1))

    def _woodbury(self, right: Floats) -> Floats:
        scaled = right / self.diagonal[:, None]
        inner = lapack.dpotrs(self.factor, self._projected(scaled), lower=1)[0]
        return np.asarray(scaled - self._product(inner) / self.diagonal[:, None])

    def _product(self, right: Floats) -> Floats:
        """X diag(sizes)^1/2 times a right side."""
        return np.asarray(self.columns @ (self.roots[:, None] * right))

    def _projected(self, right: Floats) -> Floats:
        """diag(sizes)^1/2 X^T times a right side."""
        return self.roots[:, None] * (self.columns.T @ right)


def projected_inverse(columns: Floats, diagonal: Floats, sizes: Floats, projections: Floats) -> Floats | None:
    """The lower triangle of U X^T (diag(diagonal) + X diag(sizes) X^T)^-1 X U, X = columns and U = diag(projections).

    By G = X^T diag(diagonal)^-1 X = L L^T: (G^-1 + sizes)^-1 is L (1 + L^T sizes L)^-1 L^T, in which nothing cancels.
    None where columns are linearly dependent.
    """
    gram = blas.dsyrk(1.0, np.asfortranarray(columns / np.sqrt(diagonal)[:, None]), trans=1, lower=1)
    root, info = lapack.dpotrf(gram, lower=1, clean=1)
    if info != 0:
        return None
    inner = blas.dsyrk(1.0, np.asfortranarray(root * np.sqrt(sizes)[:, None]), trans=1, lower=1)
    inner[np.diag_indices(len(inner))] += 1.0
    factor, info = lapack.dpotrf(inner, lower=1, overwrite_a=1)
    if info != 0:
        return None
    half = solve_triangular(factor, root.T * projections, lower=True, check_finite=False)
    return np.asarray(blas.dsyrk(1.0, half, trans=1, lower=1))


class JointRowMatrix:
    """The factorized matrix of the rows of several SVMs.

    D_k + 2 X diag(kernel_weights) X^T on the diagonal blocks, plus Z Z^T, where Z stacks X diag(projections_k).
    """

    def __init__(self, columns: Floats, diagonal: Floats, kernel_weights: Floats, projections: Floats) -> None:
        n_rows = len(columns)
        across = np.asfortranarray((columns * projections[:, None]).reshape(diagonal.size, len(kernel_weights)))
        matrix = blas.dsyrk(1.0, across, lower=1)
        own = blas.dsyrk(2.0, np.asfortranarray(columns * np.sqrt(kernel_weights)), lower=1)
        for first in range(0, diagonal.size, n_rows):
            matrix[first : first + n_rows, first : first + n_rows] += own
        matrix[np.diag_indices(len(matrix))] += diagonal.ravel()
        self.factor = cholesky(matrix)

    def solve(self, right: Floats) -> Floats:
        """Solve for one or more right sides."""
        return np.asarray(lapack.dpotrs(self.factor, right, lower=1)[0])


def cholesky(matrix: Floats) -> Floats:
    """The lower Cholesky factor, in place; raise LinAlgError where the matrix is not positive definite."""
    factor, info = lapack.dpotrf(matrix, lower=1, overwrite_a=1)
    if info != 0:
        raise np.linalg.LinAlgError
    return np.asarray(factor)
