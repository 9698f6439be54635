"""The largest tail probability of an r-concave distribution with a given mean."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from fewest.arrays import Floats

#: Between these lies the offset of every extreme distribution that is needed, in units of a step.
_LEAST_OFFSET, _LARGEST_OFFSET = 1e-12, 1e12
#: Halvings of that range, in logarithms: enough for the last digit.
_HALVINGS = 100
#: The maximum over an interval: points that are tried, and how often the best of them and its neighbours become the
#: interval. The objective is flat at its maximum, so that an eighth of the interval is a 64th of the error.
_TRIED, _ROUNDS = 17, 6


@lru_cache(maxsize=4096)
def r_concave_tail(mean: float, at_least: int, n_steps: int, exponent: int) -> float:
    """Return the largest P(X >= at_least) of an r-concave X on 0, 1, ..., n_steps with a mean of at most `mean`.

    D(eta, t, B, r) of Shah and Samworth (2013, Sec. 3.3 and Appendix A.4), with eta = mean / n_steps,
    t = at_least / n_steps, B = n_steps and r = 1 / exponent. The extreme distributions are f(i) = c (a + i)^exponent on
    0, ..., k, with less than that at k + 1, and none beyond. Where at_least is not above twice the mean, 1 is returned.

    exponent : 1 / r, negative
    """
    first = int(np.ceil(2 * mean)) + 1
    if at_least < first or first > n_steps:
        return 1.0
    ends = np.arange(first, n_steps + 1)
    offsets = _offsets_of_mean(ends, mean, exponent)
    if len(ends) == 1:
        return float(np.clip(_tails(offsets[:, None], ends, mean, at_least, exponent).max(), 0.0, 1.0))
    # With its last value at k + 1 a distribution has an offset between those of the ends k + 1 and k.
    ends, low, high = ends[:-1], np.log(offsets[1:]), np.log(offsets[:-1])
    shares, best = np.linspace(0.0, 1.0, _TRIED), 0.0
    for _ in range(_ROUNDS):
        tried = low[:, None] + shares * (high - low)[:, None]
        found = _tails(np.exp(tried), ends, mean, at_least, exponent)
        best = max(best, float(found.max()))
        at = found.argmax(axis=1)
        low, high = (
            np.take_along_axis(tried, np.clip(at + side, 0, _TRIED - 1)[:, None], axis=1)[:, 0] for side in (-1, 1)
        )
    return min(best, 1.0)


def _offsets_of_mean(ends: np.ndarray, mean: float, exponent: int) -> Floats:
    """Return for each k the offset a with which (a + i)^exponent on 0, ..., k has this mean."""
    steps = np.arange(ends[-1] + 1)
    is_inside = steps <= ends[:, None]
    low = np.full(len(ends), np.log(_LEAST_OFFSET))
    high = np.full(len(ends), np.log(_LARGEST_OFFSET))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        # Relative to the first, which is the largest: small offsets would overflow.
        weights = np.where(is_inside, (1.0 + steps * np.exp(-middle)[:, None]) ** exponent, 0.0)
        # Masses near zero spread up to k, so that the mean grows with the offset.
        is_below = (weights * steps).sum(axis=1) < mean * weights.sum(axis=1)
        low, high = np.where(is_below, middle, low), np.where(is_below, high, middle)
    return np.asarray(np.exp((low + high) / 2))


def _tails(offsets: Floats, ends: np.ndarray, mean: float, at_least: int, exponent: int) -> Floats:
    """Return P(X >= at_least) for each k (a row) and each of its offsets (a column), the rest of the mass at k + 1."""
    steps = np.arange(ends[-1] + 1)
    weights = (1.0 + steps / offsets[:, :, None]) ** exponent
    to_go = np.clip(ends[:, None] + 1 - steps, 0, None)
    total = (weights * to_go[:, None, :]).sum(axis=2)
    # Below at_least; where k + 1 is below it too, all of the mass is.
    is_counted = (steps < at_least) & (steps <= ends[:, None])
    below = (weights * is_counted[:, None, :]).sum(axis=2)
    tails = 1.0 - (ends[:, None] + 1 - mean) * below / total
    return np.where(ends[:, None] + 1 < at_least, 0.0, tails)
