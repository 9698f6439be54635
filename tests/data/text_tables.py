"""One table of numbers, text and categories in every format."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

# Text, categories in another order than that of the rows, and numbers, all with missing values.
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
MISSING_TEXT = np.nan
# Worked by hand: the first of the categories to appear is 0, the next 1, and so on.
EXPECTED = np.array(
    [
        [0, MISSING_TEXT, 1, 0, 2, MISSING_TEXT, 1, 3],
        [1, MISSING_TEXT, 0, 1, 1, 0, 0, 1],
        [MISSING_TEXT, 0, 1, 0, 0, 2, 1, MISSING_TEXT],
        [3, 1, MISSING_TEXT, 4, 1, 5, 2, 2],
        [0.5, -1.25, 3.0, 1e-3, MISSING_TEXT, 2.0, 2.5, 1.0],
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


def csv_text(columns, missing="NA"):
    def field(value):
        return missing if value is None else f'"{value}"' if "\n" in str(value) else str(value)

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
    """A missing value may also be a category without a name."""
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
