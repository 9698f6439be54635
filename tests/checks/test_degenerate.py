"""Tables that hold next to nothing, hostile names, and how the result is shown."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from fewest import check_data, compare, scan
from fewest.checks import checking
from fewest.checks.checking import set_aside
from fewest.data.source import StoredSource
from fewest.errors import InvalidInput, InvalidParameter
from fewest.summary import DataSummary

RNG = np.random.default_rng(0)
Y = np.arange(60) % 2


def test_one_row_one_column_and_nothing_at_all():
    assert check_data([[1.0]], [0]).n_rows == 1
    assert check_data([[1.0], [2.0]], [0, 1]).findings == ()
    assert check_data(np.zeros((0, 3)), []).findings == ()
    assert check_data(np.full((60, 3), np.nan), Y).set_aside == ("x0", "x1", "x2")
    assert check_data(sparse.csr_matrix((60, 4)), Y).set_aside == ("x0", "x1", "x2", "x3")


def test_missing_values_and_missing_labels():
    X = RNG.normal(size=(60, 2))
    X[RNG.random(X.shape) < 0.2] = np.nan
    found = check_data(X, Y)
    assert found.n_missing == np.isnan(X).sum()
    assert [column.missing for column in found.columns] == pytest.approx(np.isnan(X).mean(axis=0).tolist())
    # The labels that are left are of one class.
    assert [finding.kind for finding in check_data(X, np.where(Y, 1.0, np.nan)).errors] == ["unlabelled", "one-class"]


def test_names_used_twice_are_refused_as_everywhere():
    with pytest.raises(InvalidInput, match="more than one column named 'a'"):
        check_data(pd.DataFrame(RNG.normal(size=(60, 2)), columns=["a", "a"]), Y)


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "a\nb\x1b[31m", "{0} {name}", "'\"", "", "表達 ID"])
def test_hostile_names_are_only_text(name):
    frame = pd.DataFrame({name: [f"row {i}" for i in range(60)], "x": RNG.normal(size=60)})
    found = check_data(frame, Y)
    assert found.set_aside == (name,)
    assert all(character.isprintable() for line in str(found).split("\n") for character in line)
    assert "<script" not in found._repr_html_()
    assert json.loads(json.dumps(found.to_dict()))["set_aside"] == [name]
    assert found.to_frame()["columns"].tolist() == [name]


def test_the_result_is_a_table_in_several_forms():
    frame = pd.DataFrame({"id": range(60), "x": RNG.normal(size=60), "c": list("abc") * 20, "b": [0, 1] * 30})
    found = check_data(frame, Y)
    assert [(one.name, one.kind, one.n_distinct) for one in found.columns] == [
        ("id", "numbers", None), ("x", "numbers", None), ("c", "categories", 3), ("b", "binary", 2),
    ]  # fmt: skip
    assert str(found).startswith("60 rows, 4 columns: 2 of numbers, 1 of two values, 1 of categories.")
    assert repr(found) == str(found)
    assert [finding.severity for finding in found.findings] == ["warning", "note"]
    summary = found.summary
    assert (summary.n_columns, summary.kinds.binary, summary.set_aside) == (4, 1, ("id",))
    content = found.to_dict()
    as_summary = {"kinds": vars(summary.kinds), "findings": content["findings"], "set_aside": content["set_aside"]}
    assert DataSummary.from_dict({"n_rows": 60, "n_columns": 4, "n_missing": 0, **as_summary}) == summary
    assert check_data(pl.from_pandas(frame), Y).to_dict() == content


def test_what_is_let_in_is_by_name_glob_or_index():
    frame = pd.DataFrame({"id": range(60), "key": RNG.permutation(60), "x": RNG.normal(size=60)})
    assert check_data(frame, Y).set_aside == ("id", "key")
    assert check_data(frame, Y, allow=["id"]).set_aside == ("key",)
    assert check_data(frame, Y, allow="*").set_aside == ()
    assert check_data(frame, Y, allow=[1]).set_aside == ("id",)
    for wrong, says in (("idd", "did you mean 'id'"), (3, "there are 3 columns")):
        with pytest.raises(InvalidParameter, match=says):
            check_data(frame, Y, allow=[wrong])


def test_the_classes_are_given_once():
    frame = pd.DataFrame({"x": RNG.normal(size=60), "class": Y})
    assert check_data(frame, target="class").columns[0].name == "x"
    with pytest.raises(InvalidParameter, match="both give the classes"):
        check_data(frame, Y, target="class")


def test_setting_aside_leaves_the_other_columns_with_their_names():
    X = np.column_stack([np.ones(60), RNG.normal(size=60), np.arange(60), RNG.normal(size=60)])
    source, found = set_aside(scan(X, Y))
    assert found.set_aside == ("x0", "x2")
    assert list(source.feature_names) == ["x1", "x3"]
    assert np.array_equal(next(source.blocks()).values, X[:, [1, 3]])
    clean = scan(X[:, [1, 3]], Y)
    assert set_aside(clean)[0] is clean


def test_nothing_left_and_tables_that_cannot_be_used_are_errors():
    with pytest.raises(InvalidInput, match=r"No column is left.*'x0'.*--allow NAME"):
        set_aside(scan(np.ones((60, 2)), Y))
    with pytest.raises(InvalidInput, match="--transpose"):
        set_aside(scan(RNG.normal(size=(60, 2)), np.arange(60)))
    with pytest.raises(InvalidInput, match=r"'table'.*--transpose"):
        compare("fisher-score", RNG.normal(size=(60, 2)), np.arange(60))


def table_file(folder, n_rows=300):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"id": range(n_rows), "x": rng.normal(size=n_rows), "c": rng.choice(list("abc"), n_rows)})
    frame.assign(y=rng.choice(["u", "v"], n_rows)).to_csv(folder / "t.csv", index=False)
    return scan(folder / "t.csv", "y")


def test_a_short_stream_is_read_once_and_kept(tmp_path, monkeypatch):
    source = table_file(tmp_path)
    kept, found = set_aside(source)
    assert found.set_aside == ("id",)
    monkeypatch.setattr(type(source), "group_blocks", None)
    (block,) = kept.blocks()
    assert block.values.shape == (300, 2)
    assert list(kept.feature_names) == ["x", "c"]
    assert kept.categories_of("c") is not None
    assert isinstance(kept.source, StoredSource)


def test_of_a_long_stream_the_first_rows_are_checked(tmp_path, monkeypatch):
    monkeypatch.setattr(checking, "STORED_ROWS_OF_STREAM", 8 * 100)
    monkeypatch.setattr("fewest.checks.profile.STORED_ROWS_OF_STREAM", 8 * 100)
    monkeypatch.setattr("fewest.checks.profile._FEWEST_ROWS_READ", 100)
    monkeypatch.setattr("fewest.data.files.delimited.DelimitedSource.bytes_at_once", 4096)
    n_rows = 3000
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"id": range(n_rows), "x": rng.normal(size=n_rows), "late": np.arange(n_rows) > 2000})
    frame["late"] = frame["late"].astype(int)
    frame.assign(y=rng.choice(["u", "v"], n_rows)).to_csv(tmp_path / "t.csv", index=False)
    source = scan(tmp_path / "t.csv", "y")
    kept, found = set_aside(source)
    assert 100 <= found.n_rows < n_rows
    # A column that is constant so far may not be.
    assert found.set_aside == ("id",)
    assert sum(block.n_rows for block in kept.blocks()) == n_rows
    assert check_data(source).n_rows == n_rows


def test_text_with_too_many_values_to_be_categories_is_set_aside(monkeypatch):
    monkeypatch.setattr("fewest.data.categories.MAX_CATEGORIES", 40)
    frame = pd.DataFrame({"name": [f"n{i}" for i in range(60)], "x": RNG.normal(size=60), "c": list("abc") * 20})
    found = check_data(frame, Y)
    assert found.set_aside == ("name",)
    assert [(one.name, one.kind) for one in found.columns] == [
        ("name", "categories"), ("x", "numbers"), ("c", "categories"),
    ]  # fmt: skip


def test_rows_without_weight_are_not_there():
    frame = pd.DataFrame({"x": RNG.normal(size=60), "c": np.repeat([1.0, 2.0], 30), "w": np.repeat([1.0, 0.0], 30)})
    source = scan(frame.assign(y=Y), "y", weight="w")
    found = check_data(source)
    assert found.n_rows == 30
    assert found.set_aside == ("c",)
