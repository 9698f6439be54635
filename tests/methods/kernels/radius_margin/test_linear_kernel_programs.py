"""The programs of a linear kernel in the space of its columns have the answers of those over pairs of rows."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from threadpoolctl import threadpool_limits

from fewest import R2W2, LinearRadiusMargin
from fewest.errors import InvalidInput, TooManyRows
from fewest.methods.kernels.radius_margin import linear_kernel_programs, linear_radius_margin, radius_margin_programs
from fewest.methods.kernels.radius_margin.linear_kernel_programs import LinearKernelSolver, linear_gradient
from fewest.methods.kernels.radius_margin.radius_margin_programs import RadiusMarginSolver

from ....binding import bind


def rows(kind, n=60, p=5, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.sort(np.arange(n) % n_classes).astype(np.int32)
    X = rng.normal(size=(n, p)) + 0.5 * rng.normal(size=(n_classes, p))[codes]
    if kind == "copies":
        X[:, 1] = X[:, 0]
        X[1::2] = X[::2]
    elif kind == "one point":
        X[:] = 1.5
    elif kind == "units":
        X *= 10.0 ** (np.arange(p) - p // 2)
    elif kind == "separated":
        X[:, 0] += 30 * codes
    elif kind == "a class of one row":
        codes[:] = 0
        codes[-(n_classes - 1) :] = np.arange(1, n_classes)
    return X, codes, rng.integers(1, 4, size=n) / 2


KINDS = ["random", "copies", "one point", "units", "separated", "a class of one row"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
def test_bound_and_gradient_are_those_of_the_programs_over_pairs_of_rows(kind, n_classes, C):
    X, codes, weights = rows(kind, n_classes=n_classes)
    in_columns, in_rows = LinearKernelSolver(X, codes, weights, C), RadiusMarginSolver(codes, weights)
    rng = np.random.default_rng(1)
    factors = np.ones(X.shape[1])
    for _ in range(4):  # each from the solution before
        found = in_columns.solve(factors)
        expected = in_rows.solve((X * factors) @ X.T, C)
        slope = linear_gradient(expected, X)
        assert found is not None
        assert_allclose(found[0], expected.bound, rtol=1e-8)
        # The terms of the gradient may cancel each other.
        size = expected.margins.sum() * (expected.ball @ np.square(X)) + np.abs(slope)
        assert_allclose(found[1] / size, slope / size, atol=2e-6)
        factors = factors * rng.uniform(0.3, 2.0, len(factors)) * (rng.random(len(factors)) < 0.8)
        factors[0] += 0.1


def test_the_start_hardly_matters():
    X, codes, weights = rows("random", n=200, n_classes=3)
    warm = LinearKernelSolver(X, codes, weights, 1.0)
    for seed in range(5):
        factors = np.random.default_rng(seed).random(X.shape[1])
        found, fresh = warm.solve(factors), LinearKernelSolver(X, codes, weights, 1.0).solve(factors)
        assert_allclose(found[0], fresh[0], rtol=1e-12)
        assert_allclose(found[1], fresh[1], rtol=1e-7, atol=1e-9 * np.abs(fresh[1]).max())


def test_columns_without_a_factor_have_a_gradient():
    X, codes, weights = rows("random")
    solver = LinearKernelSolver(X, codes, weights, 1.0)
    at = np.array([1.0, 0.0, 2.0, 0.0, 1.0])
    value, gradient = solver.solve(at)
    for column in (1, 3):
        more = at.copy()
        more[column] = 1e-6
        assert_allclose(gradient[column], (solver.solve(more)[0] - value) / 1e-6, rtol=1e-3)


def test_numbers_too_large_are_not_solved():
    X, codes, weights = rows("random")
    with np.errstate(all="ignore"):
        assert LinearKernelSolver(1e160 * X, codes, weights, 1.0).solve(np.ones(X.shape[1])) is None


@pytest.fixture
def always_large(monkeypatch):
    for module in (linear_radius_margin, radius_margin_programs):
        monkeypatch.setattr(module, "is_large", lambda *_: True)


def test_the_selector_chooses_the_same_either_way(always_large, monkeypatch):
    X, codes, _ = rows("random", n=150, p=12, n_classes=3)
    found = R2W2(n_features=4).fit(X, codes)
    monkeypatch.setattr(linear_radius_margin, "is_large", lambda *_: False)
    expected = R2W2(n_features=4).fit(X, codes)
    assert found.selection_.indices == expected.selection_.indices
    assert_allclose(found.selection_.value, expected.selection_.value, rtol=1e-7)


def test_any_number_of_threads_gives_the_same_bits(always_large, monkeypatch):
    monkeypatch.setattr(linear_kernel_programs, "_MIN_VALUES_ON_THREADS", 0)
    X, codes, _ = rows("random", n=150, p=12, n_classes=5)
    results = []
    for n_threads in (1, 2, 5):
        with threadpool_limits(n_threads):
            results.append(R2W2(n_features=4, max_steps=20).fit(X, codes))
    for other in results[1:]:
        assert_array_equal(other.weights_, results[0].weights_)
        assert other.objective_ == results[0].objective_


def test_what_the_columns_cannot_solve_the_rows_do(always_large, monkeypatch):
    X, codes, _ = rows("random")
    expected = bind(LinearRadiusMargin(), X, codes).score_weights(np.ones(5))
    monkeypatch.setattr(LinearKernelSolver, "solve", lambda *_: None)
    found = bind(LinearRadiusMargin(), X, codes).score_weights(np.ones(5))
    assert_allclose(found[0], expected[0], rtol=1e-9)
    assert_allclose(found[1], expected[1], rtol=1e-6, atol=1e-9)
    with pytest.raises(InvalidInput, match="no digits left at C = 1"):
        bind(LinearRadiusMargin(max_rows=10), X, codes).score_weights(np.ones(5))


def test_rows_are_too_many_only_where_columns_are_too():
    X, codes, _ = rows("random")
    assert bind(LinearRadiusMargin(max_rows=5), X, codes).n_columns == 5
    with pytest.raises(
        TooManyRows, match=r"60 rows of 5 columns are too many: at most 4 .* by sample=4 \(--sample 4\)"
    ):
        bind(LinearRadiusMargin(max_rows=4), X, codes)


def test_wide_tables_leave_out_columns_without_a_factor(monkeypatch):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 60))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    at = rng.random(60) * (rng.random(60) < 0.2)
    expected = bind(LinearRadiusMargin(), X, y).score_weights(at)
    monkeypatch.setattr(linear_radius_margin, "_MANY_COLUMNS", 1)
    monkeypatch.setattr(linear_kernel_programs, "MANY_VALUES", 1)
    monkeypatch.setattr(linear_kernel_programs, "_VALUES_AT_ONCE", 100)
    found = bind(LinearRadiusMargin(), X, y).score_weights(at)
    assert_allclose(found[0], expected[0], rtol=1e-12)
    assert_allclose(found[1], expected[1], rtol=1e-9, atol=1e-12 * np.abs(expected[1]).max())
