"""Scatter between and within classes, transcribed from the formulas; slow, and never calling fewest."""

from __future__ import annotations

from fractions import Fraction

import numpy as np


def scatter(x, y, weights=None):
    """b = sum_i lambda_i (m_i - m)^2 and w = (1/n) sum_i sum_{u in i} (z_u - m_i)^2 over the observed values."""
    x = np.asarray(x, dtype=np.float64)
    weights = np.ones(len(x)) if weights is None else np.asarray(weights, dtype=np.float64)
    seen = ~np.isnan(x) & (weights > 0)
    x, y, weights = x[seen], np.asarray(y)[seen], weights[seen]
    n = weights.sum()
    if n == 0:
        return 0.0, 0.0
    mean = (weights * x).sum() / n
    between = within = 0.0
    for label in set(y.tolist()):
        w, z = weights[y == label], x[y == label]
        class_mean = (w * z).sum() / w.sum()
        between += w.sum() / n * (class_mean - mean) ** 2
        within += (w * (z - class_mean) ** 2).sum() / n
    return between, within


def exact_scatter(x, y):
    """The same in rational arithmetic: no rounding anywhere. x holds floats, which are rationals."""
    values = [Fraction(float(value)) for value in x]
    n = len(values)
    mean = sum(values) / n
    between = within = Fraction(0)
    for label in set(y):
        members = [value for value, other in zip(values, y, strict=True) if other == label]
        class_mean = sum(members) / len(members)
        between += Fraction(len(members), n) * (class_mean - mean) ** 2
        within += sum((value - class_mean) ** 2 for value in members) / n
    return between, within


def theta(x, y, gamma):
    """T_gamma = b - gamma t (Eq. 19 of the Fisher-Markov paper)."""
    between, within = scatter(x, y)
    return between - gamma * (between + within)


def rank_by_brute_force(scores, k):
    """The k highest scores, ties to the lowest column, NaN last, by plain sorting of pairs."""
    keyed = [((1, 0.0) if np.isnan(s) else (0, -s), j) for j, s in enumerate(scores)]
    return [j for _, j in sorted(keyed)[:k]]
