"""Bad parameters and bad use from Python: one FewestError that says what is wrong, and what to do."""

from __future__ import annotations

import pickle
from contextlib import suppress

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit
from sklearn.neighbors import KNeighborsClassifier

from fewest import (
    FeatureSelector,
    FewestError,
    FewestWarning,
    FisherMarkov,
    FisherScore,
    IndividualRanking,
    ScatterTrace,
    Selection,
    scan,
)
from fewest.errors import InfiniteValue, OverflowingColumn
from fewest.selectors.registry import method_by_name, methods_by_name

from ..laws.quick_selectors import QUICK_SELECTORS
from .test_bad_input import FRAME, X, Y, with_value

SIZE = r"n_features must be a whole number of at least 1, a share between 0 and 1, 'auto', 'fdr' or None, got "


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"n_features": 0}, SIZE + "0 instead"),
        ({"n_features": -1}, SIZE + "-1 instead"),
        ({"n_features": 2.5}, SIZE + r"2\.5 instead"),
        ({"n_features": 0.0}, SIZE + r"0\.0 instead"),
        ({"n_features": "ten"}, SIZE + "'ten' instead"),
        ({"n_features": True}, SIZE + "True instead"),
        ({"n_features": np.nan}, SIZE + "nan instead"),
        ({"n_features": np.array([2])}, SIZE + r"array\(\[2\]\) instead"),
        ({"n_features": 3, "beta": 0.1}, r"Give beta or n_features, not both \(n_features=3\)"),
        ({"n_features": "auto", "beta": "null"}, r"Give beta or n_features, not both \(n_features='auto'\)"),
        ({"beta": "nul"}, "beta must be a finite number, 'null' or None, got 'nul' instead"),
        ({"beta": np.inf}, "beta must be a finite number, 'null' or None, got inf instead"),
        ({"beta": np.array([0.1, 0.2])}, "beta must be a finite number, 'null' or None, got array"),
        ({"level": 1.5}, r"level must be a number between 0 and 1, got 1\.5 instead"),
        ({"gamma": "half"}, "gamma must be a finite number or 'auto', got 'half' instead"),
        ({"gamma": np.nan}, "gamma must be a finite number, got nan instead"),
        ({"degree": 4}, "degree must be .*, got 4 instead"),
        ({"degree": "two"}, "degree must be .*, got 'two' instead"),
        ({"degree": np.array([1, 2])}, "degree must be .*, got array"),
        ({"scale": "standard"}, "scale must be one of 'auto', 'std', .*, got 'standard' instead"),
        ({"scale": np.array(["std"])}, "scale must be one of .*, got array"),
        ({"rule": "2se"}, "rule must be one of '1se', 'min', 'stable', got '2se' instead"),
        ({"cv": 1}, "cv must be a whole number of at least 2, got 1 instead"),
        ({"cv": "five"}, "cv must be a whole number of at least 2, got 'five' instead"),
        ({"cv": KFold}, "cv must be a whole number of at least 2, got <class"),
        ({"max_features": 0}, "max_features must be a whole number of at least 1, got 0 instead"),
        ({"random_state": -1}, "random_state must be a whole number of at least 0, got -1 instead"),
        ({"estimator": "swm"}, "There is no classifier 'swm'"),
        ({"estimator": 3}, "estimator must be a classifier, such as .*, the name of one, .*, got 3 instead"),
        ({"estimator": KNeighborsClassifier}, "estimator must be a classifier, such as .*, got <class"),
        ({"estimator": LinearRegression()}, r"estimator must be a classifier, such as .*, got LinearRegression\(\)"),
    ],
    ids=repr,
)
def test_a_bad_parameter_is_refused_before_the_data_are_looked_at(parameters, says):
    with pytest.raises(FewestError, match=says):
        FisherMarkov(**parameters).fit(None, None)


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"cv": KFold(30)}, r"cv=KFold\(.*\) cannot split the 20 rows: .*n_splits=30"),
        ({"cv": GroupKFold(3)}, r"cv=GroupKFold\(.*\) cannot split the 20 rows"),
        ({"cv": ShuffleSplit(3, random_state=0)}, r"cv must test every row once.*Use a count or a k-fold splitter"),
        ({"cv": []}, r"cv must test every row once, in at least two folds; 20 of 20 rows are not"),
        ({"cv": [1, 2]}, r"cv must be a count, a splitter, or \(train, test\) pairs of row numbers"),
        ({"cv": [([0], [99]), ([1], [0])]}, r"cv must be a count, a splitter, or \(train, test\) pairs"),
        (
            {"estimator": KNeighborsClassifier(99)},
            r"KNeighborsClassifier cannot evaluate the chosen columns: .*n_neighbors",
        ),
    ],
    ids=repr,
)
def test_folds_and_classifiers_that_do_not_work_are_refused_by_name(parameters, says):
    with pytest.raises(FewestError, match=says):
        FisherMarkov(n_features="auto", **parameters).fit(X, Y)


def test_a_classifier_that_takes_no_gaps_is_told_apart_from_one_that_does():
    table = with_value(np.nan, column=0)
    with pytest.raises(FewestError, match=r"KNeighborsClassifier cannot evaluate .*: Input X contains NaN"):
        FisherMarkov(n_features="auto", estimator=KNeighborsClassifier(3)).fit(table, Y)
    assert FisherMarkov(n_features="auto").fit(table, Y).n_features_ >= 1


@pytest.mark.parametrize(
    ("criterion", "search", "says"),
    [
        (3, IndividualRanking(), r"criterion must be a criterion such as ScatterTrace\(\), got 3 instead"),
        (ScatterTrace, IndividualRanking(), r"criterion must be a criterion such as .*, got <class"),
        (ScatterTrace(), "ranking", r"search must be a search such as IndividualRanking\(\), got 'ranking' instead"),
    ],
)
def test_what_is_joined_must_be_a_criterion_and_a_search(criterion, search, says):
    with pytest.raises(FewestError, match=says):
        FeatureSelector(criterion, search).fit(X, Y)


def test_the_printed_fisher_score_takes_two_classes():
    with pytest.raises(FewestError, match=r"defined for two classes, and there are 3\. Use printed=False"):
        FisherScore(printed=True, n_features=2).fit(X, np.arange(20) % 3)


@pytest.mark.parametrize("asked", [5, 10**9])
def test_more_features_than_there_are_is_clipped_with_a_warning(asked):
    with pytest.warns(FewestWarning, match=rf"n_features={asked} is more than the 4 columns there are; all are taken"):
        assert FisherMarkov(n_features=asked).fit(X, Y).n_features_ == 4


@pytest.mark.parametrize("method", methods_by_name())
@pytest.mark.parametrize(
    "table",
    [
        FRAME.assign(b=np.nan),
        FRAME.assign(b=None),
        FRAME.assign(b=pd.array([pd.NA] * 20, dtype="Int64")),
        pl.from_pandas(FRAME).with_columns(b=pl.lit(None)),
        pl.from_pandas(FRAME).with_columns(b=pl.lit(None, dtype=pl.Date)),
        pa.Table.from_pandas(FRAME).set_column(1, "b", pa.nulls(20)),
    ],
    ids=["NaN", "None", "NA", "polars", "polars dates", "Arrow"],
)
def test_a_column_without_any_value_is_ranked_last_with_a_warning(method, table):
    with pytest.warns(FewestWarning, match=r"1 column\(s\) hold no value at all and are ranked last: 'b'"):
        fitted = methods_by_name()[method](n_features=4).fit(table, Y)
    assert fitted.selection_.indices[-1] == 1
    assert np.flatnonzero(np.isnan(fitted.scores_)).tolist() == [1]
    assert any("'b'" in note for note in fitted.selection_.provenance.notes)


def test_labels_that_hardly_repeat_get_a_warning():
    rows = np.random.default_rng(0).normal(size=(60, 3))
    with pytest.warns(FewestWarning, match="55 classes in 60 rows: the target looks like a quantity or an identifier"):
        fitted = FisherMarkov().fit(rows, [f"patient {i % 55}" for i in range(60)])
    assert "55 classes in 60 rows" in fitted.notes_[0]
    FisherMarkov().fit(rows, np.arange(60) % 30)


def test_a_table_without_any_value_warns_and_takes_the_first_columns():
    with pytest.warns(FewestWarning, match=r"3 column\(s\) hold no value at all"):
        fitted = FisherMarkov(n_features=2).fit(np.full((20, 3), np.nan), Y)
    assert fitted.selection_.indices == (0, 1)


def test_a_threshold_that_nothing_passes_warns_and_the_output_has_no_columns():
    with pytest.warns(FewestWarning, match="No features were selected: none passes the threshold"):
        fitted = FisherMarkov(beta=2.0).fit(X, Y)
    with pytest.warns(FewestWarning, match="No features were selected"):
        assert fitted.transform(X).shape == (20, 0)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("fisher-marko", r"no method 'fisher-marko' \(did you mean 'fisher-markov'\?\)\. See `fewest methods`"),
        ("FISHER-SCOR", r"no method 'FISHER-SCOR' \(did you mean 'fisher-score'\?\)"),
        ("zzz", r"no method 'zzz'\. See `fewest methods`"),
    ],
)
def test_an_unknown_method_gets_the_nearest_name(name, says):
    with pytest.raises(FewestError, match=says):
        method_by_name(name)


@pytest.mark.parametrize("arguments", [(Y,), (None, np.ones(20))], ids=["y", "weights"])
def test_a_source_has_its_own_labels_and_weights(arguments):
    with pytest.raises(FewestError, match=r"source made by scan\(\) has its own labels and weights: leave out y"):
        FisherMarkov(n_features=2).fit(scan(X, Y), *arguments)


def test_only_fit_reads_a_source():
    fitted = FisherMarkov(n_features=2).fit(scan(X, Y))
    with pytest.raises(FewestError, match="X must be a table in memory, got a source"):
        fitted.transform(scan(X, Y))


@pytest.mark.parametrize("use", ["transform", "inverse_transform", "get_feature_names_out", "get_support"])
def test_nothing_can_be_used_before_it_is_fitted(use):
    arguments = (X,) if "transform" in use else ()
    with pytest.raises(FewestError, match=r"This FisherScore instance is not fitted yet\. Call fit first") as caught:
        getattr(FisherScore(), use)(*arguments)
    assert isinstance(caught.value, NotFittedError)


def test_after_rows_of_one_class_the_error_says_what_is_missing():
    started = FisherMarkov(n_features=2).partial_fit(X[:10], Y[:10])
    with pytest.raises(FewestError, match=r"not fitted yet: the rows so far have one class\. Add rows of another"):
        started.transform(X)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (X[:, :3], "X has 3 features, but FisherMarkov is expecting 4 features as input"),
        (X[0], "Expected 2D array, got 1D array instead. Reshape your data"),
        (sparse.csr_array(X[:, :2]), "X has 2 features, but FisherMarkov is expecting 4 features"),
        (None, "X must be a table: .* got NoneType instead"),
        ([[1, 2], [3]], "The rows of X have different lengths"),
    ],
)
def test_transform_refuses_another_shape(table, says):
    with pytest.raises(FewestError, match=says):
        FisherMarkov(n_features=2).fit(X, Y).transform(table)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (FRAME.rename(columns={"a": "z"}), "Feature names unseen at fit time:\n- z"),
        (FRAME[list("dcba")], "must be in the same order as they were in fit"),
        (pl.from_pandas(FRAME[list("dcba")]), "must be in the same order as they were in fit"),
        (FRAME[list("abc")], "yet now missing:\n- d"),
        (FRAME.assign(e=1.0), "Feature names unseen at fit time:\n- e"),
        (pd.DataFrame(X, columns=list("aabc")), "more than one column named 'a'"),
    ],
)
def test_transform_refuses_other_names(table, says):
    with pytest.raises(FewestError, match=says):
        FisherMarkov(n_features=2).fit(FRAME, Y).transform(table)


def test_a_sparse_matrix_does_not_become_a_frame():
    selector = FisherMarkov(n_features=2).set_output(transform="pandas")
    with pytest.raises(FewestError, match=r"sparse matrix cannot become a pandas frame\. Use set_output"):
        selector.fit_transform(sparse.csr_array(X), Y)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (X, "X has 4 columns, but 2 were selected .*Give what transform returned"),
        (sparse.csr_array(X), "X has 4 columns, but 2 were selected"),
        (3.0, "X has 1 columns, but 2 were selected"),
        (np.zeros((2, 2, 2)), r"X must be rows by columns, got an array of shape \(2, 2, 2\)"),
        ([[1, 2], [3]], "lists of different lengths"),
    ],
)
def test_inverse_transform_takes_the_chosen_columns(table, says):
    with pytest.raises(FewestError, match=says):
        FisherMarkov(n_features=2).fit(X, Y).inverse_transform(table)


@pytest.mark.parametrize(
    ("table", "names", "says"),
    [
        (X, ["a"], r"length equal to number of features \(4\), got 1"),
        (X, 4, "input_features must be names, one a column, got int instead"),
        (FRAME, list("wxyz"), "input_features is not equal to feature_names_in_"),
    ],
)
def test_names_must_be_those_of_the_columns(table, names, says):
    with pytest.raises(FewestError, match=says):
        FisherMarkov(n_features=2).fit(table, Y).get_feature_names_out(names)


@pytest.mark.parametrize(
    ("first", "second", "says"),
    [
        ((X, Y), (X[:, :3], Y), "X has 3 features, but FisherMarkov is expecting 4 features"),
        ((FRAME, Y), (FRAME[list("dcba")], Y), "must be in the same order"),
        ((scan(FRAME, Y),), (scan(FRAME[list("abc")], Y),), "X has 3 features, but FisherMarkov is expecting 4"),
        (
            (scan(FRAME, Y),),
            (scan(FRAME[list("abdc")], Y),),
            "column 'd' where earlier rows had 'c'. Give the same columns, in the same order",
        ),
        ((X, Y), (with_value(np.inf), Y), r"Column 1 holds infinity \(row 3\)"),
        ((X, Y), (X, None), "requires y to be passed"),
    ],
)
def test_later_rows_must_fit_the_earlier_ones_and_a_refusal_changes_nothing(first, second, says):
    selector = FisherMarkov(n_features=2).partial_fit(*first)
    before = selector.selection_
    with pytest.raises(FewestError, match=says):
        selector.partial_fit(*second)
    assert selector.selection_ is before
    assert selector.partial_fit(*first).selection_.provenance.n_rows == 40


def test_the_size_cannot_be_cross_validated_in_parts():
    selector = FisherMarkov(n_features="auto")
    assert not hasattr(selector, "partial_fit")
    with pytest.raises(AttributeError, match="partial_fit") as caught:
        selector.partial_fit(X, Y)
    assert "needs all rows at once. Give n_features a number, or use fit" in str(caught.value.__cause__)


def edited(text, name, other):
    """The text with another name of a field, and without the checksum."""
    return text.replace(f'"{name}"', f'"{other}"').replace('"checksum"', '"no checksum"')


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda text: "", "This is not JSON .*Give the text that Selection.to_json wrote"),
        (lambda text: text[:-20], "This is not JSON"),
        (lambda text: None, "This is not JSON"),
        (lambda text: "[1, 2]", "A selection of format 1 is expected, got 'list'"),
        (lambda text: '{"format": 7}', "A selection of format 1 is expected, got 7"),
        (lambda text: '{"format": 1}', "This selection is damaged .*Give the text that Selection.to_json wrote"),
        (lambda text: text.replace('"scores"', '"points"'), "was changed after it was written: its checksum"),
        (lambda text: edited(text, "scores", "points"), "This selection is damaged .KeyError: 'scores'"),
        (lambda text: edited(text, "nested", "other"), "This selection is damaged"),
        (lambda text: edited(text, "seconds", "minutes"), "This selection is damaged"),
        (lambda text: edited(text, "notes", "remarks"), "This selection is damaged"),
    ],
)
def test_json_that_is_no_selection_is_refused(change, says):
    text = FisherMarkov(n_features=2).fit(X, Y).selection_.to_json()
    with pytest.raises(FewestError, match=says):
        Selection.from_json(change(text))


@pytest.mark.parametrize(
    "error", [InfiniteValue(np.inf, 3, "a"), InfiniteValue(1e200, 0, 2), OverflowingColumn("b"), FewestError("so")]
)
def test_an_error_travels_between_processes(error):
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)


def test_the_column_whose_variance_overflows_is_named():
    table = np.array([[1e200, 1.0], [2.0, 1.0], [1e200, 2.0], [3.0, 4.0]])
    for n_features in (1, "auto"):
        with pytest.raises(FewestError, match=r"variance of column 0 overflows.*Rescale the column"):
            FisherMarkov(n_features=n_features, scale=None).fit(table, [0, 1, 0, 1])
        frame = pd.DataFrame(table, columns=["size", "b"])
        with pytest.raises(FewestError, match="variance of column 'size' overflows"):
            FisherMarkov(n_features=n_features, scale=None).fit(frame, [0, 1, 0, 1])
        # Other columns are rescaled first.
        assert FisherMarkov(n_features=1).fit(table, [0, 1, 0, 1]).selection_.indices == (0,)


@pytest.mark.parametrize("name", QUICK_SELECTORS)
def test_a_parameter_that_is_no_number_is_refused_or_written_in_json(name):
    # Also one that these parameters do not use, such as the softness of a loss that was not asked for.
    random = np.random.default_rng(0)
    X, y = random.normal(size=(16, 4)), np.arange(16) % 2
    for parameter, default in QUICK_SELECTORS[name].get_params(deep=False).items():
        if not isinstance(default, float):
            continue
        for value in (np.inf, -np.inf, np.nan, np.float64("inf")):
            selector = clone(QUICK_SELECTORS[name]).set_params(**{parameter: value})
            with suppress(FewestError):
                chosen = selector.fit(X, y).selection_
                assert Selection.from_json(chosen.to_json()).provenance == chosen.provenance
