"""The general kernel objective by double loops, and scaling; slow, and never calling fewest."""

from __future__ import annotations

import numpy as np


def scaled(X, scale, weights=None):
    """Each column about its origin in its unit, over its observed values; zero where it is constant."""
    X = np.asarray(X, dtype=np.float64)
    weights = np.ones(len(X)) if weights is None else np.asarray(weights, dtype=np.float64)
    columns = []
    for x in X.T:
        seen = ~np.isnan(x) & (weights > 0)
        z, w = x[seen], weights[seen]
        if len(z) == 0 or z.min() == z.max():
            columns.append(np.where(np.isnan(x), np.nan, 0.0))
        elif scale == "std":
            mean = (w * z).sum() / w.sum()
            columns.append((x - mean) / np.sqrt((w * (z - mean) ** 2).sum() / w.sum()))
        elif scale == "range":
            columns.append((x - z.min()) / (z.max() - z.min()))
        elif scale == "symmetric":
            columns.append(2 * (x - z.min()) / (z.max() - z.min()) - 1)
        else:
            columns.append(x)
    return np.column_stack(columns)


def kernel_trace(X, y, subset, kernel, gamma=0.0, beta=0.0):
    """(1/n) [sum_i Sum(K_i)/n_i - gamma Tr K + (gamma-1)/n Sum K] - beta |S| (Eq. 16), columns outside S zero.

    kernel : a function of two rows
    """
    masked = np.zeros_like(X)
    for j in subset:
        masked[:, j] = X[:, j]
    n = len(masked)
    within = dict.fromkeys(set(y), 0.0)
    total = trace = 0.0
    for u in range(n):
        for v in range(n):
            k = kernel(masked[u], masked[v])
            total += k
            trace += k if u == v else 0.0
            if y[u] == y[v]:
                within[y[u]] += k
    classes = sum(within[label] / list(y).count(label) for label in within)
    return (classes - gamma * trace + (gamma - 1) / n * total) / n - beta * len(subset)


def _cosine(x, z):
    lengths = np.sqrt((x @ x) * (z @ z))
    return x @ z / lengths if lengths else 0.0


def _additive_chi2(x, z):
    return -sum((a - b) ** 2 / (a + b) for a, b in zip(x, z, strict=True) if a + b)


#: The kernels as scikit-learn's documentation defines them; g, c and d are gamma, coef0 and degree.
KERNELS = {
    "linear": lambda x, z: x @ z,
    "poly": lambda x, z, g, c=1.0, d=3: (g * (x @ z) + c) ** d,
    "polynomial": lambda x, z, g, c=1.0, d=3: (g * (x @ z) + c) ** d,
    "rbf": lambda x, z, g: np.exp(-g * ((x - z) ** 2).sum()),
    "laplacian": lambda x, z, g: np.exp(-g * np.abs(x - z).sum()),
    "sigmoid": lambda x, z, g, c=1.0: np.tanh(g * (x @ z) + c),
    "cosine": _cosine,
    "chi2": lambda x, z, g=1.0: np.exp(g * _additive_chi2(x, z)),
    "additive_chi2": _additive_chi2,
}
