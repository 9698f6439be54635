"""What every criterion and search obeys."""

from __future__ import annotations

from contextlib import suppress
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import fewest
from fewest import criteria, searches
from fewest.errors import InvalidParameter
from fewest.selectors.selector_parameters import check_fit

from ..binding import bind

CRITERIA = [getattr(criteria, name)() for name in criteria.__all__ if hasattr(getattr(criteria, name), "offers")]
CRITERIA += [criteria.ScatterTrace(gamma=-0.5, scale=scale) for scale in ("range", "symmetric", None)]
CRITERIA += [criteria.ScatterTrace(gamma=0.7)]
CRITERIA += [
    criteria.ScatterTrace(degree=2, scale="symmetric"),
    criteria.ScatterTrace(gamma=-0.5, degree=2, kernel="homogeneous"),
    criteria.ScatterTrace(degree=3, scale="symmetric"),
]
CRITERIA += [criteria.KernelTrace("poly", gamma=0.3, scale=scale) for scale in ("std", "range", None)]
CRITERIA += [
    criteria.ScatterTrace(degree=2, scale="symmetric"),
    criteria.ScatterTrace(degree=2, scale="std", gamma=-0.5, kernel="homogeneous"),
    criteria.ScatterTrace(degree=3, scale="symmetric"),
]
CRITERIA += [
    criteria.MutualInformation(density="parzen"),
    criteria.RelevanceRedundancy(density="parzen"),
    criteria.RelevanceRedundancy("quotient", density="parzen"),
    criteria.JointInformation(density="parzen"),
]
CRITERIA += [
    criteria.ParzenMargin(printed=True),
    criteria.ParzenMargin(width=0.05, scale="std"),
]
SEARCHES = [getattr(searches, name)() for name in searches.__all__ if hasattr(getattr(searches, name), "requires")]


def offering(name):
    return [criterion for criterion in CRITERIA if name in criterion.offers]


def scores_of(criterion, X, y):
    return bind(criterion, X, y).score_features()


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    X = rng.normal(size=(200, 12)) + y[:, None] * np.linspace(0, 2, 12)
    X[rng.random(X.shape) < 0.05] = np.nan
    X[:, 4] = 1.5
    return X, y


@pytest.fixture
def full_table(table):
    X, y = table
    return np.nan_to_num(X), y


@pytest.mark.parametrize("criterion", CRITERIA, ids=repr)
def test_a_criterion_is_a_value(criterion):
    names = {name: getattr(fewest, name) for part in (criteria, searches) for name in part.__all__}
    assert eval(repr(criterion), names) == criterion


@pytest.mark.parametrize("criterion", offering("score_features"), ids=repr)
class TestEveryCriterionThatScoresFeatures:
    @pytest.fixture
    def table(self, criterion, table, full_table):
        # Gaussians and SVMs need every value: such a criterion refuses missing ones.
        is_refused = getattr(criterion, "density", None) == "parzen" or not getattr(criterion, "allows_missing", True)
        return full_table if is_refused else table

    def test_the_order_of_the_rows_does_not_matter(self, criterion, table):
        X, y = table
        rows = np.random.default_rng(1).permutation(len(y))
        assert_allclose(scores_of(criterion, X[rows], y[rows]), scores_of(criterion, X, y), rtol=1e-12, atol=1e-14)

    def test_the_names_of_the_classes_do_not_matter(self, criterion, table):
        X, y = table
        names = np.array(["zebra", "ant", "newt"])[y]
        assert_allclose(scores_of(criterion, X, names), scores_of(criterion, X, y), rtol=1e-12, atol=1e-14)

    def test_permuting_columns_permutes_the_scores_to_the_bit(self, criterion, table):
        X, y = table
        order = np.random.default_rng(2).permutation(X.shape[1])
        found, expected = scores_of(criterion, X[:, order], y), scores_of(criterion, X, y)[order]
        if getattr(criterion, "degree", None) == 2:
            # A matrix product, which makes this criterion fast, may round a column by its place in a tile.
            assert_allclose(found, expected, rtol=1e-12)
        else:
            assert_array_equal(found, expected)

    def test_a_copied_column_scores_the_same_to_the_bit(self, criterion, table):
        X, y = table
        scores = scores_of(criterion, np.hstack([X, X]), y)
        assert_array_equal(scores[:12], scores[12:])

    def test_a_constant_column_scores_zero_and_an_empty_one_has_no_score(self, criterion, table):
        X, y = table
        X = np.column_stack([X, np.full(len(y), np.nan)])
        scores = scores_of(criterion, X, y)
        assert scores[4] == 0.0
        assert np.isnan(scores[12])
        assert np.isfinite(scores[:12]).all()


@pytest.mark.parametrize("criterion", offering("score_subset"), ids=repr)
class TestEveryCriterionThatScoresSubsets:
    subsets = ([0], [11, 3], [1, 4, 5, 9], range(12))

    def scores_of(self, criterion, X, y):
        objective = bind(criterion, X, y)
        return [objective.score_subset(subset) for subset in self.subsets]

    def test_the_order_of_the_rows_does_not_matter(self, criterion, full_table):
        X, y = full_table
        rows = np.random.default_rng(1).permutation(len(y))
        found = self.scores_of(criterion, X[rows], y[rows])
        assert_allclose(found, self.scores_of(criterion, X, y), rtol=1e-10, atol=1e-14)

    def test_the_names_of_the_classes_do_not_matter(self, criterion, full_table):
        X, y = full_table
        names = np.array(["zebra", "ant", "newt"])[y]
        assert_allclose(self.scores_of(criterion, X, names), self.scores_of(criterion, X, y), rtol=1e-10, atol=1e-14)

    def test_the_order_of_a_subset_does_not_matter(self, criterion, full_table):
        objective = bind(criterion, *full_table)
        assert objective.score_subset([7, 2, 9]) == objective.score_subset((2, 9, 7))

    def test_the_empty_set_is_worth_nothing(self, criterion, full_table):
        assert bind(criterion, *full_table).score_subset([]) == 0.0

    def test_a_constant_column_adds_nothing(self, criterion, full_table):
        objective = bind(criterion, *full_table)
        assert objective.score_subset([4]) == 0.0
        if isinstance(criterion, criteria.SetRedundancy):
            return  # means over the subset, which any column changes
        assert_allclose(objective.score_subset([0, 4, 6]), objective.score_subset([0, 6]), rtol=1e-12, atol=1e-14)


def pairs_that_fit():
    pairs = []
    for pair in product(CRITERIA, SEARCHES):
        with suppress(InvalidParameter):
            check_fit(*pair)
            pairs.append(pair)
    return pairs


@pytest.mark.parametrize(("criterion", "search"), pairs_that_fit(), ids=repr)
def test_a_search_that_fits_a_criterion_uses_only_what_it_offers(criterion, search, full_table):
    objective = bind(criterion, *full_table)

    class OnlyWhatIsOffered:
        is_additive = objective.is_additive

        def __getattr__(self, name):
            assert name in search.requires | getattr(search, "uses", frozenset())
            return getattr(objective, name)

    assert len(search.run(OnlyWhatIsOffered(), 3)) == 3


def test_a_search_that_needs_more_is_refused_by_name_before_any_data_are_read():
    class ByPairs:
        requires = frozenset({"score_pairs"})

    with pytest.raises(InvalidParameter, match="ByPairs needs score_pairs, which ScatterTrace does not offer"):
        check_fit(criteria.ScatterTrace(), ByPairs())
