"""What every search obeys, on an objective whose answer is known: the value of a subset is the sum of its scores."""

from __future__ import annotations

import numpy as np
import pytest

from fewest import criteria, searches
from fewest.protocols import Objective
from fewest.selectors.selector_parameters import OFFERED_BY, REQUIRED_BY, check_fit

SEARCHES = [getattr(searches, name)() for name in searches.__all__ if hasattr(getattr(searches, name), "requires")]
SEARCHES += [
    searches.GreedyForward(lazy=False),
    searches.GreedyForward(lazy=False, stop=searches.StoppingRule()),
    searches.RecursiveElimination(step=2),
    searches.WeightAscent(logarithmic=True),
    searches.WeightElimination(step=2),
]


class Additive(Objective):
    """Every method that a search may use; NaN is a column without a score."""

    is_additive = True

    def __init__(self, scores):
        self.scores = np.array(scores, dtype=float)
        self.n_columns = len(scores)

    def score_features(self):
        return self.scores

    def score_pairs(self):
        return np.zeros((self.n_columns,) * 2)

    def score_triples(self):
        return np.zeros((self.n_columns,) * 3)

    def score_subset(self, subset):
        return float(np.nansum(self.scores[list(subset)]))

    def score_additions(self, selected, among):
        return self.scores[among]

    def bound_additions(self, selected):
        return self.scores + 0.5

    def score_removals(self, selected, among):
        return -self.scores[among]

    def least_members(self, selected, count):
        order = sorted(selected, key=lambda j: (not np.isnan(self.scores[j]), self.scores[j], -j))
        return np.array(order[:count], dtype=np.intp)

    def start_weights(self):
        return np.where(np.isnan(self.scores), np.nan, 1.0)

    def score_weights(self, weights):
        scores = np.nan_to_num(self.scores)
        return float(weights @ scores - weights @ weights / 2), scores - weights


ADDITIVE = [search for search in SEARCHES if all(hasattr(Additive([1.0]), name) for name in search.requires)]
SCORES = [0.5, 3.0, 1.0, 3.0, 2.0, 0.25, 1.0]


def test_all_searches_but_the_one_for_svms_are_covered():
    assert {type(search).__name__ for search in SEARCHES} - {type(search).__name__ for search in ADDITIVE} == {
        "RelaxAndRound"
    }


@pytest.mark.parametrize("search", ADDITIVE, ids=repr)
@pytest.mark.parametrize("size", range(1, 8))
def test_the_highest_scores_are_selected_and_ties_go_to_the_lowest_column(search, size):
    expected = sorted(range(7), key=lambda j: (-SCORES[j], j))[:size]
    selection = search.run(Additive(SCORES), size)
    assert sorted(selection.indices) == sorted(expected)


@pytest.mark.parametrize("search", ADDITIVE, ids=repr)
def test_the_path_has_the_selection_and_subsets_of_its_sizes(search):
    selection = search.run(Additive(SCORES), 4)
    assert len(selection.scores) == len(selection.indices) == 4
    assert sorted(selection.path[4]) == sorted(selection.indices)
    for size, columns in selection.path.items():
        assert len(set(columns)) == len(columns) == size


@pytest.mark.parametrize("search", ADDITIVE, ids=repr)
def test_a_column_without_a_score_comes_last(search):
    scores = [np.nan, *SCORES]
    assert 0 not in search.run(Additive(scores), 7).indices
    assert 0 in search.run(Additive(scores), 8).indices


@pytest.mark.parametrize("search", ADDITIVE, ids=repr)
def test_more_features_than_there_are_columns_are_all(search):
    assert sorted(search.run(Additive(SCORES), 99).indices) == list(range(7))


@pytest.mark.parametrize("search", ADDITIVE, ids=repr)
def test_the_same_objective_gives_the_same_selection(search):
    assert search.run(Additive(SCORES), 3) == search.run(Additive(SCORES), 3)


@pytest.mark.parametrize("search", ADDITIVE, ids=repr)
def test_an_optimum_is_claimed_only_where_it_is_reached(search):
    selection = search.run(Additive(SCORES), 3)
    if selection.is_optimal:
        assert selection.value == 8.0
        assert selection.bound == pytest.approx(8.0, rel=1e-12)


@pytest.mark.parametrize(("method", "criterion"), OFFERED_BY.items())
def test_the_criterion_that_an_error_suggests_offers_what_is_lacking(method, criterion):
    assert (
        method in eval(criterion, vars(criteria) | {name: getattr(criteria, name) for name in criteria.__all__}).offers
    )


@pytest.mark.parametrize(("search", "required"), REQUIRED_BY.items())
def test_the_search_that_an_error_suggests_requires_no_more_than_it_is_said_to(search, required):
    assert eval(search, {name: getattr(searches, name) for name in searches.__all__}).requires <= required


def test_every_method_that_a_search_requires_is_offered_by_a_criterion_that_is_suggested():
    assert set().union(*(search.requires for search in ADDITIVE)) <= set(OFFERED_BY)


def test_the_message_names_both_parts_and_what_to_use_instead():
    with pytest.raises(
        ValueError,
        match=r"MinimumCut needs score_pairs, which MutualInformation does not offer. Use IndividualRanking\(\), or a "
        r"criterion that offers it, such as ScatterTrace\(degree=2\).",
    ):
        check_fit(criteria.MutualInformation(), searches.MinimumCut())
