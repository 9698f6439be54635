"""A convex quadratic program whose unknowns lie between 0 and 1 and have a fixed sum."""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from fewest.arrays import Floats, Mask

_MAX_STEPS = 60
#: Complementarity and residual, relative to the largest slope, at which the program is solved.
_SOLVED, _NO_RESIDUAL = 1e-15, 1e-13
#: Share of the step to the boundary that is taken.
_STEP_TO_BOUNDARY = 0.995
#: What is left to 1 where an unknown is rounded to it: steps divide by it.
_LEAST_SLACK = np.finfo(float).eps / 4
#: Share of equal numbers that is mixed into the start, so that it lies within the bounds.
_MIXED = 0.1


def minimize_with_fixed_sum(gradient: Floats, hessian: Floats, at: Floats, units: Floats | None = None) -> Floats:
    """Minimize gradient . (x - at) + (x - at) . hessian (x - at) / 2 subject to 0 <= x <= 1 and sum x = sum at.

    hessian : positive semidefinite; only its lower triangle is read by the factorization
    units : not the minimum, but where the slopes of unknowns between their bounds are one multiple of these, positive

    Mehrotra's predictor-corrector method. What tends to a bound is returned at that bound. Unknowns with equal slopes
    and equal curvature, such as those of columns that are copies, are equal. Raises LinAlgError where a step fails.
    """
    units = np.ones(len(at)) if units is None else units
    largest = max(float(np.abs(gradient).max()), float(np.finfo(float).tiny))
    gradient, hessian = gradient / largest, hessian / largest
    total = float(at.sum())
    x = (1 - _MIXED) * at + _MIXED * total / len(at)
    slopes = gradient + hessian @ (x - at)
    level = float(np.median(slopes / units))
    lower, upper = np.maximum(slopes - level * units, 0.0) + _MIXED, np.maximum(level * units - slopes, 0.0) + _MIXED
    for _ in range(_MAX_STEPS):
        slack = np.maximum(1 - x, _LEAST_SLACK)
        residual = gradient + hessian @ (x - at) - level * units - lower + upper
        mu = float(x @ lower + slack @ upper) / (2 * len(x))
        if mu <= _SOLVED and float(np.abs(residual).max()) <= _NO_RESIDUAL:
            break
        factor, info = lapack.dpotrf(hessian + np.diag(lower / x + upper / slack), lower=1, overwrite_a=1)
        if info != 0:
            raise np.linalg.LinAlgError
        solved_units = lapack.dpotrs(factor, units, lower=1)[0]
        in_sum = float(solved_units.sum())
        if not in_sum > 0:
            raise np.linalg.LinAlgError
        lower_target, upper_target = -x * lower, -slack * upper
        for is_corrector in (False, True):
            solved = lapack.dpotrs(factor, lower_target / x - upper_target / slack - residual, lower=1)[0]
            level_step = float((total - x.sum() - solved.sum()) / in_sum)
            step = solved + level_step * solved_units
            lower_step, upper_step = (lower_target - lower * step) / x, (upper_target + upper * step) / slack
            ratios = (step / x, -step / slack, lower_step / lower, upper_step / upper)
            least = min(float(ratio.min()) for ratio in ratios)
            if not is_corrector:
                length = 1.0 if least >= -1 else -1 / least
                predicted = (x + length * step) @ (lower + length * lower_step)
                predicted += (slack - length * step) @ (upper + length * upper_step)
                target = mu * (float(predicted) / (2 * len(x) * mu)) ** 3
                lower_target = lower_target + target - step * lower_step
                upper_target = upper_target + target + step * upper_step
        length = 1.0 if least >= -_STEP_TO_BOUNDARY else -_STEP_TO_BOUNDARY / least
        x, level = x + length * step, level + length * level_step
        lower, upper = lower + length * lower_step, upper + length * upper_step
    return _at_bounds(x, lower > x, upper > 1 - x, total)


def _at_bounds(x: Floats, is_zero: Mask, is_one: Mask, total: float) -> Floats:
    """The point with some unknowns at their bounds, and what this changes of the sum made up by the others."""
    moved = np.where(is_zero, 0.0, np.where(is_one, 1.0, x))
    is_between = ~is_zero & ~is_one
    if is_between.any():
        moved[is_between] += (total - moved.sum()) / np.count_nonzero(is_between)
    return np.clip(moved, 0.0, 1.0)
