"""The examples of docs/guide/interfaces.md that need other packages."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[3] / "docs" / "guide"


@pytest.mark.skipif(not GUIDE.exists(), reason="the documentation is not with the tests")
@pytest.mark.parametrize(
    ("script", "packages"), [("with_onnx.py", ["skl2onnx", "onnxruntime"]), ("with_mlflow.py", ["mlflow"])]
)
def test_example_runs(script, packages, tmp_path, monkeypatch):
    for package in packages:
        pytest.importorskip(package)
    assert script in (GUIDE / "interfaces.md").read_text("utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "file:./runs")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    runpy.run_path(str(GUIDE / script))
