"""The smallest enclosing ball and the largest margins of a linear kernel, solved in the space of its columns."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.linalg import blas, lapack

from fewest.arrays import Codes, Floats, Indices, Mask
from fewest.methods.kernels.radius_margin.radius_margin_programs import (
    MANY_VALUES,
    RadiusMarginSolution,
    signs_of_sides,
)
from fewest.threads import run_on_threads

#: Far more Newton steps than were ever seen; a program that takes more has no digits left.
_MAX_STEPS = 100
#: A program is solved where a step would change its value by less than this share; the solution is exact to its root.
_TOLERANCE = 1e-24
#: A program that gains no more is solved where a step would change its value by less than this share.
_ROUGH_TOLERANCE = 1e-14
#: The slope along a step falls to this share of what it is at the start.
_SLOPE_LEFT = 0.01
_MAX_TRIALS = 40
#: The number of values that are copied at a time.
_VALUES_AT_ONCE = 1 << 17
#: Rows are copied for a sum where they are fewer than one in this number.
_FEW = 2
#: Programs over fewer values than this, all together, are solved on one thread: starting more would take longer.
_MIN_VALUES_ON_THREADS = 1 << 21
#: Columns with smaller factors are left out.
_LEAST_FACTOR = 1e-150


class LinearKernelSolver:
    """Solve both quadratic programs of X diag(factors) X' for one set of factors after another, each from the last.

    Where columns are fewer than rows the primal is the smaller problem: a program is an SVM with squared slacks,

        minimize |v|^2 / 2 + sum_i max(0, r_i)^2 / (2 ridge_i) + total b,   r_i = gain_i - sign_i (a_i'v + b)

    over v, one number a column, and b; the dual variables are x = max(0, r) / ridge. Its Newton steps have a matrix of
    columns by columns, whose sums over the rows with r > 0 are kept from step to step: few rows come and go.

    values : (n_rows, n_columns)
    codes, weights : of the rows, as in RadiusMarginSolver
    """

    def __init__(self, values: Floats, codes: Codes, weights: Floats, C: float) -> None:
        ridge = 1 / (C * weights)
        self._C = C
        self._values = values
        self._sides = [_Program(values, ridge, signs, 0.0) for signs in signs_of_sides(codes)]
        self._ball = _Program(values, ridge, np.ones(len(codes)), 1.0)

    def solve(self, factors: Floats) -> tuple[float, Floats] | None:
        """Return the bound R^2 ||w||^2 and its gradient in the factors; None where a program could not be solved."""
        with np.errstate(over="ignore"):
            self._ball.gains = self._half_lengths(factors)
        programs = [*self._sides, self._ball]
        is_solved = [False] * len(programs)

        def solve(index: int) -> None:
            # Numbers too large end in a step without a length, and are reported as not solved.
            with np.errstate(over="ignore", invalid="ignore"):
                is_solved[index] = programs[index].solve(factors)

        if len(programs) * self._values.size < _MIN_VALUES_ON_THREADS:
            for index in range(len(programs)):
                solve(index)
        else:
            run_on_threads([partial(solve, index) for index in range(len(programs))])
        if not all(is_solved):
            for program in programs:
                program.forget()
            return None
        margins = sum(2 * side.value for side in self._sides)
        radius = 2 * self._ball.value + 1 / self._C
        of_margins = sum(np.square(side.sums) for side in self._sides)
        of_ball = sums_of_squares(self._ball.x, self._values) - np.square(self._ball.sums)
        return radius * margins, margins * of_ball - radius * of_margins

    def _half_lengths(self, factors: Floats) -> Floats:
        """Return half the squared length of each row."""
        n_rows, n_columns = self._values.shape
        parts = parts_of(np.arange(n_rows), n_columns)
        lengths = [np.square(self._values[rows[0] : rows[-1] + 1]) @ factors for rows in parts]
        half: Floats = np.concatenate(lengths) / 2
        return half


class _Program:
    """One program, as in LinearKernelSolver.

    After solve: value, what was minimized; x; sums, X'z with z = sign x.
    """

    def __init__(self, values: Floats, ridge: Floats, signs: Floats, total: float) -> None:
        self._values = values
        self._ridge = ridge
        self._signs = signs
        self._total = total
        self.gains: Floats = np.ones(len(signs))
        self.value = 0.0
        self.forget()

    def forget(self) -> None:
        """Start the next solution from zero."""
        n_rows, n_columns = self._values.shape
        self.x: Floats = np.zeros(n_rows)
        self.sums: Floats = np.zeros(n_columns)
        self._offset = 0.0
        #: Which rows are in the matrix (X 1)_F' R_F^-1 (X 1)_F, whose last column is of ones; its lower triangle.
        self._is_free: Mask = np.zeros(n_rows, dtype=bool)
        self._matrix: Floats = np.zeros((n_columns + 1, n_columns + 1), order="F")

    def solve(self, factors: Floats) -> bool:
        """Solve the program from the last solution; return whether that was possible."""
        columns = np.flatnonzero(factors > _LEAST_FACTOR)
        taken = factors[columns]
        # The coefficients of the columns, sqrt(factors) v.
        coefficients, offset = taken * self.sums[columns], self._offset
        residuals = self.gains - self._signs * (self._reach(columns, coefficients) + offset)
        # Most likely the same rows are free as in the last solution: first the solution of their equations.
        is_guess = bool(self._is_free.any())
        factor, decrement = None, np.inf
        for _ in range(_MAX_STEPS):
            is_free = self._is_free if is_guess else residuals > 0
            if not is_free.any():
                return False
            x = np.where(is_free, residuals, 0.0) / self._ridge
            z = self._signs * x
            sums = sums_of_rows(z, self._values)
            slopes = np.append(coefficients / taken - sums[columns], self._total - float(z.sum()))
            if self._update_matrix(is_free) or factor is None:
                factor = self._factor(columns, taken)
            if factor is None:
                return False
            step = -lapack.dpotrs(factor, slopes, lower=1)[0]
            slope = float(slopes @ step)
            change = -self._signs * (self._reach(columns, step[:-1]) + step[-1])
            if is_guess:
                length = 1.0
            else:
                squares = float(coefficients @ (coefficients / taken))
                size = (squares + float(residuals @ x)) / 2
                gains_no_more = -slope >= decrement / 4 and -slope <= _ROUGH_TOLERANCE * size
                decrement = -slope
                if decrement <= _TOLERANCE * size or gains_no_more:
                    self.value, self.x, self.sums, self._offset = size + self._total * offset, x, sums, offset
                    return True
                if not decrement > 0:
                    return False
                # Without the slacks: the slope at the start, and how it changes.
                of_rest = float(coefficients @ (step[:-1] / taken)) + self._total * float(step[-1])
                bend = float(step[:-1] @ (step[:-1] / taken))
                length = self._best_length(residuals, change, of_rest, bend, slope)
            coefficients = coefficients + length * step[:-1]
            offset += length * float(step[-1])
            residuals = residuals + length * change
            is_guess = False
        return False

    def _reach(self, columns: Indices, coefficients: Floats) -> Floats:
        """Return the products of the rows with coefficients of some of the columns."""
        spread = np.zeros(self._values.shape[1])
        spread[columns] = coefficients
        reach: Floats = self._values @ spread
        return reach

    def _best_length(self, residuals: Floats, change: Floats, of_rest: float, bend: float, slope: float) -> float:
        """Return the length of the step, at most 1, where the slope along it has fallen to next to nothing.

        The slope grows with the length, in pieces that are linear: regula falsi, in the form of Illinois.
        """
        per_ridge = change / self._ridge

        def slope_at(length: float) -> float:
            return of_rest + length * bend + float(np.maximum(residuals + length * change, 0.0) @ per_ridge)

        low, high = 0.0, 1.0
        at_low, at_high = slope, slope_at(1.0)
        if at_high <= -_SLOPE_LEFT * slope:
            return 1.0
        length = high
        for _ in range(_MAX_TRIALS):
            length = low + (high - low) * at_low / (at_low - at_high)
            found = slope_at(length)
            if abs(found) <= -_SLOPE_LEFT * slope:
                break
            if found < 0:
                low, at_low, at_high = length, found, at_high / 2
            else:
                high, at_high, at_low = length, found, at_low / 2
        return length

    def _update_matrix(self, is_free: Mask) -> bool:
        """Take the rows that are free, and no others, into the matrix; return whether any came or went."""
        changed = np.flatnonzero(is_free != self._is_free)
        if len(changed) == 0:
            return False
        if 2 * len(changed) > np.count_nonzero(is_free):
            self._matrix[:] = 0.0
            changed = np.flatnonzero(is_free)
        came = is_free[changed]
        for rows, sign in ((changed[came], 1.0), (changed[~came], -1.0)):
            for part in parts_of(rows, len(self._matrix)):
                lines = np.empty((len(self._matrix), len(part)), order="F")
                lines[:-1], lines[-1] = self._values[part].T, 1.0
                lines /= np.sqrt(self._ridge[part])
                self._matrix = blas.dsyrk(sign, lines, 1.0, self._matrix, lower=1, overwrite_c=1)
        self._is_free = is_free
        return True

    def _factor(self, columns: Indices, factors: Floats) -> Floats | None:
        """Return the Cholesky factor of the second derivatives in coefficients and offset; None where there is none."""
        taken = np.append(columns, len(self._matrix) - 1)
        # Rows and columns exchanged, so that the order of the numbers stays that of LAPACK.
        matrix = self._matrix.T[np.ix_(taken, taken)].T
        matrix[np.arange(len(columns)), np.arange(len(columns))] += 1 / factors
        factor, is_indefinite = lapack.dpotrf(matrix, lower=1, overwrite_a=1, clean=0)
        return None if is_indefinite else factor


def linear_gradient(found: RadiusMarginSolution, values: Floats) -> Floats:
    """Return the gradient of the bound of a linear kernel in the squared factors of the columns."""
    if values.size < MANY_VALUES:
        of_ball = found.ball @ np.square(values) - np.square(found.ball @ values)
        of_margins = np.square(found.multipliers @ values).sum(axis=0)
    else:
        of_ball = sums_of_squares(found.ball, values) - np.square(sums_of_rows(found.ball, values))
        of_margins = np.zeros_like(of_ball)
        for multipliers in found.multipliers:
            of_margins += np.square(sums_of_rows(multipliers, values))
    gradient: Floats = float(found.margins.sum()) * of_ball - found.radius * of_margins
    return gradient


def sums_of_rows(multiples: Floats, values: Floats) -> Floats:
    """Return the sum of multiples of rows, for each column, from the rows whose multiple is not zero."""
    support = np.flatnonzero(multiples)
    if _FEW * len(support) >= len(multiples):
        every: Floats = multiples @ values
        return every
    total: Floats = np.zeros(values.shape[1])
    for rows in parts_of(support, len(total)):
        total += multiples[rows] @ values[rows]
    return total


def sums_of_squares(multiples: Floats, values: Floats) -> Floats:
    """Return the same of the squares of the values."""
    total: Floats = np.zeros(values.shape[1])
    for rows in parts_of(np.flatnonzero(multiples), len(total)):
        part = values[rows]
        total += multiples[rows] @ np.square(part, out=part)
    return total


def parts_of(rows: Indices, n_columns: int) -> list[Indices]:
    """Split rows into parts whose values may be copied."""
    step = max(1, _VALUES_AT_ONCE // max(n_columns, 1))
    return [rows[first : first + step] for first in range(0, len(rows), step)]
