"""`fewest select` on a 2 GB Parquet folder of 1,000 float columns: peak memory, and time against just reading it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from timing import Row

N_FILES, ROWS, COLUMNS = 4, 65_536, 1_000

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


def write(folder: Path) -> None:
    rng = np.random.default_rng(0)
    for i in range(N_FILES):
        codes = rng.integers(0, 3, ROWS)
        columns = {f"c{j}": rng.normal(size=ROWS) + (0.1 * codes if j % 100 == 0 else 0) for j in range(COLUMNS)}
        columns["label"] = np.array(["a", "b", "c"])[codes]
        pq.write_table(pa.table(columns), folder / f"part-{i}.parquet")  # pyarrow's default row groups


def run(arguments: list[str]) -> tuple[float, float]:
    """Seconds and peak resident megabytes of a process of its own."""
    code = (
        "import resource, subprocess, sys, time; started = time.perf_counter(); "
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
        "print(time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)"
    )
    seconds, megabytes = subprocess.check_output([sys.executable, "-c", code, *arguments]).split()
    return float(seconds), float(megabytes)


def measure():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder)
        size = sum(path.stat().st_size for path in folder.glob("*.parquet")) / 1e9
        command = [sys.executable, "-m", "fewest", "select", name, "--target", "label"]
        rounds = [(run([sys.executable, "-c", READ, name]), run([*command, "--features", "20"])) for _ in range(5)]
        read = 1e3 * min(seconds for (seconds, _), _ in rounds)
        ours = 1e3 * min(seconds for _, (seconds, _) in rounds)
        peak = max(megabytes for _, (_, megabytes) in rounds)
        yield Row(f"{size:.1f} GB: fewest select --features 20", ours, read, "just reading", 1.5)
        yield Row(f"{size:.1f} GB: peak resident", peak, 400.0, "allowed", 1.0, unit="MB")
        seconds, peak = run(command)
        yield Row(f"{size:.1f} GB: fewest select, size by cross-validation", 1e3 * seconds, read, "just reading", 3.0)
        yield Row(f"{size:.1f} GB: its peak resident", peak, 400.0, "allowed", 1.0, unit="MB")
