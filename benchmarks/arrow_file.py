"""Reading an Arrow file of 200,000 rows with text, every batch validated, against believing what the file says."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pyarrow.ipc
from timing import Row, least_cpu

from fewest import scan
from fewest.data.files import arrow_file

ROWS, NUMBERS, TEXTS, AT_ONCE = 200_000, 60, 2, 20_000


def write(path: Path) -> None:
    rng = np.random.default_rng(0)
    towns = np.array([f"town {i}" for i in range(200)])
    columns = {f"c{j}": pa.array(rng.normal(size=ROWS)) for j in range(NUMBERS)}
    columns |= {f"town {j}": pa.array(rng.choice(towns, ROWS)) for j in range(TEXTS)}
    table = pa.table({**columns, "label": pa.array(rng.choice(["a", "b"], ROWS)).dictionary_encode()})
    with pa.ipc.new_file(path, table.schema) as file:
        for batch in table.to_batches(AT_ONCE):
            file.write_batch(batch)


def measure() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.arrow"
        write(path)

        def read() -> None:
            for _ in scan(path, "label").with_text_as_codes().blocks():
                pass

        def believe() -> None:
            with patch.object(arrow_file, "validated", lambda batches, _: batches):
                read()

        validated, believed = (1e3 * seconds for seconds in least_cpu(read, believe, rounds=12))
        what = f"{ROWS:,} x {NUMBERS + TEXTS} Arrow file: reading, validated"
        yield Row(what, validated, believed, "not validated", 1.15)
