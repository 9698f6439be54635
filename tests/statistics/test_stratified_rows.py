"""A sample of every class, drawn by the rows' own values."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from fewest.data.array import ArraySource
from fewest.data.block import Block
from fewest.data.labels import Target
from fewest.errors import InfiniteValue
from fewest.statistics.rows import Rows
from fewest.statistics.splits import Folded, GivenFolds
from fewest.statistics.stratified_rows import StratifiedRows


def collected(X, y, size=40, seed=0, weights=None):
    return ArraySource(X, Target(np.asarray(y), weights)).collect(StratifiedRows(size, seed))


def content(drawn):
    labels = np.array(drawn.classes)[drawn.codes]
    order = np.lexsort((*drawn.values.T, labels))
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


def test_a_sample_of_all_rows_is_all_rows_copies_too(rows):
    _, y = rows
    X = np.random.default_rng(2).integers(0, 2, (400, 3)).astype(float)
    drawn = collected(X, y, size=1000)
    for found, wanted in zip(content(drawn), content(ArraySource(X, Target(y)).collect(Rows())), strict=True):
        assert_array_equal(found, wanted)


def test_a_row_is_drawn_as_often_as_it_should_be_however_many_copies_it_has():
    random = np.random.default_rng(3)
    n, most = 60_000, 20_000
    # The shares of the first contents are those of Zipf's law: from 9 % of all rows to less than one in a thousand.
    shares = 1 / np.arange(1, most + 1)
    which = random.choice(most, n, p=shares / shares.sum())
    X = random.normal(size=(most, 3))[which]
    y = random.integers(0, 2, n)
    bands = np.searchsorted([1, 10, 100, 1000], which, side="right")
    expected = np.bincount(bands, minlength=5) / n
    found = np.zeros(5)
    for seed in range(20):
        drawn = collected(X, y, size=200, seed=seed)
        position = {tuple(row): band for row, band in zip(X.tolist(), bands.tolist(), strict=True)}
        found += np.bincount([position[tuple(row)] for row in drawn.values.tolist()], minlength=5) / len(drawn.codes)
    assert_allclose(found / 20, expected, atol=0.025)


@pytest.mark.parametrize("size", [20, 300])
def test_copies_and_their_order_change_nothing(size, monkeypatch):
    # Rows are left out again and again while they come, as in a long stream.
    monkeypatch.setattr("fewest.statistics.stratified_rows._KEPT_BYTES", 0)
    random = np.random.default_rng(4)
    X = random.normal(size=(30_000, 2))
    y = random.choice(["a", "b", "c"], 30_000, p=[0.7, 0.29, 0.01])
    # In one class most rows are the same; others have some copies each.
    X[(y == "a") & (random.random(30_000) < 0.6)] = 0.0
    X[::3] = X[random.integers(0, 500, 10_000)]
    expected = content(collected(X, y, size))
    is_same = (expected[0] == 0).all(axis=1) & (expected[1] == "a")
    share = np.mean((X == 0).all(axis=1)[y == "a"])
    assert is_same.sum() == pytest.approx(share * np.sum(expected[1] == "a"), abs=1.5 * np.sqrt(size))
    for order in (
        random.permutation(30_000),
        np.argsort(y, kind="stable"),
        np.argsort(X[:, 0]),
        np.lexsort((X[:, 0] == 0, y))[::-1],
    ):
        merged = StratifiedRows(size)
        for part in np.array_split(order, 11):
            merged.merge(collected(X[part], y[part], size))
        updated = StratifiedRows(size)
        for part in np.array_split(order, 40):
            labels, codes = np.unique(y[part], return_inverse=True)
            updated.update(Block(X[part], codes.astype(np.int32), labels.tolist()))
        for statistic in (merged, updated):
            for found, wanted in zip(content(statistic), expected, strict=True):
                assert_array_equal(found, wanted)


def test_no_more_rows_are_kept_than_memory_is_meant_for():
    random = np.random.default_rng(5)
    statistic = StratifiedRows(300)
    for _ in range(40):
        X = random.normal(size=(5000, 400))
        statistic.update(Block(X, random.integers(0, 2, 5000).astype(np.int32), [0, 1]))
    # 4 MiB are 1,310 rows of 400 columns; the spare and what came since are on top.
    assert sum(len(part.codes) for part in statistic._parts) < 2.5 * 1310 + 4 * 64


def test_a_row_keeps_its_weight(rows):
    X, y = rows
    weights = np.random.default_rng(6).integers(1, 4, 400).astype(float)
    drawn = collected(X, y, weights=weights)
    known = {tuple(row): weight for row, weight in zip(X.tolist(), weights, strict=True)}
    assert [known[tuple(row)] for row in drawn.values.tolist()] == drawn.weights.tolist()
    # The same values with another weight are another row; a weight of one is none.
    twice = collected(np.vstack([X, X]), np.tile(y, 2), 2000, weights=np.concatenate([weights, weights + 1]))
    assert len(twice.codes) == 800
    assert twice.weights.sum() == weights.sum() * 2 + 400
    for found, wanted in zip(content(collected(X, y, weights=np.ones(400))), content(collected(X, y)), strict=True):
        assert_array_equal(found, wanted)


def test_values_that_are_missing_are_the_same_however_they_are_stored(rows):
    X, y = rows
    X[::7, 1] = np.nan
    other = X.copy()
    other[::7, 1] = -np.float64(np.nan)
    for found, wanted in zip(content(collected(other, y)), content(collected(X, y)), strict=True):
        assert_array_equal(found, wanted)


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
