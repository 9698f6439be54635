"""Roof duality against brute force over all subsets, in whole numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from fewest import FisherMarkov, Selection
from fewest.searches.roof_duality import RoofDual

from ..reference.subsets import AllSubsets, symmetric
from .coefficients import HARMFUL, draw, name_of, run


class Instance:
    """A problem with harmful pairs, and every optimum of it."""

    def __init__(self, kind, seed):
        self.tables = draw(kind, seed, 2)
        self.p = len(self.tables[0])
        self.is_harmful = bool((self.tables[1] < 0).any())
        self.subsets = AllSubsets(*self.tables)
        self.scale = float(np.abs(self.tables[0]).sum() + np.abs(self.tables[1]).sum())

    def without_harm(self):
        """The same where negative pairs count as zero: its best value bounds that of the problem."""
        return AllSubsets(self.tables[0], np.maximum(self.tables[1], 0.0))

    def thresholds(self, seed):
        scores = run(self.tables).column_scores
        return [0.0, float(np.random.default_rng(seed).choice(scores)), float(scores.mean())]


def instances(kind, n):
    found = [Instance(kind, seed) for seed in range(n)]
    return [(seed, one) for seed, one in enumerate(found) if one.is_harmful]


def test_an_example_by_hand():
    # Columns 0 and 1 help each other by 3, column 2 harms both by 2. Without the harm {0, 1, 2} has 1 + 1 + 1 + 3 = 6.
    tables = [np.ones(3), symmetric(np.array([[0, 3, -2], [0, 0, -2], [0, 0, 0]]))]
    found = RoofDual(*tables).at(0.0)
    # {0, 1} has 5. Column 2 would add 1 - 2 - 2.
    assert found.bound == pytest.approx(5.0, rel=1e-12)
    assert found.is_in.tolist() == [True, True, False]
    assert found.is_out.tolist() == [False, False, True]
    assert found.size == 2


def test_a_triangle_of_columns_that_harm_each_other_is_half_inside():
    # Any one column has 1, two have 1 + 1 - 2; halves have 3 / 2, and nothing is proved of any column.
    found = RoofDual(np.ones(3), symmetric(np.full((3, 3), -2.0))).at(0.0)
    assert found.bound == pytest.approx(1.5, rel=1e-12)
    assert not found.is_in.any()
    assert not found.is_out.any()
    assert found.size == 1.5


@pytest.mark.parametrize("kind", HARMFUL, ids=name_of)
def test_no_bound_is_too_low_and_no_column_is_called_proved_that_an_optimum_contradicts(kind):
    n_proved = n_columns = 0
    for seed, instance in instances(kind, 60):
        for beta in instance.thresholds(seed):
            selection = run(instance.tables, beta=beta)
            best, in_all, in_any = instance.subsets.optima(beta)
            assert Fraction(selection.bound) >= best
            assert in_all[list(selection.proved_in)].all()
            assert not in_any[list(selection.proved_out)].any()
            assert not set(selection.proved_in) & set(selection.proved_out)
            if selection.is_optimal:
                value = instance.subsets.value_of(selection.indices) - Fraction(beta) * len(selection)
                assert best - value <= Fraction(instance.scale) / 10**9
            n_proved += len(selection.proved_in) + len(selection.proved_out)
            n_columns += instance.p
    assert n_proved > 0.3 * n_columns


@pytest.mark.parametrize("kind", HARMFUL, ids=name_of)
def test_the_bound_is_never_looser_than_without_harmful_pairs_and_tighter_in_half_of_the_instances(kind):
    is_tighter = []
    for seed, instance in instances(kind, 60):
        without = instance.without_harm()
        tighter = []
        for beta in instance.thresholds(seed):
            bound, before = run(instance.tables, beta=beta).bound, float(without.optima(beta)[0])
            assert bound <= before + 1e-9 * instance.scale
            # Where the optimum without harm has none, the bound was the optimum already.
            if before > float(instance.subsets.optima(beta)[0]) + 1e-9 * instance.scale:
                tighter.append(bound < before - 1e-9 * instance.scale)
        is_tighter += [all(tighter)] if tighter else []
    assert np.mean(is_tighter) >= 0.5


@pytest.mark.parametrize("kind", HARMFUL, ids=name_of)
def test_bounds_of_a_size_hold_and_an_optimum_is_claimed_only_where_it_is_one(kind):
    for _, instance in instances(kind, 40):
        best = instance.subsets.best_of_each_size()
        for k in range(1, instance.p + 1):
            selection = run(instance.tables, k)
            assert Fraction(selection.bound) >= best[k]
            if selection.is_optimal:
                assert best[k] - instance.subsets.value_of(selection.indices) <= Fraction(instance.scale) / 10**9


@pytest.mark.parametrize("outlier", [1e12, -1e18, -1e24])
def test_a_column_beside_which_the_others_round_to_nothing_proves_nothing_false(outlier):
    for seed in range(40):
        unary, pairs = draw(HARMFUL[1], seed, 2)
        unary[seed % len(unary)] = outlier
        _, in_all, in_any = AllSubsets(unary, pairs).optima(0.0)
        found = RoofDual(unary, pairs).at(0.0)
        assert in_all[found.is_in].all()
        assert not in_any[found.is_out].any()


def test_the_selector_has_what_is_proved_and_json_keeps_it():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    X = rng.normal(size=(200, 12)) + y[:, None] * np.linspace(0, 1, 12)
    selection = FisherMarkov(degree=2, gamma=0.2, beta=0.01).fit(X, y).selection_
    assert set(selection.proved_in) <= set(selection.indices)
    assert not set(selection.proved_out) & set(selection.indices)
    assert len(selection.proved_in) + len(selection.proved_out) > 0
    again = Selection.from_json(selection.to_json())
    assert (again.proved_in, again.proved_out) == (selection.proved_in, selection.proved_out)
    wide = selection.among_all(list(range(1, 13)), 13)
    assert wide.proved_in == tuple(column + 1 for column in selection.proved_in)
