"""Forward, backward and floating search on errors that are known beforehand."""

from __future__ import annotations

import numpy as np
import pytest

from fewest import GreedyBackward, GreedyFloating, GreedyForward, StoppingRule
from fewest.objectives import SubsetObjective

from ...reference import wrappers

FORWARD = GreedyForward(lazy=False, stop=StoppingRule())


class Known(SubsetObjective):
    """An objective whose errors of each set are a table."""

    is_additive = False

    def __init__(self, n_columns, error):
        self.n_columns = n_columns
        self.error = error
        self.n_asked = 0

    def score_features(self):
        return np.array([self.score_subset([column]) for column in range(self.n_columns)])

    def score_subset(self, subset):
        self.n_asked += 1
        return -float(self.error(frozenset(subset)))


def scripted(errors):
    """The least error of each size is that of the first columns; any other set has ten more."""
    return Known(len(errors), lambda s: 0 if not s else errors[len(s) - 1] + 10 * (s != frozenset(range(len(s)))))


def drawn(seed):
    """Few different errors, so that ties abound, over some columns."""
    rng = np.random.default_rng(seed)
    n_columns, n_errors = int(rng.integers(1, 8)), int(rng.integers(1, 12))
    table = rng.integers(0, n_errors, 1 << n_columns)
    table[0] = n_errors
    return n_columns, lambda s: int(table[sum(1 << c for c in s)])


@pytest.mark.parametrize("search", [FORWARD, GreedyFloating()], ids=["forward", "floating"])
@pytest.mark.parametrize(
    ("errors", "size", "visited"),
    [
        ([10, 8, 4, 4, 4, 7], 3, 6),  # the paper's example
        ([10, 8, 9, 1], 2, 3),
        ([5, 5, 5], 1, 3),
        ([3], 1, 1),
        ([9, 7, 7, 6, 6], 4, 5),
    ],
)
def test_it_goes_on_while_the_error_does_not_grow_and_returns_the_first_least(search, errors, size, visited):
    selection = search.run(scripted(errors), None)
    assert sorted(selection.indices) == list(range(size))
    assert sorted(selection.path) == list(range(1, visited + 1))
    assert all(set(selection.path[k]) == set(range(k)) for k in selection.path)


@pytest.mark.parametrize("search", [FORWARD, GreedyFloating()], ids=["forward", "floating"])
def test_with_a_number_there_is_no_stopping(search):
    assert sorted(search.run(scripted([10, 8, 4, 4, 4, 7]), 6).indices) == list(range(6))


def test_it_ends_where_nothing_can_be_better_and_goes_no_further_than_it_may():
    perfect = scripted([4, 0, 0, 0, 0, 0, 0, 0])
    rule = StoppingRule(enough=0.0)
    assert list(GreedyForward(lazy=False, stop=rule).run(perfect, None).path) == [1, 2]
    assert list(GreedyFloating(rule).run(perfect, None).path) == [1, 2]
    rule = StoppingRule(at_most=3)
    assert list(GreedyForward(lazy=False, stop=rule).run(scripted([4] * 8), None).path) == [1, 2, 3]
    assert list(GreedyFloating(rule).run(scripted([4] * 8), None).path) == [1, 2, 3]


def test_backward_drops_while_the_error_does_not_grow():
    # From the full set of five: 4 <= 6, 4 <= 4, then every pair is worse.
    selection = GreedyBackward().run(scripted([10, 8, 4, 4, 6]), None)
    assert set(selection.indices) == {0, 1, 2}
    assert sorted(selection.path) == [3, 4, 5]
    assert GreedyBackward().run(Known(4, lambda s: 1), None).indices == (0,)  # of equals the last goes, down to one


def test_the_order_of_what_is_left_is_that_of_what_would_be_lost():
    values = {0: 1, 1: 5, 2: 3}
    selection = GreedyBackward().run(Known(3, lambda s: 9 - sum(values[c] for c in s)), None)
    assert selection.indices == (1, 2, 0)
    assert selection.scores == (5.0, 3.0, 1.0)


def test_floating_goes_back_where_forward_cannot():
    # Column 0 is best alone, but 1 and 2 together need nobody.
    errors = {(0,): 5, (1,): 7, (2,): 7, (3,): 8, (0, 1): 4, (0, 2): 5, (1, 2): 1, (0, 1, 2): 1}
    objective = Known(4, lambda s: errors.get(tuple(sorted(s)), 6) if s else 9)
    assert set(FORWARD.run(objective, None).indices) == {0, 1, 2}
    assert set(GreedyFloating().run(objective, None).indices) == {1, 2}
    assert set(GreedyFloating().run(objective, 3).path[2]) == {1, 2}


@pytest.mark.parametrize("n_features", [None, 1, 3, 6])
def test_they_do_as_the_reference_on_400_tables_full_of_ties(n_features):
    for seed in range(400):
        n_columns, error = drawn(seed)
        n = None if n_features is None else min(n_features, n_columns)
        objective = Known(n_columns, error)
        assert list(FORWARD.run(objective, n).indices) == wrappers.forward(error, n_columns, n), seed
        assert set(GreedyBackward().run(objective, n).indices) == wrappers.backward(error, n_columns, n), seed
        assert set(GreedyFloating().run(objective, n).indices) == wrappers.floating(error, n_columns, n), seed


def test_paths_hold_the_best_set_found_of_each_size():
    for seed in range(100):
        n_columns, error = drawn(seed)
        objective = Known(n_columns, error)
        path = GreedyFloating().run(objective, n_columns).path
        assert [len(path[size]) for size in range(1, n_columns + 1)] == list(range(1, n_columns + 1))
        assert all(error(path[k]) <= error(FORWARD.run(objective, k).indices) for k in (1, 2) if k in path)
