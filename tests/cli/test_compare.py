"""fewest compare, and select --report: what they print and write, and one line for what cannot be used."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from fewest import Comparison

from .running import refused, run

FAST = ("--methods", "fisher-score,mrmr", "--classifiers", "nb", "--outer", "3", "--inner", "2", "--jobs", "1")


def test_it_prints_the_answer_and_writes_page_and_json(tmp_path, capsys):
    page, found = tmp_path / "r.html", tmp_path / "r.json"
    assert run("compare", "wine", *FAST, "--report", str(page), "--json", str(found)) == 0
    out = capsys.readouterr().out
    assert "features separate the three classes with" in out
    assert "fisher-score" in out
    assert f"report written to {page}" in out
    text = page.read_text("utf-8")
    assert text.lower().startswith("<!doctype html>")
    assert "wine" in text
    assert Comparison.from_json(found.read_text("utf-8")).tables[0].name == "wine"


def test_several_tables_and_methods_with_parameters(capsys):
    options = ("--methods", "mrmr,MRMR(criterion=quotient,n_bins=3)", "--classifiers", "nb,knn", "--sizes", "1,2")
    assert run("compare", "wine", "breast-cancer", *options, "--outer", "2-fold", "--jobs", "1", "--no-leak") == 0
    out = capsys.readouterr().out
    assert "wine: 178 rows" in out
    assert "breast-cancer: 569 rows" in out
    assert "mrmr(criterion=quotient, n_bins=3)" in out


def test_going_on_from_a_folder_gives_the_same(tmp_path, capsys):
    folder, first, second = tmp_path / "work", tmp_path / "a.json", tmp_path / "b.json"
    assert run("compare", "wine", *FAST, "--resume", str(folder), "--json", str(first)) == 0
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert run("compare", "wine", *FAST, "--resume", str(folder), "--json", str(second)) == 0
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == before
    contents = [json.loads(path.read_text("utf-8")) for path in (first, second)]
    for content in contents:
        content["seconds"] = content["checksum"] = content["settings"]["command"] = None
    assert contents[0] == contents[1]
    capsys.readouterr()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--methods", "mrrm"], "did you mean 'mrmr'"),
        (["--classifiers", "swm"], "did you mean 'svm'"),
        (["--outer", "never"], "outer must be"),
        (["--sizes", "few"], "--sizes takes whole numbers"),
        (["--sizes", "0"], "sizes must be"),
        (["--rule", "best"], "rule must be"),
        (["--truth", "nose"], "truth names 'nose'"),
        (["--scale", "unit"], "scale must be"),
        (["--time", "soon"], "--time must be a time such as 90s, 2m or 1h30m"),
    ],
)
def test_what_means_nothing_is_one_line(arguments, says, capsys):
    assert run("compare", "wine", *FAST, *arguments) == 1
    assert says in refused(capsys)


def test_an_output_that_exists_is_refused_before_any_work(tmp_path, capsys):
    (tmp_path / "r.html").write_text("mine")
    assert run("compare", "wine", "--report", str(tmp_path / "r.html")) == 1
    assert "exists" in refused(capsys)
    assert (tmp_path / "r.html").read_text() == "mine"


def test_select_can_write_a_report_of_what_it_chose(tmp_path, capsys):
    page = tmp_path / "s.html"
    options = ("--method", "fisher-score", "--features", "3", "-q", "--report", str(page))
    assert run("select", "wine", *options) == 0
    out = capsys.readouterr().out
    assert "3 of 13 features separate the three classes with" in out
    assert "flavanoids" in page.read_text("utf-8")


@pytest.fixture
def visits(tmp_path):
    """A table of three visits each of 16 patients, with a column that says which are tested."""
    random = np.random.default_rng(0)
    patient = np.repeat(np.arange(16), 3)
    label = patient % 2
    frame = pd.DataFrame(random.normal(size=(48, 4)) + label[:, None], columns=list("abcd"))
    frame = frame.assign(patient=[f"p{number}" for number in patient], part=np.where(patient < 12, "train", "test"))
    path = tmp_path / "visits.csv"
    valid = np.where(patient < 12, "train", "valid")
    frame.assign(label=label, valid=valid, late=patient >= 12).to_csv(path, index=False)
    return str(path)


def test_a_column_says_the_split_and_another_the_groups(visits, tmp_path, capsys):
    found, page = tmp_path / "r.json", tmp_path / "r.html"
    fast = [word for word in FAST if word not in ("--outer", "3")]
    options = (
        "--target",
        "label",
        "--split",
        "part",
        "--groups",
        "patient",
        "--json",
        str(found),
        "--report",
        str(page),
    )
    assert run("compare", visits, *fast, *options) == 0
    assert "visits: 48 rows, 6 columns" in capsys.readouterr().out
    comparison = Comparison.from_json(found.read_text("utf-8"))
    assert comparison.settings["outer"] == "as the column 'part' says, rows of one patient kept together"
    assert (comparison.tables[0].n_train, comparison.tables[0].n_test) == (36, 12)
    assert comparison.tables[0].feature_names == ("a", "b", "c", "d", "valid", "late")
    assert "rows of one patient kept together" in page.read_text("utf-8")
    assert run("compare", visits, *fast, "--target", "label", "--groups", "patient", "--outer", "loo") == 0
    capsys.readouterr()


def test_rows_that_are_marked_are_those_that_the_meaning_says(visits, capsys):
    fast = [word for word in FAST if word not in ("--outer", "3")]
    asked = ("compare", visits, *fast, "--target", "label", "--split", "late", "--split-meaning")
    assert run(*asked, "test") == 0
    said = "The column 'late' marks the test rows: 12 rows to test, and the 36 others to train on."
    assert said in capsys.readouterr().out
    assert run(*asked, "train") == 0
    assert "marks the training rows: 12 rows to train on" in capsys.readouterr().out


def test_the_test_share_and_rows_to_select_on_are_options(visits, tmp_path, capsys):
    found = tmp_path / "r.json"
    options = ("--target", "label", "--drop", "late,part,valid,patient", "--test-share", "0.5", "--select-rows", "10")
    assert run("compare", visits, *FAST, *options, "--json", str(found)) == 0
    capsys.readouterr()
    comparison = Comparison.from_json(found.read_text("utf-8"))
    assert (comparison.tables[0].n_train, comparison.tables[0].n_test) == (14, 24)
    assert comparison.settings["outer"] == (
        "3 random splits of each class, 0.5 of it to test; methods select on 10 of the training rows, and classifiers "
        "are trained on the others"
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--split", "prt"], "did you mean 'part'"),
        (["--split", "valid"], "'valid' (first: row 36), which is neither"),
        (["--split", "part", "--outer", "3"], "Give one of them"),
        (["--groups", "part", "--outer", "3"], "size cannot be chosen"),
        (["--groups", "label"], "no column 'label'"),
        (["--split", "a"], "which is no fold"),
        (["--split", "late"], "meaning='train' (--split-meaning train)"),
        (["--split-meaning", "train"], "Give --split COLUMN too"),
        (["--split", "late", "--split-meaning", "fold"], "meaning must be one of"),
        (["--test-share", "1.5"], "test_share must be a number between 0 and 1"),
        (["--split", "part", "--test-share", "0.5"], "test_share=0.5 is for random splits"),
        (["--select-rows", "many"], "select_rows must be a whole number of at least 2, a share"),
        (["--select-rows", "40"], "asks for 40 of the"),
    ],
)
def test_columns_that_say_no_split_or_groups_are_one_line(arguments, says, visits, capsys):
    fast = [word for word in FAST if word not in ("--outer", "3")]
    assert run("compare", visits, "--target", "label", *fast, *arguments) == 1
    assert says in refused(capsys)


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX has them")
def test_ctrl_c_leaves_what_was_done_and_a_clear_last_line(tmp_path):
    script = "from fewest.cli.main import main; main()"
    arguments = ["compare", "breast-cancer", "--outer", "400", "--jobs", "1", "--report", str(tmp_path / "r.html")]
    arguments += [
        "--methods",
        "fisher-score",
        "--classifiers",
        "nb",
        "--inner",
        "2",
        "--resume",
        str(tmp_path / "work"),
    ]
    process = subprocess.Popen(
        [sys.executable, "-c", script, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and len(list((tmp_path / "work").glob("*.json"))) < 9:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "features separate the two classes" in out
    last = err.strip().splitlines()[-1]
    assert last.startswith("fewest: interrupted; ")
    assert "of 400 splits were done when it was stopped" in last
    assert (tmp_path / "r.html").exists()


def test_dates_are_said_once(tmp_path, capsys):
    rng = np.random.default_rng(0)
    y = rng.choice(["a", "b"], 60)
    days = pd.date_range("2024-01-01", periods=60).strftime("%Y-%m-%d")
    frame = pd.DataFrame({"x": rng.normal(size=60) + (y == "a"), "z": rng.normal(size=60), "day": days, "class": y})
    frame.to_csv(tmp_path / "t.csv", index=False)
    for more in ((), ("--no-check",)):
        assert run("compare", str(tmp_path / "t.csv"), "--target", "class", *FAST, *more) == 0
        said = capsys.readouterr()
        assert (said.out + said.err).count("'day'") == 1


def test_a_time_limit_that_is_long_enough_changes_nothing(tmp_path, capsys):
    contents = []
    for more in ((), ("--time", "10m")):
        found = tmp_path / f"{len(more)}.json"
        assert run("compare", "wine", *FAST, *more, "--json", str(found)) == 0
        contents.append(json.loads(found.read_text("utf-8"))["tables"][0]["methods"])
    assert "Not complete" not in capsys.readouterr().out
    for content in contents:
        for method in content:
            method["whole"]["seconds"] = None
            for trial in method["trials"]:
                trial["seconds"] = None
    assert contents[0] == contents[1]


def test_a_forecast_and_splits_that_were_not_done_are_said(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("fewest.evaluation.run.schedule._WORTH_SAYING", 0.0)
    monkeypatch.setattr("fewest.evaluation.run.schedule._DEFAULT_SECONDS", 0.0)
    fast = [word for word in FAST if word not in ("--outer", "3")]
    assert run("compare", "wine", *fast, "--resume", str(tmp_path)) == 0
    said = capsys.readouterr()
    assert "for 20 splits" in said.err
    assert "Only as many splits as take 1 s are done, at least 5; --outer 20 does all." in said.err
    assert "Not complete: 5 of 20 splits were done" in said.out
    assert f"more splits are added with more time and --resume {tmp_path}" in said.err
    assert run("compare", "wine", *FAST, "--quiet") == 0
    assert capsys.readouterr().err == ""


def test_one_method_of_each_paper_is_compared_by_default(tmp_path, capsys):
    found = tmp_path / "r.json"
    fast = ("--outer", "2", "--inner", "2", "--sizes", "2", "--classifiers", "nb", "-q", "--jobs", "1")
    assert run("compare", "52-features", *fast, "--json", str(found)) == 0
    out = capsys.readouterr().out
    table = Comparison.from_json(found.read_text("utf-8")).tables[0]
    names = {method.name for method in table.methods}
    assert names >= {"fisher-markov", "kernel-separability", "mrmr", "parzen-relief", "nonmonotonic-mkl"}
    # The data set knows its two true columns.
    assert table.truth == (0, 1)
    assert "AUC of truth  precision  recall" in out


def test_classes_are_joined_and_probes_added_on_the_command_line(tmp_path, capsys):
    found = tmp_path / "r.json"
    options = ("--merge", "low=class_0+class_1", "--probes", "7", "--json", str(found))
    assert run("compare", "wine", *FAST, "--classifiers", "lda(shrinkage=none),nb", *options) == 0
    capsys.readouterr()
    comparison = Comparison.from_json(found.read_text("utf-8"))
    table = comparison.tables[0]
    assert table.classes == ("class_2", "low")
    assert table.n_columns == 20
    assert table.truth == tuple(range(13))
    assert list(comparison.classifiers) == ["lda(shrinkage=none)", "nb"]
    assert run("compare", "wine", *FAST, "--merge", "class_0+klass_1") == 1
    assert "merge names 'klass_1' (did you mean 'class_1'?)" in refused(capsys)
