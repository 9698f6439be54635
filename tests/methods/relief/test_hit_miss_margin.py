"""Margins against the nearest rows: the formulas, ties, missing values, categories, and every way to the nearest."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from threadpoolctl import threadpool_limits

from fewest import ReliefF
from fewest.criteria import HitMissMargin, MapMargin
from fewest.errors import InvalidInput, InvalidParameter

from ...core.levels import LEVELS, at_level
from ...reference.relief.relief import margins
from ..random_tables import random_table, scores_of


def both(k, metric):
    """Criteria, each with its name in the reference."""
    return {
        "relief": HitMissMargin(metric, n_neighbors=k, by_class=False),
        "relieff": HitMissMargin(metric, n_neighbors=k, balance=False),
        "balanced": HitMissMargin(metric, n_neighbors=k),
        "printed": HitMissMargin(metric, n_neighbors=k, printed=True),
    }


def test_an_example_worked_by_hand():
    # One class at (0, 0), (1, 4) and the other at (3, 1), (3, 5), a third alone at (10, 4); scaled by 1/10 and 1/5:
    # a (0, 0), b (.1, .8) | c (.3, .2), d (.3, 1) | e (1, .8). Distances: ab .9, ac .5, ad 1.3, ae 1.8; bc .8, bd .4,
    # be .9; cd .8, ce 1.3, de .9.
    X = np.array([[0.0, 0], [1, 4], [3, 1], [3, 5], [10, 4]])
    y = np.array([0, 0, 1, 1, 2])
    # Relief, the nearest miss of any class: a has hit b and miss c: (.3 - .1, .2 - .8). b: hit a, miss d: (.2 - .1,
    # .2 - .8). c: hit d, miss a: (.3 - 0, .2 - .8). d: hit c, miss b: (.2 - 0, .2 - .8). e is alone.
    relief = np.array([(0.2 + 0.1 + 0.3 + 0.2) / 4, -0.6])
    assert_allclose(scores_of(HitMissMargin(n_neighbors=1, by_class=False), X, y), relief, rtol=1e-14)
    # ReliefF of one neighbour: shares .4, .4, .2, so with y = 0 or 1 the others count .4/.6 and .2/.6. To e: a (1, .8),
    # b (.9, 0), c (.7, .6), d (.7, .2).
    first = [
        (0.2 * m + 0.1 * e) / 0.3 - h for m, e, h in [(0.3, 1, 0.1), (0.2, 0.9, 0.1), (0.3, 0.7, 0), (0.2, 0.7, 0)]
    ]
    second = [(0.2 * 0.2 + 0.1 * e) / 0.3 - 0.8 for e in (0.8, 0.0, 0.6, 0.2)]
    expected = np.array([np.mean(first), np.mean(second)])
    assert_allclose(scores_of(HitMissMargin(n_neighbors=1, balance=False), X, y), expected, rtol=1e-14)
    # Balanced, rows of a class count 1 - p: .6 for each of the four, in units of .4 * .6 * 2 + .2 * .8 = .64.
    assert_allclose(scores_of(HitMissMargin(n_neighbors=1), X, y), 0.6 / 0.64 * expected, rtol=1e-14)
    # MAP-Relief: p_y = .4 for all four.
    by_map = [0.4 * (0.3 + 0.2 + 0.3 + 0.2) / 4 - 0.6 * (0.1 + 0.1) / 4, 0.4 * 0.2 - 0.6 * 0.8]
    assert_allclose(scores_of(MapMargin(), X, y), by_map, rtol=1e-13)


def test_ties_share_what_is_left_of_k():
    # From the first row one hit at .1, then two at .5 for the second position; misses at 1, both as near.
    X = np.array([[0.0, 0], [1, 0], [5, 0], [0, 5], [10, 0], [0, 10]])
    y = np.array([0, 0, 0, 0, 1, 1])
    ours = HitMissMargin(n_neighbors=2, by_class=False, n_queries=None)
    assert_allclose(scores_of(ours, X, y), margins(X, y, "relief", 2), rtol=1e-14)
    hits = 0.1 / 2 + 0.25 * (0.5 + 0)
    assert_allclose(margins(X, y, "relief", 2, queries=[0]), [0.5 - hits, 0.5 - 0.25 * 0.5], rtol=1e-14)


@pytest.mark.parametrize("first", range(0, 300, 50))
def test_it_is_the_formula_on_all_sorts_of_tables(first):
    for seed in range(first, first + 50):
        X, y, is_categorical = random_table(seed)
        metric, k = ("l2" if seed % 7 == 0 else "l1"), 1 + seed % 13
        for rule, criterion in both(k, metric).items():
            expected = margins(X, y, rule, k, metric, is_categorical)
            assert_allclose(
                scores_of(criterion, X, y, is_categorical), expected, atol=1e-12, rtol=0, err_msg=f"{seed} {rule}"
            )
        expected = margins(X, y, "map", 1, metric, is_categorical)
        assert_allclose(
            scores_of(MapMargin(metric), X, y, is_categorical), expected, atol=1e-12, rtol=0, err_msg=str(seed)
        )


def wide_tables():
    """Tables large enough for approximate distances in bytes."""
    rng = np.random.default_rng(0)
    even = rng.random((260, 53))
    tails = rng.standard_cauchy((260, 53))
    yield "even", even
    yield "heavy tails", tails
    yield "one outlier a column", np.where(np.arange(260)[:, None] == np.arange(53), 1e6, even)
    yield "levels", rng.integers(0, 3, (260, 53)).astype(float)
    yield "pairs of rows a little apart", np.repeat(even[:130], 2, axis=0) + 1e-9 * rng.random((260, 53))
    yield "copies", np.repeat(even[:26], 10, axis=0)
    yield "clusters", 5.0 * rng.integers(0, 2, (260, 1)) + 0.01 * even


WIDE = dict(wide_tables())


@pytest.mark.parametrize("name", WIDE)
@pytest.mark.parametrize("metric", ["l1", "l2"])
def test_a_first_look_misses_none_of_the_nearest(name, metric):
    X = WIDE[name]
    y = np.random.default_rng(1).integers(0, 3, len(X))
    for rule in ("relief", "relieff", "balanced"):
        found = scores_of(both(10, metric)[rule], X, y)
        assert_allclose(found, margins(X, y, rule, 10, metric), atol=1e-12, rtol=0)


@pytest.mark.parametrize("scale", ["range", "std", "symmetric", None])
@pytest.mark.parametrize("factor", [1e-150, 1.0, 1e140])
def test_scores_follow_the_scale(scale, factor):
    rng = np.random.default_rng(3)
    X, y = factor * rng.normal(size=(80, 5)), rng.integers(0, 2, 80)
    unit = {"range": np.ptp(X, axis=0), "std": factor * (X / factor).std(axis=0), "symmetric": np.ptp(X, axis=0) / 2}
    scaled = X / unit.get(scale, 1.0)
    # The reference scales to [0, 1]: a column from 0 to the longest range leaves the others as they are.
    longest = np.ptp(scaled, axis=0).max()
    for metric in ("l1", "l2"):
        found = scores_of(HitMissMargin(metric, scale, n_neighbors=3, balance=False), X, y) / longest
        expected = np.mean(
            [one_margin((scaled - scaled.min(axis=0)) / longest, y, n, metric) for n in range(80)], axis=0
        )
        assert_allclose(found, expected, atol=1e-12, rtol=0)


def one_margin(Z, y, n, metric):
    apart = np.abs(Z - Z[n])
    t = (apart**2 if metric == "l2" else apart).sum(axis=1)
    t[n] = np.inf
    hit, miss = (apart[which][np.argsort(t[which])[:3]].mean(axis=0) for which in (y == y[n], y != y[n]))
    return miss - hit


def test_categories_differ_by_one_on_any_scale():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    X[:, 2] = rng.integers(0, 5, 60)
    is_categorical = np.array([False, False, True])
    as_ranges = X[:, :2] / np.ptp(X[:, :2], axis=0)
    expected = scores_of(HitMissMargin(), X, y, is_categorical)
    found = scores_of(HitMissMargin(scale=None), np.column_stack([as_ranges, X[:, 2]]), y, is_categorical)
    assert_allclose(found, expected, rtol=1e-12)
    # A column of indicators, half of each, differs by as much.
    indicators = np.column_stack([X[:, :2], *(0.5 * (X[:, 2] == category) for category in range(5))])
    indicators[:, :2] = as_ranges
    assert_allclose(scores_of(HitMissMargin(scale=None), indicators, y)[2:].sum(), expected[2], rtol=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_the_order_of_the_rows_does_not_matter_nor_do_threads(seed):
    X, y, is_categorical = random_table(seed)
    if seed > 5:  # more rows than one block of them
        X, y = np.tile(X, (20, 1)) + 0.01 * np.arange(20 * len(X))[:, None], np.tile(y, 20)
    rows = np.random.default_rng(seed).permutation(len(y))
    for criterion in (*both(5, "l1").values(), MapMargin(), HitMissMargin(n_queries=max(2, len(y) // 2))):
        with threadpool_limits(1):
            expected = scores_of(criterion, X, y, is_categorical)
        with threadpool_limits(4):
            assert_array_equal(scores_of(criterion, X, y, is_categorical), expected)
        assert_allclose(scores_of(criterion, X[rows], y[rows], is_categorical), expected, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("level", LEVELS)
def test_simd_levels_change_no_bit(level):
    tables = [(X, np.arange(len(X)) % 3, None) for X in WIDE.values()] + [random_table(seed) for seed in range(12)]
    for metric in ("l1", "l2"):
        expected = [scores_of(HitMissMargin(metric), *table) for table in tables]
        with at_level(level):
            for table, scores in zip(tables, expected, strict=True):
                assert_array_equal(scores_of(HitMissMargin(metric), *table), scores)


def small_classes(kind):
    """Many columns and few rows of each class: distances are approximated by words of 16 bits."""
    rng = np.random.default_rng(4)
    y = np.repeat(np.arange(5), (150, 90, 60, 4, 1))
    X = rng.normal(size=(305, 50)) + 0.3 * rng.normal(size=(5, 50))[y]
    if kind == "few values":
        X = np.rint(X)
    elif kind == "copies":
        X[1::2] = X[::2][: len(X[1::2])]
        X[:, 7] = X[:, 8]
        X[:, 9] = 2.0
    elif kind == "scales":
        X *= 10.0 ** rng.integers(-9, 9, 50)
    elif kind == "tails":
        X = X**9
    return X, y


@pytest.mark.parametrize("kind", ["plain", "few values", "copies", "scales", "tails"])
def test_small_classes_have_the_margins_of_the_formula_to_the_bit_at_every_level(kind):
    X, y = small_classes(kind)
    for name, criterion in both(4, "l1").items():
        found = scores_of(criterion, X, y)
        assert_allclose(found, margins(X, y, name, 4), atol=1e-12, rtol=0)
        with threadpool_limits(1):
            assert_array_equal(scores_of(criterion, X, y), found)
        for level in LEVELS:
            with at_level(level):
                assert_array_equal(scores_of(criterion, X, y), found)


def test_two_rows_with_no_column_in_common_are_not_neighbours():
    nan = np.nan
    X = np.array([[0.0, nan], [nan, 1], [1, 0], [2, 2]])
    y = np.array([0, 0, 1, 1])
    expected = margins(X, y, "relief")
    assert_allclose(scores_of(HitMissMargin(n_neighbors=1, by_class=False), X, y), expected, rtol=1e-14)


def test_a_column_in_which_no_row_has_both_a_hit_and_a_miss_has_no_score():
    nan = np.nan
    X = np.array([[0.0, 1], [1, 2], [5, nan], [6, nan]])
    scores = scores_of(HitMissMargin(), X, np.array([0, 0, 1, 1]))
    assert np.isfinite(scores[0])
    assert np.isnan(scores[1])


def test_rows_without_a_hit_and_a_miss_are_refused():
    X = np.arange(6.0).reshape(3, 2)
    for y in ([0, 0, 0], [0, 1, 2]):
        with pytest.raises(InvalidInput, match="a margin needs another row of the same class and one of another"):
            scores_of(HitMissMargin(), X, np.array(y))


def test_parameters_out_of_range_are_refused():
    for wrong in (
        {"metric": "l3"}, {"scale": "rank"}, {"n_queries": 0}, {"n_queries": 2.5}, {"n_neighbors": 0},
        {"n_neighbors": True}, {"printed": "no"}, {"by_class": None}, {"random_state": -1},
        {"balance": 1},
    ):  # fmt: skip
        with pytest.raises(InvalidParameter, match=r"got .* instead"):
            HitMissMargin(**wrong)


@pytest.mark.parametrize("printed", [False, True])
def test_more_neighbours_than_any_table_has_rows_are_all_rows(printed):
    X, y = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20) % 2
    all_rows, more = (
        ReliefF(n_features=2, n_neighbors=k, printed=printed, balance=False).fit(X, y) for k in (20, 2**63)
    )
    assert_array_equal(more.scores_, all_rows.scores_)
