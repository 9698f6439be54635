"""Parzen-Relief: error against sums over all pairs of rows, time against those sums, and sparse rows; 2 threads."""

from __future__ import annotations

import time
from functools import partial

import numpy as np
from scipy import sparse
from timing import Row, fastest

from fewest import ParzenRelief

#: Rows whose sums with all rows are timed: of all sums so many times fewer.
PART = 200


def table(n, p):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, n)
    return rng.normal(size=(n, p)) + 0.1 * y[:, None], y


def margins_over_all_pairs(X, y):
    """The definition, a column at a time."""
    margins = []
    for x in X.T:
        kernel = np.exp(-(((x[:, None] - x) / x.std()) ** 2) * 2)
        by_class = np.array([kernel[:, y == c].sum(axis=1) for c in np.unique(y)])
        each = []
        for c, n in enumerate(np.bincount(y)):
            own, everything = by_class[c, y == c].sum(), by_class[:, y == c].sum()
            each.append((own - n) / (n * (n - 1)) - (everything - own) / (n * (len(y) - n)))
        margins.append(np.mean(each))
    return np.array(margins)


def seconds_over_all_pairs(X):
    """What all sums would take by a vectorised exp, each pair once, by those of some rows of some columns."""
    best = np.inf
    for j in range(3):
        x = np.ascontiguousarray(X[:, j])
        started = time.perf_counter()
        apart = x[:PART, None] - x
        np.multiply(apart, apart, out=apart)
        apart *= -2.0
        np.exp(apart, out=apart)
        apart.sum(axis=1)
        best = min(best, time.perf_counter() - started)
    return best * len(X) / PART * X.shape[1] / 2


def measure():
    X, y = table(1500, 20)
    error = np.abs(ParzenRelief().fit(X, y).scores_ - margins_over_all_pairs(X, y)).max()
    yield Row("largest error of a margin, 1,500 × 20, in 1e-15", 1e15 * error, 1e3, "allowed", 1, unit="")
    X, y = table(20_000, 100)
    (mine,) = fastest(partial(ParzenRelief().fit, X, y), rounds=5)
    # Over pairs once each, on as many threads as ours: half the pairs, and half the time on two threads.
    theirs = 1e3 * seconds_over_all_pairs(X) / 2
    yield Row("Parzen-Relief, 20,000 × 100", mine, theirs, "all pairs in NumPy (extrapolated)", 300, is_upper=False)
    rng = np.random.default_rng(1)
    held = sparse.random_array((900, 20_000), density=0.01, format="csr", random_state=rng)
    labels = rng.integers(0, 6, 900)
    for width in ("sd/2", 0.01):
        (mine,) = fastest(partial(ParzenRelief(width).fit, held, labels), rounds=5)
        yield Row(f"Parzen-Relief, width {width}, CSR 900 × 20,000 at 1 %", mine, 200.0, "allowed", 1)
