"""Dropping what weighs least, again and again."""

from __future__ import annotations

import numpy as np
import pytest

from fewest import RecursiveElimination
from fewest.errors import InvalidParameter


class Fading:
    """Columns that weigh 1, 2, 3, ... , and each twice as much once the column before it is gone."""

    n_columns = 6

    def __init__(self, bound=1.0, weights=(1, 2, 3, 4, 5, 6)):
        self.bound = bound
        self.weights = np.array(weights, dtype=float)
        self.n_asked = 0

    def score_members(self, selected, among):
        assert set(among.tolist()) <= set(selected.tolist())
        self.n_asked += len(among)
        left = set(selected.tolist())
        return np.array([self.weights[j] * (1 if j == 0 or j - 1 in left else 2) for j in among.tolist()])

    def bound_members(self, selected):
        return self.bound * self.weights[selected]


def test_it_is_as_worked_by_hand():
    # 0 goes first (1); then 1 weighs 4 and 2 goes (3); then 3 weighs 8 and 1 goes (4); then 4 goes (5), then 3 (8),
    # and 5, which weighs 12 without 4, is left.
    found = RecursiveElimination().run(Fading(), 2)
    assert found.path[6] == (5, 3, 4, 1, 2, 0)
    assert found.indices == (5, 3)
    assert found.scores == (5.0, 4.0)
    np.testing.assert_array_equal(found.column_scores, [0, 2, 1, 4, 3, 5])


def test_several_at_a_time_are_dropped_by_the_weights_they_have_together():
    # 0 and 1 go; then 2 weighs 6, and 3 and 4 go.
    assert RecursiveElimination(2).run(Fading(), None).indices == (5, 2, 4, 3, 1, 0)
    # A third of six columns is two; a seventh is less than one, and one goes.
    assert RecursiveElimination(0.34).run(Fading(), None).indices == (5, 2, 4, 3, 1, 0)
    assert RecursiveElimination(1 / 7).run(Fading(), None).indices == (5, 3, 4, 1, 2, 0)
    # All but the last at once.
    assert RecursiveElimination(100).run(Fading(), None).indices == (5, 4, 3, 2, 1, 0)


@pytest.mark.parametrize("bound", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("step", [1, 2, 3])
def test_bounds_spare_questions_and_change_nothing(bound, step):
    every = Fading(-np.inf)
    few = Fading(bound)
    assert RecursiveElimination(step).run(few, 3) == RecursiveElimination(step).run(every, 3)
    assert few.n_asked <= every.n_asked


def test_of_equal_columns_the_highest_goes_and_one_without_a_weight_first():
    same = Fading(0.0, [3, 3 + 1e-13, 3, np.nan, 3, 3])
    same.score_members = lambda selected, among: same.weights[among]
    assert RecursiveElimination().run(same, None).indices == (0, 1, 2, 4, 5, 3)
    assert RecursiveElimination(4).run(same, None).indices == (0, 1, 2, 4, 5, 3)


@pytest.mark.parametrize("step", [0, -1, 1.0, 1.5, 0.0, "1", None, True, np.nan])
def test_a_wrong_step_is_refused(step):
    with pytest.raises(InvalidParameter, match="step must be a whole number of at least 1 or a share"):
        RecursiveElimination(step)
