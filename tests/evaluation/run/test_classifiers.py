"""The classifiers, those of our own against scikit-learn's, and all sizes at once against one after the other."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from fewest import compare
from fewest.errors import InvalidParameter
from fewest.evaluation.run.classifiers import (
    DiscreteNaiveBayes,
    NearestNeighbours,
    ParzenNaiveBayes,
    TunedClassifier,
    to_classifier,
    to_classifiers,
)

NAMES = ("svm", "svm-ovo", "rbf-svm", "poly-svm", "knn", "nb", "discrete-nb", "parzen-nb", "lda", "tree",
         "logistic", "rf", "boosting")  # fmt: skip


@pytest.fixture
def wine():
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    rows = np.random.default_rng(0).permutation(len(y))
    train, test = rows[:120], rows[120:]
    return X[train], y[train].astype(np.int32), X[test], y[test]


@pytest.mark.parametrize("name", NAMES)
def test_every_classifier_separates_wines_and_has_a_description(name, wine):
    train, codes, test, truth = wine
    classifier = to_classifier(name)
    assert classifier.name == name
    assert classifier.description
    predicted = classifier.predict(train, codes, test)
    assert (predicted != truth).mean() < 0.15


@pytest.mark.parametrize("name", NAMES)
def test_all_sizes_at_once_are_what_they_are_one_after_the_other(name, wine):
    train, codes, test, _ = wine
    classifier = to_classifier(name)
    ends = [1, 3, 4, 9, 13]
    together = classifier.predict_nested(train, codes, test, ends)
    for number, end in enumerate(ends):
        assert_array_equal(together[number], classifier.predict(train[:, :end], codes, test[:, :end]))


@pytest.mark.parametrize(
    ("written", "name"),
    [("RF", "rf"), ("random_forest", "rf"), ("Discrete_NB", "discrete-nb"), ("LR", "logistic"), ("SVM", "svm")],
)
def test_a_classifier_may_be_written_in_any_case_and_as_it_is_called_elsewhere(written, name):
    assert to_classifier(written).name == name


def test_neighbours_and_normal_densities_are_those_of_scikit_learn(wine):
    train, codes, test, _ = wine
    for k in (1, 4, 5):
        theirs = KNeighborsClassifier(k).fit(train, codes).predict(test)
        assert_array_equal(NearestNeighbours(k).predict(train, codes, test), theirs)
    # Standardised, as columns come, so that the smoothing of scikit-learn is ours.
    train = (train - train.mean(axis=0)) / train.std(axis=0)
    assert_array_equal(
        to_classifier("nb").predict(train, codes, test),
        GaussianNB(var_smoothing=0.01 + 1e-9).fit(train, codes).predict(test),
    )


def test_categories_are_counted_as_scikit_learn_counts_them():
    random = np.random.default_rng(0)
    train, test = random.integers(0, 4, (90, 6)).astype(float), random.integers(0, 4, (50, 6)).astype(float)
    codes = random.integers(0, 3, 90).astype(np.int32)
    theirs = CategoricalNB(alpha=1.0).fit(train, codes).predict(test)
    assert_array_equal(DiscreteNaiveBayes().predict(train, codes, test), theirs)


def test_a_value_without_training_rows_is_in_no_class_and_many_values_become_three_bins():
    codes = np.array([0, 0, 1, 1, 1], dtype=np.int32)
    train = np.array([[0.0], [0.0], [1.0], [1.0], [1.0]])
    assert DiscreteNaiveBayes().predict(train, codes, np.array([[7.0], [0.0]])).tolist() == [1, 0]
    values = np.linspace(-2, 2, 40)[:, None]
    far = (np.abs(values[:, 0]) > values.std()).astype(np.int32)
    assert_array_equal(DiscreteNaiveBayes().predict(values, far, values), far)


def test_densities_of_kernels_see_two_humps_that_a_normal_density_does_not():
    random = np.random.default_rng(0)
    middle, sides = (
        random.normal(size=(100, 1)) * 0.3,
        random.choice([-2.0, 2.0], (100, 1)) + random.normal(size=(100, 1)) * 0.3,
    )
    train, codes = np.vstack([middle, sides]), np.repeat([0, 1], 100).astype(np.int32)
    assert (ParzenNaiveBayes().predict(train, codes, train) != codes).mean() < 0.02
    # A class whose values are one point is no division by zero.
    one = np.array([[1.0], [1.0], [0.0], [2.0]])
    assert ParzenNaiveBayes().predict(one, np.array([0, 0, 1, 1], dtype=np.int32), one)[0] == 0


def test_tuning_takes_the_least_error_inside_the_training_rows(wine):
    X, y = load_iris(return_X_y=True)
    codes = y.astype(np.int32)
    noisy = np.where(np.random.default_rng(0).random(150) < 0.25, (codes + 1) % 3, codes).astype(np.int32)
    tuned, plain = TunedClassifier(NearestNeighbours(1)), NearestNeighbours(1)
    assert tuned.name == "knn"
    assert "tuned" in tuned.description
    half = np.arange(150) % 2 == 0
    errors = [(c.predict(X[half], noisy[half], X[~half]) != codes[~half]).mean() for c in (tuned, plain)]
    assert errors[0] < errors[1]
    # Without anything to tune it is as it is.
    train, codes, test, _ = wine
    assert_array_equal(
        TunedClassifier(to_classifier("nb")).predict(train, codes, test),
        to_classifier("nb").predict(train, codes, test),
    )


def test_any_estimator_will_do_and_anything_else_is_refused(wine):
    train, codes, test, truth = wine
    own = to_classifier(SVC(C=3.0))
    assert own.name == "SVC"
    assert (own.predict(train, codes, test) != truth).mean() < 0.1
    with pytest.raises(InvalidParameter, match=r"no classifier 'swm' \(did you mean 'svm'"):
        to_classifier("swm")
    for wrong in (SVC, 3, None):
        with pytest.raises(InvalidParameter, match="A classifier is a name"):
            to_classifier(wrong)


def test_one_may_be_given_alone_and_each_is_named_once():
    for one in ("nb", SVC(), NearestNeighbours(3)):
        assert len(to_classifiers(one)) == 1
    assert [one.name for one in to_classifiers(["nb", "knn"])] == ["nb", "knn"]
    for wrong in ([], ["nb", "nb"]):
        with pytest.raises(InvalidParameter, match="each named once"):
            to_classifiers(wrong)
    with pytest.raises(InvalidParameter, match="A classifier is a name"):
        to_classifiers(7)


TABLE = np.random.default_rng(3).normal(size=(90, 4))
CLASSES = np.repeat([0, 1, 2], 30).astype(np.int32)
TABLE[CLASSES == 1, 0] += 1.5
TABLE[CLASSES == 2, 1] += 1.5
TABLE = (TABLE - TABLE.mean(axis=0)) / TABLE.std(axis=0)
NEW = np.random.default_rng(4).normal(size=(40, 4)) + 0.7


@pytest.mark.parametrize(
    ("text", "estimator"),
    [
        ("rbf-svm(strategy=ovr)", OneVsRestClassifier(SVC())),
        ("svm-rbf(strategy=ovr, C=10)", OneVsRestClassifier(SVC(C=10))),
        ("poly-svm(degree=3)", SVC(kernel="poly", degree=3, coef0=1.0)),
        ("lda(shrinkage=none)", LinearDiscriminantAnalysis()),
        ("lda(shrinkage=0.5)", LinearDiscriminantAnalysis("lsqr", shrinkage=0.5)),
        ("tree(ccp_alpha=0.05)", DecisionTreeClassifier(criterion="entropy", ccp_alpha=0.05, random_state=0)),
        ("tree(max_depth=1; criterion=gini)", DecisionTreeClassifier(max_depth=1, random_state=0)),
        ("knn(n_neighbors=1)", KNeighborsClassifier(1)),
        ("nb(var_smoothing=0.5)", GaussianNB(var_smoothing=0.5)),
        ("rf(n_estimators=7)", RandomForestClassifier(7, random_state=0)),
    ],
)
def test_a_classifier_may_have_parameters(text, estimator):
    found = to_classifier(text)
    assert found.name.startswith(text.partition("(")[0].replace("svm-rbf", "rbf-svm"))
    assert_array_equal(found.predict(TABLE, CLASSES, NEW), estimator.fit(TABLE, CLASSES).predict(NEW))


def test_an_svm_with_another_cost_is_the_one_of_scikit_learn():
    theirs = LinearSVC(C=0.01, dual=False, tol=1e-10).fit(TABLE, CLASSES).predict(NEW)
    assert_array_equal(to_classifier("svm(C=0.01)").predict_nested(TABLE, CLASSES, NEW, [4])[0], theirs)


@pytest.mark.parametrize(
    ("discretize", "edges"),
    [
        ("mean", lambda column: [column.mean()]),
        ("sigma", lambda column: [column.mean() - column.std(), column.mean() + column.std()]),
        ("sigma, factor=0.5", lambda column: [column.mean() - column.std() / 2, column.mean() + column.std() / 2]),
        ("width, n_bins=4", lambda column: np.linspace(column.min(), column.max(), 5)[1:4]),
        ("frequency, n_bins=3", lambda column: np.quantile(column, [1 / 3, 2 / 3])),
    ],
)
def test_how_columns_become_categories_is_a_parameter(discretize, edges):
    found = to_classifier(f"discrete-nb(discretize={discretize})")
    bins = [edges(column) for column in TABLE.T]
    train, test = (
        np.column_stack([np.searchsorted(own, column) for own, column in zip(bins, rows.T, strict=True)])
        for rows in (TABLE, NEW)
    )
    theirs = CategoricalNB(min_categories=[len(own) + 1 for own in bins]).fit(train, CLASSES).predict(test)
    assert_array_equal(found.predict(TABLE, CLASSES, NEW), theirs)
    assert discretize.partition(",")[0] in found.description


def test_a_pruned_tree_is_smaller_and_noise_is_pruned_to_its_root():
    random = np.random.default_rng(0)
    noise, codes = random.normal(size=(80, 5)), random.integers(0, 2, 80).astype(np.int32)
    plain, pruned = (to_classifier(name).estimator for name in ("tree", "tree(prune=true)"))
    assert plain.fit(noise, codes).get_n_leaves() > 10
    assert pruned.fit(noise, codes).tree_.get_n_leaves() < 4
    sharp = (noise[:, 2] > 0).astype(np.int32)
    assert pruned.fit(noise, sharp).tree_.get_n_leaves() == 2
    few = pruned.fit(noise[:3], np.array([0, 0, 1]))
    assert few.predict(noise[:3]).tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("rbf-svm(strategy=both)", "strategy must be one of 'ovo', 'ovr'"),
        ("rbf-svm(cost=3)", "rbf-svm has no parameter 'cost'"),
        ("svm(kernel=rbf)", "svm has no parameter 'kernel'. It has: C."),
        ("rbf-svm(C=-1)", "The 'C' parameter of SVC must be"),
        ("tree(prune=maybe)", "prune must be True or False"),
        ("discrete-nb(discretize=some)", "discretize must be one of"),
        ("knn(n_neighbors=0)", "n_neighbors must be a whole number of at least 1"),
        ("lda(shrinkage=none", "Close the bracket"),
        ("swm(C=1)", "did you mean 'svm'"),
    ],
)
def test_parameters_that_mean_nothing_are_refused(text, says):
    with pytest.raises(InvalidParameter) as refusal:
        to_classifier(text)
    assert says in str(refusal.value)


def test_what_is_set_is_not_tuned():
    tuned = to_classifier("rbf-svm(strategy=ovr, C=5)").tuning_candidates()
    assert [one.estimator.get_params()["estimator__gamma"] for one in tuned] == [0.001, 0.01, 0.1]
    assert to_classifier("logistic(C=5)").tuning_candidates() == []


def test_classifiers_with_parameters_stand_beside_those_without():
    X, y = load_wine(return_X_y=True)
    names = ["discrete-nb", "discrete-nb(discretize=frequency,n_bins=3)", "rbf-svm(strategy=ovr)"]
    found = compare("fisher-score", X[:, :5], y, classifiers=names, outer=2, inner=2, sizes=[1, 4], leak=False)
    names[1] = "discrete-nb(discretize=frequency, n_bins=3)"
    assert list(found.classifiers) == names
    assert "SVM with a Gaussian kernel (strategy=ovr)" in found.to_html()
