"""SVMs with few weights: linear programs, and columns rescaled by their weights."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fewest import ConcaveMargin, RescaledMargin, SparseMargin
from fewest.errors import InvalidInput, InvalidParameter

from ...binding import bind
from ...reference.margins.svms import (
    concave_weights,
    hinge_program,
    l1_norms,
    norms,
    one_against_rest,
    rescaled_shares,
    standardized,
)

ALL = (SparseMargin, RescaledMargin, ConcaveMargin)


def table(n, p, n_classes=2, seed=0, shift=1.0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    X = rng.normal(size=(n, p))
    X[:, : max(p // 4, 1)] += shift * y[:, None]
    return X, y


def test_the_l1_svm_of_two_rows_worked_by_hand():
    # |w| + 2 (1 - w) for rows 1 and -1, C = 1: least at w = 1. The column of half the size would cost twice as much.
    X = np.array([[1.0, 0.5], [-1.0, -0.5]])
    assert_allclose(bind(SparseMargin(None), X, [1, 0]).weights, [1.0, 0.0], atol=1e-12)
    # At C = 0.4 the loss is cheaper than any weight: the column enters when C is 0.8.
    late = bind(SparseMargin(None, 0.4), X[:, :1], [1, 0])
    assert_array_equal(late.weights, [0.0])
    assert late.score_features()[0] > 0


def test_rescaling_two_rows_worked_by_hand():
    # Rows (1, 1/2) and (-1, -1/2), C = 1: the SVM on a row x of length s has w = 4 x / (1 + 4 s^2), along x.
    # So z is first in the ratio 1 to 1/2, then z^2 x: 1 to 1/8, and so on, until the second is dropped.
    X = np.array([[1.0, 0.5], [-1.0, -0.5]])
    found = bind(RescaledMargin(None), X, [1, 0])
    assert_allclose(found.weights, [1.0, 0.0], atol=1e-9)
    assert 0 < found.score_features()[1] < 1


def test_the_concave_svm_of_two_rows_worked_by_hand():
    # Hinge loss 1 - w in both classes, and suppression * steepness = 1/4 for |w| at 0, less further on: w = 1 at once.
    found = bind(ConcaveMargin(None), np.array([[1.0], [-1.0]]), [1, 0])
    assert_allclose(found.score_features(), [1.0], rtol=1e-9)
    # Columns of half and a quarter of the size have no weight: with w = 1 there is no loss. In the first program a unit
    # of the first weight gains its penalty, 1/4, a unit of the others 1/8 and 1/16: two ranks below the weight of 1.
    both = bind(ConcaveMargin(None), np.array([[1.0, 0.25, 0.5], [-1.0, -0.25, -0.5]]), [1, 0])
    assert_allclose(both.weights, [1.0, 0.0, 0.0], atol=1e-9)
    assert_allclose(both.score_features(), [1.0, 1 / 3, 2 / 3], rtol=1e-9)
    # 1 - suppression = 0.1 for both losses is 0.2 a unit of w, and a unit of w costs 0.9 * 5: it stays zero.
    assert_array_equal(bind(ConcaveMargin(None, 0.9), np.array([[1.0], [-1.0]]), [1, 0]).weights, [0.0])


@pytest.mark.parametrize(("n", "p", "n_classes"), [(40, 8, 2), (30, 6, 3), (20, 300, 2)])
@pytest.mark.parametrize("shift", [0.3, 3.0])
def test_programs_reach_what_the_reference_reaches(n, p, n_classes, shift):
    X, y = table(n, p, n_classes, shift=shift)
    Z = standardized(X)
    for C in (0.05, 1.0):
        found = bind(SparseMargin(C=C), X, y)
        assert_allclose(found.weights, l1_norms(Z, y, C), atol=1e-6)
        assert_allclose(found.score_features()[found.weights > 0], found.weights[found.weights > 0])
    expected = np.sqrt(sum(concave_weights(Z, signs)[0] ** 2 for signs in one_against_rest(y)))
    assert_allclose(bind(ConcaveMargin(), X, y).weights, expected, atol=1e-6)


def test_each_program_of_the_concave_svm_is_better_than_the_last():
    X, y = table(60, 10, shift=0.5)
    w, values = concave_weights(standardized(X), one_against_rest(y)[0])
    assert len(values) > 1
    assert (np.diff(values) < 1e-9).all()
    assert np.count_nonzero(w) < np.count_nonzero(l1_norms(standardized(X), y))


def test_columns_of_weight_zero_are_ranked_by_when_they_enter():
    X, y = table(60, 10, shift=0.4)
    Z, (signs,) = standardized(X), one_against_rest(y)
    C = 0.02
    found = bind(SparseMargin(C=C), X, y)
    enters = np.full(10, np.inf)
    for step in range(11):
        w = hinge_program(Z, signs, np.full(60, C * 2.0**step), np.ones(10))[0]
        enters[(np.abs(w) > 1e-9) & np.isinf(enters)] = step
    assert len(np.unique(enters)) > 3
    by_score = np.argsort(-found.score_features(), kind="stable")
    assert (np.diff(enters[by_score]) >= 0).all()
    assert_array_equal(found.score_features() > 0, np.isfinite(enters))


@pytest.mark.parametrize(("n", "p", "n_classes"), [(40, 8, 2), (30, 6, 3), (20, 60, 2)])
def test_shares_are_those_of_the_reference(n, p, n_classes):
    for shift in (0.3, 3.0):
        X, y = table(n, p, n_classes, shift=shift)
        expected = rescaled_shares(standardized(X), y)
        found = bind(RescaledMargin(), X, y)
        assert_allclose(found.weights, np.where(expected < 1e-10 * expected.max(), 0, expected), atol=1e-6)


def test_dropped_columns_are_ranked_by_when_they_are_dropped():
    X, y = table(40, 30, shift=1.0)
    Z, z = standardized(X), np.ones(30)
    goes = np.full(30, 99)
    for step in range(30):
        z = z * norms(Z * z, y)
        goes[(z < 1e-10 * z.max()) & (goes == 99)] = step
        z[goes < 99] = 0.0
    scores = bind(RescaledMargin(), X, y).score_features()
    assert len(np.unique(goes)) > 2
    assert (np.diff(goes[np.argsort(-scores, kind="stable")]) <= 0).all()


@pytest.mark.parametrize("criterion", ALL)
class TestEveryCriterion:
    def test_unbalanced_classes_copies_and_constant_columns(self, criterion):
        X, _ = table(40, 9)
        y = (np.arange(40) < 3).astype(int)  # 3 against 37
        X[:, 0] += 8 * y
        X[:, 2] = 5.0
        X[:, 4] = X[:, 0]
        X[:, 7] = 0.0
        scores = bind(criterion(), X, y).score_features()
        assert np.isfinite(scores).all()
        assert_array_equal(scores[[2, 7]], 0.0)
        assert scores[4] == scores[0] > 0
        assert_array_equal(bind(criterion(), np.ones((6, 3)), [0, 1] * 3).score_features(), np.zeros(3))

    def test_scores_of_noise_are_finite(self, criterion):
        for seed in range(3):
            X, y = table(50, 3, 3, seed, shift=0.0)
            scores = bind(criterion(), X, y).score_features()
            assert np.isfinite(scores).all()
            assert (scores >= 0).all()

    def test_a_weight_of_two_is_the_row_twice_to_the_bit(self, criterion):
        X, y = table(30, 12, 3)
        twice = np.arange(30) % 4 == 0
        weighted = bind(criterion(), X, y, np.where(twice, 2.0, 1.0)).score_features()
        repeated = bind(criterion(), np.vstack([X, X[twice]]), np.append(y, y[twice])).score_features()
        assert_array_equal(weighted, repeated)

    def test_missing_values_are_refused(self, criterion):
        X, y = table(20, 3)
        X[3, 1] = np.nan
        with pytest.raises(InvalidInput, match="Input X contains NaN: 1 values are missing, in 1 of 3 columns"):
            bind(criterion(), X, y)


def test_wrong_parameters_are_refused():
    for criterion in (SparseMargin, RescaledMargin):
        with pytest.raises(InvalidParameter, match="C must be a positive number, got 0 instead"):
            criterion(C=0)
    for wrong in (0.0, 1.0, 1.5, "0.05", None):
        with pytest.raises(InvalidParameter, match="suppression must be a positive number below 1, got"):
            ConcaveMargin(suppression=wrong)
    with pytest.raises(InvalidParameter, match="steepness must be a positive number, got -5 instead"):
        ConcaveMargin(steepness=-5)


def test_a_program_that_the_presolve_step_denies_is_solved():
    # The 83rd table of the laws of invariance: penalties of very different sizes.
    random = np.random.default_rng(83)
    n_classes = int(random.integers(2, 4))
    y = np.arange(30) % n_classes
    X = random.normal(size=(30, 6)) + y[:, None] * random.choice([0.0, 0.3, 1.0, 2.0], 6)
    X = np.rint(X * 1024) / 1024
    weights = bind(ConcaveMargin(), X, y).weights
    # Two weights are open: several programs have about the same value.
    expected = np.sqrt(sum(concave_weights(standardized(X), signs)[0] ** 2 for signs in one_against_rest(y)))
    assert_allclose(weights[[0, 1, 4, 5]], expected[[0, 1, 4, 5]], rtol=1e-4, atol=1e-6)
    assert np.argmax(weights) == np.argmax(expected) == 2


def test_penalties_as_small_as_the_tolerances_of_the_solver_are_solved():
    # After a few programs the penalties of X and Y are below 1e-7, and HiGHS's presolve calls the program infeasible.
    from fewest import FSV
    from fewest.datasets import toy_xyz

    data = toy_xyz(100, seed=42)
    chosen = FSV(n_features=2).fit(data.X, data.y)
    assert set(chosen.selection_.indices) == {0, 1}
