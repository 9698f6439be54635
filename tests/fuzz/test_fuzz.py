"""A short run of the fuzzers; tests/fuzz/run.py is the long one."""

from __future__ import annotations

import pytest

from . import run

#: The number of cases of each kind, which take some ten seconds.
SHORT = {"api": 300, "files": 250, "stored": 60}


@pytest.mark.parametrize("kind", SHORT)
def test_every_case_has_an_answer_in_finite_numbers_or_one_clear_error(kind, monkeypatch):
    monkeypatch.setattr(run, "PATIENCE", 90.0)  # tests share a machine
    report = run.Report()
    run.run_cases(kind, 0, 0, SHORT[kind], report)
    assert report.findings == []
    assert sum(report.counts.values()) == SHORT[kind]
    assert report.counts[f"{kind}: answer"] > 0
