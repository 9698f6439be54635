"""mRMR of a CSV file of 1 GB and 300 columns: peak memory, and time against one pass of pyarrow's CSV reader."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
from parquet_folder import in_turns, select
from timing import Row

N_BLOCKS, ROWS, COLUMNS = 18, 10_000, 300

READ = """
import sys
import pyarrow.csv
for batch in pyarrow.csv.open_csv(sys.argv[1]):
    pass
"""


def write(path: Path) -> None:
    rng = np.random.default_rng(0)
    names = [f"c{j}" for j in range(COLUMNS)]
    schema = pa.schema([*((name, pa.float64()) for name in names), ("label", pa.string())])
    with pa.csv.CSVWriter(path, schema) as file:
        for _ in range(N_BLOCKS):
            codes = rng.integers(0, 3, ROWS)
            columns = [rng.normal(size=ROWS) + (0.1 * codes if j % 100 == 0 else 0) for j in range(COLUMNS)]
            file.write(pa.table([*columns, np.array(["a", "b", "c"])[codes]], schema=schema))


def measure() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "rows.csv"
        write(path)
        size = f"{path.stat().st_size / 1e9:.1f} GB"
        command = select(str(path), "--features", "20", "--method", "mrmr")
        (read, _), (ours, peak) = in_turns([sys.executable, "-c", READ, str(path)], command)
        yield Row(f"{size} CSV, mRMR", ours, read, "one pass of pyarrow", 2.3)
        yield Row(f"{size} CSV, mRMR: peak resident", peak, 500.0, "allowed", 1.0, unit="MB")
