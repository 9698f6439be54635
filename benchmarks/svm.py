"""Linear SVMs, their weights, elimination and rescaling, against scikit-learn's; genes, many rows, many classes."""

from __future__ import annotations

import subprocess
import sys
import time
import warnings
from functools import partial

import numpy as np
from sklearn.feature_selection import RFE
from sklearn.svm import LinearSVC
from tables import table_of
from timing import Row, fastest, least_cpu

from fewest import FSV, L0SVM, L1SVM, SVMRFE, SVMWeights

#: Of scikit-learn's thousands of steps this many are timed, at sizes evenly apart.
STEPS_TIMED = 200


def genes(n=72, p=7129, n_classes=2):
    """Columns in blocks that vary together, as genes do, of which one in ten tells the class a little."""
    rng = np.random.default_rng(0)
    y = np.arange(n) * n_classes // n
    blocks = rng.normal(size=(n, 40))
    X = 0.7 * blocks[:, rng.integers(0, 40, p)] + rng.normal(size=(n, p))
    X[:, : p // 10] += 0.6 * y[:, None]
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def theirs_in_all(X, y, ranking):
    """What scikit-learn's RFE(LinearSVC) takes, in milliseconds, from the fits of some of its steps; it does more than
    fit. On the columns that are left by our ranking, which is theirs."""
    sizes = np.linspace(X.shape[1], 2, STEPS_TIMED).astype(int)
    spent = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for size in sizes:
            columns = np.flatnonzero(ranking <= size)
            started = time.perf_counter()
            LinearSVC(tol=1e-6, max_iter=100_000).fit(X[:, columns], y)
            spent += time.perf_counter() - started
    return 1e3 * spent * (X.shape[1] - 1) / STEPS_TIMED


#: The growth of memory while a selector is fitted to 100,000 × 100, in tables; run in a process of its own.
MEMORY = """
import sys
import fewest
from tables import table_of
X, y = table_of(100_000, 100)
selector = getattr(fewest, sys.argv[1])(n_features=20)
selector.fit(X[:200], y[:200])
def in_bytes(key):
    return 1024 * next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(key))
open("/proc/self/clear_refs", "w").write("5")
before = in_bytes("VmRSS")
selector.fit(X, y)
print((in_bytes("VmHWM") - before) / X.nbytes)
"""


def their_svm():
    return LinearSVC(tol=1e-6, max_iter=100_000)


def many_rows():
    """Processor time beside scikit-learn's, at the accuracy that ranks need."""
    for shape in ((5000, 300), (2000, 200, 10)):
        X, y = table_of(*shape)
        size = " × ".join(f"{n:,}" for n in shape)
        mine, theirs = least_cpu(partial(SVMWeights(n_features=20).fit, X, y), partial(their_svm().fit, X, y))
        yield Row(f"SVMWeights, {size}", mine, theirs, "LinearSVC at 1e-6", 1.2, "s", is_upper=False)
        elimination = RFE(their_svm(), step=0.1, n_features_to_select=20)
        mine, theirs = least_cpu(
            partial(SVMRFE(n_features=20, step=0.1).fit, X, y), partial(elimination.fit, X, y), rounds=2
        )
        yield Row(f"SVMRFE step=.1, {size}", mine, theirs, "RFE(LinearSVC at 1e-6)", 2, "s", is_upper=False)


def many_classes():
    """Processor time where there are many classes, and of an elimination one at a time where both are many."""
    for n_classes, allowed in ((10, 2.0), (50, 8.0)):
        X, y = table_of(2000, 200, n_classes)
        for selector in (SVMWeights, SVMRFE, L0SVM):
            (mine,) = least_cpu(partial(selector(n_features=20).fit, X, y), rounds=2)
            yield Row(f"{selector.__name__}, 2,000 × 200 × {n_classes}", mine, allowed, "allowed", 1, "s")
    X, y = table_of(1000, 10_000)
    (mine,) = least_cpu(partial(SVMRFE(n_features=20).fit, X, y), rounds=1)
    yield Row("SVMRFE one at a time, 1,000 × 10,000", mine, 12.0, "allowed", 1, "s")


def memory():
    for selector in (SVMWeights, SVMRFE, L0SVM):
        command = [sys.executable, "-c", MEMORY, selector.__name__]
        found = subprocess.run(command, capture_output=True, text=True, check=True, cwd=sys.path[0])
        yield Row(f"{selector.__name__}, memory at 100,000 × 100", float(found.stdout), 2.5, "allowed", 1, "tables")


def measure():
    yield from many_rows()
    yield from many_classes()
    if sys.platform == "linux":
        yield from memory()
    X, y = genes()
    mine = theirs = float("inf")
    for _ in range(3):
        (now,) = fastest(partial(SVMRFE(n_features=X.shape[1], scale=None).fit, X, y), rounds=1)
        mine = min(mine, now)
    ranking = SVMRFE(n_features=X.shape[1], scale=None).fit(X, y).ranking_
    for _ in range(2):
        theirs = min(theirs, theirs_in_all(X, y, ranking))
    yield Row("SVMRFE one at a time, 72 × 7,129", mine, theirs, "RFE(LinearSVC), extrapolated", 100, is_upper=False)
    X, y = genes(1000, 100, 3)
    ranking = np.arange(1, 101)
    (mine,) = fastest(partial(SVMRFE(scale=None).fit, X, y), rounds=3)
    yield Row("SVMRFE, 3 classes, 1,000 × 100", mine, theirs_in_all(X, y, ranking), "RFE(LinearSVC)", 5, is_upper=False)
    X, y = genes()
    for selector, allowed in ((SVMWeights, 200.0), (L0SVM, 500.0), (L1SVM, 3000.0), (FSV, 3000.0)):
        (mine,) = fastest(partial(selector().fit, X, y), rounds=3)
        yield Row(f"{selector.__name__}, 72 × 7,129", mine, allowed, "allowed", 1)
