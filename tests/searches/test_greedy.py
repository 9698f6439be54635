"""Greedy selection, lazily and fully, against the formulas."""

from __future__ import annotations

import numpy as np
import pytest

from fewest import GreedyForward, JointInformation, RelevanceRedundancy
from fewest.criteria import Discretizer

from ..binding import bind
from ..reference.information.information import joint, mrmr


def table(seed):
    """Few categories, many ties, copies and constants."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(4, 40)), int(rng.integers(2, 16))
    y = np.concatenate([[0, 1], rng.integers(0, 3, n - 2)])
    X = rng.integers(0, int(rng.integers(1, 4)), (n, p))
    X[:, rng.integers(0, p)] = y
    X = X[:, rng.integers(0, p, p)] if rng.random() < 0.5 else X
    return X, y


@pytest.mark.parametrize("form", ["difference", "quotient"])
def test_lazily_and_fully_is_what_the_formula_says_on_500_tables_with_many_ties(form):
    criterion = RelevanceRedundancy(form, Discretizer(None))
    for seed in range(500):
        X, y = table(seed)
        columns, k = X.T.tolist(), min(X.shape[1], 8)
        expected = mrmr(columns, y.tolist(), k, form)
        fully = GreedyForward(lazy=False).run(bind(criterion, X, y), k)
        lazily = GreedyForward(lazy=True).run(bind(criterion, X, y), k)
        assert list(fully.indices) == expected, seed
        assert (lazily.indices, lazily.scores) == (fully.indices, fully.scores)


def test_joint_categories_are_as_the_formula_says():
    for seed in range(100):
        X, y = table(seed)
        objective = bind(JointInformation(Discretizer(None)), X, y)
        k = min(X.shape[1], 4)
        found = list(GreedyForward(lazy=False).run(objective, k).indices)
        until = k if objective.saturated_at is None else objective.saturated_at
        assert found[:until] == joint(X.T.tolist(), y.tolist(), k)[:until], seed
        assert len(set(found)) == k


def test_columns_that_cannot_win_are_not_evaluated():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    X = rng.integers(0, 3, (300, 400))
    X[:, :20] = np.where(rng.random((300, 20)) < 0.6, 2 * y[:, None], X[:, :20])
    objective = bind(RelevanceRedundancy(), X, y)
    selection = GreedyForward().run(objective, 15)
    assert objective.n_evaluated < 0.5 * 14 * 400
    assert selection.indices == GreedyForward(lazy=False).run(bind(RelevanceRedundancy(), X, y), 15).indices


def test_a_selection_is_nested_and_claims_no_optimum():
    X, y = table(3)
    selection = GreedyForward().run(bind(RelevanceRedundancy(), X, y), 3)
    assert selection.path[2] == selection.indices[:2]
    assert selection.is_optimal is None


def test_an_objective_that_is_asked_about_other_columns_begins_anew():
    X, y = table(8)
    objective = bind(RelevanceRedundancy(), X, y)
    everything = np.arange(X.shape[1])
    first = objective.score_additions([0, 1], everything[2:])
    for other in ([1], [0], [1, 0], [1]):
        found = objective.score_additions(other, everything[2:])
        afresh = bind(RelevanceRedundancy(), X, y).score_additions(other, everything[2:])
        np.testing.assert_array_equal(found, afresh)
    np.testing.assert_array_equal(objective.score_additions([0, 1], everything[2:]), first)


def test_a_column_without_a_value_comes_last():
    X = np.array([[np.nan, 0.0, 1.0], [np.nan, 1.0, 1.0], [np.nan, 0.0, 0.0], [np.nan, 1.0, 0.0]])
    selection = GreedyForward().run(bind(RelevanceRedundancy(), X, np.array([0, 1, 0, 1])), 3)
    assert selection.indices == (1, 2, 0)
    assert np.isnan(selection.scores[2])
