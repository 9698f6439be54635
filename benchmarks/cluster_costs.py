"""What passes and rounds of mRMR cost on a Dask cluster of two processes: the constants of docs/guide/on_a_cluster.md.

    python benchmarks/cluster_costs.py

Prints nanoseconds a value and worker of each pass and round, milliseconds a task, and bytes received by the driver, and
from these the table for a billion rows of ten thousand columns. It has no targets: run.py does not run it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from engines import COMMON, write

N_WORKERS = 2
LONG, SHORT = (16, 62_500, 200), (400, 25, 20)
N_FEATURES = 20

TIMED = (
    COMMON
    + """
import dask.dataframe
from distributed import Client, LocalCluster
from fewest.data.engines.dask_engine import DaskEngine

steps = []

def timed(name):
    plain = getattr(DaskEngine, name)
    def call(self, *arguments):
        started, received = time.perf_counter(), self.n_bytes_received
        found = plain(self, *arguments)
        steps.append((name, time.perf_counter() - started, self.n_bytes_received - received))
        return found
    setattr(DaskEngine, name, call)

if __name__ == "__main__":
    for name in ("merged", "stored", "ask"):
        timed(name)
    MRMR._stream_bytes = 1000
    local = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(**local) as cluster, Client(cluster) as client:
        client.run(__import__, "fewest")
        for _ in range(3):
            steps.clear()
            MRMR(n_features=20).fit(scan(dask.dataframe.read_parquet(sys.argv[1]), "label"))
        print(json.dumps(steps))
"""
)


def measure(shape: tuple[int, int, int]) -> dict[str, tuple[float, float]]:
    """The seconds and the bytes received of each kind of step; of rounds, the mean."""
    with tempfile.TemporaryDirectory() as name:
        write(Path(name), *shape)
        script = Path(name) / "script.py"
        script.write_text(TIMED)
        said = subprocess.run(
            [sys.executable, str(script), str(Path(name) / "*.parquet")], check=True, stdout=subprocess.PIPE, text=True
        ).stdout
    found = json.loads(said.splitlines()[-1])
    merged = [step for step in found if step[0] == "merged"]
    rounds = [step for step in found if step[0] == "ask"]
    steps = {"the source": merged[0], "column summaries": merged[1]}
    steps |= {"encoded partitions": next(step for step in found if step[0] == "stored")}
    named = {what: (seconds, received) for what, (_, seconds, received) in steps.items()}
    mean = [sum(step[i] for step in rounds) / len(rounds) for i in (1, 2)]
    return named | {"a round": (mean[0], mean[1])}


def main() -> None:
    n_values, n_tasks = LONG[0] * LONG[1] * LONG[2], SHORT[0]
    long, short = measure(LONG), measure(SHORT)
    print(f"{'step':<20} {'ns a value and worker':>22} {'ms a task':>10} {'bytes received':>15}")
    constants = {}
    for what, (seconds, received) in long.items():
        of_task = short[what][0] / n_tasks
        of_value = max(0.0, seconds - LONG[0] * of_task) * N_WORKERS / n_values
        constants[what] = of_value, of_task
        print(f"{what:<20} {1e9 * of_value:>22.3f} {1e3 * of_task:>10.2f} {received:>15,.0f}")
    n_rows, n_columns, n_rounds = 1e9, 1e4, N_FEATURES
    print("\n10⁹ × 10⁴, 20 features, 10,000 partitions: minutes")
    for n_workers in (100, 1000):
        minutes = {
            what: (of_value * n_rows * n_columns / n_workers + of_task * 1e4) / 60
            for what, (of_value, of_task) in constants.items()
            if what != "the source"
        }
        minutes["a round"] *= n_rounds
        parts = ", ".join(f"{'rounds' if what == 'a round' else what} {one:.0f}" for what, one in minutes.items())
        print(f"{n_workers:>6,} workers of one core: {parts}; all {sum(minutes.values()):.0f}")


if __name__ == "__main__":
    main()
