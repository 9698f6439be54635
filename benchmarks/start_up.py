"""Importing fewest after scikit-learn's base, and `fewest --help`, each in a fresh process."""

from __future__ import annotations

import subprocess
import sys
import time

from timing import Row

IMPORT = """
import time
import sklearn.base
started = time.perf_counter()
from fewest import FisherMarkov, scan
print(1e3 * (time.perf_counter() - started))
"""


def measure():
    # Ten processes each; the least is the cost itself, what is above it is other work of the computer.
    added = min(float(subprocess.check_output([sys.executable, "-c", IMPORT])) for _ in range(10))
    yield Row("`from fewest import FisherMarkov, scan` adds", added, 60.0, "allowed", 1.0)
    times = []
    for _ in range(10):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-m", "fewest", "--help"], check=True, stdout=subprocess.DEVNULL)
        times.append(1e3 * (time.perf_counter() - started))
    yield Row("`fewest --help`", min(times), 500.0, "allowed", 1.0)
