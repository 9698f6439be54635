"""Mutual information by Parzen windows, from the formula: all pairs of rows, one number after the other's."""

from __future__ import annotations

import numpy as np

TIE = 1e-12


def kernel(x, weights=None):
    """G_ki = exp(-(x_k - x_i)^2 / 2 h^2) of a standardized column, h = 1.06 N^(-1/5)."""
    x = np.asarray(x, dtype=np.longdouble)
    w = np.ones(len(x)) if weights is None else np.asarray(weights, dtype=np.float64)
    n = w.sum()
    x = x - (w * x).sum() / n
    spread = np.sqrt((w * x**2).sum() / n)
    if spread == 0:
        return np.ones((len(x), len(x)))
    x = (x / spread).astype(np.float64)
    h = 1.06 * n**-0.2
    return np.exp(-((x[:, None] - x[None, :]) ** 2) / (2 * h**2))


def of_class(G, y, weights=None):
    """mean_k log [N a_k / (N_c r_k)], a_k the row's sum over its own class."""
    y = np.asarray(y)
    w = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=np.float64)
    same = y[:, None] == y[None, :]
    n = w.sum()
    ratio = n * (G * same * w).sum(axis=1) / ((same * w).sum(axis=1) * (G * w).sum(axis=1))
    return max(float((w * np.log(ratio)).sum() / n), 0.0)


def of_columns(Gx, Gy, weights=None):
    """mean_k log [N sum_i Gx_ki Gy_ki / (rx_k ry_k)]."""
    w = np.ones(len(Gx)) if weights is None else np.asarray(weights, dtype=np.float64)
    n = w.sum()
    ratio = n * (Gx * Gy * w).sum(axis=1) / ((Gx * w).sum(axis=1) * (Gy * w).sum(axis=1))
    return max(float((w * np.log(ratio)).sum() / n), 0.0)


def best(scores, taken):
    """The lowest column within 1e-12 of the highest score."""
    open_to = [j for j in range(len(scores)) if j not in taken]
    highest = max(scores[j] for j in open_to)
    return next(j for j in open_to if scores[j] >= highest - TIE)


def mrmr(columns, y, k, form, weights=None):
    """First the most relevant, then the largest difference or quotient; the columns and the value of each."""
    kernels = [kernel(x, weights) for x in columns]
    relevance = np.array([of_class(G, y, weights) for G in kernels])
    redundancy = np.zeros(len(columns))
    taken = [best(relevance, [])]
    scores = [relevance[taken[0]]]
    while len(taken) < k:
        redundancy += [of_columns(G, kernels[taken[-1]], weights) for G in kernels]
        mean = redundancy / len(taken)
        values = relevance - mean if form == "difference" else relevance / (mean + 1e-4 * np.log(2))
        taken.append(best(values, taken))
        scores.append(values[taken[-1]])
    return taken, scores


def dependency(columns, y, k, weights=None):
    """Each time the column whose kernel, times those of all taken, has the most information with the class."""
    kernels = [kernel(x, weights) for x in columns]
    product, taken, found = 1.0, [], []
    while len(taken) < k:
        with_each = [of_class(product * G, y, weights) for G in kernels]
        taken.append(best(with_each, taken))
        found.append(with_each[taken[-1]])
        product = product * kernels[taken[-1]]
    return taken, found
