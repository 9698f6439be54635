"""n_features="auto": the size by cross-validation, selecting anew inside each fold."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn import clone, config_context
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.metrics import get_scorer
from sklearn.model_selection import GroupKFold, ShuffleSplit, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from fewest import (
    FSV,
    L0SVM,
    L1SVM,
    SVMRFE,
    FisherMarkov,
    IterativeRelief,
    KernelSeparability,
    MAPRelief,
    Relief,
    ReliefF,
    SVMWeights,
    TwoStage,
    Wrapper,
    scan,
)
from fewest.errors import InvalidInput, InvalidParameter
from fewest.metrics import to_metric
from fewest.selectors.sizes.size import candidate_sizes


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 150)
    X = rng.normal(size=(150, 40))
    X[:, [3, 8, 21]] += 1.5 * y[:, None]
    return X, y


def test_it_finds_about_as_many_as_there_are(table):
    fitted = FisherMarkov(n_features="auto").fit(*table)
    assert 1 <= fitted.n_features_ <= 6
    assert set(fitted.selection_.indices[:3]) <= {3, 8, 21}
    (note,) = fitted.selection_.provenance.notes
    assert note.startswith(f"{fitted.n_features_} chosen by 5-fold cross-validation, 2 times, of a linear SVM: ")
    assert note.endswith("; optimistic, since it chose the size: compare gives an honest one")
    least = min(fitted.size_curve_.values())[0]
    is_least = fitted.size_curve_[fitted.n_features_][0] == least
    assert ("the best of all sizes tried" in note) == is_least
    assert "(the best of all sizes tried)" in FisherMarkov(n_features="auto", rule="min").fit(*table).notes_[0]


@pytest.mark.parametrize(
    "selector", [Relief, ReliefF, MAPRelief, IterativeRelief, SVMWeights, SVMRFE, L1SVM, L0SVM, FSV]
)
def test_margins_and_svms_choose_their_size_too(selector):
    X, y = load_iris(return_X_y=True)
    fitted = selector(n_features="auto").fit(X, y)
    assert 1 <= fitted.n_features_ <= 4
    assert fitted.support_[2] or fitted.support_[3]


def test_a_search_that_removes_columns_tries_every_size():
    X, y = load_wine(return_X_y=True)
    found = KernelSeparability(mode="backward", n_features="auto", max_features=4, scale="std").fit(X[::3], y[::3])
    assert sorted(found.size_curve_) == [1, 2, 3, 4]


def test_an_earlier_curve_does_not_outlive_another_fit(table):
    fitted = FisherMarkov(n_features="auto").fit(*table)
    assert not hasattr(fitted.set_params(n_features=2).fit(*table), "size_curve_")


def test_no_fold_sees_its_own_test_rows():
    # Labels without any signal: honest errors stay at chance, whatever the size.
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 3000)), np.repeat([0, 1], 30)
    fitted = FisherMarkov(n_features="auto").fit(X, y)
    assert min(error for error, _ in fitted.size_curve_.values()) > 0.3
    assert "no better than always predicting the largest class (50 %)" in fitted.notes_[0]


def test_every_source_is_given_the_same_size_and_folds(table, tmp_path):
    pd = pytest.importorskip("pandas")
    X, y = table
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(40)]).assign(label=np.where(y, "yes", "no"))
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=40)
    expected = FisherMarkov(n_features="auto").fit(X, frame["label"])
    found = FisherMarkov(n_features="auto").fit(scan(tmp_path / "t.parquet", "label"))
    assert found.size_curve_ == expected.size_curve_
    assert found.selection_.indices == expected.selection_.indices


def test_the_least_error_may_be_asked_for(table):
    fitted = FisherMarkov(n_features="auto", rule="min").fit(*table)
    least = min(error for error, _ in fitted.size_curve_.values())
    assert fitted.size_curve_[fitted.n_features_][0] == least
    assert FisherMarkov(n_features="auto").fit(*table).n_features_ <= fitted.n_features_


def test_another_classifier_and_other_folds_may_decide(table):
    X, y = table
    folds = StratifiedKFold(3)
    fitted = FisherMarkov(n_features="auto", estimator=GaussianNB(), cv=folds, max_features=8).fit(X, y)
    assert max(fitted.size_curve_) == 8
    assert "3-fold cross-validation of GaussianNB" in fitted.selection_.provenance.notes[0]
    # The curve is that of refitting by hand.
    errors = []
    for train, test in folds.split(X, y):
        inside = FisherMarkov(n_features=8).fit(X[train], y[train]).selection_.indices[:2]
        errors.append(np.mean(GaussianNB().fit(X[train][:, inside], y[train]).predict(X[test][:, inside]) != y[test]))
    assert fitted.size_curve_[2][0] == pytest.approx(np.mean(errors))


def test_folds_that_do_not_test_every_row_once_are_refused(table):
    with pytest.raises(InvalidInput, match="cv must test every row once"):
        FisherMarkov(n_features="auto", cv=ShuffleSplit(3)).fit(*table)


def test_tiny_tables_and_rare_classes_get_an_answer():
    X, y = load_breast_cancer(return_X_y=True)
    rows = np.r_[np.flatnonzero(y == 1)[:6], np.flatnonzero(y == 0)[:1]]
    assert FisherMarkov(n_features="auto").fit(X[rows], y[rows]).n_features_ >= 1
    assert FisherMarkov(n_features="auto").fit(X[[0, 20]], [0, 1]).n_features_ >= 1


def test_sizes_are_all_up_to_ten_and_then_grow():
    assert candidate_sizes(1) == [1]
    assert candidate_sizes(12) == [*range(1, 11), 12]
    assert candidate_sizes(50)[-3:] == [40, 48, 50]


@pytest.fixture(scope="module")
def patients():
    """30 patients with five visits each, that a column identifies; their class is noise."""
    rng = np.random.default_rng(5)
    patient = np.repeat(np.arange(30), 5)
    y = rng.integers(0, 2, 30)[patient]
    X = rng.normal(size=(150, 6)) + 4 * rng.normal(size=(30, 6))[patient]
    return X, y, patient


def least_error(fitted):
    return min(error for error, _ in fitted.size_curve_.values())


def test_rows_of_one_group_are_in_one_fold(patients):
    X, y, patient = patients
    alone = ReliefF(n_features="auto").fit(X, y)
    grouped = ReliefF(n_features="auto").fit(X, y, groups=patient)
    # Neighbours are other visits of the patient, unless all of them are left out.
    assert least_error(alone) < 0.1
    assert least_error(grouped) > 0.3
    named = ReliefF(n_features="auto").fit(X, y, groups=[f"p{one}" for one in patient])
    assert named.size_curve_ == grouped.size_curve_


def test_a_splitter_may_split_by_groups(patients):
    X, y, patient = patients
    fitted = FisherMarkov(n_features="auto", cv=GroupKFold(5)).fit(X, y, groups=patient)
    assert "chosen by 5-fold cross-validation of" in fitted.notes_[0]
    with pytest.raises(InvalidParameter, match="cannot split the 150 rows"):
        FisherMarkov(n_features="auto", cv=GroupKFold(5)).fit(X, y)


@pytest.mark.parametrize("selector", [FisherMarkov(n_features="auto"), ReliefF(n_features="auto"), TwoStage("relieff")])
def test_groups_are_routed_through_a_pipeline(patients, selector):
    X, y, patient = patients
    expected = clone(selector).fit(X, y, groups=patient)
    with config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(clone(selector).set_fit_request(groups=True), GaussianNB())
        pipeline.fit(X, y, groups=patient)
        cross_validate(pipeline, X, y, params={"groups": patient}, cv=GroupKFold(3), error_score="raise")
    assert_array_equal(pipeline[0].support_, expected.support_)


def test_groups_make_no_difference_to_a_number_of_features(patients):
    X, y, patient = patients
    assert_array_equal(
        FisherMarkov(n_features=2).fit(X, y, groups=patient).support_, FisherMarkov(n_features=2).fit(X, y).support_
    )


def test_a_wrapper_keeps_groups_together_too(patients):
    X, y, patient = patients
    knn = KNeighborsClassifier(1)
    assert Wrapper(knn).fit(X, y).selection_.value < 0.1
    assert Wrapper(knn).fit(X, y, groups=patient).selection_.value > 0.2


def test_the_classifier_that_suits_the_table_decides():
    # Four clusters at the corners of a square, opposite ones of a class: no line separates them.
    rng = np.random.default_rng(6)
    corners = rng.integers(0, 2, size=(300, 2))
    X = rng.normal(size=(300, 12))
    X[:, :2] = 3 * corners + 0.5 * X[:, :2]
    fitted = ReliefF(n_features="auto").fit(X, corners[:, 0] ^ corners[:, 1])
    assert sorted(fitted.selection_.indices) == [0, 1]
    assert "of 5 nearest neighbours (better here than a linear SVM)" in fitted.notes_[0]


@pytest.mark.parametrize("scoring", ["balanced-error", "macro-f1", "roc-auc", "log-loss", "matthews_corrcoef"])
@pytest.mark.parametrize("classes", [2, 3])
def test_another_metric_may_decide(table, scoring, classes):
    X, y = table
    y = y + (X[:, 5] > 1.2) if classes == 3 else y
    fitted = FisherMarkov(n_features="auto", scoring=scoring, max_features=6).fit(X, y)
    assert 1 <= fitted.n_features_ <= 6
    assert to_metric(scoring).label in fitted.notes_[0]


def test_with_an_estimator_the_metric_is_that_of_scikit_learn(table):
    X, y = table
    folds = StratifiedKFold(3)
    for scoring in ("roc_auc", "neg_log_loss", "balanced_accuracy"):
        fitted = FisherMarkov(n_features="auto", estimator=GaussianNB(), cv=folds, max_features=3, scoring=scoring)
        loss, _ = fitted.fit(X, y).size_curve_[2]
        scores = []
        for train, test in folds.split(X, y):
            inside = list(FisherMarkov(n_features=8).fit(X[train], y[train]).selection_.indices[:2])
            model = GaussianNB().fit(X[train][:, inside], y[train])
            scores.append(get_scorer(scoring)(model, X[test][:, inside], y[test]))
        assert (-loss if scoring == "neg_log_loss" else 1 - loss) == pytest.approx(np.mean(scores))


def test_a_rare_class_makes_the_balanced_error_decide():
    rng = np.random.default_rng(7)
    y = (np.arange(400) < 20).astype(int)
    X = rng.normal(size=(400, 10))
    X[:, 4] += 2.5 * y
    fitted = FisherMarkov(n_features="auto").fit(X, y)
    assert "by balanced error, since the smallest class has 5.0 % of the rows" in fitted.notes_[0]
    plain = FisherMarkov(n_features="auto", scoring="error").fit(X, y)
    assert "balanced" not in plain.notes_[0]


def test_an_unknown_metric_is_refused_before_anything_is_read():
    with pytest.raises(InvalidParameter, match="There is no metric 'eror'"):
        FisherMarkov(n_features=2, scoring="eror").fit(None, None)


def test_a_stream_of_very_many_rows_has_folds_by_row_number(table, monkeypatch, tmp_path):
    pd = pytest.importorskip("pandas")
    X, y = table
    monkeypatch.setattr("fewest.statistics.row_hashes.MOST_ROWS", 100)
    monkeypatch.setattr(FisherMarkov, "_stream_bytes", 1000)
    pd.DataFrame(X).rename(columns=str).assign(label=y).to_csv(tmp_path / "t.csv", index=False)
    fitted = FisherMarkov(n_features="auto", max_features=6).fit(scan(tmp_path / "t.csv", "label"))
    assert set(fitted.selection_.indices) & {3, 8, 21}


def test_folds_are_drawn_again_where_rows_are_few():
    X, y = load_iris(return_X_y=True)
    assert ", 2 times, of " in FisherMarkov(n_features="auto").fit(X, y).notes_[0]
    X, y = load_breast_cancer(return_X_y=True)
    assert "5-fold cross-validation of" in FisherMarkov(n_features="auto", max_features=3).fit(X, y).notes_[0]


@pytest.mark.parametrize("n_rows", [10_000, 12_345, 25_000])
def test_of_many_rows_some_evaluate_and_every_fold_has_its_share_of_them(n_rows):
    rng = np.random.default_rng(8)
    y = rng.integers(0, 2, n_rows)
    X = rng.normal(size=(n_rows, 4)) + np.array([0, 1, 0, 0]) * y[:, None]
    fitted = FisherMarkov(n_features="auto").fit(X, y)
    assert fitted.selection_.indices == (1,)
    error, spread = fitted.size_curve_[1]
    assert error == pytest.approx(0.3085, abs=0.02)  # of two normal distributions one apart
    assert 0 < spread < 0.02
