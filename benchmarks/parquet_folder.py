"""`fewest select` on a 2.6 GB Parquet folder of 1,000 float columns: peak memory, and time against just reading it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from timing import Row

N_FILES = 4
#: Rows of a file, and columns.
LONG, WIDE = (65_536, 1_000), (13_000, 5_000)

READ = """
import sys
from pathlib import Path
import pyarrow.parquet as pq
for start in range(0, 1000, 50):
    columns = [f"c{j}" for j in range(start, start + 50)] + ["label"]
    for path in sorted(Path(sys.argv[1]).glob("*.parquet")):
        file = pq.ParquetFile(path, buffer_size=65536, pre_buffer=False)
        for batch in file.iter_batches(batch_size=65536, columns=columns, use_threads=False):
            pass
"""


def write(folder: Path, n_rows: int, n_columns: int) -> None:
    rng = np.random.default_rng(0)
    for i in range(N_FILES):
        codes = rng.integers(0, 3, n_rows)
        columns = {f"c{j}": rng.normal(size=n_rows) + (0.1 * codes if j % 100 == 0 else 0) for j in range(n_columns)}
        columns["label"] = np.array(["a", "b", "c"])[codes]
        pq.write_table(pa.table(columns), folder / f"part-{i}.parquet")  # pyarrow's default row groups


def run(arguments: list[str]) -> tuple[float, float]:
    """Milliseconds and peak resident megabytes of a process of its own."""
    code = (
        "import resource, subprocess, sys, time; started = time.perf_counter(); "
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
        "print(1e3 * (time.perf_counter() - started), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)"
    )
    milliseconds, megabytes = subprocess.check_output([sys.executable, "-c", code, *arguments]).split()
    return float(milliseconds), float(megabytes)


def select(folder: str, *options: str) -> list[str]:
    return [sys.executable, "-m", "fewest", "select", folder, "--target", "label", *options]


def in_turns(*commands: list[str], rounds: int = 3) -> list[tuple[float, float]]:
    """The least milliseconds and the largest peak of each command, over rounds in which all take a turn."""
    runs = [[run(command) for command in commands] for _ in range(rounds)]
    return [(min(time for time, _ in one), max(peak for _, peak in one)) for one in zip(*runs, strict=True)]


def measure() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, *LONG)
        size = f"{sum(path.stat().st_size for path in folder.glob('*.parquet')) / 1e9:.1f} GB"
        works = {
            "20 features": (["--features", "20"], 3.0, 400.0),
            "size by cross-validation": ([], 8.0, 600.0),
            "max-relevance": (["--features", "20", "--method", "max-relevance"], 3.0, 400.0),
            "fisher-markov": (["--features", "20", "--method", "fisher-markov"], 1.5, 400.0),
        }
        commands = [select(name, *options) for options, _, _ in works.values()]
        (read, _), *ours = in_turns([sys.executable, "-c", READ, name], *commands)
        for (what, (_, times, megabytes)), (milliseconds, peak) in zip(works.items(), ours, strict=True):
            yield Row(f"{size}, {what}", milliseconds, read, "just reading", times)
            yield Row(f"{size}, {what}: peak resident", peak, megabytes, "allowed", 1.0, unit="MB")
    with tempfile.TemporaryDirectory() as name:
        write(Path(name), *WIDE)
        _, peak = run(select(name, "--features", "20"))
        size = f"{N_FILES * WIDE[0]:,} × {WIDE[1]:,}"
        yield Row(f"{size}, 20 features: peak resident", peak, 500.0, "allowed", 1.0, unit="MB")
