"""Newton's method in the kernel weights, and the quadratic program of its steps."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fewest.methods.margins.mkl.fixed_sum_program import minimize_with_fixed_sum
from fewest.methods.margins.mkl.interior_point import InteriorPointMethod
from fewest.methods.margins.mkl.kernel_weight_newton import KernelWeightNewton, _first_copies
from fewest.methods.margins.mkl.mkl_program import MklProgram

from .test_svm_margin import SETTINGS, objective, table


@pytest.mark.parametrize("size", [2, 4])
def test_many_classes_of_three_rows_are_solved_to_the_optimum(size):
    """The interior point method ends with a gap as large as the value."""
    random = np.random.default_rng(0)
    y = np.repeat(np.arange(150), 3)
    X = random.normal(size=(450, 16))
    X[:, :3] += 2 * random.normal(size=(150, 3))[y]
    assert objective(X, y, 1.0, 1.0).subset_svms.relax(size).duality_gap < 1e-11


@pytest.mark.parametrize(("C", "tau"), SETTINGS)
@pytest.mark.parametrize("size", [1, 3, 8])
def test_it_agrees_with_the_interior_point_method(C, tau, size):
    X, y = table(60, 9, 4, seed=3)
    weights = np.random.default_rng(0).uniform(0.5, 3, 60)
    program = objective(X, y, C, tau, weights=weights).subset_svms.program
    newton, interior = KernelWeightNewton(program, size), InteriorPointMethod(program, size)
    newton.run(1e-12)
    interior.run(1e-10)
    assert newton.solution().duality_gap < 1e-9
    assert_allclose(newton.solution().value, interior.solution().value, rtol=1e-7)
    assert_allclose(newton.solution().kernel_weights.sum(), size)


def test_a_warm_start_of_another_size_leads_to_the_same_optimum():
    X, y = table(60, 9, 3, seed=4)
    program = objective(X, y, 1.0, 1.0).subset_svms.program
    found = {}
    for size in (2, 5):
        method = KernelWeightNewton(program, size)
        method.run(1e-12)
        found[size] = method.solution()
    for size, other in ((2, 5), (5, 2)):
        method = KernelWeightNewton(program, size, found[other])
        method.run(1e-12)
        assert_allclose(method.solution().kernel_weights, found[size].kernel_weights, atol=1e-7)


def test_copies_of_a_column_share_its_weight():
    X, y = table(60, 4, 3, seed=5)
    program = objective(np.column_stack([X, X[:, 0]]), y, 1.0, 1.0).subset_svms.program
    method = KernelWeightNewton(program, 2)
    method.run(1e-12)
    weights = method.solution().kernel_weights
    assert method.solution().duality_gap < 1e-9
    assert_allclose(weights[0], weights[4], atol=1e-9)


def test_columns_at_right_angles_take_one_step():
    """With all rows on the quadratic piece u_i = c_i / (ridge + p_i |x_i|^2): one over it is linear in p_i."""
    random = np.random.default_rng(6)
    signs = np.repeat([1.0, -1.0], 20)
    centred = random.normal(size=(40, 5)) + 0.5 * signs[:, None]
    columns = np.linalg.qr(centred - centred.mean(axis=0))[0] * [3.0, 5.0, 4.0, 6.0, 2.0]
    program = MklProgram(np.asfortranarray(columns), signs[None], np.full(40, 1e3), np.full(40, 10.0))
    method = KernelWeightNewton(program, 2)
    assert method.solution().duality_gap > 0.01
    assert method._step()
    found = method.solution()
    assert found.duality_gap < 1e-9
    is_between = (found.kernel_weights > 1e-6) & (found.kernel_weights < 1 - 1e-6)
    assert is_between.sum() >= 2
    squares = found.squared_projections
    assert_allclose(squares[is_between], squares[is_between][0])
    assert squares[found.kernel_weights == 0].max(initial=0.0) <= squares[is_between][0] * (1 + 1e-9)


def test_a_quadratic_program_with_units_worked_by_hand():
    """1 + t = level and 1 - t = 2 level: t = -1/3."""
    found = minimize_with_fixed_sum(np.ones(2), np.eye(2), np.full(2, 0.5), np.array([1.0, 2.0]))
    assert_allclose(found, [1 / 6, 5 / 6], atol=1e-12)


def test_a_quadratic_program_worked_by_hand():
    """Of equal slopes and curvatures all move alike; the largest slope ends at its bound."""
    at = np.full(3, 1 / 3)
    assert_allclose(minimize_with_fixed_sum(np.array([-1.0, -1.0, 0.0]), np.eye(3), at), [0.5, 0.5, 0.0], atol=1e-12)
    assert_array_equal(minimize_with_fixed_sum(np.array([-9.0, 0.0, 0.0]), np.eye(3), at), [1.0, 0.0, 0.0])


@pytest.mark.parametrize("seed", range(4))
def test_no_exchange_between_two_unknowns_lowers_a_quadratic_program(seed):
    random = np.random.default_rng(seed)
    root, gradient = random.normal(size=(12, 6)), random.normal(size=12)
    hessian, at = root @ root.T, random.dirichlet(np.ones(12)) * 4
    at = np.minimum(at, 1.0)
    x = minimize_with_fixed_sum(gradient, hessian, at)
    assert_allclose(x.sum(), at.sum())
    slopes = gradient + hessian @ (x - at)
    # What can still be made smaller has no larger slope than what can be made larger.
    assert slopes[x > 0].max() <= slopes[x < 1].min() + 1e-9


@pytest.mark.parametrize("seed", [45, 58, 61, 69])
def test_unknowns_that_are_rounded_to_one_leave_a_solution(seed):
    """An iterate is so near the bound that 1 less it is zero: there steps were not numbers."""
    random = np.random.default_rng(seed)
    root, at = random.normal(size=(13, 4)), np.r_[np.ones(10), np.zeros(3)]
    hessian, gradient = root @ root.T, -random.gamma(0.3, 1.0, 13)
    x = minimize_with_fixed_sum(gradient, hessian, at)
    assert_allclose(x.sum(), 10)
    slopes = gradient + hessian @ (x - at)
    assert slopes[x > 0].max() <= slopes[x < 1].min() + 1e-9


def test_copies_are_those_of_equal_numbers():
    columns = np.array([[1.0, 0.0, 2.0, -0.0, 1.0, 0.0], [3.0, 4.0, 5.0, 4.0, 3.0, 4.5]])
    assert _first_copies(np.asfortranarray(columns)).tolist() == [0, 1, 2, 1, 0, 5]
