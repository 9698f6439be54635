"""The smallest enclosing ball and the largest margins in the space of a kernel, and where their bound is least."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from fewest._core import solve_quadratic_programs
from fewest.arrays import Codes, Floats, Indices, Integers, Mask
from fewest.errors import InvalidInput
from fewest.methods.kernels.radius_margin.joint_programs import solve_jointly
from fewest.threads import thread_count

#: C is tuned between these: below, the bound is that of a constant kernel; above, the margin is practically hard.
MIN_C, MAX_C = 2.0**-10, 2.0**14
#: eta is searched between these, in units of one over the mean squared distance.
_MIN_ETA, _MAX_ETA = 2.0**-10, 2.0**10
#: The first values of eta that are tried, in the same unit.
_FIRST_ETAS = [2.0**power for power in range(-4, 11, 2)]
#: C at the first values of eta: soft enough for classes that overlap.
_FIRST_C = 0.25
_TOLERANCE = 1e-9
#: Over many rows the search starts where the bound of about this number of them is least.
_SAMPLED_ROWS = 400
#: A search over all rows that only finds where to look has this tolerance.
_COARSE_TOLERANCE = 1e-3
#: Its first step, in logarithms of eta and C.
_FIRST_STEP = 0.3
#: From this number of values on a sum over rows leaves out those whose multiple is zero.
MANY_VALUES = 1 << 18
#: The number of programs times rows^3 from which on an inverse that they share is computed.
_MIN_SHARED_WORK = 1e9
#: And the number of programs with most rows free from which on it pays.
_MIN_SHARING = 3
#: The rounds of conjugate gradients that are expected before any were seen.
_USUAL_ROUNDS = 25
#: Equations of m free rows are factored in the time of m^3 / (this number times n^2) rounds, as measured.
_FACTORED_PER_ROUND = 2.0
#: After a failure of conjugate gradients this number of kernels is solved without, and twice as many after the next.
_FIRST_PAUSE = 1


@dataclass(frozen=True)
class RadiusMarginSolution:
    """The solutions of the quadratic programs of one kernel.

    radius : the squared radius R^2 of the smallest ball around the rows
    margins : (n_sides,) for each class against the rest, ||w||^2 = 1 / (half the margin)^2
    ball : (n_rows,) the share b of each row in the centre of the ball
    multipliers : (n_sides, n_rows) a_i s_i, the multiplier of each row with the sign of its side
    """

    radius: float
    margins: Floats
    ball: Floats
    multipliers: Floats

    @property
    def bound(self) -> float:
        """R^2 ||w||^2, summed over the classes against the rest."""
        return self.radius * float(self.margins.sum())

    def gaussian_gradient(self, kernel: Floats, values: Floats) -> Floats:
        """Return the gradient of the bound in the weights eta of the columns; overwrites the kernel.

        The bound changes by sum_ij V_ij dK_ij, V = -(||w||^2 b b' + R^2 sum of (a s)(a s)'). With dK / d eta_f =
        -(x_if - x_jf)^2 K that takes two products of n^2 numbers with the table, and never n^2 numbers a column.

        values : (n_rows, n_columns)
        """
        n_free = np.count_nonzero(self.multipliers, axis=1)
        if values.size >= MANY_VALUES and float(n_free @ n_free) < values.shape[0] ** 2:
            of_ball = _gradient_of_support(self.ball, kernel, values)
            slope = float(self.margins.sum()) * of_ball
            for multipliers in self.multipliers:
                slope += self.radius * _gradient_of_support(multipliers, kernel, values)
            return slope
        outer = np.vstack([np.sqrt(self.margins.sum()) * self.ball, np.sqrt(self.radius) * self.multipliers])
        kernel *= outer.T @ outer
        gradient: Floats = 2 * (np.square(values).T @ kernel.sum(axis=1) - (values * (kernel @ values)).sum(axis=0))
        return gradient

    def eta_slope(self, kernel_times_squared: Floats) -> float:
        """Return the derivative of the bound in one eta for all columns, from K o (squared distances)."""
        of_ball = float(self.ball @ kernel_times_squared @ self.ball)
        of_margins = float(((self.multipliers @ kernel_times_squared) * self.multipliers).sum())
        return float(self.margins.sum()) * of_ball + self.radius * of_margins

    def ridge_slope(self, weights: Floats) -> float:
        """Return the derivative of the bound in 1/C, where the rows have these weights."""
        of_radius = 1 - float((np.square(self.ball) / weights).sum())
        of_margins = -float((np.square(self.multipliers) / weights).sum())
        return of_radius * float(self.margins.sum()) + self.radius * of_margins


class RadiusMarginSolver:
    """Solve the two quadratic programs of one kernel after another, each from the last solution.

    Every class is one side against the rest; of two classes, one against the other is enough. 1 / (C times the weight
    of the row) is added to the kernel's diagonal: a soft margin with squared slacks.

    codes : the class of each row: 0, 1, ..., each of which occurs
    weights : the weight of each row
    """

    def __init__(self, codes: Codes, weights: Floats) -> None:
        signs = signs_of_sides(codes)
        self.weights = weights
        self._codes = codes
        self._signs = np.array([*signs, np.ones(len(codes))])
        self._gains = np.ones_like(self._signs)
        self._totals = np.array([0.0] * len(signs) + [1.0])
        self._x = np.zeros_like(self._signs)
        self._offsets = np.zeros(len(self._signs))
        #: What is left of the programs' values beside the sums of x, which are less exact where solved jointly.
        self._corrections = np.zeros(len(self._signs))
        #: The least C at which conjugate gradients have failed since they last succeeded at a larger one; how many
        #: kernels as hard are solved without before the next attempt, and after its failure.
        self._too_hard, self._pause, self._next_pause = np.inf, 0, _FIRST_PAUSE
        self._n_rounds = _USUAL_ROUNDS
        self.is_large = is_large(*self._signs.shape)

    def sample(self) -> Indices | None:
        """Return some of the rows, of every class in proportion; None where programs over all are solved fast."""
        if not self.is_large:
            return None
        n_programs, n_rows = self._signs.shape
        order = np.argsort(self._codes, kind="stable")
        firsts = np.searchsorted(self._codes[order], self._codes[order])
        is_chosen = (np.arange(n_rows) - firsts) % max(n_rows // _SAMPLED_ROWS, 1) == 0
        rows = np.sort(order[is_chosen])
        return None if is_large(n_programs, len(rows)) else rows

    def on_rows(self, rows: Indices) -> RadiusMarginSolver:
        """Return a solver of the programs over some of the rows, of every class."""
        return RadiusMarginSolver(self._codes[rows], self.weights[rows])

    def constant_kernel_bound(self) -> float:
        """Return the bound of a constant kernel, which separates no rows; it does not depend on C."""
        total = float(self.weights.sum())
        ahead = (self._signs[:-1] > 0) @ self.weights
        return float((4 * ahead * (total - ahead)).sum()) / total * (1 - 1 / total)

    def solve(self, kernel: Floats, C: float) -> RadiusMarginSolution:
        """Return the solutions for a kernel's matrix; raise where the margin cannot be computed."""
        ridge = 1 / (C * self.weights)
        diagonal = kernel.diagonal()
        self._gains[-1] = diagonal / 2
        is_solved = self._solve(kernel, ridge)
        if not is_solved:
            # From softer margins, which are easier, to harder: a solution far away leaves too few digits.
            self._x[:] = self._offsets[:] = 0.0
            for softer in (1e8, 1e6, 1e4, 1e2, 1.0):
                is_solved = self._solve(kernel, softer * ridge)
        if not is_solved:
            raise no_digits_left(C)
        ball, multipliers = self._x[-1].copy(), self._x[:-1] * self._signs[:-1]
        inside = ball @ kernel @ ball + ridge @ np.square(ball)
        radius = float(ball @ diagonal + 1 / C - inside)
        margins = self._x[:-1].sum(axis=1) + self._corrections[:-1]
        return RadiusMarginSolution(radius, margins, ball, multipliers)

    def _solve(self, kernel: Floats, ridge: Floats) -> bool:
        """Solve all programs from the last solutions; return whether all were solved."""
        n_programs, n_rows = self._signs.shape
        self._corrections[:] = 0.0
        if not is_large(n_programs, n_rows):
            return bool((self._solve_some(np.arange(n_programs), kernel, ridge) > 0).all())
        is_left = np.ones(n_programs, dtype=bool)
        # First those with so few free rows that factoring their equations is faster than conjugate gradients, which
        # take all rows; after these those that need no matrix of all rows.
        max_few = int(np.cbrt(_FACTORED_PER_ROUND * self._n_rounds * float(n_rows) ** 2))
        if not self._solve_few(kernel, ridge, is_left, min(max_few, n_rows // 2)):
            return False
        self._solve_jointly(kernel, ridge, is_left)
        if not self._solve_few(kernel, ridge, is_left, n_rows // 2):
            return False
        inverse = _inverse(kernel, ridge) if np.count_nonzero(is_left) >= _MIN_SHARING else None
        gains = None if inverse is None else (self._signs * self._gains) @ inverse
        if inverse is not None and gains is not None:
            is_left &= ~self._solve_where_all_are_free(kernel, ridge, inverse, gains, is_left)
        return bool(self._solve_some(np.flatnonzero(is_left), kernel, ridge, None, inverse, gains).all())

    def _solve_few(self, kernel: Floats, ridge: Floats, is_left: Mask, max_free: int) -> bool:
        """Solve those of the programs left that have at most this number of free rows; return whether none failed."""
        n_free = np.count_nonzero(self._x, axis=1)
        few = np.flatnonzero(is_left & (n_free > 0) & (n_free <= max_free))
        n_steps = self._solve_some(few, kernel, ridge, max_free)
        is_left[few[n_steps > 0]] = False
        return bool(n_steps.all())

    def _solve_jointly(self, kernel: Floats, ridge: Floats, is_left: Mask) -> None:
        """Solve the programs left by conjugate gradients, all at once, from the last solutions."""
        hardness = 1 / float(ridge.min())
        which = np.flatnonzero(is_left)
        if len(which) == 0:
            return
        if hardness >= self._too_hard and self._pause > 0:
            self._pause -= 1
            return
        x, offsets, gains = self._x[which], self._offsets[which], self._gains[which]
        is_solved, values, self._n_rounds = solve_jointly(
            kernel, ridge, self._signs[which], gains, self._totals[which], x, offsets
        )
        solved = which[is_solved]
        self._x[solved], self._offsets[solved] = x[is_solved], offsets[is_solved]
        self._corrections[solved] = (values - (gains * x).sum(axis=1))[is_solved]
        is_left[solved] = False
        if not is_solved.all():
            self._too_hard = min(self._too_hard, hardness)
            self._pause, self._next_pause = self._next_pause, 2 * self._next_pause
        elif hardness >= self._too_hard:
            # The kernel is another, or the last solution a better beginning.
            self._too_hard, self._next_pause = np.inf, _FIRST_PAUSE

    def _solve_some(
        self, which: Indices, kernel: Floats, ridge: Floats, max_free: int | None = None,
        inverse: Floats | None = None, inverse_gains: Floats | None = None,
    ) -> Integers:  # fmt: skip
        """Solve these programs from the last solutions.

        Return the numbers of steps: 0 where a program was not solved, below 0 where more than max_free rows are free.

        inverse, inverse_gains : that of the kernel with the ridge, and its products with the signed gains
        """
        signs, gains, x, offsets = self._signs[which], self._gains[which], self._x[which], self._offsets[which]
        n_steps = np.zeros(len(which), dtype=np.int64)
        solve_quadratic_programs(
            kernel, ridge, signs, gains, self._totals[which], x, offsets, n_steps, thread_count(), max_free,
            inverse, None if inverse_gains is None else inverse_gains[which],
        )  # fmt: skip
        self._x[which], self._offsets[which] = x, np.where(n_steps > 0, offsets, self._offsets[which])
        return n_steps

    def _solve_where_all_are_free(
        self, kernel: Floats, ridge: Floats, inverse: Floats, gains: Floats, is_left: Mask
    ) -> Mask:
        """Solve those of the programs left whose solution has no zero, all at once; return which ones these are.

        gains : the products of the inverse with the signed gains
        """
        of_ones = inverse.sum(axis=1)
        total = float(of_ones.sum())
        offsets = (gains.sum(axis=1) - self._totals) / total
        multipliers = gains - offsets[:, None] * of_ones
        is_free: Mask = is_left & (self._signs * multipliers > 0).all(axis=1)
        if not is_free.any():
            return is_free
        signs, found, offsets = self._signs[is_free], multipliers[is_free], offsets[is_free]
        # One step of iterative refinement.
        residuals = signs * self._gains[is_free] - found @ kernel - ridge * found - offsets[:, None]
        changes = residuals @ inverse
        shifts = (changes.sum(axis=1) - self._totals[is_free] + found.sum(axis=1)) / total
        found += changes - shifts[:, None] * of_ones
        is_solved = (signs * found > 0).all(axis=1)
        is_free[is_free] = is_solved
        self._x[is_free], self._offsets[is_free] = (signs * found)[is_solved], (offsets + shifts)[is_solved]
        return is_free


def _gradient_of_support(multiples: Floats, kernel: Floats, values: Floats) -> Floats:
    """Return sum_ij u_i u_j K_ij (x_if - x_jf)^2 of each column, from the rows whose multiple u is not zero."""
    support = np.flatnonzero(multiples)
    u, part = multiples[support], values[support]
    among = kernel[np.ix_(support, support)]
    weighted = u[:, None] * part
    reached = among @ weighted
    reached *= weighted
    weighted *= part
    gradient: Floats = 2 * ((among @ u) @ weighted - reached.sum(axis=0))
    return gradient


def no_digits_left(C: float) -> InvalidInput:
    """Return the error for margins that cannot be computed."""
    problem = f"The margin between the classes has no digits left at C = {C:g}"
    return InvalidInput(f"{problem}. Give a smaller C, or scale the columns.")


def is_large(n_programs: int, n_rows: int) -> bool:
    """Return whether computing once what the programs share saves time."""
    return n_programs * float(n_rows) ** 3 >= _MIN_SHARED_WORK


def signs_of_sides(codes: Codes) -> list[Floats]:
    """Return, for each class against the rest, 1 for its rows and -1 for the others; of two classes for one."""
    n_classes = int(codes.max(initial=0)) + 1
    sides = range(0 if n_classes < 2 else 1 if n_classes == 2 else n_classes)
    return [np.where(codes == side, 1.0, -1.0) for side in sides]


def _inverse(kernel: Floats, ridge: Floats) -> Floats | None:
    """Return the inverse of the kernel with the ridge; None where it has too few digits."""
    matrix = kernel.copy()
    matrix[np.diag_indices(len(matrix))] += ridge
    factor, is_indefinite = lapack.dpotrf(matrix, lower=1, overwrite_a=1)
    inverse, is_singular = lapack.dpotri(factor, lower=1, overwrite_c=1)
    if is_indefinite or is_singular:
        return None
    return np.ascontiguousarray(np.tril(inverse) + np.tril(inverse, -1).T)


class TunedKernel(NamedTuple):
    """The kernel exp(-eta D) with one eta for all columns, C, and the bound there."""

    eta: float
    C: float
    bound: float


def minimize_bound(
    solver: RadiusMarginSolver, squared: Floats, mean_squared: float, C: float | None, max_eta: float = _MAX_ETA
) -> TunedKernel:
    """Return where the bound is least over eta, and over C too where that is None, as far as a search finds.

    squared : the squared distances between the rows
    mean_squared : their mean over pairs of different rows
    max_eta : the largest eta, in units of 1 / mean_squared
    """
    search = _WidthSearch(solver, squared, mean_squared, C, max_eta)
    bounds = [search.bound_at(start)[0] for start in search.starts]
    return search.run(search.starts[int(np.argmin(bounds))])


def minimize_bound_from_sample(
    solver: RadiusMarginSolver, squared: Floats, mean_squared: float, C: float | None, max_eta: float
) -> TunedKernel:
    """Return the same, of many rows with fewer evaluations: from where the bound of some of them is least.

    Some rows may be separable where all are not, and have their least bound elsewhere: a coarse search over all rows,
    from the best of the first eta, finds where the bound is lower than what was found so.
    """
    rows = solver.sample()
    if rows is None:
        return minimize_bound(solver, squared, mean_squared, C, max_eta)
    of_some = _WidthSearch(solver.on_rows(rows), squared[np.ix_(rows, rows)], mean_squared, C, max_eta)
    near = min((of_some.run(start) for start in of_some.starts), key=lambda found: found.bound)
    search = _WidthSearch(solver, squared, mean_squared, C, max_eta)
    bounds = [search.bound_at(start)[0] for start in search.starts]
    coarse = search.run_nearby(search.starts[int(np.argmin(bounds))], _COARSE_TOLERANCE)
    found = search.run_nearby(search.point_of(near))
    if coarse.bound < found.bound:
        found = min(found, search.run_nearby(search.point_of(coarse)), key=lambda one: one.bound)
    return found


class _WidthSearch:
    """Searches for the eta, and C where that is None, with the least bound; parameters as in minimize_bound."""

    def __init__(
        self, solver: RadiusMarginSolver, squared: Floats, mean_squared: float, C: float | None, max_eta: float
    ) -> None:
        self._solver, self._squared, self._mean_squared, self._C = solver, squared, mean_squared, C
        limits = [(_MIN_ETA, max_eta), (MIN_C, MAX_C)]
        #: The least and the largest logarithms of eta mean_squared, and of C where that is tuned.
        self.limits: Floats = np.log(limits if C is None else limits[:1])
        self.starts: list[Floats] = [
            np.log([eta, _FIRST_C] if C is None else [eta]) for eta in _FIRST_ETAS if eta <= max_eta
        ]

    def bound_at(self, point: Floats) -> tuple[float, Floats]:
        """Return the bound at these logarithms, and its gradient in them."""
        eta = float(np.exp(point[0])) / self._mean_squared
        cost = float(np.exp(point[1])) if self._C is None else self._C
        kernel = np.exp(-eta * self._squared)
        found = self._solver.solve(kernel, cost)
        kernel *= self._squared
        slope = [eta * found.eta_slope(kernel)]
        if self._C is None:
            slope.append(-found.ridge_slope(self._solver.weights) / cost)
        return found.bound, np.array(slope)

    def point_of(self, tuned: TunedKernel) -> Floats:
        """Return the logarithms of a kernel's parameters, within the limits."""
        point = np.log([tuned.eta * self._mean_squared, tuned.C][: len(self.limits)])
        return np.clip(point, *self.limits.T)

    def run_nearby(self, start: Floats, tolerance: float = _TOLERANCE) -> TunedKernel:
        """Return what L-BFGS-B finds from a short first step: it would be as long as the gradient, to the limits."""
        slope = float(np.linalg.norm(self.bound_at(start)[1]))
        return self.run(start, slope / _FIRST_STEP or 1.0, tolerance)

    def run(self, start: Floats, unit: float = 1.0, tolerance: float = _TOLERANCE) -> TunedKernel:
        """Return what L-BFGS-B finds, with the bound in this unit, where a step gains less than a share of it."""
        # Imported here: parameters can be checked without waiting for it.
        from scipy.optimize import minimize

        def in_units(point: Floats) -> tuple[float, Floats]:
            bound, slope = self.bound_at(point)
            return bound / unit, slope / unit

        options = {"ftol": tolerance, "gtol": 0.0}
        end = minimize(in_units, start, jac=True, method="L-BFGS-B", bounds=self.limits, options=options)
        cost = float(np.exp(end.x[1])) if self._C is None else self._C
        return TunedKernel(float(np.exp(end.x[0])) / self._mean_squared, cost, float(end.fun) * unit)
