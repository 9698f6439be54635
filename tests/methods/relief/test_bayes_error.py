"""The Bayes error of subsets of columns is that of the formula, row by row."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_wine
from threadpoolctl import threadpool_limits

from fewest import BayesError, BayesErrorSelector, FeatureSelector, GreedyBackward, GreedyForward
from fewest.errors import InvalidInput, InvalidParameter

from ...binding import bind
from ...cli.running import run
from ...reference.relief.parzen_relief import bayes_error
from ..random_tables import random_table

DENSITIES = ["parzen", "neighbors"]


def bound(X, y, weights=None, **parameters):
    return bind(BayesError(**parameters), X, y, weights)


def test_three_rows_by_hand_by_kernel():
    # x = 0, 1 of class a, 3 of class b; unscaled, eta = 1/2 (below its cap 4 / mean(1, 9, 4) = 6/7).
    # b is no target. Row 0: own kernel exp(-1/2) over the one other row of a, times p(a) = 2/3; b: exp(-9/2) / 3.
    score = bound([[0.0], [1.0], [3.0]], ["a", "a", "b"], width=1.0, scale=None).score_subset([0])
    own = 2 * np.exp(-1 / 2)
    first, second = (own - np.exp(-9 / 2)) / (own + np.exp(-9 / 2)), (own - np.exp(-2)) / (own + np.exp(-2))
    assert_allclose(score, (first + second) / 2, rtol=1e-12)


def test_three_rows_by_hand_by_neighbors():
    # The same, k = 1: row 0: p(a) / (1 * 1) = 2/3 against (1/3) / 3; row 1: 2/3 against (1/3) / 2.
    score = bound([[0.0], [1.0], [3.0]], ["a", "a", "b"], density="neighbors", n_neighbors=1, scale=None)
    expected = ((2 / 3 - 1 / 9) / (2 / 3 + 1 / 9) + (2 / 3 - 1 / 6) / (2 / 3 + 1 / 6)) / 2
    assert_allclose(score.score_subset([0]), expected, rtol=1e-12)


@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("n", [3, 7, 30, 120])
def test_subsets_have_the_value_of_the_formula(n, density):
    rng = np.random.default_rng(n)
    y = np.append(rng.integers(0, 3, n - 1), 7) if n > 3 else np.array([0, 0, 1])
    X = rng.normal(size=(n, 4)) + y[:, None] * [0, 0.5, 1, 0]
    X[:, 3] = rng.integers(0, 3, n)  # ties, and rows that are equal
    X[:, 2] = X[:, 2].round(1)
    for weights in (None, rng.integers(1, 4, n)):
        for k, width in ((1, 0.5), (5, 0.1), (200, 3.0)):
            objective = bound(X, y, weights, density=density, width=width, n_neighbors=k)
            objective.chunk_pairs = 1000  # so that there are several chunks of rows
            for subset in ([0], [3], [2, 3], [0, 1, 2, 3]):
                expected = bayes_error(X[:, subset], y, density, width, k, weights)
                assert_allclose(objective.score_subset(subset), expected, rtol=1e-10, atol=1e-12)
                assert -1 <= objective.score_subset(subset) <= 1


@pytest.mark.parametrize("density", DENSITIES)
def test_it_is_the_formula_on_300_random_and_degenerate_tables(density):
    for seed in range(300):
        X, y, _ = random_table(seed)
        X, rng = np.where(np.isnan(X), 0.0, X), np.random.default_rng(seed)
        weights = rng.integers(1, 4, len(y)) if seed % 3 == 0 else None
        k, width = int(rng.choice([1, 3, 50])), float(rng.choice([0.1, 0.5, 3.0]))
        objective = bound(X, y, weights, density=density, width=width, n_neighbors=k)
        for size in {1, 2, X.shape[1]}:
            subset = rng.permutation(X.shape[1])[:size].tolist()
            expected = bayes_error(X[:, subset], y, density, width, k, weights)
            found = objective.score_subset(subset)
            assert_allclose(found, expected, rtol=1e-8, atol=1e-10, err_msg=f"{seed} {subset}")


@pytest.mark.parametrize("density", DENSITIES)
def test_a_row_far_from_all_others_has_a_posterior_too(density):
    X = np.array([[0.0], [0.1], [0.2], [0.3], [1e6]] + [[0.4]] * 3000)
    y = np.array([0, 0, 1, 1, 0] + [0, 1, 1] * 1000)
    assert np.isfinite(bound(X, y, density=density, width=1e-9).score_subset([0]))


@pytest.mark.parametrize("density", DENSITIES)
def test_equal_rows_count_by_their_classes(density):
    # Eight rows at one point, and eight far away: there each other row is as likely as the next.
    X = np.repeat([[0.0], [100.0]], 8, axis=0)
    y = [0, 0, 0, 0, 0, 0, 1, 1] + [1] * 8
    found = bound(X, y, density=density, n_neighbors=1).score_subset([0])
    # p(c) p(x|c) of a row at 0: class 0: 5/5 of 6; class 1: 2 rows (one, of nine others but ten, for its own).
    zero, one = (6 - 2) / (6 + 2), (10 / 9 - 6) / (10 / 9 + 6)
    assert_allclose(found, (6 * zero + 2 * one + 8 * 1) / 16, atol=1e-12 if density == "neighbors" else 0.01)


def test_kernels_of_any_width_have_densities():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 2)), np.arange(20) % 2
    # So wide that every row is as near as any other: 9 of the own class, 10 of the other, each over its number.
    assert_allclose(bound(X, y, width=1e300).score_subset([0, 1]), 0.0, atol=1e-12)
    assert np.isfinite(bound(X, y, width=1e-300).score_subset([0, 1]))


def test_fractional_weights_are_taken():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), rng.integers(0, 2, 40)
    for density in DENSITIES:
        weighted = bound(X, y, rng.uniform(0.2, 2.5, 40), density=density).score_subset([0, 1])
        assert -1 <= weighted <= 1


@pytest.mark.parametrize("density", DENSITIES)
def test_a_search_finds_two_columns_that_separate_the_classes_only_together(density):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 5))
    y = (X[:, 1] * X[:, 3] > 0).astype(int)
    backward = FeatureSelector(BayesError(density), GreedyBackward(), n_features=2).fit(X, y)
    assert backward.get_support(indices=True).tolist() == [1, 3]
    X[:, 2] += 3 * y
    forward = FeatureSelector(BayesError(density), GreedyForward(lazy=False), n_features=1).fit(X, y)
    assert forward.selection_.indices == (2,)


@pytest.mark.parametrize("density", DENSITIES)
def test_threads_change_no_bit(density):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 6)), rng.integers(0, 3, 90)
    with threadpool_limits(1):
        alone = bound(X, y, density=density).score_features()
    with threadpool_limits(4):
        assert (bound(X, y, density=density).score_features() == alone).all()


def test_a_column_without_values_comes_after_one_that_harms():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), rng.integers(0, 2, 60)
    X[:, 0] = np.nan
    with pytest.warns(UserWarning, match="no value at all"):
        chosen = FeatureSelector(BayesError(), GreedyForward(lazy=False), n_features=3).fit(X, y)
    assert sorted(chosen.selection_.indices) == [1, 2, 3]


def test_what_cannot_be_is_refused():
    with pytest.raises(InvalidInput, match=r"1 values are missing, in 1 of 2 columns \(the first is number 1\)"):
        bound([[1.0, np.nan], [2.0, 3.0], [0.0, 1.0]], [0, 1, 1])
    for wrong, message in (
        ({"density": "gauss"}, "density must be one of"),
        ({"width": 0}, "width must be"),
        ({"width": "sd/2"}, "width must be"),
        ({"n_neighbors": 0}, "n_neighbors must be"),
        ({"n_neighbors": 1.5}, "n_neighbors must be"),
        ({"scale": "x"}, "scale must be"),
    ):
        with pytest.raises(InvalidParameter, match=message):
            BayesError(**wrong)


@pytest.mark.parametrize("density", DENSITIES)
def test_the_selector_searches_forward_by_default(density):
    X, y = load_wine(return_X_y=True)
    found = BayesErrorSelector(density, n_features=3).fit(X, y)
    expected = FeatureSelector(BayesError(density), GreedyForward(lazy=False), n_features=3).fit(X, y)
    assert found.selection_.indices == expected.selection_.indices
    assert found.selection_.value == bound(X, y, density=density).score_subset(found.selection_.indices)
    alone = BayesErrorSelector(density, mode="individual").fit(X, y)
    assert_allclose(alone.scores_, bound(X, y, density=density).score_features())
    assert len(BayesErrorSelector(density, mode="backward", n_features=11).fit(X, y).selection_.indices) == 11


@pytest.mark.parametrize("density", DENSITIES)
def test_all_subsets_can_be_searched_and_the_best_is_proved(density, capsys):
    X, y = load_wine(return_X_y=True)
    X, y = X[::2, :6], y[::2]
    objective = bound(X, y, density=density)
    best = max(objective.score_subset(subset) for subset in combinations(range(6), 3))
    chosen = BayesErrorSelector(density, mode="exhaustive", n_features=3).fit(X, y).selection_
    assert chosen.is_optimal
    assert chosen.value == chosen.bound == pytest.approx(best)
    floating, forward = (
        BayesErrorSelector(density, mode=mode, n_features=3).fit(X, y).selection_ for mode in ("floating", "forward")
    )
    assert forward.value <= floating.value <= best + 1e-12
    assert not floating.is_optimal
    arguments = ("--set", "mode=exhaustive", "--set", f"density={density}", "--features", "2")
    assert run("select", "iris", "--method", "bayes-error", *arguments) == 0
    assert "proved optimal" in capsys.readouterr().out


def test_the_selector_sees_an_interaction_and_no_copies():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 8))
    y = (X[:, 2] * X[:, 5] > 0).astype(int)
    assert set(BayesErrorSelector(mode="backward", n_features=2).fit(X, y).selection_.indices) == {2, 5}
    for wrong in ({"mode": "best"}, {"density": "normal"}, {"width": 0.0}, {"n_neighbors": 0}):
        with pytest.raises(InvalidParameter, match=r"got .* instead"):
            BayesErrorSelector(**wrong).fit(X, y)
