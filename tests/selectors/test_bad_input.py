"""Bad input from Python: one FewestError that says what is wrong, where, and what to do."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.model_selection import KFold

from fewest import FewestError, FisherMarkov, scan

from ..data.bad_files import BAD_FILES

X = np.random.default_rng(0).normal(size=(20, 4))
Y = np.repeat([0, 1], 10)
FRAME = pd.DataFrame(X, columns=list("abcd"))


def with_value(value, row=3, column=1, dtype=None):
    changed = X.astype(dtype or X.dtype)
    changed[row, column] = value
    return changed


def labels_with(value, row=3):
    labels = Y.astype(object)
    labels[row] = value
    return labels


def broken(matrix, part, position, value):
    getattr(matrix, part)[position] = value
    return matrix


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_refused_in_one_line(name, tmp_path):
    bad = BAD_FILES[name]
    with pytest.raises(FewestError, match=bad.says) as caught:
        FisherMarkov(n_features=1).fit(scan(bad.make(tmp_path), **bad.options))
    assert "\n" not in str(caught.value)


BAD_TABLES = {
    "infinity": (with_value(np.inf), r"Column 1 holds infinity \(row 3\).*make them missing \(NaN\)"),
    "minus infinity": (with_value(-np.inf, column=0), r"Column 0 holds infinity \(row 3\)"),
    "infinity in float32": (with_value(np.inf, dtype=np.float32), r"Column 1 holds infinity \(row 3\)"),
    "infinity in a sparse matrix": (sparse.csc_array(with_value(np.inf)), r"Column 1 holds infinity \(row 3\)"),
    "infinity in a named column": (FRAME.assign(b=np.inf), r"Column 'b' holds infinity \(row 0\)"),
    "a value too large to square": (with_value(1e200), r"Column 1 holds 1e\+200, too large to square \(row 3\)"),
    "more than a float can hold": (with_value(10**400, dtype=object), r"Column 1 holds infinity \(row 3\)"),
    "more than a float64 can hold": (
        with_value(np.finfo(np.longdouble).max, dtype=np.longdouble),
        r"Column 1 holds .*\(row 3\): input contains infinity or a value too large",
    ),
    "text": (
        X.astype(str).astype(object) + "?",
        r"Column 0 holds '.*\?', which is not a number.*Encode text as numbers",
    ),
    "text among numbers": (with_value("three", dtype=object), r"Column 1 holds 'three', which is not a number"),
    "an array of text": (np.array([["a", "b"]] * 20), r"Column 0 holds 'a', which is not a number"),
    "a dict": (with_value({}, dtype=object), r"Column 1 holds \{\}, which is not a number"),
    "a list in a cell": (with_value([1, 2], dtype=object), r"Column 1 holds \[1, 2\], which is not a number"),
    "a date in a cell": (
        with_value(datetime.date(2020, 1, 1), dtype=object),
        r"Column 1 holds datetime\.date\(2020, 1, 1\), which is not a number",
    ),
    "complex numbers": (X + 1j, r"^Complex data not supported: X must hold real numbers\.$"),
    "a complex number in a cell": (with_value(1j, dtype=object), r"Column 1 holds 1j, which is not a number"),
    "dates": (np.zeros((20, 2), dtype="M8[s]"), r"Dates and durations are not numbers\. Convert them"),
    "durations": (np.zeros((20, 2), dtype="m8[s]"), r"Dates and durations are not numbers"),
    "one dimension": (X[:, 0], r"^Expected 2D array, got 1D array instead\. Reshape your data"),
    "three dimensions": (X.reshape(20, 2, 2), r"Found array with dim 3.*FisherMarkov"),
    "a number": (3.0, r"Expected 2D array, got scalar array instead\. Reshape"),
    "rows of different lengths": ([[1.0, 2.0], [3.0]] * 10, r"The rows of X have different lengths"),
    "nothing": (None, r"X must be a table: an array, .*; got NoneType instead"),
    "a dict of columns": ({"a": [1, 2]}, r"X must be a table.*got dict instead"),
    "a generator": ((row for row in X), r"X must be a table.*got generator instead"),
    "a file's name": (
        "rows.csv",
        r"X must be a table, got 'rows\.csv'\. To read a file, use scan\('rows\.csv', target\)",
    ),
    "a lazy frame": (pl.DataFrame(X).lazy(), r"got a lazy one\. Read it with scan"),
    "a column": (FRAME["a"], r"Expected a 2-dimensional container"),
    "no rows": (X[:0], r"Found array with 0 sample\(s\) \(shape=\(0, 4\)\)"),
    "no rows in a frame": (FRAME[:0], r"X has 0 rows but y has 20 labels"),
    "no columns": (X[:, :0], r"0 feature\(s\) \(shape=\(20, 0\)\) while a minimum of 1 is required"),
    "no columns in a frame": (FRAME[[]], r"The table has no feature columns\. Give at least one"),
    "no columns in a polars frame": (pl.DataFrame(), r"The table has no feature columns\. Give at least one"),
    "a column of dates": (FRAME.assign(a=pd.Timestamp("2020")), r"Column 'a' holds dates, times or durations, not"),
    "lists in Arrow": (pa.table({"a": pa.array([[1]] * 20)}), r"Column 'a' holds values of type [Ll]ist"),
    "a column name twice": (pd.DataFrame(X, columns=list("aabc")), r"more than one column named 'a'\. Rename"),
    "a numbered name twice": (pd.DataFrame(X, columns=[1, 1, 2, 2]), r"more than one column named '1', '2'\. Rename"),
    "a column name twice in Arrow": (pa.table([X[:, 0], X[:, 1]], names=["a", "a"]), r"more than one column named 'a'"),
    "names and numbers": (pd.DataFrame(X, columns=["a", 1, "b", 2]), r"all input features have string names"),
    "an index outside a sparse matrix": (
        broken(sparse.csr_array(X), "indices", 5, 99),
        r"indices of the sparse matrix point outside its 20 rows and 4 columns",
    ),
    "an index below zero": (
        broken(sparse.csc_array(X), "indices", 5, -1),
        r"indices of the sparse matrix point outside",
    ),
    "rows that start nowhere": (
        broken(sparse.csr_array(X), "indptr", 5, 999),
        r"indices of the sparse matrix point outside",
    ),
}


#: The code of a category in one part of the rows would be another's in the next.
TEXT_IN_PARTS = {
    "a column of text": (
        FRAME.assign(a="x"),
        r"needs numbers, and 1 column\(s\) hold text.*: 'a'\. Drop them or encode",
    ),
    "many columns of text": (
        ("v" + FRAME.astype(str)).assign(e="x", f="y"),
        r"6 column\(s\) hold text.*'a', 'b', 'c', 'd', 'e', …",
    ),
    "a column of mixed objects": (FRAME.assign(a=[1, "x"] * 10), r"1 column\(s\) hold text.*: 'a'"),
    "categories": (FRAME.assign(a=pd.Categorical([1, 2] * 10)), r"1 column\(s\) hold text, categories or dates: 'a'"),
    "text in polars": (pl.DataFrame({"a": X[:, 0], "t": ["x"] * 20}), r"1 column\(s\) hold text.*: 't'"),
    "categories in Arrow": (
        pa.table({"a": X[:, 0], "t": pa.array(["x"] * 20).dictionary_encode()}),
        r"1 column\(s\) hold text, categories or dates: 't'",
    ),
    "text under a numbered name": (pd.DataFrame({0: X[:, 0], 1: ["x"] * 20}), r"1 column\(s\) hold text.*: '1'"),
}


@pytest.mark.parametrize(
    ("method", "name"), [*(("fit", name) for name in BAD_TABLES), *(("partial_fit", name) for name in TEXT_IN_PARTS)]
)
def test_a_bad_table_is_refused(method, name):
    table, says = (BAD_TABLES if method == "fit" else TEXT_IN_PARTS)[name]
    with pytest.raises(FewestError, match=says) as caught:
        getattr(FisherMarkov(n_features=1), method)(table, Y)
    assert "\n" not in str(caught.value)


BAD_LABELS = {
    "none": (None, r"FisherMarkov requires y to be passed.*Give the class of each row"),
    "too few": (Y[:-1], r"X has 20 rows but y has 19 labels.*Give one label a row"),
    "too many": (np.r_[Y, 1], r"X has 20 rows but y has 21 labels"),
    "one class": (["u"] * 20, r"All 20 rows have the one class 'u' \(1 class\); at least two classes are needed"),
    "missing": (
        labels_with(None),
        r"no label in 1 of 20 rows of y \(first: row 3\).*scan\(X, y, drop_unlabelled=True\)",
    ),
    "NaN": (np.where(np.arange(20) % 2, Y, np.nan), r"Input y contains NaN or no label in 10 of 20 rows.*first: row 0"),
    "NaN in a list of text": (["u", np.nan] + ["u", "v"] * 9, r"no label in 1 of 20 rows of y \(first: row 1\)"),
    "nothing but gaps": (np.full(20, np.nan), r"no label in 20 of 20 rows"),
    "missing in pandas": (pd.Series([None, *Y[1:]], dtype="Int64"), r"no label in 1 of 20 rows"),
    "missing in categories": (pd.Categorical([None, *"uv" * 9, "u"]), r"no label in 1 of 20 rows"),
    "missing in polars": (pl.Series([None, *Y[1:].tolist()]), r"no label in 1 of 20 rows"),
    "missing in polars' booleans": (pl.Series([None, *(Y[1:] == 1).tolist()]), r"no label in 1 of 20 rows"),
    "missing in Arrow": (pa.array([None, *Y[1:].tolist()]), r"no label in 1 of 20 rows"),
    "missing in Arrow's text": (
        pa.chunked_array([["u"] * 10, [None, *"v" * 9]]),
        r"no label in 1 of 20 rows.*row 10",
    ),
    "a masked label": (np.ma.masked_array(Y, Y == 1), r"no label in 10 of 20 rows of y \(first: row 10\)"),
    "not a time": (np.array(["NaT", *["2020-01-01"] * 19], dtype="M8[D]"), r"no label in 1 of 20 rows"),
    "a quantity": (X[:, 0], r"look like a continuous quantity \(for example .*\).*Cut the quantity into classes"),
    "a quantity in objects": (X[:, 0].astype(object), r"look like a continuous quantity"),
    "infinity": (np.where(np.arange(20) == 3, np.inf, Y), r"labels hold infinity.*Mend it first"),
    "infinity in objects": (labels_with(np.inf), r"labels hold infinity"),
    "complex numbers": (Y + 0j, r"labels are complex numbers\. Name classes by text or whole numbers"),
    "two columns": (np.c_[Y, Y], r"y should be a 1d array of labels, one a row, got an array of shape \(20, 2\)"),
    "a number": (3, r"y should be a 1d array of labels, one a row, got int instead"),
    "a column's name": (
        "label",
        r"y must hold the labels, one a row; got 'label'\. To name a column.*scan\(X, 'label'\)",
    ),
    "a generator": ((label for label in Y), r"y should be a 1d array.*got generator instead"),
    "a sparse column": (sparse.csr_array(Y[:, None]), r"y should be a 1d array.*got csr_array instead"),
    "dicts": ([{"a": 1}, {"a": 2}] * 10, r"A class label must be a single value.*got \{'a': 1\}"),
    "sets": ([{1}, {2}] * 10, r"A class label must be a single value.*got \{1\}"),
    "lists of different lengths": ([[1], [1, 2]] * 10, r"y should be a 1d array of labels.*lists of different lengths"),
}


@pytest.mark.parametrize("n_features", [2, "auto"])
@pytest.mark.parametrize("name", BAD_LABELS)
def test_bad_labels_are_refused(name, n_features):
    labels, says = BAD_LABELS[name]
    with pytest.raises(FewestError, match=says) as caught:
        FisherMarkov(n_features=n_features).fit(X, labels)
    assert "\n" not in str(caught.value)


def test_a_column_of_labels_gets_the_warning_of_scikit_learn():
    from sklearn.exceptions import DataConversionWarning

    for labels in (Y[:, None], pd.DataFrame({"y": Y}), pl.DataFrame({"y": Y})):
        with pytest.warns(DataConversionWarning, match="column-vector y"):
            FisherMarkov(n_features=2).fit(X, labels)


@pytest.mark.parametrize(
    ("rows", "weights", "says"),
    [
        (slice(0, 1), None, r"usable rows is 1 .*at least 2 are needed\. Give more rows"),
        (slice(None), np.zeros(20), r"usable rows is 0 .*zero weight do not count"),
        (slice(None), np.eye(20)[0], r"usable rows is 1 "),
        (slice(None), Y, r"All 10 rows have the one class '1'"),
    ],
)
@pytest.mark.parametrize("n_features", [2, "auto"])
@pytest.mark.parametrize("table", [X, FRAME, sparse.csr_array(X)], ids=["array", "frame", "sparse"])
def test_two_usable_rows_of_two_classes_are_needed(table, n_features, rows, weights, says):
    with pytest.raises(FewestError, match=says):
        FisherMarkov(n_features=n_features).fit(table[rows], Y[rows], weights)


@pytest.mark.parametrize("cv", [3, KFold(3)])
@pytest.mark.parametrize("n_features", [2, "auto"])
@pytest.mark.parametrize("table", [X, FRAME], ids=["array", "frame"])
def test_no_row_may_be_left_after_dropping_those_without_a_label(table, n_features, cv):
    source = scan(table, np.full(20, np.nan), drop_unlabelled=True)
    with pytest.raises(FewestError, match=r"usable rows is 0 .*rows without a label.*at least 2 are needed"):
        FisherMarkov(n_features=n_features, cv=cv).fit(source)


BAD_WEIGHTS = {
    "negative": (np.r_[np.ones(19), -1], r"finite and not negative, got -1\.0 in row 19\. Mend it"),
    "a negative number for all": (-1.0, r"finite and not negative, got -1\.0 in row 0"),
    "NaN": (np.r_[np.nan, np.ones(19)], r"finite and not negative, got nan in row 0"),
    "missing": (pl.Series([1.0] * 19 + [None]), r"finite and not negative, got nan in row 19"),
    "NA": (
        pd.Series([None] + [1.0] * 19, dtype="Float64"),
        r"sample_weight must be (finite and not negative, got nan in row 0|real numbers)",
    ),
    "infinite": (np.r_[np.ones(19), np.inf], r"finite and not negative, got inf in row 19"),
    "too few": (np.ones(19), r"sample_weight has 19 numbers for 20 rows\. Give one a row"),
    "too many": (np.ones(21), r"sample_weight has 21 numbers for 20 rows"),
    "a column": (np.ones((20, 1)), r"Sample weights must be 1D array or scalar.*got shape \(20, 1\)"),
    "text": (["one"] * 20, r"sample_weight must be real numbers, one a row; got list that holds something else"),
    "a name": ("w", r"sample_weight must be real numbers, one a row; got str"),
    "complex": (np.ones(20) + 0j, r"sample_weight must be real numbers"),
    "lists of different lengths": ([[1], [1, 2]] * 10, r"sample_weight must be real numbers"),
    "a sparse row": (sparse.csr_array(np.ones((1, 20))), r"sample_weight must be real numbers.*got csr_array"),
    "more than rows can be counted": (np.full(20, 1e300), r"weights add up to 2e\+301\. .*scale them down"),
    "more than can be added": (np.full(20, 1e308), r"weights add up to inf"),
}


@pytest.mark.parametrize("name", BAD_WEIGHTS)
def test_bad_weights_are_refused(name):
    weights, says = BAD_WEIGHTS[name]
    with pytest.raises(FewestError, match=says):
        FisherMarkov(n_features=2).fit(X, Y, weights)
