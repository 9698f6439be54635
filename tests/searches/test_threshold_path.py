"""The compiled cuts and paths against SciPy's maximum flow, by hand, and to the last digit."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from fewest._core import pair_cut, pair_path, triple_path

from ..reference.subsets import best_by_flow, symmetric
from .threshold_paths import Path, chain, check_between, floats, random_graph, value_of


@pytest.mark.parametrize(("density", "seed"), [(1.0, 0), (1.0, 1), (1.0, 2), (0.3, 0), (0.03, 0)])
def test_a_cut_is_the_smallest_best_subset_of_a_maximum_flow(density, seed):
    rng = np.random.default_rng([int(100 * density), seed])
    n_chosen = []
    for p in [*range(1, 41), *range(42, 130, 4), 150, 175, 200, 225, 250, 275, 300]:
        unary, pairs = random_graph(rng, p, density)
        best, smallest = best_by_flow(unary, pairs)
        columns, scale = pair_cut(*floats(unary, pairs))
        assert columns == np.flatnonzero(smallest).tolist()
        assert value_of(smallest, unary, pairs) == best
        assert np.log2(scale) % 1 == 0
        n_chosen.append(len(columns) / p)
    # Where all or none were best the flow would have little to decide.
    assert np.mean([0.1 < share < 0.9 for share in n_chosen]) > 0.7


@pytest.mark.parametrize("seed", range(6))
def test_the_path_is_that_of_repeated_cuts(seed):
    rng = np.random.default_rng(seed)
    p = [2, 23, 24, 25, 120, 300][seed]
    unary, pairs = random_graph(rng, p, rng.choice([0.05, 1.0]))
    path = Path(unary, pairs)
    assert len(path.betas) > p / 10
    for beta in path.between():
        columns, _ = pair_cut(*floats(unary - float(beta), pairs))
        assert columns == np.flatnonzero(path.above(beta)).tolist()


def test_a_real_path_is_that_of_repeated_cuts():
    rng = np.random.default_rng(0)
    loadings = np.exp(rng.normal(size=(300, 3)))
    pairs = symmetric(loadings @ loadings.T * rng.random((300, 300)))
    unary = -0.4 * pairs.sum(axis=1) * rng.random(300)
    path = Path(unary, pairs)
    assert len(path.betas) > 20
    for before, after in pairwise(path.betas):
        if before - after < 1e-9:
            continue
        columns, _ = pair_cut(*floats(unary - float((before + after) / 2), pairs))
        assert columns == np.flatnonzero(path.above((before + after) / 2)).tolist()


@pytest.mark.parametrize("density", [0.4, 0.02])
def test_products_of_three_are_a_closure_of_largest_weight(density):
    rng = np.random.default_rng(int(100 * density))
    n_steps = 0
    for p in (3, 10, 24, 25, 30, 40, 60):
        # Half of the columns meet each other more often than the rest.
        often = np.where(np.arange(p) < p // 2, 1.5, 0.7)
        pairs = symmetric(rng.integers(0, 9, (p, p)) * (rng.random((p, p)) < density * np.outer(often, often)))
        shares = density * often[:, None, None] * often[:, None] * often
        triples = symmetric(rng.integers(0, 5, (p, p, p)) * (rng.random((p, p, p)) < shares))
        unary = -np.round((pairs.sum(axis=1) / 2 + triples.sum(axis=(1, 2)) / 6) * rng.uniform(-0.5, 3, p))
        unary = unary.astype(np.int64)
        path = Path(unary, pairs, triples)
        assert sum(path.totals) == value_of(np.ones(p), unary, pairs, triples)
        n_steps += check_between(path, unary, pairs, triples)
    assert n_steps > 40


def test_a_long_chain_of_threes_takes_nothing_from_those_that_come_after_it():
    # The columns of a chain of 35 are as good as their mean, 8,918.6, but those at its end start with far less and get
    # there only after many sweeps; until then they have less than those outside the chain, and share pairs with them.
    unary, pairs, triples = np.zeros(60, dtype=np.int64), np.zeros((60, 60)), np.zeros((60, 60, 60))
    unary[:35], unary[35:] = -30 * np.arange(35), 8500
    for i in range(33):
        triples[i, i + 1, i + 2] = 10000
    pairs[30:35, 35:] = 3
    pairs, triples = (symmetric(table).astype(np.int64) for table in (pairs, triples))
    path = Path(unary, pairs, triples)
    assert path.order == list(range(60))
    assert path.betas == [Fraction(33 * 10000 - 30 * 595, 35), 8515]
    assert check_between(path, unary, pairs, triples) >= 3


@pytest.mark.parametrize("degree", [2, 3])
def test_the_last_whole_number_counts(degree):
    # A column with so large a score that the others are rounded to whole numbers as they are: shares of 0 and 1 decide.
    rng = np.random.default_rng(0)
    for p in (4, 26, 40, 55):
        for _ in range(15):
            tables = [symmetric(rng.integers(0, 3, (p,) * d) * (rng.random((p,) * d) < 2 / p ** (d - 1)))
                      for d in range(2, degree + 1)]  # fmt: skip
            tables = [rng.integers(-3, 4, p), *tables]
            large = 2 ** (58 - int(p + 2).bit_length())
            with_large = [np.pad(table, (0, 1)) for table in tables]
            with_large[0][-1] = large
            solve = pair_path if degree == 2 else triple_path
            assert solve(*floats(*with_large))[3] in (1.0, 2.0)
            path, expected = Path(*with_large), Path(*tables)
            assert path.betas == [large, *expected.betas]
            assert (path.scores[:-1] == expected.scores).all()


def test_without_products_of_three_it_is_the_path_of_pairs():
    rng = np.random.default_rng(0)
    for p in (1, 2, 3, 20, 45):
        unary, pairs = random_graph(rng, p, 0.5)
        by_pairs, by_triples = Path(unary, pairs), Path(unary, pairs, np.zeros((p, p, p)))
        assert (by_pairs.order, by_pairs.sizes, by_pairs.betas) == (
            by_triples.order,
            by_triples.sizes,
            by_triples.betas,
        )


def test_up_to_three_columns_by_hand():
    assert pair_path(*floats([5], [[0]]))[:2] == ([0], [1])
    assert pair_cut(*floats([0], [[0]]))[0] == []
    assert pair_cut(*floats([0.5], [[0]]))[0] == [0]
    # Together at (1 + 0 + 3) / 2 = 2, more than either alone.
    assert Path([1, 0], symmetric(np.array([[0, 3], [3, 0]]))).betas == [2]
    # 4 alone; then columns 0 and 2 bring 1 - 2 + 2 + 1 = 2 together, 1 each, while column 0 alone would bring 0.
    path = Path([-1, 4, -1], np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]]))
    assert (path.order, path.sizes, path.betas) == ([1, 0, 2], [1, 2], [4, 1])
    assert pair_path(np.zeros(0), np.zeros((0, 0)))[:3] == ([], [], [])
    assert pair_cut(np.zeros(0), np.zeros((0, 0)))[0] == []
    assert triple_path(np.zeros(0), np.zeros((0, 0)), np.zeros((0, 0, 0)))[:3] == ([], [], [])


@pytest.mark.parametrize("exponent", [-960, -30, 1, 500, 1000])
def test_a_power_of_two_changes_nothing_but_the_scale(exponent):
    rng = np.random.default_rng(0)
    unary, pairs = floats(*random_graph(rng, 50, 1.0))
    triples = symmetric(rng.random((50, 50, 50)) < 0.1) * 7.0
    factor = 2.0**exponent
    for solve, tables in ((pair_path, (unary, pairs)), (triple_path, (unary, pairs, triples))):
        *path, scale = solve(*tables)
        *same, other_scale = solve(*(table * factor for table in tables))
        assert same == path
        assert other_scale * factor == scale
    assert pair_cut(unary * factor, pairs * factor)[0] == pair_cut(unary, pairs)[0]


def test_the_smallest_numbers_keep_their_path_with_fewer_digits():
    unary, pairs = floats(*random_graph(np.random.default_rng(0), 50, 1.0))
    path, tiny = Path(unary, pairs), Path(unary * 2.0**-1010, pairs * 2.0**-1010)
    np.testing.assert_allclose((tiny.scores * 2**1010).astype(float), path.scores.astype(float), rtol=1e-3, atol=0.1)


def test_the_largest_numbers_are_refused_only_where_their_sum_is_not_finite():
    pairs = symmetric(np.full((4, 4), 2.0**1022))
    assert Path(np.zeros(4), pairs).betas == [Fraction(3, 2) * 2**1022]
    with pytest.raises(ValueError, match="finite"):
        pair_path(np.zeros(5), symmetric(np.full((5, 5), 2.0**1022)))


def test_odd_whole_numbers_of_53_bits_are_kept_to_the_last():
    # The large one makes the scale 1.
    for odd in (2.0**52 + 1, 2.0**53 - 1, -(2.0**52) - 1):
        assert pair_path(*floats([2.0**57, odd], np.zeros((2, 2))))[2:] == ([2**57, int(odd)], 1.0)
    odd = 2.0**52 + 1
    assert pair_path(*floats([-(2.0**56), 0, 0], chain(3, [0, odd])))[2:] == ([2**52 + 1, -(2**56)], 1.0)
    table = symmetric(np.full((3, 3, 3), odd))
    assert triple_path(*floats([-(2.0**56), 0, 0], np.zeros((3, 3)), table))[2:] == ([0, 2**52 + 1 - 2**56], 1.0)


def test_halves_are_rounded_and_what_is_far_below_the_largest_rounds_to_zero():
    # 2^58 * 4 < 2^59 needs a scale of 1/2.
    *_, totals, scale = pair_path(*floats([2.0**57, 1.0, 0.2], np.zeros((3, 3))))
    assert (totals, scale) == ([2**56, 1, 0], 0.5)
    path = Path([1.0, 1e-30, -1e-30], symmetric(np.full((3, 3), 1e-30)))
    assert path.betas == [1, 0]
    assert path.sizes == [1, 2]


def test_pairs_below_zero_count_as_zero():
    rng = np.random.default_rng(0)
    unary, pairs = rng.normal(size=40), symmetric(rng.normal(size=(40, 40)))
    assert pair_path(unary, pairs) == pair_path(unary, np.maximum(pairs, 0.0))
    assert pair_cut(unary, pairs) == pair_cut(unary, np.maximum(pairs, 0.0))
    triples = symmetric(rng.normal(size=(40, 40, 40)))
    positive = [np.maximum(table, 0.0) for table in (pairs, triples)]
    assert triple_path(unary, pairs, triples) == triple_path(unary, *positive)


def test_the_same_call_gives_the_same_bits_and_leaves_what_it_was_given():
    rng = np.random.default_rng(0)
    unary, pairs = floats(*random_graph(rng, 200, 1.0))
    triples = symmetric(rng.random((30, 30, 30)))
    given = [unary.copy(), pairs.copy(), triples.copy()]
    for table in (unary, pairs, triples):
        table.flags.writeable = False
    assert len({str(pair_path(unary, pairs)) for _ in range(3)}) == 1
    assert len({str(pair_cut(unary, pairs)) for _ in range(3)}) == 1
    few = np.ascontiguousarray(unary[:30]), np.ascontiguousarray(pairs[:30, :30])
    assert len({str(triple_path(*few, triples)) for _ in range(3)}) == 1
    for table, before in zip((unary, pairs, triples), given, strict=True):
        np.testing.assert_array_equal(table, before)


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_refused(wrong):
    for degree in (1, 2, 3):
        tables = [np.zeros((4,) * d) for d in (1, 2, 3)]
        tables[degree - 1][...] = symmetric(np.full((4,) * degree, wrong)) if degree > 1 else wrong
        tables = [np.nan_to_num(table, nan=0.0) if degree != d else table for d, table in enumerate(tables, 1)]
        with pytest.raises(ValueError, match="finite"):
            triple_path(*tables)
        if degree < 3:
            for solve in (pair_path, pair_cut):
                with pytest.raises(ValueError, match="finite"):
                    solve(*tables[:2])


@pytest.mark.parametrize("solve", [pair_path, pair_cut])
def test_tables_of_another_shape_or_type_are_refused(solve):
    for shape in ((2, 3), (3, 2), (2, 2), (4, 4)):
        with pytest.raises(ValueError, match="shape"):
            solve(np.zeros(3), np.zeros(shape))
    for unary, pairs in [
        (np.zeros(3, dtype=np.float32), np.zeros((3, 3))),
        (np.zeros(3), np.zeros((3, 3), dtype=np.int64)),
        (np.zeros(3), np.zeros((6, 6))[::2, ::2]),
        (np.zeros((3, 1)), np.zeros((3, 3))),
        (np.zeros(3), np.zeros(9)),
        ([0.0], [[0.0]]),
    ]:
        with pytest.raises(TypeError):
            solve(unary, pairs)


def test_a_table_of_threes_must_fit_the_others():
    for shape in ((3, 3, 2), (2, 3, 3), (4, 4, 4)):
        with pytest.raises(ValueError, match="shape"):
            triple_path(np.zeros(3), np.zeros((3, 3)), np.zeros(shape))
    with pytest.raises(TypeError):
        triple_path(np.zeros(3), np.zeros((3, 3)), np.zeros((3, 9)))
