"""Classifiers by name, for the choice of size and for wrappers."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from fewest import MRMR, FisherScore, TwoStage, Wrapper
from fewest.errors import InvalidParameter
from fewest.selectors.estimators.named_estimators import NAMED_ESTIMATORS, StandardizedEstimator, to_estimator


@pytest.fixture(scope="module")
def table():
    X, y = load_breast_cancer(return_X_y=True)
    return X[::3, :8], y[::3]


def test_a_name_chooses_the_size_as_the_classifier_on_standardized_columns_does(table):
    by_name = MRMR(n_features="auto", estimator="nb", max_features=6).fit(*table)
    scaled = make_pipeline(StandardScaler(), GaussianNB(var_smoothing=0.01))
    by_object = MRMR(n_features="auto", estimator=scaled, max_features=6).fit(*table)
    assert by_name.selection_.indices == by_object.selection_.indices
    assert any("cross-validation" in note and " of nb" in note for note in by_name.notes_)
    assert by_name.get_params()["estimator"] == "nb"


def test_svm_is_the_linear_svm_that_none_stands_for_in_a_wrapper(table):
    one, other = (Wrapper(estimator=estimator, cv=3).fit(*table).selection_ for estimator in ("svm", None))
    assert one.indices == other.indices
    assert one.value == other.value


def test_a_wrapper_takes_names_with_parameters(table):
    by_name = Wrapper(estimator="tree(max_depth=2)", cv=3).fit(*table)
    tree = DecisionTreeClassifier(criterion="entropy", max_depth=2, random_state=0)
    assert by_name.selection_.indices == Wrapper(estimator=tree, cv=3).fit(*table).selection_.indices
    assert "of tree(max_depth=2)" in by_name.notes_[0]
    both = TwoStage(FisherScore(), Wrapper(), estimator="nb", max_features=4).fit(*table)
    assert 1 <= len(both.selection_) <= 4


@pytest.mark.parametrize("name", [name for name in NAMED_ESTIMATORS if name != "svm"])
def test_every_name_is_a_classifier_that_takes_missing_values(name, table):
    X, y = table
    holes = X.copy()
    holes[::7, 1] = np.nan
    model = to_estimator(name)
    assert isinstance(model, StandardizedEstimator)
    assert model.fit(holes, y).score(holes, y) > 0.8
    assert hasattr(model, "predict_proba") or hasattr(model, "decision_function")


@pytest.mark.parametrize("wrong", ["nbb", "discrete-nb", "nb(C=1)", "", 3])
def test_other_names_are_refused_before_data_are_read(wrong):
    with pytest.raises(InvalidParameter):
        MRMR(n_features="auto", estimator=wrong).fit(None, None)
