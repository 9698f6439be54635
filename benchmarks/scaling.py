"""How the time of every method grows with rows, columns and classes, and what memory it takes.

    python benchmarks/scaling.py                     measures all methods: about half an hour of processor time
    python benchmarks/scaling.py mrmr relieff        those named, the others as they were
    python benchmarks/scaling.py --page              writes the page from what was measured
    python benchmarks/scaling.py --check             says which exponents and memories exceed their limits

Writes src/fewest/selectors/measured_costs.json, which `fewest methods NAME` shows, docs/scaling.md and its pictures.
Methods have their defaults and 20 features (wrappers 5); times are of the processor, all threads added.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import warnings
from pathlib import Path

from scaling_page import write_page
from tables import table_of
from timing import Row

from fewest.errors import FewestError
from fewest.selectors.measured_costs import MEASUREMENTS, REFERENCE, fitted_exponent, measured_costs
from fewest.selectors.registry import methods_by_name
from fewest.selectors.row_selector import RowSelector

#: By axis the first size, the largest, and what makes the shape (rows, columns, classes) of a size.
AXES = {
    "rows": (500, 512_000, lambda size: (size, 50, 2)),
    "columns": (100, 51_200, lambda size: (300, size, 2)),
    "classes": (4, 64, lambda size: (4_000, 50, size)),
}
#: No further size is measured where it would probably take longer than this, in seconds.
LONGEST = 6.0
#: Shorter fits are repeated, and the least time is taken.
SHORT = 0.5
#: The table of which memory is measured, and how long that may take before a sample of the rows is used.
MEMORY_SHAPE, MEMORY_SECONDS, SAMPLE = (100_000, 100, 2), 60, 2_000

#: Methods that compare rows with rows, or call something that does; all others could be linear in the rows.
ROWS_WITH_ROWS = frozenset(
    {"relief", "relieff", "iterative-relief", "map-relief", "surf", "surf-star", "multisurf", "multisurf-star"}
    | {"bayes-error", "kernel-separability", "kernel-alignment", "kernel-trace"}
    | {"radius-margin", "r2w2", "wrapper", "two-stage", "auto"}
)
LIMIT_OF_PAIRS, LIMIT_LINEAR, LIMIT_MEMORY = 2.1, 1.1, 2.5


def selector_of(name, **parameters):
    kind = methods_by_name()[name]
    n_features = 5 if name in ("wrapper", "two-stage", "bayes-error") else 20
    return kind(n_features=n_features, **parameters)


def seconds_of(name, shape):
    """The least processor time of a fit."""
    X, y = table_of(*shape)
    best, spent = float("inf"), 0.0
    while spent < SHORT:
        started = time.process_time()
        selector_of(name).fit(X, y)
        now = time.process_time() - started
        best, spent = min(best, now), spent + max(now, SHORT / 5)
    return best


def measure_times(name):
    """Seconds on the reference table, and points along every axis."""
    seconds_of(name, (200, 20, 2))  # imports, and what is made at the first call
    found = {"seconds": seconds_of(name, (*REFERENCE, 2))}
    for axis, (first, last, shape_of) in AXES.items():
        points, size = [], first
        while size <= last:
            points.append((size, round(seconds_of(name, shape_of(size)), 6)))
            growth = max(2.0, points[-1][1] / points[-2][1]) if len(points) > 1 else 4.0
            if len(points) >= 3 and points[-1][1] * growth > LONGEST:
                break
            size *= 2
        found[axis] = points
    return found


def measure_memory(name, sample):
    """What a fit adds to the largest size of this process, as a multiple of the table."""
    X, y = table_of(*MEMORY_SHAPE)
    own = {"sample": sample} if sample else {}
    selector_of(name).fit(X[:200, :20], y[:200])
    Path("/proc/self/clear_refs").write_text("5")  # the largest size so far is forgotten
    before = high_water()
    selector_of(name, **own).fit(X, y)
    return 2**20 * (high_water() - before) / X.nbytes


def high_water():
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


def in_own_process(*arguments, seconds=None):
    """What this script prints with these arguments, as JSON; None where it takes longer, or is refused."""
    command = [sys.executable, __file__, *arguments]
    try:
        finished = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return None
    return json.loads(finished.stdout)


def cost_of(name):
    found = in_own_process("--times", name)
    found["memory"] = in_own_process("--memory", name, "0", seconds=MEMORY_SECONDS)
    if found["memory"] is None and issubclass(methods_by_name()[name], RowSelector):
        found["memory"] = in_own_process("--memory", name, str(SAMPLE))
        found["sample"] = SAMPLE
    return found


def measure():
    """The exponents and memories that were measured last, against their limits."""
    for name, cost in measured_costs().items():
        limit = LIMIT_OF_PAIRS if name in ROWS_WITH_ROWS else LIMIT_LINEAR
        yield Row(f"{name}: exponent of rows", fitted_exponent(cost.rows), limit, "allowed", 1, unit="")
        yield Row(f"{name}: memory", cost.memory, LIMIT_MEMORY, "allowed", 1, unit="× the table")


def main(arguments):
    warnings.simplefilter("ignore")
    if arguments[:1] == ["--times"]:
        print(json.dumps(measure_times(arguments[1])))
    elif arguments[:1] == ["--memory"]:
        try:
            print(json.dumps(measure_memory(arguments[1], int(arguments[2]))))
        except FewestError as error:
            print(f"{arguments[1]}: {error}", file=sys.stderr)
            print("null")
    elif arguments == ["--page"]:
        write_page()
    elif arguments == ["--check"]:
        rows = list(measure())
        print(*rows, sep="\n")
        return int(not all(row.is_met for row in rows))
    else:
        stored = json.loads(MEASUREMENTS.read_text("utf-8")) if MEASUREMENTS.exists() else {}
        for name in arguments or methods_by_name():
            stored[name] = cost_of(name)
            lines = (
                f"{json.dumps(known)}: {json.dumps(stored[known])}" for known in methods_by_name() if known in stored
            )
            MEASUREMENTS.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
            measured_costs.cache_clear()
            print(f"{name}: {measured_costs()[name]}", flush=True)
        write_page()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
