"""Dask frames: on threads of this process, and on a cluster of two processes, some of which are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fewest import MRMR, FisherScore, scan
from fewest.data.engines import dask_engine
from fewest.errors import FewestError, InvalidInput, InvalidType

from .killing import N_KILLS, PASSES, Moments, delay, later
from .odd_partitions import ANSWERED, REFUSED
from .partitioned_tables import COUNTED, SUMMED, answer_of, mixed_table, never_keeping_rows

dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")

pytestmark = [
    pytest.mark.filterwarnings(
        "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning", "ignore:The inplace keyword"
    ),
    # One cluster is started for all tests of this file.
    pytest.mark.xdist_group("dask"),
]

FRAME = mixed_table()


def two_processes():
    return distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs="CRITICAL"
    )


@pytest.fixture(scope="module")
def cluster():
    with two_processes() as started:
        yield started


@pytest.fixture
def client_of_its_own():
    """Of a cluster that no other test uses: Dask does not always start another process for one that was killed."""
    with two_processes() as started, distributed.Client(started) as connected:
        yield connected


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as connected:
        yield connected


@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize("name", [*COUNTED, *SUMMED])
def test_the_threads_of_this_process_give_the_same_answer(name, weight):
    frame = FRAME if weight else FRAME.drop(columns="weight")
    assert_same(name, frame, dd.from_pandas(frame, npartitions=7), weight)


@pytest.mark.parametrize("name", [*COUNTED, "fisher-markov", "parzen-relief"])
def test_two_processes_give_the_same_answer(name, client):
    assert_same(name, FRAME, dd.from_pandas(FRAME, npartitions=7), "weight")


def assert_same(name, frame, dask_frame, weight):
    make = {**COUNTED, **SUMMED}[name]
    expected = answer_of(make(n_features=5).fit(scan(frame, "label", weight=weight)))
    found = answer_of(never_keeping_rows(make(n_features=5)).fit(scan(dask_frame, "label", weight=weight)))
    assert found[0] == expected[0]
    if name in COUNTED:
        assert_array_equal(found[1], expected[1])
    else:
        assert_allclose(found[1], expected[1], rtol=1e-12, atol=1e-12)


def test_the_size_by_cross_validation(client):
    frame = dd.from_pandas(FRAME, npartitions=3)
    found = never_keeping_rows(MRMR(n_features="auto", max_features=4)).fit(scan(frame, "label", weight="weight"))
    again = never_keeping_rows(MRMR(n_features="auto", max_features=4)).fit(
        scan(frame.repartition(npartitions=5), "label", weight="weight")
    )
    assert found.size_curve_ == again.size_curve_


def slow_frame():
    def slowly(part):  # here, so that it travels by value: workers need not find the tests
        time.sleep(0.03)
        return part

    table = mixed_table(6_000)
    return dd.from_pandas(table, npartitions=12).map_partitions(slowly, meta=table.head(0))


def before_computing(monkeypatch, action):
    """Call a function before every computation of the engine on a cluster, with the client and what is computed."""
    compute = dask_engine.DaskEngine._compute_there

    def compute_there(self, client, root, name, n_tasks, what):
        action(client, what)
        return compute(self, client, root, name, n_tasks, what)

    monkeypatch.setattr(dask_engine.DaskEngine, "_compute_there", compute_there)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="signals of POSIX")
@pytest.mark.parametrize("repetition", range(N_KILLS))
@pytest.mark.parametrize("when", PASSES)
def test_a_worker_that_is_killed_costs_no_answer(when, repetition, client_of_its_own, monkeypatch):
    expected = answer_of(MRMR(n_features=5).fit(scan(mixed_table(6_000), "label", weight="weight")))
    moments = Moments(when)

    def kill(client, what):
        if moments.is_now(what):
            pids = list(client.run(os.getpid).values())
            later(delay(repetition), lambda: os.kill(pids[repetition % len(pids)], signal.SIGKILL))

    before_computing(monkeypatch, kill)
    found = answer_of(never_keeping_rows(MRMR(n_features=5)).fit(scan(slow_frame(), "label", weight="weight")))
    assert moments.is_killed
    assert list(dict.fromkeys(moments.names)) == list(PASSES)
    assert found[0] == expected[0]
    assert_array_equal(found[1], expected[1])


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="signals of POSIX")
@pytest.mark.parametrize("when", ["facts", "round"])
def test_the_last_worker_that_is_killed_is_one_error(when, monkeypatch):
    if N_KILLS == 1:
        monkeypatch.setattr(dask_engine, "_NO_WORKERS", 3.0)
    moments, killed = Moments(when), []
    with distributed.LocalCluster(
        n_workers=0, protocol="tcp", dashboard_address="127.0.0.1:0", silence_logs="CRITICAL"
    ) as cluster:
        # Without what starts another one.
        command = [sys.executable, "-m", "distributed.cli.dask_worker", cluster.scheduler_address]
        command += ["--no-nanny", "--nthreads", "1", "--no-dashboard"]
        worker = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def kill(client, what):
            if moments.is_now(what):
                killed.append(time.monotonic())
                later(0.05, worker.kill)

        before_computing(monkeypatch, kill)
        try:
            with distributed.Client(cluster) as client:
                client.wait_for_workers(1, timeout=60)
                with pytest.raises(
                    InvalidInput, match=r"^The Dask cluster has had no worker for \d+ s\. Start workers"
                ):
                    never_keeping_rows(MRMR(n_features=5)).fit(scan(slow_frame(), "label", weight="weight"))
                assert time.monotonic() - killed[0] < 30
        finally:
            worker.kill()
            worker.wait()


@pytest.mark.parametrize("error", [TimeoutError, UnboundLocalError], ids=lambda kind: kind.__name__)
def test_a_result_that_takes_longer_than_a_look_at_the_cluster_arrives(error, client, monkeypatch):
    result, gave_up = distributed.Future.result, []

    def slow(self, timeout=None):
        if timeout is not None and timeout < 1.5:
            gave_up.append(timeout)
            raise error("timed out while the result was on its way")
        return result(self, timeout)

    monkeypatch.setattr(distributed.Future, "result", slow)
    assert scan(dd.from_pandas(FRAME, npartitions=3), "label").n_rows == len(FRAME)
    assert gave_up == [0.5, 1.0] * (len(gave_up) // 2) != []


def test_without_a_worker_there_is_one_error(monkeypatch):
    monkeypatch.setattr(dask_engine, "_NO_WORKERS_YET", 1.0)
    with (
        distributed.LocalCluster(
            n_workers=0, processes=False, dashboard_address="127.0.0.1:0", silence_logs="CRITICAL"
        ) as empty,
        distributed.Client(empty),
        pytest.raises(InvalidInput, match=r"The Dask cluster has had no worker for \d+ s\. Start workers"),
    ):
        scan(dd.from_pandas(FRAME, npartitions=2), "label")


def test_an_interrupt_cancels_the_work_of_the_cluster(client, tmp_path, request):
    # A process that was started in the background ignores the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    started = tmp_path / "started"

    def slow(part):
        started.touch()
        time.sleep(0.5)
        return part

    def interrupt():
        while not started.exists():
            time.sleep(0.05)
        signal.raise_signal(signal.SIGINT)

    frame = dd.from_pandas(FRAME, npartitions=40).map_partitions(slow, meta=FRAME)
    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        scan(frame, "label")
    deadline = time.monotonic() + 20
    while any(client.processing().values()) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(client.processing().values())


def dask_frame(odd):
    parts = odd.partitions()
    # Otherwise Dask writes lists as text, before anything else sees them.
    with dask.config.set({"dataframe.convert-string": False}):
        return dd.from_map(lambda index: parts[index], range(len(parts)), meta=parts[0].head(0))


@pytest.mark.parametrize("name", ANSWERED)
def test_odd_partitions_give_the_answer_of_one_table(name):
    odd = ANSWERED[name]
    odd.check_answer(scan(dask_frame(odd), "label"))


@pytest.mark.parametrize("name", REFUSED)
def test_bad_partitions_are_refused_in_one_line(name):
    odd = REFUSED[name]
    odd.check_refusal("the Dask frame", lambda: scan(dask_frame(odd), odd.target, **odd.options))


def raising(frame, kind):
    """A frame whose third partition raises, or holds something odd."""

    def change(part, partition_info=None):
        if partition_info is not None and partition_info["number"] == 2:
            if kind == "raises":
                raise RuntimeError("the file is gone")
            part = part.assign(x1=[object()] * len(part)) if kind == "objects" else part.drop(columns="x1")
        return part

    return frame.map_partitions(change, meta=frame._meta)


def test_a_partition_that_raises_is_named(client):
    with pytest.raises(
        InvalidInput, match=r"Partition 2 of the Dask frame cannot be computed: RuntimeError: the file is gone"
    ):
        scan(raising(dd.from_pandas(FRAME, npartitions=4), "raises"), "label")


def test_a_partition_of_objects_is_refused_by_number():
    with pytest.raises(InvalidInput, match=r"Partition 2 of the Dask frame: a column holds values of several types"):
        FisherScore().fit(
            scan(raising(dd.from_pandas(FRAME[["x0", "x1", "label"]], npartitions=4), "objects"), "label")
        )


def test_progress_counts_partitions(client):
    seen = []
    source = scan(dd.from_pandas(FRAME, npartitions=6), "label", weight="weight").with_text_as_codes()
    with source.reporting(lambda *what: seen.append(what)):
        never_keeping_rows(MRMR(n_features=2)).fit(source)
    assert all(0 <= done <= of == 6 for _, done, of in seen)


def test_categories_of_pandas_and_text_of_python():
    frame = FRAME[["x0", "word", "label"]].astype({"word": "category"})
    found = MRMR(n_features=2).fit(scan(dd.from_pandas(frame, npartitions=3), "label"))
    assert_array_equal(found.scores_, MRMR(n_features=2).fit(scan(frame, "label")).scores_)
    odd = pd.DataFrame({"x": np.arange(6.0), "t": pd.Series(list("abcabc"), dtype=object), "label": list("uvuvuv")})
    assert MRMR(n_features=1).fit(scan(dd.from_pandas(odd, npartitions=2), "label")).n_features_ == 1


def test_files_of_parquet_are_the_same_partitions_whatever_columns_are_read(tmp_path):
    for i in range(6):
        FRAME.iloc[150 * i : 150 * (i + 1)].to_parquet(tmp_path / f"{i}.parquet", index=False)
    source = scan(dd.read_parquet(tmp_path), "label", weight="weight")
    assert source.engine.n_partitions == 6
    assert [len(rows.compute()) for rows in source.engine._partitions(["label"])] == [150] * 6
    assert_same("mrmr", FRAME, dd.read_parquet(tmp_path), "weight")


def test_only_scan_takes_a_dask_frame():
    frame = dd.from_pandas(FRAME, npartitions=2)
    with pytest.raises(InvalidType, match=r"lazy"):
        MRMR().fit(frame, FRAME["label"])
    with pytest.raises(FewestError):
        scan(frame["x0"], "label")


def test_without_dask_nothing_of_it_is_imported():
    code = "import sys, fewest; fewest.scan([[1.0], [2.0]], [0, 1]); print({'dask', 'pyspark'} & set(sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "set()\n"
