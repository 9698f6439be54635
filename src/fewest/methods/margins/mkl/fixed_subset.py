"""SVMs on a fixed subset of columns: w of the subset, and estimates of what exchanges of two columns gain."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.linalg import lapack

from fewest import _core
from fewest.arrays import Floats, Indices, Mask
from fewest.methods.margins.mkl.mkl_program import MklProgram, MklSolution, certified_solution, initial_alpha

#: A duality gap within this share of the value is closed.
CLOSED = 1e-11
#: Up to this number of columns the compiled Newton method is faster than the methods on matrices; up to this multiple
#: of it, faster than those where there is no warm start.
_COMPILED_COLUMNS, _ROBUST_SHARE = 200, 3
#: Iterations of Newton's method from a cold start, and from the interior point.
_COLD_ITERATIONS, _WARM_ITERATIONS = 25, 12
_MAX_INTERIOR_STEPS = 80
#: After this number of interior point steps without progress one centring step is made, with this centring parameter.
_IDLE_STEPS, _CENTRING = 3, 0.5
#: Share of the step to the boundary that is taken.
_STEP_TO_BOUNDARY = 0.995
#: The least width that the quadratic piece of the loss is given when gains are estimated.
_MIN_WIDTH = 1.0
#: Up to this number of numbers a table is copied with its rows one after the other.
_MAX_COPIED = 1 << 21


def solve_svms(
    program: MklProgram, start: tuple[Floats, Floats] | None = None, *, compiled_columns: int = _COMPILED_COLUMNS
) -> MklSolution:
    """Solve the SVMs that use all columns of the program, each with kernel weight 1.

    start : alpha and intercepts of a similar subset, for a warm start
    compiled_columns : the compiled Newton method is tried up to this number of columns
    """
    n_rows, n_columns = program.columns.shape
    short = program
    if n_columns > n_rows:
        # SVMs depend on the inner products of rows alone: the square triangular factor has the same ones.
        triangle = np.asarray(np.linalg.qr(program.columns.T, mode="r"))
        short = replace(program, columns=np.asfortranarray(triangle.T))
    ones = np.ones(n_columns)
    if short.n_columns <= compiled_columns:
        found = certified_solution(program, n_columns, ones, *_solve_compiled(short, start))
        if found.duality_gap <= CLOSED:
            return found
    alpha, intercepts = np.empty_like(program.signs), np.empty(len(program.signs))
    columns = np.column_stack([short.columns, np.ones(n_rows)])
    for k in range(len(program.signs)):
        svm = _BinarySvm(replace(short, signs=program.signs[k : k + 1]), columns)
        solution = None
        if short.n_columns > compiled_columns and start is not None:
            solution = svm.newton_from(start[0][k], float(start[1][k]))
        if solution is None and compiled_columns < short.n_columns <= _ROBUST_SHARE * compiled_columns:
            solution = svm.compiled(None if start is None else (start[0][k], start[1][k]))
        if solution is None:
            is_free = np.ones(n_rows, dtype=bool)
            solution = svm.newton(is_free, ~is_free, 0.0, _COLD_ITERATIONS) or svm.interior_point()
        alpha[k], intercepts[k] = solution.alpha[0], solution.intercepts[0]
    return certified_solution(program, n_columns, ones, alpha, intercepts)


def _solve_compiled(program: MklProgram, start: tuple[Floats, Floats] | None) -> tuple[Floats, Floats]:
    """Alpha and intercepts by the compiled Newton method, which searches along each step."""
    alpha, intercepts = np.zeros(program.signs.shape), np.zeros(len(program.signs))
    if start is not None:
        alpha[:], intercepts[:] = start
    columns, signs = np.ascontiguousarray(program.columns.T), np.ascontiguousarray(program.signs)
    subset = np.arange(program.n_columns)
    _core.solve_margin_svms(columns, signs, program.caps, program.ridges, subset, alpha, intercepts)
    return alpha, intercepts


def estimate_exchange_gains(program: MklProgram, subset: Indices, others: Indices, at: MklSolution) -> Floats:
    """Estimate by how much w falls when each column of the subset is exchanged for each of the others.

    at : the SVMs on the subset, with the projections of all columns

    Exact while the same rows are on the quadratic piece of the loss; a narrow piece is taken as wide as the margin.
    """
    gains, n_inside = np.zeros((len(subset), len(others))), len(subset)
    both = np.concatenate([subset, others])
    # Where several SVMs take their own rows these lie one after the other; a long table is not copied as a whole.
    is_copied = len(program.columns) * len(both) <= _MAX_COPIED
    table = program.columns.T[both].T if is_copied else np.empty((0, 0))
    if len(program.signs) > 1:
        table = np.ascontiguousarray(table)
    ends = program.ridges * program.caps
    widening = np.maximum(_MIN_WIDTH - ends, 0.0)
    for signs, projections, intercept in zip(program.signs, at.projections, at.intercepts, strict=True):
        outputs = (table[:, :n_inside] if is_copied else program.columns[:, subset]) @ projections[subset]
        shortfalls = 1 - signs * (outputs + intercept)
        is_free = (shortfalls > -widening / 2) & (shortfalls < ends + widening / 2)
        free = np.flatnonzero(is_free)
        if is_copied:
            rows = table[free] if table.flags.c_contiguous else np.take(table.T, free, axis=1).T
        else:
            rows = program.columns[np.ix_(free, both)]
        curvatures = (program.caps / (ends + widening))[is_free]
        if len(rows) > 0:
            # The intercept absorbs the mean.
            rows -= curvatures @ rows / curvatures.sum()
        inside, outside = rows[:, :n_inside], rows[:, n_inside:]
        scaled = (inside * curvatures[:, None]).T
        # The inverse of 1 + scaled inside, by a matrix of columns or of rows, whichever are fewer.
        if n_inside <= len(rows):
            products = scaled @ rows
            across = products[:, n_inside:]
            inverse = np.linalg.inv(np.eye(n_inside) + products[:, :n_inside])
            solved, diagonal = inverse @ across, np.diag(inverse)
        else:
            across = scaled @ outside
            inverse = np.linalg.inv(np.eye(len(inside)) + inside @ scaled)
            solved, diagonal = scaled @ (inverse @ outside), 1 - (scaled * (inverse @ inside).T).sum(axis=1)
        # In place: with many rows this is as large as the table.
        np.square(outside, out=outside)
        schur = 1 + curvatures @ outside - np.einsum("ij,ij->j", across, solved)
        step = projections[others] / schur
        loss = np.square(projections[subset][:, None] - solved * step)
        gains += projections[others] * step - loss / (diagonal[:, None] + np.square(solved) / schur)
    return gains


class _BinarySvm:
    """One SVM on all columns of a program with one line of signs."""

    def __init__(self, program: MklProgram, columns: Floats) -> None:
        self.program = program
        self.signs = program.signs[0]
        #: The columns, and a column of ones for the intercept.
        self.columns = columns

    def compiled(self, start: tuple[Floats, Floats] | None) -> MklSolution | None:
        """The compiled Newton method; None where it does not close the gap."""
        alpha, intercepts = _solve_compiled(self.program, start)
        return self._if_closed(alpha[0], float(intercepts[0]))

    def newton_from(self, alpha: Floats, intercept: float) -> MklSolution | None:
        """Newton's method from a similar SVM: None where the pieces that its rows are on are too different."""
        caps = self.program.caps
        return self.newton((alpha > 0) & (alpha < caps), alpha >= caps, intercept, _WARM_ITERATIONS)

    def newton(self, is_free: Mask, is_capped: Mask, intercept: float, max_iterations: int) -> MklSolution | None:
        """Newton's method on the piecewise quadratic loss; None where the active set does not converge.

        is_free, is_capped : rows assumed on the quadratic and on the linear piece of the loss
        intercept : used where no row is on the quadratic piece, which would leave it undetermined
        """
        program, signs, caps, ridges = self.program, self.signs, self.program.caps, self.program.ridges
        for _ in range(max_iterations):
            if not is_free.any():
                return self._if_closed(np.where(is_capped, caps, 0.0), intercept)
            rows = self.columns[is_free]
            scaled = rows / ridges[is_free][:, None]
            matrix = rows.T @ scaled
            matrix[np.arange(program.n_columns), np.arange(program.n_columns)] += 1.0
            right = scaled.T @ signs[is_free] + self.columns[is_capped].T @ (caps * signs)[is_capped]
            factor, info = lapack.dpotrf(matrix, lower=1)
            if info != 0:
                return None
            weights = lapack.dpotrs(factor, right, lower=1)[0]
            # One step of iterative refinement.
            weights = weights + lapack.dpotrs(factor, right - matrix @ weights, lower=1)[0]
            alpha = (1 - signs * (self.columns @ weights)) / ridges
            was_capped, was_free = is_capped, is_free
            is_capped, is_free = alpha >= caps, (alpha > 0) & (alpha < caps)
            if np.array_equal(is_capped, was_capped) and np.array_equal(is_free, was_free):
                return self._if_closed(np.clip(alpha, 0.0, caps), float(weights[-1]))
        return None

    @np.errstate(divide="ignore", invalid="ignore", over="ignore")
    def interior_point(self) -> MklSolution:
        """Mehrotra's interior point method on the dual, polished by Newton's method from the active set it predicts."""
        program, signs, caps, ridges = self.program, self.signs, self.program.caps, self.program.ridges
        alpha = initial_alpha(program, program.n_columns)[0]
        slack = caps - alpha
        #: Twice the weights, and twice the intercept.
        weights = np.append(2 * ((alpha * signs) @ program.columns), 0.0)
        gradient = 2 - 2 * ridges * alpha - signs * (self.columns @ weights)
        lower, upper = np.maximum(-gradient, 0.0) + 1.0, np.maximum(gradient, 0.0) + 1.0
        best: MklSolution | None = None
        tolerance, least_products, n_idle = 1e-4, np.inf, 0
        for _ in range(_MAX_INTERIOR_STEPS):
            beta = alpha * signs
            projections = beta @ program.columns
            value = float(2 * alpha.sum() - ridges @ np.square(alpha) - projections @ projections)
            weights[:-1] = 2 * projections
            residual = 2 - 2 * ridges * alpha - signs * (self.columns @ weights) + lower - upper
            products = alpha @ lower + slack @ upper
            if products + np.abs(residual) @ alpha <= tolerance * abs(value):
                tolerance /= 100
                near = self._solution(alpha, weights[-1] / 2)
                is_zero, is_capped = alpha / caps < lower / 2, slack / caps < upper / 2
                closed = self.newton(~is_zero & ~is_capped, is_capped, weights[-1] / 2, _WARM_ITERATIONS)
                if closed is not None:
                    return closed
                best = near if best is None or near.duality_gap < best.duality_gap else best
                if tolerance < CLOSED / 100:
                    break
            n_idle = 0 if products < 0.5 * least_products else n_idle + 1
            least_products = min(products, least_products)
            diagonal = 2 * ridges + lower / alpha + upper / slack
            scaled = self.columns / diagonal[:, None]
            matrix = self.columns.T @ scaled
            matrix[np.arange(len(projections)), np.arange(len(projections))] += 0.5
            factor, info = lapack.dpotrf(matrix, lower=1)
            if info != 0:
                break
            mu = products / (2 * len(alpha))
            lower_target, upper_target = -alpha * lower, -slack * upper
            for is_corrector in (False, True):
                right = signs * (residual + lower_target / alpha - upper_target / slack)
                reduced = scaled.T @ right
                reduced[-1] += beta.sum()
                step = lapack.dpotrs(factor, reduced, lower=1)[0]
                change = signs * (right - self.columns @ step) / diagonal
                lower_change = (lower_target - lower * change) / alpha
                upper_change = (upper_target + upper * change) / slack
                ratios = (change / alpha, -change / slack, lower_change / lower, upper_change / upper)
                least = min(float(ratio.min()) for ratio in ratios)
                length = 1.0 if least >= 0 else min(1.0, -1 / least)
                if not is_corrector:
                    predicted = (alpha + length * change) @ (lower + length * lower_change)
                    predicted += (slack - length * change) @ (upper + length * upper_change)
                    target = mu * (predicted / products) ** 3
                    if n_idle >= _IDLE_STEPS:
                        # Corrections may cycle; a centring step ends the cycle.
                        lower_target, upper_target = lower_target + _CENTRING * mu, upper_target + _CENTRING * mu
                        continue
                    lower_target = lower_target + target - change * lower_change
                    upper_target = upper_target + target + change * upper_change
            length = min(1.0, -_STEP_TO_BOUNDARY / least) if least < 0 else 1.0
            if not length > 1e-8:
                break
            alpha, slack = alpha + length * change, slack - length * change
            lower, upper = lower + length * lower_change, upper + length * upper_change
            weights[-1] += length * step[-1]
        return best or self._solution(alpha, weights[-1] / 2)

    def _solution(self, alpha: Floats, intercept: float) -> MklSolution:
        n_columns = self.program.n_columns
        return certified_solution(self.program, n_columns, np.ones(n_columns), alpha[None], np.array([intercept]))

    def _if_closed(self, alpha: Floats, intercept: float) -> MklSolution | None:
        solution = self._solution(alpha, intercept)
        return solution if solution.duality_gap <= CLOSED else None
