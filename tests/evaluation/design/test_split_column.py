"""A column holds the splits into training rows and test rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import PredefinedSplit

from fewest import SplitColumn, compare, scan
from fewest.errors import InvalidInput, InvalidParameter

FAST = {"classifiers": ["nb"], "inner": 3, "sizes": [1, 3]}


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True, as_frame=True)


def trials_of(found):
    return [{**trial, "seconds": None} for trial in found.tables[0].methods[0].trials]


@pytest.mark.parametrize("words", [("train", "test"), ("Training", "TESTING"), ("learn", " Test ")])
def test_one_split_by_a_column_is_the_same_given_as_a_pair(words, iris, tmp_path):
    X, y = iris
    is_test = np.random.default_rng(0).random(150) < 0.3
    expected = compare("fisher-score", X, y, outer=[(~is_test, is_test)], **FAST)
    marks = np.where(is_test, words[1], words[0])
    table = X.assign(part=marks)
    found = compare("fisher-score", table, y, outer=SplitColumn("part"), **FAST)
    assert trials_of(found) == trials_of(expected)
    assert found.tables[0].feature_names == tuple(X.columns)
    assert found.tables[0].fingerprint == expected.tables[0].fingerprint
    assert found.settings["outer"] == "as the column 'part' says"
    table.assign(label=y).to_csv(tmp_path / "t.csv", index=False)
    source = scan(tmp_path / "t.csv", "label")
    assert trials_of(compare("fisher-score", source, outer=SplitColumn("part"), **FAST)) == trials_of(expected)
    given = compare("fisher-score", X, y, outer=SplitColumn(marks.tolist()), **FAST)
    assert trials_of(given) == trials_of(expected)
    assert given.settings["outer"] == "as given for each row"


@pytest.mark.parametrize("fold_type", [int, float, str])
def test_folds_are_those_of_scikit_learn(fold_type, iris):
    X, y = iris
    folds = np.random.default_rng(0).integers(-1, 4, 150)
    expected = compare("fisher-score", X, y, outer=list(PredefinedSplit(folds).split()), **FAST)
    column = [fold_type(fold) for fold in folds]
    found = compare("fisher-score", X.assign(fold=column), y, outer=SplitColumn("fold"), **FAST)
    assert len(trials_of(found)) == 4
    assert trials_of(found) == trials_of(expected)


def test_folds_may_have_names_and_groups_choose_the_inner_ones(iris):
    X, y = iris
    sites = np.array(["north", "south", "west"])[np.arange(150) % 3]
    patients = np.arange(150) // 3 * 3 + np.arange(150) % 3
    found = compare("fisher-score", X, y, outer=SplitColumn(sites), groups=patients, **FAST)
    assert [trial["results"]["nb"]["wrong"] is not None for trial in trials_of(found)] == [True] * 3
    assert found.settings["outer"] == "as given for each row, rows of one group kept together"
    assert SplitColumn("site").pairs(sites.tolist(), "'t'")[2][1].tolist() == (sites == "west").tolist()


def test_several_tables_each_have_their_column(iris):
    X, y = iris
    marks = np.where(np.arange(150) % 3, "train", "test")
    tables = {"one": (X.assign(part=marks), y), "two": (X.assign(part=marks[::-1]), y)}
    found = compare("fisher-score", tables, outer=SplitColumn("part"), **FAST)
    assert [table.n_test for table in found.tables] == [50, 50]
    with pytest.raises(InvalidInput, match="No column says how 'two' is split"):
        compare("fisher-score", tables, outer=SplitColumn({"one": "part"}), **FAST)


@pytest.mark.parametrize(
    ("marks", "says"),
    [
        (["train", "test", "valid"], r"holds 'valid' \(first: row 2\), which is neither.*Write 'train'"),
        (["train", "train", "Validation"], "'Validation'"),
        (["train", "test", "3"], "holds '3'.*in addition to 'train' and 'test'"),
        (["train", "train", "training"], "All rows of 't' are training rows"),
        (["test"] * 3, "All rows of 't' are test rows"),
        ([1, 1, 1], r"one fold \(1\)"),
        ([-1, -1, -1], r"one fold \(-1\)"),
        (["train", None, "test"], r"no value in 1 of 3 rows \(first: row 1\)"),
        ([0.5, 1, 2], "0.5, which is no fold"),
    ],
)
def test_columns_that_say_no_split_are_refused(marks, says):
    with pytest.raises(InvalidInput, match=says):
        SplitColumn("part").pairs(marks, "'t'")


def test_a_split_needs_training_rows_of_two_classes(iris):
    X, y = iris
    with pytest.raises(InvalidInput, match="training rows of two classes"):
        compare("fisher-score", X, y, outer=SplitColumn(np.where(y == 0, "train", "test")), **FAST)
    with pytest.raises(InvalidInput, match="to be the splits"):
        compare("fisher-score", pd.DataFrame(X), y, outer=SplitColumn("part"), **FAST)
    with pytest.raises(InvalidParameter, match="SplitColumn"):
        compare("fisher-score", X, y, outer="part", **FAST)
