"""Text and categories as the codes of their states: the same from every format, in every pass."""

from __future__ import annotations

import datetime
import decimal
import pickle
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fewest import FisherMarkov
from fewest.errors import InfiniteValue, InvalidInput, UnreadableFile
from fewest.labels import MOST_STATES
from fewest.protocols import Source
from fewest.sources import ArraySource, DelimitedSource, arrow_file, delimited, frame, parquet, scan
from fewest.sources.target import Target
from fewest.sources.watched import WatchedSource
from fewest.statistics import ClassMoments

from .small_table import rows_of

# Text, categories in another order than that of the rows, and numbers, all with gaps.
KIND = ["u", None, "v", "u", "1", None, "v", "é\n,"]
SIZE = [None, "small", "large", "small", "small", "huge", "large", None]
COLUMNS = {
    "kind": KIND,
    "flag": [True, None, False, True, True, False, False, True],
    "size": SIZE,
    "count": [3, 1, None, 4, 1, 5, 2, 2],
    "width": [0.5, -1.25, 3.0, 1e-3, None, 2.0, 2.5, 1.0],
    "label": ["b", "a", "a", "b", "a", "c", "b", "a"],
}
NAMES = [name for name in COLUMNS if name != "label"]
SIZES = ["huge", "small", "unused", "large"]
GAP = np.nan
# Worked by hand: the first of the states to appear is 0, the next 1, and so on.
EXPECTED = np.array(
    [
        [0, GAP, 1, 0, 2, GAP, 1, 3],
        [1, GAP, 0, 1, 1, 0, 0, 1],
        [GAP, 0, 1, 0, 0, 2, 1, GAP],
        [3, 1, GAP, 4, 1, 5, 2, 2],
        [0.5, -1.25, 3.0, 1e-3, GAP, 2.0, 2.5, 1.0],
    ]
).T


def arrow_table():
    return pa.table(COLUMNS)


def categories(values, names=SIZES):
    """Categories in their own order, one of which no row has."""
    return pa.DictionaryArray.from_arrays(
        pa.array([None if v is None else names.index(v) for v in values], pa.int8()), pa.array(names)
    )


def pandas_frame(kind_type, size_type):
    columns = {"count": pd.array(COLUMNS["count"], dtype="Int64"), "flag": pd.array(COLUMNS["flag"], dtype="boolean")}
    columns |= {"kind": pd.Series(KIND, dtype=kind_type), "size": pd.Series(SIZE, dtype=size_type)}
    return pd.DataFrame({name: columns.get(name, COLUMNS[name]) for name in COLUMNS})


def polars_frame(kind_type, size_type):
    columns = {"kind": pl.Series(KIND, dtype=kind_type), "size": pl.Series(SIZE, dtype=size_type)}
    return pl.DataFrame({name: columns.get(name, COLUMNS[name]) for name in COLUMNS})


def csv_text(columns, gap="NA"):
    def field(value):
        return gap if value is None else f'"{value}"' if "\n" in str(value) else str(value)

    rows = zip(*columns.values(), strict=True)
    return "\n".join([",".join(columns), *(",".join(map(field, row)) for row in rows)]) + "\n"


def csv_file(folder):
    (folder / "t.csv").write_text(csv_text(COLUMNS))
    return folder / "t.csv"


def parquet_folder(folder):
    """Three files, in which the columns of text are of other types and have other dictionaries."""
    table = arrow_table()
    parts = folder / "parts"
    parts.mkdir()
    pq.write_table(table.slice(0, 3), parts / "1.parquet")
    kinds = categories(KIND[3:6], ["1", "v", "u"])
    second = table.slice(3, 3).set_column(0, "kind", kinds).set_column(2, "size", categories(SIZE[3:6]))
    pq.write_table(second, parts / "2.parquet")
    third = table.slice(6).set_column(2, "size", pa.array(SIZE[6:], pa.large_string()))
    pq.write_table(third.select([4, 3, 5, 2, 0, 1]), parts / "3.parquet", use_dictionary=False)
    return parts


def parquet_file(folder):
    pq.write_table(arrow_table().set_column(2, "size", categories(SIZE)), folder / "t.parquet", row_group_size=3)
    return folder / "t.parquet"


def arrow_table_of_categories():
    """A gap may also be a category without a name."""
    named = ["v", None, "é\n,", "1", "u"]
    with_null = pa.DictionaryArray.from_arrays(pa.array([named.index(kind) for kind in KIND]), pa.array(named))
    return arrow_table().set_column(0, "kind", with_null).set_column(2, "size", categories(SIZE))


def arrow_ipc(folder):
    table = arrow_table_of_categories()
    with pa.ipc.new_file(folder / "t.arrow", table.schema) as writer:
        writer.write_table(table, max_chunksize=5)
    return folder / "t.arrow"


def polars_ipc(folder):
    """Polars writes Arrow's newer type for text."""
    polars_frame(pl.String, pl.Categorical).write_ipc(folder / "t.arrow", compat_level=pl.CompatLevel.newest())
    return folder / "t.arrow"


ORDERED = pd.CategoricalDtype(SIZES, ordered=True)
DATA = {
    "pandas object": lambda _: pandas_frame(object, object),
    "pandas string[python]": lambda _: pandas_frame("string[python]", "string[python]"),
    "pandas string[pyarrow]": lambda _: pandas_frame("string[pyarrow]", "string[pyarrow]"),
    "pandas Arrow types": lambda _: arrow_table().to_pandas(types_mapper=pd.ArrowDtype),
    "pandas category": lambda _: pandas_frame("category", "category"),
    "pandas ordered category": lambda _: pandas_frame("category", ORDERED),
    "polars String": lambda _: polars_frame(pl.String, pl.String),
    "polars Categorical": lambda _: polars_frame(pl.Categorical, pl.Categorical),
    "polars Enum": lambda _: polars_frame(pl.String, pl.Enum(SIZES)),
    "pyarrow table": lambda _: arrow_table(),
    "pyarrow dictionary": lambda _: arrow_table_of_categories(),
    "pyarrow large_string": lambda _: arrow_table().set_column(0, "kind", pa.array(KIND, pa.large_string())),
    "pyarrow string_view": lambda _: arrow_table().set_column(0, "kind", pa.array(KIND, pa.string_view())),
    "CSV": csv_file,
    "CSV without pyarrow": csv_file,
    "Parquet folder": parquet_folder,
    "Parquet file": parquet_file,
    "Arrow file": arrow_ipc,
    "Arrow file of polars": polars_ipc,
}


@pytest.fixture(params=DATA)
def data(request, tmp_path, monkeypatch):
    made = DATA[request.param](tmp_path)
    if request.param.endswith("without pyarrow"):
        monkeypatch.setitem(sys.modules, "pyarrow", None)
    return made


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(frame, "_BLOCK_BYTES", 8 * 5 * 3)
    monkeypatch.setattr(parquet, "_ROWS_AT_ONCE", 2)
    monkeypatch.setattr(arrow_file, "_ROWS_AT_ONCE", 2)
    monkeypatch.setattr(delimited, "_FIELDS_AT_ONCE", 12)
    monkeypatch.setattr(delimited, "_BYTES_AT_ONCE", 64)


def test_every_format_gives_the_same_codes(data):
    source = scan(data, "label").with_text_as_codes()
    assert source.feature_names == NAMES
    assert source.text_columns == ["kind", "size"]
    values, labels, numbers = rows_of(source)
    assert_array_equal(values, EXPECTED)
    assert labels == COLUMNS["label"]
    assert numbers == list(range(8))


@pytest.mark.usefixtures("small_blocks")
def test_blocks_passes_and_chosen_columns_do_not_matter(data):
    source = scan(data, "label").with_text_as_codes()
    # The last column first: a code depends on the rows of its own column alone.
    assert_array_equal(rows_of(source, [2, 4])[0], EXPECTED[:, [2, 4]])
    # A block of text is some times as long as the line of names.
    assert len(list(source.blocks())) > 1 or isinstance(source, DelimitedSource)
    for _ in range(2):
        assert_array_equal(rows_of(source)[0], EXPECTED)
    chosen = source.only([4, 2, 0])
    assert chosen.text_columns == ["kind", "size"]
    assert_array_equal(rows_of(chosen)[0], EXPECTED[:, [4, 2, 0]])
    assert_array_equal(rows_of(chosen, [1])[0], EXPECTED[:, [2]])


@pytest.mark.usefixtures("small_blocks")
def test_a_dictionary_outlives_the_pass_that_made_it(data):
    source = scan(data, "label").with_text_as_codes()
    next(source.blocks())
    assert_array_equal(rows_of(source)[0], EXPECTED)
    # A pass that has read all but is begun again, beside another.
    for first, second in zip(source.blocks(), source.only([0, 2]).blocks(), strict=False):
        assert_array_equal(first.values[0, [0, 2]], EXPECTED[first.row_number(0), [0, 2]])
        assert_array_equal(second.values[0], EXPECTED[second.row_number(0), [0, 2]])


def test_the_original_goes_on_refusing_text(data):
    source = scan(data, "label")
    coded = source.with_text_as_codes()
    assert coded is not source
    for _ in range(2):
        assert_array_equal(rows_of(coded)[0], EXPECTED)
        with pytest.raises(
            InvalidInput, match=r"Column 'kind'.* holds text, categories or dates, not numbers \(as do 1"
        ):
            list(source.blocks())
        assert_array_equal(rows_of(source, [1, 3, 4])[0], EXPECTED[:, [1, 3, 4]])
    with pytest.raises(
        InvalidInput, match=r"FisherMarkov needs numbers, and 2 column\(s\) hold text, .*'kind', 'size'"
    ):
        FisherMarkov().fit(source)


def test_chosen_columns_and_codes_may_come_in_either_order(data):
    source = scan(data, "label")
    coded = source.only([2, 3]).with_text_as_codes()
    assert coded.text_columns == ["size"]
    assert_array_equal(rows_of(coded)[0], EXPECTED[:, [2, 3]])
    assert coded.with_text_as_codes().text_columns == ["size"]
    assert_array_equal(rows_of(coded.with_text_as_codes())[0], EXPECTED[:, [2, 3]])
    numbers = source.only([1, 3])
    assert numbers.with_text_as_codes() is numbers


def test_a_source_without_text_is_itself(data):
    labels = COLUMNS["label"]
    for source in (
        ArraySource(EXPECTED, Target(labels)),
        scan(pd.DataFrame({"a": [1.0, 2.0]}), ["x", "y"]),
        scan(pl.DataFrame({"a": [True, None]}), ["x", "y"]),
    ):
        assert source.with_text_as_codes() is source
        watched = WatchedSource(source, None)
        assert watched.with_text_as_codes() is watched
    coded = scan(data, "label").with_text_as_codes()
    assert coded.with_text_as_codes() is coded


def test_statistics_are_of_the_codes_however_columns_are_grouped(data):
    source = scan(data, "label").with_text_as_codes()
    expected = ArraySource(EXPECTED, Target(COLUMNS["label"])).collect(ClassMoments())
    for columns_at_once in (5, 2, 1):
        source.columns_at_once = columns_at_once
        found = source.collect(ClassMoments())
        assert found.classes == expected.classes
        assert_allclose(found.mean, expected.mean, rtol=1e-12)
        assert_allclose(found.scatter, expected.scatter, rtol=1e-12, atol=1e-12)


def test_a_coded_source_pickles_with_its_codes(data):
    source = scan(data, "label").with_text_as_codes()
    next(source.blocks())
    assert_array_equal(rows_of(pickle.loads(pickle.dumps(source)))[0], EXPECTED)


@pytest.mark.parametrize("form", ["pandas", "csv", "parquet", "arrow"])
@pytest.mark.usefixtures("small_blocks")
def test_weights_and_rows_without_label_stay_with_their_rows(form, tmp_path):
    columns = COLUMNS | {"label": ["b", None, "a", "b", "a", None, "b", "a"], "w": [1.0, 2, 3, 4, 5, 6, 7, 8]}
    source = scan(write(form, columns, tmp_path), "label", weight="w", drop_unlabelled=True).with_text_as_codes()
    kept = [0, 2, 3, 4, 6, 7]
    values, labels, numbers = rows_of(source, [0, 3, 2])
    expected = EXPECTED[kept][:, [0, 3, 2]]
    # What a left out row alone holds has its number all the same.
    assert_array_equal(values, expected)
    assert (labels, numbers) == (["b", "a", "b", "a", "b", "a"], kept)
    assert np.concatenate([block.weights for block in source.blocks()]).tolist() == [1, 3, 4, 5, 7, 8]


def write(form, columns, folder):
    if form == "pandas":
        return pd.DataFrame(columns)
    path = folder / f"t.{form}"
    if form == "csv":
        path.write_text(csv_text(columns))
    elif form == "parquet":
        pq.write_table(pa.table(columns), path)
    else:
        with pa.ipc.new_file(path, pa.table(columns).schema) as writer:
            writer.write_table(pa.table(columns))
    return path


@pytest.mark.parametrize("form", ["pandas", "csv", "parquet", "arrow"])
def test_an_infinite_value_beside_text_is_named_by_column_and_row(form, tmp_path):
    columns = {"kind": ["u", "v", "u"], "a": [1.0, 2.0, np.inf], "label": ["x", "y", "x"]}
    source = scan(write(form, columns, tmp_path), "label").with_text_as_codes()
    for columns_at_once in (2, 1):
        source.columns_at_once = columns_at_once
        with pytest.raises(InfiniteValue, match=r"Column 'a' holds infinity \(row 2\)"):
            source.collect(ClassMoments())
    with pytest.raises(InfiniteValue, match=r"Column 'a' holds infinity \(row 2\)"):
        source.only([1, 0]).collect(ClassMoments())


def test_a_frame_still_comes_in_one_block_that_says_so():
    source = scan(pandas_frame(object, "category"), "label").with_text_as_codes()
    assert [block.is_all for block in source.blocks()] == [True]
    assert [block.is_all for block in source.only([0]).blocks()] == [True]


def test_progress_is_shown_over_coded_text_too():
    class Ledger:
        done = 0

        def add_task(self, what, total, rows):
            self.what = what

        def update(self, task, advance, rows):
            self.done += advance

        def remove_task(self, task):
            pass

    ledger = Ledger()
    source = WatchedSource(scan(arrow_table(), "label"), ledger).with_text_as_codes()
    assert source.text_columns == ["kind", "size"]
    source.collect(ClassMoments())
    assert (ledger.what, ledger.done) == ("reading", 40)
    assert_array_equal(rows_of(source.only([2]))[0], EXPECTED[:, [2]])


@pytest.mark.parametrize("gap", [None, np.nan, pd.NA, pd.NaT])
def test_values_of_several_types_are_told_apart_and_every_gap_is_missing(gap):
    values = ["1", gap, 1, 1.0, np.int64(1), 0.5, decimal.Decimal("0.5"), float("inf"), "", ("a", 1), gap]
    source = scan(pd.DataFrame({"a": pd.Series(values, dtype=object)}), ["x", "y"] * 5 + ["x"]).with_text_as_codes()
    assert source.text_columns == ["a"]
    assert_array_equal(rows_of(source)[0][:, 0], [0, GAP, 1, 1, 1, 2, 2, 3, 4, 5, GAP])


def test_rows_of_one_index_are_rows_of_their_own():
    rows = pandas_frame(object, "category")
    rows.index = [7, 7, 7, 0, 0, 7, 1, 1]
    assert_array_equal(rows_of(scan(rows, "label").with_text_as_codes())[0], EXPECTED)


def test_objects_of_polars_are_told_apart():
    column = pl.Series("a", ["1", None, 1, float("nan"), "1"], dtype=pl.Object)
    source = scan(pl.DataFrame([column]), list("xyxyx")).with_text_as_codes()
    assert_array_equal(rows_of(source)[0][:, 0], [0, GAP, 1, GAP, 0])


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([7, 2, None, 7, 2**60, 2**60 + 1], dtype="Int64").astype("category"),
        pl.Series(["7", "2", None, "7", "x", "x\0"]),
        pa.array([7, 2, None, 7, 2**60, 2**60 + 1]).dictionary_encode(),
        pa.array([0.5, -1.5, np.nan, 0.5, 1e300, np.inf]).dictionary_encode(),
    ],
    ids=["pandas", "polars", "pyarrow int", "pyarrow float"],
)
def test_numbers_as_categories_and_near_copies_are_names(column, tmp_path):
    library = {pd.Series: pd.DataFrame, pl.Series: pl.DataFrame}.get(type(column), pa.table)
    source = scan(library({"a": column}), list("xyxyxy")).with_text_as_codes()
    expected = [0, 1, GAP, 0, 2, 3]
    assert source.text_columns == ["a"]
    assert_array_equal(rows_of(source)[0][:, 0], expected)
    if library is pa.table:
        path = write("arrow", {"a": column, "label": list("xyxyxy")}, tmp_path)
        assert_array_equal(rows_of(scan(path, "label").with_text_as_codes())[0][:, 0], expected)


def test_numbers_among_objects_stay_numbers_however_late_they_come():
    late = pd.Series([None] * 150 + [2.5, 7], dtype=object)
    source = scan(pd.DataFrame({"a": late}), ["x", "y"] * 76)
    assert source.text_columns == []
    assert_array_equal(rows_of(source)[0][-3:, 0], [GAP, 2.5, 7])


def test_text_without_a_value_in_one_file_is_missing_there(tmp_path):
    pq.write_table(pa.table({"a.b": pa.nulls(2), "label": ["x", "y"]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"a.b": ["v", "u"], "label": ["x", "y"]}), tmp_path / "2.parquet")
    empty = pa.array([None, None], pa.string()).dictionary_encode()
    pq.write_table(pa.table({"a.b": empty, "label": ["x", "y"]}), tmp_path / "3.parquet")
    source = scan(tmp_path, "label").with_text_as_codes()
    assert_array_equal(rows_of(source)[0][:, 0], [GAP, GAP, 0, 1, GAP, GAP])


@pytest.mark.parametrize("reader", ["pyarrow", "csv"])
class TestDelimited:
    @pytest.fixture(autouse=True)
    def hide(self, reader, monkeypatch):
        if reader == "csv":
            monkeypatch.setitem(sys.modules, "pyarrow", None)
        monkeypatch.setattr(delimited, "_FIELDS_TO_JUDGE", 1)
        monkeypatch.setattr(delimited, "_FIELDS_AT_ONCE", 60)
        monkeypatch.setattr(delimited, "_BYTES_AT_ONCE", 256)

    def source(self, folder, rows):
        (folder / "t.csv").write_bytes(b"a,b,label\n" + b"".join(row + b"\n" for row in rows))
        return scan(folder / "t.csv", "label")

    def test_states_are_the_texts_as_written_and_the_words_for_missing_stay_missing(self, tmp_path):
        fields = ["x", "1", " 1", "1.0", "NA", "", "?", "#N/A", "nan", "None", "X", "true", "1", '"NA"', '"a ""b"""']
        source = self.source(tmp_path, [f"{field},1,y".encode() for field in fields]).with_text_as_codes()
        expected = [0, 1, 2, 3, *[GAP] * 6, 4, 5, 1, GAP, 6]
        assert_array_equal(rows_of(source)[0][:, 0], expected)

    def test_a_column_that_holds_text_only_later_gives_its_error_as_before(self, tmp_path):
        rows = [f"{'uv'[row % 2]},{'much' if row == 220 else row},x".encode() for row in range(300)]
        source = self.source(tmp_path, rows).with_text_as_codes()
        assert source.text_columns == ["a"]
        with pytest.raises(InvalidInput, match=r"line 222: column 'b' holds 'much', which is not a number, though its"):
            list(source.blocks())
        assert_array_equal(rows_of(source, [0])[0][:, 0], np.arange(300) % 2)

    @pytest.mark.parametrize("lines", [{10: b'"u,2,x'}, {290: b'"u,2,x'}, {250: b'"u,2,x', 252: b'"v",2,x'}])
    def test_a_quotation_mark_left_open_in_text_is_found(self, tmp_path, lines):
        with pytest.raises(UnreadableFile, match=r"line \d+: .* Is a quotation mark left open"):
            list(self.source(tmp_path, self.lines(lines)).with_text_as_codes().blocks())

    def test_a_pass_that_leaves_the_text_out_does_not_vouch_for_its_quotes(self, reader, tmp_path):
        source = self.source(tmp_path, self.lines({250: b'"u,2,x', 252: b'"v",2,x'})).with_text_as_codes()
        if reader == "pyarrow":
            assert len(rows_of(source, [1])[0]) == 298
        with pytest.raises(UnreadableFile, match=r"line \d+: .* Is a quotation mark left open"):
            list(source.blocks([0]))

    def test_quotes_that_hold_lines_are_text(self, tmp_path):
        source = self.source(tmp_path, self.lines({250: b'"u,2,x', 252: b'v",2,x'})).with_text_as_codes()
        for _ in range(2):
            assert_array_equal(rows_of(source)[0], [[1 if row == 250 else 0, 2] for row in range(298)])

    def lines(self, changed):
        return [changed.get(row, b"u,2,x") for row in range(300)]

    def test_a_state_may_first_appear_in_a_later_block(self, tmp_path):
        rows = [f"{'late' if row >= 250 else 'uv'[row % 2]},2,x".encode() for row in range(300)]
        source = self.source(tmp_path, rows).with_text_as_codes()
        assert len(list(source.blocks())) > 5
        assert_array_equal(rows_of(source)[0][:, 0], [2 if row >= 250 else row % 2 for row in range(300)])

    def test_bytes_that_are_not_utf8_are_named(self, tmp_path):
        rows = [b"caf\xe9,1,x" if row == 250 else b"u,1,x" for row in range(300)]
        source = self.source(tmp_path, rows).with_text_as_codes()
        with pytest.raises(UnreadableFile, match=r"line 252: the byte 0xe9 is not UTF-8 text"):
            list(source.blocks())


DAY = datetime.date(2024, 1, 31)
MOMENT = datetime.datetime(2024, 1, 31, 12)
DATES = "holds dates, times or durations, not numbers or text. Convert it to numbers, such as days, or leave it out."


@pytest.mark.parametrize("form", ["frame", "parquet", "arrow"])
@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pa.array([DAY] * 2), DATES),
        (pa.array([MOMENT] * 2), DATES),
        (pa.array([DAY] * 2).dictionary_encode(), DATES),
        (pa.array([datetime.timedelta(1)] * 2), DATES),
        (pa.array([datetime.time(12)] * 2), DATES),
        (pa.array([[1, 2], [3]]), "holds values of type "),
        (pa.array([{"a": 1}, {"a": 2}]), "holds values of type "),
        (pa.array([b"u", b"v"]), "holds values of type "),
    ],
    ids=lambda value: str(value.type) if isinstance(value, pa.Array) else "",
)
def test_what_is_neither_number_nor_state_is_refused_by_name(form, column, message, tmp_path):
    columns = {"a": ["u", "v"], "b": column, "label": ["x", "y"]}
    if form == "frame":
        data, column_name = pa.table(columns), "Column 'b'"
    else:
        data = write(form, columns, tmp_path)
        column_name = f"Column 'b' of {data}"
    source = scan(data, "label").with_text_as_codes()
    assert source.text_columns == ["a", "b"]
    assert_array_equal(rows_of(source, [0])[0], [[0], [1]])
    assert_array_equal(rows_of(source.only([0]))[0], [[0], [1]])
    with pytest.raises(InvalidInput) as error:
        list(source.blocks())
    assert str(error.value).startswith(f"{column_name} {message}")
    assert "not numbers or text." in str(error.value)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (pd.Series(["u", DAY], dtype=object), DATES),
        (pd.Series(["u"] * 200 + [MOMENT], dtype=object), DATES),
        (pd.Series(["u", pd.Timedelta(1)], dtype=object), DATES),
        (pd.Series(["u", np.datetime64("2024-01-31", "ns")], dtype=object), DATES),
        (pd.Series(["u", pd.Period("2024-01")], dtype=object), DATES),
        (pd.Series(pd.to_datetime(["2024-01-31", "2024-02-01"])), DATES),
        (pd.Series(pd.to_datetime(["2024-01-31", "2024-02-01"])).astype("category"), DATES),
        (pd.Series(pd.to_datetime(["2024-01-31", "2024-02-01"], utc=True)).astype("category"), DATES),
        (pd.Series(pd.PeriodIndex(["2024-01", "2024-02"], freq="M")), "holds values of type period[M], not numbers"),
        (pd.Series([1 + 2j, 3]), "holds values of type complex128, not numbers or text. Encode it as numbers or leave"),
        (pd.Series(["u", [1, 2]], dtype=object), "holds [1, 2], not numbers or text. Encode it as numbers or leave"),
        (pd.Series(["u", {"a": 1}], dtype=object), "holds {'a': 1}, not numbers or text."),
        (pd.Series(["u", b"v"], dtype=object), "holds bytes, not numbers or text."),
        (pl.Series([[1], [2]]), "holds values of type List(Int64), not numbers or text."),
        (pl.Series([b"u", b"v"]), "holds values of type Binary, not numbers or text."),
        (pl.Series([DAY, DAY]), DATES),
    ],
    ids=lambda value: str(value.dtype) if hasattr(value, "dtype") else "",
)
def test_what_is_neither_number_nor_state_in_a_frame_is_refused_by_name(values, message):
    library = pd.DataFrame if isinstance(values, pd.Series) else pl.DataFrame
    source = scan(library({"a": values}), np.arange(len(values)) % 2).with_text_as_codes()
    with pytest.raises(InvalidInput) as error:
        list(source.blocks())
    assert str(error.value).startswith(f"Column 'a' {message}")


@pytest.mark.parametrize("form", ["pandas", "csv", "parquet", "arrow"])
def test_a_column_of_too_many_values_looks_like_an_identifier(form, tmp_path):
    n_rows = 65_001
    assert MOST_STATES == 65_000
    columns = {"id": [f"i{row}" for row in range(n_rows)], "a": ["u"] * n_rows, "label": ["x", "y"] * 32_500 + ["x"]}
    data = write(form, columns, tmp_path)
    source = scan(data, "label").with_text_as_codes()
    with pytest.raises(InvalidInput) as error:
        list(source.blocks())
    of_file = "" if form == "pandas" else f" of {data}"
    assert str(error.value) == (
        f"Column 'id'{of_file} holds more than 65,000 distinct values: it looks like an identifier. Leave it out."
    )
    assert not rows_of(source, [1])[0].any()
    just_enough = write(form, {name: values[:-1] for name, values in columns.items()}, tmp_path)
    assert_array_equal(rows_of(scan(just_enough, "label").with_text_as_codes(), [0])[0][:, 0], np.arange(65_000))


def test_a_source_that_cannot_code_text_says_so():
    class Texts(Source):
        feature_names = ["a"]
        n_features = columns_at_once = 1
        text_columns = ["a"]

        def blocks(self, columns=None):
            raise AssertionError

    with pytest.raises(InvalidInput, match=r"Column 'a' holds text, which Texts cannot read as states. Encode it as"):
        Texts().with_text_as_codes()
    with pytest.raises(InvalidInput, match=r"which Texts cannot read as states"):
        Texts().only([0]).with_text_as_codes()
