"""One table as everything that can be asked again for Arrow record batches."""

from __future__ import annotations

import duckdb
import polars as pl
import pyarrow.dataset as ds
import pyarrow.parquet as pq

#: A relation of older versions does not keep its connection open.
CONNECTION = duckdb.connect()


def parquet_folder(table, folder):
    """Three files, whose rows come in order."""
    (folder / "rows").mkdir(exist_ok=True)
    step = -(-table.num_rows // 3)
    for part in range(3):
        pq.write_table(table.slice(part * step, step), folder / "rows" / f"{part}.parquet", row_group_size=17)
    return folder / "rows"


def reader_function(table, rows_of_batch=13):
    def rows():
        return table.to_reader(rows_of_batch)

    return rows


def duckdb_table(table):
    CONNECTION.register("given", table)
    CONNECTION.execute("CREATE OR REPLACE TABLE measurements AS FROM given").fetchall()
    return CONNECTION.table("measurements")


class IbisTable:
    """What an ibis table offers of what is used here; the real one is tried where ibis is installed."""

    def __init__(self, table):
        self.table = table
        self.selected = []

    def schema(self):
        return self

    def to_pyarrow(self):
        return self.table.schema

    def select(self, names):
        chosen = IbisTable(self.table.select(names))
        self.selected.append(names)
        return chosen

    def to_pyarrow_batches(self, chunk_size):
        return self.table.to_reader(chunk_size)


class Table(IbisTable):
    __module__ = "ibis.expr.types.relations"


#: By name, what makes of a table of Arrow, in a folder, the same table in another form.
FORMS = {
    "DuckDB relation": lambda table, _: CONNECTION.from_arrow(table),
    "DuckDB query of files": lambda table, folder: CONNECTION.read_parquet(f"{parquet_folder(table, folder)}/*"),
    "dataset of files": lambda table, folder: ds.dataset(parquet_folder(table, folder)),
    "dataset in memory": lambda table, _: ds.dataset(table),
    "LazyFrame": lambda table, _: pl.from_arrow(table).lazy(),
    "LazyFrame of files": lambda table, folder: pl.scan_parquet(parquet_folder(table, folder) / "*.parquet"),
    "ibis table": lambda table, _: Table(table),
    "function that returns a reader": lambda table, _: reader_function(table),
    "function that returns batches": lambda table, _: lambda: (batch for batch in table.to_batches(7)),
}
