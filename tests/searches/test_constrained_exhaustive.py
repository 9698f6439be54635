"""The best of all subsets under constraints, and rankings under constraints, against brute force."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from fewest.constraints import Cap, ColumnConstraints
from fewest.errors import InvalidParameter
from fewest.objectives import SubsetObjective
from fewest.protocols import Objective
from fewest.searches import Exhaustive, IndividualRanking

from ..reference.subsets import symmetric
from .constrained_problems import Constraints

PARTS = [
    ("keep",), ("caps",), ("budget",), ("prices",), ("keep", "prices"), ("keep", "nested caps"),
    ("keep", "caps", "budget", "prices"),
]  # fmt: skip


class Sums(SubsetObjective):
    """Scores of columns and pairs; monotone where none is negative."""

    def __init__(self, unary, pairs):
        self.unary, self.pairs, self.n_columns = unary, pairs, len(unary)
        self.is_monotone = bool((unary >= 0).all() and (pairs >= 0).all())

    def score_subset(self, subset):
        columns = list(subset)
        return float(self.unary[columns].sum() + self.pairs[np.ix_(columns, columns)].sum() / 2)


def drawn(rng, is_monotone):
    p = int(rng.integers(1, 8))
    low = 0 if is_monotone else -4
    return [table.astype(float) for table in (rng.integers(low, 8, p), symmetric(rng.integers(low, 5, (p, p))))]


@pytest.mark.parametrize("is_monotone", [False, True])
@pytest.mark.parametrize("parts", PARTS, ids="+".join)
def test_the_best_of_all_allowed_subsets_is_found_with_ties_to_the_lowest(parts, is_monotone):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        tables = drawn(rng, is_monotone)
        p, constraints = len(tables[0]), Constraints(rng, len(tables[0]), parts)
        subsets, allowed = constraints.all_subsets(tables), constraints.of_library
        has_prices = constraints.price > 0
        for k in range(max(len(constraints.kept), 1), p + 1):
            largest = subsets.largest_size(k)
            sizes = range(1, k + 1) if constraints.budget is not None else [largest]
            best = subsets.best(sizes)
            found = Exhaustive().run(Sums(*tables), k, allowed)
            if best is None or largest == 0:
                assert found.indices == ()
                continue
            assert subsets.is_allowed(found.indices)
            assert found.is_optimal
            assert found.value == found.bound == pytest.approx(float(best), abs=1e-9)
            assert float(subsets.value_of(found.indices)) == pytest.approx(float(best), abs=1e-9)
            if not has_prices:
                rows = [tuple(np.flatnonzero(mask).tolist()) for mask in subsets.masks]
                optima = [
                    row for row, value, ok in zip(rows, subsets.values, subsets.allowed, strict=True)
                    if ok and value == best and len(row) in sizes
                ]  # fmt: skip
                assert tuple(sorted(found.indices)) == min(optima, key=lambda row: (len(row), row))
        beta = float(rng.integers(-2, 5))
        found = Exhaustive(beta=beta).run(Sums(*tables), None, allowed)
        assert subsets.is_allowed(found.indices)
        assert found.value == pytest.approx(float(subsets.best(range(p + 1), beta)), abs=1e-9)


def test_only_subsets_that_hold_what_is_kept_are_counted():
    kept = ColumnConstraints(kept=(0, 1))
    assert Exhaustive().n_subsets(10, 4, kept) == 28
    assert Exhaustive(path=True).n_subsets(10, 4, kept) == 1 + 8 + 28
    assert Exhaustive(beta=0.0).n_subsets(10, None, kept) == 256
    assert Exhaustive().n_subsets(10, 2, ColumnConstraints(costs=np.ones(10), budget=5.0)) == 55
    Exhaustive(max_subsets=28).check_subsets(10, 4, kept)
    with pytest.raises(InvalidParameter, match="There are 210"):
        Exhaustive(max_subsets=28).check_subsets(10, 4)


def test_an_example_worked_by_hand():
    """Scores 5, 4, 3, costs 3, 2, 2 and a budget of 4: columns 1 and 2 (7) beat column 0 (5)."""
    objective = Sums(np.array([5.0, 4.0, 3.0]), np.zeros((3, 3)))
    costs = np.array([3.0, 2.0, 2.0])
    assert Exhaustive().run(objective, 3, ColumnConstraints(costs=costs, budget=4.0)).indices == (1, 2)
    assert Exhaustive().run(objective, 3, ColumnConstraints(costs=costs, budget=3.0)).indices == (0,)
    # After prices of 1.5 a unit they are worth 0.5, 1 and 0.
    assert Exhaustive().run(objective, 2, ColumnConstraints(costs=costs, cost_weight=1.5)).indices == (1, 0)
    assert Exhaustive().run(objective, 2, ColumnConstraints(caps=(Cap((0, 1), 1),))).indices == (0, 2)


class Scores(Objective):
    is_additive = True

    def __init__(self, scores):
        self.scores, self.n_columns = scores, len(scores)

    def score_features(self):
        return self.scores


@pytest.mark.parametrize("parts", [*PARTS, ("keep", "nested caps", "prices")], ids="+".join)
def test_rankings_are_the_best_sums_where_caps_are_nested_and_bounds_always_hold(parts):
    for seed in range(60):
        rng = np.random.default_rng(seed)
        p = int(rng.integers(1, 9))
        scores = rng.normal(size=p) if seed % 2 else rng.integers(-3, 6, p).astype(float)
        constraints = Constraints(rng, p, parts)
        subsets, allowed = constraints.all_subsets([scores, np.zeros((p, p))]), constraints.of_library
        is_exact = allowed.caps_are_nested and constraints.budget is None
        for k in range(max(len(constraints.kept), 1), p + 1):
            found = IndividualRanking().run(Scores(scores), k, allowed)
            sizes = range(k + 1) if constraints.budget is not None else [len(found)]
            check(found, subsets, subsets.best(sizes), is_exact)
        beta = float(rng.normal())
        found = IndividualRanking(beta=beta).run(Scores(scores), None, allowed)
        check(found, subsets, subsets.best(range(p + 1), beta), is_exact, beta)


def check(found, subsets, best, is_exact, beta=0.0):
    value = subsets.value_of(found.indices) - Fraction(beta) * len(found)
    assert subsets.is_allowed(found.indices)
    assert float(value) == pytest.approx(found.value, abs=1e-9)
    assert float(best) <= found.bound + 1e-12
    if found.is_optimal or is_exact:
        assert float(best - value) <= 1e-9
    assert found.is_optimal or not is_exact
