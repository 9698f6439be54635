"""Margins of many labellings at a time are those of one after the other."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from threadpoolctl import threadpool_limits

from fewest.data.array import ArraySource
from fewest.data.labels import Target
from fewest.methods.relief.neighbour_criteria import HitMissMargin, MapMargin

from ...binding import bind
from ...reference.relief.relief import margins

CRITERIA = {
    "relieff": HitMissMargin(n_neighbors=3),
    "relieff, l2": HitMissMargin(metric="l2", n_neighbors=4),
    "printed": HitMissMargin(n_neighbors=3, printed=True),
    "plain": HitMissMargin(n_neighbors=2, balance=False),
    "any class": HitMissMargin(n_neighbors=2, by_class=False),
    "all rows": HitMissMargin(n_neighbors=1000),
    "map": MapMargin(),
}


def permuted_scores(criterion, X, y, labels, features):
    rows = ArraySource(X, Target(y)).collect(criterion.permutation_rows())
    n_classes = int(y.max()) + 1
    code_of = np.array([list(rows.classes).index(c) for c in range(n_classes)], dtype=np.int32)
    return criterion.permutation_scorer(rows)(code_of[labels], features)


@pytest.mark.parametrize("name", CRITERIA)
@pytest.mark.parametrize("seed", range(6))
def test_they_are_the_margins_of_rows_with_these_labels(name, seed):
    rng = np.random.default_rng(seed)
    n, p, n_classes = int(rng.integers(8, 70)), int(rng.integers(1, 80)), int(rng.integers(2, 5))
    X = rng.normal(size=(n, p))
    if seed % 2:
        X = rng.integers(0, 3, (n, p)).astype(float)  # many ties
    if seed % 3 == 1:
        X[n // 2 :] = X[: n - n // 2]  # copies
    X[:, 0] = 1.0
    y = np.sort(rng.integers(0, n_classes, n))
    y[:n_classes] = np.arange(n_classes)
    y[-2:] = 0
    labels = np.array([rng.permutation(y) for _ in range(4)])
    features = np.flatnonzero(rng.random(p) < 0.7) if p > 3 else np.arange(p)
    found = permuted_scores(CRITERIA[name], X, y, labels, features)
    for permuted, scores in zip(labels, found, strict=True):
        assert_allclose(scores, bind(CRITERIA[name], X, permuted).scores[features], rtol=1e-9, atol=1e-12)


def test_they_are_those_of_the_formula():
    rng = np.random.default_rng(9)
    X, y = rng.normal(size=(30, 5)), np.repeat([0, 1, 2], 10)
    labels = np.array([rng.permutation(y) for _ in range(3)])
    found = permuted_scores(HitMissMargin(n_neighbors=3, balance=False), X, y, labels, np.arange(5))
    for permuted, scores in zip(labels, found, strict=True):
        assert_allclose(scores, margins(X, permuted, "relieff", k=3), rtol=1e-9, atol=1e-12)


def test_threads_change_no_bit():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 200)), rng.integers(0, 2, 60)
    labels = np.array([rng.permutation(y) for _ in range(9)])
    found = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads):
            found.append(permuted_scores(HitMissMargin(), X, y, labels, np.arange(200)))
    assert found[0].tolist() == found[1].tolist()


@pytest.mark.parametrize("change", ["missing", "queries"])
def test_other_rows_are_bound_one_labelling_after_the_other(change):
    X, y = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20) % 2
    criterion = HitMissMargin(n_queries=5 if change == "queries" else None)
    if change == "missing":
        X[0, 0] = np.nan
    rows = ArraySource(X, Target(y)).collect(criterion.permutation_rows())
    assert criterion.permutation_scorer(rows) is None
