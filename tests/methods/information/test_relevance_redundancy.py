"""The criterion of mRMR: values by hand and by the formula, bounds, ties, and what must not change a bit."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fewest.criteria import Discretizer, RelevanceRedundancy
from fewest.errors import InvalidInput, InvalidParameter
from fewest.searches import GreedyForward

from ...binding import bind
from ...reference.information.information import additions
from ...reference.information.parzen import kernel, of_class, of_columns

FORMS = ["difference", "quotient"]


def criterion(form, **parameters):
    """The plain numbers of the paper, also of many categories."""
    return RelevanceRedundancy(form, Discretizer(None, **parameters), correction=None)


def random_table(seed):
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(5, 60)), int(rng.integers(3, 10))
    y = np.concatenate([[0, 1], rng.integers(0, 3, n - 2)])
    return np.where(rng.random((n, p)) < 0.3, y[:, None], rng.integers(0, 5, (n, p))), y


def degenerate_table(seed):
    """Copies, renamed copies, constants, the class itself, identifiers, and two rows."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([2, 3, 12]))
    y = np.concatenate([[0, 1], rng.integers(0, 2, n - 2)])
    x = rng.integers(0, 3, n)
    return np.column_stack([x, x, 2 - x, np.full(n, 7), y, 1 - y, np.arange(n), rng.integers(0, 2, n)]), y


TABLES = {"random": random_table, "degenerate": degenerate_table}


def in_order(p, seed):
    """The first columns of a random order, none to all but one of them."""
    order = np.random.default_rng(seed).permutation(p).tolist()
    return [order[:k] for k in range(p)]


def test_four_rows_worked_by_hand():
    # y = 0 0 1 1, a = y, b = 0 0 0 1, c = 0 1 0 1.
    # I(a; y) = log 2; I(c; y) = I(c; a) = 0.
    # I(b; y) = I(b; a) = 1/2 log(4/3) + 1/4 log(2/3) + 1/4 log 2 = 0.21576, and so is I(c; b).
    X, y = np.array([[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 1, 1]]), [0, 0, 1, 1]
    everything = np.arange(3)
    difference, quotient = bind(criterion("difference"), X, y), bind(criterion("quotient"), X, y)
    for objective in (difference, quotient):
        assert_allclose(objective.score_features(), [np.log(2), 0.21576, 0.0], atol=5e-6)
        assert_array_equal(objective.score_additions([], everything), objective.score_features())
    # In addition to b, a is log 2 - 0.21576 = 0.47739, or log 2 / (0.21576 + 0.0000693) = 3.21156.
    assert_allclose(difference.score_additions([1], everything)[[0, 2]], [0.47739, -0.21576], atol=5e-6)
    assert_allclose(quotient.score_additions([1], everything)[[0, 2]], [3.21156, 0.0], atol=5e-5)
    # In addition to b and a, the redundancy of c is (0.21576 + 0) / 2.
    assert_allclose(difference.score_additions([1, 0], np.array([2])), [-0.10788], atol=5e-6)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", TABLES)
def test_values_are_those_of_the_formula(form, kind):
    for seed in range(40):
        X, y = TABLES[kind](seed)
        p = X.shape[1]
        objective = bind(criterion(form), X, y)
        for selected in in_order(p, seed):
            expected = additions(X.T.tolist(), y.tolist(), selected, form)
            assert_allclose(objective.score_additions(selected, np.arange(p)), expected, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("form", FORMS)
def test_missing_values_are_a_category_or_left_out_of_a_pair(form):
    for seed in range(20):
        X, y = random_table(seed)
        X = np.where(np.random.default_rng(seed).random(X.shape) < 0.2, np.nan, X)
        for missing, value in (("state", -1), ("pairwise", None)):
            columns = [[value if np.isnan(v) else v for v in column] for column in X.T.tolist()]
            objective = bind(criterion(form, missing=missing), X, y)
            for selected in in_order(X.shape[1], seed)[:4]:
                expected = additions(columns, y.tolist(), selected, form)
                found = objective.score_additions(selected, np.arange(X.shape[1]))
                assert_allclose(found, expected, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("form", FORMS)
def test_values_by_densities_are_those_of_the_formula(form):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 40)
    X = rng.normal(size=(40, 5)) + y[:, None] * rng.uniform(0, 2, 5)
    kernels = [kernel(x) for x in X.T]
    relevance = np.array([of_class(G, y) for G in kernels])
    redundancy = np.array([np.mean([of_columns(G, kernels[s]) for s in (3, 1)]) for G in kernels])
    expected = relevance - redundancy if form == "difference" else relevance / (redundancy + 1e-4 * np.log(2))
    found = bind(RelevanceRedundancy(form, density="parzen"), X, y).score_additions([3, 1], np.arange(5))
    assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", TABLES)
def test_bounds_are_bounds_and_exact_once_everything_is_evaluated(form, kind):
    for seed in range(40):
        X, y = TABLES[kind](seed)
        p, rng = X.shape[1], np.random.default_rng(seed)
        lazy = bind(criterion(form), X, y)
        for selected in in_order(p, seed):
            values = bind(criterion(form), X, y).score_additions(selected, np.arange(p))
            assert (lazy.bound_additions(selected) >= values).all()
            some = np.flatnonzero(rng.random(p) < 0.4)
            assert_array_equal(lazy.score_additions(selected, some), values[some])
            assert (lazy.bound_additions(selected) >= values).all()
            assert_array_equal(lazy.bound_additions(selected)[some], values[some])


@pytest.mark.parametrize("form", FORMS)
def test_few_columns_at_a_time_give_the_bits_of_all_at_once(form):
    for seed in range(20):
        X, y = random_table(seed)
        p = X.shape[1]
        for selected in in_order(p, seed):
            at_once = bind(criterion(form), X, y).score_additions(selected, np.arange(p))
            one_by_one = bind(criterion(form), X, y)
            found = [one_by_one.score_additions(selected, np.array([j]))[0] for j in range(p)]
            assert_array_equal(found, at_once)


@pytest.mark.parametrize("form", FORMS)
def test_copies_tie_to_the_bit_and_the_lowest_is_taken(form):
    for seed in range(20):
        X, y = random_table(seed)
        p = X.shape[1]
        doubled = np.hstack([X, 4 - X])  # renamed categories are copies too
        objective = bind(criterion(form), doubled, y)
        for selected in in_order(p, seed):
            values = objective.score_additions(selected, np.arange(2 * p))
            assert_array_equal(values[:p], values[p:])
        taken = GreedyForward().run(bind(criterion(form), doubled, y), 2 * p).indices
        for column in range(p):
            assert taken.index(column) < taken.index(column + p)


@pytest.mark.parametrize("form", FORMS)
def test_a_constant_column_is_exactly_zero_and_one_without_a_value_is_nan(form):
    X, y = random_table(1)
    X = np.column_stack([X, np.full(len(y), 3.0), np.full(len(y), np.nan)])
    constant, empty = X.shape[1] - 2, X.shape[1] - 1
    objective = bind(criterion(form), X, y)
    for selected in ([], [0], [0, constant]):
        values = objective.score_additions(selected, np.arange(X.shape[1]))
        assert values[constant] == 0.0
        assert np.isnan(values).tolist() == [j == empty for j in range(X.shape[1])]


@pytest.mark.parametrize("form", FORMS)
def test_the_order_of_rows_columns_and_the_names_of_classes_change_no_bit(form):
    X, y = random_table(3)
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(len(y)), rng.permutation(X.shape[1])
    expected = bind(criterion(form), X, y).score_additions([2, 0], np.arange(X.shape[1]))
    assert_array_equal(bind(criterion(form), X[rows], y[rows]).score_additions([2, 0], columns), expected[columns])
    index = np.argsort(columns)
    permuted = bind(criterion(form), X[:, columns], y).score_additions([index[2], index[0]], np.arange(X.shape[1]))
    assert_array_equal(permuted, expected[columns])
    named = np.array(["z", "a", "m"])[y]
    assert_array_equal(bind(criterion(form), X, named).score_additions([2, 0], np.arange(X.shape[1])), expected)


@pytest.mark.parametrize("form", FORMS)
def test_a_row_of_weight_2_is_the_row_twice_to_the_bit(form):
    X, y = random_table(4)
    weights = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    weights[:3] = 1.0
    rows = np.repeat(np.arange(len(y)), weights.astype(int))
    everything = np.arange(X.shape[1])
    weighted = bind(criterion(form), X, y, weights).score_additions([1], everything)
    assert_array_equal(weighted, bind(criterion(form), X[rows], y[rows]).score_additions([1], everything))
    with pytest.raises(InvalidInput, match="sample_weight must be a whole number"):
        bind(criterion(form), X, y, weights + 0.5)


def test_pairs_are_counted_once():
    X, y = random_table(5)
    p = X.shape[1]
    objective = bind(criterion("difference"), X, y)
    for selected, n_evaluated in (([], 0), ([1], p), ([1], p), ([1, 2], 2 * p), ([1, 2, 0], 3 * p)):
        objective.score_additions(selected, np.arange(p))
        assert objective.n_evaluated == n_evaluated


def test_it_says_what_it_is():
    X, y = random_table(6)
    objective = bind(RelevanceRedundancy(), X, y)
    assert objective.n_columns == X.shape[1]
    assert not objective.is_additive
    assert RelevanceRedundancy().offers == {"score_features", "score_additions", "bound_additions"}


@pytest.mark.parametrize("form", ["ratio", None, 1])
def test_another_form_is_refused(form):
    with pytest.raises(InvalidParameter, match="form must be one of 'difference', 'quotient', got"):
        RelevanceRedundancy(form)
