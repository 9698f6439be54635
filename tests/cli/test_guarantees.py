"""Stability selection and knockoffs on the command line."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from .running import run


@pytest.fixture
def table(tmp_path):
    random = np.random.default_rng(0)
    y = np.arange(80) % 2
    values = random.normal(size=(80, 12))
    values[:, :3] += 2 * y[:, None]
    path = tmp_path / "t.csv"
    pd.DataFrame(values).add_prefix("c").assign(label=y).to_csv(path, index=False)
    return path


def test_stability_selection_says_what_it_guarantees_and_draws_its_paths(table, capsys):
    page = table.with_suffix(".html")
    command = ["select", table, "--target", "label", "--method", "stability-selection", "--set", "n_pairs=5", "-q"]
    command += ["--set", "selector=fisher-score(n_features=3)", "--report", page]
    assert run(*map(str, command)) == 0
    out = capsys.readouterr().out
    assert "stability-selection keeps 3 of 12 features" in out
    assert "fisher-score selects 3 features on each of 10 halves of the rows" in out
    assert "Do halves of the rows select the same features?" in page.read_text("utf-8")


def test_a_size_that_has_no_bound_is_one_line(table, capsys):
    command = ["select", str(table), "--target", "label", "--method", "stability-selection", "-q"]
    assert run(*command, "--set", "selector=mrmr(n_features=12)", "--set", "expected_false=0.5") == 1
    error = capsys.readouterr().err
    assert "the largest that can" in error
    assert error.count("\n") == 1


def test_knockoffs_say_why_nothing_is_selected(table, capsys):
    command = ["select", str(table), "--target", "label", "--method", "knockoffs", "-q", "--set", "level=0.05"]
    assert run(*command) == 0
    out = capsys.readouterr().out
    assert "at this level 20 features pass at least, or none, and there are 12 columns" in out
