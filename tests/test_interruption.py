"""Ctrl-C ends every long step soon: a process that fits for minutes gets SIGINT, and ends with KeyboardInterrupt."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

#: Each takes minutes: the selector, the number of rows and of columns.
LONG_FITS = {
    "neighbours, one call with all pairs of rows": ("Relief(n_features=3)", 50_000, 100),
    "sums of Gaussian kernels": ("KernelSeparability(n_features=5)", 8_000, 60),
    "sums of Laplacian kernels": ("KernelSeparability(kernel='laplacian', n_features=5)", 4_000, 4_000),
    "few large quadratic programs, in threads": ("RadiusMargin(n_features=3)", 3_000, 30),
    "all subsets": ("KernelTraceSelector('exhaustive', n_features=4)", 2_000, 40),
    "linear SVMs": ("SVMRFE(n_features=3)", 4_000, 2_000),
}
#: In seconds of processor time, of two threads, since tests share a machine; most take a few hundredths.
MOST = 2.0
PROGRAM = """
import signal
import time
import numpy as np
from fewest import *

random = np.random.default_rng(0)
X, y = random.normal(size=({n_rows}, {n_columns})), random.integers(0, 3, {n_rows})
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a process started in the background lacks
print("ready", flush=True)
try:
    {selector}.fit(X, y)
except KeyboardInterrupt:
    print("interrupted", time.process_time(), flush=True)
    raise
print("ended", flush=True)
"""


def processor_time(pid):
    """The processor time that a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize(("selector", "n_rows", "n_columns"), LONG_FITS.values(), ids=LONG_FITS)
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_ctrl_c_ends_a_long_fit_within_a_second(selector, n_rows, n_columns):
    environment = {**os.environ, "OMP_NUM_THREADS": "2"}
    program = PROGRAM.format(selector=selector, n_rows=n_rows, n_columns=n_columns)
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
        try:
            assert process.stdout.readline() == b"ready\n"
            deep_inside = processor_time(process.pid) + 2.0
            while (before := processor_time(process.pid)) < deep_inside:
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            said, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert said.startswith(b"interrupted "), (process.returncode, said, errors[-2000:])
    taken = said.split()[1]
    assert errors.strip().endswith(b"KeyboardInterrupt")
    assert float(taken) - before < MOST
