"""Quadratic programs in the compiled core: solved to the last digits, the same to the bit whatever computes them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fewest._core import solve_quadratic_programs

from ...core.levels import LEVELS_HERE, at_level
from ...reference.kernels.radius_margin import ball, gaussian_kernel, margin


def solved(kernel, C, signs, gains, totals, x=None, offsets=None, n_threads=1, *inverse):
    signs, gains = np.array(signs, dtype=float), np.array(gains, dtype=float)
    x = np.zeros_like(signs) if x is None else x.copy()
    offsets = np.zeros(len(signs)) if offsets is None else offsets.copy()
    n_steps = np.zeros(len(signs), dtype=np.int64)
    ridge = np.full(len(kernel), 1 / C)
    totals = np.array(totals, dtype=float)
    solve_quadratic_programs(kernel, ridge, signs, gains, totals, x, offsets, n_steps, n_threads, *inverse)
    assert (n_steps > 0).all()
    return x, offsets


def programs(seed, n, eta, n_columns=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_columns)).round(1 if seed % 2 else 9)
    if seed % 3 == 0:
        X[n // 2 :] = X[: n - n // 2]  # rows that are there twice, perhaps on both sides
    y = np.where(X[:, 0] + rng.normal(size=n) > 0, 1.0, -1.0)
    y[:2] = [1, -1]
    kernel = np.exp(-eta * np.square(X[:, None] - X).sum(axis=2))
    return kernel, [y, np.ones(n)], [np.ones(n), np.diag(kernel) / 2], [0, 1]


def broken(kernel, C, signs, gain, total, x, offset):
    """By how much the conditions of the optimum are broken."""
    z = signs * x
    slope = signs * (kernel @ z + z / C + offset) - gain
    assert (x >= 0).all()
    return max(abs(signs @ x - total), np.abs(np.where(x > 0, slope, np.minimum(slope, 0))).max())


def test_two_rows_by_hand():
    # K = [[1, k], [k, 1]]: a = 1/(1 + 1/C - k) on both sides, and the centre of the ball half way.
    kernel = np.array([[1, 0.25], [0.25, 1]])
    x, _ = solved(kernel, 2.0, [[1, -1], [1, 1]], [[1, 1], [0.5, 0.5]], [0, 1])
    assert_allclose(x, [[0.8, 0.8], [0.5, 0.5]], rtol=1e-15)


@pytest.mark.parametrize("C", [0.01, 1.0, 50.0])
@pytest.mark.parametrize("seed", range(6))
def test_both_programs_have_the_optimum_of_a_general_solver(seed, C):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 14))
    X = rng.normal(size=(n, 2))
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    y[:2] = [1, -1]
    kernel = gaussian_kernel(X, [0.5, 2.0]) if seed % 2 else X @ X.T
    (a, b), _ = solved(kernel, C, [y, np.ones(n)], [np.ones(n), np.diag(kernel) / 2], [0, 1])
    value, expected = margin(kernel, y, C)
    assert_allclose(a.sum(), value, rtol=1e-8)
    assert_allclose(a, expected, rtol=1e-8, atol=1e-8 * expected.max())
    value, expected = ball(kernel, C)
    ridged = kernel + np.eye(n) / C
    assert_allclose(b @ np.diag(ridged) - b @ ridged @ b, value, rtol=1e-8)
    assert_allclose(b, expected, atol=1e-8)


@pytest.mark.parametrize("n", [2, 5, 37, 130])
@pytest.mark.parametrize("C", [1e-6, 1.0, 1e3, 2.0**14])
@pytest.mark.parametrize("eta", [0.0, 1e-3, 0.5, 30.0])
def test_the_conditions_of_the_optimum_hold(n, C, eta):
    for seed in range(3):
        kernel, signs, gains, totals = programs(seed, n, eta)
        x, offsets = solved(kernel, C, signs, gains, totals)
        for p in range(2):
            allowed = 1e-10 * max(1.0, np.abs(x[p]).max() / C, 1e-4 * np.abs(x[p]).sum())
            assert broken(kernel, C, signs[p], gains[p], totals[p], x[p], offsets[p]) <= allowed


def test_the_start_hardly_matters():
    kernel, signs, gains, totals = programs(1, 60, 0.5)
    cold, _ = solved(kernel, 10.0, signs, gains, totals)
    warm, offsets = solved(kernel**0.9, 3.0, signs, gains, totals)
    assert_allclose(solved(kernel, 10.0, signs, gains, totals, warm, offsets)[0], cold, rtol=1e-9, atol=1e-12)
    anywhere = np.random.default_rng(0).random((2, 60)) * 100
    assert_allclose(solved(kernel, 10.0, signs, gains, totals, anywhere)[0], cold, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("n", [3, 8, 61, 100])
def test_every_level_and_any_number_of_threads_give_the_same_bits(n):
    kernel, signs, gains, totals = programs(2, n, 0.5)
    found = []
    for level in LEVELS_HERE:
        with at_level(level):
            found.append(solved(kernel, 10.0, signs, gains, totals, n_threads=1)[0])
    found.append(solved(kernel, 10.0, signs, gains, totals, n_threads=4)[0])
    for other in found[1:]:
        assert_array_equal(other, found[0])


def test_zero_steps_are_reported_for_a_program_that_cannot_be_solved():
    n_steps, x = np.ones(1, dtype=np.int64), np.zeros((1, 2))
    kernel = np.array([[1.0, 5.0], [5.0, 1.0]])  # not positive definite
    solve_quadratic_programs(
        kernel, np.ones(2), np.ones((1, 2)), np.ones((1, 2)), np.zeros(1), x, np.zeros(1), n_steps, 1
    )  # fmt: skip
    assert n_steps[0] == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"kernel": np.ones((2, 3))}, {"kernel": np.ones((0, 0))}, {"ridge": np.ones(3)}, {"ridge": np.array([1, 0.0])},
        {"ridge": np.array([1.0, np.nan])}, {"signs": np.ones((1, 3))}, {"gains": np.ones((2, 2))},
        {"x": np.ones((1, 3))}, {"totals": np.ones(2)}, {"offsets": np.ones(0)},
        {"n_steps": np.ones(2, dtype=np.int64)},
    ],
    ids=str,
)  # fmt: skip
def test_arguments_that_do_not_fit_are_rejected(wrong):
    arguments = {
        "kernel": np.eye(2), "ridge": np.ones(2), "signs": np.ones((1, 2)), "gains": np.ones((1, 2)),
        "totals": np.ones(1), "x": np.zeros((1, 2)), "offsets": np.zeros(1), "n_steps": np.ones(1, dtype=np.int64),
        "n_threads": 1,
    }  # fmt: skip
    solve_quadratic_programs(**arguments)
    with pytest.raises(ValueError):
        solve_quadratic_programs(**{**arguments, **wrong})


@pytest.mark.parametrize("C", [1e-3, 0.3, 50.0, 2.0**14])
@pytest.mark.parametrize("eta", [0.02, 0.5, 30.0])
def test_an_inverse_leads_to_the_same_answers(C, eta):
    for seed in range(4):
        kernel, signs, gains, totals = programs(seed, 80, eta)
        expected, offsets = solved(kernel, C, signs, gains, totals)
        inverse = np.linalg.inv(kernel + np.eye(80) / C)
        inverse = np.ascontiguousarray((inverse + inverse.T) / 2)
        products = (np.array(signs) * np.array(gains)) @ inverse
        for start in (None, expected, 1.0 + expected):  # from nothing, from the answer, from all rows
            x, found = solved(kernel, C, signs, gains, totals, start, None, 1, None, inverse, products)
            assert_allclose(x, expected, rtol=1e-9, atol=1e-11 * expected.max())
            assert_allclose(found, offsets, rtol=1e-9, atol=1e-11)


def test_an_inverse_that_is_none_is_noticed():
    kernel, signs, gains, totals = programs(0, 40, 0.5)
    expected, _ = solved(kernel, 1.0, signs, gains, totals)
    wrong = np.linalg.inv(kernel + 1.5 * np.eye(40))
    wrong = np.ascontiguousarray((wrong + wrong.T) / 2)
    products = (np.array(signs) * np.array(gains)) @ wrong
    x, _ = solved(kernel, 1.0, signs, gains, totals, None, None, 1, None, wrong, products)
    assert_allclose(x, expected, rtol=1e-9, atol=1e-12)


def test_programs_with_too_many_free_rows_are_left_as_they_were():
    kernel, signs, gains, totals = programs(0, 30, 0.5)
    x, offsets, n_steps = np.zeros((2, 30)), np.zeros(2), np.zeros(2, dtype=np.int64)
    arrays = np.array(signs), np.array(gains), np.array(totals, dtype=float)
    solve_quadratic_programs(kernel, np.ones(30), *arrays, x, offsets, n_steps, 1, 29)
    assert_array_equal(n_steps, [-1, -1])
    assert not x.any()
