"""Subsets near the best kernel weights."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fewest import RelaxAndRound
from fewest.constraints import Cap, ColumnConstraints
from fewest.errors import InvalidParameter
from fewest.methods.margins.mkl import relax_and_round

from .test_svm_margin import objective, table


def test_the_best_subset_of_few_columns_is_found_and_no_proof_is_wrong():
    rng = np.random.default_rng(0)
    n_found = 0
    for seed in range(24):
        n, d, n_classes = int(rng.integers(12, 40)), int(rng.integers(3, 8)), 2 + (seed % 4 == 0)
        size, C, tau = int(rng.integers(1, d)), 10 ** rng.uniform(-2, 1), 10 ** rng.uniform(-1, 1)
        X, y = table(n, d, n_classes, seed)
        of = objective(X @ rng.normal(size=(d, d)), y, C, tau)
        selection = RelaxAndRound().run(of, size)
        best = min(of.subset_svms.fit(subset).value for subset in combinations(range(d), size))
        assert selection.bound <= best * (1 + 1e-12)
        assert selection.value >= best * (1 - 1e-12)
        assert not selection.is_optimal or selection.value <= best * (1 + 1e-8)
        n_found += selection.value <= best * (1 + 1e-9)
    assert n_found >= 23


def random_constraints(rng, d, kind):
    """Kept columns, a cap and a budget of a table of d columns, and whether they allow a subset."""
    kept = tuple(sorted(rng.choice(d, int(rng.integers(0, 3)), replace=False).tolist())) if "keep" in kind else ()
    members = tuple(sorted(rng.choice(d, int(rng.integers(1, d + 1)), replace=False).tolist()))
    most = int(rng.integers(len(set(kept) & set(members)), len(members) + 1))
    costs = rng.integers(0, 4, d) / 10
    budget = float(costs[list(kept)].sum() + rng.random())

    def allows(subset):
        return (
            set(kept) <= set(subset)
            and ("cap" not in kind or len(set(subset) & set(members)) <= most)
            and ("budget" not in kind or sum(costs[list(subset)]) <= budget + 1e-12)
        )

    caps = (Cap(members, most),) if "cap" in kind else ()
    priced = {"costs": costs, "budget": budget} if "budget" in kind else {}
    return ColumnConstraints(kept, caps, **priced), allows


@pytest.mark.parametrize("kind", [("keep",), ("cap",), ("keep", "cap"), ("budget",), ("keep", "cap", "budget")])
def test_under_constraints_subsets_are_allowed_bounds_hold_and_the_best_is_mostly_found(kind):
    rng = np.random.default_rng(1)
    found = []
    for seed in range(20):
        d = int(rng.integers(3, 7))
        X, y = table(int(rng.integers(12, 30)), d, 2 + (seed % 4 == 0), seed)
        of = objective(X @ rng.normal(size=(d, d)), y, 10 ** rng.uniform(-2, 1), 1.0)
        constraints, allows = random_constraints(rng, d, kind)
        size = int(rng.integers(max(len(constraints.kept), 1), d + 1))
        sizes = range(size + 1) if "budget" in kind else [min(size, constraints.most(d))]
        values = [
            of.subset_svms.fit(subset).value for k in sizes for subset in combinations(range(d), k) if allows(subset)
        ]
        selection = RelaxAndRound("all").run(of, size, constraints)
        assert allows(selection.indices)
        assert all(allows(subset) for subset in selection.path.values())
        assert "budget" in kind or len(selection) == sizes[0]
        assert selection.bound <= min(values) * (1 + 1e-12)
        assert selection.value >= min(values) * (1 - 1e-12)
        assert not selection.is_optimal or selection.value <= min(values) * (1 + 1e-8)
        found.append(selection.value <= min(values) * (1 + 1e-9))
    assert np.mean(found) >= 0.85


@pytest.mark.parametrize("n_classes", [2, 5])
def test_subsets_seen_before_lead_to_nothing_better(n_classes, monkeypatch):
    exchange = relax_and_round._Subset.exchange
    n_stopped = 0

    def exchange_to_the_end(self, seen):
        nonlocal n_stopped
        own = set()
        exchange(self, own)
        n_stopped += bool(seen & own)
        seen |= own
        return True

    for seed in range(8):
        X, y = table(50, 14, n_classes, seed)
        X = np.round(X @ np.random.default_rng(seed).normal(size=(14, 14)), seed % 3)
        found = relax_and_round.find_subsets(objective(X, y).subset_svms, (2, 4, 7, 10))
        with monkeypatch.context() as patch:
            patch.setattr(relax_and_round._Subset, "exchange", exchange_to_the_end)
            assert relax_and_round.find_subsets(objective(X, y).subset_svms, (2, 4, 7, 10)) == found
    assert n_stopped > 0


def test_a_subset_that_reaches_the_bound_is_proved():
    y = np.repeat([0, 1], 20)
    X = np.random.default_rng(0).normal(size=(40, 5))
    X[:, 3] = y
    selection = RelaxAndRound().run(objective(X, y), 1)
    assert selection.indices == (3,)
    assert selection.is_optimal
    assert selection.sense == "min"
    assert "proved optimal: no other feature has a smaller value" in selection.certificate.words
    other = RelaxAndRound().run(objective(*table(30, 8)), 3)
    assert not other.is_optimal
    assert 0 < other.gap < 1
    assert "of the best possible 3 features (reached" in other.certificate.words
    assert "and none has less than" in other.certificate.words


def test_ties_go_to_the_lowest_column():
    X, y = table(40, 4, seed=1)
    for copies in (np.hstack([X, X]), np.hstack([X, -3 * X])):
        of = objective(copies, y)
        for size in (1, 2, 3):
            values = {subset: of.subset_svms.fit(subset).value for subset in combinations(range(8), size)}
            ties = [subset for subset, value in values.items() if value <= min(values.values()) * (1 + 1e-10)]
            assert len(ties) > 1 or size > 1
            assert tuple(sorted(RelaxAndRound().run(of, size).indices)) == min(ties)


def test_constant_columns_follow_in_table_order():
    X, y = table(30, 3, seed=2)
    wide = np.zeros((30, 7))
    wide[:, [1, 4, 5]] = X
    selection = RelaxAndRound().run(objective(wide, y), 5)
    assert selection.indices[3:] == (0, 2)
    assert set(selection.indices[:3]) == {1, 4, 5}
    assert selection.is_optimal
    assert RelaxAndRound().run(objective(np.zeros((30, 3)), y), 2).indices == (0, 1)


def test_the_path_has_a_subset_for_every_size_and_each_is_what_that_size_gives():
    X, y = table(40, 20, seed=3)
    path = RelaxAndRound("all").run(objective(X, y), 6).path
    assert list(path) == [1, 2, 3, 4, 5, 6]
    for size, columns in path.items():
        assert len(set(columns)) == size
        alone = RelaxAndRound().run(objective(X, y), size)
        assert set(columns) == set(alone.indices)
    some = RelaxAndRound("some").run(objective(X, y), 16).path
    assert list(some) == [*range(1, 11), 12, 15, 16]
    assert list(RelaxAndRound().run(objective(X, y), None).path) == [20]


def test_scores_are_the_weights_of_the_svm_on_the_subset():
    X, y = table(40, 10, seed=4)
    of = objective(X, y)
    selection = RelaxAndRound().run(of, 4)
    weights = np.abs(of.subset_svms.fit(selection.indices).projections[0])
    assert_allclose(selection.scores, weights[list(selection.indices)])
    assert list(selection.scores) == sorted(selection.scores, reverse=True)


def test_unknown_sizes_are_refused():
    with pytest.raises(InvalidParameter, match="sizes must be one of 'one', 'some', 'all', got 'few' instead"):
        RelaxAndRound("few")
