"""Newton's method in the kernel weights: the relaxed program of several SVMs that have few columns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.linalg import solve_triangular

from fewest.arrays import Floats, Indices
from fewest.methods.margins.mkl.factorizations import DiagonalPlusProduct, cholesky
from fewest.methods.margins.mkl.fixed_subset import solve_svms
from fewest.methods.margins.mkl.fixed_sum_program import minimize_with_fixed_sum
from fewest.methods.margins.mkl.mkl_program import MklProgram, MklSolution, certified_solution

_MAX_STEPS = 50
#: Share of the decrease that the slope promises which a step must reach, and the number of times it is shortened.
_SUFFICIENT, _MAX_SHORTENINGS = 1e-4, 12
#: The factors by which a step is shortened at least and at most.
_SHORTEST, _LONGEST = 0.1, 0.9
#: Within this duality gap the quadratic model is as good, and leaves more digits.
_NEAR = 1e-6
#: Squared projections below this share of the level count as this.
_LEAST_SHARE = 1e-3
#: Values that differ by less than this share differ by rounding.
_ROUNDING = 1e-13


class KernelWeightNewton:
    """Minimize w(p), the sum of the values of the SVMs with kernel weights p, by Newton's method with line search.

    For given kernel weights each SVM is solved on its own, to double precision, from the solution before. Its dual
    solution has the slopes of w: minus the squared projections. As long as no row changes the piece of the loss that it
    is on, w is smooth, so that the last steps converge quadratically: other than in an interior point method, whose
    rows may approach their bounds slowly where each of many classes has few rows.
    """

    def __init__(self, program: MklProgram, size: int, near: MklSolution | None = None) -> None:
        self.program = program
        self.size = size
        #: By column, the first of its copies: w is the same however their weights are shared.
        self._first_copy = _first_copies(program.columns)
        self._best = self._solve(_starting_weights(program.n_columns, size, near), near)

    def run(self, tolerance: float) -> None:
        """Step until the duality gap is within the tolerance, or no further step helps."""
        for _ in range(_MAX_STEPS):
            gap = self._best.duality_gap
            if gap <= tolerance or not self._step():
                break
            if gap <= _NEAR and self._best.duality_gap > gap / 2:
                # Quadratic convergence has ended: rounding is left.
                break

    def solution(self) -> MklSolution:
        """The best kernel weights so far, with the SVMs and their value and bound."""
        return self._best

    def _solve(self, kernel_weights: Floats, near: MklSolution | None) -> MklSolution:
        """Solve the SVMs of these kernel weights; `near` is a warm start."""
        taken = np.flatnonzero(kernel_weights)
        scaled = np.asfortranarray(self.program.columns[:, taken] * np.sqrt(kernel_weights[taken]))
        start = None if near is None else (near.alpha, near.intercepts)
        found = solve_svms(replace(self.program, columns=scaled), start)
        return certified_solution(self.program, self.size, kernel_weights, found.alpha, found.intercepts)

    def _step(self) -> bool:
        """Make one step to the minimum of a model; False where w does not fall."""
        hessian = self._hessian()
        if self._best.duality_gap > _NEAR and self._step_to(self._hyperbolic_target(hessian), 1):
            return True
        try:
            target = minimize_with_fixed_sum(-self._best.squared_projections, hessian, self._best.kernel_weights)
        except np.linalg.LinAlgError:
            return False
        return self._step_to(target, _MAX_SHORTENINGS)

    def _hyperbolic_target(self, hessian: Floats) -> Floats | None:
        """Where one over the norms of the projections, linear in the kernel weights, are equal; None where nowhere.

        The norm of a column's projections is about c / (b + p), for one column alone exactly: Newton's method on the
        squares would take many steps from weights that are too small or too large, as where the size is another.
        """
        at, size = self._best, self.size
        squares = at.squared_projections
        level = float(np.partition(squares, len(squares) - size)[len(squares) - size])
        if not level > 0:
            return None
        shares = np.maximum(squares / level, _LEAST_SHARE)
        try:
            return minimize_with_fixed_sum(2 * level * shares, hessian, at.kernel_weights, shares**1.5)
        except np.linalg.LinAlgError:
            return None

    def _step_to(self, target: Floats | None, max_trials: int) -> bool:
        """Go towards the target as far as w falls; False where it does not, after this number of trials."""
        if target is None:
            return False
        at = self._best
        squares, change = at.squared_projections, self._shared(target) - at.kernel_weights
        slope, length = -float(squares @ change), 1.0
        for _ in range(max_trials):
            found = self._solve(np.clip(at.kernel_weights + length * change, 0.0, 1.0), at)
            is_lower = slope < 0 and found.value <= at.value + _SUFFICIENT * length * slope
            # At the optimum the value no longer tells, but the bound still rises.
            is_closer = found.duality_gap < at.duality_gap and found.value <= at.value + _ROUNDING * abs(at.value)
            if is_lower or is_closer:
                self._best = found
                return True
            # w is convex: where its slope has changed its sign, the secant says about where it is zero.
            slope_there = -float(found.squared_projections @ change)
            shorter = slope / (slope - slope_there) if slope_there > 0 > slope else _LONGEST
            length *= min(max(shorter, _SHORTEST), _LONGEST)
        return False

    def _shared(self, kernel_weights: Floats) -> Floats:
        """The kernel weights with those of copies shared equally."""
        counts = np.bincount(self._first_copy, minlength=len(kernel_weights))
        totals = np.bincount(self._first_copy, kernel_weights, len(kernel_weights))
        return np.asarray((totals / np.maximum(counts, 1))[self._first_copy])

    def _hessian(self) -> Floats:
        """The second derivatives of w: 2 U X^T (R + X P X^T)^-1 X U, summed over the SVMs.

        U are the projections, R the ridges and X the rows on the quadratic piece of the loss, less their mean, which
        the intercept absorbs.
        """
        at, program = self._best, self.program
        shortfalls = 1 - program.signs * (at.weights @ program.columns.T + at.intercepts[:, None])
        is_free = (shortfalls > 0) & (shortfalls < program.ridges * program.caps)
        columns, total = np.ascontiguousarray(program.columns), np.zeros((program.n_columns, program.n_columns))
        for free, projections in zip(is_free, at.projections, strict=True):
            if not free.any():
                continue
            rows, ridges = columns[free], program.ridges[free]
            curvatures = 1 / ridges
            rows -= curvatures @ rows / curvatures.sum()
            if len(rows) > program.n_columns:
                total += _projected_inverse(rows, ridges, at.kernel_weights, projections)
            else:
                factor = DiagonalPlusProduct(rows, ridges, at.kernel_weights, use_woodbury=False)
                total += factor.quadratic_form(rows * projections)
        lower = np.tril(total)
        return 2 * (lower + np.tril(lower, -1).T)


def _projected_inverse(rows: Floats, ridges: Floats, kernel_weights: Floats, projections: Floats) -> Floats:
    """U X^T (R + X P X^T)^-1 X U, by a matrix of columns by columns: G - G S (1 + S G S)^-1 S G, S the root of P.

    The difference leaves fewer digits than factorizations.projected_inverse does, enough for a step; and it needs no
    columns that are linearly independent.
    """
    scaled, roots = rows / np.sqrt(ridges)[:, None], np.sqrt(kernel_weights)
    gram = scaled.T @ scaled
    inner = gram * roots * roots[:, None]
    inner[np.diag_indices(len(inner))] += 1.0
    half = solve_triangular(cholesky(inner), roots[:, None] * gram, lower=True, check_finite=False)
    gram -= half.T @ half
    gram *= projections
    gram *= projections[:, None]
    return np.asarray(gram)


def _first_copies(columns: Floats) -> Indices:
    """By column, the first that has the same numbers."""
    firsts: dict[bytes, int] = {}
    # Adding zero makes zeros of either sign the same bytes.
    return np.array([firsts.setdefault((own + 0.0).tobytes(), j) for j, own in enumerate(columns.T)], dtype=np.intp)


def _starting_weights(n_columns: int, size: int, near: MklSolution | None) -> Floats:
    """Equal kernel weights; with `near` its kernel weights, all made smaller or larger by one share."""
    if near is None:
        return np.full(n_columns, size / n_columns)
    weights = np.clip(near.kernel_weights, 0.0, 1.0)
    total = float(weights.sum())
    if total >= size:
        return weights * (size / total)
    return weights + (1 - weights) * ((size - total) / (n_columns - total))
