"""Boosted stumps against slow loops and worked examples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from fewest import BoostedStumps, GreedyForward
from fewest.data.block import Block
from fewest.errors import InvalidInput, InvalidParameter
from fewest.methods.thresholds import threshold_criteria

from ...reference.thresholds import boosted
from ..random_tables import random_table


def objective_of(X, y, weights=None, n_rounds=500):
    criterion = BoostedStumps(n_rounds)
    rows = criterion.statistic()
    weights = None if weights is None else np.asarray(weights, dtype=float)
    X = np.asarray(X, dtype=float) if isinstance(X, list) else X
    rows.update(Block(X, np.asarray(y, dtype=np.int32), list(range(9)), weights))
    return criterion.bind(rows)


def taken(objective, n_features):
    return list(GreedyForward(lazy=False).run(objective, n_features).indices)


def as_tuples(rounds):
    return [(one.column, one.threshold, one.error) for one in rounds]


def test_two_rounds_worked_by_hand():
    # Round 1: x0 <= 2.5 and x1 <= 0.5 both get one row of five wrong; the lower column is taken. The fifth row, wrong,
    # then weighs 1/2 and each other 1/8. Round 2: nothing in x0 beats saying 1 (error 1/4), x1 gets the fourth wrong.
    X = [[1, 0], [2, 0], [3, 1], [4, 0], [5, 0]]
    objective = objective_of(X, [1, 1, 0, 0, 1])
    assert objective.score_features().tolist() == pytest.approx([0.5, 0.5], abs=1e-15)
    selection = GreedyForward(lazy=False).run(objective, 2)
    assert selection.indices == (0, 1)
    assert selection.scores == pytest.approx((0.5, 0.5), abs=1e-15)
    assert as_tuples(objective.rounds) == [(0, 2.5, pytest.approx(1 / 5)), (1, 0.5, pytest.approx(1 / 8))]
    assert [one.alpha for one in objective.rounds] == pytest.approx([math.log(4), math.log(7)])
    assert [(one.below, one.above) for one in objective.rounds] == [(1, 0), (1, 0)]


def test_a_round_in_which_one_class_for_all_is_best_is_no_columns():
    # Saying 0 gets one of four wrong, and no threshold fewer. Then the fourth row weighs 1/2: above 2.5 it is said.
    objective = objective_of([[7, 1], [7, 2], [7, 4], [7, 3]], [0, 0, 0, 1])
    assert objective.score_features().tolist() == [0.0, 0.0]
    assert taken(objective, 1) == [1]
    first, second = objective.rounds
    assert (first.column, first.below, first.above, first.error) == (None, 0, 0, 0.25)
    assert math.isnan(first.threshold)
    assert (second.column, second.threshold, second.error) == (1, 2.5, pytest.approx(1 / 6))


def test_a_stump_without_an_error_is_taken_and_its_column_left_out():
    # x1 and x2 divide the classes; then x0 and x3 follow as if x1 and x2 were not there.
    X = [[1, 5, 1, 1], [2, 6, 2, 1], [3, 7, 3, 1], [2, 8, 4, 1]]
    objective = objective_of(X, [0, 0, 1, 1])
    assert taken(objective, 4) == [1, 2, 0, 3]
    assert [one.column for one in objective.rounds[:3]] == [1, 2, 0]
    assert [one.alpha for one in objective.rounds[:2]] == [math.inf, math.inf]
    assert [one.threshold for one in objective.rounds[:2]] == [6.5, 2.5]


def test_rows_without_a_value_go_where_more_is_got_right():
    objective = objective_of([[1], [2], [3], [np.nan], [np.nan]], [0, 0, 1, 1, 1])
    assert objective.score_features().tolist() == [1.0]
    taken(objective, 1)
    assert (objective.rounds[0].threshold, objective.rounds[0].missing_below) == (2.5, False)
    objective = objective_of([[3], [2], [1], [np.nan], [np.nan]], [0, 0, 1, 1, 1])
    taken(objective, 1)
    assert (objective.rounds[0].threshold, objective.rounds[0].missing_below) == (1.5, True)


def test_that_a_value_is_missing_is_no_threshold():
    objective = objective_of([[1], [1], [np.nan], [np.nan]], [0, 0, 1, 1])
    assert objective.score_features().tolist() == [0.0]
    assert taken(objective, 1) == [0]
    assert objective.rounds == []
    assert "no stump is better than chance" in objective.stop_reason


@pytest.mark.parametrize("seed", range(30))
def test_random_tables_agree_with_the_loops(seed):
    X, y, _ = random_table(seed)
    n_features = min(X.shape[1], 6)
    order, rounds = boosted(X, y, n_features, n_rounds=12)
    objective = objective_of(X, y, n_rounds=12)
    assert taken(objective, n_features) == order
    assert len(objective.rounds) == len(rounds)
    for one, (column, threshold, error) in zip(objective.rounds, rounds, strict=True):
        assert one.column == column
        assert_allclose([one.threshold, one.error], [threshold, error], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_neither_order_nor_storage_nor_columns_change_a_bit(seed):
    X, y, _ = random_table(seed)
    X = np.nan_to_num(X.astype(np.float32)).astype(float)
    X[np.abs(X) < 0.7] = 0.0
    order = np.random.default_rng(seed).permutation(len(y))
    expected = objective_of(X, y)
    n_features = X.shape[1]
    columns = taken(expected, n_features)
    for values, classes in (
        (X[order], y[order]), (X.astype(np.float32), y), (np.asfortranarray(X), y), (sparse.csr_array(X), y),
        (sparse.csc_array(X[order]), y[order]),
    ):  # fmt: skip
        found = objective_of(values, classes)
        assert taken(found, n_features) == columns
        assert_array_equal(found.score_features(), expected.score_features())
        # Where a threshold is none a NaN stands, which equals nothing.
        assert [repr(one) for one in found.rounds] == [repr(one) for one in expected.rounds]


@pytest.mark.parametrize("seed", range(8))
def test_a_weight_is_a_repetition(seed):
    X, y, _ = random_table(seed)
    times = np.random.default_rng(seed).integers(0, 4, len(y))
    times[:4] = 1
    rows = np.repeat(np.arange(len(y)), times)
    weighted, repeated = objective_of(X, y, times), objective_of(X[rows], y[rows])
    assert taken(weighted, X.shape[1]) == taken(repeated, X.shape[1])
    assert_allclose(weighted.score_features(), repeated.score_features(), rtol=1e-12)
    errors = [one.error for one in repeated.rounds]
    assert_allclose([one.error for one in weighted.rounds], errors, rtol=1e-9, atol=1e-12)


def test_what_is_asked_for_does_not_depend_on_what_was_asked_before():
    X, y, _ = random_table(4)
    everything = np.arange(X.shape[1])
    objective = objective_of(X, y)
    first = taken(objective, X.shape[1])
    for selected in ([], first[:1], first[1:2], first[:3], first[:1]):
        asked_alone = objective_of(X, y).score_additions(selected, everything)
        assert_array_equal(objective.score_additions(selected, everything), asked_alone)


def test_a_copied_column_is_never_used():
    X, y, _ = random_table(4)
    objective = objective_of(np.hstack([X, X]), y)
    assert taken(objective, 3) == taken(objective_of(X, y), 3)


def test_what_cannot_be_is_refused():
    with pytest.raises(InvalidParameter, match="n_rounds must be a whole number of at least 1, got 0"):
        BoostedStumps(0)
    with pytest.raises(InvalidInput, match="at least two classes"):
        objective_of([[1.0], [2.0]], [0, 0])


@pytest.mark.parametrize("seed", range(30))
def test_rounds_are_the_same_with_and_without_bins(seed, monkeypatch):
    X, y, _ = random_table(seed)
    weights = np.random.default_rng(seed).integers(1, 4, len(y)) if seed % 2 else None
    plain = objective_of(X, y, weights)
    monkeypatch.setattr(threshold_criteria, "_FEWEST_BINNED", 0)
    monkeypatch.setattr(threshold_criteria, "_FEWEST_OF_CLASS", 0)
    binned = objective_of(X, y, weights)
    assert taken(binned, X.shape[1]) == taken(plain, X.shape[1])
    assert as_tuples(binned.rounds) == as_tuples(plain.rounds)
