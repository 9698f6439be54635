"""Jobs, their stored results, and the folder that stores them."""

from __future__ import annotations

import json
import math
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from fewest import compare
from fewest.errors import InvalidInput, InvalidParameter, UnexpectedError, UnwritableFile
from fewest.evaluation.run.jobs import Control, Job, JobQueue, check_n_jobs, to_folder, worker_count
from fewest.evaluation.run.worker_pool import WorkerPool


def add(a, b):
    return {"sum": a + b}


def die():
    os._exit(9)


def queue(folder, **jobs):
    return JobQueue({name: Job({"of": name}, add, arguments) for name, arguments in jobs.items()}, folder)


def run(jobs):
    jobs.run(None, lambda: None)
    return jobs


def test_a_result_is_stored_and_found_again(tmp_path):
    assert run(queue(tmp_path, one=(1, 2), two=(3, 4))).results == {"one": {"sum": 3}, "two": {"sum": 7}}
    again = queue(tmp_path, one=(1, 2), two=(3, 4), three=(5, 6))
    assert (again.n_left, again.results) == (1, {"one": {"sum": 3}, "two": {"sum": 7}})


def change_record(stored):
    stored["record"]["sum"] = 4


def change_key(stored):
    stored["key"] = "of another"


def drop_checksum(stored):
    del stored["checksum"]


@pytest.mark.parametrize("change", [change_record, change_key, drop_checksum])
def test_a_result_that_is_damaged_or_of_another_job_is_done_again(change, tmp_path):
    run(queue(tmp_path, one=(1, 2)))
    (path,) = tmp_path.iterdir()
    stored = json.loads(path.read_text())
    change(stored)
    path.write_text(json.dumps(stored))
    again = queue(tmp_path, one=(1, 2))
    assert again.n_left == 1
    assert run(again).results == {"one": {"sum": 3}}
    assert queue(tmp_path, one=(1, 2)).n_left == 0


def test_files_that_were_exchanged_are_not_taken_for_each_other(tmp_path):
    run(queue(tmp_path, one=(1, 2), two=(3, 4)))
    a, b = tmp_path.iterdir()
    contents = a.read_bytes(), b.read_bytes()
    a.write_bytes(contents[1])
    b.write_bytes(contents[0])
    assert queue(tmp_path, one=(1, 2), two=(3, 4)).n_left == 2


def test_a_job_without_a_key_is_not_stored(tmp_path):
    jobs = JobQueue({"one": Job(None, add, (1, 2))}, tmp_path)
    assert run(jobs).results == {"one": {"sum": 3}}
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_full_is_one_error_and_no_half_file(tmp_path, monkeypatch):
    def full(path, *_):
        path.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_text", full)
    with pytest.raises(UnwritableFile, match=r"\.json cannot be written: No space left on device"):
        run(queue(tmp_path, one=(1, 2)))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["file", "file/below", "x" * 300, "", "a\0b", "/dev/null/x"])
def test_what_cannot_be_a_folder_is_refused(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InvalidParameter, match=r"^resume .*Name a folder that can be written to; it is made if need"):
        to_folder(name)
    assert (tmp_path / "file").read_text() == "mine"
    with pytest.raises(InvalidParameter, match=r"^resume must be the name of a folder, got 5"):
        to_folder(5)


def test_a_folder_that_is_not_writable_is_refused(tmp_path, monkeypatch):
    def read_only(**_):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("tempfile.mkstemp", read_only)
    with pytest.raises(InvalidParameter, match=r"which is not writable: Read-only file system\. Name a folder"):
        to_folder(tmp_path)


def test_a_folder_is_made_with_those_above_it(tmp_path):
    assert stat.S_ISDIR(to_folder(tmp_path / "a" / "b").stat().st_mode)
    assert to_folder(None) is None


@pytest.mark.parametrize("n_jobs", [0, True, 1.5, "two", float("nan")])
def test_numbers_of_jobs_that_mean_nothing_are_refused(n_jobs):
    with pytest.raises(InvalidParameter, match="n_jobs must be a whole number other than 0"):
        check_n_jobs(n_jobs)
    with pytest.raises(InvalidParameter, match="n_jobs must be"):
        compare("fisher-score", "no table", n_jobs=n_jobs)


def test_there_are_no_more_processes_than_processors():
    from joblib import cpu_count

    assert worker_count(10**9) == worker_count(-1) == cpu_count()
    assert worker_count(None) == worker_count(-(10**9)) == 1


def test_a_process_that_is_killed_is_an_error_in_words():
    jobs = JobQueue({name: Job(None, die, ()) for name in "ab"}, None)
    message = "A process that ran trials was killed, probably because memory ran out"
    with WorkerPool(2) as pool, pytest.raises(UnexpectedError, match=message):
        jobs.run(pool, lambda: None)


def sleep_and_add(seconds, a):
    time.sleep(seconds)
    print("not what it returns")
    return {"sum": a}


class EndsTheLong(Control):
    """A job that is not done after a second is ended, once tried again, and then left."""

    def __init__(self):
        self.n_tries = 0

    def ends_at(self, task, started, n_waiting):
        return started + 1.0 if task == "long" else math.inf

    def tries_again(self, task, elapsed):
        self.n_tries += 1
        return self.n_tries == 1


def test_a_job_that_takes_too_long_is_ended_and_the_others_are_done():
    jobs = JobQueue(
        {name: Job(None, sleep_and_add, (seconds, 1)) for name, seconds in (("long", 600), ("a", 0), ("b", 0))}, None
    )
    control, n_done = EndsTheLong(), []
    with WorkerPool(1) as pool:
        jobs.run(pool, lambda: n_done.append(1), control)
        assert jobs.results == {"a": {"sum": 1}, "b": {"sum": 1}}
        assert (control.n_tries, len(n_done), jobs.ended) == (2, 2, {"long"})
        assert jobs.elapsed["long"] >= 1.0
        # The process that took its place goes on.
        more = JobQueue({"c": Job(None, sleep_and_add, (0, 2))}, None)
        more.run(pool, lambda: None)
    assert more.results == {"c": {"sum": 2}}


def identity_of(shared, number):
    return {"id": id(shared), "sum": float(shared.sum()), "number": number}


def test_what_is_shared_is_read_once_by_a_process():
    values = np.arange(10.0)
    jobs = JobQueue({n: Job(None, identity_of, (values, n)) for n in range(3)}, None)
    with WorkerPool(1) as pool:
        pool.share(values)
        jobs.run(pool, lambda: None)
    assert {one["sum"] for one in jobs.results.values()} == {45.0}
    assert len({one["id"] for one in jobs.results.values()}) == 1


def fail():
    raise LookupError("here")


def test_an_error_in_code_of_the_user_in_a_process_names_that_code_and_has_its_traceback():
    message = r"^compare called code that is not part of fewest, fail in .*test_jobs.py, line \d+, which raised Look"
    with WorkerPool(1) as pool, pytest.raises(UnexpectedError, match=message) as found:
        JobQueue({"a": Job(None, fail, ())}, None).run(pool, lambda: None)
    assert "in fail" in found.value.__notes__[0]


class UnreadableError(Exception):
    """Can be written by pickle, but not read."""

    def __init__(self, a, b):
        super().__init__(f"{a} and {b}")


#: As if it came from a library.
fail_unreadably = eval("lambda kind: (_ for _ in ()).throw(kind(1, 2))")


def test_an_error_that_no_other_process_can_read_is_raised_here_in_words():
    with WorkerPool(1) as pool, pytest.raises(RuntimeError, match="UnreadableError: 1 and 2"):
        JobQueue({"a": Job(None, fail_unreadably, (UnreadableError,))}, None).run(pool, lambda: None)


def test_processes_start_whatever_the_path_and_the_working_directory_hold(tmp_path, monkeypatch):
    (tmp_path / "json.py").write_text("raise SystemExit('not the one of Python')")
    monkeypatch.chdir(tmp_path)
    # Python takes no notice of what is no text.
    monkeypatch.setattr(sys, "path", [*sys.path, str(Path(__file__).parents[3]), tmp_path])
    jobs = queue(None, one=(1, 2))
    with WorkerPool(1) as pool:
        jobs.run(pool, lambda: None)
    assert jobs.results == {"one": {"sum": 3}}


STARTED_AND_WAITING = """
import time
from fewest.evaluation.run.worker_pool import WorkerPool

with WorkerPool(1):
    print("started", flush=True)
    try:
        time.sleep(60)
    except KeyboardInterrupt:
        time.sleep(0.3)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs process groups")
@pytest.mark.parametrize("delay", [0.02, 0.1])
def test_a_process_that_is_only_starting_says_nothing_of_ctrl_c(delay):
    command = [sys.executable, "-c", STARTED_AND_WAITING]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes, start_new_session=True) as process:
        assert process.stdout.readline() == b"started\n"
        time.sleep(delay)
        os.killpg(process.pid, signal.SIGINT)
        assert process.communicate(timeout=60) == (b"", b"")


def test_what_cannot_be_sent_to_a_process_is_one_error():
    with WorkerPool(1) as pool, pytest.raises(InvalidInput, match="cannot be sent to another process"):
        JobQueue({"a": Job(None, add, (threading.Lock(), 1))}, None).run(pool, lambda: None)
