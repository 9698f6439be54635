"""Tables in which it is known which columns are relevant."""

from __future__ import annotations

import numpy as np


def simulated(seed, n_rows, n_columns, n_true, correlation=0.0, effect=1.0):
    """Gaussian columns, neighbours of which correlate, and two classes by a logistic model of some, evenly apart.

    Given the relevant columns the others are independent of the class.
    """
    random = np.random.default_rng(seed)
    values = _correlated(random, n_rows, n_columns, correlation)
    true = np.linspace(0, n_columns, n_true, endpoint=False).astype(int)
    labels = (effect * values[:, true].sum(axis=1) + random.logistic(size=n_rows) > 0).astype(int)
    return values, labels, true


def shifted(seed, n_rows, n_columns, n_true, correlation=0.0, effect=1.0):
    """Two classes, between which the means of the first columns differ; the others are noise that may correlate."""
    random = np.random.default_rng(seed)
    labels = np.arange(n_rows) % 2
    values = _correlated(random, n_rows, n_columns, correlation)
    values[:, :n_true] = random.normal(size=(n_rows, n_true)) + effect * labels[:, None]
    return values, labels, np.arange(n_true)


def in_the_mean(figures):
    """The mean of some figures, and its standard error."""
    return float(np.mean(figures)), float(np.std(figures, ddof=1) / np.sqrt(len(figures)))


def _correlated(random, n_rows, n_columns, correlation):
    noise = random.normal(size=(n_rows, n_columns))
    values = noise.copy()
    for j in range(1, n_columns):
        values[:, j] = correlation * values[:, j - 1] + np.sqrt(1 - correlation**2) * noise[:, j]
    return values
