"""The best eta that all columns share, of sums over many rows: a few passes over all pairs of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import factorial

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.methods.kernels.width_search import best_positions

#: Derivatives of each sum in eta, the sum itself included.
N_DERIVATIVES = 11
#: How far from where the derivatives were taken eta is searched, as a share of it.
_MAX_SHARE = 0.3
#: And how far at most the best eta may be from there. Of exp(-u) exp(-s u) the terms of the series in s are at most
#: s^k exp(-u) u^k / k!, below s^k: about 0.1^11 of the sum of the weights is left out.
_SURE_SHARE = 0.1
#: Points on either side at which the series is evaluated first.
_N_POINTS = 16
_MAX_ROUNDS = 40
#: Maxima of the grid that may be the highest although others are higher by less than this share.
_NEAR_HIGHEST = 0.05


def local_maxima(grid: Floats) -> Indices:
    """Return the steps of a grid of values that are maxima and near the highest, the highest first."""
    padded = np.concatenate([[-np.inf], grid, [-np.inf]])
    is_maximum = (grid >= padded[:-2]) & (grid > padded[2:])
    steps = np.flatnonzero(is_maximum & (grid >= grid.max() - _NEAR_HIGHEST * abs(grid.max())))
    return steps[np.argsort(-grid[steps], kind="stable")]


def best_shared_eta(
    derivatives: Callable[[float], Floats],
    value: Callable[[Sequence[Floats]], Floats],
    starts: Sequence[float],
    limits: tuple[float, float],
) -> tuple[float, float]:
    """Return the eta with the highest value that is found from any of these, within limits, and the value there.

    derivatives(eta) : (N_DERIVATIVES, n_sums) of each sum in s, where eta is multiplied by 1 + s
    value : as in KernelObjective
    """
    return max((_climb(derivatives, value, start, limits) for start in starts), key=lambda found: found[1])


def _climb(
    derivatives: Callable[[float], Floats],
    value: Callable[[Sequence[Floats]], Floats],
    eta: float,
    limits: tuple[float, float],
) -> tuple[float, float]:
    factorials = np.array([float(factorial(k)) for k in range(N_DERIVATIVES)])
    for _ in range(_MAX_ROUNDS):
        coefficients = derivatives(eta) / factorials[:, None]
        low, high = (np.clip(limit / eta - 1.0, -_MAX_SHARE, _MAX_SHARE) for limit in limits)

        def share_at(position: Floats, low: float = low, high: float = high) -> Floats:
            return low + (high - low) * position / (2.0 * _N_POINTS)

        def evaluate(position: Floats, which: Indices, coefficients: Floats = coefficients) -> Floats:
            return value(list(np.polynomial.polynomial.polyval(share_at(position), coefficients)))

        positions = np.arange(2.0 * _N_POINTS + 1)
        best, highest = best_positions(evaluate(positions, np.empty(0, dtype=np.intp))[None, :], evaluate)
        share = float(share_at(best)[0])
        eta *= 1.0 + share
        if abs(share) <= _SURE_SHARE:
            break
    return eta, float(highest[0])
