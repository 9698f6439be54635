"""Dropping what weighs least, again and again."""

from __future__ import annotations

import numpy as np
import pytest

from fewest import RecursiveElimination
from fewest.errors import InvalidParameter


class Fading:
    """Columns that weigh 1, 2, 3, ... , and each twice as much once the column before it is gone."""

    def __init__(self, n_columns=6):
        self.n_columns = n_columns

    def score_features(self):
        return np.arange(1.0, self.n_columns + 1)

    def least_members(self, selected, count):
        left = set(selected.tolist())
        weights = [(j + 1) * (1 if j == 0 or j - 1 in left else 2) for j in selected.tolist()]
        return selected[np.argsort(weights, kind="stable")[:count]]


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


def test_a_single_column_is_left_at_once():
    assert RecursiveElimination().run(Fading(1), None).indices == (0,)


def test_a_column_without_a_value_has_no_score():
    fading = Fading()
    fading.score_features = lambda: np.array([np.nan, 2, 3, 4, 5, 6])
    np.testing.assert_array_equal(RecursiveElimination().run(fading, 2).column_scores, [np.nan, 2, 1, 4, 3, 5])


@pytest.mark.parametrize("step", [0, -1, 1.0, 1.5, 0.0, "1", None, True, np.nan])
def test_a_wrong_step_is_refused(step):
    with pytest.raises(InvalidParameter, match="step must be a whole number of at least 1 or a share"):
        RecursiveElimination(step)
