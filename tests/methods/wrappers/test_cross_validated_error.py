"""Errors of a classifier that sees some columns only, against counting by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, LeaveOneOut, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from fewest import CrossValidatedError, FeatureSelector, GreedyBackward, KernelTrace
from fewest.data.array import ArraySource
from fewest.data.frame import FrameSource
from fewest.data.labels import Target
from fewest.errors import InvalidInput, InvalidParameter

from ...nearest_means import NearestMeans


def objective_of(criterion, X, y, weights=None):
    source = FrameSource(X, Target(y, weights)) if isinstance(X, pd.DataFrame) else ArraySource(X, Target(y, weights))
    return criterion.bind(source.with_text_as_codes().collect(criterion.statistic()))


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 90)
    X = rng.normal(size=(90, 6))
    X[:, 1] += y
    X[:, 4] -= y
    return X, y


def test_six_rows_worked_by_hand():
    # Folds {0, 3}, {1, 4}, {2, 5}; one column; the nearest class mean decides.
    # Test 0, 3: means (1 + 2)/2 = 1.5 and (8 + 3)/2 = 5.5: 0 -> a, 9 -> b, both right.
    # Test 1, 4: means (0 + 2)/2 = 1 and (9 + 3)/2 = 6: 1 -> a, 8 -> b, both right.
    # Test 2, 5: means (0 + 1)/2 = .5 and (9 + 8)/2 = 8.5: 2 -> a, right; 3 -> a, wrong.
    # Guessing: all classes are even in every training part, so one class is always wrong: 3 of 6.
    X = np.array([[0.0], [1.0], [2.0], [9.0], [8.0], [3.0]])
    y = np.array(["a", "a", "a", "b", "b", "b"])
    folds = [([1, 2, 4, 5], [0, 3]), ([0, 2, 3, 5], [1, 4]), ([0, 1, 3, 4], [2, 5])]
    objective = objective_of(CrossValidatedError(NearestMeans(), folds), X, y)
    assert objective.error([0]) == 1 / 6
    assert objective.error([]) == 3 / 6
    assert objective.score_subset([0]) == (3 - 1) / 3
    assert_array_equal(objective.score_additions([], np.array([0])), [2 / 3])
    assert_array_equal(objective.score_removals([0], np.array([0])), [-2 / 3])


@pytest.mark.parametrize("estimator", [GaussianNB(), KNeighborsClassifier(3), NearestMeans()], ids=repr)
@pytest.mark.parametrize("cv", [KFold(4), StratifiedKFold(3), LeaveOneOut()], ids=["k", "stratified", "one"])
def test_errors_are_those_of_fitting_by_hand(estimator, cv, table):
    X, y = table
    objective = objective_of(CrossValidatedError(estimator, cv), X, y)
    for columns in ([1], [0, 4], [5, 2, 1]):
        wrong = 0
        for train, test in cv.split(X, y):
            model = estimator.fit(X[train][:, sorted(columns)], y[train])
            wrong += np.count_nonzero(model.predict(X[test][:, sorted(columns)]) != y[test])
        assert objective.error(columns) == wrong / 90


class TestWhatDoesNotMatter:
    """The folds of a number come from what the table holds."""

    criterion = CrossValidatedError(KNeighborsClassifier(3), cv=4)
    sets = ([0], [1, 4], [0, 2, 3, 5])

    def errors(self, X, y, weights=None, sets=None):
        objective = objective_of(self.criterion, X, y, weights)
        return [objective.error(columns) for columns in sets or self.sets]

    @pytest.fixture(params=["numbers", "few values"])
    def any_table(self, request, table):
        X, y = table
        return (X, y) if request.param == "numbers" else (np.rint(X), y)

    def test_the_order_of_the_rows(self, any_table):
        X, y = any_table
        for seed in range(5):
            rows = np.random.default_rng(seed).permutation(90)
            assert self.errors(X[rows], y[rows]) == self.errors(X, y)

    def test_the_order_of_the_columns(self, any_table):
        X, y = any_table
        columns = np.random.default_rng(1).permutation(6)
        sets = [[int(np.flatnonzero(columns == c)[0]) for c in chosen] for chosen in self.sets]
        assert self.errors(X[:, columns], y, sets=sets) == self.errors(X, y)

    def test_the_names_of_the_classes(self, any_table):
        X, y = any_table
        assert self.errors(X, np.array(["zebra", "ant", "newt"])[y]) == self.errors(X, y)

    def test_the_order_in_which_categories_of_text_appear(self, table):
        _, y = table
        rng = np.random.default_rng(3)
        frame = pd.DataFrame({c: rng.choice(list("pqrs"), 90) for c in "ab"}).assign(c=np.array(list("xyz"))[y])
        frame["c"] = np.where(rng.random(90) < 0.4, "w", frame["c"])
        rows = rng.permutation(90)
        sets = ([0], [2], [1, 2])
        found = self.errors(frame.iloc[rows].reset_index(drop=True), y[rows], sets=sets)
        assert found == self.errors(frame, y, sets=sets)

    def test_whether_a_row_has_a_weight_of_two_or_is_there_twice(self, any_table):
        X, y = any_table
        times = np.random.default_rng(2).integers(0, 3, 90)
        assert self.errors(np.repeat(X, times, axis=0), np.repeat(y, times)) == self.errors(X, y, times)

    def test_another_seed_deals_other_folds(self, table):
        other = objective_of(CrossValidatedError(KNeighborsClassifier(3), 4, random_state=1), *table)
        assert [other.error(columns) for columns in self.sets] != self.errors(*table)


def test_every_class_is_dealt_evenly(table):
    X, y = table
    objective = objective_of(CrossValidatedError(NearestMeans(), 4), X, y)
    rows = objective._rows
    for label in range(3):
        counts = [np.count_nonzero(rows.labels[is_test] == label) for is_test in rows.tests]
        assert max(counts) - min(counts) <= 1
    assert max(map(np.count_nonzero, rows.tests)) - min(map(np.count_nonzero, rows.tests)) <= 1


def test_fractions_of_weight_count_in_the_errors(table):
    X, y = table
    weights = np.where(y == 0, 0.5, 1.25)
    folds = [(np.setdiff1d(np.arange(90), test), test) for test in np.array_split(np.arange(90), 3)]
    wrong = 0.0
    for train, test in folds:
        model = GaussianNB().fit(X[train][:, [1]], y[train], weights[train])
        wrong += weights[test][model.predict(X[test][:, [1]]) != y[test]].sum()
    objective = objective_of(CrossValidatedError(GaussianNB(), folds), X, y, weights)
    assert objective.error([1]) == pytest.approx(wrong / weights.sum(), rel=1e-14)


def test_rows_of_no_weight_count_among_the_given_folds_and_nowhere_else(table):
    X, y = table
    weights = (np.arange(90) % 5 > 0).astype(float)
    folds = [(np.setdiff1d(np.arange(90), test), test) for test in np.array_split(np.arange(90), 3)]
    kept = np.flatnonzero(weights)
    without = [([], np.searchsorted(kept, np.intersect1d(test, kept))) for _, test in folds]
    found = objective_of(CrossValidatedError(GaussianNB(), folds), X, y, weights)
    expected = objective_of(CrossValidatedError(GaussianNB(), without), X[kept], y[kept])
    assert found.error([1, 2]) == expected.error([1, 2])


def test_no_subset_is_evaluated_twice_and_constant_columns_add_nothing(table):
    class Counted(NearestMeans):
        n_fits = 0

        def fit(self, X, y, sample_weight=None):
            Counted.n_fits += 1
            return super().fit(X, y, sample_weight)

    X, y = table
    X = np.column_stack([X, np.full(90, 2.5), np.full(90, np.nan)])
    objective = objective_of(CrossValidatedError(Counted(), 3), X, y)
    assert objective.score_subset([6]) == objective.score_subset([]) == objective.score_subset([6, 7]) == 0.0
    assert Counted.n_fits == 0
    first = objective.score_subset([1, 4])
    assert objective.score_subset((4, 1)) == objective.score_subset([4, 6, 1]) == first
    assert Counted.n_fits == 3
    assert np.isnan(objective.score_features()[7])
    assert objective.score_features()[6] == 0.0


def test_jobs_change_nothing(table):
    alone = objective_of(CrossValidatedError(GaussianNB(), 3), *table)
    together = objective_of(CrossValidatedError(GaussianNB(), 3, n_jobs=2), *table)
    assert_array_equal(together.score_features(), alone.score_features())
    others = np.array([0, 2, 4])
    assert_array_equal(together.score_additions([1], others), alone.score_additions([1], others))


def test_a_classifier_that_draws_at_random_gives_the_same_answer_again(table):
    criterion = CrossValidatedError(RandomForestClassifier(3), 2)
    assert objective_of(criterion, *table).error([0, 1, 2]) == objective_of(criterion, *table).error([0, 1, 2])


def test_an_interrupt_goes_through_and_leaves_nothing_half_done(table):
    class Interrupted(NearestMeans):
        left = 7

        def fit(self, X, y, sample_weight=None):
            Interrupted.left -= 1
            if Interrupted.left == 0:
                raise KeyboardInterrupt
            return super().fit(X, y, sample_weight)

    objective = objective_of(CrossValidatedError(Interrupted(), 3, verbose=True), *table)
    with pytest.raises(KeyboardInterrupt):
        objective.score_features()
    expected = objective_of(CrossValidatedError(NearestMeans(), 3), *table).score_features()
    assert_array_equal(objective.score_features(), expected)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"estimator": GaussianNB}, "estimator must be a classifier, such as .*, got <class"),
        ({"estimator": LinearRegression()}, "estimator must be a classifier"),
        ({"estimator": "swm"}, "There is no classifier 'swm' \\(did you mean 'svm'\\?\\)"),
        ({"cv": 1}, "cv must be a whole number of at least 2, got 1 instead"),
        ({"cv": "five"}, "cv must be a whole number of at least 2, got 'five' instead"),
        ({"random_state": None}, "random_state must be a whole number of at least 0, got None instead"),
        ({"n_jobs": 0}, "n_jobs must be a whole number other than 0"),
        ({"n_jobs": 1.5}, "n_jobs must be a whole number other than 0"),
    ],
    ids=repr,
)
def test_a_bad_parameter_is_refused(parameters, message):
    with pytest.raises(InvalidParameter, match=message):
        CrossValidatedError(**parameters)


def test_missing_values_folds_and_classes_that_do_not_work_are_refused_by_name(table):
    X, y = table
    with_missing = np.where(np.arange(540).reshape(90, 6) == 7, np.nan, X)
    with pytest.raises(InvalidInput, match=r"GaussianNB cannot evaluate the chosen columns: .*NaN"):
        objective_of(CrossValidatedError(GaussianNB()), with_missing, y).error([1])
    assert objective_of(CrossValidatedError(), with_missing, y).error([1]) < 0.6
    with pytest.raises(InvalidInput, match="cv must test every row once"):
        objective_of(CrossValidatedError(cv=[([0], [1]), ([1], [0])]), X, y)
    with pytest.raises(InvalidInput, match="All rows of a weight above zero are in one fold"):
        objective_of(CrossValidatedError(cv=KFold(2)), X, y, (np.arange(90) < 45).astype(float))
    with pytest.raises(InvalidInput, match="errors need at least two classes"):
        objective_of(CrossValidatedError(), X, np.zeros(90))


def test_a_kernel_can_be_searched_backward(table):
    X, y = table
    assert set(FeatureSelector(KernelTrace(), GreedyBackward(), n_features=2).fit(X, y).selection_.indices) == {1, 4}
