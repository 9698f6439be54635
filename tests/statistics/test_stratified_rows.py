"""A sample of every class, drawn by the rows' own values."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from fewest.data.array import ArraySource
from fewest.data.labels import Target
from fewest.errors import InfiniteValue
from fewest.statistics.splits import Folded, GivenFolds
from fewest.statistics.stratified_rows import StratifiedRows


def collected(X, y, size=40, seed=0, weights=None):
    return ArraySource(X, Target(np.asarray(y), weights)).collect(StratifiedRows(size, seed))


def content(drawn):
    order = np.lexsort((*drawn.values.T, drawn.codes))
    labels = np.array(drawn.classes)[drawn.codes]
    return drawn.values[order], labels[order], drawn.weights[order]


@pytest.fixture
def rows():
    random = np.random.default_rng(0)
    return random.normal(size=(400, 3)), random.choice(["a", "b", "c"], 400, p=[0.6, 0.3, 0.1])


def test_every_class_has_its_share(rows):
    X, y = rows
    drawn = collected(X, y)
    assert len(drawn.codes) == pytest.approx(40, abs=2)
    for c, label in enumerate(drawn.classes):
        assert np.sum(drawn.codes == c) == max(2, round(40 / 400 * np.sum(y == label)))
    assert drawn.n_rows == 400
    assert set(map(tuple, drawn.values)) <= set(map(tuple, X))
    assert_array_equal(drawn.weights, 1.0)


def test_no_order_split_merge_or_storage_changes_what_is_drawn(rows):
    X, y = rows
    expected = content(collected(X, y))
    order = np.random.default_rng(1).permutation(400)
    merged = StratifiedRows(40)
    for part in np.array_split(order, 7):
        merged.merge(collected(X[part], y[part]))
    others = [
        collected(X[order], y[order]),
        merged,
        collected(np.asfortranarray(X), y),
        collected(sparse.csr_array(X), y),
    ]
    folded = ArraySource(X, Target(y)).collect(Folded(StratifiedRows(40), GivenFolds(np.arange(len(y)) % 4, 4)))
    others.append(folded.whole())
    for other in others:
        for found, wanted in zip(content(other), expected, strict=True):
            assert_array_equal(found, wanted)
    assert merged.fingerprint() == collected(X, y).fingerprint()


def test_another_seed_draws_others_and_each_row_as_often(rows):
    X, y = rows
    times = np.zeros(400)
    for seed in range(200):
        values = collected(X, y, seed=seed).values
        times += np.isin(X[:, 0], values[:, 0])
    for label in "abc":
        share = times[y == label].mean() / 200
        assert_allclose(times[y == label].std(), np.sqrt(200 * share * (1 - share)), rtol=0.35)


def test_rows_that_hold_the_same_are_one_with_copies(rows):
    _, y = rows
    X = np.random.default_rng(2).integers(0, 2, (400, 3)).astype(float)
    drawn = collected(X, y, size=1000, weights=np.full(400, 0.5))
    assert len(drawn.codes) == 24
    for values, code, weight in zip(drawn.values, drawn.codes, drawn.weights, strict=True):
        assert weight == 0.5 * np.sum((values == X).all(axis=1) & (y == drawn.classes[code]))


def test_float32_is_the_number_that_it_is_and_there_is_one_zero(rows):
    X, y = rows
    narrow = X.astype(np.float32)
    narrow[:50] = 0.0
    wide = narrow.astype(np.float64)
    wide[:50] = -0.0
    for found, wanted in zip(content(collected(narrow, y)), content(collected(wide, y)), strict=True):
        assert_array_equal(found, wanted)


def test_rows_of_weight_zero_are_not_drawn_and_an_infinite_value_is_named(rows):
    X, y = rows
    weights = (np.arange(400) % 2).astype(float)
    drawn = collected(X, y, size=1000, weights=weights)
    assert len(drawn.codes) == 200
    X[7, 1] = np.inf
    with pytest.raises(InfiniteValue, match="row 7"):
        collected(X, y)
