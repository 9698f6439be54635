"""Class moments and a fit on 100,000 × 1,000 float64 and on sparse data, against one read of them and f_classif."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from sklearn.feature_selection import f_classif
from threadpoolctl import ThreadpoolController
from timing import Row, fastest

from fewest import FisherMarkov
from fewest.data.block import Block
from fewest.statistics.class_moments import ClassMoments


def moments(X, codes):
    statistic = ClassMoments()
    statistic.update(Block(X, codes, [0, 1, 2]))
    return statistic


CONTROLLER = ThreadpoolController()  # made once: finding the libraries takes longer than the limit itself


def with_threads(count, call):
    def limited():
        # OpenMP's limit is what fewest obeys; BLAS would wake and retire threads of its own at every change.
        with CONTROLLER.limit(limits=count, user_api="openmp"):
            return call()

    return limited


def measure():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100_000, 1_000))
    codes = rng.integers(0, 3, len(X)).astype(np.int32)
    labels = np.array(["setosa", "versicolor", "virginica"])[codes]

    floor, alone, both = fastest(
        X.sum,
        with_threads(1, lambda: moments(X, codes)),
        with_threads(2, lambda: FisherMarkov().fit(X, labels)),
    )
    yield Row("moments, C order, one thread", alone, floor, "X.sum()", 1.2)
    yield Row("FisherMarkov.fit, C order, two threads, string labels", both, floor, "X.sum()", 1.25)
    ours, theirs = fastest(with_threads(2, lambda: FisherMarkov().fit(X, codes)), lambda: f_classif(X, codes), rounds=3)
    yield Row("FisherMarkov.fit, C order, two threads", ours, theirs, "f_classif", 10, is_upper=False)
    del X

    X = np.asfortranarray(rng.normal(size=(1_000, 100_000)).T)
    floor, alone, both = fastest(
        X.sum,
        with_threads(1, lambda: moments(X, codes)),
        with_threads(2, lambda: FisherMarkov().fit(X, codes)),
    )
    yield Row("moments, Fortran order, one thread", alone, floor, "X.sum()", 2.0)
    yield Row("FisherMarkov.fit, Fortran order, two threads", both, floor, "X.sum()", 1.3)
    yield from measure_sparse()


def measure_sparse():
    """Time a fit on CSR 20,000 × 200,000 with 100 non-zeros a row."""
    rng = np.random.default_rng(0)
    n, p, k = 20_000, 200_000, 100
    X = sparse.csr_matrix((rng.random(n * k), rng.integers(0, p, n * k), np.arange(0, n * k + 1, k)), shape=(n, p))
    X.sum_duplicates()
    for n_classes, limit in ((2, 3), (20, 10)):
        y = rng.integers(0, n_classes, n)
        floor, ours = fastest(lambda: X.multiply(X).sum(0), lambda y=y: FisherMarkov().fit(X, y), rounds=15)
        yield Row(f"FisherMarkov.fit, CSR, {n_classes} classes", ours, floor, "X.multiply(X).sum(0)", limit)
