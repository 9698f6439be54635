"""Tables for benchmarks that ask how cost grows with rows, columns and classes."""

from __future__ import annotations

import numpy as np


def table_of(n_rows, n_columns, n_classes=2, seed=0):
    """Normal columns, of which one in ten (at least five) has a mean of its own in each class."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n_rows) * n_classes // n_rows)
    n_relevant = max(5, n_columns // 10)
    means = rng.normal(size=(n_classes, n_relevant))
    X = rng.normal(size=(n_rows, n_columns))
    X[:, :n_relevant] += (0.7 if n_classes > 2 else 0.4) * means[y]
    return X, y
