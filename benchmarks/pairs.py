"""theta of all pairs on 5,000 × 1,000 float64, 3 classes, against the two products of the table that it is made of."""

from __future__ import annotations

import numpy as np
from timing import Row, fastest

from fewest import ScatterTrace
from fewest.data.array import ArraySource
from fewest.data.labels import Target


def theta(X, y, **parameters):
    criterion = ScatterTrace(degree=2, **parameters)
    return criterion.bind(ArraySource(X, Target(y)).collect(criterion.statistic()))


def products(X):
    X.T @ X
    (X * X).T @ (X * X)


def symmetric_products(X):
    squares = X * X
    X.T @ X
    squares.T @ squares


def measure():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5_000, 1_000))
    y = rng.integers(0, 3, len(X))
    floor, symmetric, plain, raw, with_total, shifted = fastest(
        lambda: products(X),
        lambda: symmetric_products(X),
        lambda: theta(X, y, scale="symmetric"),
        lambda: theta(X, y, scale=None),
        lambda: theta(X, y, scale="symmetric", gamma=-0.5),
        lambda: theta(X + 1e6, y, scale=None, gamma=-0.5),
        rounds=7,
    )
    yield Row("theta of pairs, gamma = 0", plain, floor, "both products", 0.8)
    yield Row("theta of pairs, gamma = 0, data as they are", raw, floor, "both products", 0.8)
    yield Row("theta of pairs, gamma = -0.5", with_total, floor, "both products", 1.25)
    # Both as one operand twice, which NumPy notices and does in half the time; no target was set for these.
    yield Row("theta of pairs, gamma = -0.5", with_total, symmetric, "both, symmetric", 2.0)
    yield Row("theta of pairs, gamma = -0.5, offset 1e6", shifted, symmetric, "both, symmetric", 4.0)
