"""Permutations of the labels, all columns at once: 1,000 of them for each of three methods.

    python benchmarks/run.py permutations

"all" scores every column under all 1,000; the plain line leaves out columns that are decided, as a fit does.
"""

from __future__ import annotations

import warnings
from unittest.mock import patch

import numpy as np
from timing import Row, least_cpu

import fewest.selectors.significance.false_discovery as significance
from fewest import FewestWarning, FisherScore, MaxRelevance, ReliefF

N_ROWS, N_PERMUTATIONS = 200, 1000


def tables():
    """Normal columns, a few of which share information with the class; and their states below, within and above 1."""
    rng = np.random.default_rng(0)
    y = np.arange(N_ROWS) % 2
    X = rng.normal(size=(N_ROWS, 10_000))
    X[:, :100] += y[:, None]
    return X, np.digitize(X, [-1, 1]).astype(np.float64), y


def fit_with_all(selector, X, y):
    """Fit with all permutations for every column."""
    test = significance.permutation_test
    every = {"n_enough": np.inf, "stops_early": False}
    with patch.object(significance, "permutation_test", lambda *a, **k: test(*a, **(k | every))):
        return selector.fit(X, y)


def measure():
    warnings.simplefilter("ignore", FewestWarning)
    X, states, y = tables()
    cases = (
        ("fisher-score, 200 x 10,000", FisherScore, X, 2.0),
        ("max-relevance, 3 states, 200 x 10,000", MaxRelevance, states, 3.0),
        ("relieff, 200 x 2,000", ReliefF, X[:, :2000], 20.0),
    )
    for what, kind, table, allowed in cases:
        selector = kind(n_features="fdr", n_permutations=N_PERMUTATIONS)
        calls = (lambda s=selector, t=table: s.fit(t, y), lambda s=selector, t=table: fit_with_all(s, t, y))
        decided, every = least_cpu(*calls, rounds=2)
        yield Row(f"{what}, 1,000 permutations", decided, allowed, "allowed", 1, unit="s")
        yield Row(f"{what}, all for every column", every, allowed, "allowed", 1, unit="s")
