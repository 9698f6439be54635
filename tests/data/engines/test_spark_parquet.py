"""Spark frames that are Parquet files, which the workers read themselves, and those that only look like it."""

from __future__ import annotations

import shutil

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fewest import MRMR, FisherScore, scan
from fewest.data.engines import spark_engine
from fewest.data.engines.spark_parquet import RowGroup, _stored_names, partitions_of
from fewest.errors import FewestError, InvalidInput

from .partitioned_tables import COUNTED, SUMMED, answer_of, mixed_table, never_keeping_rows

pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning", "ignore::DeprecationWarning"),
    pytest.mark.xdist_group("spark"),
]
FRAME = mixed_table()
CLASS = "org.apache.spark.sql.catalyst.expressions."


@pytest.fixture(scope="module")
def session(request):
    pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    return request.getfixturevalue("spark_session")


@pytest.fixture
def folder(tmp_path):
    return write(tmp_path / "rows and %41 more")


def write(folder, *, changed=None, change=None):
    """Seven files of the frame with two row groups each; one may be changed."""
    folder.mkdir()
    for i in range(7):
        table = pa.Table.from_pandas(FRAME.iloc[i * 130 : (i + 1) * 130], preserve_index=False)
        pq.write_table(change(table) if i == changed else table, folder / f"{i}.parquet", row_group_size=65)
    return folder


def read(session, folder):
    return session.read.parquet(str(folder))


def is_read_by_arrow(frame):
    return spark_engine.SparkEngine(frame)._partitions is not None


def fit(frame, make=MRMR, **options):
    return answer_of(never_keeping_rows(make(n_features=3)).fit(scan(frame, "label", weight="weight", **options)))


@pytest.mark.parametrize("name", [*COUNTED, *SUMMED])
def test_files_give_the_same_answer(name, session, folder):
    make = {**COUNTED, **SUMMED}[name]
    frame = read(session, folder)
    source = scan(frame, "label", weight="weight")
    assert is_read_by_arrow(frame)
    assert source.engine.n_partitions > 2
    expected, found = fit(FRAME, make), fit(frame, make)
    assert found[0] == expected[0]
    if name in COUNTED:
        assert_array_equal(found[1], expected[1])
    else:
        assert_allclose(found[1], expected[1], rtol=1e-12, atol=1e-12)


def test_columns_are_chosen_renamed_and_reordered(session, folder):
    frame = read(session, folder).select("label", "x1", "weight", "x0", "word").withColumnRenamed("x0", "x1 `too`")
    frame = frame.withColumnRenamed("x1", "x0")
    assert is_read_by_arrow(frame)
    same = FRAME[["label", "x1", "weight", "x0", "word"]].rename(columns={"x0": "x1 `too`", "x1": "x0"})
    found, expected = fit(frame), fit(same)
    assert found[0] == expected[0]
    assert_array_equal(found[1], expected[1])


def test_a_folder_that_is_read_twice_has_its_rows_twice(session, folder):
    assert scan(session.read.parquet(str(folder), str(folder)), "label").n_rows == 2 * len(FRAME)


def test_other_columns_orders_and_types_of_the_same_values(session, tmp_path):
    def change(table):
        names = [*table.column_names[::-1], "new"]
        small = table.append_column("new", [np.zeros(len(table))]).select(names)
        position = names.index("word")
        return small.set_column(position, "word", small["word"].dictionary_encode())

    frame = read(session, write(tmp_path / "rows", changed=3, change=change))
    assert is_read_by_arrow(frame.drop("new"))
    assert_array_equal(fit(frame.drop("new"))[1], fit(FRAME)[1])


MORE_THAN_FILES = {
    "a filter": lambda frame: frame.where("x0 > 0"),
    "an expression": lambda frame: frame.withColumn("x0", frame["x0"] * 2),
    "a limit": lambda frame: frame.limit(500),
    "a union": lambda frame: frame.union(frame),
    "other partitions": lambda frame: frame.repartition(3),
    "an order": lambda frame: frame.sort("x0"),
    "a sample": lambda frame: frame.sample(0.5, seed=1),
}  # fmt: skip


@pytest.mark.parametrize("name", MORE_THAN_FILES)
def test_what_is_more_than_files_is_left_to_spark(name, session, folder):
    frame = MORE_THAN_FILES[name](read(session, folder))
    assert not is_read_by_arrow(frame)
    frame = frame.persist()
    assert not is_read_by_arrow(frame)
    rows = pd.DataFrame([row.asDict() for row in frame.collect()])
    assert_array_equal(fit(frame)[1], fit(rows)[1])
    frame.unpersist()


def test_folders_that_name_a_value_are_left_to_spark(session, tmp_path):
    session.read.parquet(str(write(tmp_path / "rows"))).write.partitionBy("count").parquet(str(tmp_path / "by count"))
    frame = read(session, tmp_path / "by count")
    assert not is_read_by_arrow(frame)
    assert_array_equal(np.sort(fit(frame)[1]), np.sort(fit(FRAME)[1]))


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.drop_columns(["x1"]),
        lambda table: table.rename_columns([name.replace("x1", "X1") for name in table.column_names]),
    ],
    ids=["absent", "in capitals"],
)
def test_a_column_that_a_file_has_not_is_left_to_spark(change, session, tmp_path):
    frame = read(session, write(tmp_path / "rows", changed=3, change=change))
    assert not is_read_by_arrow(frame)
    rows = pd.DataFrame([row.asDict() for row in frame.collect()])
    assert_array_equal(fit(frame)[1], fit(rows)[1])


def test_another_type_in_one_file_is_one_error(session, tmp_path):
    def change(table):
        return table.set_column(table.column_names.index("x1"), "x1", [["text"] * len(table)])

    frame = read(session, write(tmp_path / "rows", changed=3, change=change))
    assert not is_read_by_arrow(frame)
    with pytest.raises(InvalidInput, match=r"Partition \d of the Spark frame cannot be computed: ") as raised:
        fit(frame)
    assert "\n" not in str(raised.value)


def test_files_that_are_gone_or_changed_are_named(session, folder):
    source = scan(read(session, folder), "label", weight="weight")
    (folder / "3.parquet").write_bytes((folder / "3.parquet").read_bytes()[:-100])
    with pytest.raises(InvalidInput, match=r"Partition \d of the Spark frame: .*3\.parquet is a Parquet file cut"):
        never_keeping_rows(MRMR(n_features=2)).fit(source)
    (folder / "3.parquet").unlink()
    with pytest.raises(InvalidInput, match=r"Partition \d of the Spark frame: .*3\.parquet cannot be read: No such"):
        never_keeping_rows(MRMR(n_features=2)).fit(source)
    shutil.copy(folder / "2.parquet", folder / "3.parquet")
    with pytest.raises(InvalidInput, match=r"Partition \d of the Spark frame: its rows have changed since they were"):
        FisherScore(n_features=2).fit(source.only([0, 1, 2, 3, 4, 5, 6, 7, 8]))


def test_a_file_that_is_none_is_one_error(session, folder):
    frame = read(session, folder)
    (folder / "3.parquet").write_bytes(b"no rows")
    with pytest.raises(FewestError, match=r"the Spark frame cannot be computed") as raised:
        scan(frame, "label")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("most_bytes", [0, 1 << 20], ids=["merged by workers", "merged here"])
def test_answers_of_any_size_give_the_same(most_bytes, session, folder, monkeypatch):
    monkeypatch.setattr(spark_engine, "_MOST_BYTES_OF_ROUND", most_bytes)
    monkeypatch.setattr(spark_engine, "FAN_IN", 2)
    found, expected = fit(read(session, folder)), fit(FRAME)
    assert found[0] == expected[0]
    assert_array_equal(found[1], expected[1])


def test_the_settings_of_the_session_stay(session, folder):
    before = session.conf.getAll
    fit(read(session, folder))
    assert session.conf.getAll == before


def test_partitions_are_of_about_the_same_size_and_in_order():
    groups = [RowGroup("a", i, 10) for i in range(20)] + [RowGroup("b", i, 30) for i in range(5)]
    partitions = partitions_of(groups, 2)
    assert [group for part in partitions for group in part] == groups
    assert len(partitions) in (4, 5)
    large = [RowGroup("a", i, 200 << 20) for i in range(9)]
    assert [len(part) for part in partitions_of(large, 2)] == [1] * 9
    assert partitions_of([], 2) == []


def column(name, number):
    return {"class": CLASS + "AttributeReference", "name": name, "exprId": {"id": number}}


def test_names_in_the_files_follow_from_the_plan():
    relation = {
        "class": "org.apache.spark.sql.execution.datasources.LogicalRelation",
        "output": [[column("a", 1)], [column("b", 2)]],
    }
    alias = {"class": CLASS + "Alias", "name": "c", "exprId": {"id": 3}}
    choice = {"class": "org.apache.spark.sql.catalyst.plans.logical.Project"}
    renamed = choice | {"projectList": [[alias, column("b", 2)], [column("a", 1)]]}
    assert _stored_names([relation]) == ["a", "b"]
    assert _stored_names([choice | {"projectList": [[column("c", 3)]]}, renamed, relation]) == ["b"]
    assert _stored_names([renamed, relation]) == ["b", "a"]
    doubled = choice | {"projectList": [[alias, {"class": CLASS + "Add"}, column("a", 1), column("a", 1)]]}
    assert _stored_names([doubled, relation]) is None
    assert _stored_names([{"class": "org.apache.spark.sql.catalyst.plans.logical.Filter"}, relation]) is None
    assert _stored_names([{"class": "org.apache.spark.sql.catalyst.plans.logical.LocalRelation"}]) is None
