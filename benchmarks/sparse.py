"""A fit on CSR 20,000 × 200,000 with 100 non-zeros a row, against X.multiply(X).sum(0)."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from timing import Row, fastest

from fewest import FisherMarkov


def measure():
    rng = np.random.default_rng(0)
    n, p, k = 20_000, 200_000, 100
    X = sparse.csr_matrix((rng.random(n * k), rng.integers(0, p, n * k), np.arange(0, n * k + 1, k)), shape=(n, p))
    X.sum_duplicates()
    for n_classes, limit in ((2, 3), (20, 10)):
        y = rng.integers(0, n_classes, n)
        floor, ours = fastest(lambda: X.multiply(X).sum(0), lambda y=y: FisherMarkov().fit(X, y), rounds=15)
        yield Row(f"FisherMarkov.fit, CSR, {n_classes} classes", ours, floor, "X.multiply(X).sum(0)", limit)
