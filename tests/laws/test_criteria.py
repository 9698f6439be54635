"""What every criterion and search obeys."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fewest import criteria, searches
from fewest.errors import InvalidParameter
from fewest.protocols import check_fit
from fewest.sources import ArraySource
from fewest.sources.target import Target

CRITERIA = [getattr(criteria, name)() for name in criteria.__all__]
CRITERIA += [criteria.ScatterTrace(gamma=-0.5, scale=scale) for scale in ("range", "symmetric", None)]
CRITERIA += [criteria.ScatterTrace(gamma=0.7)]


def scores_of(criterion, X, y):
    source = ArraySource(X, Target(np.asarray(y)))
    return criterion.bind(source.collect(criterion.statistic())).score_features()


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    X = rng.normal(size=(200, 12)) + y[:, None] * np.linspace(0, 2, 12)
    X[rng.random(X.shape) < 0.05] = np.nan
    X[:, 4] = 1.5
    return X, y


@pytest.mark.parametrize("criterion", CRITERIA, ids=repr)
class TestEveryCriterion:
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
        assert_array_equal(scores_of(criterion, X[:, order], y), scores_of(criterion, X, y)[order])

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

    def test_it_is_a_value(self, criterion, table):
        assert eval(repr(criterion), vars(criteria)) == criterion


@pytest.mark.parametrize("criterion", CRITERIA, ids=repr)
@pytest.mark.parametrize("search", [getattr(searches, name)() for name in searches.__all__], ids=repr)
def test_a_search_that_fits_a_criterion_uses_only_what_it_offers(criterion, search, table):
    check_fit(criterion, search)
    X, y = table
    objective = criterion.bind(ArraySource(X, Target(y)).collect(criterion.statistic()))

    class OnlyWhatIsOffered:
        is_additive = objective.is_additive

        def __getattr__(self, name):
            assert name in search.requires
            return getattr(objective, name)

    assert len(search.run(OnlyWhatIsOffered(), 3)) == 3


def test_a_search_that_needs_more_is_refused_by_name_before_any_data_are_read():
    class ByPairs:
        requires = frozenset({"score_pairs"})

    with pytest.raises(InvalidParameter, match="ByPairs needs score_pairs, which ScatterTrace does not offer"):
        check_fit(criteria.ScatterTrace(), ByPairs())
