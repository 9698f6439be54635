"""Wrappers on tables."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB

from fewest import Wrapper
from fewest.errors import InvalidInput, InvalidParameter

from ...nearest_means import NearestMeans
from ...reference import wrappers


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return X[:, :8], y


@pytest.fixture(scope="module")
def count(wine):
    """How many rows the nearest mean gets wrong, by fitting by hand."""
    X, y = wine
    known = {}

    def errors(columns):
        if columns not in known:
            known[columns] = 0
            for train, test in StratifiedKFold(3).split(X, y):
                part = X[:, sorted(columns)]
                known[columns] += np.count_nonzero(
                    NearestMeans().fit(part[train], y[train]).predict(part[test]) != y[test]
                )
        return known[columns]

    return errors


@pytest.mark.parametrize("direction", ["forward", "backward", "floating"])
@pytest.mark.parametrize("n_features", [None, 3])
def test_it_chooses_what_the_reference_chooses(direction, n_features, wine, count):
    fitted = Wrapper(NearestMeans(), direction, cv=StratifiedKFold(3), n_features=n_features).fit(*wine)
    expected = getattr(wrappers, direction)(count, 8, n_features)
    assert set(fitted.selection_.indices) == set(expected)
    if direction == "forward":
        assert list(fitted.selection_.indices) == expected
    assert fitted.selection_.value == count(frozenset(expected)) / 178
    assert fitted.selection_.sense == "min"
    assert fitted.errors_ == {size: count(frozenset(s)) / 178 for size, s in fitted.selection_.path.items()}


def test_scores_are_what_was_spared_at_entry(wine, count):
    fitted = Wrapper(NearestMeans(), cv=StratifiedKFold(3), n_features=3).fit(*wine)
    errors = [fitted.errors_[size] for size in (1, 2, 3)]
    by_guessing = 1 - 71 / 178  # the second class is the largest in every training part
    spared = [(before - after) / by_guessing for before, after in pairwise([by_guessing, *errors])]
    np.testing.assert_allclose(fitted.selection_.scores, spared, rtol=1e-12)


def test_auto_is_the_stopping_rule_and_the_note_explains_that_the_error_chose(wine):
    fitted = Wrapper(n_features="auto").fit(*wine)
    assert fitted.selection_.indices == Wrapper().fit(*wine).selection_.indices
    (note,) = fitted.notes_
    assert note.startswith(f"error {100 * fitted.selection_.value:.2g} % in 5-fold cross-validation of a linear SVM")
    assert "expect more on new rows" in note
    assert not hasattr(fitted, "size_curve_")
    assert str(fitted.selection_).endswith("and other features may do better")


def test_a_share_of_the_columns_and_a_largest_number(wine):
    assert Wrapper(NearestMeans(), n_features=0.5).fit(*wine).n_features_ == 4
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 9)), np.arange(40) % 2
    X[:, :] = X[:, :1]  # all alike: the error never grows
    fitted = Wrapper(NearestMeans(), max_features=4).fit(X, y)
    assert max(fitted.errors_) == 4
    assert fitted.n_features_ == 1


def test_jobs_rows_and_progress_change_nothing(wine, capsys):
    X, y = wine
    expected = Wrapper(GaussianNB(), cv=3, n_features=2).fit(X, y)
    rows = np.random.default_rng(0).permutation(len(y))
    for fitted in (
        Wrapper(GaussianNB(), cv=3, n_features=2, n_jobs=2).fit(X, y),
        Wrapper(GaussianNB(), cv=3, n_features=2, verbose=True).fit(X, y),
        Wrapper(GaussianNB(), cv=3, n_features=2).fit(X[rows], y[rows]),
    ):
        assert fitted.selection_.scores == expected.selection_.scores
        assert fitted.selection_.indices == expected.selection_.indices
    assert capsys.readouterr().out == ""


def test_text_and_missing_values_are_evaluated_too():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 120)
    kind = np.where(rng.random(120) < 0.9, np.array(["red", "green", "blue"])[y], "grey")
    frame = pd.DataFrame({"noise": rng.normal(size=120), "kind": kind, "missing": rng.normal(size=120) + 0.3 * y})
    frame.loc[::9, "missing"] = np.nan
    frame.loc[::20, "kind"] = None
    fitted = Wrapper(n_features=1).fit(frame, y)
    assert fitted.selection_.features == ("kind",)
    assert fitted.selection_.value < 0.25


def test_noise_is_called_no_better_than_guessing():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(30, 1)), np.repeat([0, 0, 1], 10)
    fitted = Wrapper(NearestMeans()).fit(X, y)
    assert "no better than always predicting the largest class (33 %)" in fitted.notes_[0]


def test_a_class_of_fewer_rows_than_folds_is_named(wine):
    X, y = wine
    rows = np.r_[np.flatnonzero(y < 2), np.flatnonzero(y == 2)[:3]]
    names = np.array(["barolo", "grignolino", "barbera"])[y[rows]]
    fitted = Wrapper(NearestMeans(), n_features=1).fit(X[rows], names)
    assert "1 class(es) have fewer rows than there are folds, and are hardly evaluated: 'barbera'" in fitted.notes_


def test_an_interrupt_leaves_no_answer(wine):
    class Interrupted(NearestMeans):
        def predict(self, X):
            if X.shape[1] == 2:
                raise KeyboardInterrupt
            return super().predict(X)

    selector = Wrapper(Interrupted(), verbose=True)
    with pytest.raises(KeyboardInterrupt):
        selector.fit(*wine)
    assert not hasattr(selector, "support_")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"direction": "foward"}, "'floating', 'exhaustive', got 'foward' instead"),
        ({"estimator": GaussianNB}, "estimator must be a classifier"),
        ({"estimator": LinearRegression()}, "estimator must be a classifier"),
        ({"n_jobs": 0}, "n_jobs must be a whole number other than 0"),
        ({"n_jobs": "two"}, "n_jobs must be a whole number other than 0"),
        ({"n_features": 0}, "n_features must be a whole number of at least 1"),
    ],
    ids=repr,
)
def test_a_bad_parameter_is_refused_before_the_data_are_looked_at(parameters, message):
    with pytest.raises(InvalidParameter, match=message):
        Wrapper(**parameters).fit(None, None)


def test_one_class_is_refused(wine):
    with pytest.raises(InvalidInput, match="have the one class '1'"):
        Wrapper().fit(wine[0], np.ones(178, dtype=int))
