"""fewest select --features fdr."""

from __future__ import annotations

import json

import numpy as np
import pytest

from .running import refused, run


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    X = rng.normal(size=(80, 6))
    X[:, 2] += 1.5 * y
    lines = ["a,b,c,d,e,f,class", *(",".join([*(f"{v:.4f}" for v in x), "uv"[c]]) for x, c in zip(X, y, strict=True))]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


def test_columns_that_pass_are_listed_with_adjusted_p_values(table, tmp_path, capsys):
    selection = tmp_path / "selection.json"
    assert run("select", table, "--target", "class", "--features", "fdr", "--json", str(selection)) == 0
    out, err = capsys.readouterr()
    assert "fisher-score keeps 1 of 6 features" in out
    assert "adjusted p" in out
    assert "note: p-values by the F test of each column" in out
    assert "tests each column on its own, here by fisher-score; --method names another" in err
    assert json.loads(selection.read_text("utf-8"))["features"] == ["c"]


def test_the_level_and_the_control_are_set(table, capsys):
    arguments = ("--features", "fdr", "--level", "0.9", "--set", "control=by", "--set", "n_permutations=200")
    assert run("select", table, "--target", "class", "--method", "relieff", *arguments) == 0
    out, err = capsys.readouterr()
    assert "relieff keeps" in out
    assert "permutations of the labels" in out
    assert err == ""


def test_an_empty_answer_is_explained(table, capsys):
    assert run("select", table, "--target", "class", "--drop", "c", "--features", "fdr", "--level", "0.001") == 0
    assert "No features were selected: the smallest adjusted p-value is" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--method", "mrmr"], "Use FisherScore, MaxRelevance or ReliefF with n_features='fdr'"),
        (["--method", "fisher-score", "--level", "2"], "level must be a number between 0 and 1, got 2 instead."),
        (["--method", "relieff", "--set", "control=holm"], "control must be one of 'bh', 'by', 'fwer', got 'holm'"),
    ],
    ids=["mrmr", "level", "control"],
)
def test_what_cannot_be_is_one_line(arguments, says, capsys):
    assert run("select", "nowhere.csv", "--target", "class", "--features", "fdr", *arguments) == 1
    assert says in refused(capsys)
