"""Small tables with whatever tables may hold."""

from __future__ import annotations

import numpy as np

from fewest.data.block import Block


def random_table(seed):
    """Values, classes, and which columns hold states: with ties, gaps, a class of one row, copies, constant columns."""
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
    is_state = np.zeros(p, dtype=bool)
    if seed % 3 == 2:
        is_state = rng.random(p) < 0.4
        X[:, is_state] = rng.integers(0, 4, (n, is_state.sum()))
    if seed % 2:
        X[rng.random(X.shape) < 0.15] = np.nan
        X[0, np.isnan(X).all(axis=0)] = 0.0
    return X, np.unique(y, return_inverse=True)[1], is_state


def scores_of(criterion, X, y, is_state=None):
    """What the criterion says of these rows."""
    rows = criterion.statistic()
    states = () if is_state is None else tuple(np.flatnonzero(is_state))
    rows.update(Block(X, y.astype(np.int32), list(range(y.max() + 1)), is_all=True, categorical_columns=states))
    return criterion.bind(rows).score_features()
