"""Boosted stumps and distances between distributions, by their definitions."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

TIE = 1e-12


def stumps_of(x):
    """Every threshold of a column, with the rows below it; once for each side that the missing may go to."""
    is_missing = np.isnan(x)
    values = np.unique(x[~is_missing])
    for low, high in pairwise(values):
        threshold = low + (high - low) / 2
        for with_missing in (True, False) if is_missing.any() else (False,):
            yield threshold, (x <= low) | (is_missing & with_missing)


def heaviest(y, weights, order):
    """The class of most weight, the first in the order of those that tie; and that weight."""
    by_class = np.array([weights[y == c].sum() for c in order])
    first = np.flatnonzero(by_class >= by_class.max() - TIE)[0]
    return order[first], by_class[first]


def best_of_column(x, y, weights, order):
    """(error, threshold, what is said of each row) of the best stump, the lowest of those that tie, or None."""
    found = []
    for threshold, below in stumps_of(x):
        predicted = np.empty(len(y), dtype=int)
        for side in (below, ~below):
            predicted[side] = heaviest(y[side], weights[side], order)[0]
        found.append((weights[predicted != y].sum(), threshold, predicted))
    if not found:
        return None
    least = min(error for error, *_ in found)
    return next(one for one in found if one[0] <= least + TIE)


def boosted(X, y, n_features, n_rounds=500, weights=None):
    """The columns in the order taken, and (column, threshold, error) of each round; classes are 0, 1, ..."""
    weights = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)
    weights = weights / weights.sum()
    n_classes = len(np.unique(y))
    order = sorted(range(y.max() + 1), key=lambda c: (-round(weights[y == c].sum(), 9), c))
    spared = []
    used, rounds, left_out = [], [], set()
    while len(used) < n_features and len(rounds) < n_rounds:
        guess, right = heaviest(y, weights, order)
        best = [best_of_column(X[:, j], y, weights, order) for j in range(X.shape[1])]
        errors = np.array([1 - right if one is None else min(one[0], 1 - right) for one in best])
        if not rounds:
            spared = (1 - right) - errors
        errors[list(left_out)] = 1 - right
        column = int(np.flatnonzero(errors <= errors.min() + TIE * (1 - right))[0])
        threshold, error, predicted = np.nan, 1 - right, np.full(len(y), guess)
        if errors.min() < (1 - right) * (1 - TIE):
            error, threshold, predicted = best[column]
        else:
            column = None
        if error >= 1 - 1 / n_classes - TIE:
            break
        rounds.append((column, threshold, error))
        if column is not None and column not in used:
            used.append(column)
        if error <= TIE:
            left_out.add(column)
            continue
        alpha = np.log((1 - error) / error) + np.log(n_classes - 1)
        weights = weights * np.where(predicted != y, np.exp(alpha), 1.0)
        weights /= weights.sum()
    rest = [j for j in np.argsort(-np.round(spared, 11), kind="stable").tolist() if j not in used]
    return (used + rest)[:n_features], rounds


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
