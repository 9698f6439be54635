"""Small tables with whatever tables may hold."""

from __future__ import annotations

import numpy as np

from fewest.data.block import Block


def random_table(seed):
    """Values, classes, and the mask of columns of categories.

    With ties, missing values, a class of one row, copies and constant columns.
    """
    rng = np.random.default_rng(seed)
    n, p, n_classes = int(rng.integers(6, 40)), int(rng.integers(1, 14)), int(rng.integers(2, 5))
    y = rng.integers(0, n_classes, n)
    y[:4] = [0, 0, 1, 1]
    X = rng.normal(size=(n, p)) * 10.0 ** rng.integers(-3, 4, p) + rng.choice([0, 1e5], p)
    if seed % 3 == 1:
        X = rng.integers(0, 3, (n, p)).astype(float)
    if seed % 4 == 2:
        X[:, rng.random(p) < 0.4] = 1.0
    if seed % 5 == 0:
        y[-1] = n_classes
    if seed % 6 == 3:
        X[n // 2 :] = X[: n - n // 2]
    is_categorical = np.zeros(p, dtype=bool)
    if seed % 3 == 2:
        is_categorical = rng.random(p) < 0.4
        X[:, is_categorical] = rng.integers(0, 4, (n, is_categorical.sum()))
    if seed % 2:
        X[rng.random(X.shape) < 0.15] = np.nan
        X[0, np.isnan(X).all(axis=0)] = 0.0
    return X, np.unique(y, return_inverse=True)[1], is_categorical


def scores_of(criterion, X, y, is_categorical=None):
    """The scores of the criterion on these rows."""
    rows = criterion.statistic()
    categorical = () if is_categorical is None else tuple(np.flatnonzero(is_categorical))
    rows.update(Block(X, y.astype(np.int32), list(range(y.max() + 1)), is_all=True, categorical_columns=categorical))
    return criterion.bind(rows).score_features()
