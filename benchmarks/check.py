"""The data check against just reading the table: CSV, Parquet and .npz, long and wide, and ordinary mixed tables."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from timing import Row, fastest

from fewest import check_data, scan

ROWS, COLUMNS = 100_000, 40
WIDE_ROWS, WIDE_COLUMNS = 100, 12_600


def long_table(rng: np.random.Generator) -> pd.DataFrame:
    frame = pd.DataFrame(rng.normal(size=(ROWS, COLUMNS)).round(4)).add_prefix("c")
    return frame.assign(label=rng.choice(["a", "b"], ROWS))


def mixed_table(rng: np.random.Generator) -> pd.DataFrame:
    columns: dict[str, object] = {"id": rng.permutation(ROWS)}
    for j in range(8):
        columns[f"town {j}"] = rng.choice([f"town {i}" for i in range(200)], ROWS)
        columns[f"count {j}"] = rng.poisson(30, ROWS)
        columns[f"amount {j}"] = rng.gamma(2.0, 900.0, ROWS).round(2)
    return pd.DataFrame({**columns, "label": rng.choice(["a", "b"], ROWS)})


def wide_table(rng: np.random.Generator) -> pd.DataFrame:
    frame = pd.DataFrame(rng.integers(20, 16_000, (WIDE_ROWS, WIDE_COLUMNS))).add_prefix("gene")
    return frame.assign(label=rng.choice(["a", "b"], WIDE_ROWS))


def write(frame: pd.DataFrame, path: Path) -> None:
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    elif path.suffix == ".parquet":
        frame.to_parquet(path)
    else:
        features = frame.drop(columns="label")
        np.savez_compressed(
            path,
            X=features.to_numpy(),
            label=frame["label"].to_numpy(str),
            feature_names=features.columns.to_numpy(str),
        )


def measure():
    rng = np.random.default_rng(0)
    tables: dict[str, tuple[Callable[[np.random.Generator], pd.DataFrame], tuple[str, ...]]] = {
        f"{ROWS:,} x {COLUMNS} numbers": (long_table, (".csv", ".parquet", ".npz")),
        f"{ROWS:,} x 25 numbers, counts and text": (mixed_table, (".csv", ".parquet")),
        f"{WIDE_ROWS} x {WIDE_COLUMNS:,} whole numbers": (wide_table, (".csv", ".parquet", ".npz")),
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, (make, suffixes) in tables.items():
            frame = make(rng)
            for suffix in suffixes:
                path = Path(folder) / f"table{suffix}"
                write(frame, path)

                def read(path: Path = path) -> None:
                    for _ in scan(path, "label").with_text_as_codes().blocks():
                        pass

                def check(path: Path = path) -> None:
                    check_data(scan(path, "label"))

                reading, checking = fastest(read, check, rounds=5)
                yield Row(f"{name}, {suffix[1:]}: read and check", checking, reading, "just reading", 1.2)
