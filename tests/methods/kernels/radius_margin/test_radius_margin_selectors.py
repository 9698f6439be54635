"""RadiusMargin and R2W2: what they select, store and reject."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer
from threadpoolctl import threadpool_limits

from fewest import R2W2, FeatureSelector, GreedyForward, RadiusMargin, RadiusMarginBound
from fewest.data.array import ArraySource
from fewest.data.labels import Target
from fewest.datasets import fifty_two_features, toy_xyz
from fewest.errors import FewestError
from fewest.methods.kernels.radius_margin.radius_margin_bound import RadiusMarginBoundObjective
from fewest.methods.kernels.selectors import STRENGTHS
from fewest.statistics import Rows


@pytest.fixture(scope="module")
def hidden():
    """Two columns that separate the classes only together, among noise."""
    data = fifty_two_features(60, n_noise=10, shuffle=True, seed=1)
    return data.X, data.y, data.truth


@pytest.mark.parametrize("regularization", [0.0, 0.25])
def test_weights_find_both_columns(hidden, regularization):
    X, y, truth = hidden
    fitted = RadiusMargin(regularization=regularization, n_features=2).fit(X, y)
    assert set(fitted.selection_.indices) == set(truth)
    selection = fitted.selection_
    assert selection.sense == "min"
    assert selection.value == fitted.objective_[-1] == min(fitted.objective_)
    assert selection.history == fitted.objective_
    assert_array_equal(fitted.weights_, fitted.scores_)
    away = fitted.weights_ - 1 / (2 * fitted.width_**2)
    assert_allclose(selection.value, (1 - regularization) * fitted.bound_ + regularization * away @ away, rtol=1e-10)
    assert "nothing is proved" in str(selection)


def test_forward_finds_both_columns_and_its_bounds_fall(hidden):
    X, y, truth = hidden
    fitted = RadiusMargin("forward", n_features=2).fit(X, y)
    assert set(fitted.selection_.indices) == set(truth)
    assert_array_equal(np.flatnonzero(fitted.weights_), sorted(truth))
    assert_allclose(fitted.weights_[truth[0]], 1 / (2 * fitted.width_**2))
    assert_allclose(fitted.bound_, fitted.objective_[-1], rtol=1e-9)
    assert fitted.objective_[1] < fitted.objective_[0]
    same = FeatureSelector(RadiusMarginBound(), GreedyForward(lazy=False), n_features=2).fit(X, y)
    assert same.selection_.indices == fitted.selection_.indices


def test_individual_finds_the_column_that_separates_the_classes_alone(hidden):
    X, y, truth = hidden
    fitted = RadiusMargin("individual", n_features=1).fit(X, y)
    assert fitted.selection_.indices[0] in truth
    assert fitted.width_.shape == fitted.C_.shape == fitted.bound_.shape == (12,)
    assert fitted.bound_[fitted.support_] == fitted.bound_.min()
    assert_allclose(fitted.weights_, 1 / (2 * fitted.width_**2))


def test_the_best_one_and_the_best_two_of_a_toy():
    data = toy_xyz(200)
    assert R2W2(n_features=2).fit(data.X, data.y).selection_.indices in ((0, 1), (1, 0))
    assert RadiusMargin("individual", n_features=1).fit(data.X, data.y).selection_.indices == (2,)


def test_factors_add_up_to_the_columns_and_noise_has_none():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 30)
    X = rng.normal(size=(60, 20))
    X[:, 4] += 4 * y
    fitted = R2W2(n_features=3).fit(X, y)
    assert fitted.selection_.indices[0] == 4
    assert_allclose(fitted.weights_.sum(), 20)
    assert (fitted.weights_ == 0).sum() > 5
    assert fitted.selection_.sense == "min"
    assert fitted.selection_.value == fitted.objective_[-1] < fitted.objective_[0]


@pytest.mark.parametrize(
    "selector",
    [RadiusMargin(), RadiusMargin(C=1.0), RadiusMargin("forward"), RadiusMargin("individual"), R2W2()],
    ids=str,
)
class TestOddTables:
    @pytest.fixture(autouse=True)
    def never_a_warning(self, selector):
        self.selector = selector.set_params(n_features=2)

    def test_three_rows_and_a_class_of_one(self):
        fitted = self.selector.fit([[0.0, 1.0, 5.0], [1.0, 1.0, 2.0], [2.0, 0.0, 2.0]], [0, 0, 1])
        assert np.isfinite(fitted.scores_[fitted.support_]).all()
        assert np.isfinite(fitted.bound_ if hasattr(fitted, "bound_") else fitted.selection_.value).all()

    def test_rows_that_are_all_of_their_own_class(self):
        fitted = self.selector.fit(np.random.default_rng(0).normal(size=(4, 3)), [0, 1, 2, 3])
        assert np.isfinite(fitted.scores_[fitted.support_]).all()

    def test_constant_columns_come_last(self):
        rng = np.random.default_rng(1)
        y = np.arange(30) % 2
        X = np.column_stack([np.full(30, 3.0), rng.normal(size=30), rng.normal(size=30) + y, np.zeros(30)])
        assert set(self.selector.set_params(n_features=3).fit(X, y).selection_.indices[:2]) == {1, 2}
        assert self.selector.selection_.indices[2] == 0
        assert (np.nan_to_num(self.selector.weights_)[[0, 3]] == 0).all()
        if getattr(self.selector, "mode", "") == "individual":
            assert_allclose(self.selector.bound_[[0, 3]], 29.0)  # 4 * 15 * 15 * 29 / 900: of a constant kernel

    def test_nothing_varies(self):
        fitted = self.selector.fit(np.ones((8, 3)), np.arange(8) % 2)
        assert fitted.selection_.indices == (0, 1)

    def test_rows_that_contradict_each_other(self):
        X = np.repeat(np.random.default_rng(2).integers(0, 2, (10, 3)).astype(float), 2, axis=0)
        fitted = self.selector.fit(X, np.arange(20) % 2)
        assert np.isfinite(fitted.scores_[fitted.support_]).all()

    def test_columns_far_away_and_in_any_unit(self):
        rng = np.random.default_rng(3)
        y = np.arange(40) % 2
        X = rng.normal(size=(40, 4)) + y[:, None] * [0, 2, 0, 1]
        expected = self.selector.fit(X, y).scores_
        moved = (X * [1e-90, 1e90, 1, 8]).astype(np.float64)
        assert_allclose(self.selector.fit(moved, y).scores_, expected, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        (RadiusMargin("backward"), "mode must be one of 'weights', 'forward', 'individual', got 'backward'"),
        (RadiusMargin(regularization=1.0), "regularization must be a number of at least 0 and below 1"),
        (RadiusMargin(C="tuned"), "C must be a positive number or 'auto', got 'tuned'"),
        (RadiusMargin(C=-1), "C must be a positive number or 'auto'"),
        (RadiusMargin(max_steps=0), "max_steps must be a whole number of at least 1"),
        (R2W2(C=0), "C must be a positive number, got 0"),
        (R2W2(C="auto"), "C must be a positive number, got 'auto'"),
        (R2W2(max_steps=1.5), "max_steps must be a whole number of at least 1"),
    ],
    ids=str,
)
def test_invalid_parameters_are_rejected(selector, message):
    with pytest.raises(FewestError, match=message):
        selector.fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("selector", [RadiusMargin(), R2W2()], ids=str)
def test_missing_values_are_rejected(selector):
    with pytest.raises(FewestError, match="Input X contains NaN"):
        selector.fit([[0.0, 1.0], [np.nan, 2.0], [1.0, 0.0]], [0, 1, 1])


@pytest.mark.parametrize("selector", [RadiusMargin(n_features=3), R2W2(n_features=3)], ids=["RadiusMargin", "R2W2"])
def test_threads_of_matrix_products_change_no_bit(selector):
    # Large enough that products run on several threads, and differ in their last bits there.
    X, y = load_breast_cancer(return_X_y=True)
    found = []
    for n_threads in (1, 2, 4):
        with threadpool_limits(n_threads):
            found.append(selector.fit(X[::3], y[::3]).scores_.copy())
    assert_array_equal(found[1], found[0])
    assert_array_equal(found[2], found[0])


def test_many_classes_choose_the_same_on_any_number_of_threads():
    # Enough programs and rows for conjugate gradients.
    rng = np.random.default_rng(0)
    y = np.arange(240) % 80
    X = rng.normal(size=(240, 6))
    X[:, :2] += 3 * rng.normal(size=(80, 2))[y]
    found = []
    for n_threads in (1, 2, 4):
        with threadpool_limits(n_threads):
            fitted = RadiusMargin(n_features=2, max_steps=3).fit(X, y)
        found.append(fitted.scores_)
        assert set(fitted.selection_.indices) == {0, 1}
    assert_array_equal(found[1], found[0])
    assert_array_equal(found[2], found[0])


@pytest.mark.parametrize("mode", ["weights", "forward", "individual"])
def test_a_sample_comes_with_the_bounds_of_its_halves(mode):
    random = np.random.default_rng(3)
    y = np.arange(400) % 2
    X = random.normal(size=(400, 4))
    X[:, 1] += 1.5 * y
    chosen = RadiusMargin(mode, n_features=1, sample=100).fit(X, y)
    first, second = chosen.half_bounds_
    bound = chosen.bound_[1] if mode == "individual" else chosen.bound_
    # Fewer rows are separated by a wider margin, and lie in a smaller ball.
    assert 0 < first < bound
    assert 0 < second < bound
    assert f"{first:.4g} and {second:.4g}" in chosen.selection_.provenance.notes[-1]
    assert RadiusMargin(mode, n_features=1).fit(X[:100], y[:100]).half_bounds_ is None


def test_a_class_of_one_row_has_no_halves():
    X = np.random.default_rng(0).normal(size=(30, 3))
    objective = RadiusMarginBound().bind(ArraySource(X, Target([0] * 29 + [1])).collect(Rows()))
    assert np.isnan(objective.bounds_of_halves(np.ones(3), 1.0)).all()


def test_the_regularization_can_be_chosen_by_cross_validation(hidden):
    X, y = hidden[:2]
    chosen = RadiusMargin(n_features=2, regularization="auto").fit(X, y)
    assert chosen.regularization_ in STRENGTHS
    again = RadiusMargin(n_features=2, regularization=chosen.regularization_).fit(X, y)
    assert_array_equal(again.weights_, chosen.weights_)
    assert again.regularization_ == chosen.regularization_
    assert RadiusMargin("forward", n_features=1, regularization="auto").fit(X, y).regularization_ is None


@pytest.mark.parametrize("n_classes", [2, 3])
def test_many_rows_by_roots_reach_a_bound_as_low_as_by_logarithms(n_classes, monkeypatch):
    random = np.random.default_rng(8)
    y = np.arange(150) % n_classes
    X = random.normal(size=(150, 12))
    X[:, :2] += y[:, None]
    by_logarithms = RadiusMargin(n_features=2, max_steps=300).fit(X, y)
    monkeypatch.setattr(RadiusMarginBoundObjective, "weights_vanish", lambda self: True)
    by_roots = RadiusMargin(n_features=2).fit(X, y)
    assert by_roots.selection_.value <= by_logarithms.selection_.value * (1 + 1e-4)
    assert set(by_roots.selection_.indices) == {0, 1}
