"""n_features="auto": the size by cross-validation, selecting anew inside each fold."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import ShuffleSplit, StratifiedKFold
from sklearn.naive_bayes import GaussianNB

from fewest import (
    FSV,
    L0SVM,
    L1SVM,
    SVMRFE,
    FisherMarkov,
    IterativeRelief,
    MAPRelief,
    Relief,
    ReliefF,
    SVMWeights,
    scan,
)
from fewest.data.block import Block
from fewest.errors import InvalidInput
from fewest.selectors.size import candidate_sizes
from fewest.statistics.splits import SpreadFolds


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
    assert note.startswith(f"{fitted.n_features_} chosen by 5-fold cross-validation of a linear SVM: error ")


@pytest.mark.parametrize(
    "selector", [Relief, ReliefF, MAPRelief, IterativeRelief, SVMWeights, SVMRFE, L1SVM, L0SVM, FSV]
)
def test_margins_and_machines_choose_their_size_too(selector):
    X, y = load_iris(return_X_y=True)
    fitted = selector(n_features="auto").fit(X, y)
    assert 1 <= fitted.n_features_ <= 4
    assert fitted.support_[2] or fitted.support_[3]


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


def test_every_class_is_spread_evenly_over_the_folds_however_the_rows_are_cut():
    rng = np.random.default_rng(2)
    codes = rng.choice(3, 200, p=[0.7, 0.25, 0.05]).astype(np.int32)
    whole = SpreadFolds(5, 0).next_folds(Block(None, codes, ["a", "b", "c"]))
    for code in range(3):
        counts = np.bincount(whole[codes == code], minlength=5)
        assert counts.max() - counts.min() <= 1
    in_parts = SpreadFolds(5, 0)
    cut = [in_parts.next_folds(Block(None, part, ["a", "b", "c"])) for part in np.split(codes, [3, 50, 51, 120])]
    assert np.concatenate(cut).tolist() == whole.tolist()


def test_sizes_are_all_up_to_ten_and_then_grow():
    assert candidate_sizes(1) == [1]
    assert candidate_sizes(12) == [*range(1, 11), 12]
    assert candidate_sizes(50)[-3:] == [40, 48, 50]
