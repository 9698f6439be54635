"""What is neither a number nor a category is refused by name, from every format."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

from fewest import MRMR
from fewest.data.categories import MAX_CATEGORIES
from fewest.data.scan import scan
from fewest.data.source import Source
from fewest.errors import FewestWarning, InfiniteValue, InvalidInput
from fewest.statistics.class_moments import ClassMoments

from .small_table import rows_of
from .text_tables import write


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


DAY = datetime.date(2024, 1, 31)
MOMENT = datetime.datetime(2024, 1, 31, 12)
DATES = "holds dates, times or durations, not numbers or text. Convert it to numbers, such as days, or leave it out."
TIMES = [
    pa.array([DAY] * 2),
    pa.array([MOMENT] * 2),
    pa.array([DAY] * 2).dictionary_encode(),
    pa.array([datetime.timedelta(1)] * 2),
    pa.array([datetime.time(12)] * 2),
    pa.array(["2024-01-31", "2024-02-01"]),
    pa.array(["31.1.2024 12:30", None]),
]


@pytest.mark.parametrize("form", ["frame", "parquet", "arrow", "csv"])
@pytest.mark.parametrize("column", TIMES, ids=lambda column: str(column.type))
def test_dates_are_left_out_with_a_warning_that_names_them(form, column, tmp_path):
    if form == "csv" and pa.types.is_duration(column.type):
        pytest.skip("text has no form of its own for durations")
    values = column.to_pylist() if form == "csv" else column
    columns = {"a": ["u", "v"], "b": values, "label": ["x", "y"]}
    data = pa.table(columns) if form == "frame" else write(form, columns, tmp_path)
    with pytest.warns(FewestWarning, match=r"Column 'b' holds dates, times or durations; it was left out\."):
        source = scan(data, "label").with_text_as_codes()
    assert source.left_out == {"b": "dates, times or durations"}
    assert source.feature_names == ["a"]
    assert_array_equal(rows_of(source)[0], [[0], [1]])
    # Named, they are categories.
    source = scan(data, "label", categories="b").with_text_as_codes()
    assert source.feature_names == ["a", "b"]
    assert not source.left_out
    first, second = rows_of(source, [1])[0][:, 0]
    assert first == 0
    assert second == 0 if values[0] == values[1] else second != 0


@pytest.mark.parametrize("form", ["frame", "parquet", "arrow"])
@pytest.mark.parametrize(
    ("column", "message"),
    [
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
    "values",
    [
        pd.Series(["u", DAY], dtype=object),
        pd.Series(["u"] * 200 + [MOMENT], dtype=object),
        pd.Series(["u", pd.Timedelta(1)], dtype=object),
        pd.Series(["u", np.datetime64("2024-01-31", "ns")], dtype=object),
        pd.Series(["u", pd.Period("2024-01")], dtype=object),
        pd.Series(pd.to_datetime(["2024-01-31", "2024-02-01"])),
        pd.Series(pd.to_datetime(["2024-01-31", "2024-02-01"])).astype("category"),
        pd.Series(pd.to_datetime(["2024-01-31", "2024-02-01"], utc=True)).astype("category"),
        pd.Series(pd.PeriodIndex(["2024-01", "2024-02"], freq="M")),
        pl.Series([DAY, DAY]),
    ],
    ids=lambda value: str(value.dtype),
)
def test_dates_in_a_frame_are_left_out_by_scan_and_refused_by_fit(values):
    frame = {"a": values, "b": np.arange(len(values)) / 3}
    table = pd.DataFrame(frame) if isinstance(values, pd.Series) else pl.DataFrame(frame)
    labels = np.arange(len(values)) % 2
    with pytest.warns(FewestWarning, match=r"Column 'a' holds dates, times or durations; it was left out\."):
        assert scan(table, labels).feature_names == ["b"]
    with pytest.raises(InvalidInput, match=rf"Column 'a' {DATES}"):
        MRMR().fit(table, labels)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (pd.Series([1 + 2j, 3]), "holds values of type complex128, not numbers or text. Encode it as numbers or leave"),
        (pd.Series(["u", [1, 2]], dtype=object), "holds [1, 2], not numbers or text. Encode it as numbers or leave"),
        (pd.Series(["u", {"a": 1}], dtype=object), "holds {'a': 1}, not numbers or text."),
        (pd.Series(["u", b"v"], dtype=object), "holds bytes, not numbers or text."),
        (pl.Series([[1], [2]]), "holds values of type List(Int64), not numbers or text."),
        (pl.Series([b"u", b"v"]), "holds values of type Binary, not numbers or text."),
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
    assert MAX_CATEGORIES == 65_000
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

    with pytest.raises(
        InvalidInput, match=r"Column 'a' holds text, which Texts cannot read as categories. Encode it as"
    ):
        Texts().with_text_as_codes()
    with pytest.raises(InvalidInput, match=r"which Texts cannot read as categories"):
        Texts().only([0]).with_text_as_codes()
