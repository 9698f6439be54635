"""Best subsets under scores of columns, pairs and triples: by hand, what is proved, and what changes nothing."""

from __future__ import annotations

import numpy as np
import pytest

from fewest.errors import InvalidInput, InvalidParameter
from fewest.searches import MaximumClosure, MinimumCut
from fewest.selection import Selection

from ..reference.subsets import AllSubsets, symmetric
from .coefficients import Coefficients, draw, huge, less_the_total, name_of, real, run, tiny, whole

# An example small enough to work by hand: three columns score 3, 1 and -1 alone, the first two 1 more together and
# the last two 4 more.
#
#   {} 0   {0} 3   {1} 1   {2} -1   {0,1} 5   {0,2} 2   {1,2} 4   {0,1,2} 8
#
# The best of each size are 0, 3, 5, 8. From {} the steepest way up is to {0}, 3 for one column; from there to all,
# 5 / 2 for each of two, for {0,1} brings only 2. So column 0 enters at 3, and 1 and 2 together at 2.5.
BY_HAND = [[3, 1, -1], [[0, 1, 0], [1, 0, 4], [0, 4, 0]]]


def test_the_example_worked_by_hand():
    selection = run(BY_HAND)
    assert selection.breakpoints == ((3.0, 1), (2.5, 3))
    assert selection.column_scores.tolist() == [3.0, 2.5, 2.5]
    # Beside column 0, column 1 adds 2 and column 2 takes 1.
    assert selection.indices == (0, 1, 2)
    assert selection.scores == (3.0, 2.5, 2.5)
    assert dict(selection.path) == {1: (0,), 2: (0, 1), 3: (0, 1, 2)}
    assert (selection.value, selection.is_optimal) == (8.0, True)
    for beta, columns, value in [(4, (), 0), (3, (), 0), (2.75, (0,), 0.25), (2.5, (0,), 0.5), (2, (0, 1, 2), 2)]:
        selection = run(BY_HAND, beta=beta)
        assert (selection.indices, selection.value, selection.is_optimal) == (columns, value, True)
        assert selection.beta == beta


def test_products_of_three_worked_by_hand():
    # Nothing alone or in pairs, 6 for all three: they enter together at 2, less what they cost alone.
    selection = run([[-1, 0, 0], np.zeros((3, 3)), symmetric(np.full((3, 3, 3), 6))])
    assert selection.breakpoints == ((5 / 3, 3),)
    assert (selection.value, selection.is_optimal) == (5.0, True)


def test_a_column_without_a_score_comes_last_and_counts_for_nothing():
    pairs = np.full((5, 5), np.nan)
    seen = np.ix_([0, 2, 4], [0, 2, 4])
    pairs[seen] = BY_HAND[1]
    tables = [[3, np.nan, 1, np.nan, -1], pairs]
    selection = run(tables)
    assert selection.indices == (0, 2, 4, 1, 3)
    np.testing.assert_array_equal(selection.scores, [3.0, 2.5, 2.5, np.nan, np.nan])
    np.testing.assert_array_equal(selection.column_scores, [3.0, np.nan, 2.5, np.nan, 2.5])
    assert dict(selection.path) == {1: (0,), 2: (0, 2), 3: (0, 2, 4), 5: (0, 2, 4, 1, 3)}
    assert selection.value == 8.0
    assert run(tables, 4).indices == (0, 2, 4, 1)
    assert run(tables, 2).indices == (0, 2)
    assert run(tables, beta=-100.0).indices == (0, 2, 4)
    triples = np.full((5, 5, 5), np.nan)
    triples[np.ix_([0, 2, 4], [0, 2, 4], [0, 2, 4])] = 0.0
    assert run([*tables, triples]).indices == (0, 2, 4, 1, 3)


@pytest.mark.parametrize("degree", [2, 3])
def test_columns_without_any_score(degree):
    tables = [np.full((3,) * d, np.nan) for d in range(1, degree + 1)]
    assert run(tables, 2).indices == (0, 1)
    assert run(tables).value == 0.0
    assert run(tables, beta=0.0).indices == ()
    assert np.isnan(run(tables).column_scores).all()


@pytest.mark.parametrize("degree", [2, 3])
def test_no_columns_one_column_and_more_features_than_columns(degree):
    none, one = ([np.zeros((p,) * d) for d in range(1, degree + 1)] for p in (0, 1))
    assert run(none).indices == run(none, 3).indices == run(none, beta=0.0).indices == ()
    assert run(none).is_optimal
    one[0][0] = -2.0
    for n_features in (None, 1, 7):
        selection = run(one, n_features)
        assert (selection.indices, selection.value, selection.is_optimal) == ((0,), -2.0, True)
    assert run(one, 0).indices == ()
    assert run(one, beta=-3.0).indices == (0,)


@pytest.mark.parametrize("degree", [2, 3])
def test_ties_go_to_the_lowest_column(degree):
    for score_together in (0.0, 1.0, -1.0):
        tables = [np.ones(6), *(symmetric(np.full((6,) * d, score_together)) for d in range(2, degree + 1))]
        for k in range(1, 7):
            assert run(tables, k).indices == tuple(range(k))


@pytest.mark.parametrize("degree", [2, 3])
def test_copies_enter_together(degree):
    rng = np.random.default_rng(0)
    tables = [symmetric(real(rng, d, (8,) * d)) for d in range(1, degree + 1)]
    copied = np.array([0, 1, 2, 3, 1, 5, 3, 1])
    scores = run([table[np.ix_(*[copied] * table.ndim)] for table in tables]).column_scores
    np.testing.assert_array_equal(scores, scores[copied])


@pytest.mark.parametrize("degree", [2, 3])
def test_a_threshold_above_everything_leaves_nothing_and_that_is_proved(degree):
    for kind in (real, tiny, huge, less_the_total):
        tables = [symmetric(kind(np.random.default_rng(1), d, (6,) * d)) for d in range(1, degree + 1)]
        selection = run(tables, beta=1e308)
        assert (selection.indices, selection.scores, dict(selection.path)) == ((), (), {})
        assert (selection.value, selection.is_optimal) == (0.0, True)


@pytest.mark.parametrize("search", [MinimumCut, MaximumClosure])
@pytest.mark.parametrize("beta", ["null", "x", np.nan, np.inf, -np.inf, True, (1,), 1j])
def test_a_threshold_is_a_number(search, beta):
    with pytest.raises(InvalidParameter, match="beta must be a finite number or None, got"):
        search(beta=beta)


def test_a_score_that_is_not_finite_is_refused_by_the_columns_it_is_of():
    unary, pairs = [np.nan, 1, 2, 3], np.zeros((4, 4))
    pairs[1, 3] = pairs[3, 1] = np.nan
    with pytest.raises(InvalidInput, match="The score of columns 1 and 3 together is nan"):
        run([unary, pairs])
    with pytest.raises(InvalidInput, match="The score of column 2 is inf"):
        run([[1, 2, np.inf], np.zeros((3, 3))])
    pairs = np.zeros((4, 4))
    pairs[1, 2] = pairs[2, 1] = -np.inf
    with pytest.raises(InvalidInput, match="The score of columns 1 and 2 together is -inf"):
        run([np.zeros(4), pairs])
    triples = symmetric(np.full((4, 4, 4), np.inf))
    with pytest.raises(InvalidInput, match="The score of columns 0 and 1 and 2 together is inf"):
        run([np.zeros(4), np.zeros((4, 4)), triples])


def test_tables_of_other_types_and_layouts_give_the_same():
    rng = np.random.default_rng(0)
    tables = [whole(rng, 1, (7,)), symmetric(whole(rng, 2, (7, 7))), symmetric(whole(rng, 3, (7, 7, 7)))]
    for degree, search in ((2, MinimumCut()), (3, MaximumClosure())):
        objective = Coefficients(*tables[:degree])
        expected = search.run(objective, 4)
        for change in (np.asfortranarray, np.float32, np.int64):
            objective.tables = [change(table) for table in tables[:degree]]
            assert search.run(objective, 4) == expected


@pytest.mark.parametrize("degree", [2, 3])
def test_features_come_block_by_block_and_in_a_block_the_one_that_adds_most_first(degree):
    for seed in range(60):
        tables = draw(whole, seed, degree)
        subsets = AllSubsets(*tables)
        selection = run(tables, max(1, len(tables[0]) - seed % 3))
        assert list(selection.scores) == sorted(selection.scores, reverse=True)
        for place, column in enumerate(selection.indices):
            before = selection.indices[:place]
            rivals = [j for j in selection.indices[place:] if selection.column_scores[j] == selection.scores[place]]
            assert column == max(rivals, key=lambda j: (subsets.value_of([*before, j]), -j))


def test_the_path_has_every_step_up_to_fifty_and_sizes_in_between():
    rng = np.random.default_rng(0)
    tables = [rng.permutation(200).astype(float), np.zeros((200, 200))]
    by_score = np.argsort(-tables[0]).tolist()
    path = run(tables, 120).path
    assert list(path) == [*range(1, 51), 58, 70, 84, 101, 120]
    assert all(list(columns) == by_score[:size] for size, columns in path.items())
    path = run(tables, beta=79.5).path
    assert list(path) == [*range(1, 51), 120]
    assert list(path[120]) == by_score[:120]


@pytest.mark.parametrize("tables", [BY_HAND, [np.array([3.0, np.nan, 1.0]), symmetric(np.full((3, 3), -0.1))]])
@pytest.mark.parametrize("parameters", [{}, {"beta": 2.75}, {"beta": 1e9}])
def test_json_gives_back_the_same_selection(tables, parameters):
    selection = run(tables, **parameters)
    again = Selection.from_json(selection.to_json())
    assert again.to_json() == selection.to_json()
    assert (again.breakpoints, again.beta, again.path) == (selection.breakpoints, selection.beta, selection.path)


# Five columns in a ring, 1 for each two neighbours: all enter together at 1, and three of them have two pairs.
RING = symmetric(np.eye(5, k=1) + np.eye(5, k=4))


def test_the_certificate_says_what_is_proved_and_what_comes_next():
    assert run(BY_HAND, beta=2.75).certificate.words == (
        "proved optimal for beta = 2.75: no subset of any size has a larger value (0.25 after costs); "
        "the next 2 features enter at beta = 2.5"
    )
    assert run(BY_HAND, beta=9).certificate.words == (
        "proved optimal for beta = 9: no subset has a value above its cost; the next feature enters at beta = 3"
    )
    assert run(BY_HAND, beta=0).certificate.words == (
        "proved optimal for beta = 0: no subset of any size has a larger value (8 after costs); all features are in"
    )
    assert run(BY_HAND, 1).certificate.words == (
        "proved optimal: no other feature has a larger total (3); the next 2 features enter at beta = 2.5"
    )
    assert run(BY_HAND, 2).certificate.words == (
        "proved optimal: no other 2 features have a larger total (5); "
        "at beta = 2.5 the best subset grows from 1 to 3 at once"
    )
    assert run([np.zeros(5), RING], 3).certificate.words == (
        "within 50 % of the best possible 3 features (reached 2, no more than 3); "
        "at beta = 1 the best subset grows from 0 to 5 at once"
    )
    assert run([np.full(5, -0.6), RING], 3).certificate.words == (
        "not proved: the best possible 3 features may have more than twice this value "
        "(reached 0.2, no more than 1.2); at beta = 0.4 the best subset grows from 0 to 5 at once"
    )


def test_the_best_subset_without_a_proof_is_not_called_proved_however_small_the_gap():
    # Two neighbours of three in the ring are the best, and no bound here says so.
    for alone in (0.0, 1e3, 1e7):
        selection = run([np.full(5, alone), RING], 3)
        assert (selection.value, selection.is_optimal) == (3 * alone + 2, False)
        assert selection.bound == pytest.approx(3 * alone + 3, rel=1e-12)


def test_where_pairs_harm_the_certificate_has_no_path_to_speak_of():
    harmful = symmetric(np.array([[0, 2, -1], [0, 0, -1], [0, 0, 0]]))
    selection = run([np.ones(3), harmful], 2)
    assert (selection.breakpoints, selection.is_optimal) == ((), True)
    assert selection.certificate.words == "proved optimal: no other 2 features have a larger total (4)"
    selection = run([np.ones(3), harmful], beta=0.5)
    assert (selection.indices, selection.value, selection.bound) == ((0, 1), 3.0, pytest.approx(3.0))
    assert selection.certificate.words == (
        "proved optimal for beta = 0.5: no subset of any size has a larger value (3 after costs)"
    )
    assert (selection.proved_in, selection.proved_out) == ((0, 1), (2,))


@pytest.mark.parametrize("degree", [2, 3])
@pytest.mark.parametrize("kind", [whole, real, less_the_total], ids=name_of)
def test_the_order_of_the_columns_does_not_matter(kind, degree):
    for seed in range(20):
        tables = draw(kind, seed, degree)
        order = np.random.default_rng(seed).permutation(len(tables[0]))
        scores = run(tables).column_scores
        shuffled = run([table[np.ix_(*[order] * table.ndim)] for table in tables]).column_scores
        np.testing.assert_allclose(shuffled, scores[order], rtol=1e-12, atol=1e-12 * np.abs(scores).max())


@pytest.mark.parametrize("degree", [2, 3])
@pytest.mark.parametrize("exponent", [-990, -600, -3, 1, 500, 1000])
def test_a_power_of_two_scales_everything_exactly(exponent, degree):
    factor = 2.0**exponent
    for seed in range(20):
        tables = draw([whole, real, less_the_total][seed % 3], seed, degree)
        for parameters in ({}, {"n_features": (len(tables[0]) + 1) // 2}, {"beta": 0.5}):
            selection = run(tables, **parameters)
            if "beta" in parameters:
                parameters = {"beta": 0.5 * factor}
            scaled = run([table * factor for table in tables], **parameters)
            assert scaled.indices == selection.indices
            assert scaled.path == selection.path
            assert scaled.is_optimal == selection.is_optimal
            assert scaled.value == selection.value * factor
            assert scaled.bound == pytest.approx(selection.bound * factor, rel=1e-12, abs=0.0)
            np.testing.assert_array_equal(scaled.column_scores, selection.column_scores * factor)
            assert scaled.breakpoints == tuple((beta * factor, end) for beta, end in selection.breakpoints)


@pytest.mark.parametrize("degree", [2, 3])
@pytest.mark.parametrize("kind", [whole, real, less_the_total], ids=name_of)
def test_what_is_added_to_every_column_is_added_to_every_score(kind, degree):
    for seed in range(20):
        unary, *together = draw(kind, seed, degree)
        for added in (-7.0, 0.1, 1000.0):
            np.testing.assert_allclose(
                run([unary + added, *together]).column_scores, run([unary, *together]).column_scores + added, rtol=1e-9
            )
