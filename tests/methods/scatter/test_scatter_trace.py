"""theta against the formula and a worked example."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_wine
from sklearn.feature_selection import f_classif

from fewest import ScatterTrace
from fewest.errors import InvalidParameter

from ...binding import bind
from ...reference.scatter.scatter import theta


def objective_of(X, y, **parameters):
    return bind(ScatterTrace(**parameters), X, y)


def test_four_rows_worked_by_hand():
    # x: classes {0, 2} and {4, 6}. means 1 and 5, overall 3: between 4, within 1, total 5; range 6.
    X, y = [[0.0], [2.0], [4.0], [6.0]], ["a", "a", "b", "b"]
    assert objective_of(X, y, scale=None).score_features()[0] == 4.0
    assert objective_of(X, y, gamma=-0.5, scale=None).score_features()[0] == 6.5
    assert objective_of(X, y, gamma=1.0, scale=None).score_features()[0] == -1.0
    assert objective_of(X, y, scale="std").score_features()[0] == pytest.approx(4 / 5)
    assert objective_of(X, y, scale="range").score_features()[0] == pytest.approx(4 / 36)
    assert objective_of(X, y, scale="symmetric").score_features()[0] == pytest.approx(4 / 9)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("scale", ["std", "range", "symmetric", None])
def test_theta_of_scaled_columns_agrees_with_the_formula(seed, scale):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 60))
    y = np.concatenate([[0, 1], rng.integers(0, 4, n - 2)])
    X = rng.normal(size=(n, 6)) * [1, 10, 0.1, 1, 1, 1] + [0, 50, 0, 0, 0, 0]
    X[rng.random(X.shape) < 0.1] = np.nan
    X[:2] = rng.normal(size=(2, 6))
    scaled = {
        "std": lambda x: x / np.nanstd(x),
        "range": lambda x: (x - np.nanmin(x)) / np.ptp(x[~np.isnan(x)]),
        "symmetric": lambda x: 2 * (x - np.nanmin(x)) / np.ptp(x[~np.isnan(x)]) - 1,
        None: lambda x: x,
    }[scale]
    for gamma in (-0.5, 0.0, 0.3):
        found = objective_of(X, y, gamma=gamma, scale=scale).score_features()
        expected = [theta(scaled(X[:, j]), y, gamma) for j in range(6)]
        assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


def test_p_values_and_order_under_std_are_those_of_anova():
    X, y = load_wine(return_X_y=True)
    objective = objective_of(X, y, gamma=0.4)
    f, p = f_classif(X, y)
    assert_allclose(objective.p_values(), p, rtol=1e-9)
    assert np.argsort(-f).tolist() == np.argsort(-objective.score_features()).tolist()


def test_p_values_where_a_test_is_impossible_or_certain():
    X = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 3.0], [1.0, 2.0, 1.0], [1.0, 2.0, 2.0]])
    constant, perfect, useless = objective_of(X, [0, 0, 1, 1]).p_values()
    assert (constant, perfect, useless) == (1.0, 0.0, 1.0)
    assert objective_of(X[[0, 2]], [0, 1]).p_values().tolist() == [1.0, 1.0, 1.0]  # no rows to tell the spread from


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"gamma": np.nan}, "gamma must be a finite number"),
        ({"gamma": "x"}, "gamma must be a finite number"),
        ({"scale": "minmax"}, "scale must be one of 'std'"),
    ],
)
def test_wrong_parameters_are_refused(parameters, message):
    with pytest.raises(InvalidParameter, match=message):
        ScatterTrace(**parameters)
