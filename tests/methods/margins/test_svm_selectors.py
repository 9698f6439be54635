"""The selectors of linear SVMs: what they take, refuse and report."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.feature_selection import RFE
from sklearn.svm import SVC, LinearSVC

from fewest import FSV, L0SVM, L1SVM, SVMRFE, FeatureSelector, LinearMargin, RecursiveElimination, SVMWeights
from fewest.errors import InvalidInput, InvalidParameter

from ...cli.running import run
from ...reference.margins.svms import elimination_order, l1_norms, norms, rescaled_shares, standardized

ALL = (SVMWeights, SVMRFE, L1SVM, L0SVM, FSV)


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


def wide(n=24, p=90, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, 6))[:, rng.integers(0, 6, p)] + rng.normal(size=(n, p))
    X[:, ::7] += 0.8 * y[:, None]
    return X, y


def test_scores_are_those_of_the_formulas(wine):
    X, y = wine
    Z = standardized(X)
    assert_allclose(SVMWeights().fit(X, y).scores_, norms(Z, y), rtol=1e-8)
    assert_allclose(L1SVM().fit(X, y).weights_, l1_norms(Z, y), atol=1e-6)
    assert_allclose(L0SVM().fit(X, y).weights_, rescaled_shares(Z, y), atol=1e-6)


@pytest.mark.parametrize("step", [1, 3])
def test_elimination_is_that_of_the_reference(step):
    for X, y in (wide(), load_iris(return_X_y=True)):
        fitted = SVMRFE(step=step, n_features=X.shape[1]).fit(X, y)
        assert list(fitted.selection_.indices) == elimination_order(standardized(X), y, step=step)


@pytest.mark.parametrize("step", [1, 0.1])
def test_elimination_is_that_of_scikit_learn_at_a_fine_tolerance(step):
    X, y = wide(40, 120, seed=1)
    theirs = RFE(LinearSVC(dual=True, tol=1e-9, max_iter=1_000_000), n_features_to_select=1, step=step)
    expected = theirs.fit(standardized(X), y).ranking_
    ours = SVMRFE(step=step, n_features=120).fit(X, y).ranking_
    # Columns eliminated together share a rank there.
    assert (np.diff(expected[np.argsort(ours)]) >= 0).all()
    assert step != 1 or ours.tolist() == expected.tolist()


def test_n_features_only_cuts_the_list():
    X, y = wide()
    whole = SVMRFE(n_features=90).fit(X, y)
    some = SVMRFE(n_features=5).fit(X, y)
    assert some.selection_.indices == whole.selection_.indices[:5]
    assert_array_equal(some.scores_, whole.scores_)
    assert_array_equal(whole.scores_, 90 - whole.ranking_)


def test_copies_and_constant_columns_are_eliminated_first():
    X, y = load_iris(return_X_y=True)
    X = np.column_stack([X, X[:, 2], np.ones(len(y))])
    order = SVMRFE(n_features=6).fit(X, y).selection_.indices
    assert order[-1] == 5
    assert order.index(2) < order.index(4)  # of two copies the lower stays
    plain = SVMRFE(n_features=4).fit(X[:, :4], y).selection_.indices
    assert set(plain[:2]) <= set(order[:3])


@pytest.mark.parametrize("selector", ALL)
def test_sample_weights_are_repetitions(selector, wine):
    X, y = wine
    X, y = X[::3], y[::3]
    counts = 1 + np.arange(len(y)) % 3
    weighted = selector().fit(X, y, sample_weight=counts)
    repeated = selector().fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    assert_array_equal(weighted.scores_, repeated.scores_)
    rows = np.random.default_rng(0).permutation(len(y))
    assert_array_equal(selector().fit(X[rows], y[rows], counts[rows]).scores_, weighted.scores_)


@pytest.mark.parametrize("selector", ALL)
def test_missing_values_and_one_class_are_refused(selector, wine):
    X, y = wine
    with_missing = X.copy()
    with_missing[3, 1] = np.nan
    with pytest.raises(InvalidInput, match=r"Input X contains NaN: 1 values are missing.*Impute them first"):
        selector().fit(with_missing, y)
    with pytest.raises(InvalidInput, match="at least two classes"):
        selector().fit(X, np.zeros(len(y)))


def test_columns_with_missing_values_are_those_of_the_table_not_indicators_of_its_text():
    table = pd.DataFrame({"colour": list("abcd") * 10, "size": np.arange(40.0), "weight": [np.nan, *range(39)]})
    with pytest.raises(InvalidInput, match=r"1 values are missing, in 1 of 3 columns \(the first is 'weight'\)"):
        SVMRFE().fit(table, ["x", "y"] * 20)


@pytest.mark.parametrize("selector", ALL)
def test_sparse_and_dense_tables_give_the_same_scores(selector):
    rng = np.random.default_rng(0)
    X, y = rng.poisson(0.3, (60, 12)).astype(float), rng.integers(0, 3, 60)
    assert_array_equal(selector().fit(sparse.csr_array(X), y).scores_, selector().fit(X, y).scores_)


@pytest.mark.parametrize("selector", ALL)
def test_three_rows_against_many_are_separated(selector):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 30)), (np.arange(40) < 3).astype(int)
    X[:, 11] += 9.0 * y
    fitted = selector(n_features=1).fit(X, y)
    assert fitted.selection_.indices == (11,)
    assert np.isfinite(fitted.scores_).all()


def test_a_note_says_which_columns_follow_in_table_order():
    X, y = wide(p=40)
    fitted = L1SVM(n_features=40).fit(X, y)
    n_scored = np.count_nonzero(fitted.scores_)
    assert 0 < n_scored < 40
    assert fitted.notes_ == (
        f"the SVMs use {n_scored} columns; the other selected columns follow in table order, not by score",
    )
    rest = fitted.selection_.indices[n_scored:]
    assert list(rest) == sorted(rest)
    assert L1SVM(n_features=2).fit(X, y).notes_ == ()


@pytest.mark.parametrize("n_rows", [40, 800])
def test_columns_without_a_weight_follow_in_the_order_of_the_first_program_however_the_table_is_ordered(n_rows):
    # 800 rows of 30 columns are solved by the simplex method, 40 by HiGHS.
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n_rows)
    X = rng.normal(size=(n_rows, 30)) + y[:, None] * np.r_[2.0, np.linspace(0.8, 0, 29)]
    X[:, 29] = 1.0
    fitted = FSV(n_features=30).fit(X, y)
    n_used = np.count_nonzero(fitted.weights_)
    assert 0 < n_used < 29
    assert fitted.notes_ == (
        f"the SVMs use {n_used} columns; the others follow in the order of an SVM with an L1 penalty",
    )
    assert fitted.scores_[29] == 0.0
    assert fitted.selection_.indices[-1] == 29
    assert (fitted.scores_[:29] > 0).all()
    order = rng.permutation(30)
    other = FSV(n_features=30).fit(X[:, order], y)
    assert [int(order[column]) for column in other.selection_.indices] == list(fitted.selection_.indices)
    assert FSV(n_features=1).fit(X, y).notes_ == ()


def test_large_penalties_and_other_scales_give_finite_scores():
    X, y = load_breast_cancer(return_X_y=True)
    for selector in (SVMWeights(scale=None), SVMRFE(scale=None), SVMRFE(C=1e6), L0SVM(scale="range"), L0SVM(C=1e-6)):
        scores = selector.fit(X[::4], y[::4]).scores_
        assert np.isfinite(scores).all()
    assert np.isfinite(L1SVM(scale="range").fit(X[::4], y[::4]).scores_).all()
    assert np.isfinite(FSV(scale=None, suppression=0.5).fit(X[::4], y[::4]).scores_).all()


def test_wrong_parameters_are_refused_before_anything_is_read():
    for selector in (SVMWeights(C=0), SVMRFE(C="1"), SVMRFE(step=0), L1SVM(C=-1), L0SVM(C=None), FSV(1.0), FSV(0.1, 0)):
        with pytest.raises(InvalidParameter, match=r"got .* instead"):
            selector.fit(None, None)


def test_a_feature_selector_with_the_same_parts_gives_the_same_selection(wine):
    chosen = FeatureSelector(LinearMargin(), RecursiveElimination(2), n_features=4).fit(*wine)
    assert chosen.selection_.indices == SVMRFE(step=2, n_features=4).fit(*wine).selection_.indices


def test_the_command_knows_them(capsys):
    for name in ("svm-weights", "svm-rfe", "l1-svm", "l0-svm", "fsv"):
        assert run("select", "wine", "--method", name, "--features", "2") == 0
    assert run("select", "wine", "--method", "svm-rfe", "--features", "2", "--set", "step=0.5") == 0


@pytest.mark.parametrize(("n", "p", "n_classes"), [(40, 6, 2), (15, 30, 2), (60, 5, 3)])
@pytest.mark.parametrize("C", [0.1, 1.0])
def test_hinge_weights_are_those_of_scikit_learns_svm(n, p, n_classes, C):
    rng = np.random.default_rng(n)
    y = rng.permutation(np.arange(n) % n_classes)
    X = rng.normal(size=(n, p)) + 0.7 * rng.normal(size=(n_classes, p))[y]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    classes = [0] if n_classes == 2 else range(n_classes)
    theirs = [SVC(C=C, kernel="linear", tol=1e-10).fit(X, y == c).coef_[0] for c in classes]
    fitted = SVMWeights(C, loss="hinge", tau=1e-9, scale=None).fit(X, y)
    assert_allclose(fitted.scores_, np.linalg.norm(theirs, axis=0), rtol=1e-5, atol=1e-7)
    assert_allclose(SVMWeights(C, loss="hinge", scale=None).fit(X, y).scores_, fitted.scores_, rtol=0.1, atol=0.01)


def test_hinge_weights_are_those_of_scikit_learns_svm_on_300_random_and_degenerate_tables():
    for seed in range(300):
        rng = np.random.default_rng(seed)
        n, p, n_classes = int(rng.integers(4, 16)), int(rng.integers(1, 8)), int(rng.integers(2, 4))
        y = rng.permutation(np.arange(n) % n_classes)
        X = rng.normal(size=(n, p)) + rng.normal(size=(n_classes, p))[y]
        kind = seed % 4
        if kind == 1:
            X[:, 0] = 2.0
        elif kind == 2:
            X[:, -1] = X[:, 0]
        elif kind == 3:
            X = np.rint(X)
        X, C = X - X.mean(axis=0), float(rng.choice([0.1, 1.0]))
        theirs = [SVC(C=C, kernel="linear", tol=1e-6).fit(X, y == c).coef_[0] for c in np.unique(y)[n_classes == 2 :]]
        found = SVMWeights(C, loss="hinge", tau=1e-9, scale=None).fit(X, y).scores_
        assert_allclose(found, np.linalg.norm(theirs, axis=0), rtol=1e-3, atol=1e-4, err_msg=str(seed))


def test_hinge_weights_worked_by_hand():
    # Rows +-(1, 1/2) of two classes, tau = 1: 4a - 2a^2 - 5a^2 is largest at a = 2/7, and w = (2a, a). The copy of the
    # first column makes it 4a - 2a^2 - 9a^2: a = 2/11.
    X, y = np.array([[1.0, 0.5], [-1.0, -0.5]]), [1, 0]
    soft = SVMWeights(loss="hinge", tau=1.0, scale=None)
    assert_allclose(soft.fit(X, y).scores_, [4 / 7, 2 / 7])
    with_copy = soft.fit(X[:, [0, 0, 1]], y).scores_
    assert_allclose(with_copy, [4 / 11, 4 / 11, 2 / 11])
    assert with_copy[0] == with_copy[1]
    assert_allclose(soft.fit(np.column_stack([X, [3.0, 3.0]]), y).scores_, [4 / 7, 2 / 7, 0])
    for wrong, says in (
        ({"loss": "l2"}, "loss must be"),
        ({"loss": "hinge", "tau": 0}, "tau must be"),
        ({"tau": -np.inf}, "tau"),
    ):
        with pytest.raises(InvalidParameter, match=says):
            SVMWeights(**wrong).fit(X, y)
