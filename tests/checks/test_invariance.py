"""The check says the same whatever the order of rows and columns, the file, the blocks and the threads."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from threadpoolctl import threadpool_limits

from fewest import check_data, scan
from fewest.data.array import ArraySource
from fewest.data.files.parquet import ParquetSource
from fewest.data.labels import Target

from ..ordinary.tables import TABLES


def said(found):
    """The findings in an order of their own."""
    return sorted((one.kind, one.severity, *sorted(one.columns)) for one in found.findings)


def large(n_rows=40_000):
    """A table of which the check samples rows: with a leak, groups, an identifier, duplicates of all kinds."""
    rng = np.random.default_rng(3)
    y = rng.choice(["a", "b", "c"], n_rows, p=[0.6, 0.3, 0.1])
    codes = np.unique(y, return_inverse=True)[1]
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=n_rows),
            "leak": 10.0 * codes + rng.normal(size=n_rows),
            "number": rng.permutation(n_rows) + 1_000_000,
            "town": rng.choice([f"town {i}" for i in range(300)], n_rows),
            "constant": 4,
            "gaps": np.where(rng.random(n_rows) < 0.7, np.nan, rng.normal(size=n_rows)),
            "age": np.where(rng.random(n_rows) < 0.02, -999, rng.integers(18, 90, n_rows)),
        }
    )
    frame["again"] = 3.0 - 2.0 * frame["x"]
    frame["class"] = y
    # Some rows come twice.
    frame.iloc[-2000:] = frame.iloc[:2000].to_numpy()
    return frame.infer_objects()


@pytest.fixture(scope="module")
def frame():
    return large()


@pytest.fixture(scope="module")
def found(frame):
    return check_data(frame, target="class")


def test_a_large_table_is_checked_by_a_sample(found):
    kinds = {one.kind: one for one in found.findings}
    assert set(found.set_aside) == {"number", "constant"}
    assert kinds["leak"].columns == ("leak",)
    assert "in a sample of" in kinds["leak"].message
    assert kinds["duplicate"].columns == ("again",)
    assert kinds["sentinel"].columns == ("age",)
    assert kinds["mostly-missing"].columns == ("gaps",)
    assert kinds["duplicate-rows"].severity == "warning"
    # All copies of a row are in the sample, or none.
    share = float(kinds["duplicate-rows"].message.split(" rows of ")[0].replace(",", ""))
    sampled = float(kinds["duplicate-rows"].message.split(" rows of ")[1].split()[0].replace(",", ""))
    assert share / sampled == pytest.approx(0.05, abs=0.01)
    assert found.n_rows == 40_000


def test_the_order_of_rows_and_columns_changes_nothing(frame, found):
    rng = np.random.default_rng(5)
    other = frame.iloc[rng.permutation(len(frame))][rng.permutation(frame.columns)]
    again = check_data(other, target="class")
    assert said(again) == said(found)
    assert {one.message for one in again.findings if "duplicate" not in one.kind} == {
        one.message for one in found.findings if "duplicate" not in one.kind
    }


def test_other_names_of_the_classes_change_nothing(frame, found):
    assert said(
        check_data(frame.assign(**{"class": frame["class"].map({"a": 3, "b": 1, "c": 2})}), target="class")
    ) == (said(found))


@pytest.mark.parametrize("form", ["csv", "parquet", "feather"])
def test_every_file_gives_the_same(frame, found, form, tmp_path):
    path = tmp_path / f"t.{form}"
    if form == "csv":
        frame.to_csv(path, index=False)
    else:
        getattr(frame, f"to_{form}")(path)
    assert check_data(path, target="class").to_dict() == found.to_dict()


def test_blocks_of_any_length_give_the_same(frame, found, tmp_path, monkeypatch):
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=5000)
    for rows in (700, 5000):
        monkeypatch.setattr(ParquetSource, "rows_at_once", rows)
        assert check_data(tmp_path / "t.parquet", target="class").to_dict() == found.to_dict()


def test_the_number_of_threads_changes_nothing(frame, found):
    with threadpool_limits(1):
        assert check_data(frame, target="class").to_dict() == found.to_dict()


def test_groups_of_columns_are_checked_over_the_same_rows(frame, found, tmp_path, monkeypatch):
    frame.to_parquet(tmp_path / "t.parquet")
    source = scan(tmp_path / "t.parquet", "class")
    source.columns_at_once = 3
    # Rows are compared over all columns only where these are read together.
    expected = [one for one in said(found) if one[0] != "duplicate-rows"]
    assert said(check_data(source)) == expected


@pytest.mark.parametrize("name", sorted(TABLES))
def test_ordinary_tables_in_another_order_give_the_same(name):
    table = TABLES[name](seed=3).with_leak()
    other = table.shuffled(8)
    found, again = check_data(table.X, table.y), check_data(other.X, other.y)
    assert set(again.set_aside) == set(found.set_aside)
    # A counter is about the order of the rows; shuffled it is an identifier.
    names = ("counter", "identifier")
    assert [one for one in said(again) if one[0] not in names] == [one for one in said(found) if one[0] not in names]


def test_sparse_and_dense_say_the_same():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    X = rng.poisson(0.3, (300, 40)).astype(float)
    X[:, 5], X[:, 6], X[:, 7], X[:, 9] = 0.0, X[:, 3], 2 * X[:, 4], np.where(y, 3.0, 0.0)
    dense = check_data(X, y)
    found = check_data(sparse.csr_matrix(X), y)
    kinds = ("constant", "duplicate", "target-copy", "leak", "duplicate-rows")
    assert [one for one in said(found) if one[0] in kinds] == [one for one in said(dense) if one[0] in kinds]
    assert found.set_aside == ("x5",)
    assert check_data(sparse.csc_matrix(X), y).to_dict() == found.to_dict()


def test_integers_floats_and_strides_say_the_same():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 200, (20_000, 12))
    X[:, 4] = np.arange(20_000)
    y = rng.integers(0, 2, 20_000)
    expected = check_data(X.astype(float), y).to_dict()
    for same in (X, X.astype(np.int32), np.asfortranarray(X.astype(float)), np.repeat(X, 2, axis=1)[:, ::2]):
        assert ArraySource(same, Target(y)).n_features == 12
        assert check_data(same, y).to_dict() == expected
