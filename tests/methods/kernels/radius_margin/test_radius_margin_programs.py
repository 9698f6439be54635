"""The programs of many classes over one kernel: what they share changes no answer."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fewest.methods.kernels.radius_margin import radius_margin_programs as programs
from fewest.methods.kernels.radius_margin.radius_margin_programs import (
    RadiusMarginSolver,
    minimize_bound,
    minimize_bound_from_sample,
)


def rows(n, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    codes = (np.arange(n) % n_classes).astype(np.int32)
    X = rng.normal(size=(n, 4))
    X[:, 0] += codes
    squared = np.square(X[:, None] - X).sum(axis=2)
    return codes, rng.integers(1, 3, size=n).astype(float), squared / squared.mean()


def unsolved(kernel, ridge, signs, *_):
    """Conjugate gradients that fail."""
    return np.zeros(len(signs), dtype=bool), np.zeros(len(signs)), 0


@pytest.fixture
def passed(monkeypatch):
    """How many programs each call of the compiled solver got, and whether with an inverse."""
    calls = []
    solve = programs.solve_quadratic_programs

    def counted(kernel, ridge, signs, *others):
        calls.append((len(signs), others[-2] is not None))
        solve(kernel, ridge, signs, *others)

    monkeypatch.setattr(programs, "solve_quadratic_programs", counted)
    return calls


@pytest.mark.parametrize("n_classes", [3, 30])
def test_a_shared_inverse_changes_no_answer(n_classes, passed, monkeypatch):
    codes, weights, squared = rows(90, n_classes)
    alone, sharing = RadiusMarginSolver(codes, weights), RadiusMarginSolver(codes, weights)
    for eta, C in ((0.5, 0.25), (4.0, 0.25), (0.1, 1e-3), (0.1, 16.0), (0.5, 1e-3), (2.0, 2.0**14), (2.0, 0.01)):
        kernel = np.exp(-eta * squared)
        expected = alone.solve(kernel, C)
        with monkeypatch.context() as patch:
            patch.setattr(programs, "_MIN_SHARED_WORK", 0.0)
            patch.setattr(programs, "solve_jointly", unsolved)
            found = sharing.solve(kernel, C)
        assert_allclose(found.bound, expected.bound, rtol=1e-10)
        assert_allclose(found.multipliers, expected.multipliers, atol=1e-9 * np.abs(expected.multipliers).max())
        assert_allclose(found.ball, expected.ball, atol=1e-10)
    assert any(with_inverse for _, with_inverse in passed)


def test_conjugate_gradients_change_no_answer(passed, monkeypatch):
    codes, weights, squared = rows(90, 30)
    alone, joint = RadiusMarginSolver(codes, weights), RadiusMarginSolver(codes, weights)
    for eta, C in ((0.5, 0.25), (4.0, 0.25), (0.1, 1e-3), (0.1, 0.5), (0.5, 1e-3), (2.0, 0.01)):
        kernel = np.exp(-eta * squared)
        expected = alone.solve(kernel, C)
        with monkeypatch.context() as patch:
            patch.setattr(programs, "_MIN_SHARED_WORK", 0.0)
            patch.setattr(programs, "_FACTORED_PER_ROUND", 0.0)
            del passed[:]
            found = joint.solve(kernel, C)
        assert sum(n for n, _ in passed) == 0
        assert_allclose(found.margins, expected.margins, rtol=1e-9)
        assert_allclose(found.bound, expected.bound, rtol=1e-10)
        assert_allclose(found.multipliers, expected.multipliers, atol=3e-8 * np.abs(expected.multipliers).max())
        assert_allclose(found.ball, expected.ball, atol=1e-9)


def test_programs_that_are_too_hard_for_conjugate_gradients_are_factored(passed, monkeypatch):
    codes, weights, squared = rows(90, 30)
    kernel = np.exp(-0.05 * squared)
    expected = RadiusMarginSolver(codes, weights).solve(kernel, 2.0**14)
    monkeypatch.setattr(programs, "_MIN_SHARED_WORK", 0.0)
    rounds = []
    solve_jointly = programs.solve_jointly
    monkeypatch.setattr(programs, "solve_jointly", lambda *given: rounds.append(1) or solve_jointly(*given))
    solver = RadiusMarginSolver(codes, weights)
    for _ in range(2):
        del passed[:]
        found = solver.solve(kernel, 2.0**14)
        assert sum(n for n, _ in passed) > 0
        assert_allclose(found.bound, expected.bound, rtol=1e-8)
    assert len(rounds) == 1  # once is enough
    solver.solve(kernel, 0.1)
    assert len(rounds) == 2


def test_programs_without_a_zero_are_solved_at_once(passed, monkeypatch):
    monkeypatch.setattr(programs, "_MIN_SHARED_WORK", 0.0)
    monkeypatch.setattr(programs, "solve_jointly", unsolved)
    codes, _, squared = rows(120, 40)
    solver = RadiusMarginSolver(codes, np.ones(120))
    found = solver.solve(np.exp(-squared), 1e-3)
    assert (found.multipliers != 0).all()
    assert sum(n for n, _ in passed) == 0


def test_few_free_rows_need_no_inverse(passed, monkeypatch):
    codes, weights, squared = rows(120, 12)
    solver, kernel = RadiusMarginSolver(codes, weights), np.exp(-0.2 * squared)
    solver.solve(kernel, 100.0)
    monkeypatch.setattr(programs, "_MIN_SHARED_WORK", 0.0)
    monkeypatch.setattr(programs, "solve_jointly", unsolved)
    del passed[:]
    solver.solve(kernel, 110.0)
    assert [n for n, _ in passed if n] == [13]


def test_a_kernel_without_an_inverse_is_solved_program_by_program(monkeypatch):
    monkeypatch.setattr(programs, "_MIN_SHARED_WORK", 0.0)
    assert programs._inverse(-np.eye(3), np.ones(3) / 2) is None
    codes, weights, squared = rows(60, 6)
    kernel = np.exp(-squared)
    expected = RadiusMarginSolver(codes, weights).solve(kernel, 0.1)
    monkeypatch.setattr(programs, "_inverse", lambda *_: None)
    found = RadiusMarginSolver(codes, weights).solve(kernel, 0.1)
    assert_allclose(found.multipliers, expected.multipliers, atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3, 12])
def test_the_gradient_of_support_vectors_is_that_of_all_rows(n_classes, monkeypatch):
    codes, weights, _ = rows(80, n_classes)
    X = np.random.default_rng(1).normal(size=(80, 5)) + codes[:, None] / n_classes
    X[:, 4] = X[:, 3]
    kernel = np.exp(-0.2 * np.square(X[:, None] - X).sum(axis=2))
    found = RadiusMarginSolver(codes, weights).solve(kernel, 50.0)
    expected = found.gaussian_gradient(kernel.copy(), X)
    monkeypatch.setattr(programs, "MANY_VALUES", 1)
    assert_allclose(found.gaussian_gradient(kernel.copy(), X), expected, rtol=1e-9)


def test_after_failures_conjugate_gradients_are_tried_ever_less_often(monkeypatch):
    codes, weights, squared = rows(90, 30)
    monkeypatch.setattr(programs, "_MIN_SHARED_WORK", 0.0)
    monkeypatch.setattr(programs, "_FACTORED_PER_ROUND", 0.0)
    tried, counts = [], []
    monkeypatch.setattr(programs, "solve_jointly", lambda *given: tried.append(1) or unsolved(*given))
    solver = RadiusMarginSolver(codes, weights)
    for _ in range(10):
        solver.solve(np.exp(-squared), 1.0)
        counts.append(len(tried))
    assert counts == [1, 1, 2, 2, 2, 3, 3, 3, 3, 3]
    del tried[:]
    solver.solve(np.exp(-squared), 0.5)  # easier than what has failed
    assert len(tried) == 1


@pytest.mark.parametrize("C", [None, 2.0])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_best_width_from_a_sample_of_the_rows_is_that_of_a_search_over_all(seed, C, monkeypatch):
    codes, weights, squared = rows(300, 3, seed)
    mean = squared.sum() / (300 * 299)
    expected = minimize_bound(RadiusMarginSolver(codes, weights), squared, mean, C, 4.0)
    monkeypatch.setattr(programs, "_SAMPLED_ROWS", 100)
    monkeypatch.setattr(programs, "_MIN_SHARED_WORK", 4 * 150.0**3)
    solver = RadiusMarginSolver(codes, weights)
    assert_array_equal(np.bincount(codes[solver.sample()]), [34, 34, 34])
    found = minimize_bound_from_sample(solver, squared, mean, C, 4.0)
    assert_allclose(found.bound, expected.bound, rtol=1e-8)
    assert_allclose(found.eta, expected.eta, rtol=1e-3)


def test_a_sample_that_is_separable_does_not_mislead_the_search(monkeypatch):
    # 50 rows of 60 columns are separable; 400 rows are not, and have their least bound at a much smaller C.
    rng = np.random.default_rng(0)
    codes = np.sort(np.arange(400) % 2).astype(np.int32)
    X = rng.normal(size=(400, 60))
    X[:, :20] += 0.4 * codes[:, None]
    squared = np.square(X[:, None] - X).sum(axis=2)
    mean = squared.sum() / (400 * 399)
    expected = minimize_bound(RadiusMarginSolver(codes, np.ones(400)), squared, mean, None, 4.0)
    monkeypatch.setattr(programs, "_SAMPLED_ROWS", 50)
    monkeypatch.setattr(programs, "_MIN_SHARED_WORK", 2 * 75.0**3)
    solver = RadiusMarginSolver(codes, np.ones(400))
    some = solver.sample()
    of_some = minimize_bound(solver.on_rows(some), squared[np.ix_(some, some)], mean, None, 4.0)
    assert of_some.C > 1000 * expected.C
    found = minimize_bound_from_sample(solver, squared, mean, None, 4.0)
    assert_allclose(found.bound, expected.bound, rtol=1e-7)


def test_classes_of_one_row_are_in_the_sample(monkeypatch):
    monkeypatch.setattr(programs, "_MIN_SHARED_WORK", 4 * 60.0**3)
    monkeypatch.setattr(programs, "_SAMPLED_ROWS", 10)
    codes = np.r_[np.zeros(60), 1, np.full(59, 2)].astype(np.int32)
    some = RadiusMarginSolver(codes, np.ones(120)).sample()
    assert_array_equal(np.bincount(codes[some]), [5, 1, 5])
    monkeypatch.setattr(programs, "_SAMPLED_ROWS", 120)
    assert RadiusMarginSolver(codes, np.ones(120)).sample() is None
