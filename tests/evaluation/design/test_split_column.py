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
    assert SplitColumn("site").read(sites.tolist(), "t").pairs[2][1].tolist() == (sites == "west").tolist()


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
        SplitColumn("part").read(marks, "t")


def test_a_split_needs_training_rows_of_two_classes(iris):
    X, y = iris
    with pytest.raises(InvalidInput, match="training rows of two classes"):
        compare("fisher-score", X, y, outer=SplitColumn(np.where(y == 0, "train", "test")), **FAST)
    with pytest.raises(InvalidInput, match="to be the splits"):
        compare("fisher-score", pd.DataFrame(X), y, outer=SplitColumn("part"), **FAST)
    with pytest.raises(InvalidParameter, match="SplitColumn"):
        compare("fisher-score", X, y, outer="part", **FAST)


FLAGS = np.arange(150) % 3 != 0


NAMES = ["train", "is_train", "Training", "inTrain", "test", "is test", "TEST"]
KINDS = {"bool": (False, True), "int": (0, 1), "float": (0.0, 1.0), "yes": ("no", "yes"), "True": ("False", "True")}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", KINDS)
def test_flags_mark_what_the_name_of_their_column_says(name, kind):
    is_train = FLAGS if "rain" in name.lower() else ~FLAGS
    read = SplitColumn(name).read([KINDS[kind][int(flag)] for flag in FLAGS], "t")
    ((train, test),) = read.pairs
    assert train.tolist() == is_train.tolist()
    assert test.tolist() == (~is_train).tolist()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("name", "way"), [("train", "frame"), ("is_test", "frame"), ("train", "csv"), ("train", "npz")]
)
def test_training_rows_are_those_that_are_marked_whatever_the_table_comes_from(name, kind, way, iris, tmp_path):
    X, y = iris
    is_train = FLAGS if name == "train" else ~FLAGS
    table = X.assign(**{name: [KINDS[kind][int(flag)] for flag in FLAGS]})
    given = (table, y)
    if way == "csv":
        table.assign(label=y).to_csv(tmp_path / "t.csv", index=False)
        given = (scan(tmp_path / "t.csv", "label"),)
    elif way == "npz":
        marks = np.array(table[name].tolist())
        np.savez(tmp_path / "t.npz", X=X.to_numpy(), y=y, feature_names=list(X.columns), train=marks)
        given = (scan(tmp_path / "t.npz"),)
    found = compare("fisher-score", *given, outer=SplitColumn(name), **FAST)
    expected = compare("fisher-score", X, y, outer=[(is_train, ~is_train)], **FAST)
    assert trials_of(found) == trials_of(expected)
    rows = "training rows: 100 rows to train on, and the 50 others to test."
    note = f"The column {name!r} marks the {rows if name == 'train' else 'test rows: 100 rows to test, and the 50 '}"
    assert found.tables[0].split_note.startswith(note)
    assert found.tables[0].split_note in str(found)
    assert found.tables[0].split_note in found.to_json()
    # Beside the answer, and how it was made.
    assert found.to_html().count("marks the t") == 2


@pytest.mark.parametrize("name", ["part", "split", "train_test", "not_train", None])
@pytest.mark.parametrize("marks", [[True, True, False], [1, 0, 1], ["yes", "no", "no"], ["1", "0", "0"]])
def test_flags_without_a_name_that_says_what_they_mark_are_refused_with_every_reading(name, marks):
    column = SplitColumn(marks if name is None else name)
    with pytest.raises(InvalidInput, match="several ways") as refusal:
        column.read(marks, "t")
    n_yes = sum(mark in (True, 1, "yes", "1") for mark in marks)
    said = str(refusal.value)
    assert f"marks the training rows ({n_yes} to train on, {3 - n_yes} to test)" in said
    assert f"it marks the test rows ({3 - n_yes} to train on, {n_yes} to test)" in said
    assert "two folds" in said
    for meaning, training in (("train", n_yes), ("test", 3 - n_yes)):
        ((train, _),) = SplitColumn(column.column, meaning).read(marks, "t").pairs
        assert train.sum() == training
    assert len(SplitColumn(column.column, "folds").read(marks, "t").pairs) == 2


def test_a_column_called_fold_holds_folds_and_one_called_train_no_others():
    assert len(SplitColumn("cv_fold").read([0, 1, 1], "t").pairs) == 2
    assert SplitColumn("fold").read([0, 1, 1], "t").note.startswith("The column 'fold' holds 2 folds: each is tested")
    assert (
        SplitColumn("fold").read([-1, 1, 1], "t").note == "The column 'fold' names 2 rows to test, and 1 never tested."
    )
    with pytest.raises(InvalidInput, match=r"two ways.*values \(1, 2, 3\) are such as folds"):
        SplitColumn("train").read([1, 2, 3], "t")
    assert len(SplitColumn("train", "folds").read([1, 2, 3], "t").pairs) == 3
    with pytest.raises(InvalidInput, match="cannot be read with meaning='test'"):
        SplitColumn("part", "test").read([1, 2, 3], "t")
    with pytest.raises(InvalidParameter, match="meaning must be one of"):
        SplitColumn("part", "both")


def test_rows_marked_select_are_neither_trained_on_nor_tested(iris):
    X, y = iris
    parts = np.array(["select", "train", "test"])[np.arange(150) % 3]
    found = compare(["fisher-score", "mrmr"], X.assign(part=parts), y, outer=SplitColumn("part"), **FAST)
    triple = tuple(np.flatnonzero(parts == part) for part in ("select", "train", "test"))
    given = compare(["fisher-score", "mrmr"], X, y, outer=[triple], **FAST)
    assert trials_of(found) == trials_of(given)
    table = found.tables[0]
    assert (table.n_train, table.n_test) == (50, 50)
    assert table.split_note == ("The column 'part' names 50 rows to select on, 50 others to train on, and 50 to test.")
    assert not found.settings["leak"]
    with pytest.raises(InvalidParameter, match="name the rows to select on already"):
        compare("mrmr", X, y, outer=[triple], select_rows=5, **FAST)
