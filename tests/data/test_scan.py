"""scan() takes files, folders, frames, arrays and names, and gives the same table from each."""

from __future__ import annotations

import gzip
import re
import sys

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_array_equal
from pyarrow import dataset, feather
from scipy import sparse
from scipy.io import savemat

import fewest
from fewest import datasets
from fewest.data.array import ArraySource
from fewest.data.files.arrow_file import ArrowFileSource
from fewest.data.files.delimited import DelimitedSource
from fewest.data.files.parquet import ParquetSource
from fewest.data.frame import FrameSource
from fewest.data.scan import scan
from fewest.errors import InvalidInput, InvalidParameter, InvalidType, MissingDependency, UnreadableFile

from .small_table import COLUMNS, CSV, NAMES, NUMBERS, WEIGHTS, assert_is_the_small_table, rows_of


@pytest.fixture
def home(tmp_path, monkeypatch):
    """The working directory, with the small table in every format."""
    monkeypatch.chdir(tmp_path)
    table = pa.table(COLUMNS)
    (tmp_path / "t.csv").write_text(CSV)
    (tmp_path / "t.TSV").write_text(CSV.replace(",", "\t"))
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(CSV.encode()))
    pq.write_table(table, "t.parquet")
    feather.write_feather(table, "t.feather")
    with pa.ipc.new_file("t.arrow", table.schema) as writer:
        writer.write_table(table)
    (tmp_path / "parts").mkdir()
    pq.write_table(table.slice(0, 4), "parts/1.parquet")
    pq.write_table(table.slice(4).select([2, 3, 0, 1]), "parts/2.parquet")
    np.savez("t.npz", X=NUMBERS, label=np.array(COLUMNS["label"]), feature_names=np.array(NAMES))
    savemat("t.mat", {"X": NUMBERS, "label": np.array(COLUMNS["label"], dtype=object)[:, None]})
    lines = (" ".join([str(ord(label)), *(f"{k}:{v}" for k, v in enumerate(row, 1))]) for label, row in rows())
    (tmp_path / "t.svm").write_text("\n".join(lines))
    return tmp_path


def rows():
    return zip(COLUMNS["label"], NUMBERS.tolist(), strict=True)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        ("t.csv", DelimitedSource),
        ("t.TSV", DelimitedSource),
        ("t.csv.gz", DelimitedSource),
        ("t.parquet", ParquetSource),
        ("t.feather", ArrowFileSource),
        ("t.arrow", ArrowFileSource),
        ("parts", ParquetSource),
        ("parts/*.parquet", ParquetSource),
        ("**/[12].parquet", ParquetSource),
        ("t.c[s]v", DelimitedSource),
        (["parts/1.parquet", "parts/2.parquet"], ParquetSource),
        (("t.csv",), DelimitedSource),
        ("t.npz", ArraySource),
        ("t.mat", ArraySource),
    ],
    ids=str,
)
def test_every_format_gives_the_same_table(home, data, kind):
    source = scan(data, "label")
    assert type(source) is kind
    assert_is_the_small_table(source)
    assert source.feature_names == (None if data == "t.mat" else NAMES)
    absolute = [home / name for name in data] if isinstance(data, list | tuple) else home / data
    assert_is_the_small_table(scan(absolute, target="label"))


@pytest.mark.usefixtures("home")
def test_svmlight_knows_its_labels():
    values, labels, _ = rows_of(scan("t.csv", "label"))
    blocks = list(scan("t.svm").blocks())
    assert_array_equal(blocks[0].values.toarray(), values)
    assert [chr(blocks[0].classes[code]) for code in blocks[0].codes] == labels


@pytest.mark.parametrize(
    "frame", [pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS), pa.table(COLUMNS)], ids=["pandas", "polars", "pyarrow"]
)
def test_every_frame_gives_the_same_table(frame):
    source = scan(frame, "label")
    assert type(source) is FrameSource
    assert source.feature_names == NAMES
    assert_is_the_small_table(source)


def with_weights(library):
    return library(COLUMNS | {"w": WEIGHTS})


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_a_frame_may_hold_weights_and_lack_labels(library):
    source = scan(with_weights(library), "label", weight="w")
    assert source.feature_names == NAMES
    assert_is_the_small_table(source, weights=WEIGHTS)
    lacking = library(COLUMNS | {"label": ["b", "a", None, "b", "a", "c"]})
    with pytest.raises(InvalidInput, match=r"no label in 1 of 6 rows of the target 'label' \(first: row 2\)"):
        list(scan(lacking, "label").blocks())
    assert_is_the_small_table(scan(lacking, "label", drop_unlabelled=True), rows=[0, 1, 3, 4, 5])


@pytest.mark.parametrize("library", [pl.DataFrame, pa.table], ids=["polars", "pyarrow"])
def test_missing_labels_of_a_frame_do_not_turn_integers_into_floats(library):
    source = scan(library({"a": [1.0, 2.0, 3.0], "label": [1, None, 2]}), "label", drop_unlabelled=True)
    assert [type(label) for label in rows_of(source)[1]] == [int, int]


def test_a_frame_may_have_its_labels_and_weights_beside_it():
    frame = pd.DataFrame({name: COLUMNS[name] for name in NAMES})
    assert_is_the_small_table(scan(frame, pd.Series(COLUMNS["label"])))
    assert_is_the_small_table(scan(frame, COLUMNS["label"], weight=WEIGHTS), weights=WEIGHTS)
    assert_is_the_small_table(scan(frame.assign(w=WEIGHTS), COLUMNS["label"], weight="w"), weights=WEIGHTS)


def test_names_that_are_numbers_name_columns_too():
    frame = pd.DataFrame(np.column_stack([NUMBERS, WEIGHTS])).assign(**{"4": COLUMNS["label"]}).rename(columns={"4": 4})
    source = scan(frame, 4, weight=3)
    assert source.feature_names == ["0", "1", "2"]
    assert_is_the_small_table(source, weights=WEIGHTS)


def test_a_frame_needs_a_target_that_it_has():
    frame = pl.DataFrame(COLUMNS)
    with pytest.raises(InvalidParameter, match=r"Name the target: one of the 4 columns of the table, for example"):
        scan(frame)
    with pytest.raises(InvalidInput, match=r"no column 'lab' \(did you mean 'label'\?\) in the table to be the target"):
        scan(frame, "lab")
    with pytest.raises(InvalidInput, match=r"no column 'mass' in the table to be the weight"):
        scan(frame, "label", weight="mass")
    with pytest.raises(InvalidParameter, match=r"'label' cannot be both the target and the weight"):
        scan(frame, "label", weight="label")
    with pytest.raises(InvalidInput, match=r"There is no feature in the table: all its columns are 'label'"):
        scan(frame[["label"]], "label")
    with pytest.raises(InvalidInput, match=r"one label a row, got shape \(1, 6\)"):
        scan(frame, [COLUMNS["label"]])


def test_an_array_and_a_sparse_matrix_take_their_labels_beside_them():
    assert_is_the_small_table(scan(NUMBERS, COLUMNS["label"]))
    assert_is_the_small_table(scan(NUMBERS.tolist(), np.array(COLUMNS["label"])))
    assert_is_the_small_table(scan(NUMBERS, COLUMNS["label"], weight=WEIGHTS), weights=WEIGHTS)
    source = scan(sparse.csc_array(np.nan_to_num(NUMBERS)), COLUMNS["label"])
    assert_array_equal(next(iter(source.blocks())).values.toarray(), np.nan_to_num(NUMBERS))


def test_an_array_needs_labels_and_two_dimensions():
    with pytest.raises(InvalidParameter, match=r"Give the label of each row: scan\(X, y\)."):
        scan(NUMBERS)
    with pytest.raises(InvalidType, match=r"An array has no column named 'label'. Give the target as an array"):
        scan(NUMBERS, "label")
    with pytest.raises(InvalidType, match=r"An array has no column named 'w'. Give the weight as an array"):
        scan(NUMBERS, COLUMNS["label"], weight="w")
    with pytest.raises(InvalidInput, match=r"must have two dimensions, got shape \(6,\)"):
        scan(NUMBERS[:, 0], COLUMNS["label"])
    with pytest.raises(InvalidInput, match=r"X has 6 rows but y has 2 labels"):
        scan(NUMBERS, ["a", "b"])


@pytest.mark.parametrize("data", [None, 3, {"a": [1]}], ids=["None", "int", "dict"])
def test_what_is_no_data_is_refused(data):
    with pytest.raises(InvalidType, match=rf"Rows must come from a path, .*; got {type(data).__name__} instead."):
        scan(data, "label")


def relation():
    """What DuckDB hands out, by its name: the real one is lazy too and raises when it is made an array."""

    def refuse(self, *_args, **_options):
        raise TypeError("no conversion")

    return type("DuckDBPyRelation", (), {"__module__": "_duckdb", "__array__": refuse})()


@pytest.mark.parametrize(
    ("data", "how"),
    [
        (pl.LazyFrame(COLUMNS), "collect()"),
        (nw.from_native(pl.LazyFrame(COLUMNS)), "collect()"),
        (relation(), "df() or to_arrow_table()"),
        (dataset.dataset(pa.table(COLUMNS)), "to_table()"),
    ],
    ids=["polars", "narwhals", "DuckDB", "dataset"],
)
def test_fit_refuses_a_table_that_is_not_in_memory_with_the_way_there(data, how):
    what = "X must be a table in memory, got a lazy one."
    says = re.escape(f"{what} Read it with scan(X, target), or call its {how} first.")
    with pytest.raises(InvalidType, match=says):
        fewest.FisherMarkov().fit(data, COLUMNS["label"])


def test_a_source_is_returned_as_it_is():
    source = scan(NUMBERS, COLUMNS["label"])
    assert scan(source) is source
    with pytest.raises(InvalidParameter, match=r"A source has its target and weight already."):
        scan(source, "label")


def test_a_bundled_data_set_is_found_by_name():
    wine = datasets.load("wine")
    for given in (None, wine.target_name):
        source = scan("wine", given)
        assert source.feature_names == wine.feature_names
        assert rows_of(source)[1] == wine.y.tolist()
    with pytest.raises(
        InvalidParameter, match=rf"target of the data set 'wine' is '{wine.target_name}', not 'alcohol'"
    ):
        scan("wine", "alcohol")
    with pytest.raises(InvalidParameter, match=r"The data set 'wine' has no weights."):
        scan("wine", weight="alcohol")


def test_a_file_comes_before_a_bundled_data_set(home):
    (home / "wine").mkdir()
    pq.write_table(pa.table(COLUMNS), "wine/1.parquet")
    assert_is_the_small_table(scan("wine", "label"))


@pytest.mark.usefixtures("home")
def test_a_name_that_is_nothing_is_refused_with_the_nearest():
    with pytest.raises(
        UnreadableFile, match=r"no file and no bundled data set 'wien' \(did you mean 'wine'\?\). .*iris"
    ):
        scan("wien")
    with pytest.raises(UnreadableFile, match=r"There is no file 't.csvv' \(did you mean 't.csv'\?\). Check the path."):
        scan("t.csvv", "label")
    with pytest.raises(UnreadableFile, match=r"no file 'parts/1.parqet' \(did you mean 'parts/1.parquet'\?\)"):
        scan("parts/1.parqet", "label")
    with pytest.raises(UnreadableFile, match=r"There is no file 'nowhere/t.csv', nor the folder 'nowhere'."):
        scan("nowhere/t.csv", "label")


def test_an_unknown_ending_is_refused_with_those_known(home):
    for name in ("t.docx", "t", "t.parquet.gz"):
        (home / name).write_text("x")
        with pytest.raises(UnreadableFile, match=r"has an ending that says no known format. Known are .csv, .*.csv.gz"):
            scan(name, "label")


@pytest.mark.usefixtures("home")
def test_several_files_must_be_parquet():
    with pytest.raises(UnreadableFile, match=r"Only Parquet files can be read together, and t.csv is none."):
        scan(["t.csv", "t.parquet"], "label")
    with pytest.raises(UnreadableFile, match=r"Only Parquet files can be read together, and t.arrow is none."):
        scan("t.*a*r*", "label")
    with pytest.raises(UnreadableFile, match=r"No file matches 'parts/\*.csv'"):
        scan("parts/*.csv", "label")
    with pytest.raises(UnreadableFile, match=r"There is no file 'none.parquet'"):
        scan(["t.parquet", "none.parquet"], "label")


@pytest.mark.usefixtures("home")
def test_weights_and_missing_labels_reach_every_reader():
    source = scan("t.csv", "label", weight="width", drop_unlabelled=True)
    assert source.feature_names == ["count", "flag"]
    with pytest.raises(InvalidInput, match=r"not negative, got -1.25 in row 1"):
        list(source.blocks())


@pytest.mark.usefixtures("home")
def test_text_is_read_without_pyarrow_and_parquet_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert_is_the_small_table(scan("t.csv", "label"))
    with pytest.raises(MissingDependency, match=r"Reading Parquet needs pyarrow: pip install 'fewest\[parquet\]'"):
        scan("t.parquet", "label")


def test_scan_is_a_public_name():
    assert fewest.scan is scan


def test_a_frame_of_many_columns_of_text_does_not_list_its_columns_for_each(monkeypatch):
    """The time would grow with the square of their number: 12,000 columns took 18 s."""
    names = nw.DataFrame.columns.fget
    n_listed = 0

    def columns(frame):
        nonlocal n_listed
        n_listed += 1
        return names(frame)

    monkeypatch.setattr(nw.DataFrame, "columns", property(columns))
    texts = pd.DataFrame(np.random.default_rng(0).normal(size=(6, 400)).round(3).astype(str)).rename(columns=str)
    values = texts.astype(float).to_numpy()
    source = scan(texts, list("ababab"))
    assert_array_equal(next(iter(source.blocks())).values, values)
    assert n_listed < 100
