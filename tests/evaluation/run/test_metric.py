"""The metric drives every choice and is named everywhere."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import balanced_accuracy_score, log_loss, make_scorer, recall_score, roc_auc_score
from sklearn.naive_bayes import GaussianNB

from fewest import Comparison, compare
from fewest.errors import InvalidParameter

FAST = {"classifiers": ["nb", "knn"], "outer": 5, "inner": 3, "sizes": [1, 3, 9], "leak": False, "n_jobs": 1}
METRICS = ("error", "balanced-error", "macro-f1", "roc-auc", "log-loss", "matthews_corrcoef")


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return X[:240], y[:240]


@pytest.fixture(scope="module", params=METRICS)
def found(request, cancer):
    return compare(["fisher-score", "mrmr"], *cancer, **FAST, metric=request.param)


def test_it_is_named_in_sentence_text_setup_and_json(found):
    table = found.summary.tables[0]
    metric = table.metric
    assert found.settings["metric"] == metric.name
    assert metric.phrase(table.recommended.error) in table.recommended.sentence
    assert metric.label in str(found)
    assert found.summary.setup.metric == metric
    again = Comparison.from_json(found.to_json())
    assert again.summary == found.summary
    assert again.tables[0].metric == found.tables[0].metric
    assert found.to_html()


def test_sizes_and_pairs_are_chosen_by_it(found):
    for method in found.tables[0].methods:
        for split in method.trials:
            for record in split["results"].values():
                assert len(record["loss"]) == len(record["inner"]) == 3
    assert found.summary.tables[0].recommended.beats_guessing
    assert found.summary.tables[0].recommended.error < found.summary.tables[0].chance_error


def by_hand(cancer, loss):
    """Naive Bayes on all columns, over two given splits."""
    X, y = cancer
    rows = np.arange(240)
    losses = []
    for part in (0, 1):
        train, test = rows[rows % 2 != part], rows[rows % 2 == part]
        Z = (X - X[train].mean(axis=0)) / X[train].std(axis=0)
        model = GaussianNB(var_smoothing=0.01).fit(Z[train], y[train])
        losses.append(loss(y[test], model.predict(Z[test]), model.predict_proba(Z[test])))
    return losses


@pytest.mark.parametrize(
    ("metric", "loss"),
    [
        ("balanced-error", lambda y, p, _: 1 - balanced_accuracy_score(y, p)),
        ("roc-auc", lambda y, _, s: 1 - roc_auc_score(y, s[:, 1])),
        ("log-loss", lambda y, _, s: log_loss(y, s)),
        ("recall", lambda y, p, _: -recall_score(y, p)),
        (make_scorer(recall_score, pos_label=0), lambda y, p, _: -recall_score(y, p, pos_label=0)),
    ],
)
def test_losses_on_test_rows_are_those_of_scikit_learn(metric, loss, cancer):
    rows = np.arange(240)
    outer = [(rows[rows % 2 != part], rows[rows % 2 == part]) for part in (0, 1)]
    one = compare("fisher-score", *cancer, classifiers="nb", outer=outer, sizes=30, metric=metric, leak=False)
    assert_allclose(one.tables[0].methods[0].errors("nb")[:, 0], by_hand(cancer, loss), rtol=1e-6)
    assert_allclose(one.tables[0].baseline_errors("nb"), by_hand(cancer, loss), rtol=1e-6)


def test_a_small_class_is_measured_by_balanced_error_and_it_is_said():
    random = np.random.default_rng(0)
    y = np.repeat([0, 1], [180, 20])
    X = random.normal(size=(200, 6)) + np.r_[2.5, 2.0, 0, 0, 0, 0] * y[:, None]
    found = compare("fisher-score", X, y, **{**FAST, "sizes": [1, 2, 6]})
    assert found.settings["metric"] == "balanced-error"
    assert found.summary.setup.metric_reason == "the smallest class has 10 % of the rows"
    assert "note: Measured by balanced error, since the smallest class has 10 % of the rows." in str(found)
    assert "balanced error (95 % interval" in found.summary.tables[0].recommended.sentence
    assert found.summary.tables[0].chance_error == 0.5
    plain = compare("fisher-score", X, y, **{**FAST, "sizes": [1, 2, 6]}, metric="error")
    assert plain.summary.setup.metric_reason is None
    assert_allclose(plain.summary.tables[0].chance_error, 0.1)
    # Single test rows have no balance.
    alone = compare("fisher-score", X[::4], y[::4], classifiers="nb", outer="loo", sizes=2, leak=False)
    assert alone.settings["metric"] == "error"


def test_tuning_goes_by_the_metric(cancer):
    found = compare(
        "fisher-score", *cancer, **{**FAST, "classifiers": ["knn"], "outer": 2}, tune=True, metric="log-loss"
    )
    assert found.summary.tables[0].recommended.error < found.summary.tables[0].chance_error


def test_svms_have_scores_and_probabilities(cancer):
    for metric in ("roc-auc", "log-loss"):
        options = {**FAST, "classifiers": ["svm", "rbf-svm", "tree", "lda"], "outer": 2, "sizes": [2]}
        found = compare("fisher-score", *cancer, **options, metric=metric)
        errors = {name: one.error for name, one in found.summary.tables[0].methods[0].results.items()}
        # The pure leaves of a tree are sure of what is wrong, which costs it much log loss.
        assert max(errors.values()) < 0.2 or errors.pop("tree") > 1.0
        assert max(errors.values()) < (0.15 if metric == "roc-auc" else 0.35)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"metric": "roc"}, "There is no metric 'roc'"),
        ({"metric": "balanced-error", "outer": "loo"}, "needs test rows of two classes in every split"),
        ({"metric": "log-loss", "outer": [(range(0, 240, 2), range(1, 240, 2))]}, "of a single split has no interval"),
    ],
)
def test_what_cannot_be_measured_is_refused(options, says, cancer):
    with pytest.raises(InvalidParameter, match=says):
        compare("fisher-score", *cancer, **{**FAST, **options})
