"""Kolmogorov-Smirnov against np.sort and SciPy, boosted stumps against scikit-learn's AdaBoost; 2 threads."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy import sparse
from scipy.stats import ks_2samp
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier
from tables import table_of
from timing import Row, fastest, least_cpu

from fewest import KolmogorovSmirnov, StumpBoosting


def table(n, p, n_classes=2):
    """Normal columns, the first ten of which know something of the class."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, n)
    X = rng.normal(size=(n, p))
    X[:, :10] += 0.3 * y[:, None]
    return X, y


def by_scipy(X, y):
    return [ks_2samp(x[y == 0], x[y == 1], method="asymp").statistic for x in X.T]


def measure():
    for n_classes in (2, 5):
        X, y = table(100_000, 100, n_classes)
        lines = np.ascontiguousarray(X.T)
        mine, floor = fastest(partial(KolmogorovSmirnov().fit, X, y), partial(np.sort, lines, axis=1), rounds=5)
        yield Row(f"KolmogorovSmirnov, 100,000 × 100, {n_classes} classes", mine, floor, "np.sort, one thread", 1)
    X, y = table(62, 12_600)
    mine, theirs = fastest(partial(KolmogorovSmirnov().fit, X, y), partial(by_scipy, X, y), rounds=2)
    yield Row("KolmogorovSmirnov, 62 × 12,600", mine, theirs, "ks_2samp", 50, is_upper=False)
    X, y = table(5000, 200)
    mine, theirs = fastest(partial(KolmogorovSmirnov().fit, X, y), partial(by_scipy, X, y), rounds=3)
    yield Row("KolmogorovSmirnov, 5,000 × 200", mine, theirs, "ks_2samp", 4, is_upper=False)
    X[np.random.default_rng(1).random(X.shape) < 0.98] = 0.0
    held = sparse.csr_array(X)
    mine, dense = fastest(partial(KolmogorovSmirnov().fit, held, y), partial(KolmogorovSmirnov().fit, X, y), rounds=5)
    yield Row("the same, 2 % of the values not zero, sparse", mine, dense, "dense", 1)
    for n_classes in (2, 5):
        X, y = table(5000, 200, n_classes)
        ours = StumpBoosting(n_features=10)
        n_rounds = len(ours.fit(X, y).rounds_)
        theirs = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=n_rounds)
        mine, their = fastest(partial(ours.fit, X, y), partial(theirs.fit, X, y), rounds=3)
        what = f"StumpBoosting, 5,000 × 200, {n_classes} classes, {n_rounds} rounds"
        yield Row(what, mine, their, "AdaBoostClassifier", 10, is_upper=False)
    X, y = table_of(100_000, 100)
    boosting = partial(StumpBoosting(n_features=20).fit, X, y)
    n_rounds = len(boosting().rounds_)
    (mine,) = least_cpu(boosting)
    what = f"StumpBoosting, 100,000 × 100, {n_rounds} rounds, processor time"
    yield Row(what, mine, 5.2, "every column in order anew", 3, unit="s", is_upper=False)
