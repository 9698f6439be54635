"""Minimum cuts under constraints, against brute force over all subsets that are allowed."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from fewest.constraints import Cap, ColumnConstraints

from .coefficients import HARMFUL, REAL, WHOLE, Coefficients, draw, name_of, run, search_for
from .constrained_problems import Constraints

EXACT = [("keep",), ("prices",), ("keep", "prices")]
RELAXED = [("caps",), ("budget",), ("keep", "nested caps", "prices"), ("keep", "caps", "budget", "prices")]


def solve(tables, constraints, n_features=None, **parameters):
    return search_for(tables, **parameters).run(Coefficients(*tables), n_features, constraints)


class Checked:
    """A problem with constraints, and what brute force says about it."""

    def __init__(self, tables, constraints):
        self.tables, self.constraints = tables, constraints
        self.p = len(tables[0])
        self.subsets = constraints.all_subsets(tables)
        self.is_harmful = any((table < 0).any() for table in tables[1:])

    @property
    def tolerance(self):
        """The rounding error of sums of all coefficients and prices."""
        total = sum(Fraction(float(np.abs(table).sum())) for table in self.tables)
        costs = 0.0 if self.constraints.costs is None else self.constraints.costs.sum()
        return (total + Fraction(float(self.constraints.price * costs))) / 10**9

    def check(self, selection, best, beta=0.0):
        """Return whether the best was found; what is claimed must be true."""
        columns, tolerance = selection.indices, self.tolerance + abs(Fraction(beta)) * self.p / 10**9
        assert self.subsets.is_allowed(columns)
        kept = self.constraints.kept
        assert set(columns[: len(kept)]) == set(kept)
        for size, subset in selection.path.items():
            assert len(set(subset)) == len(subset) == size
            assert self.subsets.is_allowed(subset)
        assert selection.path.get(len(columns), ()) == columns
        assert selection.scores == tuple(selection.column_scores[list(columns)])
        value = self.subsets.value_of(columns) - Fraction(beta) * len(columns)
        assert abs(Fraction(selection.value) - value) <= tolerance / 1000
        assert selection.value <= selection.bound
        assert best <= Fraction(selection.bound)
        if selection.is_optimal:
            assert best - value <= tolerance
        return best - value <= tolerance / 1000

    def of_size(self, k):
        found = solve(self.tables, self.constraints.of_library, k)
        if self.constraints.budget is not None:
            assert len(found) <= k
            return found, self.check(found, self.subsets.best(range(k + 1)))
        largest = self.subsets.largest_size(k)
        assert len(found) <= k
        if self.constraints.of_library.caps_are_nested:
            assert len(found) == largest
        if len(found) < largest:
            assert not found.is_optimal
        return found, self.check(found, self.subsets.best([largest])) and len(found) == largest

    def at_threshold(self, beta):
        found = solve(self.tables, self.constraints.of_library, beta=beta)
        assert found.beta == beta
        return found, self.check(found, self.subsets.best(range(self.p + 1), beta), beta)


def problems(kind, degree, parts, seeds):
    for seed in seeds:
        tables = draw(kind, seed, degree)
        tables = [table[(slice(9),) * table.ndim] for table in tables]
        scale = float(np.abs(tables[0]).max(initial=0.0)) or 1.0
        rng = np.random.default_rng([seed, degree])
        yield rng, Checked(tables, Constraints(rng, len(tables[0]), parts, scale))


@pytest.mark.parametrize(("degree", "n_seeds"), [(2, 4), (3, 2)])
@pytest.mark.parametrize("parts", EXACT, ids="+".join)
@pytest.mark.parametrize("kind", [*WHOLE, *REAL], ids=name_of)
def test_with_kept_columns_and_prices_the_path_is_that_of_all_subsets(kind, parts, degree, n_seeds):
    for rng, checked in problems(kind, degree, parts, range(n_seeds)):
        n_kept = len(checked.constraints.kept)
        ends = {n_kept, *(end for _, end in solve(checked.tables, checked.constraints.of_library).breakpoints)}
        for k in range(max(n_kept, 1), checked.p + 1):
            found, is_best = checked.of_size(k)
            assert len(found) == k
            if k in ends:
                assert is_best
                assert found.is_optimal
        for beta in rng.choice(checked.tables[0], 3).tolist():
            found, is_best = checked.at_threshold(beta)
            assert is_best
            assert found.is_optimal


@pytest.mark.parametrize("parts", EXACT, ids="+".join)
@pytest.mark.parametrize("kind", WHOLE, ids=name_of)
def test_every_step_of_the_path_is_where_brute_force_has_it(kind, parts):
    for _, checked in problems(kind, 2, parts, range(100, 108)):
        whole, n_kept = solve(checked.tables, checked.constraints.of_library), len(checked.constraints.kept)
        size, best = n_kept, {k: checked.subsets.best([k]) for k in range(n_kept, checked.p + 1)}
        steps = []
        while size < checked.p:
            beta, end = max(((best[k] - best[size]) / (k - size), k) for k in range(size + 1, checked.p + 1))
            steps.append((beta, end))
            size = end
        if n_kept:
            steps.insert(0, (np.inf, n_kept))
        assert [end for _, end in whole.breakpoints] == [end for _, end in steps]
        for (at, _), (beta, _) in zip(whole.breakpoints, steps, strict=True):
            assert at == pytest.approx(float(beta), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("degree", "n_seeds"), [(2, 4), (3, 2)])
@pytest.mark.parametrize("parts", RELAXED, ids="+".join)
@pytest.mark.parametrize("kind", [*WHOLE, *REAL, *HARMFUL], ids=name_of)
def test_with_caps_and_budgets_bounds_hold_and_the_answer_is_mostly_the_best(kind, parts, degree, n_seeds):
    found = []
    for rng, checked in problems(kind, degree, parts, range(n_seeds)):
        n_kept = len(checked.constraints.kept)
        found += [checked.of_size(k)[1] for k in range(max(n_kept, 1), checked.p + 1)]
        found += [checked.at_threshold(beta)[1] for beta in rng.choice(checked.tables[0], 2).tolist()]
    assert np.mean(found) >= 0.9


@pytest.mark.parametrize("kind", HARMFUL, ids=name_of)
@pytest.mark.parametrize("degree", [2, 3])
def test_where_pairs_may_harm_what_is_proved_is_true_with_kept_columns_too(kind, degree):
    for rng, checked in problems(kind, degree, ("keep", "prices"), range(8)):
        for k in range(max(len(checked.constraints.kept), 1), checked.p + 1):
            checked.of_size(k)
        for beta in rng.choice(checked.tables[0], 2).tolist():
            found, _ = checked.at_threshold(beta)
            for column in found.proved_out:
                assert column not in checked.constraints.kept
            best = checked.subsets.best(range(checked.p + 1), beta)
            rows = zip(checked.subsets.values, checked.subsets.masks, checked.subsets.allowed, strict=True)
            optima = [mask for value, mask, ok in rows if ok and value - Fraction(beta) * int(mask.sum()) == best]
            assert all(mask[list(found.proved_in)].all() for mask in optima)
            assert not any(mask[list(found.proved_out)].any() for mask in optima)


def test_an_example_worked_by_hand():
    """Columns worth 3, 2, 1, 0; 2 and 3 together 4 more.

    With column 0 kept, at most one of {2, 3}: of two columns the best is {0, 1}, worth 5. Without the cap {0, 2} is
    worth 4, {0, 2, 3} 8 and {0, 1, 2, 3} 10: the block {2, 3} enters at (8 - 3) / 2 = 2.5, before column 1 at 2.
    """
    pairs = np.zeros((4, 4))
    pairs[2, 3] = pairs[3, 2] = 4.0
    tables = [np.array([3.0, 2.0, 1.0, 0.0]), pairs]
    kept = solve(tables, ColumnConstraints(kept=(0,)), 3)
    assert kept.breakpoints == ((np.inf, 1), (2.5, 3), (2.0, 4))
    assert kept.indices[0] == 0
    assert set(kept.indices) == {0, 2, 3}
    assert (kept.value, kept.is_optimal) == (8.0, True)
    capped = solve(tables, ColumnConstraints(kept=(0,), caps=(Cap((2, 3), 1),)), 2)
    assert (capped.indices, capped.value, capped.is_optimal) == ((0, 1), 5.0, True)
    assert capped.breakpoints == ()


@pytest.mark.parametrize("constraints", [
    ColumnConstraints(kept=(0, 1, 2)),
    ColumnConstraints(caps=(Cap((0, 1, 2), 0),)),
    ColumnConstraints(caps=(Cap((), 0),)),
    ColumnConstraints(costs=np.zeros(3), budget=0.0),
    ColumnConstraints(costs=np.ones(3), budget=0.5),
    ColumnConstraints(kept=(1,), costs=np.array([0.2, 0.1, 0.2]), budget=0.3),
])  # fmt: skip
@pytest.mark.parametrize("degree", [2, 3])
def test_degenerate_constraints(constraints, degree):
    tables = [np.array([1.0, 2.0, -1.0]), *(np.zeros((3,) * d) for d in range(2, degree + 1))]
    for k in (1, 2, 3):
        if k >= len(constraints.kept):
            found = solve(tables, constraints, k)
            assert constraints.allows(found.indices)
            assert found.is_optimal
    assert constraints.allows(solve(tables, constraints, beta=0.5).indices)


def test_columns_without_a_score_come_last_and_stay_within_the_limits():
    tables = [np.array([np.nan, 2.0, np.nan, 1.0, np.nan]), np.zeros((5, 5))]
    kept = solve(tables, ColumnConstraints(kept=(2,)), 2)
    assert kept.indices == (1, 2)
    filled = solve(tables, ColumnConstraints(caps=(Cap((0, 1), 1),)), 4)
    assert filled.indices == (1, 3, 2, 4)
    assert solve(tables, ColumnConstraints(costs=np.ones(5), budget=4.0), 4).indices == (1, 3)


def test_without_constraints_the_answer_is_the_same():
    for seed in range(20):
        tables = draw(REAL[0], seed, 2)
        for k in range(1, len(tables[0]) + 1):
            assert run(tables, k).indices == solve(tables, ColumnConstraints(), k).indices
