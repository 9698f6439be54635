"""Spark frames, on a local session of two processes, some of which are killed. Needs PySpark and Java."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading

import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fewest import MRMR, scan
from fewest.data.engines import spark_engine
from fewest.errors import InvalidInput

from .partitioned_tables import COUNTED, SUMMED, answer_of, mixed_table, never_keeping_rows

pytest.importorskip("pyspark.sql")
if shutil.which("java") is None:
    pytest.skip("Spark needs Java", allow_module_level=True)

pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning", "ignore::DeprecationWarning"),
    pytest.mark.xdist_group("spark"),
]

FRAME = mixed_table()


@pytest.fixture(scope="module")
def session(spark_session):
    return spark_session


@pytest.fixture(scope="module")
def spark_frame(session, tmp_path_factory):
    path = tmp_path_factory.mktemp("spark") / "rows.parquet"
    FRAME.to_parquet(path, index=False)
    return session.read.parquet(str(path)).repartition(5).persist()


@pytest.mark.parametrize("name", [*COUNTED, *SUMMED])
def test_a_spark_frame_gives_the_same_answer(name, spark_frame):
    make = {**COUNTED, **SUMMED}[name]
    expected = answer_of(make(n_features=5).fit(scan(FRAME, "label", weight="weight")))
    found = answer_of(never_keeping_rows(make(n_features=5)).fit(scan(spark_frame, "label", weight="weight")))
    assert found[0] == expected[0]
    if name in COUNTED:
        assert_array_equal(found[1], expected[1])
    else:
        assert_allclose(found[1], expected[1], rtol=1e-12, atol=1e-12)


def test_many_partitions_are_merged_as_a_tree(spark_frame):
    # Not persisted: its rows must be dealt to partitions alike in every pass, whatever columns are read.
    many = spark_frame.repartition(20)
    expected = answer_of(COUNTED["max-relevance"](n_features=3).fit(scan(FRAME, "label", weight="weight")))
    found = answer_of(
        never_keeping_rows(COUNTED["max-relevance"](n_features=3)).fit(scan(many, "label", weight="weight"))
    )
    assert_array_equal(found[1], expected[1])


def workers():
    """The Python processes of Spark that run tasks."""
    lines = subprocess.run(
        ["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    daemons = [line.split()[0] for line in lines if "pyspark.daemon" in line]
    # A daemon forks the processes that work.
    return [int(line.split()[0]) for line in lines if "pyspark.daemon" in line and line.split()[1] in daemons]


@pytest.mark.skipif(shutil.which("ps") is None, reason="the processes of Spark cannot be listed")
@pytest.mark.parametrize("when", ["partitions", "partitions of a round"])
def test_a_worker_that_is_killed_costs_no_answer(when, spark_frame, monkeypatch):
    run, killed = spark_engine.SparkEngine._run, []
    expected = answer_of(never_keeping_rows(MRMR(n_features=3)).fit(scan(spark_frame, "label", weight="weight")))

    def kill():
        for pid in workers()[:1]:
            killed.append(pid)
            os.kill(pid, signal.SIGKILL)

    def run_and_kill(self, what, action):
        if what == when and not killed:
            threading.Timer(0.3, kill).start()
        return run(self, what, action)

    monkeypatch.setattr(spark_engine.SparkEngine, "_run", run_and_kill)
    found = answer_of(never_keeping_rows(MRMR(n_features=3)).fit(scan(spark_frame, "label", weight="weight")))
    assert killed
    assert found[0] == expected[0]
    assert_array_equal(found[1], expected[1])


def test_a_partition_that_raises_is_named(spark_frame):
    def fail(batches):
        from pyspark import TaskContext

        if TaskContext.get().partitionId() == 3:
            raise RuntimeError("the file is gone")
        yield from batches

    with pytest.raises(InvalidInput, match=r"Partition 3 of the Spark frame cannot be computed: .*the file is gone"):
        scan(spark_frame.mapInArrow(fail, spark_frame.schema), "label")


def test_odd_columns_and_names(session):
    frame = session.createDataFrame(
        [(1.0, [1], "a b"), (2.0, [2], "c"), (3.0, [3], "a b"), (4.0, [4], "c")], ["x.y `z`", "list", "label"]
    )
    with pytest.raises(InvalidInput, match=r"Column 'list' of the Spark frame holds values of type list"):
        MRMR(n_features=1).fit(scan(frame, "label"))
    chosen = MRMR(n_features=1).fit(scan(frame, "label", drop="list"))
    assert chosen.selection_.features == ("x.y `z`",)


def test_no_rows_and_missing_labels(session, spark_frame):
    with pytest.raises(InvalidInput, match=r"the Spark frame has (no partitions|column names but no rows)"):
        scan(spark_frame.limit(0), "label")
    with pytest.raises(InvalidInput, match=r"Partition \d of the Spark frame: Input y contains NaN or no label"):
        scan(session.createDataFrame([(1.0, None), (2.0, "a")], "x double, label string"), "label")
