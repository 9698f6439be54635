"""Ranking by score against plain sorting and brute force over all subsets."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewest import IndividualRanking
from fewest.errors import InvalidParameter
from fewest.searches.individual_ranking import false_discovery_mask

from ..reference.scatter.scatter import rank_by_brute_force


class Scores:
    def __init__(self, scores, p_values=None, is_additive=True):
        self.scores = np.array(scores, dtype=float)
        self.tests = p_values
        self.is_additive = is_additive

    def score_features(self):
        return self.scores

    def p_values(self):
        return np.array(self.tests)


few_values = st.sampled_from([-1.0, 0.0, 0.5, 2.0, np.nan, np.inf, 0.1 + 0.2, 0.3])


@given(st.lists(few_values, min_size=1, max_size=12), st.integers(1, 14))
def test_the_highest_scores_come_first_ties_to_the_lowest_column_and_gaps_last(scores, k):
    assert list(IndividualRanking().run(Scores(scores), k).indices) == rank_by_brute_force(scores, k)


@pytest.mark.parametrize("seed", range(30))
def test_the_highest_of_many_are_those_of_a_full_sort(seed):
    rng = np.random.default_rng(seed)
    scores = rng.choice([rng.normal(size=5000), rng.integers(0, 9, 5000).astype(float), np.zeros(5000)][seed % 3], 5000)
    scores[rng.random(5000) < rng.choice([0.0, 0.5, 0.999])] = rng.choice([np.nan, -np.inf, np.inf])
    for k in (1, 2, 7, 40, 5000):
        assert list(IndividualRanking().run(Scores(scores), k).indices) == rank_by_brute_force(scores, k)


@given(st.lists(st.sampled_from([-1.0, 0.0, 0.25, 0.5, 2.0]), min_size=1, max_size=9), st.integers(1, 9))
def test_no_subset_of_that_size_is_worth_more(scores, k):
    k = min(k, len(scores))
    selection = IndividualRanking().run(Scores(scores), k)
    best = max(sum(subset) for subset in combinations(scores, k))
    assert selection.value == selection.bound == best
    assert selection.is_optimal is True
    assert selection.gap == 0.0


@given(st.lists(st.sampled_from([-1.0, 0.0, 0.25, 0.5, 2.0]), max_size=9), st.sampled_from([-2.0, 0.0, 0.25, 3.0]))
def test_a_threshold_takes_what_is_strictly_above_it_and_no_subset_is_worth_more(scores, beta):
    selection = IndividualRanking(beta=beta).run(Scores(scores), None)
    assert sorted(selection.indices) == [j for j, score in enumerate(scores) if score > beta]
    subsets = (subset for k in range(len(scores) + 1) for subset in combinations(scores, k))
    assert selection.value == max(sum(subset) - beta * len(subset) for subset in subsets)


def test_benjamini_hochberg_worked_by_hand():
    # Sorted: .01 .02 .03 .2 against .0125 .025 .0375 .05: three pass; .03 drags .02's neighbours along.
    assert false_discovery_mask(np.array([0.2, 0.03, 0.01, 0.02]), 0.05).tolist() == [False, True, True, True]
    assert not false_discovery_mask(np.array([0.9, 0.2]), 0.05).any()
    assert not false_discovery_mask(np.array([]), 0.05).any()


def test_tests_against_the_null_are_a_set_of_tests_not_an_optimum():
    selection = IndividualRanking(beta="null").run(Scores([3.0, 1.0, 2.0], [0.001, 0.9, 0.002]), None)
    assert selection.indices == (0, 2)
    assert (selection.value, selection.bound, selection.is_optimal) == (None, None, None)


def test_scores_that_do_not_add_up_prove_nothing():
    selection = IndividualRanking().run(Scores([3.0, 1.0], is_additive=False), 1)
    assert (selection.value, selection.is_optimal, selection.gap) == (None, None, None)


def test_the_path_holds_every_size():
    path = IndividualRanking().run(Scores([1.0, 3.0, 2.0]), 3).path
    assert dict(path) == {1: (1,), 2: (1, 2), 3: (1, 2, 0)}


@pytest.mark.parametrize("beta", ["zero", np.inf, True, (1,)])
def test_a_threshold_is_a_number_or_null(beta):
    with pytest.raises(InvalidParameter, match="beta must be a finite number, 'null' or None"):
        IndividualRanking(beta=beta)


@pytest.mark.parametrize("level", [0, 1, -0.1, "low"])
def test_a_level_lies_between_zero_and_one(level):
    with pytest.raises(InvalidParameter, match="level must be a number between 0 and 1"):
        IndividualRanking(level=level)
