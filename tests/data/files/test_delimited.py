"""Comma- and tab-separated text, with pyarrow and without: the same rows, the same errors."""

from __future__ import annotations

import gzip
import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from fewest.data.column_choice import ReadingRequest
from fewest.data.files.delimited import DelimitedSource
from fewest.errors import InvalidInput, InvalidParameter, UnreadableFile

from ..small_table import CSV, NAMES, NUMBERS, WEIGHTS, assert_is_the_small_table, rows_of


@pytest.fixture(params=["pyarrow", "csv"], autouse=True)
def reader(request, monkeypatch):
    """Every test runs with pyarrow and with the csv module alone."""
    if request.param == "csv":
        monkeypatch.setitem(sys.modules, "pyarrow", None)
    return request.param


@pytest.fixture
def write(tmp_path):
    def write(content, name="rows.csv"):
        path = tmp_path / name
        content = content.encode() if isinstance(content, str) else content
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return path

    return write


def many_rows(n_rows, change=None):
    """Lines of three columns, more than are looked at first; change is a line to put in the place of another."""
    lines = [f"{row % 7},{row % 3 - 0.5},{'xy'[row % 2]}" for row in range(n_rows)]
    for row, line in (change or {}).items():
        lines[row] = line
    return "a,b,label\n" + "\n".join(lines) + "\n"


@pytest.fixture
def small_blocks(monkeypatch):
    """Files of a few kilobytes are read in many blocks, and their first hundred rows decide what columns hold."""
    monkeypatch.setattr(DelimitedSource, "fields_inspected", 1)
    monkeypatch.setattr(DelimitedSource, "values_at_once", 60)
    monkeypatch.setattr(DelimitedSource, "bytes_at_once", 256)


def test_numbers_missing_values_booleans_and_labels_are_read(write):
    source = DelimitedSource(write(CSV), ReadingRequest("label"))
    assert source.feature_names == NAMES
    assert source.n_features == source.columns_at_once == 3
    assert list(source.text_columns) == []
    assert_is_the_small_table(source)
    values, labels, numbers = rows_of(source)
    assert_array_equal(values, NUMBERS)
    assert labels == ["b", "a", "a", "b", "a", "c"]
    assert numbers == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("name", "delimiter"),
    [
        ("rows.csv", ","),
        ("rows.csv", ";"),
        ("rows.csv", "\t"),
        ("rows.tsv", "\t"),
        ("rows.TAB", "\t"),
        ("rows.csv.gz", ";"),
        ("rows.tsv.gz", "\t"),
    ],
)
def test_every_delimiter_and_packing_gives_the_same_rows(write, name, delimiter):
    assert_is_the_small_table(DelimitedSource(write(CSV.replace(",", delimiter), name), ReadingRequest("label")))


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("start", ["", "\ufeff", "\n\n"])
def test_line_ends_a_byte_order_mark_and_empty_lines_do_not_matter(write, line_end, start):
    text = start + CSV.replace("3.0,", "\n3.0,") + "\n\n"
    assert_is_the_small_table(DelimitedSource(write(text.replace("\n", line_end)), ReadingRequest("label")))


def test_quotes_may_hold_delimiters_line_ends_and_quotes(write):
    source = DelimitedSource(write('"a\nb","c,d",label\n1,"2","x,\ny"\n3,4,"say ""z"""\n'), ReadingRequest("label"))
    values, labels, _ = rows_of(source)
    assert source.feature_names == ["a\nb", "c,d"]
    assert_array_equal(values, [[1, 2], [3, 4]])
    assert labels == ["x,\ny", 'say "z"']


def test_the_delimiter_is_judged_outside_quotes(write):
    assert DelimitedSource(write('"a,b,c,d";e;label\n1;2;x\n'), ReadingRequest("label")).feature_names == [
        "a,b,c,d",
        "e",
    ]


@pytest.mark.parametrize("word", ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?", "#N/A"])
def test_every_word_for_a_missing_value_is_one(write, word):
    values, _, _ = rows_of(DelimitedSource(write(f"a,b,label\n1,{word},x\n2,{word},y\n"), ReadingRequest("label")))
    assert_array_equal(values, [[1, np.nan], [2, np.nan]])


def test_numbers_may_be_written_in_many_ways(write):
    ways = ["+1.5", " 2 ", "1.", ".5", "1e3", "-1E-2", "inf", "-Infinity", "NAN", "00012", "TRUE", "False"]
    text = "a,label\n" + "".join(f"{way},x\n" for way in ways)
    values, _, _ = rows_of(DelimitedSource(write(text), ReadingRequest("label")))
    expected = [1.5, 2, 1, 0.5, 1000, -0.01, np.inf, -np.inf, np.nan, 12, 1, 0]
    assert_array_equal(values[:, 0], expected)


@pytest.mark.parametrize("text", ["1_000", "0x10", "12 kg", "1,5,", "12 %", "€ 5"])
def test_what_is_not_a_number_makes_a_text_column(write, text):
    source = DelimitedSource(write(f'a,b,label\n1,"{text}",x\n2,3,y\n'), ReadingRequest("label"))
    assert source.text_columns == ["b"]
    assert_array_equal(rows_of(source, [0])[0], [[1], [2]])
    with pytest.raises(InvalidInput, match=r"Column 'b' of .* holds text, categories or dates, not numbers"):
        list(source.blocks())


def test_labels_are_text_as_written_but_whole_numbers_are_numbers(write):
    _, labels, _ = rows_of(
        DelimitedSource(write("a,label\n1,0\n2, 0\n3,1.0\n4,é\n5,true\n6,007\n"), ReadingRequest("label"))
    )
    assert labels == [0, 0, 1, "é", "true", "007"]


@pytest.mark.usefixtures("small_blocks")
def test_reading_again_gives_the_same_rows_in_any_order_of_columns(write):
    source = DelimitedSource(write(many_rows(300)), ReadingRequest("label"))
    assert len(list(source.blocks())) > 5
    first, again, turned = rows_of(source), rows_of(source), rows_of(source, [1, 0])
    assert_array_equal(first[0], again[0])
    assert first[1:] == again[1:] == turned[1:]
    assert first[2] == list(range(300))
    assert_array_equal(turned[0], first[0][:, [1, 0]])


@pytest.mark.usefixtures("small_blocks")
def test_a_class_may_first_appear_in_a_later_block(write):
    source = DelimitedSource(write(many_rows(300, {250: "1,1,late"})), ReadingRequest("label"))
    blocks = list(source.blocks())
    assert "late" not in blocks[0].classes
    assert list(blocks[-1].classes) == ["x", "y", "late"]
    assert list(next(iter(source.blocks())).classes) == ["x", "y", "late"]
    assert rows_of(source)[1][250] == "late"


@pytest.mark.usefixtures("small_blocks")
def test_true_and_false_may_stand_in_a_column_of_numbers_and_numbers_among_them(write):
    change = {row: f"{'true' if row % 2 else 'false'},1,x" for row in range(150)}
    values, _, _ = rows_of(
        DelimitedSource(write(many_rows(300, change | {200: "1,true,x", 201: "5,False,x"})), ReadingRequest("label"))
    )
    assert_array_equal(values[[0, 1, 200, 201]], [[0, 1], [1, 1], [1, 1], [5, 0]])


@pytest.mark.usefixtures("small_blocks")
def test_a_later_field_that_is_not_a_number_is_named(write):
    path = write(many_rows(300, {220: "2,much,x"}))
    source = DelimitedSource(path, ReadingRequest("label"))
    with pytest.raises(InvalidInput) as error:
        list(source.blocks())
    assert str(error.value) == (
        f"{path}, line 222: column 'b' holds 'much', which is not a number, though its first rows hold numbers. "
        "Mend the field, leave it empty if the value is missing, or read the column as text: categories=['b'] "
        "(--categories b)."
    )
    assert_array_equal(rows_of(source, [0])[0][220], [2])


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(("line", "n_fields"), [("1,2", 2), ("1,2,x,3", 4), ("  ", 1)])
@pytest.mark.parametrize("row", [10, 250])
def test_a_line_of_another_length_is_named(write, line, n_fields, row):
    path = write(many_rows(300, {row: line}))
    with pytest.raises(UnreadableFile) as error:
        list(DelimitedSource(path, ReadingRequest("label")).blocks())
    fields = "1 field" if n_fields == 1 else f"{n_fields} fields"
    assert f"{path}, line {row + 2}: {fields}, but the first line names 3 columns." in str(error.value)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("lines", [{10: '1,2,"x'}, {290: '1,2,"x'}, {250: '1,2,"x', 252: '1,2,"y"'}])
def test_a_quotation_mark_left_open_is_found(write, lines):
    path = write(many_rows(300, lines))
    with pytest.raises(UnreadableFile, match=r"line \d+: .* Is a quotation mark left open"):
        list(DelimitedSource(path, ReadingRequest("label")).blocks())


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("row", [10, 290])
@pytest.mark.parametrize("line", [b"1,2,caf\xe9", b"1,\xe9,x"])
def test_bytes_that_are_not_utf8_are_named_where_the_encoding_is_given(write, row, line):
    content = many_rows(300, {row: "HERE"}).encode().replace(b"HERE", line)
    with pytest.raises(UnreadableFile, match=rf"line {row + 2}: the byte 0xe9 is not UTF-8 text. Give the encoding"):
        list(DelimitedSource(write(content), ReadingRequest("label", encoding="utf-8")).blocks())


@pytest.mark.usefixtures("small_blocks")
def test_bytes_that_are_not_utf8_and_come_late_are_named(write, monkeypatch):
    monkeypatch.setattr("fewest.data.files.text_file.BYTES_INSPECTED", 100)
    content = many_rows(300, {290: "HERE"}).encode().replace(b"HERE", b"1,2,caf\xe9")
    with pytest.raises(UnreadableFile, match=r"line 292: the byte 0xe9 is not UTF-8 text.*--encoding latin-1"):
        list(DelimitedSource(write(content), ReadingRequest("label")).blocks())


def test_an_empty_file_is_refused(write):
    for content in ("", "\n\n"):
        with pytest.raises(UnreadableFile, match=r"rows.csv is empty. Its first line must name the columns."):
            DelimitedSource(write(content), ReadingRequest("label"))


def test_a_file_of_names_only_is_refused(write):
    with pytest.raises(InvalidInput, match=r"rows.csv has column names but no rows\."):
        DelimitedSource(write("a,label\n\n"), ReadingRequest("label"))


def test_a_name_that_comes_twice_is_refused(write):
    with pytest.raises(InvalidInput, match=r"rows.csv has more than one column named 'a'"):
        DelimitedSource(write("a,a,label\n1,2,x\n"), ReadingRequest("label"))


def test_a_target_that_is_no_column_is_refused_with_the_nearest_name(write):
    with pytest.raises(
        InvalidInput, match=r"no column 'Lable' \(did you mean 'label'\?\) in .*rows.csv to be the target"
    ):
        DelimitedSource(write(CSV), ReadingRequest("Lable"))
    with pytest.raises(InvalidInput, match=r"no column 'zzz' in .* Its columns are 'width', 'count', 'flag', 'label'"):
        DelimitedSource(write(CSV), ReadingRequest("zzz"))


def test_a_target_that_is_not_named_is_asked_for_with_a_likely_one(write):
    with pytest.raises(InvalidParameter) as error:
        DelimitedSource(path := write(CSV), ReadingRequest(None))
    assert str(error.value) == (
        f"Name the target: one of the 4 columns of {path}, for example target='label' (--target label)."
    )
    with pytest.raises(InvalidParameter, match=r"for example target='kind' \(--target kind\)"):
        DelimitedSource(write("a,b,kind\n1,2,x\n"), ReadingRequest(None))


def test_a_first_line_of_numbers_is_not_taken_for_names(write):
    with pytest.raises(InvalidInput, match=r"whose first line holds numbers \(5.1, 3.5, 1.4, ...\). Put a line with"):
        DelimitedSource(write("5.1,3.5,1.4,setosa\n4.9,3.0,1.4,setosa\n"), ReadingRequest("species"))
    assert DelimitedSource(write("400.5,401,label\n1,2,x\n"), ReadingRequest("label")).feature_names == ["400.5", "401"]


@pytest.mark.parametrize("name", ["", '""', "Unnamed: 0"])
def test_a_first_column_without_a_name_is_no_feature(write, name):
    source = DelimitedSource(write(f"{name},a,label\nrow1,1,x\nrow2,2,y\n"), ReadingRequest("label"))
    assert source.feature_names == ["a"]
    assert list(source.text_columns) == []


def test_another_column_without_a_name_is_called_by_its_place(write):
    source = DelimitedSource(write("a,label,\n1,x,\n2,y,5\n"), ReadingRequest("label"))
    assert source.feature_names == ["a", "Unnamed: 2"]
    assert_array_equal(rows_of(source)[0], [[1, np.nan], [2, 5]])


def test_a_table_without_features_is_refused(write):
    with pytest.raises(InvalidInput, match=r"There is no feature in .*: all its columns are 'label'"):
        DelimitedSource(write("label\nx\n"), ReadingRequest("label"))


def test_a_row_without_label_is_refused_or_dropped(write):
    path = write(CSV.replace(",false,a\n7", ",false,\n7").replace("NA,true,a", "NA,true,?"))
    with pytest.raises(InvalidInput, match=r"no label in 1 of 6 rows of the target 'label' \(first: row 2\)"):
        list(DelimitedSource(path, ReadingRequest("label")).blocks())
    source = DelimitedSource(path, ReadingRequest("label", drop_unlabelled=True))
    assert_is_the_small_table(source, rows=[0, 1, 3, 4, 5])
    assert rows_of(source)[2] == [0, 1, 3, 4, 5]


def test_a_file_without_any_label_is_refused(write):
    with pytest.raises(InvalidInput, match=r"No row of .*rows.csv has a label in 'label'"):
        list(DelimitedSource(write("a,label\n1,NA\n2,\n"), ReadingRequest("label", drop_unlabelled=True)).blocks())


def weighted():
    names, *lines = CSV.splitlines()
    return "\n".join([f"w,{names}", *(f"{weight},{line}" for weight, line in zip(WEIGHTS, lines, strict=True))]) + "\n"


def test_a_weight_column_weighs_and_is_no_feature(write):
    source = DelimitedSource(write(weighted()), ReadingRequest("label", "w"))
    assert source.feature_names == NAMES
    assert_is_the_small_table(source, weights=WEIGHTS)


def test_weights_that_are_none_are_refused(write):
    with pytest.raises(InvalidInput, match=r"must be finite and not negative, got nan in row 2"):
        list(DelimitedSource(write(weighted().replace("0.5,3.0", ",3.0")), ReadingRequest("label", "w")).blocks())
    with pytest.raises(InvalidInput, match=r"The weight 'w' of .* is not a column of numbers"):
        DelimitedSource(write(weighted().replace("0.5,3.0", "half,3.0")), ReadingRequest("label", "w"))
    with pytest.raises(InvalidInput, match=r"no column 'weight' in .* to be the weight"):
        DelimitedSource(write(weighted()), ReadingRequest("label", "weight"))
    with pytest.raises(InvalidParameter, match=r"'label' cannot be both the target and the weight"):
        DelimitedSource(write(weighted()), ReadingRequest("label", "label"))


def test_a_packed_file_cut_short_is_refused(write):
    path = write(many_rows(20_000), "rows.csv.gz")
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(UnreadableFile, match=r"rows.csv.gz is not a whole gzip file"):
        list(DelimitedSource(path, ReadingRequest("label")).blocks())
    path.write_bytes(b"a,label\n1,x\n")
    with pytest.raises(UnreadableFile, match=r"rows.csv.gz is not a whole gzip file"):
        DelimitedSource(path, ReadingRequest("label"))


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(UnreadableFile, match=r"none.csv cannot be read: No such file or directory."):
        DelimitedSource(tmp_path / "none.csv", ReadingRequest("label"))


def test_lines_longer_than_a_block_are_read(write, monkeypatch):
    monkeypatch.setattr(DelimitedSource, "bytes_at_once", 64)
    names = ",".join(f"f{j}" for j in range(50))
    line = ",".join(f"{j / 7:.40f}" for j in range(50))
    values, _, _ = rows_of(DelimitedSource(write(f"{names},label\n{line},x\n{line},y\n"), ReadingRequest("label")))
    assert_array_equal(values, [[j / 7 for j in range(50)]] * 2)


@pytest.mark.usefixtures("small_blocks")
def test_pyarrow_reads_what_it_can_and_the_csv_module_the_rest(write, reader, monkeypatch):
    starts = []
    plainly = DelimitedSource._read_plainly
    monkeypatch.setattr(
        DelimitedSource, "_read_plainly", lambda self, names, row: starts.append(row) or plainly(self, names, row)
    )
    list(DelimitedSource(write(many_rows(300)), ReadingRequest("label")).blocks())
    assert starts == ([] if reader == "pyarrow" else [0])
    values, _, _ = rows_of(DelimitedSource(write(many_rows(300, {250: "4,true,x"})), ReadingRequest("label")))
    assert starts[-1] > 100 if reader == "pyarrow" else starts[-1] == 0
    assert_array_equal(values[[249, 250, 251]], [[4, -0.5], [4, 1], [6, 1.5]])
