"""Tables as people have them: what is selected of them and said about them."""

from __future__ import annotations

import os

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from fewest import Selection, check_data, compare
from fewest.cli.compare import METHODS

from .cli.running import run
from .ordinary_tables import DIALECTS, FORMATS, TABLES

NAMES = sorted(TABLES)


@pytest.mark.parametrize("name", NAMES)
def test_the_truth_about_a_table_names_its_columns(name):
    table = TABLES[name](seed=1).with_leak()
    named = [*table.drivers, *table.never, *table.leaks, *([table.groups] if table.groups else [])]
    assert set(named) <= set(table.X.columns)
    assert not set(table.drivers) & {*table.never, *table.leaks}
    assert_frame_equal(table.frame, TABLES[name](seed=1).with_leak().frame)
    assert not table.frame.equals(TABLES[name](seed=4).with_leak().frame)


@pytest.mark.parametrize("name", ["customers", "fraud"])
@pytest.mark.parametrize("form", FORMATS)
def test_every_format_holds_the_same_table(name, form, tmp_path):
    table = TABLES[name](seed=0, n_rows=300)
    path = table.write(tmp_path, form)
    if form == "parquet":
        found = pd.read_parquet(path)
    else:
        separator, decimal, thousands, _ = DIALECTS[form]
        dates = ["signup"] if name == "customers" else []
        found = pd.read_csv(
            path, sep=separator, decimal=decimal, thousands=thousands or None, parse_dates=dates, keep_default_na=False,
            na_values=[""],
        )  # fmt: skip
    assert_frame_equal(found, table.frame, check_dtype=False)


def test_rows_in_another_order_and_other_names_of_classes_are_the_same_table():
    table = TABLES["noise"](seed=0)
    other = table.shuffled(5).spelled(0, 1)
    assert sorted(other.frame.columns) == sorted(table.frame.columns)
    assert sorted(other.X["x1"]) == sorted(table.X["x1"])
    assert set(other.y) == {0, 1}


# The whole run is for all seeds, with whole tables and the commands' own defaults: FEWEST_SEEDS=20.
N_SEEDS = int(os.environ.get("FEWEST_SEEDS", "0"))
SEEDS = range(N_SEEDS or 1)
SMALL = {
    "customers": {"n_rows": 500}, "patients": {"n_patients": 60}, "genes": {"n_genes": 300}, "fraud": {"n_rows": 2500},
    "sensors": {"n_rows": 600}, "noise": {},
}  # fmt: skip
WITH_DRIVERS = sorted(set(NAMES) - {"noise"})
# At least this share of what is recommended at the true size are true drivers, over all seeds of a table.
PRECISION = 0.8


def a_table(name, seed):
    return TABLES[name](seed, **({} if N_SEEDS else SMALL[name]))


def select(table, form, folder, *options):
    """The selection, and what the command said, of a file in one of the formats."""
    folder.mkdir(exist_ok=True)
    path, found = table.write(folder, form), folder / "found.json"
    arguments = [str(path), "--target", table.target, *table.options(form), *options]
    assert run("select", *arguments, "--json", str(found), "--force") == 0
    return Selection.from_json(found.read_text("utf-8"))


def compare_frame(table, **options):
    few = {} if N_SEEDS else {"methods": ["mrmr", "relieff"], "classifiers": ["svm", "nb"], "inner": 3}
    methods = few.pop("methods", METHODS.split(","))
    own = {"outer": 5 if N_SEEDS else 3, "leak": False, "n_jobs": 1, **few, **options}
    return compare(methods, {table.name: (table.X, table.y)}, **own)


@pytest.mark.parametrize("name", WITH_DRIVERS)
def test_select_takes_the_drivers_and_never_an_identifier_a_counter_a_constant_or_a_group(name, tmp_path, capsys):
    n_right = n_taken = 0
    for seed in SEEDS:
        table = a_table(name, seed)
        form = FORMATS[(seed + len(name)) % len(FORMATS)]
        chosen = select(table, form, tmp_path)
        assert not set(chosen.features) & set(table.never), (name, seed, form)
        at_true_size = select(table, form, tmp_path, "--features", str(table.size))
        assert not set(at_true_size.features) & set(table.never), (name, seed, form)
        n_right += len(set(at_true_size.features) & set(table.drivers))
        n_taken += len(at_true_size)
        capsys.readouterr()
    assert n_right >= PRECISION * n_taken, (name, n_right, n_taken)


@pytest.mark.parametrize("name", WITH_DRIVERS)
def test_compare_recommends_the_drivers_and_never_an_identifier_a_counter_a_constant_or_a_group(name):
    n_right = n_taken = 0
    for seed in SEEDS:
        table = a_table(name, seed)
        found = compare_frame(table)
        assert not set(found.features) & set(table.never), (name, seed)
        at_true_size = compare_frame(table, size=table.size, sizes=[table.size])
        assert not set(at_true_size.features) & set(table.never), (name, seed)
        n_right += len(set(at_true_size.features) & set(table.drivers))
        n_taken += len(at_true_size.features)
    assert n_taken
    assert n_right >= PRECISION * n_taken, (name, n_right, n_taken)


def test_noise_is_called_noise(tmp_path, capsys):
    n_called = {"select": 0, "compare": 0}
    for seed in SEEDS:
        table = a_table("noise", seed)
        notes = select(table, FORMATS[seed % len(FORMATS)], tmp_path).provenance.notes
        n_called["select"] += any("no better than" in note for note in notes)
        found = compare_frame(table)
        n_called["compare"] += found.features == ()
        assert (found.features == ()) == str(found).splitlines()[1].startswith(
            "No features were found that beat guessing"
        )
        capsys.readouterr()
    for command, n in n_called.items():
        assert n >= 0.95 * len(SEEDS), (command, n)


@pytest.mark.parametrize("name", NAMES)
def test_a_planted_leak_is_flagged(name, tmp_path, capsys):
    for seed in SEEDS if N_SEEDS else range(3):
        table = a_table(name, seed).with_leak()
        findings = check_data(table.X, table.y).findings
        found = {
            column: one.severity for one in findings if one.kind in ("leak", "target-copy") for column in one.columns
        }
        assert found.pop("closing_code") == "warning", (name, seed)
        # With sixty rows a true gene may separate all of them too: that is for somebody to look at.
        assert set(found) <= (set(table.drivers) if name == "genes" else set()), (name, seed)
        if seed == 0:
            select(table, FORMATS[seed % len(FORMATS)], tmp_path, "--features", "2", "--method", "fisher-score")
            assert "'closing_code'" in capsys.readouterr().err


@pytest.mark.parametrize("name", NAMES if N_SEEDS else ["customers"])
def test_every_format_and_order_gives_the_same_answer(name, tmp_path, capsys):
    for seed in SEEDS:
        table = a_table(name, seed)
        answers = {form: select(table, form, tmp_path).features for form in FORMATS}
        answers["shuffled"] = select(table.shuffled(seed), "comma", tmp_path).features
        spelled = table.spelled(*"zyx"[: table.y.nunique()])
        answers["spelled"] = select(spelled, "comma", tmp_path).features
        capsys.readouterr()
        assert len(set(answers.values())) == 1, (name, seed, answers)
