"""Ctrl-C ends every long step soon: a process that fits for minutes gets SIGINT, and ends with KeyboardInterrupt."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

#: Each takes minutes: the selector, the number of rows and of columns.
LONG_FITS = {
    "neighbours, one call with all pairs of rows": ("Relief(n_features=3)", 50_000, 100),
    "sums of Gaussian kernels": ("KernelSeparability(n_features=5)", 8_000, 60),
    "few large quadratic programs, in threads": ("RadiusMargin(n_features=3)", 3_000, 30),
    "linear SVMs": ("SVMRFE(n_features=3)", 4_000, 2_000),
}
PROGRAM = """
import numpy as np
from fewest import *

random = np.random.default_rng(0)
X, y = random.normal(size=({n_rows}, {n_columns})), random.integers(0, 3, {n_rows})
print("ready", flush=True)
try:
    {selector}.fit(X, y)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    raise
print("ended", flush=True)
"""


@pytest.mark.parametrize(("selector", "n_rows", "n_columns"), LONG_FITS.values(), ids=LONG_FITS)
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_ends_a_long_fit_within_seconds(selector, n_rows, n_columns):
    environment = {**os.environ, "OMP_NUM_THREADS": "2"}
    program = PROGRAM.format(selector=selector, n_rows=n_rows, n_columns=n_columns)
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
        try:
            assert process.stdout.readline() == b"ready\n"
            time.sleep(1.0)
            process.send_signal(signal.SIGINT)
            started = time.monotonic()
            said, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert said == b"interrupted\n", errors[-2000:]
    assert errors.strip().endswith(b"KeyboardInterrupt")
    # Generous, since tests share a machine; alone it takes a few tenths of a second.
    assert time.monotonic() - started < 30
