"""The knockoff filter: from statistics of columns against their copies to a threshold."""

from __future__ import annotations

import math

import numpy as np

from fewest.arrays import Floats


def false_discovery_estimates(statistics: Floats, offset: int) -> tuple[Floats, Floats]:
    """Return the thresholds at which the answer changes, ascending, and the estimated false discovery rate at each.

    (offset + #{j : W_j <= -t}) / max(1, #{j : W_j >= t}), for t = |W_j| > 0.
    """
    statistics = statistics[~np.isnan(statistics)]
    sizes = np.abs(statistics)
    thresholds = np.unique(sizes[sizes > 0])
    ascending = np.sort(statistics)
    n_above = len(ascending) - np.searchsorted(ascending, thresholds, side="left")
    n_below = np.searchsorted(ascending, -thresholds, side="right")
    return thresholds, (offset + n_below) / np.maximum(1, n_above)


def knockoff_threshold(statistics: Floats, level: float, offset: int) -> float:
    """Return the lowest threshold at which the estimate is at most the level; infinite where there is none."""
    thresholds, estimates = false_discovery_estimates(statistics, offset)
    passing = np.flatnonzero(estimates <= level * (1 + 1e-12))
    return float(thresholds[passing[0]]) if len(passing) else math.inf


def least_level(statistics: Floats, offset: int) -> tuple[float, int]:
    """Return the lowest level that selects anything, and the number of features then; infinite and 0 if none does."""
    thresholds, estimates = false_discovery_estimates(statistics, offset)
    counts = np.array([np.count_nonzero(statistics >= t) for t in thresholds], dtype=int)
    known = np.flatnonzero(counts)
    if len(known) == 0:
        return math.inf, 0
    best = known[np.argmin(estimates[known])]
    return float(estimates[best]), int(counts[best])


def importances(scores: Floats) -> Floats:
    """Return finite scores: infinite ones are twice the farthest, and a column without a score has the least of all."""
    known = scores[np.isfinite(scores)]
    farthest = 2 * float(np.abs(known).max(initial=0.5))
    finite = np.where(np.isinf(scores), np.copysign(farthest, scores), scores)
    return np.where(np.isnan(scores), known.min(initial=math.inf) if len(known) else 0.0, finite)


def signed_maxima(own: Floats, of_copies: Floats) -> Floats:
    """Return W = the higher of the two scores, negative where it is the copy's; 0 where they are equal.

    For scores by the order in which columns are taken: of two that are taken late the difference means nothing.
    """
    return np.asarray(np.maximum(own, of_copies) * np.sign(own - of_copies))


def differences(own: Floats, of_copies: Floats) -> Floats:
    """Return W = score of a column - score of its copy."""
    return np.asarray(own - of_copies)
