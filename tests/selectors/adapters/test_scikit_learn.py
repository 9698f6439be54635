"""Selectors of scikit-learn among ours: the columns they select themselves, at every size."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.feature_selection import (
    RFE,
    RFECV,
    SelectFdr,
    SelectFromModel,
    SelectKBest,
    SequentialFeatureSelector,
    VarianceThreshold,
    mutual_info_classif,
)
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from fewest import FewestError, compare
from fewest.errors import InvalidInput, InvalidParameter
from fewest.evaluation.design.compared_methods import to_methods
from fewest.selectors.adapters.scikit_learn import ScikitLearnSelector, short_name

SIZED = {
    "best": (SelectKBest(), "k"),
    "model": (SelectFromModel(ExtraTreesClassifier(20, random_state=0), threshold=-np.inf), "max_features"),
    "elimination": (RFE(LogisticRegression(max_iter=5000)), "n_features_to_select"),
    "elimination by two": (RFE(LogisticRegression(max_iter=5000), step=2), "n_features_to_select"),
    "sequential": (SequentialFeatureSelector(GaussianNB()), "n_features_to_select"),
}


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


@pytest.mark.parametrize("name", SIZED)
def test_every_size_is_what_the_selector_itself_selects(name, wine):
    selector, parameter = SIZED[name]
    sizes = [1, 3, 4]
    ours = ScikitLearnSelector(selector)._with_sizes(sizes).fit(*wine)
    for size in sizes:
        theirs = selector.set_params(**{parameter: size}).fit(*wine).get_support(indices=True)
        assert sorted(ours.selection_.path[size]) == theirs.tolist()
    assert_array_equal(ours.get_support(indices=True), theirs)
    assert ours.transform(wine[0]).shape == (178, 4)


def test_one_without_a_size_selects_as_many_as_it_does(wine):
    theirs = SelectFdr(alpha=1e-20).fit(*wine).get_support(indices=True)
    ours = ScikitLearnSelector(SelectFdr(alpha=1e-20))._with_sizes([1, 2, 9]).fit(*wine)
    assert 2 < len(theirs) < 13
    assert_array_equal(ours.get_support(indices=True), theirs)
    assert dict(ours.selection_.path) == {len(theirs): ours.selection_.indices}


def test_scores_are_those_of_the_selector_and_order_the_features(wine):
    ours = ScikitLearnSelector(SelectKBest(), n_features=3).fit(*wine)
    scores = SelectKBest().fit(*wine).scores_
    assert_array_equal(ours.scores_, scores)
    assert list(ours.selection_.indices) == np.argsort(-scores)[:3].tolist()


def test_a_pipeline_selects_columns_of_the_table(wine):
    X, y = wine
    X = np.column_stack([np.zeros(len(X)), 1000 * X])
    steps = (VarianceThreshold(), StandardScaler(), RFE(LinearSVC(random_state=0), n_features_to_select=3))
    ours = ScikitLearnSelector(make_pipeline(*steps), n_features=3).fit(X, y)
    theirs = make_pipeline(*steps).fit(X, y)
    assert_array_equal(ours.transform(X), X[:, 1:][:, theirs[-1].get_support()])


def test_a_pipeline_that_makes_new_columns_is_refused(wine):
    with pytest.raises(InvalidInput, match=r"PCA.*makes new columns"):
        ScikitLearnSelector(make_pipeline(PCA(3), SelectKBest()), n_features=2).fit(*wine)


def test_missing_values_are_filled_where_it_takes_none(wine):
    X, y = wine
    with_missing = X.copy()
    with_missing[::7, 3] = np.nan
    filled = np.where(np.isnan(with_missing), np.nanmean(with_missing, axis=0), with_missing)
    ours = ScikitLearnSelector(SelectKBest(), n_features=5).fit(with_missing, y)
    assert_array_equal(ours.get_support(), SelectKBest(k=5).fit(filled, y).get_support())


def test_what_draws_from_numpy_is_the_same_each_time_and_leaves_the_generator_as_it_was(wine):
    np.random.seed(5)  # noqa: NPY002
    expected = np.random.random()  # noqa: NPY002
    np.random.seed(5)  # noqa: NPY002
    scores = [ScikitLearnSelector(SelectKBest(mutual_info_classif)).fit(*wine).scores_ for _ in range(2)]
    assert_array_equal(*scores)
    assert np.random.random() == expected  # noqa: NPY002


def test_an_error_of_the_selector_is_one_of_ours(wine):
    X, y = wine
    with pytest.raises(FewestError, match="SelectFdr selects no features"):
        ScikitLearnSelector(SelectFdr(alpha=1e-300)).fit(X, y)
    with pytest.raises(FewestError, match=r"RFE cannot select features: .*coef_"):
        ScikitLearnSelector(RFE(GaussianNB()), n_features=2).fit(X, y)
    with pytest.raises(InvalidParameter, match="without weights"):
        ScikitLearnSelector(SelectKBest()).fit(X, y, sample_weight=np.ones(len(y)))


def test_names_say_what_is_not_the_default():
    assert short_name(SelectKBest(k=3)) == "SelectKBest"
    assert short_name(SelectKBest(mutual_info_classif)) == "SelectKBest(mutual_info_classif)"
    assert short_name(RFE(LinearSVC(C=2), step=3)) == "RFE(LinearSVC(C=2), step=3)"
    assert short_name(make_pipeline(StandardScaler(), SelectKBest())) == "StandardScaler + SelectKBest"


def test_names_of_scikit_learn_are_read_with_their_parameters():
    methods = to_methods(["selectkbest(score_func=mutual_info_classif)", "RFE(estimator=logistic, step=2)", "RFECV"])
    assert list(methods) == ["SelectKBest(score_func=mutual_info_classif)", "RFE(estimator=logistic, step=2)", "RFECV"]
    best, elimination, with_folds = (method.selector for method in methods.values())
    assert best.score_func is mutual_info_classif
    assert (type(elimination[-1].estimator), elimination[-1].step) == (LogisticRegression, 2)
    assert type(with_folds[-1]) is RFECV


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("RFE(estimatr=svm)", "RFE has no parameter 'estimatr' .did you mean 'estimator'"),
        ("SelectKBest(score_func=f_clasif)", "score_func is one of chi2, f_classif"),
        ("RFE(estimator=knn)", "needs a classifier with weights"),
    ],
)
def test_what_cannot_be_read_is_refused(text, says):
    with pytest.raises(InvalidParameter, match=says):
        to_methods(text)


def test_they_are_compared_with_ours(wine):
    found = compare(
        ["fisher-score", SelectKBest(), RFE(LinearSVC(random_state=0)), SelectFdr(alpha=1e-5)], *wine,
        classifiers=["nb"], sizes=[1, 3], outer=2, inner=2, leak=False,
    )  # fmt: skip
    assert [method.failed for method in found.tables[0].methods] == [None] * 4
    curves = found.curves["table"]
    # The F statistic and the Fisher score rank alike.
    assert curves["SelectKBest"] == curves["fisher-score"]
    assert len(found.tables[0].methods[3].trials[0]["path"][0]) > 3
