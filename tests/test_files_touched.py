"""A stranger can follow a fit: it passes through few files, and ARCHITECTURE.md names each of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SCRIPT = ROOT / "benchmarks" / "files_touched.py"

pytestmark = pytest.mark.skipif(not SCRIPT.exists(), reason="benchmarks are not with the tests")


def files_touched(name):
    """The files that benchmarks/files_touched.py prints."""
    found = subprocess.run([sys.executable, SCRIPT, name], check=True, capture_output=True, encoding="utf-8")
    return [line.split()[0] for line in found.stdout.splitlines()[1:]]


def test_a_fit_passes_through_few_files_and_the_walk_names_them():
    files = files_touched("mrmr")
    assert {"selectors/selector.py", "searches/greedy.py", "selection.py"} <= set(files)
    assert len(files) <= 21
    walk = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    assert [file for file in files if Path(file).name not in walk] == []


def test_a_comparison_stops_at_the_first_fit():
    files = files_touched("compare")
    assert files[0] == "cli/main.py"
    assert "evaluation/run/trial.py" in files
    # Called by fit alone.
    assert "selectors/collection.py" not in files
