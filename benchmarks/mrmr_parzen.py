"""mRMR of 50 features by Parzen windows: error against sums over all pairs of rows, time and memory; 2 threads."""

from __future__ import annotations

import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
from timing import Row, fastest

from fewest import MRMR, GreedyForward, RelevanceRedundancy
from fewest.data.array import ArraySource
from fewest.data.labels import Target
from fewest.methods.information.parzen_table import ParzenTable

K = 50
#: Rows, columns, classes, the seconds that the difference may take on a quiet machine of two cores, and how many times
#: faster than NumPy the difference and the quotient must be.
TABLES = {"genes": (96, 4026, 9, 1.5, 30, 10), "digits": (2000, 649, 10, 8.0, 200, 50)}


def table(name):
    """Half of the columns follow a few themes that depend on the class; the others are noise."""
    n, p, n_classes, *_ = TABLES[name]
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, n)
    themes = rng.normal(size=(n, 40)) + rng.normal(size=(n_classes, 40))[y]
    X = rng.normal(size=(n, p))
    X[:, : p // 2] += themes[:, rng.integers(0, 40, p // 2)] * rng.uniform(0.2, 2, p // 2)
    return X, y


def kernel(x):
    h = 1.06 * len(x) ** -0.2
    z = (x - x.mean()) / x.std()
    return np.exp(-((z[:, None] - z) ** 2) / (2 * h * h))


def over_all_pairs(x, y):
    Gx, Gy = kernel(x), kernel(y)
    return max(float(np.log(len(x) * (Gx * Gy).sum(axis=1) / (Gx.sum(axis=1) * Gy.sum(axis=1))).mean()), 0.0)


def seconds_over_all_pairs(X):
    """What all pairs of columns that a full search asks for would take, by a few of them."""
    n_pairs = 40 if len(X) < 1000 else 3
    started = time.perf_counter()
    for j in range(n_pairs):
        over_all_pairs(X[:, j], X[:, j + 1])
    return (time.perf_counter() - started) / n_pairs * (K - 1) * X.shape[1]


def bound(X, y, form="difference"):
    criterion = RelevanceRedundancy(form, density="parzen")
    return criterion.bind(ArraySource(X, Target(y)).collect(criterion.statistic()))


def largest_error():
    """Over tables of 2 to 3,000 rows with heavy tails, ties, two values, outliers and offsets."""
    worst = 0.0
    for n in (2, 3, 5, 10, 30, 96, 256, 257, 400, 1000, 2000, 3000):
        rng = np.random.default_rng(n)
        normal = rng.normal(size=n)
        X = np.column_stack(
            [
                normal, normal + 0.1 * rng.normal(size=n), rng.standard_cauchy(n), rng.standard_t(2, n),
                rng.integers(0, 2, n), rng.integers(0, 30, n), 1e8 + rng.normal(size=n), 1e-100 * rng.random(n),
                np.where(np.arange(n) == 0, 1e5, rng.normal(size=n)),
            ]
        )  # fmt: skip
        X = X[:, np.ptp(X, axis=0) > 0]
        found: ParzenTable = bound(X, np.arange(n) % 2).table
        columns = np.arange(X.shape[1])
        for column in columns:
            sums = np.zeros(len(columns))
            found.add_information(np.array([column]), columns, np.zeros_like(columns), sums)
            worst = max(worst, *(abs(sums[j] - over_all_pairs(X[:, j], X[:, column])) for j in columns[:column]), 0.0)
    return worst


def peak_memory(name):
    """Of a process of its own, in MB."""
    finished = subprocess.run([sys.executable, Path(__file__), name], check=True, capture_output=True, text=True)
    return float(finished.stdout)


def measure():
    yield Row("largest error, 2 to 3,000 rows, in 1e-12", 1e12 * largest_error(), 1e4, "allowed", 1, unit="")
    for name, (n, p, _, limit, *faster) in TABLES.items():
        X, y = table(name)
        for form, times in zip(("difference", "quotient"), faster, strict=True):
            (mine,) = fastest(partial(MRMR(n_features=K, criterion=form, density="parzen").fit, X, y), rounds=3)
            what = f"mRMR by Parzen windows, {form}, {n:,} × {p:,}"
            if form == "difference":
                yield Row(what, mine, 1e3 * limit, "allowed", 1)
            yield Row(what, mine, 1e3 * seconds_over_all_pairs(X), "all pairs in NumPy", times, is_upper=False)
            objective = bound(X, y, form)
            GreedyForward().run(objective, K)
            print(f"  (share of pairs evaluated: {objective.n_evaluated / ((K - 1) * p):.3f})")
        yield Row(f"peak memory, {n:,} × {p:,}", peak_memory(name), 1000.0, "allowed", 1, unit="MB")


if __name__ == "__main__":
    MRMR(n_features=K, density="parzen").fit(*table(sys.argv[1]))
    status = Path("/proc/self/status").read_text().splitlines()
    print(next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024)
