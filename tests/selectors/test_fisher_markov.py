"""The linear Fisher-Markov selector on the papers' data."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from fewest import FisherMarkov
from fewest.datasets import fifty_two_features
from fewest.errors import FewestWarning, InvalidParameter


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
