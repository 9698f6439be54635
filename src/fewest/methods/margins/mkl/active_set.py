"""Active-set polish of the relaxed program: the optimum to double precision from a predicted active set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from fewest.arrays import Floats, Mask
from fewest.methods.margins.mkl.factorizations import DiagonalPlusProduct
from fewest.methods.margins.mkl.interior_point import InteriorPoint
from fewest.methods.margins.mkl.mkl_program import MklProgram, MklSolution, certified_solution

#: A relative duality gap that is rounding.
_ROUNDING = 1e-14
_MAX_ITERATIONS = 12
#: Up to this number of numbers right sides are solved for at once, and kept.
_MAX_SOLVED = 1 << 16
#: From this number of columns on equations are factored by Cholesky if that leaves this share of the digits.
_MANY_COLUMNS, _REGULAR = 100, 1e-9


@dataclass(frozen=True)
class ActiveSet:
    """Which bounds hold with equality in the relaxed program of one SVM.

    is_free, is_capped : rows with 0 < alpha < cap, and with alpha = cap
    is_full, is_partial : columns with p = 1, and with 0 < p < 1
    """

    is_free: Mask
    is_capped: Mask
    is_full: Mask
    is_partial: Mask

    def is_same(self, other: ActiveSet) -> bool:
        return all(map(np.array_equal, vars(self).values(), vars(other).values()))


def predict_active_set(point: InteriorPoint, caps: Floats) -> ActiveSet:
    """The active set an interior point converges to: of a slack and its multiplier the smaller one tends to zero."""
    alpha, slack = point.alpha[0] / caps, 1 - point.alpha[0] / caps
    is_zero, is_capped = alpha < point.alpha_lower[0] / 2, slack < point.alpha_upper[0] / 2
    level = max(abs(point.level), float(np.finfo(float).tiny))
    is_out, is_full = point.weights < point.weights_lower / level, 1 - point.weights < point.weights_upper / level
    return ActiveSet(~is_zero & ~is_capped, is_capped, is_full, ~is_out & ~is_full)


def polish(
    program: MklProgram, size: int, active: ActiveSet, projection_signs: Floats
) -> tuple[MklSolution, ActiveSet] | None:
    """Solve the optimality conditions on an active set and update it until it is consistent; None where that fails.

    On an active set all conditions are linear: the projections of columns with 0 < p < 1 have one absolute value, their
    signs are known (projection_signs), and their weights v = p u are unknowns.
    """
    best: tuple[MklSolution, ActiveSet] | None = None
    for _ in range(_MAX_ITERATIONS):
        found = _solve_on(program, size, active, projection_signs)
        if found is None:
            return best
        solution, updated, projection_signs = found
        if np.isfinite(solution.duality_gap) and (best is None or solution.duality_gap < best[0].duality_gap):
            best = solution, active
        if solution.duality_gap <= _ROUNDING or updated.is_same(active):
            return best
        active = updated
    return best


def _solve_on(
    program: MklProgram, size: int, active: ActiveSet, projection_signs: Floats
) -> tuple[MklSolution, ActiveSet, Floats] | None:
    """The solution of the conditions on the active set, the active set that follows from it, and its signs."""
    free, capped = np.flatnonzero(active.is_free), np.flatnonzero(active.is_capped)
    full, partial = np.flatnonzero(active.is_full), np.flatnonzero(active.is_partial)
    n_left = size - len(full)
    if len(free) == 0 or n_left < 0 or (len(partial) > 0 and n_left == 0):
        return None
    y, columns = program.signs[0], program.columns
    beta_capped = (program.caps * y)[capped]
    fixed_projections = beta_capped @ columns[capped]
    # In terms of beta = alpha y, so that the signs of rows appear in the right side alone.
    full_columns = np.asfortranarray(columns[np.ix_(free, full)])
    right = y[free] - full_columns @ fixed_projections[full]
    border = np.ones((len(free), len(partial) + 1))
    for position, column in enumerate(partial.tolist()):
        border[:, position] = columns[free, column]
    signs = np.append(projection_signs[partial], 0.0)
    try:
        ridges, ones = program.ridges[free], np.ones(len(full))
        factor = DiagonalPlusProduct(full_columns, ridges, ones, use_woodbury=0 < len(full) < len(free))
        solved_border = factor.solve(border) if border.size <= _MAX_SOLVED else None
        matrix = factor.quadratic_form_of(border) if solved_border is None else border.T @ solved_border
        if len(partial):
            matrix += np.outer(signs, signs) / n_left
        solve_border = _pseudo_inverse(matrix)
        fixed = np.append(fixed_projections[partial], beta_capped.sum())
        beta_free, unknowns = np.zeros(len(free)), np.zeros(len(signs))
        # The second pass is iterative refinement.
        for _ in range(2):
            projections = full_columns.T @ beta_free
            residual = right - ridges * beta_free - full_columns @ projections - border @ unknowns
            border_residual = fixed + border.T @ beta_free
            border_residual = border_residual - (signs * (signs @ unknowns) / n_left if len(partial) else 0.0)
            solved = factor.solve(residual[:, None])[:, 0]
            change = solve_border(border.T @ solved + border_residual)
            if solved_border is not None:
                taken = solved_border @ change
            else:
                taken = factor.solve((border @ change)[:, None])[:, 0]
            beta_free, unknowns = beta_free + solved - taken, unknowns + change
    except np.linalg.LinAlgError:
        return None
    beta = np.zeros(len(y))
    beta[free] = beta_free
    beta[capped] = beta_capped
    level = float(signs @ unknowns) / n_left if len(partial) else 0.0
    return _interpret(program, size, active, beta * y, unknowns[:-1], float(unknowns[-1]), level)


def _pseudo_inverse(matrix: Floats) -> Callable[[Floats], Floats]:
    """Return the function that multiplies by the pseudo-inverse: columns that are copies share their weight equally.

    matrix : positive semidefinite; only its lower triangle is read
    """
    if len(matrix) >= _MANY_COLUMNS:
        # Where there are no copies the pseudo-inverse is the inverse, which takes a tenth of the time.
        factor, is_indefinite = lapack.dpotrf(matrix, lower=1)
        if not is_indefinite and lapack.dpocon(factor, np.abs(matrix).sum(axis=0).max(), uplo="L")[0] > _REGULAR:
            return lambda right: np.asarray(lapack.dpotrs(factor, right, lower=1)[0])
    values, vectors = np.linalg.eigh(matrix)
    is_nonzero = values > len(values) * 1e-13 * values[-1]
    values, vectors = values[is_nonzero], vectors[:, is_nonzero]
    return lambda right: np.asarray(vectors @ ((vectors.T @ right) / values))


def _interpret(
    program: MklProgram, size: int, active: ActiveSet, alpha: Floats, partial_weights: Floats, intercept: float,
    level: float,
) -> tuple[MklSolution, ActiveSet, Floats]:  # fmt: skip
    """The solution, active set and signs from alpha, and weights and level |u| of the columns with 0 < p < 1."""
    partial = np.flatnonzero(active.is_partial)
    projections = (alpha * program.signs[0]) @ program.columns
    signs = np.where(projections < 0, -1.0, 1.0)
    shares = partial_weights / (signs[partial] * level) if level > 0 else np.zeros(len(partial))
    kernel_weights = active.is_full.astype(np.float64)
    kernel_weights[partial] = np.clip(shares, 0.0, 1.0)
    excess = kernel_weights.sum() - size
    if excess > 0 and len(partial):
        kernel_weights[partial] *= 1 - excess / kernel_weights[partial].sum()
    feasible = np.clip(alpha, 0.0, program.caps)
    solution = certified_solution(program, size, kernel_weights, feasible[None], np.array([intercept]))
    weights = np.where(active.is_full, projections, 0.0)
    weights[partial] = partial_weights
    optimal_alpha = (1 - program.signs[0] * (program.columns @ weights + intercept)) / program.ridges
    is_capped, is_free = optimal_alpha >= program.caps, (optimal_alpha > 0) & (optimal_alpha < program.caps)
    sizes = np.abs(projections)
    is_full = active.is_full & (sizes >= level)
    is_partial = (active.is_full & ~is_full) | (~active.is_full & ~active.is_partial & (sizes > level))
    is_full[partial], is_partial[partial] = shares > 1, (shares >= 0) & (shares <= 1)
    return solution, _with_feasible_size(ActiveSet(is_free, is_capped, is_full, is_partial), sizes, size), signs


def _with_feasible_size(active: ActiveSet, projections: Floats, size: int) -> ActiveSet:
    """The active set with at most `size` columns of p = 1 and at least `size` of p > 0, by the largest projections."""
    n_full, n_taken = np.count_nonzero(active.is_full), np.count_nonzero(active.is_full | active.is_partial)
    if size >= len(projections) or (n_full < size <= n_taken) or (n_full == size == n_taken):
        return active
    order = np.argsort(-projections, kind="stable")
    is_full, is_partial = active.is_full.copy(), active.is_partial.copy()
    if n_full >= size:
        weakest = [column for column in order.tolist() if is_full[column]][size - 1 :]
        is_full[weakest], is_partial[weakest] = False, True
    if np.count_nonzero(is_full | is_partial) <= size:
        outside = [column for column in order.tolist() if not (is_full[column] or is_partial[column])]
        is_partial[outside[: size + 1 - np.count_nonzero(is_full | is_partial)]] = True
    return ActiveSet(active.is_free, active.is_capped, is_full, is_partial)
