"""fewest check, and what select and compare set aside and say."""

from __future__ import annotations

import io
import json
import sys

import numpy as np
import pandas as pd
import pytest

from ..ordinary.tables import TABLES
from .running import run


@pytest.fixture(scope="module")
def customers(tmp_path_factory):
    table = TABLES["customers"](seed=1, n_rows=400).with_leak()
    return str(table.write(tmp_path_factory.mktemp("customers"))), table


def test_check_lists_what_is_odd_and_exits_with_0(customers, capsys):
    path, table = customers
    assert run("check", path, "--target", table.target) == 0
    out = capsys.readouterr().out
    assert out.startswith("customers-comma.csv: 400 rows, 21 columns")
    for name in (*table.never, *table.leaks, "signup"):
        assert repr(name) in out
    assert "'tenure_months'" not in out


def test_check_writes_json(customers, tmp_path, capsys):
    path, table = customers
    assert run("check", path, "--target", table.target, "--json", str(tmp_path / "c.json"), "--allow", "name") == 0
    content = json.loads((tmp_path / "c.json").read_text("utf-8"))
    assert set(content["set_aside"]) == {*table.never, "signup"} - {"name"}
    assert {one["name"] for one in content["columns"]} == set(table.X.columns)
    assert run("check", path, "--target", table.target, "--json", str(tmp_path / "c.json")) == 1
    capsys.readouterr()
    assert run("check", path, "--target", table.target, "--json", "-") == 0
    assert json.loads(capsys.readouterr().out)["n_rows"] == 400


def test_check_of_a_bundled_data_set_finds_nothing(capsys):
    assert run("check", "wine") == 0
    assert capsys.readouterr().out == "wine: 178 rows, 13 columns: 13 of numbers. Nothing odd was found.\n"


def test_a_continuous_target_is_a_finding(tmp_path, capsys):
    frame = pd.DataFrame({"x": np.arange(50) % 7, "price": np.random.default_rng(0).normal(size=50)})
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert run("check", str(tmp_path / "t.csv"), "--target", "price") == 0
    assert "a quantity rather than classes" in capsys.readouterr().out


@pytest.mark.parametrize("is_piped", [False, True])
def test_rows_without_a_class_are_a_finding_beside_the_others(is_piped, tmp_path, monkeypatch, capsys):
    path = tmp_path / "t.csv"
    frame = pd.DataFrame({"x": np.arange(50) % 7, "same": 1, "class": ["u", "v"] * 25})
    frame.loc[[3, 8], "class"] = None
    frame.to_csv(path, index=False)
    if is_piped:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    assert run("check", "-" if is_piped else str(path), "--target", "class") == 0
    out = capsys.readouterr().out
    assert "48 rows, 2 columns" in out
    # A stream is not counted to its end.
    assert "There is no class in at least 2 rows of the target 'class' (first: row 3)." in " ".join(out.split())
    assert "'same' has the same value in every row" in out


def test_where_the_first_part_of_a_stream_has_no_class_the_rest_is_checked_and_selected_from(tmp_path, capsys):
    n_without, n = 20_000, 21_000
    x = np.random.default_rng(0).normal(size=n)
    labels = [None] * n_without + np.where(x[n_without:] > 0, "u", "v").tolist()
    path = tmp_path / "t.parquet"
    pd.DataFrame({"x": x, "z": x[::-1], "class": labels}).to_parquet(path, row_group_size=5_000)
    assert run("check", str(path), "--target", "class") == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "1,000 rows, 2 columns" in out
    assert "There is no class in at least" in out
    assert run("select", str(path), "--target", "class", "--drop-unlabelled", "--features", "1") == 0
    assert "1,000 rows" in capsys.readouterr().out


def test_select_sets_aside_with_a_note_and_flags_leaks(customers, capsys):
    path, table = customers
    options = (path, "--target", table.target, "--features", "3", "--method", "max-relevance")
    assert run("select", *options) == 0
    out, err = capsys.readouterr()
    assert "keeps 3 of 16 features" in out
    assert "closing_code" in out
    assert "warning: 'closing_code'" in err
    assert "note: 'currency' has the same value in every row. Set aside" in err
    assert run("select", *options, "--allow", "CustomerID") == 0
    assert "keeps 3 of 17 features" in capsys.readouterr().out
    assert run("select", *options, "--no-check") == 0
    out, err = capsys.readouterr()
    assert "keeps 3 of 20 features" in out
    assert "Set aside" not in err


def test_indices_in_the_json_of_a_selection_are_those_of_the_file(tmp_path, capsys):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    X = np.column_stack([np.ones(200), rng.normal(size=200), np.arange(200), rng.normal(size=200) + y])
    np.savez(tmp_path / "t.npz", X=X, y=y)
    json_file = tmp_path / "s.json"
    options = ("--features", "2", "--method", "fisher-score", "--json", str(json_file), "-o", str(tmp_path / "o.csv"))
    assert run("select", str(tmp_path / "t.npz"), *options) == 0
    content = json.loads(json_file.read_text("utf-8"))
    assert content["features"] == ["x3", "x1"]
    assert content["indices"] == [3, 1]
    assert list(pd.read_csv(tmp_path / "o.csv").columns) == ["x1", "x3", "target"]
    assert np.allclose(pd.read_csv(tmp_path / "o.csv")["x3"], X[:, 3])
    capsys.readouterr()


def test_a_transposed_table_is_refused_at_once_with_the_option(tmp_path, capsys):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(50, 4)), columns=list("abcd"))
    frame.insert(0, "gene", [f"g{i}" for i in range(50)])
    frame.to_csv(tmp_path / "t.csv", index=False)
    for command in ("select", "compare"):
        assert run(command, str(tmp_path / "t.csv"), "--target", "gene") == 1
        assert "--transpose" in capsys.readouterr().err


def test_a_target_that_is_the_name_of_a_row_is_answered_with_the_option(tmp_path, capsys):
    values = np.random.default_rng(0).normal(size=(30, 12)).round(3)
    samples = [f"S{i}" for i in range(12)]
    turned = pd.DataFrame(values, columns=samples, index=[f"g{i}" for i in range(30)]).astype(object)
    turned.loc["tissue"] = ["a", "b"] * 6
    turned.to_csv(tmp_path / "t.csv", index_label="gene")
    turned.to_excel(tmp_path / "t.xlsx", index_label="gene")
    for name in ("t.csv", "t.xlsx"):
        assert run("check", str(tmp_path / name), "--target", "tissue") == 1
        assert "--transpose" in capsys.readouterr().err
        assert run("check", str(tmp_path / name), "--target", "tissue", "--transpose") == 0
        assert "12 rows, 30 columns" in capsys.readouterr().out
        assert run("check", str(tmp_path / name), "--target", "tissues") == 1
        assert "--transpose" not in capsys.readouterr().err


def test_compare_sets_aside_and_says_so(customers, tmp_path, capsys):
    path, table = customers
    options = (
        "--methods",
        "fisher-score",
        "--classifiers",
        "nb",
        "--outer",
        "3",
        "--sizes",
        "2",
        "--no-leak",
        "--jobs",
        "1",
    )
    json_file, page = tmp_path / "c.json", tmp_path / "c.html"
    files = ("--json", str(json_file), "--report", str(page))
    assert run("compare", path, "--target", table.target, *options, *files) == 0
    out = capsys.readouterr().out
    assert "warning: 'closing_code'" in out
    assert "note: 'currency' has the same value in every row. Set aside" in out
    (content,) = json.loads(json_file.read_text("utf-8"))["tables"]
    assert set(content["data"]["set_aside"]) == {*table.never, "signup"}
    assert not set(content["feature_names"]) & set(table.never)
    assert "closing_code" in page.read_text("utf-8")
    assert (
        run("compare", path, "--target", table.target, *options, "--no-check", "--drop", "name,email,CustomerID") == 0
    )
    assert "Set aside" not in capsys.readouterr().out
