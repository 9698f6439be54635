"""Programs that are solved together: the same answers as one at a time, to the digits that are promised."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from fewest._core import advance_jointly, solve_quadratic_programs
from fewest.methods.kernels.radius_margin import joint_programs
from fewest.methods.kernels.radius_margin.joint_programs import solve_jointly

from ....reference.kernels.radius_margin import ball, margin


def table(kind, n, seed=0):
    """A kernel, and the class of each row."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    codes = np.arange(n) % max(n // 3, 2)
    if kind == "classes of one row":
        codes = np.arange(n)
    if kind == "duplicate rows":
        X[n // 2 :] = X[: n - n // 2]
    if kind == "constant columns":
        X[:, 1:] = 7.0
    if kind == "one point":
        X[:] = 1.0
    if kind == "far rows":
        X[::5] *= 30.0
    squared = np.square(X[:, None] - X).sum(axis=2)
    return np.exp(-squared / max(squared.mean(), 1e-300)), codes


KINDS = ("random", "classes of one row", "duplicate rows", "constant columns", "one point", "far rows")


def programs(kernel, codes):
    """The margin of each class against the rest, and the ball, as arrays."""
    n = len(kernel)
    signs = np.array([*(np.where(codes == c, 1.0, -1.0) for c in np.unique(codes)), np.ones(n)])
    gains = np.ones_like(signs)
    gains[-1] = np.diag(kernel) / 2
    return signs, gains, np.array([0.0] * (len(signs) - 1) + [1.0])


def one_by_one(kernel, ridge, signs, gains, totals):
    x, offsets, n_steps = np.zeros_like(signs), np.zeros(len(signs)), np.zeros(len(signs), dtype=np.int64)
    solve_quadratic_programs(kernel, ridge, signs, gains, totals, x, offsets, n_steps, 1)
    assert (n_steps > 0).all()
    return x, offsets


def together(kernel, ridge, signs, gains, totals, x=None):
    x, offsets = np.zeros_like(signs) if x is None else x.copy(), np.zeros(len(signs))
    is_solved, values, _ = solve_jointly(kernel, ridge, signs, gains, totals, x, offsets)
    return x, offsets, is_solved, values


def test_two_rows_by_hand():
    # K = [[1, k], [k, 1]]: a = 1/(1 + 1/C - k) on both sides, ||w||^2 = 2a; the centre of the ball half way.
    kernel = np.array([[1, 0.25], [0.25, 1]])
    signs, gains = np.array([[1.0, -1], [1, 1]]), np.array([[1, 1], [0.5, 0.5]])
    x, offsets, is_solved, values = together(kernel, np.full(2, 0.5), signs, gains, np.array([0.0, 1.0]))
    assert is_solved.all()
    assert_allclose(x, [[0.8, 0.8], [0.5, 0.5]], rtol=1e-8)
    assert_allclose(offsets, [0, 0.5 - 0.625 - 0.25], atol=1e-8)
    assert_allclose(values, [1.6, 1 - 0.625 - 0.25], rtol=1e-14)


@pytest.mark.parametrize("C", [1e-3, 0.12, 1.0])
@pytest.mark.parametrize("kind", KINDS)
def test_they_have_the_answers_of_programs_that_are_solved_one_by_one(kind, C):
    kernel, codes = table(kind, 60)
    ridge = (1 / C) / np.random.default_rng(1).integers(1, 4, size=60)
    arrays = programs(kernel, codes)
    expected, expected_offsets = one_by_one(kernel, ridge, *arrays)
    for start in (None, expected, 1.0 + expected):  # from nothing, from the answer, from a sum that is wrong
        x, offsets, is_solved, values = together(kernel, ridge, *arrays, start)
        assert is_solved.all()
        assert (x >= 0).all()
        assert (np.abs(x - expected).max(axis=1) <= 3e-8 * np.linalg.norm(expected, axis=1)).all()
        assert_allclose((arrays[0] * x).sum(axis=1), arrays[2], atol=1e-7 * expected.max())
        assert_allclose(offsets, expected_offsets, atol=1e-6)
        z = arrays[0] * expected
        exact = 2 * (arrays[1] * expected).sum(axis=1) - ((z @ kernel + ridge * z) * z).sum(axis=1)
        assert_allclose(values, exact, rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_they_have_the_optimum_of_a_general_solver(kind):
    kernel, codes = table(kind, 12, seed=3)
    signs, gains, totals = programs(kernel, codes)
    x, _, is_solved, values = together(kernel, np.full(12, 2.0), signs, gains, totals)
    assert is_solved.all()
    for p in range(len(signs) - 1):
        value, a = margin(kernel, signs[p], 0.5)
        assert_allclose(values[p], value, rtol=1e-8)
        assert_allclose(x[p], a, atol=1e-6 * a.max())
    value, b = ball(kernel, 0.5)
    assert_allclose(values[-1] + 2.0, value, rtol=1e-8)  # 1/C sum b of the ridge on the diagonal
    assert_allclose(x[-1], b, atol=1e-6)


def best_value(H, gain, sign, total):
    """max 2 gain'a - a'Ha over a >= 0 with sign'a = total, by SciPy."""
    n = len(H)
    found = minimize(
        lambda a: a @ H @ a - 2 * gain @ a,
        np.full(n, total / n),
        jac=lambda a: 2 * H @ a - 2 * gain,
        bounds=[(0, None)] * n,
        constraints={"type": "eq", "fun": lambda a: sign @ a - total, "jac": lambda a: sign},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return -found.fun


@pytest.mark.parametrize("seed", range(4))
def test_rows_may_have_ridges_of_their_own(seed):
    kernel, codes = table("random", 20, seed)
    signs, gains, totals = programs(kernel, codes)
    ridge = np.random.default_rng(seed).uniform(1, 3, size=20)
    _, _, is_solved, values = together(kernel, ridge, signs, gains, totals)
    assert is_solved.all()
    for p in range(len(signs)):
        H = np.outer(signs[p], signs[p]) * (kernel + np.diag(ridge))
        assert_allclose(values[p], best_value(H, gains[p], signs[p], totals[p]), rtol=1e-7)


def test_any_number_of_threads_gives_the_same_bits(monkeypatch):
    kernel, codes = table("duplicate rows", 90)
    arrays = programs(kernel, codes)
    found = []
    for n_threads in (1, 2, 4):
        monkeypatch.setattr(joint_programs, "thread_count", lambda n_threads=n_threads: n_threads)
        found.append(together(kernel, np.full(90, 4.0), *arrays))
    for other in found[1:]:
        for expected, numbers in zip(found[0], other, strict=True):
            assert_array_equal(numbers, expected)


def test_products_that_lose_digits_are_computed_anew(monkeypatch):
    monkeypatch.setattr(joint_programs, "_TOLERANCE", 1e-12)
    kernel, codes = table("random", 60)
    arrays = programs(kernel, codes)
    expected, _ = one_by_one(kernel, np.full(60, 1.0), *arrays)
    states = []

    def watched(*arguments):
        n_going = advance_jointly(*arguments)
        states.append(arguments[12].copy())
        return n_going

    monkeypatch.setattr(joint_programs, "advance_jointly", watched)
    x, _, is_solved, _ = together(kernel, np.full(60, 1.0), *arrays)
    assert is_solved.all()
    assert (np.array(states) == 3).any()
    assert_allclose(x, expected, atol=1e-11 * expected.max())


def test_what_takes_too_many_rounds_is_left_as_it_was(monkeypatch):
    monkeypatch.setattr(joint_programs, "_MAX_ROUNDS", 3)
    kernel, codes = table("random", 60)
    start = np.zeros((21, 60))
    x, offsets, is_solved, _ = together(kernel, np.full(60, 1e-4), *programs(kernel, codes), start)
    assert not is_solved.all()
    assert_array_equal(x[~is_solved], 0.0)
    assert_array_equal(offsets[~is_solved], 0.0)


def test_a_matrix_that_is_not_positive_definite_is_noticed():
    kernel = np.array([[1.0, 5.0], [5.0, 1.0]])
    signs = np.array([[1.0, -1.0], [1.0, 1.0]])
    _, _, is_solved, _ = together(kernel, np.full(2, 0.1), signs, np.array([[1.0, 1], [1, 0.5]]), np.array([0, 1.0]))
    assert not is_solved.any()


@pytest.mark.parametrize("wrong", [
    {"kernel": np.ones((2, 3))}, {"kernel": np.ones((0, 0))}, {"ridge": np.ones(3)}, {"ridge": np.array([1, 0.0])},
    {"signs": np.ones((1, 3))}, {"gains": np.ones((2, 2))}, {"totals": np.ones(2)}, {"z": np.ones((1, 3))},
    {"reach": np.ones((2, 2))}, {"free": np.ones((1, 1))}, {"directions": np.ones((1, 1))},
    {"numbers": np.ones((2, 1))}, {"states": np.ones(2, dtype=np.int64)},
    {"products": np.ones((1, 1), dtype=np.float32)}, {"rounded": np.ones((2, 2), dtype=np.float32)},
], ids=str)  # fmt: skip
def test_arguments_that_do_not_fit_are_rejected(wrong):
    arguments = {
        "kernel": np.eye(2), "ridge": np.ones(2), "signs": np.ones((1, 2)), "gains": np.ones((1, 2)),
        "totals": np.ones(1), "largest": 1.0, "tolerance": 1e-8, "z": np.full((1, 2), 0.5),
        "reach": np.full((1, 2), 0.5), "free": np.ones((1, 2)), "directions": np.zeros((1, 2)),
        "numbers": np.zeros((3, 1)), "states": np.zeros(1, dtype=np.int64),
        "products": np.zeros((1, 2), dtype=np.float32), "rounded": np.zeros((1, 2), dtype=np.float32), "n_threads": 1,
    }  # fmt: skip
    assert advance_jointly(**arguments) == 0
    assert arguments["states"][0] == 2
    with pytest.raises(ValueError):
        advance_jointly(**{**arguments, **wrong})
