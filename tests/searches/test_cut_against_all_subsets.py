"""Best subsets under scores of columns, pairs and triples, against brute force over all subsets."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from ..reference.subsets import AllSubsets, symmetric
from .coefficients import HARMFUL, REAL, WHOLE, draw, less_the_total, name_of, real, run


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
        """The rounding error of the value of these columns."""
        columns = list(columns)
        tables = [np.abs(table[np.ix_(*[columns] * table.ndim)]) for table in self.tables]
        return (sum(Fraction(table.sum()) for table in tables) + abs(Fraction(beta)) * len(columns)) / 10**9

    def check(self, selection, best, largest, beta=0.0):
        """What must hold of any selection where `best` can be reached, by the columns `largest` if no others."""
        columns = selection.indices
        assert all(len(set(subset)) == len(subset) == size for size, subset in selection.path.items())
        assert selection.path.get(len(columns), ()) == columns
        assert selection.scores == tuple(selection.column_scores[list(columns)])
        value = self.subsets.value_of(columns) - Fraction(beta) * len(columns)
        assert abs(Fraction(selection.value) - value) <= self.tolerance(columns, beta) / 1000
        assert selection.value <= selection.bound
        assert best <= Fraction(selection.bound)
        is_best = best - value <= self.tolerance({*columns, *largest}, beta) / 1000
        if selection.is_optimal:
            assert best - value <= self.tolerance({*columns, *largest}, beta)
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


# Of the sizes that no threshold picks out, all but one or two in a hundred are solved without a proof.
@pytest.mark.parametrize(("degree", "n_seeds", "share"), [(2, 150, 0.98), (3, 40, 0.97)])
@pytest.mark.parametrize("kind", [*WHOLE, *REAL], ids=name_of)
def test_the_path_is_that_of_all_subsets(kind, degree, n_seeds, share):
    inside, _ = check_many(kind, degree, range(n_seeds))
    assert inside >= share


@pytest.mark.parametrize(("degree", "n_seeds", "share", "at_least"), [(2, 170, 0.98, 0.98), (3, 40, 0.95, 0.97)])
@pytest.mark.parametrize("kind", HARMFUL, ids=name_of)
def test_where_pairs_may_harm_the_bound_holds_and_the_answer_is_mostly_the_best(kind, degree, n_seeds, share, at_least):
    inside, at_thresholds = check_many(kind, degree, range(n_seeds))
    assert inside >= share
    assert at_thresholds >= at_least


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


@pytest.mark.parametrize("degree", [2, 3])
def test_where_all_harm_each_other_alike_the_bound_is_the_best_and_rounding_takes_nothing_from_it(degree):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        tables = [rng.random(8), *(symmetric(np.full((8,) * d, -0.1 / d)) for d in range(2, degree + 1))]
        checked = Checked(tables)
        assert all(checked.check_sizes())
        assert all(run(tables, k).is_optimal for k in range(1, 9))
