"""What the benchmark of the engines measures."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


@pytest.mark.skipif(not (BENCHMARKS / "engines.py").exists(), reason="benchmarks are not with the tests")
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="other systems have no such fault")
def test_the_peak_memory_of_a_process_is_not_that_of_its_parent(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    common = runpy.run_path(str(BENCHMARKS / "engines.py"))["COMMON"]
    held = np.ones(100 << 20)  # 800 MiB
    printed = subprocess.check_output([sys.executable, "-c", common + "print(peak_megabytes())"], text=True)
    assert 20 < float(printed) < held.nbytes / (1 << 20) / 2
