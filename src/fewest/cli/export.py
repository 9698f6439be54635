"""Write the chosen columns with the class, block by block."""

from __future__ import annotations

import csv
from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path

import numpy as np
from scipy import sparse

from fewest.arrays import Floats
from fewest.data.files.table_file import has_pyarrow
from fewest.data.source import Source
from fewest.display.formatting import first_names
from fewest.errors import InvalidParameter, MissingDependency
from fewest.selection import Selection

_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_ARROW = (".parquet", ".arrow", ".feather")
#: With these a cell of a spreadsheet begins that is a formula.
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")

# Some rows as columns, numbers or categories, the class last.
Columns = list[Floats | list[Hashable | None]]


def export(source: Source, selection: Selection, path: Path, target: str) -> None:
    """Write the chosen columns, in the order of the source, and the class of every row."""
    source = source.with_text_as_codes()
    columns = sorted(selection.indices)
    names = source.feature_names
    header = [f"x{column}" if names is None else names[column] for column in columns]
    label = target if target not in header else f"{target} (class)"
    blocks = _blocks(source, columns, header)
    if path.suffix.lower() in _DELIMITERS:
        _write_delimited(path, blocks, [*header, label])
    else:
        _write_arrow(path, blocks, [*header, label])


def formula_note(names: Sequence[str], path: Path) -> str | None:
    """A note about names that a spreadsheet takes for formulas; None where there are none, or it reads no such file.

    The file holds them as they are: whoever reads it again, as fewest does, needs the names of the table.
    """
    formulas = [name for name in names if name.startswith(_FORMULAS)]
    if not formulas or path.suffix.lower() not in _DELIMITERS:
        return None
    shown = first_names(formulas, 3)
    return (
        f"spreadsheets take names that begin with =, +, - or @ for formulas, here {shown}; {path} holds them as they "
        "are, so import it as text"
    )


def check_format(path: Path) -> None:
    """Raise, before any work is done, unless the suffix is that of a format that can be written."""
    suffix = path.suffix.lower()
    if suffix not in (*_DELIMITERS, *_ARROW):
        known = ", ".join((*_DELIMITERS, *_ARROW))
        raise InvalidParameter(f"{path} has no suffix of a format that can be written. Known are {known}.")
    if suffix in _ARROW and not has_pyarrow():
        raise MissingDependency(f"Writing {suffix} files needs pyarrow: pip install 'fewest[parquet]'")


def _blocks(source: Source, columns: Sequence[int], names: Sequence[str]) -> Iterator[Columns]:
    for block in source.blocks(columns):
        values = block.values.toarray() if sparse.issparse(block.values) else block.values
        table: Columns = []
        for index, name in enumerate(names):
            categories = source.categories_of(name)
            column = np.ascontiguousarray(values[:, index])
            table.append(column if categories is None else [None if x != x else categories[int(x)] for x in column])
        # All classes are known by now: a column of Arrow holds text or numbers, not both.
        is_mixed = len({type(label) for label in block.classes}) > 1
        labels = list(map(str, block.classes)) if is_mixed else block.classes
        yield [*table, [labels[code] for code in block.codes]]


def _write_delimited(path: Path, blocks: Iterator[Columns], header: Sequence[str]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=_DELIMITERS[path.suffix.lower()], lineterminator="\n")
        writer.writerow(header)
        for block in blocks:
            lists = [column.tolist() if isinstance(column, np.ndarray) else column for column in block]
            for *row, label in zip(*lists, strict=True):
                writer.writerow([*map(_text, row), label])


def _text(x: object) -> str:
    """Return the shortest text that reads back as the same number; nothing for a missing value."""
    if x is None or x != x:
        return ""
    if not isinstance(x, float):
        return str(x)
    return str(int(x)) if x == int(x) and abs(x) < 1e15 else repr(x)


def _write_arrow(path: Path, blocks: Iterator[Columns], header: Sequence[str]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    writer = None
    for *block, labels in blocks:
        columns = [
            pa.array(column, from_pandas=True)
            if isinstance(column, np.ndarray)
            else pa.array([None if category is None else str(category) for category in column], pa.string())
            for column in block
        ]
        batch = pa.record_batch([*columns, pa.array(labels)], names=header)
        if writer is None:
            is_parquet = path.suffix.lower() == ".parquet"
            writer = pq.ParquetWriter(path, batch.schema) if is_parquet else pa.ipc.new_file(str(path), batch.schema)
        writer.write_batch(batch)
    if writer is not None:
        writer.close()
