"""Parquet files of the small table."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ..small_table import NAMES, part


@pytest.fixture
def write(tmp_path):
    def write(columns, name="rows.parquet", **options):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        table = columns if isinstance(columns, pa.Table) else pa.table(columns)
        pq.write_table(table, path, **options)
        return path

    return write


@pytest.fixture
def folder(write):
    """The small table in three files whose columns come in different orders and types."""
    write(part(slice(0, 2), ("label", *NAMES)), "rows/1.parquet")
    write(part(slice(2, 4), ("flag", "label", "count", "width")), "rows/2.parquet")
    last = part(slice(4, 6)) | {
        "count": pa.array([1.0, 5.0], pa.float32()),
        "label": pa.array(["a", "c"]).dictionary_encode(),
    }
    return write(last, "rows/3.parquet").parent
