"""The kernel width at which an objective is highest, for many objectives at once: a grid, then between its points."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fewest.arrays import Floats, Indices

#: The grid is eta = 2^(step / 2 - 10) over the mean squared distance between two rows, for steps 0, 1, ... LAST_STEP.
LAST_STEP = 40
#: The last step where a larger eta would be ill-posed: 4 over the mean squared distance.
CAPPED_STEP = 24

_GOLDEN = (3.0 - 5.0**0.5) / 2.0
_MAX_ROUNDS = 40
#: The search ends where the parabola predicts a gain below this share of the value.
_MIN_GAIN = 1e-11
#: Positions nearer than this are the same.
_NEAR = 1e-6


def eta_at(position: Floats, mean_distance: Floats) -> Floats:
    """Return eta at positions on the grid, also between its steps; 0 where rows do not differ."""
    eta: Floats = np.exp2(position / 2.0 - 10.0) / np.where(mean_distance > 0, mean_distance, np.inf)
    return eta


def best_widths(
    grid: Floats, mean_distance: Floats, evaluate: Callable[[Floats, Indices], Floats]
) -> tuple[Floats, Floats]:
    """Return the highest value of each objective over eta, and eta there.

    grid : (n_objectives, n_steps) the objectives on the grid
    mean_distance : (n_objectives,) the mean squared distance between two rows
    evaluate(eta, which) : the objectives of these indices, each at its eta
    """
    positions, values = best_positions(
        grid, lambda positions, which: evaluate(eta_at(positions, mean_distance[which]), which)
    )
    return values, eta_at(positions, mean_distance)


def best_positions(grid: Floats, evaluate: Callable[[Floats, Indices], Floats]) -> tuple[Floats, Floats]:
    """Return the position on the grid at which each objective is highest, also between its steps, and the value there.

    Successive parabolas through three points that enclose the maximum, and golden sections where those do not help.

    grid : (n_objectives, n_steps) the objectives on the grid; the search starts at the highest
    evaluate(positions, which) : the objectives of these indices, each at its position
    """
    last = float(grid.shape[1] - 1)
    rows = np.arange(len(grid))
    step = np.argmax(grid, axis=1)
    middle = step.astype(np.float64)
    low, high = np.maximum(middle - 1.0, 0.0), np.minimum(middle + 1.0, last)
    at_low, at_high = grid[rows, np.maximum(step - 1, 0)], grid[rows, np.minimum(step + 1, int(last))]
    highest = grid[rows, step]
    shrank = np.ones(len(grid), dtype=bool)
    is_open = np.isfinite(highest)
    for _ in range(_MAX_ROUNDS):
        vertex, gain = _parabola(low, middle, high, at_low, highest, at_high)
        # At the ends of the grid there is a neighbour on one side only, and the parabola means nothing.
        is_inside = (low < middle) & (middle < high)
        usable = is_inside & shrank & np.isfinite(vertex) & (vertex > low + _NEAR) & (vertex < high - _NEAR)
        little = _MIN_GAIN * np.abs(highest)
        is_flat = highest - np.minimum(at_low, at_high) <= little
        # A parabola through points far apart may predict a small gain by accident.
        is_done = (usable & (gain <= little) & (high - low < 1.0)) | is_flat | (high - low < 2 * _NEAR)
        is_open &= ~is_done
        which = np.flatnonzero(is_open)
        if len(which) == 0:
            break
        further = np.where(high - middle > middle - low, high, low)
        golden = middle + _GOLDEN * (further - middle)
        tried = np.where(usable & (np.abs(vertex - middle) > _NEAR), vertex, golden)
        found = np.full(len(grid), -np.inf)
        found[which] = evaluate(tried[which], which)
        before = high - low
        better = is_open & (found > highest)
        worse = is_open & ~better
        right = tried > middle
        # The better of the two is the new middle; the worse an end.
        low = np.where(better & right, middle, np.where(worse & ~right, tried, low))
        at_low = np.where(better & right, highest, np.where(worse & ~right, found, at_low))
        high = np.where(better & ~right, middle, np.where(worse & right, tried, high))
        at_high = np.where(better & ~right, highest, np.where(worse & right, found, at_high))
        middle, highest = np.where(better, tried, middle), np.where(better, found, highest)
        shrank = high - low < 0.7 * before
    return middle, highest


def _parabola(x0: Floats, x1: Floats, x2: Floats, y0: Floats, y1: Floats, y2: Floats) -> tuple[Floats, Floats]:
    """Return where the parabola through three points is highest, and its height there above the middle point."""
    with np.errstate(divide="ignore", invalid="ignore"):
        left, right = (y1 - y0) / (x1 - x0), (y2 - y1) / (x2 - x1)
        bend = (left - right) / (x2 - x0)  # positive where the middle is a maximum
        slope = (left * (x2 - x1) + right * (x1 - x0)) / (x2 - x0)
        vertex = x1 + slope / (2.0 * bend)
        gain = slope * slope / (4.0 * bend)
    return np.where(bend > 0, vertex, np.nan), gain
