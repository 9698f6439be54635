"""Faults: killed, terminated and simultaneous runs, full disks, closed pipes, numbers and names that mean nothing."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fewest import Comparison

from ..fuzz.stored_cases import without_times
from .running import refused, run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and limits are those of POSIX")

COMMAND = [sys.executable, "-c", "from fewest.cli.main import main; main()"]
SMALL = ["--methods", "fisher-score,mrmr", "--classifiers", "nb", "--sizes", "1,3", "--inner", "2", "-q"]


def start(*arguments, **options):
    return subprocess.Popen(
        [*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


def finished(*arguments, **options):
    process = start(*arguments, **options)
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def content(path):
    found = without_times(path.read_text("utf-8"))
    found["settings"]["command"] = None
    return found


def wait_for(folder, n_files, process):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and len(list(folder.glob("[!.]*.json"))) < n_files and process.poll() is None:
        time.sleep(0.01)


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    path = tmp_path_factory.mktemp("expected") / "e.json"
    assert finished("compare", "wine", *SMALL, "--outer", "8", "--jobs", "1", "--json", str(path))[0] == 0
    return content(path)


@pytest.mark.parametrize(("jobs", "n_kills"), [("1", 2), ("2", 1)])
def test_a_run_that_was_killed_is_resumed_to_the_same_result(jobs, n_kills, tmp_path, expected):
    """A few times here; FEWEST_KILLS=20 is the long run."""
    folder, chance = tmp_path / "work", random.Random(jobs)
    arguments = ["compare", "wine", *SMALL, "--outer", "8", "--jobs", jobs, "--resume", str(folder)]
    for number in range(int(os.environ.get("FEWEST_KILLS", n_kills))):
        process = start(*arguments, "--json", str(tmp_path / f"{number}.json"), start_new_session=True)
        wait_for(folder, chance.randrange(1, 26), process)
        time.sleep(chance.random() * 0.05)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        found = tmp_path / f"{number}.done.json"
        code, _, err = finished(*arguments, "--json", str(found))
        assert (code, err) == (0, "")
        assert content(found) == expected
        # Some of the trials are there for the next round to begin with.
        for path in [*folder.glob("[!.]*.json")][:: chance.randrange(1, 4)]:
            path.unlink()


def test_two_processes_may_work_on_one_folder(tmp_path, expected):
    arguments = ["compare", "wine", *SMALL, "--outer", "8", "--jobs", "1", "--resume", str(tmp_path / "work")]
    both = [start(*arguments, "--json", str(tmp_path / f"{name}.json")) for name in "ab"]
    for process, name in zip(both, "ab", strict=True):
        _, err = process.communicate(timeout=120)
        assert (process.returncode, err) == (0, "")
        assert content(tmp_path / f"{name}.json") == expected
    assert not list((tmp_path / "work").glob(".*"))


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_sigterm_leaves_what_ctrl_c_leaves(jobs, tmp_path):
    page, found, folder = tmp_path / "r.html", tmp_path / "r.json", tmp_path / "work"
    outputs = ["--report", str(page), "--json", str(found), "--resume", str(folder)]
    process = start("compare", "breast-cancer", *SMALL, "--outer", "2000", "--jobs", jobs, *outputs)
    wait_for(folder, 12, process)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM == 143
    assert "features separate the two classes" in out
    last = err.strip().splitlines()[-1]
    assert last.startswith("fewest: terminated; ")
    assert "of 2000 splits were done when it was stopped" in last
    assert last.endswith(f"Continue with --resume {folder}.")
    assert page.read_text("utf-8").endswith("</html>\n")
    assert Comparison.from_json(found.read_text("utf-8")).stopped in last


def test_sigterm_before_anything_is_done_is_one_line(tmp_path):
    fifo = tmp_path / "rows.csv"
    code = (
        "import os, signal, fewest.cli.select as s\n"
        "s.read_source = lambda *_, **__: os.kill(os.getpid(), signal.SIGTERM)\n"
        "from fewest.cli.main import main; main(['select', 'wine'])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 143
    assert done.stderr.strip() == "fewest: terminated; no file is left half written."
    assert not fifo.exists()


def small_files_only():
    """Files that grow beyond some bytes fail, as on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))


@pytest.mark.parametrize("option", ["--json", "--report", "--resume"])
def test_a_full_disk_is_one_line_and_leaves_no_half_file(option, tmp_path):
    target = tmp_path / ("work" if option == "--resume" else "out.html")
    arguments = ["compare", "digits" if option == "--resume" else "wine", *SMALL, "--outer", "2", "--jobs", "1"]
    code, _, err = finished(*arguments, option, str(target), preexec_fn=small_files_only, env=NO_BYTECODE)
    assert code == 1
    (line,) = err.splitlines()
    assert line.startswith("fewest: ")
    assert line.endswith("cannot be written: File too large. Name another file.")
    left = [path for path in tmp_path.rglob("*") if path.is_file()]
    # A trial that was small enough is complete.
    assert all(json.loads(path.read_text("utf-8"))["record"] for path in left)
    assert option == "--resume" or left == []


NO_BYTECODE = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_chosen_columns_on_a_full_disk(suffix, tmp_path):
    arguments = ["select", "breast-cancer", "--method", "fisher-score", "--features", "9", "-o"]
    code, _, err = finished(*arguments, str(tmp_path / f"o{suffix}"), preexec_fn=small_files_only, env=NO_BYTECODE)
    assert code == 1
    (line,) = err.splitlines()
    assert "cannot be written: " in line
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device")
@pytest.mark.parametrize("arguments", [("methods",), ("check", "wine")])
def test_standard_output_that_is_full_is_one_line(arguments):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr == "fewest: Standard output cannot be written: No space left on device.\n"


def closed_early(*arguments):
    """The exit code and standard error of a command whose reader takes no line, as `head -0`."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([*COMMAND, *arguments], stdout=writing, stderr=subprocess.PIPE, text=True, timeout=60)
    os.close(writing)
    return done.returncode, done.stderr


def test_a_reader_that_stops_early_is_left_alone_and_files_are_written(tmp_path):
    assert closed_early("methods") == (141, "")
    outputs = ["--json", str(tmp_path / "r.json"), "--report", str(tmp_path / "r.html")]
    assert closed_early("compare", "wine", *SMALL, "--outer", "2", "--jobs", "1", *outputs) == (141, "")
    assert Comparison.from_json((tmp_path / "r.json").read_text("utf-8")).tables[0].name == "wine"
    assert (tmp_path / "r.html").exists()
    assert closed_early("select", "wine", "--features", "2", "--json", "-")[0] == 141


def test_no_standard_output_at_all_is_no_problem_but_for_what_should_go_there(tmp_path):
    shell = ["sh", "-c", 'exec "$0" "$@" >&-', *COMMAND]
    plain = ["select", "wine", "--features", "2", "--method", "fisher-score"]
    done = subprocess.run([*shell, *plain, "--json", str(tmp_path / "s.json")], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "s.json").exists()
    done = subprocess.run([*shell, *plain, "--json", "-"], capture_output=True, text=True)
    assert done.returncode == 1
    assert "cannot be written to standard output: it is closed. Name a file." in done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["wine", "--jobs", "0"], "n_jobs must be a whole number other than 0"),
        (["wine", "wine"], "The table wine is named twice. Name each table once."),
        (["-", "-"], "The table - is named twice"),
        (["wine", "--resume", "/dev/null"], "resume names /dev/null, which is not a folder. Name a folder"),
        (["wine", "--resume", "/dev/null/x"], "resume names /dev/null/x, which cannot be a folder: Not a directory."),
        (["wine", "--resume", "x" * 300], "which cannot be a folder: File name too long."),
        (["wine", "--resume", ""], "resume must be the name of a folder, got '' instead."),
        (["wine", "--json", "/proc/o.json"], "/proc/o.json cannot be written"),
        (["wine", "--report", "x" * 300 + ".html"], "cannot be written: File name too long."),
    ],
)
def test_what_cannot_be_done_is_one_line(arguments, says, capsys):
    assert run("compare", *arguments, *SMALL, "--outer", "2") == 1
    assert says in refused(capsys)


def test_one_file_under_two_names_is_named_twice(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("x,y\n1,a\n2,b\n")
    Path("b.csv").symlink_to("a.csv")
    for other in ("./a.csv", "b.csv"):
        assert run("compare", "a.csv", other, "--target", "y", *SMALL) == 1
        assert f"The table {other} is named twice, also as a.csv." in refused(capsys)


def test_more_jobs_than_processors_do_not_hang(capsys):
    assert run("compare", "wine", *SMALL, "--outer", "2", "--jobs", "100000") == 0
    capsys.readouterr()


def test_an_unexpected_error_is_one_line_that_asks_for_a_report(capsys, monkeypatch):
    odd = eval("lambda *_, **__: __import__('numpy').zeros(3).reshape(2, 2)")
    monkeypatch.setattr("fewest.cli.select.read_source", odd)
    assert run("select", "wine") == 1
    line = refused(capsys)
    assert "fewest met an error that fewest does not expect: ValueError: cannot reshape" in line
    assert "command: 'select wine'" in line
    assert "please report it" in line
    monkeypatch.setenv("FEWEST_TRACEBACK", "1")
    with pytest.raises(RuntimeError) as caught:
        run("select", "wine")
    assert isinstance(caught.value.__cause__, ValueError)


def test_the_end_of_a_file_is_no_interrupt(capsys, monkeypatch):
    # click takes an EOFError for Ctrl-D.
    monkeypatch.setattr("fewest.cli.select.read_source", end_of_file)
    assert run("select", "wine") == 1
    assert "EOFError" in capsys.readouterr().err


def end_of_file(*_, **__):
    raise EOFError("Compressed file ended before the end-of-stream marker was reached")
