"""Metrics: the formulas, what guessing reaches, and scorers of scikit-learn."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import metrics as sklearn_metrics

from fewest.display.formatting import MetricFormat
from fewest.errors import InvalidInput, InvalidParameter
from fewest.metrics import METRICS, default_metric, to_metric

from .reference import metrics as reference


def predictions(seed, n_classes, n=40):
    random = np.random.default_rng(seed)
    codes = random.integers(0, n_classes, n).astype(np.int32)
    codes[:n_classes] = np.arange(n_classes)
    # Few distinct scores, so that there are ties.
    scores = random.integers(1, 5, (n, n_classes)) + 2.0 * (codes[:, None] == np.arange(n_classes))
    scores /= scores.sum(axis=1, keepdims=True)
    return codes, scores.argmax(axis=1).astype(np.int32), scores, random.integers(1, 4, n).astype(float)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("seed", range(3))
def test_every_metric_is_its_formula(seed, n_classes):
    codes, predicted, scores, weights = predictions(seed, n_classes)
    for own in (None, weights):
        of_row = np.ones(len(codes)) if own is None else own
        rows = codes.tolist(), predicted.tolist(), of_row.tolist()
        expected = {
            "error": reference.error(*rows),
            "balanced-error": reference.balanced_error(*rows),
            "macro-f1": reference.macro_f1_loss(*rows),
            "roc-auc": reference.auc_loss(codes.tolist(), scores.tolist(), of_row.tolist()),
            "log-loss": reference.log_loss(codes.tolist(), scores.tolist(), of_row.tolist()),
        }
        assert set(expected) == set(METRICS)
        for name, loss in expected.items():
            assert_allclose(to_metric(name).loss(codes, predicted, scores, own), loss)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_they_agree_with_scikit_learn(n_classes):
    codes, predicted, scores, weights = predictions(7, n_classes)
    by_hand = {
        "error": 1 - sklearn_metrics.accuracy_score(codes, predicted, sample_weight=weights),
        "balanced-error": 1 - sklearn_metrics.balanced_accuracy_score(codes, predicted, sample_weight=weights),
        "macro-f1": 1 - sklearn_metrics.f1_score(codes, predicted, average="macro", sample_weight=weights),
        "roc-auc": 1
        - sklearn_metrics.roc_auc_score(
            codes, scores[:, 1] if n_classes == 2 else scores, multi_class="ovr", sample_weight=weights
        ),
        "log-loss": sklearn_metrics.log_loss(codes, scores, sample_weight=weights),
    }
    for name, loss in by_hand.items():
        assert_allclose(to_metric(name).loss(codes, predicted, scores, weights), loss)


def test_guessing_reaches_no_less_than_chance():
    codes = np.repeat([0, 1, 2], [60, 30, 10]).astype(np.int32)
    shares = np.array([0.6, 0.3, 0.1])
    assert_allclose([to_metric(name).chance(codes) for name in ("error", "balanced-error")], [0.4, 2 / 3])
    assert to_metric("roc-auc").chance(codes) == 0.5
    assert_allclose(to_metric("log-loss").chance(codes), -(shares * np.log(shares)).sum())
    random = np.random.default_rng(0)
    many = np.repeat(codes, 300)
    for name in METRICS:
        metric = to_metric(name)
        for guess in (shares, [1, 0, 0], [1 / 3] * 3, [0.5, 0.4, 0.1]):
            predicted = random.choice(3, len(many), p=guess).astype(np.int32)
            scores = np.tile(np.asarray(guess, dtype=float), (len(many), 1))
            assert metric.loss(many, predicted, scores) > metric.chance(codes) - 0.01, (name, guess)


def test_the_area_of_rows_of_one_class_is_that_of_guessing():
    assert to_metric("roc-auc").loss(np.zeros(3, np.int32), np.zeros(3, np.int32), np.eye(3)[:, :2]) == 0.5


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("ROC_AUC", "roc-auc"),
        ("roc-auc", "roc-auc"),
        ("accuracy", "error"),
        ("balanced_accuracy", "balanced-error"),
        ("f1_macro", "macro-f1"),
        ("neg_log_loss", "log-loss"),
        ("matthews_corrcoef", "matthews_corrcoef"),
    ],
)
def test_scikit_learns_names_are_known(given, name):
    metric = to_metric(given)
    assert metric.name == name
    assert to_metric(metric) is metric


def test_a_scorer_of_scikit_learn_is_a_metric():
    codes, predicted, scores, weights = predictions(3, 2)
    by_class = to_metric("matthews_corrcoef")
    assert (by_class.needs_scores, by_class.lower_is_better) == (False, False)
    assert_allclose(by_class.loss(codes, predicted), -sklearn_metrics.matthews_corrcoef(codes, predicted))
    by_score = to_metric("average_precision")
    assert by_score.response == "probabilities"
    expected = sklearn_metrics.average_precision_score(codes, scores[:, 1], sample_weight=weights)
    assert_allclose(by_score.loss(codes, predicted, scores, weights), -expected)
    assert_allclose(by_score.chance(codes), -codes.mean())
    made = to_metric(sklearn_metrics.make_scorer(sklearn_metrics.fbeta_score, beta=2))
    assert_allclose(made.loss(codes, predicted), -sklearn_metrics.fbeta_score(codes, predicted, beta=2))
    assert made.name == "fbeta_score"
    assert pickle.loads(pickle.dumps(made)).loss(codes, predicted) == made.loss(codes, predicted)
    with pytest.raises(InvalidInput, match="cannot measure these predictions"):
        made.loss(*(np.array([0, 1, 2], dtype=np.int32),) * 2)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("roc", "did you mean 'roc"),
        ("nonsense", "There is no metric 'nonsense'. There are error, balanced-error"),
        (3, "or a scorer of scikit-learn, got 3"),
        ("homogeneity", "There is no metric"),
    ],
)
def test_what_is_no_metric_is_refused(given, says):
    with pytest.raises(InvalidParameter, match=says):
        to_metric(given)


def test_scores_that_are_missing_are_asked_for():
    codes = np.array([0, 1], dtype=np.int32)
    with pytest.raises(InvalidInput, match="ROC AUC needs the scores"):
        to_metric("roc-auc").loss(codes, codes)
    with pytest.raises(InvalidInput, match="one column a class"):
        to_metric("log-loss").loss(codes, codes, np.ones((2, 1)))


@pytest.mark.parametrize(
    ("counts", "name"),
    [
        ((50, 50), "error"),
        ((20, 80), "error"),
        ((19, 81), "balanced-error"),
        ((1, 99), "balanced-error"),
        ((10,) * 10, "error"),
        ((59, 71, 48), "error"),
        ((45, 45, 10), "balanced-error"),
        ((4, *(10,) * 9), "balanced-error"),
        ((30, 0, 30), "error"),
        ((), "error"),
    ],
)
def test_a_small_class_makes_balanced_error_the_default(counts, name):
    assert default_metric(counts).name == name


def test_losses_are_written_as_users_read_them():
    error, area = to_metric("error").form, to_metric("roc-auc").form
    assert (error.text(0.114), error.interval(0.06, 0.18), error.phrase(0.114)) == ("11 %", "6–18 %", "11 % error")
    assert error.with_interval(0.114, 0.06, 0.18) == "11 % (6–18 %)"
    assert error.difference(-0.021) == "−2.1"
    assert (area.text(0.07), area.interval(0.04, 0.12), area.value(0.25)) == ("0.930", "0.880–0.960", 0.75)
    assert area.phrase(0.07) == "ROC AUC 0.930"
    assert area.difference(-0.02) == "+0.020"
    assert area.difference(0.0) == "0"
    assert to_metric("log-loss").form.text(0.6931) == "0.693"
    assert to_metric("matthews_corrcoef").form.text(-0.5) == "0.500"
    assert to_metric("matthews_corrcoef").form.interval(-0.5, 0.1) == "−0.100 to 0.500"
    for one in (error, area):
        assert one.text(None) == one.difference(None) == "–"
        assert one.interval(None, 0.1) == "–"
        assert isinstance(one, MetricFormat)
