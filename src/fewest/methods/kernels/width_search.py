"""The width at which a kernel tells most, for many sets of features at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fewest.arrays import Floats, Indices

#: eta = 2^(place / 2 - 10) over the mean squared distance between two rows, for places 0, 1, ... LAST_PLACE.
LAST_PLACE = 40
#: Where it would be ill-posed to go on: 4 over the mean squared distance.
CAPPED_PLACE = 24

_GOLDEN = (3.0 - 5.0**0.5) / 2.0
_MOST_ROUNDS = 40
#: A step that promises less than this share of the value is not worth its cost.
_LEAST_GAIN = 1e-11
#: Nearer than this two places are one.
_NEAR = 1e-6


def width_at(place: Floats, mean_distance: Floats) -> Floats:
    """eta at a place of the ladder; 0 where rows do not differ."""
    eta: Floats = np.exp2(place / 2.0 - 10.0) / np.where(mean_distance > 0, mean_distance, np.inf)
    return eta


def best_places(ladder: Floats, evaluate: Callable[[Floats, Indices], Floats]) -> tuple[Floats, Floats]:
    """Where on the ladder each objective is highest, between its rungs too, and how high it is there.

    ladder : (n_objectives, n_rungs) the objectives on the rungs, of which the highest shows where to look
    evaluate(places, which) : the objectives of these numbers at these places

    Parabolas through the three points that enclose the top, and golden sections where those do not help.
    """
    last = float(ladder.shape[1] - 1)
    rows = np.arange(len(ladder))
    rung = np.argmax(ladder, axis=1)
    middle = rung.astype(np.float64)
    low, high = np.maximum(middle - 1.0, 0.0), np.minimum(middle + 1.0, last)
    at_low, at_high = ladder[rows, np.maximum(rung - 1, 0)], ladder[rows, np.minimum(rung + 1, int(last))]
    top = ladder[rows, rung]
    shrank = np.ones(len(ladder), dtype=bool)
    open_ = np.isfinite(top)
    for _ in range(_MOST_ROUNDS):
        vertex, gain = _parabola(low, middle, high, at_low, top, at_high)
        # The ends of the ladder have a neighbour on one side only: there the parabola means nothing.
        is_inside = (low < middle) & (middle < high)
        usable = is_inside & shrank & np.isfinite(vertex) & (vertex > low + _NEAR) & (vertex < high - _NEAR)
        little = _LEAST_GAIN * np.abs(top)
        is_flat = top - np.minimum(at_low, at_high) <= little
        # A parabola through rungs far apart may promise little by accident.
        is_done = (usable & (gain <= little) & (high - low < 1.0)) | is_flat | (high - low < 2 * _NEAR)
        open_ &= ~is_done
        which = np.flatnonzero(open_)
        if len(which) == 0:
            break
        further = np.where(high - middle > middle - low, high, low)
        golden = middle + _GOLDEN * (further - middle)
        tried = np.where(usable & (np.abs(vertex - middle) > _NEAR), vertex, golden)
        found = np.full(len(ladder), -np.inf)
        found[which] = evaluate(tried[which], which)
        before = high - low
        better = open_ & (found > top)
        worse = open_ & ~better
        right = tried > middle
        # The better of the two is the new middle; the worse an end.
        low = np.where(better & right, middle, np.where(worse & ~right, tried, low))
        at_low = np.where(better & right, top, np.where(worse & ~right, found, at_low))
        high = np.where(better & ~right, middle, np.where(worse & right, tried, high))
        at_high = np.where(better & ~right, top, np.where(worse & right, found, at_high))
        middle, top = np.where(better, tried, middle), np.where(better, found, top)
        shrank = high - low < 0.7 * before
    return middle, top


def _parabola(x0: Floats, x1: Floats, x2: Floats, y0: Floats, y1: Floats, y2: Floats) -> tuple[Floats, Floats]:
    """Where the parabola through three points is highest, and by how much it is higher there than in the middle."""
    with np.errstate(divide="ignore", invalid="ignore"):
        left, right = (y1 - y0) / (x1 - x0), (y2 - y1) / (x2 - x1)
        bend = (left - right) / (x2 - x0)  # positive where the middle is a top
        slope = (left * (x2 - x1) + right * (x1 - x0)) / (x2 - x0)
        vertex = x1 + slope / (2.0 * bend)
        gain = slope * slope / (4.0 * bend)
    return np.where(bend > 0, vertex, np.nan), gain
