"""ReliefF: against fast-select's CPU backend where that is installed; ties, wide tables, memory; 2 threads.

MultiSURF: against scikit-rebate with one job where that is installed.
"""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
from tables import table_of
from timing import Row, fastest, least_cpu

from fewest import IterativeRelief, MultiSURF, ReliefF

K = 10


def table(n, p, n_classes=2, n_levels=None):
    """Columns from 0 to 1, or on a few levels, of which the first five tell the class."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, n)
    X = rng.random((n, p)) if n_levels is None else rng.integers(0, n_levels, (n, p)).astype(np.float64)
    X[:, :5] += y[:, None]
    return X, y


def with_tails(n, p):
    X, y = table(n, p)
    return np.random.default_rng(1).standard_t(2, X.shape) + X, y


def peer():
    """fast-select on the processor, or None where it is not installed."""
    try:
        from fast_select import ReliefF as Theirs
    except ImportError:
        return None
    return partial(Theirs, n_features_to_select=10, n_neighbors=K, backend="cpu", n_jobs=2)


def rebate():
    """Seconds of MultiSURF by scikit-rebate with one job, and its name; what it took once where it is not installed."""
    try:
        from skrebate import MultiSURF as Theirs
    except ImportError:
        return 21.0, "scikit-rebate, once"
    (theirs,) = least_cpu(partial(Theirs(n_jobs=1).fit, *table(1000, 1000)), rounds=1)
    return theirs, "scikit-rebate"


def peak_memory(n, p):
    """What a fit adds to the largest size of a process of its own, in MB."""
    finished = subprocess.run(
        [sys.executable, Path(__file__), str(n), str(p)], check=True, capture_output=True, text=True
    )
    return float(finished.stdout)


def high_water():
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


def measure():
    theirs = peer()
    if theirs is None:
        print("  (fast-select is not installed)")
    for n, p, times in ((5000, 500, 4), (1000, 1000, 3)):
        X, y = table(n, p)
        calls = [partial(ReliefF(K).fit, X, y)]
        if theirs is not None:
            theirs().fit(X, y)  # compiles
            calls.append(partial(theirs().fit, X, y))
        mine, *other = fastest(*calls, rounds=5)
        for their in other:
            yield Row(f"ReliefF, {n:,} × {p:,}", mine, their, "fast-select", times, is_upper=False)
        if not other:
            yield Row(f"ReliefF, {n:,} × {p:,}", mine, 400.0 if n == 5000 else 60.0, "allowed", 1)
    for shape, seconds, times in (((2000, 200, 10), 0.15, 3), ((200, 5000), 0.035, 1.2)):
        X, y = table_of(*shape)
        calls = [partial(ReliefF(n_features=20).fit, X, y)]
        if theirs is not None:
            theirs().fit(X, y)  # compiles
            calls.append(partial(theirs().fit, X, y))
        mine, *other = least_cpu(*calls, rounds=9)
        what = "ReliefF, " + " × ".join(f"{n:,}" for n in shape) + ", processor time"
        against = "fast-select" if other else "fast-select, once"
        yield Row(what, 1e3 * mine, 1e3 * (other[0] if other else seconds), against, times, is_upper=False)
    (mine,) = least_cpu(partial(MultiSURF(n_features=20).fit, *table(1000, 1000)), rounds=5)
    yield Row("MultiSURF, 1,000 × 1,000, processor time", mine, *rebate(), 100, unit="s", is_upper=False)
    (mine,) = least_cpu(partial(IterativeRelief(n_features=20).fit, *table_of(10_000, 100)), rounds=2)
    yield Row("IterativeRelief, 10,000 × 100, processor time", mine, 19.0, "row by row", 5, unit="s", is_upper=False)
    (mine,) = least_cpu(partial(IterativeRelief(n_features=20, n_queries=5000).fit, *table_of(100_000, 100)), rounds=1)
    yield Row("IterativeRelief, 100,000 × 100, n_queries=5000", mine, 60.0, "allowed", 1, unit="s")
    (mine,) = fastest(partial(ReliefF(K).fit, *table(60, 12_600)), rounds=5)
    yield Row("ReliefF, 60 × 12,600", mine, 50.0, "allowed", 1)
    for p in (5, 50, 500):
        levels, even = fastest(
            partial(ReliefF(K).fit, *table(5000, p, n_levels=3)), partial(ReliefF(K).fit, *table(5000, p)), rounds=3
        )
        yield Row(f"columns on 3 levels, 5,000 × {p}", levels, even, "on none", 5)
    tails, even = fastest(
        partial(ReliefF(K).fit, *with_tails(5000, 500)), partial(ReliefF(K).fit, *table(5000, 500)), rounds=3
    )
    yield Row("columns with heavy tails, 5,000 × 500", tails, even, "without", 5)
    # The table takes 16 MB; distances between all rows would take 1,600 MB in float32.
    yield Row(
        "peak memory above that before the fit, 20,000 × 100", peak_memory(20_000, 100), 100.0, "allowed", 1, unit="MB"
    )


if __name__ == "__main__":
    data = table(int(sys.argv[1]), int(sys.argv[2]))
    ReliefF(K).fit(*table(50, 5))
    before = high_water()
    ReliefF(K).fit(*data)
    print(high_water() - before)
