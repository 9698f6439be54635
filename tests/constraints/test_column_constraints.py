"""What subsets constraints allow."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from fewest.constraints import UNCONSTRAINED, Cap, ColumnConstraints


def test_a_ranking_is_read_with_kept_columns_first_and_within_caps():
    # Ranked 4 3 2 1 0; 1 is kept; of 2, 3, 4 one may be taken: 1, then 4, then 0.
    constraints = ColumnConstraints(kept=(1,), caps=(Cap((2, 3, 4), 1),))
    assert constraints.take([4, 3, 2, 1, 0]) == [1, 4, 0]
    assert constraints.take([4, 3, 2, 1, 0], 2) == [1, 4]


def test_a_budget_passes_over_what_is_not_affordable():
    # 5 of 6 are spent on the first, so that 3 is too dear and 1 is not.
    constraints = ColumnConstraints(costs=np.array([5.0, 3.0, 1.0]), budget=6.0)
    assert constraints.take([0, 1, 2]) == [0, 2]
    assert constraints.can_add([0], 3).tolist() == [False, False, True]


def test_sums_of_costs_may_be_rounded():
    constraints = ColumnConstraints(costs=np.array([0.1, 0.2]), budget=0.3)
    assert constraints.allows([0, 1])
    assert constraints.take([0, 1]) == [0, 1]


def test_kept_columns_come_before_all_others():
    constraints = ColumnConstraints(kept=(2, 3))
    assert constraints.can_add([], 4).tolist() == [False, False, True, True]
    assert constraints.can_add([3], 4).tolist() == [False, False, True, False]
    assert constraints.can_add([3, 2], 4).tolist() == [True, True, False, False]


def test_without_constraints_every_column_may_be_added():
    assert UNCONSTRAINED.are_none
    assert UNCONSTRAINED.take([2, 0, 1], 2) == [2, 0]
    assert UNCONSTRAINED.can_add([1], 3).tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("one", "other", "is_nested"), [((0, 1), (2,), True), ((0, 1), (0,), True), ((0, 1), (1, 2), False)]
)
def test_caps_are_nested_where_they_share_no_columns_or_one_holds_the_other(one, other, is_nested):
    assert ColumnConstraints(caps=(Cap(one, 1), Cap(other, 1))).caps_are_nested is is_nested


@pytest.mark.parametrize("seed", range(60))
def test_what_is_taken_and_added_is_allowed(seed):
    rng = np.random.default_rng(seed)
    p = int(rng.integers(1, 8))
    kept = tuple(np.flatnonzero(rng.random(p) < 0.2).tolist())
    members = tuple(np.flatnonzero(rng.random(p) < 0.5).tolist())
    cap = Cap(members, max(int(rng.integers(0, 4)), len(set(members) & set(kept))))
    costs = rng.integers(0, 4, p).astype(float)
    budget = float(costs[list(kept)].sum() + rng.integers(0, 6))
    constraints = ColumnConstraints(kept, (cap,), costs, budget)
    taken = constraints.take(rng.permutation(p).tolist())
    assert constraints.allows(taken)
    # Nothing more can be added, and each prefix that holds the kept columns is allowed.
    assert not constraints.can_add(taken, p).any()
    assert all(constraints.allows(taken[:size]) for size in range(len(kept), len(taken) + 1))
    sizes = [k for k in range(p + 1) for subset in combinations(range(p), k) if constraints.allows(subset)]
    assert constraints.most(p) == max(sizes)
