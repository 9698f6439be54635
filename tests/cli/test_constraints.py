"""Constraints on columns from the command line."""

from __future__ import annotations

import json

import pytest

from .running import refused, run


def select(capsys, *options):
    """The features of the bundled table that the command selects, by its JSON on standard output."""
    assert run("select", "breast-cancer", "--method", "fisher-score", "--json", "-", "--quiet", *options) == 0
    return json.loads(capsys.readouterr().out)["features"]


def test_columns_are_kept_forbidden_and_capped(capsys):
    options = ["--features", "5", "--keep", "smoothness error", "--forbid", "worst *", "--at-most", "* error=1"]
    chosen = select(capsys, *options)
    assert not any(name.startswith("worst") for name in chosen)
    assert [name for name in chosen if name.endswith("error")] == ["smoothness error"]


def test_a_group_is_one_feature(capsys):
    chosen = select(capsys, "--features", "2", "--column-group", "points=*concave points")
    assert len(chosen) == 3
    assert sum(name.endswith("concave points") for name in chosen) == 2


def test_costs_come_from_options_and_from_a_file(capsys, tmp_path):
    (tmp_path / "costs.csv").write_text("name,cost\nworst *,3\n*,1\n", encoding="utf-8")
    by_file = select(capsys, "--features", "8", "--costs", str(tmp_path / "costs.csv"), "--budget", "9")
    by_options = select(capsys, "--features", "8", "--cost", "worst *=3", "--cost", "*=1", "--budget", "9")
    assert by_file == by_options
    assert sum(3 if name.startswith("worst") else 1 for name in by_file) <= 9


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--keep", "mean smoothnes"], "did you mean 'mean smoothness'?"),
        (["--keep", "worst area", "--forbid", "worst*"], "keep and forbid both name 'worst area'"),
        (["--keep", "worst*", "--features", "3"], "keep holds 10 features ('worst radius', "),
        (["--budget", "3"], "budget needs costs"),
        (["--at-most", "worst*"], "--at-most takes NAME=NUMBER, got 'worst*' instead."),
        (["--at-most", "worst*=1.5"], "--at-most takes a whole number, got worst*=1.5 instead."),
        (["--cost", "=3"], "--cost takes NAME=NUMBER, got '=3' instead."),
        (["--cost", "worst*=-3", "--budget", "1"], "must be a finite number of at least 0, got -3.0 instead."),
        (["--column-group", "worst*"], "--column-group takes GROUP=NAME,NAME"),
        (["--costs", "nowhere.csv"], "nowhere.csv cannot be read as names and costs"),
        (
            ["--method", "svm-rfe", "--cost", "*=1", "--cost-weight", "1"],
            "cannot obey cost_weight",
        ),
    ],
)
def test_a_bad_constraint_is_one_line(options, message, capsys):
    method = [] if "--method" in options else ["--method", "fisher-score"]
    assert run("select", "breast-cancer", *method, *options) == 1
    assert message in refused(capsys)


def test_a_file_of_costs_that_holds_something_else_is_refused_by_line(capsys, tmp_path):
    (tmp_path / "costs.csv").write_text("mri,5\nct,much\n", encoding="utf-8")
    assert run("select", "breast-cancer", "--costs", str(tmp_path / "costs.csv")) == 1
    assert "Line 2 of" in refused(capsys)
