"""The kernel objective with every search, and its compiled sums of Gaussians against the formula."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from sklearn.datasets import load_wine

from fewest import FewestError, KernelTraceSelector
from fewest.criteria import KernelTrace
from fewest.searches import Exhaustive

from ...binding import bind
from ...reference.scatter.kernel_trace import kernel_trace, scaled

MODES = ("forward", "backward", "floating", "individual", "exhaustive")


def random_table(seed):
    """A small table, now and then with a constant column, a copy, a class of one row, large offsets or scales."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(4, 10)), int(rng.integers(1, 6))
    y = rng.integers(0, int(rng.integers(2, 4)), n)
    y[:2] = 0, 1
    X = rng.normal(size=(n, p)) + y[:, None] * rng.random(p)
    kind = seed % 6
    if kind == 1:
        X[:, 0] = 3.0
    elif kind == 2:
        X[:, -1] = X[:, 0]
    elif kind == 3:
        y[:] = 0
        y[0] = 1
    elif kind == 4:
        X = X * 10.0 ** rng.integers(-8, 8, p)
    elif kind == 5:
        X = np.rint(X)
    return X, y


def test_the_gaussian_sums_are_those_of_the_formula_on_random_and_degenerate_tables():
    for seed in range(300):
        X, y = random_table(seed)
        rng = np.random.default_rng(seed)
        p = X.shape[1]
        gamma, eta, beta = rng.choice([-0.5, 0.0, 0.3]), rng.choice([0.05, 1.0]), rng.choice([0.0, 0.01])
        objective = bind(KernelTrace("rbf", gamma, beta, "range", {"gamma": eta}), X, y)

        table = scaled(X, "range")

        def kernel(one, other, eta=eta):
            return np.exp(-eta * np.square(one - other).sum())

        def expected(subset, table=table, y=y, kernel=kernel, gamma=gamma, beta=beta):
            return kernel_trace(table, y, subset, kernel, gamma, beta)

        subsets = [(), *((j,) for j in range(p)), tuple(range(p)), tuple(range(0, p, 2))]
        values = [expected(subset) for subset in subsets]
        np.testing.assert_allclose(objective.score_subsets(subsets), values, atol=1e-13)
        np.testing.assert_allclose([objective.score_subset(subset) for subset in subsets], values, atol=1e-13)
        selected, others = list(range(0, p, 2)), np.arange(1, p, 2)
        gains = [expected([*selected, other]) - expected(selected) for other in others]
        np.testing.assert_allclose(objective.score_additions(selected, others), gains, atol=1e-13)
        losses = [expected([j for j in selected if j != one]) - expected(selected) for one in selected]
        np.testing.assert_allclose(objective.score_removals(selected, np.array(selected)), losses, atol=1e-13)


@pytest.mark.parametrize("kernel", ["rbf", "poly", "laplacian"])
@pytest.mark.parametrize("mode", MODES)
def test_every_search_selects(mode, kernel):
    X, y = load_wine(return_X_y=True)
    X, y = X[::3, :6], y[::3]
    selector = KernelTraceSelector(mode, kernel, n_features=3).fit(X, y)
    objective = bind(selector.sentence()[0], X, y)
    best = max(objective.score_subset(subset) for subset in combinations(range(6), 3))
    reached = objective.score_subset(selector.selection_.indices)
    assert len(selector.selection_) == 3
    assert 0.5 * best < reached <= best
    if mode == "exhaustive":
        assert selector.selection_.is_optimal
        assert reached == pytest.approx(best, rel=1e-12)
    if mode == "individual":
        np.testing.assert_array_equal(selector.scores_, objective.score_features())
    else:
        assert selector.selection_.value == pytest.approx(reached, rel=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_a_cost_decides_how_many(mode):
    X, y = load_wine(return_X_y=True)
    few, many = (KernelTraceSelector(mode, beta=beta).fit(X[::2, :7], y[::2]).selection_ for beta in (0.008, 0.0))
    assert 0 < len(few) <= len(many) <= 7
    if mode == "exhaustive":
        criterion = KernelTrace(scale="symmetric")
        same = Exhaustive(beta=0.008).run(bind(criterion, X[::2, :7], y[::2]), None)
        assert same.indices == few.indices
        assert "proved optimal for beta = 0.008" in few.certificate.words


def test_parameters_that_contradict_each_other_are_refused():
    X, y = load_wine(return_X_y=True)
    with pytest.raises(FewestError, match="Give beta or n_features, not both"):
        KernelTraceSelector(beta=0.1, n_features=3).fit(X, y)
    with pytest.raises(FewestError, match="mode must be one of 'forward', 'backward', 'floating'"):
        KernelTraceSelector("best").fit(X, y)


def test_a_column_without_a_value_comes_last_and_a_missing_value_is_refused():
    X, y = load_wine(return_X_y=True)
    X = np.column_stack([np.full(len(y), np.nan), X[:, :3]])
    with pytest.warns(UserWarning, match="hold no value at all"):
        chosen = KernelTraceSelector(n_features=3).fit(X, y).selection_
    assert 0 not in chosen.indices
    X[3, 2] = np.nan
    with pytest.raises(FewestError, match="a kernel compares complete rows"):
        KernelTraceSelector(n_features=3).fit(X, y)
