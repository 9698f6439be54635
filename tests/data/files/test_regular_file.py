"""Pipes, devices and files without end are refused before they are read."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from contextlib import contextmanager

import numpy as np
import pytest

from fewest.data.files import standard_input, text_file
from fewest.data.scan import scan
from fewest.errors import FewestError, UnreadableFile

ADVICE = r"not a file: its rows cannot be read twice\. To read from a pipe, give - and pipe the table into standard"


@contextmanager
def ends_within(seconds):
    """Raise where the block does not end: a test that fails must not hang."""

    def stop(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet", "t.arrow", "t.npz", "t.mat", "t.svm", "t.xlsx"])
def test_a_pipe_is_refused(name, tmp_path):
    os.mkfifo(tmp_path / name)
    with ends_within(10), pytest.raises(UnreadableFile, match=rf"{name} is a pipe, {ADVICE}"):
        scan(tmp_path / name, "class")


def test_a_pipe_among_parquet_files_is_refused(tmp_path):
    os.mkfifo(tmp_path / "a.parquet")
    os.mkfifo(tmp_path / "b.parquet")
    with ends_within(10), pytest.raises(UnreadableFile, match=rf"a\.parquet is a pipe, {ADVICE}"):
        scan([tmp_path / "a.parquet", tmp_path / "b.parquet"], "class")


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom", "/dev/null"])
def test_a_device_is_refused_under_its_own_name_and_behind_a_link(device, tmp_path):
    with ends_within(10), pytest.raises(UnreadableFile, match=rf"{device} is a device, {ADVICE}"):
        scan(device, "class")
    (tmp_path / "t.csv").symlink_to(device)
    with ends_within(10), pytest.raises(UnreadableFile, match=rf"t\.csv is a device, {ADVICE}"):
        scan(tmp_path / "t.csv", "class")


def test_a_link_to_a_file_is_read(tmp_path):
    (tmp_path / "rows.csv").write_text("a,class\n1,u\n2,v\n3,u\n")
    (tmp_path / "link.csv").symlink_to(tmp_path / "rows.csv")
    assert scan(tmp_path / "link.csv", "class").feature_names == ["a"]


def test_process_substitution_is_refused_with_the_way_out():
    reader, writer = os.pipe()
    try:
        with ends_within(10), pytest.raises(UnreadableFile, match=rf"/dev/fd/{reader} is a pipe, {ADVICE}"):
            scan(f"/dev/fd/{reader}", "class")
    finally:
        os.close(reader)
        os.close(writer)


def test_standard_input_from_a_device_is_refused():
    with open("/dev/zero", "rb") as endless:
        run = subprocess.run(
            [sys.executable, "-m", "fewest", "select", "-", "--target", "class"],
            stdin=endless, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
    assert run.returncode != 0
    assert "Standard input is a device, not a file." in run.stderr
    assert "Traceback" not in run.stderr


class Endless(io.RawIOBase):
    """A stream of one byte for ever."""

    def readable(self):
        return True

    def readinto(self, buffer):
        buffer[:] = b"\x00" * len(buffer)
        return len(buffer)

    def isatty(self):
        return False

    @property
    def buffer(self):
        return self


def test_standard_input_without_end_is_refused(monkeypatch):
    monkeypatch.setattr(standard_input, "MAX_LINE", 1 << 20)
    monkeypatch.setattr(sys, "stdin", Endless())
    with ends_within(30), pytest.raises(UnreadableFile, match=r"Standard input is no table: .* have no line end"):
        scan("-", "class")


@pytest.mark.parametrize("where", ["names", "rows"])
def test_a_line_without_end_is_refused(where, monkeypatch, tmp_path):
    monkeypatch.setattr(text_file, "MAX_LINE", 1000)
    start = "" if where == "names" else "a,class\n" + "1,u\n2,v\n" * 40
    (tmp_path / "t.csv").write_text(start + "1" * 5000)
    line = 1 if where == "names" else 82
    with pytest.raises(UnreadableFile, match=rf"t\.csv, line {line}: more than 1,000 characters"):
        list(scan(tmp_path / "t.csv", "class").blocks())


@pytest.mark.parametrize("name", ["t.csv", "t.svm", "t.npz", "t.mat", "t.h5ad", "t.arrow", "t.parquet", "t.xlsx"])
def test_a_large_file_of_zeros_is_refused(name, tmp_path):
    with (tmp_path / name).open("wb") as file:
        file.truncate(1 << 36)  # 64 GiB that take no space
    with ends_within(30), pytest.raises(FewestError, match=name.replace(".", r"\.")):
        scan(tmp_path / name, "class" if name not in ("t.svm", "t.npz", "t.mat") else None)


def test_a_table_wider_than_a_block_of_arrow_is_read(tmp_path):
    names = [f"{'long' * 20}{column}" for column in range(3000)]
    rows = [",".join(map(str, np.arange(3000) + i)) + f",{'uv'[i % 2]}" for i in range(4)]
    (tmp_path / "t.csv").write_text("\n".join([",".join([*names, "class"]), *rows, ""]))
    assert next(scan(tmp_path / "t.csv", "class").blocks()).values.shape == (4, 3000)
