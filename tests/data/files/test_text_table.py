"""Spreadsheets, and tables whose samples are columns."""

from __future__ import annotations

import datetime
import sys
import zipfile

import numpy as np
import openpyxl
import pytest
from numpy.testing import assert_array_equal

from fewest import scan
from fewest.data.files import text_table
from fewest.errors import FewestError, FewestWarning, InvalidInput, MissingDependency, UnreadableFile

from ..small_table import NAMES, NUMBERS, WEIGHTS, assert_is_the_small_table, rows_of

GENES = "gene\ts1\ts2\ts3\nclass\ttumour\tnormal\ttumour\nTP53\t1.5\t2\tNA\nBRCA1\t0\t-1\t4\nsex\tm\tf\tm\n"


@pytest.fixture
def excel(tmp_path):
    def excel(rows, name="t.xlsx"):
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        book.save(tmp_path / name)
        return tmp_path / name

    return excel


@pytest.fixture
def write(tmp_path):
    def write(text, name="genes.tsv"):
        (tmp_path / name).write_text(text, "utf-8")
        return tmp_path / name

    return write


def test_a_sheet_gives_the_small_table(excel):
    rows = [[None if np.isnan(x) else float(x) for x in row] for row in NUMBERS]
    labels = ["b", "a", "a", "b", "a", "c"]
    table = [[*NAMES, "w", "label"], *([*row, w, label] for row, w, label in zip(rows, WEIGHTS, labels, strict=True))]
    source = scan(excel(table), "label", weight="w")
    assert source.feature_names == NAMES
    assert_is_the_small_table(source, weights=WEIGHTS)


def test_cells_are_what_they_are(excel):
    day = datetime.datetime(2024, 1, 31)
    path = excel(
        [
            ["id", "n", "b", "t", "m", "d", "x", "label", None],
            ["p1", 1, True, "u", "1,5", day, None, 1, None],
            [],
            ["p2", 2.5, False, "v", "2,5", day.date(), "#N/A", 2, None],
        ]
    )
    with pytest.warns(FewestWarning, match="Column 'd' holds dates"):
        source = scan(path, "label", id_column="id").with_text_as_codes()
    assert source.feature_names == ["n", "b", "t", "m", "x"]
    assert list(source.column_kinds) == ["number", "boolean", "category", "number", "number"]
    values, labels, _ = rows_of(source)
    assert_array_equal(values, [[1, 1, 0, 1.5, np.nan], [2.5, 0, 1, 2.5, np.nan]])
    assert labels == [1, 2]
    assert list(source.categories_of("t")) == ["u", "v"]


def test_text_is_refused_until_it_is_asked_for(excel):
    source = scan(excel([["a", "t", "label"], [1, "u", "x"], [2, "v", "y"]]), "label")
    with pytest.raises(InvalidInput, match=r"Column 't' of .* holds text"):
        list(source.blocks())
    assert_array_equal(rows_of(source, [0])[0], [[1], [2]])
    assert_array_equal(rows_of(source.only([1]).with_text_as_codes())[0], [[0], [1]])


def test_samples_in_columns_become_rows(write):
    source = scan(write(GENES), "class", transpose=True).with_text_as_codes()
    assert source.feature_names == ["TP53", "BRCA1", "sex"]
    values, labels, _ = rows_of(source)
    assert_array_equal(values, [[1.5, 0, 0], [2, -1, 1], [np.nan, 4, 0]])
    assert labels == ["tumour", "normal", "tumour"]
    assert source.row_arrays["gene"].tolist() == ["s1", "s2", "s3"]
    assert list(scan(write(GENES), "class", transpose=True, columns="*1*,TP53").feature_names) == ["TP53", "BRCA1"]


def test_a_sheet_may_be_turned_too(excel):
    path = excel([line.split("\t") for line in GENES.splitlines()])
    expected = rows_of(scan(path, "class", transpose=True).with_text_as_codes())[0]
    assert_array_equal(expected, [[1.5, 0, 0], [2, -1, 1], [np.nan, 4, 0]])


def test_a_header_without_a_corner_is_one_short(write):
    source = scan(write(GENES.removeprefix("gene\t")), "class", transpose=True)
    assert source.feature_names == ["TP53", "BRCA1", "sex"]


def test_the_transpose_of_a_table_is_the_table(write):
    text = "a,b,label\n1,2,x\n3,4,y\n5,6,x\n"
    rows = [line.split(",") for line in text.splitlines()]
    columns = [["name", "r1", "r2", "r3"], *map(list, zip(*rows, strict=True))]
    turned = "\n".join(",".join(column) for column in columns) + "\n"
    straight = rows_of(scan(write(text, "t.csv"), "label"))
    again = rows_of(scan(write(turned, "u.csv"), "label", transpose=True))
    assert_array_equal(straight[0], again[0])
    assert straight[1:] == again[1:]


@pytest.mark.parametrize(
    ("text", "target", "says"),
    [
        ("gene\nclass\nTP53\n", "class", "no samples to turn into rows"),
        (GENES, "gene", "names the rows of .* Name one of its rows"),
        (GENES, "clas", r"no column 'clas' \(did you mean 'class'\?\)"),
        (GENES + "TP53\t1\t2\t3\n", "class", "more than one column named 'TP53'"),
        (GENES + "KRAS\t1\t2\n", "class", "line 6: 3 fields, but the first line names 4"),
        ("gene\ts1\ts2\n", "class", "no samples|no rows"),
    ],
)
def test_what_cannot_be_turned_is_said(write, text, target, says):
    with pytest.raises(FewestError, match=says):
        scan(write(text), target, transpose=True)


def test_a_table_that_is_read_whole_has_a_limit(write, excel, monkeypatch):
    monkeypatch.setattr(text_table, "STORED_ROWS", 50)
    with pytest.raises(InvalidInput, match=r"is read whole, and its 3 rows of 4 columns take.*Parquet"):
        scan(write(GENES), "class", transpose=True)
    with pytest.raises(InvalidInput, match=r"is read whole, and its rows take"):
        scan(excel([["a", "label"], [1, "x"]]), "label")


def test_files_that_are_no_workbooks_are_said(tmp_path, excel):
    (tmp_path / "t.xlsx").write_bytes(b"none")
    with pytest.raises(UnreadableFile, match=r"t\.xlsx is not a whole Excel workbook"):
        scan(tmp_path / "t.xlsx", "label")
    with pytest.raises(UnreadableFile, match=r"e\.xlsx is empty"):
        scan(excel([], "e.xlsx"), "label")
    with pytest.raises(InvalidInput, match=r"has column names but no rows"):
        scan(excel([["a", "label"]], "h.xlsx"), "label")


def test_the_extra_is_named_where_it_is_missing(excel, monkeypatch):
    path = excel([["a", "label"], [1, "x"]])
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingDependency, match=r"pip install 'fewest\[excel\]'"):
        scan(path, "label")


def _with_sheet(path, change):
    """The workbook with another XML for its sheet."""
    with zipfile.ZipFile(path) as packed:
        members = {name: packed.read(name) for name in packed.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    assert change(members[sheet]) != members[sheet]
    members[sheet] = change(members[sheet])
    with zipfile.ZipFile(path, "w") as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    return path


def test_a_sheet_that_declares_more_than_it_holds_is_read(excel):
    path = excel([["a", "label"], [1, "u"], [2, "v"], [3, "u"]])
    _with_sheet(path, lambda xml: xml.replace(b'ref="A1:B4"', b'ref="A1:XFD1048576"'))
    assert_array_equal(rows_of(scan(path, "label"))[0], [[1.0], [2.0], [3.0]])


def test_a_row_beyond_the_last_of_any_sheet_is_refused(excel, monkeypatch):
    monkeypatch.setattr(text_table, "_MOST_ROWS", 1000)
    path = excel([["a", "label"], [1, "u"], [2, "v"], [3, "u"]])
    _with_sheet(path, lambda xml: xml.replace(b'<row r="4"', b'<row r="4000000000000"'))
    with pytest.raises(UnreadableFile, match=r"t\.xlsx has more than 1,000 rows, which no sheet has"):
        scan(path, "label")
