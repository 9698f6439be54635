"""mRMR's objective for whole subsets: by hand, by the formula, additions and removals, and the best subset."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_wine

from fewest import MRMR, MaxRelevance
from fewest.criteria import Discretizer, RelevanceRedundancy, SetRedundancy
from fewest.errors import InvalidInput, InvalidParameter
from fewest.searches import Exhaustive, GreedyBackward, GreedyFloating, GreedyForward, MinimumCut

from ...binding import bind
from ...cli.running import run
from ...reference.information.information import information
from ...reference.information.parzen import kernel, of_class, of_columns
from .test_relevance_redundancy import TABLES, random_table


def criterion(form="difference", weight=1.0, **parameters):
    return SetRedundancy(form, Discretizer(None), weight, correction=None, **parameters)


def value(columns, y, subset, form, weight):
    """Mean relevance, less the mean information of any two, x = s included."""
    relevance = np.mean([information(columns[x], y) for x in subset])
    redundancy = np.mean([information(columns[x], columns[s]) for x in subset for s in subset])
    return -redundancy if form == "redundancy" else relevance - weight * redundancy


def test_four_rows_worked_by_hand():
    # y = 0 0 1 1, a = y, c = 0 1 0 1: I(a; y) = H(a) = H(c) = log 2, I(c; y) = I(a; c) = 0.
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 1, 1]
    objective = bind(criterion(), X, y)
    # {a}: log 2 - log 2 = 0; {c}: -log 2; both: log 2 / 2 - 2 log 2 / 4 = 0.
    assert_allclose([objective.score_subset(s) for s in ([], [0], [1], [0, 1])], [0, 0, -np.log(2), 0], atol=1e-12)
    assert_allclose(bind(criterion("redundancy"), X, y).score_subset([0, 1]), -np.log(2) / 2)


@pytest.mark.parametrize("form", ["difference", "redundancy"])
@pytest.mark.parametrize("kind", TABLES)
def test_values_additions_and_removals_are_those_of_the_formula(form, kind):
    for seed in range(150):
        X, y = TABLES[kind](seed)
        columns, p = X.T.tolist(), X.shape[1]
        objective = bind(criterion(form, 0.6), X, y)
        for size in (1, 2, 3):
            subset = np.random.default_rng(seed + size).permutation(p)[:size].tolist()
            now = value(columns, y.tolist(), subset, form, 0.6)
            assert_allclose(objective.score_subset(subset), now, rtol=1e-9, atol=1e-11)
            others = [j for j in range(p) if j not in subset]
            grown = [value(columns, y.tolist(), [*subset, j], form, 0.6) - now for j in others]
            assert_allclose(
                objective.score_additions(subset, np.array(others, dtype=int)), grown, rtol=1e-9, atol=1e-11
            )
            if size > 1:
                left = [value(columns, y.tolist(), [s for s in subset if s != j], form, 0.6) - now for j in subset]
                assert_allclose(objective.score_removals(subset, np.array(subset)), left, rtol=1e-9, atol=1e-11)


def test_densities_give_the_formula_too():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 40)
    X = rng.normal(size=(40, 4)) + y[:, None] * rng.uniform(0, 2, 4)
    kernels = [kernel(x) for x in X.T]
    subset = [0, 2, 3]
    redundancy = np.mean([of_columns(kernels[a], kernels[b]) for a in subset for b in subset])
    expected = np.mean([of_class(kernels[a], y) for a in subset]) - redundancy
    assert_allclose(bind(criterion(density="parzen"), X, y).score_subset(subset), expected, rtol=1e-9)


def test_every_search_runs_and_floating_is_no_worse_than_forward():
    for seed in range(5):
        X, y = random_table(seed)
        objective = bind(criterion(), X, y)
        forward, floating, backward = (
            search.run(objective, 2) for search in (GreedyForward(lazy=False), GreedyFloating(), GreedyBackward())
        )
        best = max(objective.score_subset(pair) for pair in combinations(range(X.shape[1]), 2))
        values = [objective.score_subset(found.indices) for found in (forward, floating, backward)]
        assert best + 1e-12 >= values[1] >= values[0] - 1e-12
        assert best + 1e-12 >= values[2]


@pytest.mark.parametrize("form", ["difference", "redundancy"])
@pytest.mark.parametrize("kind", TABLES)
def test_the_best_subset_is_proved_and_no_bound_is_below_it(form, kind):
    n_sizes = n_reached = 0
    for seed in range(20):
        X, y = TABLES[kind](seed)
        p = X.shape[1]
        objective = bind(criterion(form, 0.6), X, y)
        for size in range(1, p + 1):
            values = {subset: objective.score_subset(subset) for subset in combinations(range(p), size)}
            best = max(values.values())
            proved, cut = Exhaustive().run(objective, size), MinimumCut().run(objective, size)
            assert proved.is_optimal
            assert proved.value == pytest.approx(best, abs=1e-12)
            assert cut.bound >= best - 1e-12
            assert cut.value == pytest.approx(values[tuple(sorted(cut.indices))], abs=1e-12)
            assert not cut.is_optimal or cut.value >= best - 1e-9
            assert {k: len(subset) for k, subset in cut.path.items()} == {k: k for k in range(1, size + 1)}
            n_sizes, n_reached = n_sizes + 1, n_reached + (cut.value >= best - 1e-9)
    assert n_reached >= 0.95 * n_sizes


def test_a_bound_worked_by_hand():
    # y = 0 0 1 1, a = y, c = 0 1 0 1. Of two columns: scores (log 2) / 2 - (log 2) / 4 of a, -(log 2) / 4 of c, and
    # -2 I(a; c) / 4 = 0 of both. They add up to 0, which is proved.
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 1, 1]
    objective = bind(criterion(), X, y)
    scores = objective.for_size(2)
    assert_allclose(scores.score_features(), [np.log(2) / 4, -np.log(2) / 4], atol=1e-12)
    assert_allclose(scores.score_pairs(), np.zeros((2, 2)), atol=1e-12)
    # Together beyond themselves: 0 - (0 - log 2).
    assert_allclose(objective.score_pairs(), [[0, np.log(2)], [np.log(2), 0]], atol=1e-12)
    assert MinimumCut().run(objective, 2).is_optimal
    with pytest.raises(InvalidParameter, match="means over the subset"):
        MinimumCut(beta=0.1).run(objective, None)


@pytest.mark.parametrize("mode", ["cut", "exhaustive"])
def test_the_selector_searches_whole_subsets(mode, capsys):
    X, y = load_wine(return_X_y=True)
    chosen = MRMR(n_features=3, mode=mode).fit(X, y).selection_
    objective = bind(SetRedundancy(), X, y)
    best = max(objective.score_subset(subset) for subset in combinations(range(13), 3))
    assert chosen.value == pytest.approx(best)
    assert chosen.bound >= best - 1e-12
    assert chosen.is_optimal is (mode == "exhaustive")
    assert run("select", "wine", "--method", "mrmr", "--features", "3", "--set", f"mode={mode}") == 0
    printed = capsys.readouterr().out
    assert all(load_wine().feature_names[column] in printed for column in chosen.indices)
    assert len(MRMR(n_features="auto", max_features=4, mode=mode).fit(X, y).size_curve_) == 4
    with pytest.raises(InvalidParameter, match=r"mode='.*' is for criterion='difference'"):
        MRMR(criterion="quotient", mode=mode).fit(X, y)


def test_a_column_without_a_value_comes_last_and_too_many_columns_are_refused(monkeypatch):
    X, y = load_wine(return_X_y=True)
    X = np.column_stack([np.full(len(y), np.nan), X[:, :4]])
    with pytest.warns(UserWarning, match="no value at all"):
        chosen = MRMR(n_features=5, mode="cut", missing="pairwise").fit(X, y).selection_
    assert chosen.indices[-1] == 0
    monkeypatch.setattr("fewest.methods.information.set_redundancy.COLUMN_PAIRS", 100)
    with pytest.raises(InvalidInput, match=r"Scores of all pairs of 4 columns take .* Choose columns first"):
        MRMR(n_features=2, mode="cut").fit(X[:, 1:], y)


def test_the_weight_of_the_redundancy():
    X, y = random_table(3)
    everything = np.arange(X.shape[1])
    plain, half, none = (
        bind(RelevanceRedundancy("difference", Discretizer(None), weight), X, y) for weight in (1, 0.5, 0)
    )
    values = [objective.score_additions([2, 0], everything) for objective in (plain, half, none)]
    assert_allclose(values[1], (values[0] + values[2]) / 2, atol=1e-12)
    by_relevance = MaxRelevance(n_features=3).fit(X, y).selection_.indices
    assert MRMR(n_features=3, redundancy_weight=0).fit(X, y).selection_.indices == by_relevance
    with pytest.raises(InvalidParameter, match="redundancy_weight must be 1 in the quotient"):
        MRMR(criterion="quotient", redundancy_weight=2.0).fit(X, y)
    with pytest.raises(InvalidParameter, match="redundancy_weight must be"):
        MRMR(redundancy_weight=-1).fit(X, y)
