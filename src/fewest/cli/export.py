"""The chosen columns with the class, written a block at a time."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from fewest.data.files.optional import has_pyarrow
from fewest.data.source import Source
from fewest.errors import InvalidParameter, MissingDependency
from fewest.selection import Selection


def export(source: Source, selection: Selection, path: Path, target: str) -> None:
    """Write the chosen columns, in the order of the source, and the class of every row."""
    source = source.with_text_as_codes()
    columns = sorted(selection.indices)
    names = source.feature_names
    header = [f"x{column}" if names is None else names[column] for column in columns]
    label = target if target not in header else f"{target} (class)"
    writers: dict[str, Callable[..., None]] = {
        ".csv": lambda blocks: _write_delimited(path, blocks, [*header, label], ","),
        ".tsv": lambda blocks: _write_delimited(path, blocks, [*header, label], "\t"),
        ".parquet": lambda blocks: _write_arrow(path, blocks, [*header, label], is_parquet=True),
        ".arrow": lambda blocks: _write_arrow(path, blocks, [*header, label], is_parquet=False),
        ".feather": lambda blocks: _write_arrow(path, blocks, [*header, label], is_parquet=False),
    }
    writers[path.suffix.lower()](_tables(source, columns, header))


def check_format(path: Path) -> None:
    """Raise, before any work is done, unless the ending names a format that can be written."""
    plain, arrow = (".csv", ".tsv"), (".parquet", ".arrow", ".feather")
    suffix = path.suffix.lower()
    if suffix not in plain + arrow:
        raise InvalidParameter(
            f"{path} has an ending that says no format to write. Known are {', '.join(plain + arrow)}."
        )
    if suffix in arrow and not has_pyarrow():
        raise MissingDependency(f"Writing {suffix} files needs pyarrow: pip install 'fewest[parquet]'")


def _tables(source: Source, columns: list[int], names: list[str]) -> Iterator[list[Any]]:
    """Some rows at a time, as columns: numbers as they are, text as it was, and the class."""
    for block in source.blocks(columns):
        values = block.values.toarray() if sparse.issparse(block.values) else block.values
        table: list[Any] = []
        for place, name in enumerate(names):
            states = source.categories_of(name)
            column = np.ascontiguousarray(values[:, place])
            table.append(column if states is None else [None if x != x else states[int(x)] for x in column])
        yield [*table, [block.classes[code] for code in block.codes]]


def _write_delimited(path: Path, tables: Iterator[list[Any]], header: list[str], delimiter: str) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        writer.writerow(header)
        for table in tables:
            lists = [column.tolist() if isinstance(column, np.ndarray) else column for column in table]
            for *row, label in zip(*lists, strict=True):
                writer.writerow([*map(_text, row), label])


def _text(x: Any) -> str:
    """The shortest text that reads back as the same number; nothing for what is missing."""
    if x is None or x != x:
        return ""
    if not isinstance(x, float):
        return str(x)
    return str(int(x)) if x == int(x) and abs(x) < 1e15 else repr(x)


def _write_arrow(path: Path, tables: Iterator[list[Any]], header: list[str], is_parquet: bool) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    writer: Any = None
    for *table, labels in tables:
        columns = [
            pa.array(column, from_pandas=True)
            if isinstance(column, np.ndarray)
            else pa.array(map(_name, column), pa.string())
            for column in table
        ]
        batch = pa.record_batch([*columns, pa.array(labels)], names=header)
        if writer is None:
            writer = pq.ParquetWriter(path, batch.schema) if is_parquet else pa.ipc.new_file(str(path), batch.schema)
        writer.write_batch(batch)
    if writer is not None:
        writer.close()


def _name(state: Any) -> str | None:
    return None if state is None else str(state)
