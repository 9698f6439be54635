"""Output files: what is written, and what is never overwritten or left half done."""

from __future__ import annotations

import csv
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from fewest import FewestError, Selection
from fewest.atomic_files import write_atomically
from fewest.cli import export
from fewest.cli.output import check_writable

from .running import refused, run

TABLE = pd.DataFrame(
    {
        "noise": [3.0, 1.0, 4.0, 3.0, 1.0, 4.0],
        "size, in cm": [0.1, 0.2, np.nan, 10.0, 11.0, 1e20],
        "count": [1, 2, 1, 7, 8, 7],
        "label": ["u", "u", "u", "v", "v", "v"],
    }
)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "in" / "table.parquet"
    path.parent.mkdir()
    pq.write_table(pa.Table.from_pandas(TABLE), path)
    return str(path)


def select(table, *arguments):
    return run("select", table, "--target", "label", "--features", "2", *arguments)


READERS = {
    ".csv": lambda path: pd.read_csv(path),
    ".tsv": lambda path: pd.read_csv(path, sep="\t"),
    ".parquet": lambda path: pq.read_table(path).to_pandas(),
    ".arrow": lambda path: pa.ipc.open_file(path).read_all().to_pandas(),
    ".feather": lambda path: feather.read_table(path).to_pandas(),
    ".CSV": lambda path: pd.read_csv(path),
}


@pytest.mark.parametrize("suffix", READERS)
def test_the_chosen_columns_and_the_class_are_written_in_the_order_of_the_source(suffix, table, tmp_path, capsys):
    path = tmp_path / f"chosen{suffix}"
    assert select(table, "-o", str(path)) == 0
    assert f"chosen columns written to {path}" in capsys.readouterr().out
    expected = TABLE[["size, in cm", "count", "label"]].astype({"count": float})
    written = READERS[suffix](path).astype({"count": float})
    pd.testing.assert_frame_equal(written, expected, check_dtype=False, check_exact=True)


def test_what_was_written_can_be_selected_from_again(table, tmp_path, capsys):
    for name in ("a.csv", "a.parquet", "a.feather", "a.tsv"):
        assert select(table, "-o", str(tmp_path / name)) == 0
        assert run("select", str(tmp_path / name), "--target", "label", "--features", "1") == 0
    assert "size, in cm" in capsys.readouterr().out


def test_an_output_that_is_the_input_is_read_before_it_is_replaced(table, capsys):
    assert select(table, "-o", table, "--force") == 0
    assert pq.read_table(table).column_names == ["size, in cm", "count", "label"]


def test_rows_that_were_dropped_are_not_written(tmp_path, capsys):
    TABLE.assign(label=["u", None, "u", "v", "v", None]).to_csv(tmp_path / "t.csv", index=False)
    assert select(str(tmp_path / "t.csv"), "--drop-unlabelled", "-o", str(tmp_path / "o.csv")) == 0
    rows = list(csv.reader((tmp_path / "o.csv").read_text().splitlines()))
    assert rows == [
        ["size, in cm", "count", "label"],
        ["0.1", "1", "u"],
        ["", "1", "u"],
        ["10", "7", "v"],
        ["11", "8", "v"],
    ]


def test_data_without_names_are_written_under_numbers_and_a_target_gets_a_name_of_its_own(tmp_path, capsys):
    numbers = TABLE[["noise", "size, in cm", "count"]].to_numpy()
    np.savez(tmp_path / "t.npz", X=numbers, label=TABLE["label"].to_numpy(dtype=str))
    assert select(str(tmp_path / "t.npz"), "-o", str(tmp_path / "o.csv")) == 0
    assert (tmp_path / "o.csv").read_text().splitlines()[0] == "x1,x2,label"
    names = np.array(["noise", "label", "count"])
    np.savez(tmp_path / "t.npz", X=numbers, label=TABLE["label"].to_numpy(dtype=str), feature_names=names)
    assert select(str(tmp_path / "t.npz"), "-o", str(tmp_path / "p.csv")) == 0
    assert (tmp_path / "p.csv").read_text().splitlines()[0] == "label,count,label (class)"


def test_the_selection_is_written_as_json(table, tmp_path, capsys):
    assert select(table, "--json", str(tmp_path / "s.json")) == 0
    assert f"selection written to {tmp_path / 's.json'}" in capsys.readouterr().out
    selection = Selection.from_json((tmp_path / "s.json").read_text("utf-8"))
    assert sorted(selection.features) == ["count", "size, in cm"]
    assert selection.provenance.n_rows == 6


BETA = ("--method", "fisher-markov", "--set", "beta=2")


def test_no_feature_leaves_the_class_alone(table, tmp_path, capsys):
    for name in ("o.csv", "o.parquet"):
        assert run("select", table, "--target", "label", *BETA, "-o", str(tmp_path / name)) == 0
        out, err = capsys.readouterr()
        assert "keeps 0 of 3 features" in out
        assert err.startswith("note: No features were selected")
    assert (tmp_path / "o.csv").read_text().split() == ["label", *"uuuvvv"]
    assert pq.read_table(tmp_path / "o.parquet").column_names == ["label"]


@pytest.mark.parametrize("option", ["-o", "--json"])
def test_nothing_is_overwritten_unasked(option, table, tmp_path, capsys):
    path = tmp_path / "there.csv"
    path.write_text("precious")
    assert select(table, option, str(path)) == 1
    assert refused(capsys) == f"fewest: {path} exists. Name another file, or overwrite it with --force."
    assert path.read_text() == "precious"
    assert select(table, option, str(path), "--force") == 0
    assert path.read_text() != "precious"


@pytest.mark.parametrize(
    ("name", "says"),
    [
        (".", "is a folder. Name a file in it."),
        ("none/o.csv", "cannot be written: there is no folder"),
        ("in/table.parquet/o.csv", "cannot be written: there is no folder"),
        ("o.xlsx", "has no suffix of a format that can be written. Known are .csv, .tsv, .parquet, .arrow, .feather."),
        ("o", "has no suffix of a format that can be written."),
        pytest.param(
            "o" * 300 + ".csv",
            "cannot be written: File name too long. Name another file.",
            marks=pytest.mark.skipif(sys.platform == "win32", reason="says it in other words"),
        ),
    ],
)
def test_an_output_that_cannot_be_written_is_refused_before_any_work(name, says, table, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("fewest.data.scan.scan", lambda *_, **__: pytest.fail("the data were looked at"))
    assert select(table, "-o", str(tmp_path / name)) == 1
    assert says in refused(capsys)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["in"]


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="needs a device")
def test_a_device_is_never_replaced(table, capsys):
    assert select(table, "--json", "/dev/null", "--force") == 1
    assert "/dev/null is not a regular file. Name another file." in refused(capsys)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_a_folder_is_asked_whether_it_may_be_written_to(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(FewestError, match=r"o\.csv cannot be written: the folder .* is not writable\. Name another"):
        check_writable([tmp_path / "o.csv"], force=False)


def test_two_outputs_need_two_files(table, tmp_path, capsys):
    same = str(tmp_path / "o.csv")
    assert select(table, "-o", same, "--json", same) == 1
    assert "is named for two outputs. Give each its own file." in refused(capsys)


def test_formats_of_arrow_need_pyarrow(table, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(export, "has_pyarrow", lambda: False)
    assert select(table, "-o", str(tmp_path / "o.parquet")) == 1
    assert refused(capsys) == "fewest: Writing .parquet files needs pyarrow: pip install 'fewest[parquet]'"


def half_then(error):
    def write(path):
        path.write_text("half")
        raise error

    return write


@pytest.mark.parametrize("error", [KeyboardInterrupt(), MemoryError(), ValueError("odd")])
@pytest.mark.parametrize("is_there", [False, True])
def test_a_run_cut_short_while_writing_leaves_things_as_they_were(error, is_there, tmp_path):
    path = tmp_path / "o.csv"
    if is_there:
        path.write_text("precious")
    with pytest.raises(type(error)):
        write_atomically(path, half_then(error))
    assert [(entry.name, entry.read_text()) for entry in tmp_path.iterdir()] == [("o.csv", "precious")] * is_there


def test_a_full_disk_is_one_line_and_leaves_nothing(table, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(
        "fewest.cli.export.export", lambda *arguments: half_then(OSError(28, "No space left"))(arguments[2])
    )
    assert select(table, "-o", str(tmp_path / "o.csv")) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line == f"fewest: {tmp_path / 'o.csv'} cannot be written: No space left. Name another file."
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["in"]


def test_an_interrupt_exits_with_130_and_leaves_nothing(table, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("fewest.cli.export.export", lambda *arguments: half_then(KeyboardInterrupt())(arguments[2]))
    assert select(table, "-o", str(tmp_path / "o.csv")) == 130
    assert capsys.readouterr().err.strip() == "fewest: interrupted; no file is left half written."
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["in"]


def test_an_output_may_be_read_by_whoever_may_read_other_files(tmp_path):
    other = tmp_path / "other"
    other.write_text("")
    write_atomically(tmp_path / "o.csv", lambda path: path.write_text("done"))
    assert stat.S_IMODE((tmp_path / "o.csv").stat().st_mode) == stat.S_IMODE(other.stat().st_mode)


def test_the_folder_of_a_bare_name_is_the_current_one(table, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert select(table, "-o", "o.csv", "--json", "o.json") == 0
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["in", "o.csv", "o.json"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_true_interrupt_leaves_no_file(tmp_path):
    code = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a parent in the background may ignore it
        "import fewest.cli.export as export\n"
        "from fewest.cli import main\n"
        "def slow(source, selection, path, target):\n"
        "    path.write_text('half')\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    path.write_text('whole')\n"
        "export.export = slow\n"
        "main(['select', 'iris', '--features', '2', '-o', sys.argv[1]])\n"
    )
    out = tmp_path / "o.csv"
    done = subprocess.run([sys.executable, "-c", code, str(out)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 130, done.stderr
    assert done.stderr.strip() == "fewest: interrupted; no file is left half written."
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("select", "wine", "--features", "2"),
        ("compare", "wine", "--methods", "fisher-score", "--classifiers", "nb", "--sizes", "2", "--outer", "2"),
    ],
)
def test_json_to_standard_output_is_alone_there(arguments, capsys):
    assert run(*arguments, "--json", "-") == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["format"]
    assert "wine: 178 rows" in err


def test_a_page_may_go_to_standard_output_but_not_two_outputs(capsys):
    small = ("select", "iris", "--method", "fisher-score", "--features", "1")
    assert run(*small, "--report", "-") == 0
    assert capsys.readouterr().out.lower().startswith("<!doctype html>")
    assert run(*small, "--report", "-", "--json", "-") == 1
    assert "Two outputs are named -" in refused(capsys)


def test_columns_need_a_format_and_so_a_file(capsys):
    assert run("select", "iris", "-o", "-") == 1
    assert "- has no suffix of a format that can be written. Known are .csv" in refused(capsys)


FORMULAS = ["=1+1", "+a", "-b", "@c", '=HYPERLINK("http://example.org")', "plain"]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet"])
def test_names_that_look_like_formulas_are_written_as_they_are_with_a_note_for_spreadsheets(suffix, tmp_path, capsys):
    y = np.repeat(["u", "v"], 10)
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.normal(size=(20, 6)) + (y == "v")[:, None], columns=FORMULAS).assign(label=y)
    frame.to_parquet(tmp_path / "t.parquet")
    options = ("--target", "label", "--method", "fisher-score")
    out = tmp_path / f"o{suffix}"
    assert run("select", str(tmp_path / "t.parquet"), *options, "--features", "6", "-o", str(out)) == 0
    err = capsys.readouterr().err
    assert ("note: spreadsheets take names that begin with =, +, - or @ for formulas" in err) == (suffix != ".parquet")
    assert list(READERS[suffix](out).columns) == [*FORMULAS, "label"]
    # Read again, the same columns are found under the same names.
    assert run("select", str(out), *options, "--features", "6", "--json", str(tmp_path / "s.json")) == 0
    assert sorted(Selection.from_json((tmp_path / "s.json").read_text("utf-8")).features) == sorted(FORMULAS)
