"""Text files as people have them: encodings, separators, and what spreadsheets and R write."""

from __future__ import annotations

import gzip
import sys
import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from fewest import scan
from fewest.data.files import text_file
from fewest.data.files.delimited import DelimitedSource
from fewest.errors import FewestError, FewestWarning, InvalidInput, InvalidParameter, UnreadableFile

from ..small_table import rows_of

TEXT = "größe,land,label\n1.5,Österreich,ja\n2.5,Côte d'Ivoire,nein\n3.5,Österreich,ja\n"


@pytest.fixture(params=["pyarrow", "csv"], autouse=True)
def reader(request, monkeypatch):
    if request.param == "csv":
        monkeypatch.setitem(sys.modules, "pyarrow", None)


@pytest.fixture
def write(tmp_path):
    def write(content, name="t.csv"):
        content = content.encode() if isinstance(content, str) else content
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    return write


def assert_is_the_text(source):
    assert source.feature_names == ["größe", "land"]
    source = source.with_text_as_codes()
    values, labels, _ = rows_of(source)
    assert_array_equal(values, [[1.5, 0], [2.5, 1], [3.5, 0]])
    assert labels == ["ja", "nein", "ja"]
    assert list(source.categories_of("land")) == ["Österreich", "Côte d'Ivoire"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_is_recognised_without_a_word(write, encoding):
    assert_is_the_text(scan(write(TEXT.encode(encoding)), "label"))


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("packed", [False, True])
def test_other_encodings_are_recognised_and_said(write, encoding, packed):
    content = TEXT.encode(encoding)
    path = write(gzip.compress(content) if packed else content, "t.csv.gz" if packed else "t.csv")
    with pytest.warns(FewestWarning, match=r"t\.csv.* is not UTF-8 text and was read as (cp1252|utf-16-..)\. If names"):
        assert_is_the_text(scan(path, "label"))
    assert_is_the_text(scan(path, "label", encoding=encoding))


def test_what_windows_does_not_know_is_latin_1(write):
    with pytest.warns(FewestWarning, match="was read as latin-1"):
        scan(write(b"a,label\n1,\x81\n2,y\n"), "label")


def test_bytes_far_down_a_large_file_show_its_encoding(write, monkeypatch):
    monkeypatch.setattr(text_file, "BYTES_INSPECTED", 100)
    monkeypatch.setattr(text_file, "_BYTES_AT_PLACE", 400)
    rows = [f"{row},{'é' if row % 50 == 49 else 'x'},{'uv'[row % 2]}" for row in range(3000)]
    content = ("a,b,label\n" + "\n".join(rows) + "\n").encode("latin-1")
    with pytest.warns(FewestWarning, match="was read as cp1252"):
        source = scan(write(content), "label")
    assert rows_of(source, [0])[0][-1, 0] == 2999


def test_an_encoding_that_is_none_or_another_is_said(write):
    with pytest.raises(InvalidParameter, match=r"There is no encoding 'utf-9'\. Known are"):
        scan(write(TEXT), "label", encoding="utf-9")
    with pytest.raises(UnreadableFile, match=r"t\.csv is not ascii text"):
        scan(write(TEXT), "label", encoding="ascii")


@pytest.mark.parametrize(("separator", "name"), [(",", None), (";", None), ("\t", "tab"), ("|", "|"), (" ", "space")])
def test_separators_are_found_and_may_be_given(write, separator, name):
    path = write(TEXT.replace("Côte d'Ivoire", "Chad").replace(",", separator), "t.txt")
    for options in ({}, {"sep": separator}, {"sep": name or separator}):
        source = scan(path, "label", **options)
        assert source.feature_names == ["größe", "land"]
        assert_array_equal(rows_of(source, [0])[0][:, 0], [1.5, 2.5, 3.5])


def test_the_separator_divides_all_lines_alike(write):
    path = write("price, EUR;mass, kg;label\n1;2;x\n3;4;y\n")
    assert scan(path, "label").feature_names == ["price, EUR", "mass, kg"]


def test_semicolons_and_decimal_commas(write):
    path = write("a;b;n;label\n1,5;1.234,5;1;x\n2,25;2,5;2;y\n-3;0,5;3;x\n")
    source = scan(path, "label")
    expected = [[1.5, 1234.5, 1], [2.25, 2.5, 2], [-3, 0.5, 3]]
    assert_array_equal(rows_of(source)[0], expected)
    assert list(source.column_kinds) == ["number"] * 3
    assert sorted(source.numbers_as_text) == ["a", "b"]
    assert_array_equal(rows_of(scan(path, "label", decimal=",", thousands="."))[0], expected)


def test_infinity_is_one_with_decimal_commas_too(write):
    source = scan(write("a;b;label\n1,5;inf;x\n2,25;-Infinity;y\n"), "label")
    assert_array_equal(rows_of(source)[0], [[1.5, np.inf], [2.25, -np.inf]])


def test_decimal_commas_and_points_in_one_table(write):
    source = scan(write("a;b;label\n1,5;1.5;x\n2,25;2.5;y\n"), "label")
    assert_array_equal(rows_of(source)[0], [[1.5, 1.5], [2.25, 2.5]])


def test_a_dash_among_numbers_is_missing_wherever_it_comes(write, monkeypatch):
    monkeypatch.setattr(DelimitedSource, "fields_inspected", 1)
    monkeypatch.setattr(DelimitedSource, "bytes_at_once", 256)
    rows = [f"{'-' if row == 250 else row},{'-' if row % 5 == 0 else row},{'xy'[row % 2]}" for row in range(300)]
    values, _, _ = rows_of(scan(write("a,b,label\n" + "\n".join(rows) + "\n"), "label"))
    expected = np.repeat(np.arange(300.0)[:, None], 2, axis=1)
    expected[250, 0] = np.nan
    expected[::5, 1] = np.nan
    assert_array_equal(values, expected)


def test_text_far_down_a_large_file_makes_a_column_text(write, monkeypatch):
    monkeypatch.setattr(DelimitedSource, "fields_inspected", 1)
    monkeypatch.setattr(text_file, "_BYTES_AT_PLACE", 400)
    rows = [f"{row},{'?' if row < 2000 else 'late'},{'xy'[row % 2]}" for row in range(3000)]
    source = scan(write("a,b,label\n" + "\n".join(rows) + "\n"), "label").with_text_as_codes()
    assert source.text_columns == ["b"]
    assert_array_equal(rows_of(source)[0][:, 1], [np.nan] * 2000 + [0.0] * 1000)


def test_what_is_text_only_later_can_be_asked_for_as_text(write, monkeypatch):
    monkeypatch.setattr(DelimitedSource, "fields_inspected", 1)
    rows = [f"{'x9' if row == 250 else row % 3},{'xy'[row % 2]}" for row in range(300)]
    path = write("a,label\n" + "\n".join(rows) + "\n")
    with pytest.raises(InvalidInput, match=r"line 252: column 'a' holds 'x9'.*categories=\['a'\] \(--categories a\)"):
        list(scan(path, "label").blocks())
    values, _, _ = rows_of(scan(path, "label", categories="a").with_text_as_codes())
    assert values[250, 0] == 3


def test_the_names_of_rows_that_r_writes_are_no_feature(write):
    source = scan(write('"a" "b" "label"\n"r1" 1 2.5 "x"\n"r2" 3 4.5 "y"\n', "t.txt"), "label")
    assert source.feature_names == ["a", "b"]
    assert_array_equal(rows_of(source)[0], [[1, 2.5], [3, 4.5]])
    source = scan(write("a,b,label\nr1,1,2.5,x\nr2,3,4.5,y\n"), "label")
    assert_array_equal(rows_of(source)[0], [[1, 2.5], [3, 4.5]])


@pytest.mark.parametrize(
    "text",
    [
        "a,b,label,,\n1,2,x,,\n3,4,y,,\n",
        "a,b,label\n1,2,x,\n3,4,y,\n",
        "a,b,label,,\n1,2,x\n3,4,y\n",
        "a,b,label\n1,2,x\n3,4,y",
        " a , b ,label \n1,2,x\n3,4,y\n",
        "\n\na,b,label\n\n1,2,x\n\n3,4,y\n\n",
    ],
)
def test_empty_cells_at_the_end_and_blanks_around_names_do_not_matter(write, text):
    source = scan(write(text), "label")
    assert source.feature_names == ["a", "b"]
    values, labels, _ = rows_of(source)
    assert_array_equal(values, [[1, 2], [3, 4]])
    assert labels == ["x", "y"]


ODD = {
    "empty": (b"", "is empty"),
    "a byte order mark alone": ("\ufeff".encode(), "is empty"),
    "a header only": (b"a,label\n", "has column names but no rows"),
    "one column": (b"label\nx\ny\n", "There is no feature"),
    "ragged rows": (b"a,b,label\n1,2,x\n1,2,3,4,x\n", "line 3: 5 fields, but the first line names 3 columns"),
    "lines above the names": (
        b"# exported\n# by hand\na,b,label\n1,2,x\n3,4,y\n",
        "line 3: 3 fields.*1 column. If lines stand",
    ),
    "two names alike": (b"a,a,label\n1,2,x\n", "more than one column named 'a'"),
    "two names alike but for blanks": (b"a, a,label\n1,2,x\n", "more than one column named 'a'"),
    "a quotation left open": (b'a,label\n1,"x\n2,y\n', "quotation mark"),
    "binary": (bytes(range(256)) * 8, "."),
    "zeros": (bytes(1000), "."),
}


@pytest.mark.filterwarnings("ignore::fewest.errors.FewestWarning")
@pytest.mark.parametrize("name", ODD)
def test_odd_files_are_refused_in_one_sentence(write, name):
    content, says = ODD[name]
    with pytest.raises(FewestError, match=says):
        list(scan(write(content), "label").blocks())


def test_hostile_names_are_names(write):
    names = ["../x", "<b>", "a\x00b", "'; drop table", "x" * 5000, "=1+1", "名"]
    source = scan(write(",".join(names) + ",label\n" + "1," * len(names) + "x\n" + "2," * len(names) + "y\n"), "label")
    assert source.feature_names == names
    assert rows_of(source)[0].shape == (2, len(names))


def test_nul_bytes_in_text_are_text(write):
    source = scan(write("a,b,label\n1,u\0v,x\n2,u,y\n"), "label").with_text_as_codes()
    assert_array_equal(rows_of(source)[0], [[1, 0], [2, 1]])


def test_quotations_may_hold_lines_and_separators_in_every_encoding(write):
    text = 'a,b,label\n1,"first\nsecond, ""third""",x\n2,"ü",y\n'
    for encoding in ("utf-8", "utf-16", "latin-1"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FewestWarning)
            source = scan(write(text.encode(encoding)), "label").with_text_as_codes()
        assert_array_equal(rows_of(source)[0], [[1, 0], [2, 1]])
        assert list(source.categories_of("b")) == ['first\nsecond, "third"', "ü"]


@pytest.mark.parametrize("sep", ["", "ab", "\n", '"', 5])
def test_a_separator_is_one_character(write, sep):
    with pytest.raises(InvalidParameter, match="sep must be one character, or tab or space"):
        scan(write(TEXT), "label", sep=sep)
