"""The chosen columns with the class, written a block at a time."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from fewest.errors import InvalidParameter, MissingDependency
from fewest.protocols import Block, Source
from fewest.selection import Selection
from fewest.sources.optional import has_pyarrow


def export(source: Source, selection: Selection, path: Path, target: str) -> None:
    """Write the chosen columns, in the order of the source, and the class of every row."""
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
    writers[path.suffix.lower()](source.blocks(columns))


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


def _dense(block: Block) -> Any:
    return block.values.toarray() if sparse.issparse(block.values) else block.values


def _write_delimited(path: Path, blocks: Iterator[Block], header: list[str], delimiter: str) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        writer.writerow(header)
        for block in blocks:
            labels = [block.classes[code] for code in block.codes]
            for row, label in zip(_dense(block).tolist(), labels, strict=True):
                writer.writerow([*map(_text, row), label])


def _text(x: float) -> str:
    """The shortest text that reads back as the same number; nothing for a missing one."""
    if x != x:
        return ""
    return str(int(x)) if x == int(x) and abs(x) < 1e15 else repr(x)


def _write_arrow(path: Path, blocks: Iterator[Block], header: list[str], is_parquet: bool) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    writer: Any = None
    for block in blocks:
        values = _dense(block)
        columns = [pa.array(np.ascontiguousarray(values[:, j]), from_pandas=True) for j in range(values.shape[1])]
        labels = pa.array([block.classes[code] for code in block.codes])
        batch = pa.record_batch([*columns, labels], names=header)
        if writer is None:
            writer = pq.ParquetWriter(path, batch.schema) if is_parquet else pa.ipc.new_file(str(path), batch.schema)
        writer.write_batch(batch)
    if writer is not None:
        writer.close()
