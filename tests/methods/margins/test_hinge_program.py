"""The linear programs of L1SVM and FSV: a simplex method against the program written out, and many classes."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fewest import ConcaveMargin, SparseMargin
from fewest._core import HingeSimplex
from fewest.methods.margins import hinge_program as programs

from ...binding import bind
from ...reference.margins.svms import hinge_program, standardized


def simplex(X, signs):
    return HingeSimplex(np.ascontiguousarray(X.T), np.ascontiguousarray(X), signs)


def solved(svm, X, costs, penalties):
    weights, losses = np.empty(X.shape[1]), np.empty(len(X))
    assert svm.solve(costs, penalties, weights, losses)
    return weights, losses


def signs_of(n, rng, share=0.5):
    signs = np.where(rng.random(n) < share, 1.0, -1.0)
    signs[:2] = 1.0, -1.0
    return signs


def tables(rng, n, p):
    """Numbers, a few values, zeros and ones, columns of other units, and rows that are there twice with either sign."""
    yield rng.normal(size=(n, p))
    yield rng.integers(0, 3, size=(n, p)).astype(float)
    yield (rng.random((n, p)) < 0.2).astype(float)
    yield rng.normal(size=(n, p)) * 10.0 ** rng.uniform(-3, 3, size=p)
    yield np.repeat(rng.normal(size=(n // 2 + 1, p)), 2, axis=0)[:n]


@pytest.mark.parametrize(("n", "p"), [(12, 3), (60, 10), (40, 120), (25, 250)])
@pytest.mark.parametrize("share", [0.5, 0.08])
def test_the_simplex_method_reaches_what_the_program_written_out_reaches(n, p, share):
    rng = np.random.default_rng(n)
    for X in tables(rng, n, p):
        signs, penalties = signs_of(n, rng, share), rng.uniform(0.1, 1.0, size=p)
        svm = simplex(X, signs)
        for C in (0.01, 1.0, 30.0, 0.1):  # each from the last
            costs = C * rng.integers(1, 4, size=n)
            weights, losses = solved(svm, X, costs, penalties)
            reached = penalties @ np.abs(weights) + costs @ losses
            assert_allclose(reached, hinge_program(X, signs, costs, penalties)[2], rtol=1e-7, atol=1e-9)
            # The losses are those of the weights, with some intercept.
            shortfalls = signs - X @ weights
            intercepts = np.where(losses > 1e-9, shortfalls - signs * losses, np.nan)
            if (losses > 1e-9).any():
                assert np.nanmax(intercepts) - np.nanmin(intercepts) < 1e-6 * max(1.0, np.abs(shortfalls).max())


def test_a_row_of_one_class_alone_worked_by_hand():
    # x = 1 against -1, -1: nothing is lost at w = 1, b = 0, and |w| = 1 is less than the loss of 2 at w = 0.
    X, signs = np.array([[1.0], [-1.0], [-1.0]]), np.array([1.0, -1.0, -1.0])
    weights, losses = solved(simplex(X, signs), X, np.ones(3), np.ones(1))
    assert_allclose(weights, [1.0])
    assert_allclose(losses, np.zeros(3), atol=1e-12)
    # At a cost of 0.4 the weight would cost more than the loss of the first row, 0.8.
    weights, losses = solved(simplex(X, signs), X, np.full(3, 0.4), np.ones(1))
    assert_array_equal(weights, [0.0])
    assert_allclose(losses, [2.0, 0.0, 0.0], atol=1e-12)


def test_noise_with_all_rows_of_a_class_on_the_margin_takes_few_steps_and_has_no_weights():
    # w = 0, b = -1 is optimal: 570 rows lie on the margin at once, and weights of 1e-11 are none.
    rng = np.random.default_rng(0)
    X, signs = standardized(rng.normal(size=(600, 40))), np.where(np.arange(600) < 30, 1.0, -1.0)
    svm = simplex(X, signs)
    weights, losses = solved(svm, X, np.ones(600), np.ones(40))
    assert_array_equal(weights, np.zeros(40))
    assert_allclose(losses.sum(), 60.0)
    assert svm.n_steps < 600


def test_a_larger_cost_starts_from_the_last_solution():
    # Fewer than two rows a column: the first solution starts without weights.
    rng = np.random.default_rng(1)
    X, signs = rng.normal(size=(300, 160)), signs_of(300, rng)
    X[:, :5] += signs[:, None]
    svm = simplex(X, signs)
    solved(svm, X, np.full(300, 0.5), np.ones(160))
    first = svm.n_steps
    solved(svm, X, np.ones(300), np.ones(160))
    assert svm.n_steps - first < first / 2


@pytest.mark.parametrize(("n", "p", "share"), [(200, 8, 0.5), (400, 60, 0.5), (400, 60, 0.05), (130, 64, 0.3)])
def test_a_start_near_the_optimum_leads_to_it(n, p, share):
    rng = np.random.default_rng(n + p)
    for X in tables(rng, n, p):
        X = np.column_stack([X[:, :-2], X[:, :2] * 3.0])  # two columns depend on others
        signs, penalties = signs_of(n, rng, share), rng.uniform(0.1, 1.0, size=p)
        svm = simplex(X, signs)
        for C in (3.0, 1.0, 100.0):
            costs = C * rng.integers(1, 4, size=n)
            weights, losses = solved(svm, X, costs, penalties)
            reached = penalties @ np.abs(weights) + costs @ losses
            assert_allclose(reached, hinge_program(X, signs, costs, penalties)[2], rtol=1e-7, atol=1e-9)


def test_a_start_near_the_optimum_takes_few_steps_to_the_same_weights():
    rng = np.random.default_rng(7)
    X, signs = standardized(rng.normal(size=(2000, 80))), signs_of(2000, rng)
    X[:, :10] += 0.3 * signs[:, None]
    svm, costs = simplex(X, signs), np.ones(2000)
    weights, _ = solved(svm, X, costs, np.ones(80))
    assert svm.n_steps < 3 * 80  # from w = 0 on there are some 700
    # The vertex does not depend on how it was reached: from a larger cost back to this one.
    solved(svm, X, 4 * costs, np.ones(80))
    again, _ = solved(svm, X, costs, np.ones(80))
    assert_array_equal(again, weights)


@pytest.mark.parametrize("criterion", [SparseMargin, ConcaveMargin])
def test_hundreds_of_classes_are_solved_without_highs(criterion, monkeypatch):
    monkeypatch.setattr(programs, "linprog", None)
    rng = np.random.default_rng(2)
    y = np.arange(450) % 150
    X = rng.normal(size=(450, 12))
    X[:, :3] += 3 * rng.normal(size=(150, 3))[y]
    scores = bind(criterion(), X, y).score_features()
    assert set(np.argsort(-scores)[:3].tolist()) == {0, 1, 2}


@pytest.mark.parametrize("criterion", [SparseMargin, ConcaveMargin])
def test_both_solvers_find_the_same_weights(criterion, monkeypatch):
    rng = np.random.default_rng(3)
    y = np.arange(90) % 3
    X = rng.normal(size=(90, 12))
    X[:, :3] += y[:, None]
    X[:, 5] = X[:, 1]
    by_highs = bind(criterion(), X, y)
    monkeypatch.setattr(programs, "_SMALL", 0)
    by_simplex = bind(criterion(), X, y)
    assert_allclose(by_simplex.weights, by_highs.weights, atol=1e-9)
    assert_allclose(by_simplex.score_features(), by_highs.score_features(), atol=1e-9)
    assert by_simplex.weights[5] == by_simplex.weights[1]


def test_where_the_simplex_method_fails_highs_solves_the_program(monkeypatch):
    class Failing:
        def __init__(self, *_):
            pass

        def solve(self, *_):
            return False

    rng = np.random.default_rng(4)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 6)) + y[:, None]
    expected = bind(SparseMargin(), X, y).weights
    monkeypatch.setattr(programs, "_SMALL", 0)
    monkeypatch.setattr(programs, "HingeSimplex", Failing)
    assert_array_equal(bind(SparseMargin(), X, y).weights, expected)


def test_the_binding_checks_what_it_is_given():
    X, signs = np.ones((3, 2)), np.ones(3)
    with pytest.raises(ValueError, match="columns, rows and signs differ"):
        HingeSimplex(np.ones((2, 4)), X, signs)
    with pytest.raises(ValueError, match="there are no rows"):
        HingeSimplex(np.empty((2, 0)), np.empty((0, 2)), np.empty(0))
    svm = simplex(X, signs)
    with pytest.raises(ValueError, match="one number a row"):
        svm.solve(np.ones(2), np.ones(2), np.empty(2), np.empty(3))
    with pytest.raises(ValueError, match="one number a column"):
        svm.solve(np.ones(3), np.ones(1), np.empty(2), np.empty(3))


@pytest.mark.parametrize("seed", range(6))
def test_the_gain_of_a_column_is_its_penalty_with_a_weight_and_no_more_without(seed):
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(30, 120))
    signs = np.where(rng.random(120) < 0.5, 1.0, -1.0)
    columns[:5] += signs
    costs, penalties = rng.uniform(0.5, 1.5, 120), rng.uniform(5.0, 20.0, 30)
    gains = []
    for rows in (np.ascontiguousarray(columns.T), None):  # by the simplex method, by HiGHS
        program = programs.HingeProgram(columns, signs, rows)
        weights, _ = program.solve(costs, penalties)
        gains.append(program.gains(costs))
        assert 0 < np.count_nonzero(weights) < 30
        assert_allclose(gains[-1][weights != 0], penalties[weights != 0], rtol=1e-9)
        assert (gains[-1] <= penalties * (1 + 1e-9)).all()
    assert_allclose(gains[0], gains[1], rtol=1e-6)
