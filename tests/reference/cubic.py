"""The cubic form from its formula, one product at a time; slow, and never calling fewest."""

from __future__ import annotations

from itertools import product

import numpy as np

from .scatter import scatter, theta


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
