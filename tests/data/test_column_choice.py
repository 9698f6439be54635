"""Columns in and out, by names, globs and ranges, from every source."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from fewest import scan
from fewest.data.column_choice import ColumnChoice
from fewest.errors import FewestError, InvalidInput, InvalidParameter, InvalidType

NAMES = ["id", "a", "b", "gene_1", "gene_2", "c,d", "w", "label"]
FRAME = pd.DataFrame({name: range(6) for name in NAMES[:-1]} | {"label": list("xyxyxy")})[NAMES]


@pytest.fixture(params=["pandas", "csv", "parquet", "feather", "xlsx"])
def table(request, tmp_path):
    if request.param == "pandas":
        return FRAME
    path = tmp_path / f"t.{request.param}"
    write = {"csv": FRAME.to_csv, "xlsx": FRAME.to_excel}.get(request.param)
    if write is not None:
        write(path, index=False)
    else:
        getattr(FRAME, f"to_{request.param}")(path)
    return path


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"columns": "a"}, ["a"]),
        ({"columns": ["b", "a"]}, ["a", "b"]),
        ({"columns": "b,a"}, ["a", "b"]),
        ({"columns": "gene_*"}, ["gene_1", "gene_2"]),
        ({"columns": "gene_[1]"}, ["gene_1"]),
        ({"columns": "a:gene_1"}, ["a", "b", "gene_1"]),
        ({"columns": ":b"}, ["id", "a", "b"]),
        ({"columns": "gene_2:"}, ["gene_2", "c,d", "w"]),
        ({"columns": "2-3"}, ["a", "b"]),
        ({"columns": "2,5"}, ["a", "gene_2"]),
        ({"columns": ["c,d"]}, ["c,d"]),
        ({"columns": "c,d"}, ["c,d"]),
        ({"drop": "id"}, ["a", "b", "gene_1", "gene_2", "c,d", "w"]),
        ({"drop": ["gene_*", "1-2"]}, ["b", "c,d", "w"]),
        ({"columns": "a:gene_2", "drop": "b"}, ["a", "gene_1", "gene_2"]),
        ({"id_column": "id"}, ["a", "b", "gene_1", "gene_2", "c,d", "w"]),
        ({"weight": "w", "drop": "id"}, ["a", "b", "gene_1", "gene_2", "c,d"]),
        ({"columns": "a,label"}, ["a"]),
    ],
    ids=str,
)
def test_columns_are_chosen(table, options, expected):
    source = scan(table, "label", **options)
    assert list(source.feature_names) == expected
    assert next(iter(source.blocks())).values.shape[1] == len(expected)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"columns": "gene_3"}, r"columns: there is no column 'gene_3' \(did you mean 'gene_\d'\?\)"),
        ({"drop": "zzz"}, r"drop: there is no column 'zzz' in .* Its columns are 'id', 'a'"),
        ({"columns": "x*"}, r"columns: no column of .* matches 'x\*'\. Its columns are"),
        ({"columns": "b:a"}, r"columns: 'a' comes before 'b' in"),
        ({"columns": "a:gene_9"}, r"columns: there is no column 'gene_9' \(did you mean"),
        ({"columns": "3-20"}, r"'3-20' is no range of the 8 columns of .*, which are counted from 1"),
        ({"columns": "0"}, r"'0' is no range"),
        ({"id_column": "Id"}, r"no column 'Id' \(did you mean 'id'\?\) in .* to be the id column"),
        ({"columns": "a", "drop": "a"}, r"columns and drop leave no feature in"),
        ({"columns": ""}, r"columns holds an empty name"),
        ({"categories": "bb"}, r"categories: there is no column 'bb'"),
    ],
    ids=str,
)
def test_what_is_not_there_is_said_with_the_nearest_name(table, options, says):
    with pytest.raises(FewestError, match=says):
        scan(table, "label", **options)


def test_names_are_text():
    with pytest.raises(InvalidType, match=r"columns must hold names of columns, got int"):
        scan(FRAME, "label", columns=[1])
    with pytest.raises(InvalidType, match=r"drop must be names of columns, got int"):
        scan(FRAME, "label", drop=1)
    with pytest.raises(InvalidType, match=r"id_column must be the name of a column, got int"):
        scan(FRAME, "label", id_column=1)


def test_columns_with_a_role_of_their_own_are_read_whatever_is_chosen():
    choice = ColumnChoice.of("a", "id", None, ["id"], None)
    assert choice.features(NAMES, ["label"], "t") == ["id", "a"]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, sparse.csc_array])
def test_columns_of_arrays_and_sparse_matrices_may_have_names(form):
    values = form(np.arange(12.0).reshape(4, 3) + 1)
    source = scan(values, list("xyxy"), feature_names=["u", "v", "w"])
    assert source.feature_names == ["u", "v", "w"]
    chosen = scan(values, list("xyxy"), feature_names=["u", "v", "w"], columns="v:w")
    assert list(chosen.feature_names) == ["v", "w"]
    assert next(iter(chosen.blocks())).dense_values.tolist() == [[2, 3], [5, 6], [8, 9], [11, 12]]
    assert scan(values, list("xyxy"), drop="x0").n_features == 2
    with pytest.raises(InvalidInput, match=r"There are 2 feature_names for 3 columns\. Give one a column"):
        scan(values, list("xyxy"), feature_names=["u", "v"])
    with pytest.raises(InvalidInput, match=r"feature_names has more than one column named 'u'"):
        scan(values, list("xyxy"), feature_names=["u", "u", "v"])
    with pytest.raises(InvalidParameter, match=r"cannot be read as categories"):
        scan(values, list("xyxy"), categories="x0")


def test_a_parameter_that_says_nothing_about_the_data_is_refused():
    for options, says in (
        ({"sep": ";"}, "sep is for text files"),
        ({"encoding": "latin-1"}, "encoding is for text files"),
        ({"transpose": True}, "transpose is for text files and spreadsheets"),
        ({"feature_names": ["a"]}, "feature_names are for arrays"),
    ):
        with pytest.raises(InvalidParameter, match=says):
            scan(FRAME, "label", **options)
    with pytest.raises(InvalidParameter, match="A source has its target"):
        scan(scan(FRAME, "label"), columns="a")


def test_a_bundled_data_set_has_its_columns_chosen_too():
    assert list(scan("wine", columns="al*").feature_names) == ["alcohol", "alcalinity_of_ash"]
