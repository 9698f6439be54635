"""R2W2 and RadiusMargin: processor time against that of earlier versions, and memory against the data."""

from __future__ import annotations

import subprocess
import sys
from math import log

from tables import table_of
from timing import Row, least_cpu

from fewest import R2W2, RadiusMargin

#: Seconds of processor time as measured before, by selector, rows, columns and classes; the last had not ended.
BEFORE = (
    (R2W2, 1_000, 100, 2, 6.0),
    (R2W2, 200, 10_000, 2, 11.0),
    (R2W2, 2_000, 200, 10, 42.0),
    (RadiusMargin, 2_000, 200, 2, 25.0),
    (RadiusMargin, 2_000, 200, 10, 120.0),
)
#: The bytes of a table of 100,000 × 100, and a fit to it in a process of its own, which prints its extra memory.
DATA = 100_000 * 100 * 8
FIT = """
import sys
sys.path.insert(0, {folder!r})
from tables import table_of
import fewest

def kilobytes(name):
    return int(next(line for line in open("/proc/self/status") if line.startswith(name)).split()[1])

X, y = table_of(100_000, 100)
fewest.{call}.fit(X[:200, :8], y[:200])
open("/proc/self/clear_refs", "w").write("5")  # the peak counts from here
before = kilobytes("VmRSS")
fewest.{call}.fit(X, y)
print((kilobytes("VmHWM") - before) * 1024)
"""


def extra_memory(call: str) -> float:
    code = FIT.format(folder=sys.path[0], call=call)
    return float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)


def measure():
    for selector, n_rows, n_columns, n_classes, before in BEFORE:
        X, y = table_of(n_rows, n_columns, n_classes)
        [ours] = least_cpu(lambda: selector(n_features=20).fit(X, y), rounds=1)  # noqa: B023
        size = f"{n_rows:,} × {n_columns:,}" + (f" × {n_classes} classes" if n_classes > 2 else "")
        yield Row(f"{selector.__name__} {size}", ours, before, "before", 5.0, unit="s", is_upper=False)
        if selector is R2W2 and n_classes > 2:
            yield Row(f"{selector.__name__} {size}", ours, 2.0, "allowed", 1.0, unit="s")
    X, y = table_of(2_000, 200, 50)
    [ours] = least_cpu(lambda: R2W2(n_features=20).fit(X, y), rounds=1)
    yield Row("R2W2 2,000 × 200 × 50 classes", ours, 8.0, "allowed", 1.0, unit="s")
    sizes = (5_000, 20_000, 80_000)
    seconds = []
    for n_rows in sizes:
        X, y = table_of(n_rows, 50)
        seconds += least_cpu(lambda: R2W2(n_features=20, max_steps=50).fit(X, y), rounds=2)  # noqa: B023
    exponent = log(seconds[-1] / seconds[0]) / log(sizes[-1] / sizes[0])
    yield Row("R2W2 exponent in rows, 5,000 to 80,000", exponent, 2.1, "allowed", 1.0, unit="")
    for call in ("R2W2(n_features=20)", "RadiusMargin(n_features=20, sample=2000)"):
        yield Row(f"memory of {call}, 100,000 × 100", extra_memory(call) / 1e6, DATA / 1e6, "of data", 2.5, unit="MB")
