"""Non-monotonic MKL as a selector."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, load_wine

from fewest import FisherScore, NonMonotonicMKL
from fewest.datasets import toy_xyz
from fewest.errors import InvalidParameter

from ...reference.margins.svm_margin import solved_qcqp, standardized


@pytest.mark.parametrize("seed", range(3))
def test_the_best_feature_is_not_among_the_best_two(seed):
    toy = toy_xyz(100, seed=seed)
    for size, best in ((1, {2}), (2, {0, 1})):
        assert set(NonMonotonicMKL(n_features=size).fit(toy.X, toy.y).selection_.indices) == best
    path = NonMonotonicMKL(n_features=3, path=True).fit(toy.X, toy.y).selection_.path
    assert [set(columns) for columns in path.values()] == [{2}, {0, 1}, {0, 1, 2}]
    assert FisherScore(n_features=2).fit(toy.X, toy.y).selection_.indices[0] == 2


def test_c_and_tau_are_chosen_by_cross_validation():
    toy = toy_xyz(60, seed=5)
    fitted = NonMonotonicMKL("auto", "auto", n_features=2).fit(toy.X, toy.y)
    assert set(fitted.selection_.indices) == {0, 1}
    assert fitted.C_ in (1.0, 0.1, 0.01)
    assert fitted.tau_ in (1.0, 10.0)
    assert any("chosen by 5-fold cross-validation among 6" in note for note in fitted.notes_)
    rows = np.random.default_rng(0).permutation(60)
    again = NonMonotonicMKL("auto", "auto", n_features=2).fit(toy.X[rows], toy.y[rows])
    assert (again.C_, again.tau_) == (fitted.C_, fitted.tau_)
    assert_array_equal(again.scores_, fitted.scores_)
    one = NonMonotonicMKL(tau="auto", n_features=1).fit(toy.X, toy.y)
    assert one.C_ == 1.0


def test_the_first_of_equals_is_chosen_and_another_where_it_errs_less():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 30)
    X = rng.normal(size=(60, 3))
    X[:, 1] = 10 * y
    plain = NonMonotonicMKL("auto", "auto", n_features=1).fit(X, y)
    assert (plain.C_, plain.tau_) == (1.0, 1.0)
    toy = toy_xyz(60, seed=5)
    for size in (1, 2):
        errors = {}
        for C in (1.0, 0.1, 0.01):
            # The error of each C on the same folds.
            fitted = NonMonotonicMKL(C, n_features="auto", max_features=size, rule="min").fit(toy.X, toy.y)
            errors[C] = fitted.size_curve_[size][0]
        chosen = NonMonotonicMKL("auto", n_features=size).fit(toy.X, toy.y)
        assert min(errors, key=errors.get) == chosen.C_
        assert chosen.tau_ == 1.0
        alike = NonMonotonicMKL(chosen.C_, n_features=size).fit(toy.X, toy.y)
        assert_array_equal(chosen.scores_, alike.scores_)
    path = NonMonotonicMKL("auto", n_features=2, path=True).fit(toy.X, toy.y)
    assert list(path.selection_.path) == [1, 2]
    assert path.C_ == chosen.C_


def test_the_size_is_chosen_by_cross_validation():
    toy = toy_xyz(120, seed=1)
    fitted = NonMonotonicMKL(n_features="auto").fit(toy.X, toy.y)
    assert set(fitted.selection_.indices) == {0, 1}
    assert list(fitted.size_curve_) == [1, 2, 3]


def test_fitted_attributes_describe_the_relaxed_svm():
    X, y = load_wine(return_X_y=True)
    X, y = X[y < 2], y[y < 2]
    fitted = NonMonotonicMKL(n_features=4).fit(X, y)
    assert fitted.weights_.shape == fitted.relaxed_.shape == (13,)
    assert_allclose(fitted.relaxed_.sum(), 4)
    assert fitted.dual_.shape == y.shape
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    beta = fitted.dual_ * np.where(y == 1, 1, -1)
    assert_allclose(fitted.weights_, fitted.relaxed_ * (scaled.T @ beta), atol=1e-10)
    assert np.corrcoef(scaled @ fitted.weights_, y)[0, 1] > 0.8
    assert fitted.selection_.bound <= fitted.selection_.value
    renamed = NonMonotonicMKL(n_features=4).fit(X, np.array(["b", "a"])[y])
    assert_array_equal(renamed.scores_, fitted.scores_)
    assert_array_equal(renamed.weights_, -fitted.weights_)


def test_more_classes_share_their_features():
    X, y = load_iris(return_X_y=True)
    fitted = NonMonotonicMKL(n_features=2).fit(X, y)
    values = {
        pair: NonMonotonicMKL(n_features=2).fit(X[:, pair], y).selection_.value for pair in combinations(range(4), 2)
    }
    assert tuple(sorted(fitted.selection_.indices)) == min(values, key=values.get)
    assert fitted.weights_.shape == (3, 4)
    assert fitted.dual_.shape == (3, 150)
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    for c in range(3):
        beta = fitted.dual_[c] * np.where(y == c, 1, -1)
        assert_allclose(fitted.weights_[c], fitted.relaxed_ * (scaled.T @ beta), atol=1e-10)


def test_the_bound_of_theorem_6_holds():
    toy = toy_xyz(60, seed=2)
    fitted = NonMonotonicMKL(C=0.1, n_features=2, theorem=True).fit(toy.X, toy.y)
    assert fitted.theorem_bound_ >= fitted.selection_.value / fitted.selection_.bound
    p, scaled = fitted.relaxed_, (toy.X - toy.X.mean(axis=0)) / toy.X.std(axis=0)
    in_part = (p > 0) & (p < 1)
    matrix = (scaled * p) @ scaled.T + np.eye(60)
    shares = np.linalg.eigvals(np.linalg.solve(matrix, (scaled * p * in_part) @ scaled.T)).real
    assert_allclose(fitted.theorem_bound_, 1 / (1 - shares.max()))
    assert not hasattr(fitted.set_params(theorem=False).fit(toy.X, toy.y), "theorem_bound_")


def test_wrong_parameters_are_refused():
    toy = toy_xyz(20)
    for wrong, says in (({"C": -1}, "C must be"), ({"tau": "no"}, "tau must be"), ({"path": 3}, "path must be True")):
        with pytest.raises(InvalidParameter, match=says):
            NonMonotonicMKL(**wrong).fit(toy.X, toy.y)


def test_algorithm_1_worked_by_hand():
    # Both rows have the same alpha a: tau = (4 a^2, a^2). One feature: 4a - 2a^2 - 4a^2 is largest at a = 1/3, and w is
    # 2/3. Both: 4a - 2a^2 - 5a^2 at a = 2/7, and w is 4/7.
    X, y = np.array([[1.0, 0.5], [-1.0, -0.5]]), np.array([1, 0])
    one = NonMonotonicMKL(n_features=1, printed=True, scale=None).fit(X, y)
    assert one.selection_.indices == (0,)
    assert_allclose(one.tau_scores_, [4 / 9, 1 / 9])
    assert_allclose([one.lambda_, *one.gamma_], [4 / 9, 0, 0], atol=1e-12)
    assert_allclose([one.selection_.value, one.selection_.bound], 2 / 3)
    both = NonMonotonicMKL(n_features=2, printed=True, scale=None).fit(X, y)
    assert_allclose(both.scores_, [16 / 49, 4 / 49])
    assert both.lambda_ == 0
    assert_allclose(both.gamma_, both.tau_scores_)
    assert_allclose(both.selection_.value, 4 / 7)


@pytest.mark.parametrize("seed", range(12))
def test_algorithm_1_ranks_by_the_solution_of_the_qcqp(seed):
    rng = np.random.default_rng(seed)
    n, d, n_classes = int(rng.integers(8, 20)), int(rng.integers(2, 8)), 2 + seed % 2
    y = rng.permutation(np.arange(n) % n_classes)
    X = rng.normal(size=(n, d)) + y[:, None] * rng.normal(size=d)
    if seed % 4 == 3 and d > 3:
        X[:, 1] = X[:, 0]
    m, C, tau = int(rng.integers(1, d + 1)), float(rng.choice([0.1, 1.0])), float(rng.choice([1.0, 10.0]))
    fitted = NonMonotonicMKL(C, tau, n_features=m, printed=True).fit(X, y)
    value, projections = solved_qcqp(standardized(X), y, m, C, tau)
    assert_allclose(fitted.selection_.bound, value, rtol=1e-6)
    assert_allclose(fitted.tau_scores_, projections, rtol=1e-3, atol=1e-4 * projections.max())
    # The m largest, of ties the lowest.
    order = np.lexsort((np.arange(d), -np.round(fitted.tau_scores_ / fitted.tau_scores_.max(), 8)))
    assert fitted.selection_.indices == tuple(order[:m])
    # The conditions of Theorem 1: the dual value, feasibility and complementary slackness.
    p, level, gamma = fitted.relaxed_, fitted.lambda_, fitted.gamma_
    alpha = fitted.dual_
    assert_allclose(2 * alpha.sum() - tau * (alpha**2).sum() - m * level - gamma.sum(), value, rtol=1e-6)
    assert (fitted.tau_scores_ <= level + gamma + 1e-9).all()
    assert_allclose(gamma * (1 - p), 0, atol=1e-6)
    if m < d:
        assert_allclose(p * (level + gamma - fitted.tau_scores_), 0, atol=1e-6)


def test_the_printed_algorithm_has_sizes_and_text_and_is_never_better():
    X, y = load_iris(return_X_y=True)
    printed = NonMonotonicMKL(n_features=3, printed=True, path=True).fit(X, y)
    searched = NonMonotonicMKL(n_features=3, path=True).fit(X, y)
    assert list(printed.selection_.path) == [1, 2, 3]
    assert printed.selection_.value >= searched.selection_.value * (1 - 1e-9)
    assert_allclose(printed.selection_.bound, searched.selection_.bound)
    with_text = pd.DataFrame(X).assign(text=np.array(["a", "b", "c"])[y])
    with_text.columns = with_text.columns.astype(str)
    fitted = NonMonotonicMKL(n_features=1, printed=True).fit(with_text, y)
    assert fitted.tau_scores_[4] > 0
    assert fitted.tau_scores_.shape == fitted.gamma_.shape == (5,)
    with pytest.raises(InvalidParameter, match="printed must be"):
        NonMonotonicMKL(printed="yes").fit(X, y)
