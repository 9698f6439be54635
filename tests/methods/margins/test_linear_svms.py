"""Linear SVMs by rows and by columns: against each other, from any start, on any number of threads and SIMD level."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_wine
from threadpoolctl import threadpool_limits

from fewest import SVMWeights, _core
from fewest.errors import InvalidInput
from fewest.methods.margins import linear_svms
from fewest.methods.margins.linear_svms import (
    NestedLinearSvms,
    coefficients_of,
    rescaled_svm_shares,
    solve_linear_svms,
    weight_norms,
)

from ...reference.margins.svms import one_against_rest, squared_hinge_weights


def table(n, p, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % n_classes)
    X = rng.normal(size=(n, p))
    X[:, : max(1, p // 5)] += 0.7 * y[:, None]
    return X, np.array(one_against_rest(y))


def degenerate(kind):
    """Tables on which something is equal, constant, rare or extreme."""
    X, signs = table(70, 40, 3, seed=5)
    if kind == "copies":
        X[:, 20:] = X[:, :20]
    elif kind == "constant":
        X[:, ::3] = 0.0
    elif kind == "tiny class":
        signs = np.where(np.arange(70) < 2, 1.0, -1.0)[None]
    elif kind == "scales":
        X *= np.logspace(-6, 2, 40)
    elif kind == "separable":
        X[:, 0] += 20 * signs[0]
    return X, signs


@pytest.mark.parametrize("kind", ["copies", "constant", "tiny class", "scales", "separable"])
@pytest.mark.parametrize("cost", [0.01, 1.0, 100.0])
def test_by_rows_and_by_columns_the_weights_are_those_of_the_reference(kind, cost):
    X, signs = degenerate(kind)
    expected = np.sqrt(sum(squared_hinge_weights(X, line, cost) ** 2 for line in signs))
    for by_rows in (True, False):
        svms = solve_linear_svms(X.T, np.full(70, cost), signs, by_rows=by_rows)
        assert_allclose(weight_norms(svms, 40), expected, rtol=1e-6, atol=1e-8 * expected.max())


@pytest.mark.parametrize("kind", ["copies", "constant", "tiny class", "scales", "separable"])
def test_by_rows_and_by_columns_the_same_columns_are_eliminated(kind):
    X, signs = degenerate(kind)
    orders = []
    for by_rows in (True, False):
        svms = solve_linear_svms(X.T, np.ones(70), signs, by_rows=by_rows)
        numbers, order = np.arange(40), []
        for _ in range(39):
            least = np.empty(1, dtype=np.int64)
            svms.least(numbers, 1e-12, least)
            order.append(int(least[0]))
            svms.drop(least)
            svms.solve(1)
        orders.append(order)
    assert orders[0] == orders[1]


@pytest.mark.parametrize("count", [1, 5])
@pytest.mark.parametrize(("n", "n_classes"), [(33, 2), (48, 3)])
@pytest.mark.parametrize("kind", ["plain", "copies", "scales", "tiny", "counts", "outlier"])
def test_columns_ruled_out_by_rounded_numbers_are_not_the_least(kind, n, n_classes, count):
    X, signs = table(n, 150, n_classes, seed=7)
    if kind == "copies":
        X[:, 100:] = X[:, :50]
    elif kind == "scales":
        X *= np.logspace(-8, 4, 150)
    elif kind == "tiny":
        X *= 1e-160  # products of coefficients and columns underflow
    elif kind == "counts":
        X = np.rint(2 * X)
    elif kind == "outlier":
        X[0] *= 1e5  # one value takes nearly all of the range of the rounded numbers
    svms = solve_linear_svms(X.T, np.ones(n), signs, by_rows=True)
    left = np.arange(150)
    while len(left) > 40:
        least = np.empty(count, dtype=np.int64)
        svms.least(np.arange(150), 1e-12, least)
        norms, expected = weight_norms(svms, 150), []
        ascending = sorted(left.tolist(), key=lambda j, norms=norms: norms[j])
        while len(expected) < count:
            ties = [j for j in ascending if norms[j] <= norms[ascending[0]] + 1e-12]
            expected += sorted(ties, reverse=True)
            ascending = ascending[len(ties) :]
        assert least.tolist() == expected[:count]
        svms.drop(least)
        svms.solve(1)
        left = np.setdiff1d(left, least)


@pytest.mark.parametrize("by_rows", [True, False])
@pytest.mark.parametrize("at_a_time", [1, 7, 30])
def test_dropped_columns_leave_the_svms_of_the_others(by_rows, at_a_time):
    # Enough rows and columns for changes of the inverse to be applied several times.
    X, signs = table(150, 110, 3, seed=2)
    svms = solve_linear_svms(X.T, np.ones(150), signs, by_rows=by_rows)
    left = np.random.default_rng(1).permutation(110)
    while len(left) > 20:
        svms.drop(left[:at_a_time])
        svms.solve(1)
        left = left[at_a_time:]
    expected = np.sqrt(sum(squared_hinge_weights(X[:, left], line, 1.0) ** 2 for line in signs))
    assert_allclose(weight_norms(svms, 110)[left], expected, rtol=1e-7)


@pytest.mark.parametrize("by_rows", [True, False])
def test_any_start_leads_to_the_same_solution(by_rows):
    X, signs = table(80, 60, 3)
    cold = solve_linear_svms(X.T, np.ones(80), signs, by_rows=by_rows)
    rng = np.random.default_rng(0)
    for start in (coefficients_of(cold, signs), rng.normal(size=signs.shape), 1.0 * (rng.random(signs.shape) < 0.02)):
        warm = solve_linear_svms(X.T, np.ones(80), signs, start, by_rows=by_rows)
        assert_allclose(weight_norms(warm, 60), weight_norms(cold, 60), rtol=1e-12)


@pytest.mark.parametrize(("n", "p"), [(120, 300), (400, 60)])
def test_elimination_is_the_same_to_the_bit_for_any_number_of_threads_and_simd_level(n, p):
    X, signs = table(n, p, 4)

    def answers():
        svms = NestedLinearSvms(np.asfortranarray(X).T, np.ones(n), signs, np.arange(p))
        found, left = [svms.weight_norms()], np.arange(p)
        for _ in range(25):
            least = svms.smallest(left, 2)
            left = np.setdiff1d(left, least)
            found.append(svms.weight_norms_on(left))
        return np.concatenate(found)

    expected, newest = answers(), _core.simd_level()
    with threadpool_limits(1):
        assert_array_equal(answers(), expected)
    with threadpool_limits(4):
        assert_array_equal(answers(), expected)
    try:
        for level in ("base", "x86-64-v2", "x86-64-v3"):
            if _core.use_simd_level(level):
                assert_array_equal(answers(), expected)
    finally:
        _core.use_simd_level(newest)


@pytest.mark.parametrize(("n", "p"), [(30, 50), (60, 20)])
def test_rescaled_shares_are_those_of_svms_that_start_cold(n, p):
    X, signs = table(n, p, 3)
    shares, _ = rescaled_svm_shares(X.T, signs, np.ones(n))
    factors = np.ones(p)
    for _ in range(30):
        last = factors / factors.sum()
        factors *= np.sqrt(sum(squared_hinge_weights(X * factors, line, 1.0) ** 2 for line in signs))
        factors[factors < 1e-10 * factors.max()] = 0
        if np.abs(factors / factors.sum() - last).max() < 1e-6:
            break
    assert_allclose(shares, factors / factors.sum(), atol=1e-7)


@pytest.mark.parametrize("seed", [*range(6), 1004, 1005, 1006, 1019, 1020, 1035])
@pytest.mark.parametrize(("n_rows", "cost"), [(20, 1.0), (20, 10.0), (25, 100.0), (45, 10.0)])
def test_columns_of_very_different_sizes_are_eliminated_as_by_svms_solved_anew(seed, n_rows, cost):
    # Products of rows have the rounding errors of columns of size 1e5, and those of size 1e-3 are small beside them.
    random = np.random.default_rng(seed)
    columns = random.normal(size=(30, n_rows)) * 10.0 ** random.uniform(-5, 5, size=(30, 1))
    signs = np.where(random.random((2, n_rows)) < 0.5, 1.0, -1.0)
    costs = np.full(n_rows, cost)
    nested = NestedLinearSvms(columns, costs, signs, np.arange(30))
    left = np.arange(30)
    while len(left) > 1:
        anew = weight_norms(solve_linear_svms(columns[left], costs, signs, by_rows=False), len(left))
        assert_allclose(nested.weight_norms_on(left), anew, rtol=0, atol=1e-7 * anew.max())
        left = np.delete(left, anew.argmin())


def test_what_rounding_leaves_unsolved_is_one_error_and_not_an_answer(monkeypatch):
    monkeypatch.setattr(linear_svms, "_MOST_BY_COLUMNS", 0)
    monkeypatch.setattr(linear_svms, "_FEW_COLUMNS", 0)
    message = "The linear SVMs cannot be solved in double precision: columns differ too much in size, or C"
    n_refused = 0
    for seed in range(40):
        random = np.random.default_rng(seed)
        X, y = random.normal(size=(20, 40)) * 10.0 ** random.uniform(-7, 7, size=40), np.arange(20) % 2
        selector = SVMWeights(n_features=3, C=100.0, scale=None)
        try:
            selector.fit(X, y)
        except InvalidInput:
            n_refused += 1
            with pytest.raises(InvalidInput, match=message):
                selector.fit(X, y)
        else:
            # Half the squared weights are no more than the loss without weights.
            assert np.square(selector.scores_).sum() / 2 <= 100 * 20
    assert 0 < n_refused < 40


def test_what_a_start_leaves_unsolved_is_solved_without_it():
    random = np.random.default_rng(1869)
    n_rows, n_columns = int(random.integers(6, 60)), int(random.integers(2, 80))
    spread, cost = random.choice([0, 3, 6, 8]), 10.0 ** random.integers(-2, 5)
    columns = random.normal(size=(n_columns, n_rows)) * 10.0 ** random.uniform(-spread / 2, spread / 2, (n_columns, 1))
    signs, costs = np.where(np.arange(n_rows) % 2, 1.0, -1.0)[None], np.full(n_rows, cost)
    nested = NestedLinearSvms(columns, costs, signs, np.arange(n_columns))
    dropped = int(random.integers(1, n_columns // 3))
    left = np.sort(random.choice(n_columns, n_columns - dropped, replace=False))
    anew = weight_norms(solve_linear_svms(columns[left], costs, signs, by_rows=False), len(left))
    assert_allclose(nested.weight_norms_on(left), anew, rtol=0, atol=1e-9 * anew.max())


def test_weights_that_rounding_leaves_wrong_are_refused():
    # In exact arithmetic most of the weights that the equations of columns gave here were wrong by more than 1 %.
    random = np.random.default_rng(1684)
    n_rows, n_columns = int(random.integers(6, 40)), int(random.integers(3, 60))
    columns = random.normal(size=(n_columns, n_rows)) * 10.0 ** random.uniform(-4, 4, size=(n_columns, 1))
    left = np.sort(random.choice(n_columns, max(2, n_columns * 3 // 4), replace=False))
    with pytest.raises(InvalidInput, match="cannot be solved in double precision"):
        SVMWeights(C=1e4, scale=None).fit(columns[left].T, np.arange(n_rows) % 2)


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
@pytest.mark.parametrize("cost", [1.0, 1e3])
def test_real_tables_are_solved_as_they_are(load, cost):
    X, y = load(return_X_y=True)
    X = X - X.mean(axis=0)
    found = SVMWeights(C=cost, scale=None, n_features=3).fit(X, y).scores_
    # Least squares of the active rows by orthogonal factors, which keep the digits that products lose.
    total = np.zeros(X.shape[1])
    rows = np.column_stack([X, np.ones(len(X))])
    for label in np.unique(y) if len(np.unique(y)) > 2 else [1]:
        signs, weights, active = np.where(y == label, 1.0, -1.0), np.zeros(rows.shape[1]), np.ones(len(y), dtype=bool)

        def loss(weights, signs=signs):
            return weights @ weights / 2 + cost * (np.maximum(0, 1 - signs * (rows @ weights)) ** 2).sum()

        for _ in range(100):
            root = np.sqrt(2 * cost)
            stacked = np.vstack([root * rows[active], np.eye(rows.shape[1])])
            lengths = np.linalg.norm(stacked, axis=0)
            right = np.append(root * signs[active], np.zeros(rows.shape[1]))
            step = np.linalg.lstsq(stacked / lengths, right, rcond=None)[0] / lengths - weights
            length = 1.0
            while loss(weights + length * step) > loss(weights) and length > 1e-9:
                length /= 2
            weights = weights + length * step
            last, active = active, signs * (rows @ weights) < 1
            if length == 1 and (active == last).all():
                break
        total += weights[:-1] ** 2
    assert_allclose(found, np.sqrt(total), rtol=0, atol=1e-6 * found.max())
