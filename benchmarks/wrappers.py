"""Wrapper on many columns, and the forest on all cores against scikit-learn's on one; 2 threads."""

from __future__ import annotations

from functools import partial

from sklearn.ensemble import RandomForestClassifier
from tables import table_of
from timing import Row, fastest, least_cpu

from fewest import ForestImportance, Wrapper


def measure():
    (mine,) = least_cpu(partial(Wrapper(n_features=5).fit, *table_of(200, 5000)), rounds=1)
    yield Row("Wrapper, 5 features of 200 × 5,000, processor time", mine, 180.0, "LinearSVC, more than", 10, "s", False)
    X, y = table_of(2000, 100)
    forest = RandomForestClassifier(100, random_state=0)
    mine, theirs = fastest(partial(ForestImportance(n_features=20).fit, X, y), partial(forest.fit, X, y), rounds=3)
    yield Row("ForestImportance, 2,000 × 100", mine, theirs, "scikit-learn, one core", 0.75)
