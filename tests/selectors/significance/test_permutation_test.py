"""Permutation tests of all columns at once."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fewest.selectors.significance.permutation_test import permutation_test

from ...reference.significance import besag_clifford, westfall_young


def scorer(table):
    """Give the rows of a table, one after the other."""
    n_given = 0

    def score(n, columns):
        nonlocal n_given
        part = table[n_given : n_given + n][:, columns]
        n_given += n
        return part

    return score


def nothing_passes(p):
    return np.zeros(len(p), dtype=bool)


def test_three_columns_by_hand():
    # Column 0 is never reached; column 1 by the second and fourth of four; column 2 by the first two.
    table = np.array([[0.0, 1.0, 9.0], [0.0, 5.0, 9.0], [0.0, 1.0, 0.0], [0.0, 5.0, 0.0]])
    found = permutation_test(np.array([1.0, 5.0, 9.0]), scorer(table), 4, nothing_passes, stops_early=False, n_enough=2)
    # (1 + 0) / (1 + 4), 2 / 4 decided at the fourth, 2 / 2 decided at the second.
    assert found.p_values.tolist() == [0.2, 0.5, 1.0]
    assert (found.n_permutations, found.reason, found.n_lowest) == (4, "all were used", 1)


def test_the_largest_score_by_hand():
    table = np.array([[0.0, 3.0], [2.0, 1.0], [0.0, 0.0]])
    found = permutation_test(
        np.array([2.5, 1.0]), scorer(table), 3, nothing_passes, is_largest=True, stops_early=False, n_enough=np.inf
    )
    # The largest are 3, 2, 0: one is at least 2.5, two are at least 1.
    assert found.p_values.tolist() == [2 / 4, 3 / 4]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("batches", [(1, 1), (7, 20), (50, 400)])
def test_p_values_are_those_of_besag_and_clifford_whatever_the_batches(seed, batches):
    rng = np.random.default_rng(seed)
    observed, table = rng.normal(1, 1, 30), rng.normal(size=(200, 30))
    observed[::7] = table[0, ::7]  # ties
    found = permutation_test(observed, scorer(table), 200, nothing_passes, stops_early=False, batches=batches)
    expected = [besag_clifford(o, table[:, j], 10) for j, o in enumerate(observed)]
    assert_allclose(found.p_values, expected, rtol=1e-14)
    largest = permutation_test(
        observed, scorer(table), 200, nothing_passes, is_largest=True, stops_early=False, n_enough=np.inf,
        batches=batches,
    )  # fmt: skip
    assert_allclose(largest.p_values, westfall_young(observed, table), rtol=1e-14)


@pytest.mark.parametrize("seed", range(60))
def test_stopping_early_changes_no_answer_and_gives_no_smaller_p_value(seed):
    rng = np.random.default_rng(seed)
    observed, table = rng.choice([0.0, 5.0], 20) + rng.normal(size=20), rng.normal(size=(300, 20))
    level = rng.choice([0.01, 0.05, 0.3])

    def passing(p):
        return p <= level

    early = permutation_test(observed, scorer(table), 300, passing, batches=(10, 10))
    whole = permutation_test(observed, scorer(table), 300, passing, stops_early=False, batches=(10, 10))
    assert_array_equal(passing(early.p_values), passing(whole.p_values))
    assert (early.p_values >= whole.p_values - 1e-15).all()
    assert (whole.least_p_values <= whole.p_values + 1e-15).all()
    assert early.n_permutations <= whole.n_permutations


def test_it_ends_when_every_column_is_decided():
    found = permutation_test(np.zeros(3), lambda n, columns: np.ones((n, len(columns))), 1000, nothing_passes)
    assert found.p_values.tolist() == [1.0, 1.0, 1.0]
    assert found.n_permutations == 50
    assert found.reason == "every column was reached by 10 of them"


def test_decided_columns_are_not_scored_again():
    asked = []

    def score(n, columns):
        asked.append(columns.tolist())
        return np.zeros((n, len(columns)))

    permutation_test(np.array([0.0, 1.0, 0.0]), score, 200, nothing_passes, stops_early=False)
    assert asked == [[0, 1, 2], [1], [1]]


def test_scores_that_are_no_numbers():
    observed = np.array([np.nan, np.inf, 1.0, -np.inf, 2.0])
    permuted = np.array([[5.0, 3.0, np.nan, 0.0, 2.0 - 1e-13]])
    found = permutation_test(observed, scorer(permuted), 1, nothing_passes, stops_early=False)
    # Without a score 1; infinite was not reached; what is no number counts as reached, as do scores equal to 1e-10.
    assert found.p_values.tolist() == [1.0, 0.5, 1.0, 1.0, 1.0]


def test_no_columns_with_a_score_need_no_permutations():
    found = permutation_test(np.full(4, np.nan), scorer(np.empty((0, 4))), 100, nothing_passes)
    assert found.p_values.tolist() == [1.0] * 4
    assert found.n_permutations == 0
