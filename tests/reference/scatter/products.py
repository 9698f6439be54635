"""Scatter of products of two and of three columns, by its definition."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np

from .kernel_trace import scaled
from .scatter import scatter, theta


def pair_scatter(X, y, scale=None, weights=None):
    """(p, p) scatter between the classes of the products of two scaled columns, and their total variance."""
    Z = scaled(X, scale, weights)
    p = Z.shape[1]
    between, total = np.zeros((2, p, p))
    for j, k in combinations_with_replacement(range(p), 2):
        b, w = scatter(Z[:, j] * Z[:, k], y, weights)
        between[j, k] = between[k, j] = b
        total[j, k] = total[k, j] = b + w
    return between, total


def theta_pairs(X, y, gamma, scale=None, weights=None):
    """(p, p) theta_jl."""
    between, total = pair_scatter(X, y, scale, weights)
    return between - gamma * total


def exact_pair_scatter(X, y, scale=None, weights=None):
    """The same two tables without any rounding: X holds floats, which are rationals.

    Units may be roots, but only their squares are needed.
    """
    X = np.asarray(X, dtype=np.float64)
    n, p = X.shape
    weights = [Fraction(1)] * n if weights is None else [Fraction(float(w)) for w in weights]
    columns, squared_units = [], []
    for x in X.T.tolist():
        column = [None if value != value else Fraction(value) for value in x]
        origin, squared_unit = _exact_scale(column, weights, scale)
        columns.append([None if value is None else value - origin for value in column])
        squared_units.append(squared_unit)
    between, total = ([[Fraction(0)] * p for _ in range(p)] for _ in range(2))
    for j, k in combinations_with_replacement(range(p), 2):
        unit = squared_units[j] * squared_units[k]
        if unit:
            b, t = _exact_scatter(columns[j], columns[k], y, weights)
            between[j][k] = between[k][j] = b / unit
            total[j][k] = total[k][j] = t / unit
    return between, total


def _exact_scale(column, weights, scale):
    """Where a column's zero lies, and its unit squared; a unit of 0 where it is constant or was never observed."""
    seen = [(value, w) for value, w in zip(column, weights, strict=True) if value is not None and w > 0]
    lowest, highest = min(seen, default=(0, 0))[0], max(seen, default=(0, 0))[0]
    if lowest == highest:
        return Fraction(0), Fraction(0)
    if scale is None:
        return Fraction(0), Fraction(1)
    if scale == "range":
        return lowest, (highest - lowest) ** 2
    if scale == "symmetric":
        return (lowest + highest) / 2, ((highest - lowest) / 2) ** 2
    weight = sum(w for _, w in seen)
    mean = sum(w * value for value, w in seen) / weight
    return mean, sum(w * (value - mean) ** 2 for value, w in seen) / weight


def _exact_scatter(one, other, y, weights):
    """Scatter between the classes and total variance of the product of two columns."""
    by_class = {}
    for a, b, label, w in zip(one, other, y, weights, strict=True):
        if a is not None and b is not None and w > 0:
            by_class.setdefault(label, []).append((a * b, w))
    rows = [row for members in by_class.values() for row in members]
    if not rows:
        return Fraction(0), Fraction(0)
    weight = sum(w for _, w in rows)
    mean = sum(w * z for z, w in rows) / weight
    between = Fraction(0)
    for members in by_class.values():
        class_weight = sum(w for _, w in members)
        between += class_weight / weight * (sum(w * z for z, w in members) / class_weight - mean) ** 2
    return between, sum(w * (z - mean) ** 2 for z, w in rows) / weight


def product_of(X, indices):
    """The product of these columns, NaN where one of them is missing."""
    z = np.ones(len(X))
    for j in indices:
        z = z * X[:, j]
    return z


def coefficient(X, y, gamma, indices, weights=None):
    """T_gamma(x_j * x_k * ...) over the rows that have all these columns."""
    z = product_of(X, indices)
    if weights is None:
        return theta(z, y, gamma)
    between, within = scatter(z, y, weights)
    return between - gamma * (between + within)


def coefficients(X, y, gamma, weights=None):
    """theta_j, theta_jl and theta_jkl."""
    p = X.shape[1]
    tables = []
    for degree in (1, 2, 3):
        table = np.empty((p,) * degree)
        for indices in product(range(p), repeat=degree):
            table[indices] = coefficient(X, y, gamma, indices, weights)
        tables.append(table)
    return tables


def smallest_ratio(X, y, degrees):
    """The least between / total over the products of these degrees that have two different columns and vary."""
    ratios = [1.0]
    for degree in degrees:
        for indices in product(range(X.shape[1]), repeat=degree):
            if len(set(indices)) > 1:
                z = product_of(X, indices)
                if np.unique(np.round(z[~np.isnan(z)], 12)).size > 1:
                    between, within = scatter(z, y)
                    ratios.append(between / (between + within))
    return min(ratios)
