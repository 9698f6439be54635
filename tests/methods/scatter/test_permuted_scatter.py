"""The scatter between classes under many labellings at a time is that of one after the other."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fewest.criteria import ClassCorrelation, ScatterRatio, ScatterTrace
from fewest.data.array import ArraySource
from fewest.data.labels import Target
from fewest.methods.scatter.permuted_scatter import PermutedScatter

from ...binding import bind


def permuted_scatter(X, y, labels, features):
    rows = ArraySource(X, Target(y)).collect(ScatterRatio().permutation_rows())
    code_of = np.array([list(rows.classes).index(c) for c in range(int(y.max()) + 1)], dtype=np.int32)
    return PermutedScatter(rows)(code_of[labels], features)


def test_four_rows_by_hand():
    # Means 1/2 and 5/2 about 3/2: between 4 * 1 of a total of 5. Labels 0, 1, 0, 1: means 1 and 2, 4 * 1/4 = 1 of 5.
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    found = permuted_scatter(X, y, np.array([[0, 0, 1, 1], [0, 1, 0, 1]]), np.array([0]))
    assert_allclose(found, [[4 / 5], [1 / 5]], rtol=1e-14)


@pytest.mark.parametrize("seed", range(20))
def test_it_is_the_squared_correlation_with_these_labels(seed):
    rng = np.random.default_rng(seed)
    n, p, n_classes = int(rng.integers(5, 60)), 12, int(rng.integers(2, 5))
    X = rng.normal(size=(n, p)) * 10.0 ** rng.integers(-3, 4, p) + rng.choice([0, 1e6], p)
    y = rng.integers(0, n_classes, n)
    y[:n_classes] = np.arange(n_classes)
    X[:, 3] = 0.1
    if seed % 2:
        X[rng.random(X.shape) < 0.2] = np.nan
        X[:, 5] = np.nan
    labels = np.array([rng.permutation(y) for _ in range(5)])
    features = np.flatnonzero(rng.random(p) < 0.7)
    found = permuted_scatter(X, y, labels, features)
    for permuted, scores in zip(labels, found, strict=True):
        expected = np.square(bind(ClassCorrelation(), X, permuted).scores[features])
        assert_allclose(scores, np.nan_to_num(expected), rtol=1e-7, atol=1e-11)


def test_it_orders_labellings_as_every_score_by_scatter_does():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 3, 40)
    labels = np.array([rng.permutation(y) for _ in range(12)])
    order = np.argsort(permuted_scatter(X, y, labels, np.arange(3)), axis=0)
    for criterion in (ScatterRatio(), ClassCorrelation(), ScatterTrace(gamma=0.3, scale=None)):
        scores = np.array([bind(criterion, X, permuted).scores for permuted in labels])
        assert np.argsort(scores, axis=0).tolist() == order.tolist()


def test_the_printed_form_has_another_order():
    rows = ArraySource(np.eye(4), Target(np.arange(4) % 2)).collect(ScatterRatio().permutation_rows())
    assert ScatterRatio(printed=True).permutation_scorer(rows) is None
    assert ScatterRatio().permutation_scorer(rows) is not None
