"""Best subsets of columns that are worth something together, against brute force over all subsets."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, permutations

import numpy as np
import pytest

from fewest.errors import InvalidInput, InvalidParameter
from fewest.searches import MaximumClosure, MinimumCut
from fewest.selection import Selection

from ..reference.subsets import AllSubsets


class Coefficients:
    """An objective that is nothing but its coefficients."""

    is_additive = False

    def __init__(self, *tables):
        self.tables = [np.array(table, dtype=float) for table in tables]

    def score_features(self):
        return self.tables[0]

    def score_pairs(self):
        return self.tables[1]

    def score_triples(self):
        return self.tables[2]


def search_for(tables, **parameters):
    return (MinimumCut if len(tables) == 2 else MaximumClosure)(**parameters)


def run(tables, n_features=None, **parameters):
    return search_for(tables, **parameters).run(Coefficients(*tables), n_features)


def symmetric(table):
    """The same worth in every order of the columns, taken where they ascend; none where two agree."""
    indices = np.indices(table.shape)
    ascend = np.all(indices[:-1] < indices[1:], axis=0)
    return sum(np.where(ascend, table, 0.0).transpose(order) for order in permutations(range(table.ndim)))


# Random coefficients: what p columns are worth alone (degree 1), in pairs (2) and in threes (3).


def real(rng, degree, shape):
    return rng.normal(size=shape) * shape[0] if degree == 1 else rng.random(shape)


def whole(rng, degree, shape):
    return rng.integers(-3 * shape[0], 10, shape) if degree == 1 else rng.integers(0, 6, shape)


def tied(rng, degree, shape):
    return rng.integers(-1, 2, shape) if degree == 1 else rng.integers(0, 2, shape)


def mostly_zero(rng, degree, shape):
    return rng.integers(-2, 3, shape) * (rng.random(shape) < 0.1) * (degree == 1)


def sparse(rng, degree, shape):
    return real(rng, degree, shape) * (degree == 1 or rng.random(shape) < 0.25)


def costly_alone(rng, degree, shape):
    return -shape[0] * rng.random(shape) if degree == 1 else 4 * rng.random(shape) ** 3


def tiny(rng, degree, shape):
    return 1e-305 * real(rng, degree, shape)


def huge(rng, degree, shape):
    return 1e305 * real(rng, degree, shape)


def wide(rng, degree, shape):
    return 10.0 ** rng.uniform(-9, 9, shape) * (rng.choice([-1, 1], shape) if degree == 1 else 1)


def mixed(rng, degree, shape):
    return rng.integers(-5, 6, shape) if degree == 1 else rng.integers(-3, 6, shape)


def less_the_total(rng, degree, shape):
    """between - gamma * total, as it comes with gamma > 0."""
    between, within = rng.random((2, *shape)) ** 2
    return between - 0.3 * (between + within)


def mostly_harmful(rng, degree, shape):
    return 2 * rng.random(shape) if degree == 1 else rng.normal(-0.5, 1.0, shape)


def tiny_and_harmful(rng, degree, shape):
    return 1e-305 * less_the_total(rng, degree, shape)


WHOLE = [whole, tied, mostly_zero]
REAL = [real, sparse, costly_alone, tiny, huge, wide]
HARMFUL = [mixed, less_the_total, mostly_harmful, tiny_and_harmful]


def draw(kind, seed, degree):
    """Coefficients of up to 12 columns (9 with threes), now and then with copies among the columns."""
    rng = np.random.default_rng(seed)
    p = int(rng.choice([1, 2, 3, 4, 5, 6, 7, 8, 9] if degree == 3 else [1, 2, 3, 4, 5, 6, 6, 7, 7, 8, 9, 10, 12]))
    tables = [symmetric(kind(rng, d, (p,) * d)) for d in range(1, degree + 1)]
    if rng.random() < 0.25:
        copied = rng.integers(0, p, p)
        tables = [table[np.ix_(*[copied] * table.ndim)] for table in tables]
    return tables


class Checked:
    """A problem with what brute force says about it, exactly."""

    def __init__(self, tables):
        self.tables = tables
        self.p = len(tables[0])
        self.subsets = AllSubsets(*tables)
        self.best = self.subsets.best_of_each_size()
        self.is_harmful = any((table < 0).any() for table in tables[1:])
        self.whole = run(tables)

    def tolerance(self, columns, beta=0.0):
        """What may be lost in adding up the worth of these columns."""
        columns = list(columns)
        tables = [np.abs(table[np.ix_(*[columns] * table.ndim)]) for table in self.tables]
        return (sum(Fraction(table.sum()) for table in tables) + abs(Fraction(beta)) * len(columns)) / 10**9

    def check(self, selection, best, largest, beta=0.0):
        """What must hold of any selection where `best` can be reached, by the columns `largest` if no others."""
        columns = selection.indices
        assert all(len(set(subset)) == len(subset) == size for size, subset in selection.path.items())
        assert selection.path.get(len(columns), ()) == columns
        assert selection.scores == tuple(selection.column_scores[list(columns)])
        worth = self.subsets.worth_of(columns) - Fraction(beta) * len(columns)
        assert abs(Fraction(selection.value) - worth) <= self.tolerance(columns, beta) / 1000
        assert selection.value <= selection.bound
        assert best <= Fraction(selection.bound)
        is_best = best - worth <= self.tolerance({*columns, *largest}, beta) / 1000
        if selection.is_optimal:
            assert best - worth <= self.tolerance({*columns, *largest}, beta)
        return is_best

    def check_sizes(self):
        """For each size inside a block whether the best subset was found; elsewhere it must be."""
        ends = {end for _, end in self.whole.breakpoints}
        found = []
        for k in range(1, self.p + 1):
            selection = run(self.tables, k)
            assert len(selection) == k
            is_best = self.check(selection, self.best[k], selection.indices)
            if k in ends:
                assert is_best
                assert selection.is_optimal
            else:
                found.append(is_best)
        return found

    def check_thresholds(self, betas):
        """For each threshold whether the best subset was found; it must be where nothing harms."""
        found = []
        for beta in betas:
            selection = run(self.tables, beta=beta)
            best, _, largest = self.subsets.optima(beta)
            found.append(self.check(selection, best, np.flatnonzero(largest).tolist(), beta))
            assert selection.beta == beta
            if not self.is_harmful:
                assert found[-1]
                assert selection.is_optimal
        return found

    def check_path(self, is_exact):
        """Scores and steps; those of whole numbers to the last bit, also where subsets are equally good."""
        selection, scores = self.whole, self.whole.column_scores
        if is_exact:
            steps = self.subsets.steps()
            assert selection.breakpoints == tuple((float(beta), end) for beta, end in steps)
            betas = [beta for beta, _ in steps]
        else:
            # Steps that rounding may have moved are passed by at a distance.
            betas = [Fraction(beta) for beta, _ in selection.breakpoints]
        far = self.tolerance(range(self.p)) or 1
        between = [(before + after) / 2 for before, after in pairwise(betas) if before - after > 2 * far]
        for beta in [betas[0] + far, *between, betas[-1] - far]:
            _, smallest, equal = self.subsets.optima(beta)
            above = np.array([Fraction(score) > beta for score in scores.tolist()])
            assert (smallest == above).all()
            assert (equal == above).all()
        if is_exact:
            for beta in betas:
                _, smallest, equal = self.subsets.optima(beta)
                assert (smallest == (scores > float(beta))).all()
                assert (equal == (scores >= float(beta))).all()
        for beta, end in selection.breakpoints:
            assert set(selection.path[end]) == set(np.flatnonzero(scores >= beta).tolist())


def some_thresholds(selection, rng):
    """At a step, between two, above all and below all."""
    betas = np.sort(selection.column_scores)
    at, other = rng.choice(betas, 2)
    above, below = betas[-1] + abs(betas[-1]) / 2, betas[0] - abs(betas[0])
    return [float(at), float(at / 2 + other / 2), float(above), float(below)]


def check_many(kind, degree, seeds):
    """The shares of sizes inside blocks, and of thresholds, at which the best subset was found."""
    inside, at_thresholds = [], []
    for seed in seeds:
        checked = Checked(draw(kind, seed, degree))
        if not checked.is_harmful:
            checked.check_path(is_exact=kind in WHOLE)
        inside += checked.check_sizes()
        at_thresholds += checked.check_thresholds(some_thresholds(checked.whole, np.random.default_rng(seed)))
    return np.mean(inside or [True]), np.mean(at_thresholds)


def name_of(kind):
    return kind.__name__


@pytest.mark.parametrize("kind", [*WHOLE, *REAL], ids=name_of)
def test_the_path_of_pairs_is_that_of_all_subsets(kind):
    inside, _ = check_many(kind, 2, range(150))
    # Of the sizes that no threshold picks out, all but one or two in a hundred are solved without a proof.
    assert inside >= 0.98


@pytest.mark.parametrize("kind", HARMFUL, ids=name_of)
def test_where_pairs_may_harm_the_bound_holds_and_the_answer_is_mostly_the_best(kind):
    inside, at_thresholds = check_many(kind, 2, range(170))
    assert inside >= 0.98
    assert at_thresholds >= 0.98


@pytest.mark.parametrize("kind", [*WHOLE, *REAL], ids=name_of)
def test_the_path_of_threes_is_that_of_all_subsets(kind):
    inside, _ = check_many(kind, 3, range(40))
    assert inside >= 0.97


@pytest.mark.parametrize("kind", HARMFUL, ids=name_of)
def test_where_threes_may_harm_the_bound_holds_and_the_answer_is_mostly_the_best(kind):
    inside, at_thresholds = check_many(kind, 3, range(40))
    assert inside >= 0.95
    assert at_thresholds >= 0.97


@pytest.mark.parametrize("kind", [real, less_the_total], ids=name_of)
@pytest.mark.parametrize("outlier", [-1e12, -1e18, -1e24])
def test_a_column_beside_which_the_others_round_to_nothing_makes_no_false_proof(kind, outlier):
    for seed in range(40):
        tables = draw(kind, seed, 2)
        tables[0][seed % len(tables[0])] = outlier
        checked = Checked(tables)
        others = np.flatnonzero(tables[0] != outlier).tolist()
        for k in range(1, checked.p + 1):
            checked.check(run(tables, k), checked.best[k], others)
        for beta in (0.0, 1.0):
            best, _, largest = checked.subsets.optima(beta)
            checked.check(run(tables, beta=beta), best, np.flatnonzero(largest).tolist(), beta)


# An example small enough to work by hand: three columns are worth 3, 1 and -1 alone, the first two 1 more together and
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
    for worth_together in (0.0, 1.0, -1.0):
        tables = [np.ones(6), *(symmetric(np.full((6,) * d, worth_together)) for d in range(2, degree + 1))]
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


def test_a_worth_that_is_not_finite_is_refused_by_the_columns_it_is_of():
    unary, pairs = [np.nan, 1, 2, 3], np.zeros((4, 4))
    pairs[1, 3] = pairs[3, 1] = np.nan
    with pytest.raises(InvalidInput, match="Columns 1 and 3 are together worth nan"):
        run([unary, pairs])
    with pytest.raises(InvalidInput, match="Column 2 is worth inf"):
        run([[1, 2, np.inf], np.zeros((3, 3))])
    pairs = np.zeros((4, 4))
    pairs[1, 2] = pairs[2, 1] = -np.inf
    with pytest.raises(InvalidInput, match="Columns 1 and 2 are together worth -inf"):
        run([np.zeros(4), pairs])
    triples = symmetric(np.full((4, 4, 4), np.inf))
    with pytest.raises(InvalidInput, match="Columns 0 and 1 and 2 are together worth inf"):
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
            assert column == max(rivals, key=lambda j: (subsets.worth_of([*before, j]), -j))


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
    assert run(BY_HAND, beta=2.75).certificate() == (
        "proved optimal for beta = 2.75: no subset of any size is worth more (0.25 after costs); "
        "the next 2 features enter at beta = 2.5"
    )
    assert run(BY_HAND, beta=9).certificate() == (
        "proved optimal for beta = 9: no subset is worth what it costs; the next feature enters at beta = 3"
    )
    assert run(BY_HAND, beta=0).certificate() == (
        "proved optimal for beta = 0: no subset of any size is worth more (8 after costs); all features are in"
    )
    assert run(BY_HAND, 1).certificate() == (
        "proved optimal: no other feature has a larger total (3); the next 2 features enter at beta = 2.5"
    )
    assert run(BY_HAND, 2).certificate() == (
        "proved optimal: no other 2 features have a larger total (5); "
        "at beta = 2.5 the best subset grows from 1 to 3 at once"
    )
    assert run([np.zeros(5), RING], 3).certificate() == (
        "within 50 % of the best possible 3 features (reached 2, no more than 3); "
        "at beta = 1 the best subset grows from 0 to 5 at once"
    )
    assert run([np.full(5, -0.6), RING], 3).certificate() == (
        "not proved: the best possible 3 features may be worth more than twice as much "
        "(reached 0.2, no more than 1.2); at beta = 0.4 the best subset grows from 0 to 5 at once"
    )


def test_the_best_subset_without_a_proof_is_not_called_proved_however_small_the_gap():
    # Two neighbours of three in the ring are the best, and no bound here says so.
    for alone in (0.0, 1e3, 1e7):
        selection = run([np.full(5, alone), RING], 3)
        assert (selection.value, selection.is_optimal) == (3 * alone + 2, False)
        assert selection.bound == pytest.approx(3 * alone + 3, rel=1e-12)


@pytest.mark.parametrize("degree", [2, 3])
def test_where_all_harm_each_other_alike_the_bound_is_the_best_and_rounding_takes_nothing_from_it(degree):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        tables = [rng.random(8), *(symmetric(np.full((8,) * d, -0.1 / d)) for d in range(2, degree + 1))]
        checked = Checked(tables)
        assert all(checked.check_sizes())
        assert all(run(tables, k).is_optimal for k in range(1, 9))


def test_where_pairs_harm_the_certificate_has_no_path_to_speak_of():
    harmful = symmetric(np.array([[0, 2, -1], [0, 0, -1], [0, 0, 0]]))
    selection = run([np.ones(3), harmful], 2)
    assert (selection.breakpoints, selection.is_optimal) == ((), True)
    assert selection.certificate() == "proved optimal: no other 2 features have a larger total (4)"
    selection = run([np.ones(3), harmful], beta=0.5)
    assert (selection.indices, selection.value, selection.bound) == ((0, 1), 3.0, pytest.approx(3.5))
    assert selection.certificate() == (
        "within 17 % of the best possible subset for beta = 0.5 (reached 3, no more than 3.5)"
    )


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
