"""The Fisher-Markov selector on the papers' data."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression

from fewest import FisherMarkov
from fewest.datasets import fifty_two_features
from fewest.errors import FewestWarning, InvalidInput, InvalidParameter


def test_iris_as_measured_ranks_petal_length_first_as_in_the_papers_figure_8():
    data = load_iris()
    fitted = FisherMarkov(gamma=-0.5, scale=None, n_features=4).fit(data.data, data.target)
    names = [data.feature_names[i] for i in fitted.selection_.indices]
    assert names == ["petal length (cm)", "petal width (cm)", "sepal length (cm)", "sepal width (cm)"]
    assert fitted.selection_.is_optimal is True
    assert fitted.theta_ is fitted.scores_


def test_the_two_true_features_of_52_come_first_in_30_of_30_draws():
    for seed in range(30):
        data = fifty_two_features(seed=seed)
        fitted = FisherMarkov(gamma=-0.5, scale="range", n_features=2).fit(data.X, data.y)
        assert tuple(np.flatnonzero(fitted.support_)) == tuple(data.truth), seed


def test_a_threshold_cuts_strictly():
    X, y = load_iris(return_X_y=True)
    theta = FisherMarkov(n_features=4).fit(X, y).theta_
    fitted = FisherMarkov(beta=float(theta[0])).fit(X, y)
    assert sorted(fitted.selection_.indices) == [2, 3]


def test_beta_null_keeps_the_false_discovery_rate_among_columns_of_noise():
    X, y = load_breast_cancer(return_X_y=True)
    noise = np.random.default_rng(0).normal(size=(len(y), 500))
    fitted = FisherMarkov(beta="null", level=0.05).fit(np.hstack([X, noise]), y)
    false = int(fitted.support_[30:].sum())
    assert fitted.support_[:30].sum() >= 20
    assert false <= 6  # 5 % of what is taken, and a little for chance
    assert fitted.selection_.is_optimal is None


def test_beta_null_takes_nothing_from_pure_noise_and_says_so():
    rng = np.random.default_rng(1)
    with pytest.warns(FewestWarning, match="No features were selected"):
        fitted = FisherMarkov(beta="null", level=0.001).fit(rng.normal(size=(50, 20)), rng.integers(0, 2, 50))
    assert fitted.n_features_ == 0


@pytest.mark.parametrize(
    ("n_features", "count"), [(3, 3), (0.5, 15), (0.01, 1), (1.0, 30), (None, 10), (np.int64(4), 4)]
)
def test_how_many(n_features, count):
    X, y = load_breast_cancer(return_X_y=True)
    assert FisherMarkov(n_features=n_features).fit(X, y).n_features_ == count


def test_a_degree_that_is_not_there_is_refused():
    with pytest.raises(InvalidParameter, match="degree must be 1, 2 or 3, got 5 instead"):
        FisherMarkov(degree=5).fit([[0.0], [1.0]], [0, 1])


class TestDegreeTwo:
    @pytest.mark.parametrize("scale", [None, "range", "symmetric", "std"])
    def test_the_two_true_features_of_52_come_first_and_are_proved_in_20_of_20_draws(self, scale):
        for seed in range(20):
            data = fifty_two_features(seed=seed, shuffle=True)
            fitted = FisherMarkov(degree=2, scale=scale, n_features=2).fit(data.X, data.y)
            assert tuple(np.flatnonzero(fitted.support_)) == tuple(data.truth), seed
            assert fitted.selection_.is_optimal is True
            assert 2 in [size for _, size in fitted.selection_.breakpoints]  # they enter before any other

    def test_an_exclusive_or_among_30_columns_of_noise_is_found_where_single_columns_score_nothing(self):
        signs = np.array([[a, b] for a in (-1.0, 1.0) for b in (-1.0, 1.0)] * 100)
        noise = np.random.default_rng(0).normal(size=(400, 30))
        X = np.column_stack([noise[:, :11], signs[:, 0], noise[:, 11:25], signs[:, 1], noise[:, 25:]])
        y = signs[:, 0] * signs[:, 1] > 0
        alone = FisherMarkov(n_features=2).fit(X, y)
        assert alone.theta_[[11, 26]].tolist() == [0.0, 0.0]
        assert not alone.support_[[11, 26]].any()
        together = FisherMarkov(degree=2, n_features=2).fit(X, y)
        assert together.support_[[11, 26]].all()
        assert together.selection_.is_optimal is True

    def test_the_size_is_judged_by_a_machine_that_sees_pairs(self):
        data = fifty_two_features(n_rows=300, shuffle=True)
        fitted = FisherMarkov(degree=2, n_features="auto").fit(data.X, data.y)
        assert tuple(np.flatnonzero(fitted.support_)) == tuple(data.truth)
        assert "an SVM with a kernel of degree 2" in fitted.notes_[0]
        linear = FisherMarkov(degree=2, n_features="auto", estimator=LogisticRegression()).fit(data.X, data.y)
        assert "LogisticRegression" in linear.notes_[0]

    def test_a_price_takes_the_columns_that_enter_above_it(self):
        X, y = load_breast_cancer(return_X_y=True)
        fitted = FisherMarkov(degree=2, beta=0.3).fit(X, y)
        assert_array_equal(fitted.support_, fitted.scores_ > 0.3)
        assert fitted.selection_.beta == 0.3
        assert fitted.selection_.is_optimal is True
        assert "proved optimal for beta = 0.3" in fitted.selection_.certificate.words
        assert "the next feature enters at beta = " in fitted.selection_.certificate.words

    def test_pairs_are_kept_on_request_only(self):
        X, y = load_iris(return_X_y=True)
        fitted = FisherMarkov(degree=2, keep_pairs=True).fit(X, y)
        assert fitted.theta_pairs_.shape == (4, 4)
        assert_array_equal(fitted.theta_pairs_, fitted.theta_pairs_.T)
        assert not hasattr(fitted.set_params(keep_pairs=False).fit(X, y), "theta_pairs_")
        assert not hasattr(fitted.set_params(degree=1).fit(X, y), "exact_gamma_")

    def test_scores_are_thresholds_and_theta_is_that_of_single_columns(self):
        X, y = load_iris(return_X_y=True)
        fitted = FisherMarkov(degree=2, n_features=4).fit(X, y)
        single = FisherMarkov(scale="symmetric", n_features=4).fit(X, y)
        assert_array_equal(fitted.theta_, single.theta_)
        assert {beta for beta, _ in fitted.selection_.breakpoints} == set(fitted.scores_.tolist())

    def test_up_to_exact_gamma_everything_is_proved_and_the_path_is_there(self):
        X, y = load_breast_cancer(return_X_y=True)
        limit = FisherMarkov(degree=2, gamma=-0.1).fit(X[:, :5], y).exact_gamma_
        assert 0 < limit < 1
        at_limit = FisherMarkov(degree=2, gamma=limit, n_features=5).fit(X[:, :5], y)
        assert at_limit.selection_.is_optimal is True
        assert at_limit.selection_.breakpoints
        assert FisherMarkov(degree=2).fit(X, y).exact_gamma_ == 0.0

    def test_beyond_it_a_bound_is_given(self):
        X, y = load_breast_cancer(return_X_y=True)
        selection = FisherMarkov(degree=2, gamma=0.2, n_features=5).fit(X, y).selection_
        assert selection.bound >= selection.value
        assert selection.breakpoints == ()

    def test_a_gamma_above_a_half_is_warned_of_with_what_it_does_here(self):
        X, y = load_breast_cancer(return_X_y=True)
        with pytest.warns(FewestWarning, match=r"gamma = 0.6 is above 1/2: in 26 of 30 columns .*theta < 0"):
            fitted = FisherMarkov(degree=2, gamma=0.6).fit(X, y)
        assert "gamma = 0.6 is above 1/2" in fitted.notes_[0]
        with pytest.warns(FewestWarning, match="above 1/2"):
            FisherMarkov(gamma=0.6, scale="range").fit(X, y)
        FisherMarkov(gamma=0.6).fit(X, y)  # under std gamma changes no order, and there is nothing to warn of

    def test_twenty_thousand_columns_are_refused_at_once_with_what_they_need_and_what_to_do(self):
        X = np.broadcast_to(np.zeros((1, 1)), (2, 20_000))
        with pytest.raises(InvalidInput, match=r"every two of 20,000 columns, .* 11\.9 GiB; 4 GiB .* degree=1"):
            FisherMarkov(degree=2, n_features=10).fit(X, [0, 1])
        with pytest.raises(InvalidInput, match=r"20,000 columns"):
            FisherMarkov(degree=2, n_features="auto").fit(X, [0, 1])

    def test_gaps_are_left_out_pair_by_pair(self):
        data = fifty_two_features(n_rows=600, shuffle=True)
        X = data.X.copy()
        X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
        fitted = FisherMarkov(degree=2, n_features=2).fit(X, data.y)
        assert tuple(np.flatnonzero(fitted.support_)) == tuple(data.truth)

    def test_a_column_without_a_value_comes_last_with_a_warning(self):
        X, y = load_iris(return_X_y=True)
        X = np.column_stack([np.full(len(y), np.nan), X])
        with pytest.warns(FewestWarning, match="hold no value at all"):
            fitted = FisherMarkov(degree=2, n_features=5).fit(X, y)
        assert fitted.selection_.indices[-1] == 0
        assert np.isnan(fitted.scores_[0])

    def test_copies_enter_together_and_tie_to_the_lowest_column(self):
        X, y = load_iris(return_X_y=True)
        fitted = FisherMarkov(degree=2, n_features=8).fit(np.hstack([X, X]), y)
        assert_array_equal(fitted.scores_[:4], fitted.scores_[4:])
        first = FisherMarkov(degree=2, n_features=1).fit(np.hstack([X, X]), y)
        assert first.selection_.indices[0] < 4


class TestDegreeThree:
    def test_what_three_columns_tell_only_together_is_found(self):
        signs = np.array([[a, b, c] for a in (-1.0, 1.0) for b in (-1.0, 1.0) for c in (-1.0, 1.0)] * 50)
        noise = np.random.default_rng(0).choice([-1.0, 1.0], size=(400, 9))
        X, y = np.hstack([noise[:, :4], signs, noise[:, 4:]]), signs.prod(axis=1) > 0
        fitted = FisherMarkov(degree=3, n_features=3).fit(X, y)
        assert np.flatnonzero(fitted.support_).tolist() == [4, 5, 6]
        assert fitted.selection_.is_optimal is True
        assert fitted.exact_gamma_ >= 0
        assert not FisherMarkov(degree=2, n_features=3).fit(X, y).support_[[4, 5, 6]].all()

    def test_more_than_60_columns_are_refused_before_reading(self):
        with pytest.raises(InvalidParameter, match="There are 61 columns, and the cubic form is for at most 60"):
            FisherMarkov(degree=3).fit(np.zeros((2, 61)), [0, 1])

    def test_the_data_are_not_kept(self):
        X, y = load_iris(return_X_y=True)
        fitted = FisherMarkov(degree=3).fit(X, y)
        assert len(pickle.dumps(fitted)) < X.nbytes


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"degree": 2, "beta": "null"}, "beta='null' tests each column on its own, which is degree=1; degree is 2"),
        ({"degree": 2, "beta": np.inf}, "beta must be a finite number or None"),
        ({"degree": 2, "beta": 0.1, "n_features": 3}, "Give beta or n_features, not both"),
        ({"degree": 0}, "degree must be a whole number of at least 1"),
        ({"degree": 2.5}, "degree must be a whole number of at least 1"),
        ({"degree": 2, "kernel": "rbf"}, "kernel must be one of 'inhomogeneous', 'homogeneous', got 'rbf'"),
        ({"degree": 2, "pair_weight": -1}, "pair_weight must be a finite number of at least 0, got -1"),
        ({"degree": 3, "pair_weight": 0.5}, "pair_weight belongs to degree=2, and degree is 3"),
        ({"degree": 2, "keep_pairs": "yes"}, "keep_pairs must be one of True, False, got 'yes'"),
    ],
)
def test_what_cannot_be_is_refused(parameters, message):
    with pytest.raises(InvalidParameter, match=message):
        FisherMarkov(**parameters).fit([[0.0], [1.0]], [0, 1])
