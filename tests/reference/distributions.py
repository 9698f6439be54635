"""Distances between the classes' distribution functions, from the definition."""

from __future__ import annotations

import numpy as np


def distribution_distance(x, y, weights=None):
    """sup |F_c - F_others| of every class, the mean by the classes' shares in the rows that have a value."""
    weights = np.ones(len(x)) if weights is None else np.asarray(weights, dtype=float)
    is_there = ~np.isnan(x) & (weights > 0)
    x, y, weights = x[is_there], y[is_there], weights[is_there]
    if len(x) == 0:
        return np.nan
    distance = 0.0
    for c in np.unique(y):
        own, others = weights * (y == c), weights * (y != c)
        if others.sum() == 0:
            return 0.0
        apart = [own[x <= t].sum() / own.sum() - others[x <= t].sum() / others.sum() for t in np.unique(x)]
        distance += own.sum() / weights.sum() * np.max(np.abs(apart))
    return distance


def distribution_distances(X, y, weights=None):
    return np.array([distribution_distance(X[:, j], y, weights) for j in range(X.shape[1])])
