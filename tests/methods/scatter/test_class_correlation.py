"""Correlation with the class against NumPy's and a regression on indicators."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from fewest import ClassCorrelation

from ...binding import bind


def scores_of(X, y):
    return bind(ClassCorrelation(), X, y).score_features()


def test_four_rows_worked_by_hand():
    # classes {0, 2} and {4, 6}: between 4 of a total of 5.
    assert_allclose(scores_of([[0.0], [2.0], [4.0], [6.0]], [0, 0, 1, 1]), np.sqrt(0.8), rtol=1e-15)


def test_with_two_classes_it_is_pearsons_correlation():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [30, 12])
    X = rng.normal(size=(42, 5)) + y[:, None]
    expected = [abs(np.corrcoef(X[:, j], 2 * y - 1)[0, 1]) for j in range(5)]
    assert_allclose(scores_of(X, y), expected, rtol=1e-12)


def test_with_more_classes_it_is_the_multiple_correlation_with_the_indicators():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 4, 80)
    X = rng.normal(size=(80, 5)) + (y[:, None] == 2)
    indicators = np.eye(4)[y]
    for j, score in enumerate(scores_of(X, y)):
        fitted = indicators @ np.linalg.lstsq(indicators, X[:, j], rcond=None)[0]
        assert_allclose(score, np.corrcoef(fitted, X[:, j])[0, 1], rtol=1e-10)
