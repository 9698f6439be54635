"""One reading of a column, whatever it comes from: random mixed tables, written in every format."""

from __future__ import annotations

import datetime
import gzip
import warnings

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_array_equal
from pyarrow import dataset

from fewest import MRMR, scan
from fewest.errors import FewestError, FewestWarning

from .engines.batch_forms import CONNECTION, reader_function
from .small_table import rows_of

N_ROWS = 60


def random_table(seed):
    """Columns of every kind as Python's values, the text of numbers among them, and what each must be read as."""
    random = np.random.default_rng(seed)
    missing = random.random((N_ROWS, 12)) < 0.1

    def with_missing(values, column):
        return [None if is_missing else value for value, is_missing in zip(values, missing[:, column], strict=True)]

    days = [datetime.date(2020, 1, 1) + datetime.timedelta(int(d)) for d in random.integers(0, 900, N_ROWS)]
    amounts = random.integers(1, 10_000_000, N_ROWS) / 100
    shares = random.integers(0, 1000, N_ROWS) / 10
    columns = {
        "width": with_missing(random.integers(-4000, 4000, N_ROWS) / 8, 0),
        "count": with_missing(random.integers(0, 30, N_ROWS).tolist(), 1),
        "flag": with_missing((random.random(N_ROWS) < 0.5).tolist(), 2),
        "town": with_missing(random.choice(["Oslo", "Rom", "Łódź", "a,b;c"], N_ROWS).tolist(), 3),
        "strand": random.choice(["+", "-"], N_ROWS).tolist(),
        "member": with_missing(random.choice(["yes", "no"], N_ROWS).tolist(), 4),
        "amount": with_missing([f"{amount:,.2f}" for amount in amounts], 5),
        "share": with_missing([f"{share} %" for share in shares], 6),
        "price": with_missing([f"€ {share}" for share in shares], 7),
        "german": with_missing([f"{share:.2f}".replace(".", ",") for share in shares], 8),
        "dashes": [
            str(share) if keep else "-" for share, keep in zip(shares, random.random(N_ROWS) < 0.8, strict=True)
        ],
        "day": with_missing(days, 9),
        "written": [f"{day:%d.%m.%Y}" for day in days],
        "mixed": random.choice(["1", "2", "3+"], N_ROWS).tolist(),
        "note": [None] * N_ROWS,
        "padded": [f" {share} " for share in shares],
    }
    columns["label"] = random.choice(["no tumour", "tumour", "NOS"], N_ROWS).tolist()
    return columns


KINDS = {
    "width": "number", "count": "number", "flag": "boolean", "town": "category", "strand": "category",
    "member": "boolean", "amount": "number", "share": "number", "price": "number", "german": "number",
    "dashes": "number", "mixed": "category", "note": "number", "padded": "number",
}  # fmt: skip


def text_of(value, decimal="."):
    if value is None:
        return ""
    return str(value).replace(".", decimal) if isinstance(value, float) else str(value)


def delimited(columns, separator=",", decimal="."):
    def field(value):
        text = text_of(value, decimal)
        return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in ',;"\t|') else text

    rows = zip(*columns.values(), strict=True)
    return "\n".join([separator.join(columns), *(separator.join(map(field, row)) for row in rows)]) + "\n"


def frame_columns(columns):
    return {name: values if name != "note" else pa.nulls(N_ROWS) for name, values in columns.items()}


def excel(columns, path):
    book = openpyxl.Workbook()
    book.active.append(list(columns))
    for row in zip(*columns.values(), strict=True):
        book.active.append(row)
    book.save(path)
    return path


def written(path, content):
    path.write_bytes(content)
    return path


def parquet(columns, path):
    pq.write_table(pa.table(frame_columns(columns)), path, row_group_size=17)
    return path


def arrow(columns, path):
    table = pa.table(frame_columns(columns))
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=13)
    return path


FORMATS = {
    "csv": lambda t, folder: written(folder / "t.csv", delimited(t).encode()),
    "semicolons": lambda t, folder: written(folder / "t.csv", delimited(t, ";").encode()),
    "tabs": lambda t, folder: written(folder / "t.tsv", delimited(t, "\t").encode()),
    "bars in .txt": lambda t, folder: written(folder / "t.txt", delimited(t, "|").encode()),
    "gzip": lambda t, folder: written(folder / "t.csv.gz", gzip.compress(delimited(t).encode())),
    "byte order mark": lambda t, folder: written(folder / "t.csv", delimited(t).encode("utf-8-sig")),
    "utf-16": lambda t, folder: written(folder / "t.csv", delimited(t).encode("utf-16")),
    "carriage returns": lambda t, folder: written(folder / "t.csv", delimited(t).replace("\n", "\r\n").encode()),
    "Excel": lambda t, folder: excel(t, folder / "t.xlsx"),
    "Parquet": lambda t, folder: parquet(t, folder / "t.parquet"),
    "Arrow": lambda t, folder: arrow(t, folder / "t.arrow"),
    "pyarrow": lambda t, _: pa.table(frame_columns(t)),
    "pandas": lambda t, _: pd.DataFrame(t),
    "pandas of objects": lambda t, _: pd.DataFrame(t, dtype=object),
    "pandas of Arrow types": lambda t, _: pa.table(frame_columns(t)).to_pandas(types_mapper=pd.ArrowDtype),
    "pandas by way of CSV": lambda t, folder: pd.read_csv(FORMATS["csv"](t, folder)),
    "polars": lambda t, _: pl.DataFrame(t),
    "DuckDB": lambda t, _: CONNECTION.from_arrow(pa.table(frame_columns(t))),
    "dataset": lambda t, folder: dataset.dataset(parquet(t, folder / "t.parquet")),
    "LazyFrame": lambda t, _: pl.LazyFrame(t),
    "function": lambda t, _: reader_function(pa.table(frame_columns(t))),
}


def read(data, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewestWarning)
        return scan(data, "label", **options).with_text_as_codes()


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("seed", range(3))
def test_every_format_gives_the_same_kinds_values_and_answer(form, seed, tmp_path):
    table = random_table(seed)
    expected, found = read(pa.table(frame_columns(table))), read(FORMATS[form](table, tmp_path))
    assert dict(zip(found.feature_names, found.column_kinds, strict=True)) == KINDS
    assert sorted(found.left_out) == ["day", "written"]
    assert list(found.text_columns) == ["town", "strand", "mixed"]
    assert found.numbers_as_text == expected.numbers_as_text
    assert list(found.numbers_as_text) == ["amount", "share", "price", "german"]
    values, labels, _ = rows_of(found)
    assert_array_equal(values, rows_of(expected)[0])
    assert labels == table["label"]
    # A column without any value cannot be chosen.
    columns = [position for position, name in enumerate(found.feature_names) if name != "note"]
    answers = [MRMR(n_features=5).fit(source.only(columns)).selection_ for source in (expected, found)]
    assert answers[0].features == answers[1].features
    assert answers[0].provenance.fingerprint == answers[1].provenance.fingerprint


@pytest.mark.parametrize("seed", range(3))
def test_numbers_written_as_text_are_the_numbers(seed, tmp_path):
    table = random_table(seed)
    source = read(FORMATS["csv"](table, tmp_path))
    values = dict(zip(source.feature_names, rows_of(source)[0].T, strict=True))
    plain = {
        "amount": [np.nan if text is None else float(text.replace(",", "")) for text in table["amount"]],
        "share": [np.nan if text is None else float(text.removesuffix(" %")) for text in table["share"]],
        "price": [np.nan if text is None else float(text.removeprefix("€ ")) for text in table["price"]],
        "german": [np.nan if text is None else float(text.replace(",", ".")) for text in table["german"]],
        "dashes": [np.nan if text == "-" else float(text) for text in table["dashes"]],
        "padded": [float(text) for text in table["padded"]],
        "member": [np.nan if text is None else float(text == "yes") for text in table["member"]],
    }
    for name, expected in plain.items():
        assert_array_equal(values[name], expected)


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "pandas by way of CSV"])
def test_a_continuous_target_is_refused_with_the_same_words(form, tmp_path):
    table = {"a": list(range(60)), "label": [row / 4 for row in range(60)]}
    table["note"] = [None] * 60
    with pytest.raises(FewestError) as error:
        list(read(FORMATS[form](table, tmp_path)).blocks())
    assert str(error.value) == (
        "The labels look like a continuous quantity (for example 0.25), not like classes. "
        "Unknown label type: continuous. Cut the quantity into classes first, or name another target."
    )


SPELLINGS = {
    "0 and 1": [0, 1],
    "text of numbers": ["0", "1"],
    "floats": [0.0, 1.0],
    "booleans": [False, True],
    "words": ["normal", "tumour"],
    "words in the other order": ["tumour", "normal"],
    "negative and positive": [-1, 1],
}


@pytest.mark.parametrize(
    "form",
    ["csv", "Excel", "Parquet", "Arrow", "pyarrow", "pandas", "pandas of objects", "polars", "DuckDB", "LazyFrame"],
)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_labels_are_the_same_classes_in_every_spelling_and_format(form, spelling, tmp_path):
    codes = np.random.default_rng(1).integers(0, 2, N_ROWS)
    table = {
        "a": (codes + np.random.default_rng(2).normal(size=N_ROWS)).tolist(),
        "b": np.random.default_rng(3).normal(size=N_ROWS).tolist(),
        "note": [None] * N_ROWS,
    }
    table["label"] = [SPELLINGS[spelling][code] for code in codes]
    source = read(FORMATS[form](table, tmp_path), drop="note")
    blocks = list(source.blocks())
    found = np.concatenate([block.codes for block in blocks])
    assert len(blocks[-1].classes) == 2
    assert_array_equal(found == found[0], codes == codes[0])
    expected = read(pa.table({**table, "label": codes}), drop="note")
    answer = MRMR(n_features=1).fit(source).selection_
    assert answer.features == MRMR(n_features=1).fit(expected).selection_.features
    assert {str(label) for label in blocks[-1].classes} == {
        str(int(label)) if isinstance(label, float) else str(label) for label in SPELLINGS[spelling]
    }


def test_categories_that_were_declared_stay_categories(tmp_path):
    codes = ["1", "2", "1", "3"] * 5
    label = ["a", "b"] * 10
    for frame in (
        pd.DataFrame({"a": pd.Categorical(codes), "label": label}),
        pl.DataFrame({"a": pl.Series(codes, dtype=pl.Categorical), "label": label}),
        pl.LazyFrame({"a": pl.Series(codes, dtype=pl.Categorical), "label": label}),
        CONNECTION.sql("SELECT '1'::ENUM('1', '2') AS a, range % 2 AS label FROM range(20)"),
        pa.table({"a": pa.array(codes).dictionary_encode(), "label": label}),
    ):
        assert list(scan(frame, "label").column_kinds) == ["category"]
    pq.write_table(pa.table({"a": pa.array(codes).dictionary_encode(), "label": label}), tmp_path / "t.parquet")
    assert list(scan(tmp_path / "t.parquet", "label").column_kinds) == ["category"]
    path = written(tmp_path / "t.csv", delimited({"a": codes, "label": label}).encode())
    assert list(scan(path, "label").column_kinds) == ["number"]
    assert list(scan(path, "label", categories="a").column_kinds) == ["category"]
