"""Bounds on the number of false selections, from Meinshausen and Bühlmann (2010) and Shah and Samworth (2013).

q features a half of p columns, threshold tau, B complementary pairs.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq


def worst_case(q, p, tau):
    """Theorem 1 of both papers."""
    return q**2 / (p * (2 * tau - 1))


def unimodal(q, p, tau, n_pairs):
    """Theorem 2 of Shah and Samworth; infinite outside of its range."""
    theta = q / p
    if theta > 1 / np.sqrt(3) or tau <= min(0.5 + theta**2, 0.5 + 1 / (2 * n_pairs) + 0.75 * theta**2):
        return np.inf
    if tau <= 0.75:
        constant = 1 / (2 * (2 * tau - 1 - 1 / (2 * n_pairs)))
    else:
        constant = 4 * (1 - tau + 1 / (2 * n_pairs)) / (1 + 1 / n_pairs)
    return constant * q**2 / p


def r_concave(q, p, tau, n_pairs):
    """Section 3.3: proportions of pairs are r-concave with r = -1/2, those of halves with r = -1/4."""
    theta, halves = q / p, round(2 * n_pairs * tau)
    of_pairs = tail(theta**2 * n_pairs, halves - n_pairs, n_pairs, -1 / 2)
    of_halves = tail(theta * 2 * n_pairs, halves, 2 * n_pairs, -1 / 4)
    return p * min(of_pairs, of_halves)


def tail(mean, t, n_steps, r, n_points=60):
    """The largest P(X >= t) on 0, ..., n_steps with this mean: f(i) = c (a + i)^(1/r) up to k, and less at k + 1."""
    s = 1 / r
    first = int(np.ceil(2 * mean)) + 1
    if t < first or first > n_steps:
        return 1.0

    def mean_of(a, k):
        weights = (a + np.arange(k + 1.0)) ** s
        return weights @ np.arange(k + 1) / weights.sum()

    offsets = {
        k: np.exp(brentq(lambda x, k=k: mean_of(np.exp(x), k) - mean, -20, 25)) for k in range(first, n_steps + 1)
    }
    best = 0.0
    for k in range(first, n_steps + 1):
        lowest = offsets.get(k + 1, offsets[k])
        for a in np.exp(np.linspace(np.log(lowest), np.log(offsets[k]), n_points)):
            weights = (a + np.arange(k + 1.0)) ** s
            c = (k + 1 - mean) / ((k + 1 - np.arange(k + 1)) @ weights)
            if k == n_steps:
                c = 1 / weights.sum()
            masses = np.append(c * weights, 1 - c * weights.sum())
            best = max(best, masses[t:].sum())
    return best
