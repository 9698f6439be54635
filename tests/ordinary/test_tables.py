"""Tables as people have them: what is selected of them and said about them."""

from __future__ import annotations

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from .cases import case_of, select
from .run import failures
from .tables import DIALECTS, FORMATS, TABLES

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


# Small tables, and for compare few methods: run.py has all seeds, with whole tables and the commands' own defaults.
SMALL = {
    "customers": {"n_rows": 500}, "patients": {"n_patients": 60}, "genes": {"n_genes": 300}, "fraud": {"n_rows": 2500},
    "sensors": {"n_rows": 600}, "noise": {},
}  # fmt: skip
QUICK = ("--methods", "mrmr,relieff", "--classifiers", "svm,nb", "--outer", "3", "--inner", "3")


def a_table(name, seed=0):
    return TABLES[name](seed, **SMALL[name])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("command", "options"), [("select", ()), ("compare", QUICK)])
def test_drivers_are_taken_and_never_an_identifier_a_counter_a_constant_or_a_group(command, options, name, tmp_path):
    found = case_of(command, a_table(name), tmp_path, *options)
    assert not list(failures([found]))
    assert found["noise"] == (name == "noise")
    if name != "noise":
        assert found["features"]
        assert found["n_taken"] == a_table(name).size


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", NAMES)
def test_a_planted_leak_is_flagged_by_every_command_and_on_the_page(name, seed, tmp_path):
    assert not list(failures([case_of("leak", a_table(name, seed), tmp_path)]))


def test_failures_are_told():
    about = {"table": "genes", "seed": 3, "command": "select", "form": "tab"}
    good = {**about, "features": ["a"], "noise": False, "n_right": 4, "n_taken": 5, "never": []}
    assert not list(failures([good]))
    assert list(failures([good | {"n_right": 3}])) == ["select of genes: 3 of 5 are drivers"]
    assert list(failures([good, good | {"never": ["sample"]}])) == [
        "select of genes, seed 3, as tab: recommends sample"
    ]
    noise = {**about, "table": "noise", "features": ["a"], "noise": True, "never": []}
    assert not list(failures([noise] * 20 + [noise | {"noise": False}]))
    assert list(failures([noise] * 18 + [noise | {"noise": False}])) == [
        "select: 18 of 19 tables of noise are called noise"
    ]
    leak = {**about, "command": "leak", "flagged": ["check_data", "compare", "page", "select"], "flagged_beside": []}
    assert not list(failures([leak]))
    assert len(list(failures([leak | {"flagged": ["check_data"]}, leak | {"flagged_beside": ["gene_1"]}]))) == 2


def test_every_format_and_order_gives_the_same_answer(tmp_path):
    table = a_table("customers")
    answers = {form: select(table, form, tmp_path)[1].features for form in FORMATS}
    answers["shuffled"] = select(table.shuffled(0), "comma", tmp_path)[1].features
    answers["spelled"] = select(table.spelled("z", "y"), "comma", tmp_path)[1].features
    assert len(set(answers.values())) == 1, answers
