"""Kernel class separability: value and gradient against the two products of n²d that it is made of, and whole fits."""

from __future__ import annotations

import tracemalloc

import numpy as np
from tables import table_of
from timing import Row, fastest, least_cpu

from fewest import KernelScatter, KernelSeparability
from fewest.data.array import ArraySource
from fewest.data.labels import Target


def objective_of(X, y):
    criterion = KernelScatter()
    return criterion.bind(ArraySource(X, Target(y)).collect(criterion.statistic()))


def measure():
    random = np.random.default_rng(0)
    X = random.normal(size=(2_000, 256))
    y = random.integers(0, 2, len(X))
    # Full products of different operands, which no library can do in half the time.
    other, square = X + 1.0, random.normal(size=(len(X), len(X)))
    objective = objective_of(X, y)
    weights = objective.start_weights()
    floor, ours = fastest(lambda: (X @ other.T, square @ X), lambda: objective.score_weights(weights), rounds=9)
    yield Row("value and gradient, 2,000 × 256", ours, floor, "both products", 1.6)
    # Beside the rows and one scaled copy of them: some squares of 256 × 256 pairs a thread.
    longer = random.normal(size=(12_000, 64))
    objective = objective_of(longer, random.integers(0, 3, len(longer)))
    weights = objective.start_weights()
    tracemalloc.start()
    objective.score_weights(weights)
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    yield Row("memory of one evaluation, 12,000 × 64", peak, longer.nbytes / 2**20, "for the rows", 3.0, unit="MB")
    # Seconds before weights of zero were set aside.
    for (n_rows, n_columns), before in (((1_000, 10_000), 29.0), ((10_000, 100), 13.0)):
        X, y = table_of(n_rows, n_columns)
        ours = least_cpu(lambda X=X, y=y: KernelSeparability(n_features=20).fit(X, y), rounds=2)[0]
        yield Row(f"weights, {n_rows:,} × {n_columns:,}", ours, before, "before", 3.0, unit="s", is_upper=False)
