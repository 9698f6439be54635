"""The options about reading a table, in every command that reads one."""

from __future__ import annotations

import io
import json
import re
import sys

import numpy as np
import pytest

from .running import refused, run

SELECT = ("select", "--method", "fisher-score", "--features", "1", "-q")


@pytest.fixture
def table(tmp_path):
    """Ninety rows: an identifier, a date, three numbers of which the second separates the classes, and a group."""
    random = np.random.default_rng(0)
    label = random.integers(0, 2, 90)
    values = random.normal(size=(90, 3))
    values[:, 1] += 2 * label
    rows = [
        f"p{row:03},2024-01-{1 + row % 28:02},{x:.3f},{y:.3f},{z:.3f},g{row % 6},{'ab'[label[row]]}"
        for row, (x, y, z) in enumerate(values)
    ]
    path = tmp_path / "t.csv"
    path.write_text("id,day,x,y,z,group,class\n" + "\n".join(rows) + "\n")
    return path


def chosen(path, *options, tmp_path):
    output = tmp_path / "selection.json"
    assert run(*SELECT, path, *options, "--json", str(output), "--force") == 0
    return json.loads(output.read_text())


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--drop", "id,group"), "y"),
        (("--id", "id", "--drop", "group"), "y"),
        (("--columns", "x,z"), None),
        (("--columns", "x:z"), "y"),
        (("--columns", "3-5"), "y"),
        (("--columns", "[xyz]"), "y"),
        (("--columns", "x", "--columns", "y"), "y"),
        (("--drop", "id", "--drop", "group"), "y"),
    ],
)
def test_columns_are_taken_and_left_out(table, options, expected, tmp_path):
    found = chosen(str(table), "--target", "class", *options, tmp_path=tmp_path)
    assert found["features"] == [expected] if expected else found["features"][0] in ("x", "z")


def test_dates_that_are_left_out_are_said(table, capsys):
    assert run(*SELECT, str(table), "--target", "class", "--drop", "id,group") == 0
    assert capsys.readouterr().err.count("'day' holds dates or times. Set aside: ") == 1
    assert run(*SELECT, str(table), "--target", "class", "--drop", "id,group", "--no-check") == 0
    assert "'day' holds dates, times or durations; it was left out." in capsys.readouterr().err


def test_standard_input_is_read(table, monkeypatch, tmp_path):
    class Piped(io.TextIOWrapper):
        def isatty(self):
            return False

    monkeypatch.setattr(sys, "stdin", Piped(io.BytesIO(table.read_bytes())))
    found = chosen("-", "--target", "class", "--columns", "x:z", tmp_path=tmp_path)
    assert found["features"] == ["y"]


def turned(text):
    return "\n".join(",".join(column) for column in zip(*(line.split(",") for line in text.split()), strict=True))


@pytest.mark.parametrize(
    ("change", "options"),
    [
        (lambda text: text.replace(",", ";").replace(".", ","), ()),
        (lambda text: text.replace(",", "!"), ("--sep", "!")),
        (lambda text: text.replace(",", "\t"), ("--sep", "tab")),
        (lambda text: text.replace(",", ";").replace(".", ","), ("--sep", ";", "--decimal", ",", "--thousands", ".")),
        (turned, ("--transpose",)),
    ],
    ids=["semicolons", "sep", "tab", "decimal", "transpose"],
)
def test_other_forms_of_text_give_the_same_answer(table, change, options, tmp_path):
    table.write_text(change(table.read_text()))
    found = chosen(str(table), "--target", "class", "--columns", "x,y,z", *options, tmp_path=tmp_path)
    assert found["features"] == ["y"]


def test_an_encoding_that_was_found_out_is_said(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_bytes("größe,class\n1,a\n2,b\n3,a\n4,b\n".encode("latin-1"))
    assert run(*SELECT, str(path), "--target", "class") == 0
    assert "was read as cp1252" in capsys.readouterr().err
    assert run(*SELECT, str(path), "--target", "class", "--encoding", "latin-1") == 0
    assert "cp1252" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--columns", "zz"), "columns: there is no column 'zz'"),
        (("--drop", "grop"), "did you mean 'group'"),
        (("--id", "ID"), "did you mean 'id'"),
        (("--sep", "ab"), "sep must be one character"),
        (("--decimal", "x"), "decimal must be one of"),
        (("--encoding", "utf-9"), "There is no encoding 'utf-9'"),
        (("--transpose",), "more than one column named|no column 'class'"),
    ],
)
def test_options_that_are_wrong_are_one_line(table, options, says, capsys):
    assert run(*SELECT, str(table), "--target", "class", *options) == 1
    assert re.search(says, refused(capsys))


def test_groups_are_read_whatever_columns_are_chosen(table, capsys):
    fast = (
        "--methods",
        "fisher-score",
        "--classifiers",
        "nb",
        "--outer",
        "2",
        "--inner",
        "2",
        "--no-leak",
        "--jobs",
        "1",
    )
    arguments = ("compare", str(table), "--target", "class", "--columns", "x:z", *fast, "-q")
    assert run(*arguments, "--groups", "group") == 0
    assert run(*arguments, "--groups", "day") == 0
    capsys.readouterr()
