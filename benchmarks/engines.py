"""mRMR of 20 features on a Dask cluster of two processes and on Spark local[2], against the stream with two threads.

Each runs in a process of its own, start-up of the engine aside. Java and PySpark are needed for Spark; without them its
rows are left out, and that is said. FEWEST_ENGINE_ROWS divides the number of rows (10: a quick look).
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from timing import Row

_DIVISOR = int(os.environ.get("FEWEST_ENGINE_ROWS", "1"))
LONG = (40, 125_000 // _DIVISOR, 200)
WIDE = (8, 25_000 // _DIVISOR, 5_000)

COMMON = """
import json, resource, sys, time
from pathlib import Path
from fewest import MRMR, scan

def peak_megabytes():
    # On Linux ru_maxrss is at least that of the process which started this one; VmHWM begins anew with the program.
    status = Path("/proc/self/status")
    if status.exists():
        return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM")) / 1024
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit

def report(seconds, chosen, **more):
    peak = peak_megabytes()
    print(json.dumps({"seconds": seconds, "peak": peak, "features": list(chosen.selection_.features), **more}))
"""
STREAM = (
    COMMON
    + """
started = time.perf_counter()
chosen = MRMR(n_features=20).fit(scan(sys.argv[1], "label"))
report(time.perf_counter() - started, chosen)
"""
)
DASK = (
    COMMON
    + """
import dask.dataframe
from distributed import Client, LocalCluster

if __name__ == "__main__":
    local = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(**local) as cluster, Client(cluster) as client:
        client.run(__import__, "fewest")
        started = time.perf_counter()
        source = scan(dask.dataframe.read_parquet(sys.argv[1]), "label")
        chosen = MRMR(n_features=20).fit(source)
        report(time.perf_counter() - started, chosen, received=source.engine.n_bytes_received)
"""
)
SPARK = (
    COMMON
    + """
import os
os.environ["PYSPARK_PYTHON"] = sys.executable
from pyspark.sql import SparkSession

builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", "4g")
builder = builder.config("spark.ui.enabled", "false")
builder = builder.config("spark.ui.showConsoleProgress", "false").config("spark.driver.bindAddress", "127.0.0.1")
session = builder.config("spark.driver.host", "127.0.0.1").getOrCreate()
session.sparkContext.setLogLevel("OFF")
session.sparkContext.parallelize(range(2), 2).map(lambda i: __import__("fewest") and i).collect()
started = time.perf_counter()
source = scan(session.read.parquet(sys.argv[1]), "label")
chosen = MRMR(n_features=20).fit(source)
report(time.perf_counter() - started, chosen, received=source.engine.n_bytes_received)
session.stop()
"""
)
PARTITIONS = (
    COMMON
    + """
import numpy, pandas, dask.dataframe
rng = numpy.random.default_rng(0)
codes = rng.integers(0, 3, 100_000)
frame = pandas.DataFrame({f"c{j}": rng.normal(size=100_000) + 0.1 * codes for j in range(20)}).assign(label=codes)
frame = dask.dataframe.from_pandas(frame, npartitions=int(sys.argv[1]))
MRMR._stream_bytes = 1000
started = time.perf_counter()
source = scan(frame, "label")
chosen = MRMR(n_features=5).fit(source)
report(time.perf_counter() - started, chosen, received=source.engine.n_bytes_received)
"""
)


def write(folder: Path, n_files: int, n_rows: int, n_columns: int) -> None:
    rng = np.random.default_rng(0)
    for i in range(n_files):
        codes = rng.integers(0, 3, n_rows)
        columns = {f"c{j}": rng.standard_normal(n_rows) + 0.1 * codes * (j % 10 == 0) for j in range(n_columns)}
        columns["label"] = np.array(["a", "b", "c"])[codes]
        pq.write_table(pa.table(columns), folder / f"{i:03d}.parquet", row_group_size=65_536)


def run(code: str, argument: str) -> dict[str, object]:
    """What a process of its own prints last."""
    with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as file:
        file.write(code)
    environment = {**os.environ, "OMP_NUM_THREADS": "2"}
    try:
        done = subprocess.run(
            [sys.executable, file.name, argument], env=environment, check=True, stdout=subprocess.PIPE, text=True
        )
    finally:
        os.unlink(file.name)
    return json.loads(done.stdout.splitlines()[-1])


def has_spark() -> bool:
    return importlib.util.find_spec("pyspark") is not None and shutil.which("java") is not None


def measure():
    with tempfile.TemporaryDirectory() as name:
        long, wide = Path(name) / "long", Path(name) / "wide"
        for folder, shape in ((long, LONG), (wide, WIDE)):
            folder.mkdir()
            write(folder, *shape)
        rows = f"{LONG[0] * LONG[1] / 1e6:g} million × {LONG[2]}"
        streams, clusters = zip(*((run(STREAM, str(long)), run(DASK, str(long))) for _ in range(2)), strict=True)
        stream = 1e3 * min(one["seconds"] for one in streams)
        assert all(one["features"] == streams[0]["features"] for one in clusters)
        yield Row(f"{rows} on Dask", 1e3 * min(one["seconds"] for one in clusters), stream, "streamed", 1.7)
        yield Row(f"{rows} on Dask: driver", max(one["peak"] for one in clusters), 500.0, "allowed", 1.0, unit="MB")
        here, there = run(STREAM, str(wide)), run(DASK, str(wide))
        assert here["features"] == there["features"]
        size = f"{WIDE[0] * WIDE[1]:,} × {WIDE[2]:,}"
        yield Row(f"{size} on Dask: received", there["received"] / 1e6, 100.0, "allowed", 1.0, unit="MB")
        yield Row(f"{size} on Dask: driver", there["peak"], 500.0, "allowed", 1.0, unit="MB")
        if has_spark():
            spark = run(SPARK, str(long))
            assert spark["features"] == streams[0]["features"]
            yield Row(f"{rows} on Spark local[2]", 1e3 * spark["seconds"], stream, "streamed", 4.0)
            yield Row(f"{rows} on Spark local[2]: driver", spark["peak"], 500.0, "allowed", 1.0, unit="MB")
        else:
            print("  Spark is left out: it needs pyspark and java")
        many, few = run(PARTITIONS, "1000"), run(PARTITIONS, "100")
        yield Row("1,000 partitions of 100 rows: driver", many["peak"], few["peak"], "100 of 1,000", 1.1, unit="MB")
        yield Row("1,000 partitions of 100 rows", 1e3 * many["seconds"], 1e3 * few["seconds"], "100 of 1,000", 12.0)
