"""fewest verify."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from fewest.atomic_files import checksum_of

from .running import refused, run


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a table that has an identifier, a constant, text, missing values, groups and weights."""
    draw = np.random.default_rng(0)
    codes = draw.permutation(np.arange(90) % 2)
    table = pd.DataFrame(draw.normal(size=(90, 6)).round(4)).add_prefix("x")
    table["x2"] += 2 * codes
    table["x4"] = table["x4"].where(draw.random(90) > 0.1)
    table.insert(0, "id", np.arange(5000, 5090))
    table = table.assign(
        constant=1, colour=draw.choice(["red", "green"], 90), day=pd.date_range("2020-01-01", periods=90).astype(str)
    )
    table = table.assign(patient=[f"p{row // 3}" for row in range(90)], weight=draw.integers(1, 4, 90))
    table.assign(label=np.array(["a", "b"])[codes]).to_csv(tmp_path / "t.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def selected(*options):
    assert run("select", "t.csv", "--target", "label", "--json", "s.json", "-q", "--force", *options) == 0


@pytest.mark.parametrize(
    ("of_select", "of_both"),
    [
        (["--method", "fisher-markov", "--features", "3"], []),
        (["--method", "fisher-markov", "--set", "degree=2", "--features", "3", "--allow", "id"], []),
        (["--method", "fisher-markov", "--set", "degree=2", "--set", "beta=0.1"], ["--weight", "weight"]),
        (["--method", "fisher-markov", "--features", "auto"], ["--groups", "patient"]),
        (["--method", "mrmr", "--features", "2"], ["--probes", "3", "--drop", "x0,weight"]),
        (["--method", "fisher-score", "--features", "2", "--no-check"], ["--columns", "x*,colour"]),
        ([], []),
    ],
)
def test_what_select_wrote_is_verified_from_the_file(of_select, of_both, folder, capsys):
    selected(*of_select, *of_both)
    capsys.readouterr()
    assert run("verify", "s.json", "t.csv", "--target", "label", *of_both) == 0
    out, err = capsys.readouterr()
    assert out.startswith("s.json on t.csv: verified: ")
    words = json.loads((folder / "s.json").read_text("utf-8"))["certificate"]["words"]
    assert out.splitlines()[1] == words or "nothing to prove" in out
    assert "bug" not in err


def test_what_is_not_true_ends_with_one_and_says_what(folder, capsys):
    selected("--method", "fisher-markov", "--set", "degree=2", "--features", "3")
    content = json.loads((folder / "s.json").read_text("utf-8"))
    assert content["provenance"]["left_out"][:2] == ["id", "constant"]
    del content["checksum"], content["certificate"]
    content["value"] *= 1.01
    content["bound"] *= 1.01
    (folder / "s.json").write_text(json.dumps({**content, "checksum": checksum_of(content)}), "utf-8")
    capsys.readouterr()
    assert run("verify", "s.json", "t.csv", "--target", "label") == 1
    out, _ = capsys.readouterr()
    assert "NOT verified" in out
    assert [line.split(":")[0].strip() for line in out.splitlines()[1:]] == ["value", "bound", "value at the bound"]


def test_options_that_select_had_are_needed_again(folder, capsys):
    selected("--method", "mrmr", "--features", "2", "--drop", "x0")
    capsys.readouterr()
    assert run("verify", "s.json", "t.csv", "--target", "label") == 1
    assert "columns: " in capsys.readouterr().out


def test_every_check_is_listed_where_that_is_asked_for(folder, capsys):
    selected("--method", "fisher-markov", "--features", "1")
    capsys.readouterr()
    assert run("verify", "s.json", "t.csv", "--target", "label", "--checks") == 0
    lines = capsys.readouterr().out.splitlines()
    assert "  holds  is_optimal: True" in lines
    assert "  holds  features: ['x2']" in lines


def test_a_file_that_is_no_selection_is_refused(folder, capsys):
    assert run("verify", "nowhere.json", "t.csv", "--target", "label") == 1
    assert "nowhere.json cannot be read: No such file" in refused(capsys)
    assert run("verify", "t.csv", "t.csv", "--target", "label") == 1
    assert "t.csv: This is not JSON" in refused(capsys)
    selected("--method", "fisher-markov", "--features", "1")
    text = (folder / "s.json").read_text("utf-8")
    (folder / "s.json").write_text(text.replace('"is_optimal": true', '"is_optimal": false'), "utf-8")
    capsys.readouterr()
    assert run("verify", "s.json", "t.csv", "--target", "label") == 1
    assert "was changed after it was written" in refused(capsys)
