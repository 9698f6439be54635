"""The Gaussian naive Bayes criterion: the likelihoods row by row, and the paper's form."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris, load_wine

from fewest import FeatureSelector, FisherScore
from fewest.criteria import GaussianMargin
from fewest.errors import InvalidParameter
from fewest.searches import IndividualRanking

from ...binding import bind
from ..random_tables import random_table


def log_density(x, mean, deviation):
    """Of the normal distribution, without the constant."""
    return -np.log(deviation) - (x - mean) ** 2 / (2 * deviation**2)


def reference(X, y, printed):
    """Twice the mean log likelihood ratio of every row."""
    scores = np.zeros(X.shape[1])
    for f, column in enumerate(X.T):
        known = ~np.isnan(column)
        x, labels = column[known], y[known]
        if len(x) == 0 or x.max() == x.min():
            scores[f] = 0.0 if len(x) else np.nan
            continue
        classes, counts = np.unique(labels, return_counts=True)
        deviation = [np.sqrt(max(x[labels == c].var(), 1e-9 * x.var())) for c in classes]
        mean = [x[labels == c].mean() for c in classes]
        total = 0.0
        for i, own in zip(x, np.searchsorted(classes, labels), strict=True):
            for c in range(len(classes)):
                if c == own:
                    continue
                share = counts[c] / (len(x) - counts[own])
                if printed:
                    far, near = ((i - mean[k]) ** 2 / deviation[k] ** 2 for k in (c, own))
                    # A class of one value has a variance of 0, not that of its floor.
                    total += share * (far - (1.0 if near == 0 else near) if counts[own] == 1 else far - near)
                else:
                    total += (
                        2 * share * (log_density(i, mean[own], deviation[own]) - log_density(i, mean[c], deviation[c]))
                    )
        scores[f] = total / len(x)
    return scores


def test_an_example_worked_by_hand():
    # Class a at -1, 1 (mean 0, variance 1), class b at 1, 5 (mean 3, variance 4). From a: (1 + 9) / 4 - 1 + log 4; from
    # b: (4 + 9) / 1 - 1 - log 4; the mean of both, without the logarithms, which cancel: (1.5 + 12) / 2.
    X, y = np.array([[-1.0], [1], [1], [5]]), np.array([0, 0, 1, 1])
    for printed in (False, True):
        assert_allclose(bind(GaussianMargin(printed), X, y).score_features(), [6.75], rtol=1e-13)


@pytest.mark.parametrize("printed", [False, True])
def test_it_is_the_likelihood_ratio_of_the_rows(printed):
    X, y = load_wine(return_X_y=True)
    assert_allclose(bind(GaussianMargin(printed), X, y).score_features(), reference(X, y, printed), rtol=1e-9)
    rng = np.random.default_rng(0)
    for seed in range(40):
        X = rng.normal(size=(30, 4)) * 10.0 ** rng.integers(-4, 5, 4)
        y = rng.integers(0, 3, 30)
        X[:, 3] = 2.0
        X[rng.random((30, 4)) < 0.1] = np.nan
        found = bind(GaussianMargin(printed), X, y).score_features()
        assert_allclose(found, reference(X, y, printed), rtol=1e-8, atol=1e-10, err_msg=str(seed))


@pytest.mark.parametrize("printed", [False, True])
def test_it_is_the_formula_on_300_random_and_degenerate_tables(printed):
    for seed in range(300):
        X, y, _ = random_table(seed)
        scores = bind(GaussianMargin(printed), X, y).score_features()
        # Columns far from zero lose digits in the reference.
        assert_allclose(scores, reference(X, y, printed), rtol=1e-6, atol=1e-9, err_msg=str(seed))
        assert printed or (scores >= -1e-6).all()  # divergences


def test_with_equal_variances_it_ranks_as_the_fisher_score():
    rng = np.random.default_rng(0)
    y = np.arange(4000) % 2
    X = rng.normal(size=(4000, 6)) + np.array([0, 0.2, 0.4, 0.6, 0.8, 1.0]) * y[:, None]
    chosen = FeatureSelector(GaussianMargin(), IndividualRanking(), n_features=5).fit(X, y)
    assert chosen.selection_.indices == FisherScore(n_features=5).fit(X, y).selection_.indices


def test_wrong_parameters_are_refused():
    with pytest.raises(InvalidParameter, match="printed"):
        GaussianMargin(printed=1)
    X, y = load_iris(return_X_y=True)
    assert bind(GaussianMargin(), X, y).score_features().argmax() in (2, 3)
