"""Numbers, words and dates as people write them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewest.data.column_kinds import ColumnReading, NumberMarks, reading_of_column, reading_of_texts, resolve_commas
from fewest.data.text_dates import is_date
from fewest.data.text_numbers import NumberFormat
from fewest.errors import InvalidParameter

COLUMNS = {
    ("1,234.50", "12", "-3.5"): (1234.5, 12, -3.5),
    ("34,09", "5", ",5"): (34.09, 5, 0.5),
    ("1.234,50", "2"): (1234.5, 2),
    ("1.234.567", "12"): (1234567, 12),
    ("1'234.5", "1’000"): (1234.5, 1000),
    ("1 234,5", "12\u202f345", "1\u00a0000"): (1234.5, 12345, 1000),
    ("12 %", "13%", " 14 % "): (12, 13, 14),
    ("€ 5", "7,5 €", "-€ 1"): (5, 7.5, -1),
    ("$1,000.00", "-$5.00", "$-5"): (1000, -5, -5),
    ("5 EUR", "EUR 6"): (5, 6),
    ("−5", "3"): (-5, 3),
    ("-", "5", "–", ".", "NA", "?", " NA"): (math.nan, 5, math.nan, math.nan, math.nan, math.nan, math.nan),
    ("yes", "No", "NA"): (1, 0, math.nan),
    ("true", "FALSE"): (1, 0),
    ("TRUE", "2"): (1, 2),
    ("1e5", "2E-1"): (1e5, 0.2),
    ("0,123", "1,222"): (0.123, 1.222),
}


@pytest.mark.parametrize(("texts", "numbers"), COLUMNS.items(), ids=map(str, COLUMNS))
def test_a_column_that_agrees_is_numbers(texts, numbers):
    reading = reading_of_texts(texts)
    assert reading.is_numeric
    assert reading.format.numbers(texts).tolist() == pytest.approx(numbers, nan_ok=True)


@pytest.mark.parametrize(
    "texts",
    [
        ["12 kg", "13 kg"], ["1_000"], ["0x10"], ["€5", "$6"], ["12 %", "13"], ["1,23,4"], ["1,5", "1.5,5"],
        ["1,5", "1,234.5"],
        ["192.168.1.1"], ["v1.0"], ["1.2.3"], ["+", "-"], ["-"], ["yes", "maybe"], ["1-2"], ["5 €", "5 %"],
        ["€"], ["%"], ["e5"],
        ["1 2"], ["(5)"], ["٣ items"], ["12:3"], ["A", "1"],
    ],
    ids=str,
)  # fmt: skip
def test_a_column_that_does_not_agree_is_text(texts):
    assert reading_of_texts(texts) == ColumnReading("category")


def test_no_value_at_all_is_empty():
    assert reading_of_texts(["", "NA", " ", "?"]).kind == reading_of_texts([]).kind == "empty"


@pytest.mark.parametrize(
    ("others", "number"),
    [([], 1234), (["34,09"], 1.234), (["1,234.5"], 1234), (["34,09", "1,234.5"], 1234), (["x"], 1234)],
)
def test_a_comma_that_may_be_either_is_what_commas_are_in_other_columns(others, number):
    columns = {"a": ["1,234", "5,678"], **{f"x{i}": [text] for i, text in enumerate(others)}}
    resolved = resolve_commas({name: reading_of_texts(texts) for name, texts in columns.items()})
    assert resolved["a"].format.number("1,234") == number


def test_given_marks_are_taken():
    decimal_comma = NumberMarks.of(",", None)
    assert reading_of_column(["1,234", "2"], decimal_comma).format.number("1,234") == 1.234
    assert reading_of_column(["1.5", "2"], decimal_comma).kind == "category"
    both = NumberMarks.of(",", ".")
    assert reading_of_column(["1.234", "2"], both).format.number("1.234") == 1234
    assert NumberMarks.of(None, ".") == both
    assert NumberMarks.of(None, None) is None
    for wrong in ((",", ","), ("x", None), (None, "ab"), (5, None)):
        with pytest.raises(InvalidParameter):
            NumberMarks.of(*wrong)


@given(st.floats(-1e12, 1e12).map(lambda x: round(x, 3)), st.sampled_from([",", "'", " "]))
def test_numbers_with_marks_between_thousands_read_back(x, mark):
    text = f"{x:,.3f}".replace(",", mark)
    other = f"1{mark}000.0"
    reading = reading_of_texts([text, other])
    assert reading.format.number(text) == pytest.approx(float(f"{x:.3f}"), rel=1e-15)


@given(st.text(max_size=12))
def test_any_text_is_read_without_failing(text):
    reading = reading_of_texts([text])
    assert reading.kind in ("number", "boolean", "category", "date", "empty")
    if reading.format is not None:
        reading.format.number(text)


def test_what_is_later_no_number_is_an_error_that_holds_it():
    with pytest.raises(ValueError, match="12,5"):
        NumberFormat(thousands=",").number("12,5")


@pytest.mark.parametrize(
    "text",
    [
        "2024-01-31", "2024-1-3", "2024-01-31 12:30", "2024-01-31T12:30:15.25Z",
        "2024-01-31 12:30:15+02:00", "2024/01/31",
        "31.01.2024", "31/1/2024", "1/31/2024", "1-31-24", "31.1.2024, 12:30", "5 Jan 2024", "05-JAN-24", "Jan 5, 2024",
        "January 5 2024", "Jan 2024", "2024-01", "12:30", "12:30:59", "1:20 pm", "2:30:15", "3rd March 2024",
    ],
)  # fmt: skip
def test_dates_are_dates(text):
    assert is_date(text)
    assert reading_of_texts([text, "NA", "-"]).kind == "date"


@pytest.mark.parametrize(
    "text",
    [
        "2024",
        "20240131",
        "1:20",
        "2024-13-45",
        "32.13.2024",
        "1.2.3",
        "25:61",
        "may",
        "Marcus 5",
        "10-20-30-40",
        "12/2024/1",
    ],
)
def test_what_looks_a_little_like_a_date_is_none(text):
    assert not is_date(text)
