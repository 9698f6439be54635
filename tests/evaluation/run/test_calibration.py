"""Platt's sigmoids: those of scikit-learn, and probabilities that sum to one."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from fewest.evaluation.run.calibration import Sigmoids, _logistic, out_of_fold
from fewest.evaluation.run.classifier import LOWEST_SCORE
from fewest.evaluation.run.classifiers import to_classifier


def slow(values, is_own):
    """The slope and intercept of least log loss with Platt's targets, by a general minimiser."""
    n_own, n_other = is_own.sum(), (~is_own).sum()
    target = np.where(is_own, (n_own + 1) / (n_own + 2), 1 / (n_other + 2))

    def loss(parameters):
        share = 1 / (1 + np.exp(-(parameters[0] * values + parameters[1])))
        return -(target * np.log(share) + (1 - target) * np.log(1 - share)).sum()

    return minimize(loss, [0.0, 0.0], method="BFGS").x


@pytest.mark.parametrize("seed", range(4))
def test_a_sigmoid_has_the_least_log_loss(seed):
    random = np.random.default_rng(seed)
    values = random.normal(size=60) * 3 + 5
    is_own = values + 2 * random.normal(size=60) > 5.5
    assert_allclose(_logistic(values, is_own), slow(values, is_own), rtol=1e-3, atol=1e-3)


def test_separable_and_constant_values_have_finite_sigmoids():
    values = np.array([-2.0, -1.0, 1.0, 2.0])
    slope, intercept = _logistic(values, values > 0)
    assert 0 < slope < 10
    assert abs(intercept) < 1e-9
    slope, intercept = _logistic(np.ones(5), np.array([True, False, True, False, False]))
    assert slope == 0.0
    # Platt's targets average (2 * 3/4 + 3 * 1/5) / 5.
    assert_allclose(1 / (1 + np.exp(-intercept)), 0.42, atol=1e-6)


def test_probabilities_sum_to_one_and_rank_as_the_decisions_do():
    random = np.random.default_rng(0)
    codes = random.integers(0, 3, 90).astype(np.int32)
    decisions = random.normal(size=(90, 3)) + 2 * (codes[:, None] == np.arange(3))
    found = Sigmoids.fit(decisions, codes).probabilities(decisions)
    assert_allclose(found.sum(axis=1), 1.0)
    assert (found.argmax(axis=1) == codes).mean() > 0.8


def test_decisions_are_of_rows_that_were_not_trained_on():
    codes = np.array([0, 0, 0, 1, 1, 1], dtype=np.int32)
    train = np.arange(6.0)[:, None]
    seen = []

    def decide(fit, own, rest):
        seen.append((set(fit[:, 0]), set(rest[:, 0]), set(own)))
        return np.column_stack([-rest[:, 0], rest[:, 0]])

    found = out_of_fold(train, codes, 3, decide)
    assert_allclose(found[:, 1], np.arange(6.0))
    assert all(not fit & rest and classes == {0, 1} for fit, rest, classes in seen)


@pytest.mark.parametrize("name", ["svm", "knn", "nb", "tree", "lda", "discrete-nb", "parzen-nb", "rbf-svm"])
@pytest.mark.parametrize("response", ["scores", "probabilities"])
def test_every_classifier_scores_all_classes_at_every_size(name, response):
    random = np.random.default_rng(1)
    codes = np.repeat([0, 2, 3], 20).astype(np.int32)
    train = random.normal(size=(60, 5)) + codes[:, None] * [1.0, 0.5, 0, 0, 0]
    test, truth = train[::4] + 0.1, codes[::4]
    found = to_classifier(name).respond(train, codes, test, [1, 3, 5], response, 4)
    assert found.classes.shape == (3, 15)
    assert found.scores.shape == (3, 15, 4)
    # The second class has no training rows.
    lowest = LOWEST_SCORE if response == "scores" and name not in ("knn", "tree") else None
    if lowest is not None:
        assert (found.scores[:, :, 1] == lowest).all()
    if response == "probabilities":
        assert_allclose(found.scores.sum(axis=2), 1.0)
    assert (found.scores[2].argmax(axis=1) == truth).mean() > 0.6
    plain = to_classifier(name).predict_nested(train, codes, test, [1, 3, 5])
    assert (found.classes == plain).all()
    alone = to_classifier(name).respond(train[:, :3], codes, test[:, :3], [3], response, 4)
    assert_allclose(alone.scores[0], found.scores[1], atol=1e-9)
