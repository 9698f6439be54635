"""SURF, SURF*, MultiSURF and MultiSURF*: the formulas, and TuRF."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

from fewest import SURF, IterativeRelief, MAPRelief, MultiSURF, MultiSURFStar, Relief, ReliefF, SURFStar
from fewest.criteria import HitMissMargin, ThresholdMargin
from fewest.datasets import add_probes
from fewest.errors import InvalidParameter

from ...cli.running import run
from ...core.levels import LEVELS, at_level
from ...reference.relief.relief import margins, threshold_margins
from ..random_tables import random_table, scores_of

RULES = [(by_row, far) for by_row in (False, True) for far in (False, True)]


def test_an_example_worked_by_hand():
    # One column at 0, 1 | 2, 4 (scaled: 0, .25 | .5, 1). Distances: ab .25, ac .5, ad 1, bc .25, bd .75, cd .5.
    X, y = np.array([[0.0], [1], [2], [4]]), np.array([0, 0, 1, 1])
    # SURF: the mean is 3.25 / 6 = .5417. a: near b (hit .25), c (miss .5). b: near a (.25), c (miss .25). c: near a
    # (.5), b (.25), d (hit .5). d: near c alone, hit .5.
    near = np.mean([0.5 - 0.25, 0.25 - 0.25, (0.5 + 0.25) / 2 - 0.5, -0.5])
    assert_allclose(scores_of(ThresholdMargin(by_row=False), X, y), [near], rtol=1e-14)
    # Far: a has d (1), b has d (.75), d has a and b, misses all; c has none.
    far = -np.mean([1, 0.75, (1 + 0.75) / 2])
    assert_allclose(scores_of(ThresholdMargin(by_row=False, far=True), X, y), [near + far], rtol=1e-14)
    # MultiSURF: the thresholds, mean less half the deviation, are .43, .30, .36 and .65. Near a is b (hit .25), near b
    # are a and c (.25 both), near c is b (miss .25), near d is c (hit .5).
    assert_allclose(scores_of(ThresholdMargin(), X, y), [np.mean([-0.25, 0, 0.25, -0.5])], rtol=1e-14)


@pytest.mark.parametrize("first", range(0, 300, 50))
def test_it_is_the_formula_on_all_sorts_of_tables(first):
    for seed in range(first, first + 50):
        X, y, is_categorical = random_table(seed)
        metric = "l2" if seed % 7 == 0 else "l1"
        for by_row, far in RULES:
            found = scores_of(ThresholdMargin(metric, by_row=by_row, far=far), X, y, is_categorical)
            expected = threshold_margins(X, y, by_row, far, metric, is_categorical)
            assert_allclose(found, expected, atol=1e-12, rtol=0, err_msg=f"{seed} {by_row} {far}")


@pytest.mark.parametrize("metric", ["l1", "l2"])
def test_rows_and_columns_of_several_blocks(metric):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(150, 75)), rng.integers(0, 3, 150)
    for by_row, far in RULES:
        found = scores_of(ThresholdMargin(metric, by_row=by_row, far=far), X, y)
        assert_allclose(found, threshold_margins(X, y, by_row, far, metric), atol=1e-12, rtol=0)


@pytest.mark.parametrize("seed", range(8))
def test_threads_simd_levels_and_the_order_of_rows_do_not_matter(seed):
    X, y, is_categorical = random_table(seed)
    if seed > 3:
        X, y = np.tile(X, (20, 1)) + 0.01 * np.arange(20 * len(X))[:, None], np.tile(y, 20)
    rows = np.random.default_rng(seed).permutation(len(y))
    for by_row, far in RULES:
        criterion = ThresholdMargin(by_row=by_row, far=far)
        with threadpool_limits(1):
            expected = scores_of(criterion, X, y, is_categorical)
        with threadpool_limits(4):
            assert_array_equal(scores_of(criterion, X, y, is_categorical), expected)
        for level in LEVELS:
            with at_level(level):
                assert_array_equal(scores_of(criterion, X, y, is_categorical), expected)
        assert_allclose(scores_of(criterion, X[rows], y[rows], is_categorical), expected, rtol=1e-10, atol=1e-12)


def test_the_selectors_have_these_scores():
    X, y = load_wine(return_X_y=True)
    for (by_row, far), selector in zip(RULES, (SURF, SURFStar, MultiSURF, MultiSURFStar), strict=True):
        assert_allclose(selector().fit(X, y).scores_, threshold_margins(X, y, by_row, far), atol=1e-12, rtol=0)


@pytest.mark.parametrize("selector", [SURF, MultiSURF])
def test_with_shuffled_labels_real_columns_look_like_probes(selector):
    X, y = load_breast_cancer(return_X_y=True)
    rows = np.r_[np.flatnonzero(y == 0)[:60], np.flatnonzero(y == 1)[:200]]
    is_real = np.repeat([True, False], [30, 50])
    found = []
    for seed in range(12):
        table = add_probes(X[rows], 50, seed=seed)
        scores = selector().fit(table, np.random.default_rng(seed).permutation(y[rows])).scores_
        found.append(roc_auc_score(is_real, scores))
    assert 0.35 <= np.mean(found) <= 0.65
    assert roc_auc_score(is_real, selector().fit(table, y[rows]).scores_) > 0.75


def test_multisurf_is_that_of_scikit_rebate_where_there_are_no_ties():
    skrebate = pytest.importorskip("skrebate")
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 15)), rng.integers(0, 2, 120)
    X[:, 0] += y
    # Its SURF takes the mean over all pairs with the zeros of a row and itself.
    for ours, theirs in ((MultiSURF, "MultiSURF"), (MultiSURFStar, "MultiSURFstar")):
        expected = getattr(skrebate, theirs)().fit(X, y).feature_importances_
        assert_allclose(ours().fit(X, y).scores_, expected, atol=1e-14)


def turf_order(X, y, k, step):
    """Columns from the last left to the first removed, by the reference."""
    left, removed = list(range(X.shape[1])), []
    while len(left) > 1:
        scores = margins(X[:, left], y, "balanced", k)
        n = min(step, len(left) - 1)
        least = sorted(range(len(left)), key=lambda i: (scores[i], -left[i]))[:n]
        removed += [left[i] for i in least]
        left = [column for i, column in enumerate(left) if i not in least]
    return [*left, *removed[::-1]]


def test_turf_removes_the_least_columns_and_finds_neighbours_anew():
    X, y = load_wine(return_X_y=True)
    order = turf_order(X, y, 3, 2)
    fitted = ReliefF(3, turf=2, n_features=5).fit(X, y)
    assert list(fitted.selection_.indices) == order[:5]
    assert_array_equal(fitted.scores_[order], np.arange(13)[::-1])
    assert order[:5] != list(ReliefF(3, n_features=5).fit(X, y).selection_.indices)


@pytest.mark.parametrize(
    "selector", [Relief, ReliefF, MAPRelief, IterativeRelief, SURF, SURFStar, MultiSURF, MultiSURFStar]
)
def test_every_relief_takes_turf(selector):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 80)
    X = np.column_stack([rng.normal(size=(80, 8)), np.full(80, 2.0), y + 0.3 * rng.normal(size=80)])
    X[3, 2] = np.nan
    fitted = selector(turf=0.2, n_features=2).fit(X, y)
    assert sorted(fitted.scores_) == list(range(10))
    if selector not in (MAPRelief, SURFStar, MultiSURFStar):
        assert fitted.selection_.indices[0] == 9
    for wrong in (0, 1.5, -0.1, "0.1", True):
        with pytest.raises(InvalidParameter, match=r"turf must be .* or None, got .* instead"):
            selector(turf=wrong).fit(X, y)


def test_turf_finds_an_interaction_among_many_columns_of_noise():
    def first_two(seed, **own):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(200, 150))
        y = (X[:, 0] * X[:, 1] > 0).astype(int)
        return len({0, 1} & set(ReliefF(n_features=2, **own).fit(X, y).selection_.indices))

    with_turf = sum(first_two(seed, turf=0.1) for seed in range(6))
    assert with_turf > sum(first_two(seed) for seed in range(6))


def test_the_command_takes_turf(tmp_path):
    assert run("select", "wine", "--method", "multisurf", "--features", "3", "--set", "turf=0.1") == 0
    assert run("select", "wine", "--method", "surf-star", "--features", "3", "--set", "turf=0") == 1


def test_wrong_parameters_are_refused():
    for wrong in ({"by_row": 1}, {"far": "no"}, {"metric": "l3"}):
        with pytest.raises(InvalidParameter, match=r"got .* instead"):
            ThresholdMargin(**wrong)
    assert HitMissMargin.offers == ThresholdMargin.offers
