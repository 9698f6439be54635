"""Spark frames, on a local session of two processes, some of which are killed. Needs PySpark and Java."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fewest import MRMR, scan
from fewest.data.engines import spark_engine
from fewest.errors import InvalidInput

from .killing import N_KILLS, PASSES, Moments, delay, descendants, later
from .odd_partitions import ANSWERED, REFUSED
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
    """The Python processes of Spark that run tasks, below this one."""
    daemons = descendants("pyspark.daemon")
    # A daemon forks the processes that work.
    return [pid for pid, parent in daemons if parent in {pid for pid, _ in daemons}]


def before_running(monkeypatch, action):
    """Call a function before every job of the engine, with what it does."""
    run = spark_engine.SparkEngine._run

    def run_job(self, what, job):
        action(what)
        return run(self, what, job)

    monkeypatch.setattr(spark_engine.SparkEngine, "_run", run_job)


@pytest.fixture(scope="module")
def parquet_frame(session, tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    for i in range(6):
        FRAME.iloc[150 * i : 150 * (i + 1)].to_parquet(folder / f"{i}.parquet", index=False)
    return session.read.parquet(str(folder))


@pytest.mark.skipif(shutil.which("ps") is None, reason="the processes of Spark cannot be listed")
@pytest.mark.parametrize("repetition", range(N_KILLS))
@pytest.mark.parametrize("when", PASSES)
@pytest.mark.parametrize("kind", ["spark_frame", "parquet_frame"])
def test_a_worker_that_is_killed_costs_no_answer(kind, when, repetition, request, monkeypatch):
    frame = request.getfixturevalue(kind)
    expected = answer_of(MRMR(n_features=3).fit(scan(FRAME, "label", weight="weight")))
    moments, killed = Moments(when), []

    def kill():
        while not (found := workers()):  # the first pass starts them
            time.sleep(0.02)
        killed.append(found[0])
        os.kill(found[0], signal.SIGKILL)

    before_running(monkeypatch, lambda what: later(delay(repetition), kill) if moments.is_now(what) else None)
    found = answer_of(never_keeping_rows(MRMR(n_features=3)).fit(scan(frame, "label", weight="weight")))
    assert killed
    assert list(dict.fromkeys(moments.names)) == list(PASSES)
    assert found[0] == expected[0]
    assert_array_equal(found[1], expected[1])


@pytest.mark.skipif(shutil.which("ps") is None, reason="the processes of Spark cannot be listed")
@pytest.mark.parametrize("kind", ["spark_frame", "parquet_frame"])
def test_workers_that_are_killed_again_and_again_are_one_error(kind, request, monkeypatch):
    source = scan(request.getfixturevalue(kind), "label", weight="weight")
    is_over, started = threading.Event(), time.monotonic()

    def kill():
        while not is_over.wait(0.02):
            for pid in workers():
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    try:
        with pytest.raises(InvalidInput, match=r"^Workers of Spark died again and again on the Spark frame, probably"):
            never_keeping_rows(MRMR(n_features=3)).fit(source)
    finally:
        is_over.set()
        thread.join()
    assert time.monotonic() - started < 30


WITHOUT_JAVA = """
import os, signal, sys, threading, time
os.environ["PYSPARK_PYTHON"] = sys.executable
from pyspark.sql import SparkSession
from fewest import MRMR, scan
from fewest.data.engines import spark_engine

builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
builder = builder.config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
session = builder.getOrCreate()
session.sparkContext.setLogLevel("OFF")
source = scan(session.read.parquet(sys.argv[1]).repartition(3), "label", weight="weight")
MRMR._stream_bytes = 1000
java = session.sparkContext._gateway.proc
threading.Timer(0.3, lambda: os.kill(java.pid, signal.SIGKILL)).start()
started = time.monotonic()
try:
    MRMR(n_features=3).fit(source)
except Exception as error:
    print(f"{time.monotonic() - started:.0f} {type(error).__name__} {error}", flush=True)
os._exit(0)
"""


def test_without_java_there_is_one_error(session, tmp_path):
    FRAME.to_parquet(tmp_path / "rows.parquet", index=False)
    command = [sys.executable, "-W", "ignore", "-c", WITHOUT_JAVA, str(tmp_path / "rows.parquet")]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout.splitlines()[-1]
    seconds, kind, message = printed.split(" ", 2)
    assert kind == "InvalidInput"
    assert message.startswith(("The Spark session is gone: ", "The Spark session was stopped. "))
    assert int(seconds) < 30


def frame_of(session, odd):
    """A frame of Spark with these partitions, which have the types of the first."""
    from pyspark.sql.pandas.types import from_arrow_schema

    tables = [pa.Table.from_pandas(part, preserve_index=False) for part in odd.partitions()]
    tables = [table.cast(tables[0].schema) for table in tables]

    def give(batches):
        from pyspark import TaskContext

        for _ in batches:
            pass
        yield from tables[TaskContext.get().partitionId()].to_batches()

    numbers = session.range(len(tables), numPartitions=len(tables))
    return numbers.mapInArrow(give, from_arrow_schema(tables[0].schema))


@pytest.mark.parametrize("name", [name for name, odd in ANSWERED.items() if not odd.needs_types])
def test_odd_partitions_give_the_answer_of_one_table(name, session):
    odd = ANSWERED[name]
    odd.check_answer(scan(frame_of(session, odd), "label"))


@pytest.mark.parametrize("name", [name for name, odd in REFUSED.items() if not odd.needs_types])
def test_bad_partitions_are_refused_in_one_line(name, session):
    odd = REFUSED[name]
    odd.check_refusal("the Spark frame", lambda: scan(frame_of(session, odd), odd.target, **odd.options))


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
