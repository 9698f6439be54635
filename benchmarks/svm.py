"""Recursive elimination by a linear SVM, one column at a time to the last, against scikit-learn's."""

from __future__ import annotations

import time
import warnings
from functools import partial

import numpy as np
from sklearn.svm import LinearSVC
from timing import Row, fastest

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


def measure():
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
