"""Every finding of the check, on tables made by hand, beside what looks like it and is not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from fewest import check_data, scan
from fewest.display.formatting import percent
from fewest.errors import InvalidInput

N = 120
RNG = np.random.default_rng(7)
Y = np.array(["a", "b"])[RNG.permutation(N) % 2]
MEASURE = RNG.normal(size=N)


def checked(columns, y=Y, **options):
    """The check of these columns beside a measurement, by name."""
    return check_data(pd.DataFrame({"measure": np.resize(MEASURE, len(y)), **columns}), y, **options)


def kinds(found, column):
    """The kinds of the findings about a column."""
    return {finding.kind for finding in found.findings if column in finding.columns}


SET_ASIDE = {
    "text of its own in every row": ("identifier", [f"P-{i * 7919 % 1000}" for i in range(N)]),
    "text of its own in nearly every row": ("identifier", [f"name {max(i, 5)}" for i in range(N)]),
    "shuffled numbers from 0 on": ("identifier", RNG.permutation(N)),
    "shuffled numbers with gaps": ("identifier", 4000 + RNG.permutation(2 * N)[:N]),
    "the row number": ("counter", np.arange(N)),
    "the row number downwards in tens": ("counter", 5000 - 10 * np.arange(N)),
    "a regular time": ("counter", 0.25 * np.arange(N)),
    "one number": ("constant", np.full(N, 3.5)),
    "one text": ("constant", ["EUR"] * N),
    "nothing": ("empty", np.full(N, np.nan)),
    "dates": ("dates", pd.date_range("2024-01-01", periods=N, freq="D")),
    "dates as text": ("dates", [f"{1 + i % 28:02d}.{1 + i % 12:02d}.2024" for i in range(N)]),
}


@pytest.mark.parametrize("name", SET_ASIDE)
def test_what_no_method_should_choose_is_set_aside_and_can_be_let_in(name):
    kind, values = SET_ASIDE[name]
    found = checked({"x": values})
    assert found.set_aside == ("x",)
    assert kinds(found, "x") == {kind}
    if kind == "dates":
        with pytest.raises(ValueError, match="cannot be let in"):
            checked({"x": values}, allow=["x"])
        return
    allowed = checked({"x": values}, allow=["x"])
    assert kinds(allowed, "x") >= {kind}
    assert allowed.set_aside == ()


MEASUREMENTS = {
    "fractions, each once": RNG.normal(size=N),
    "fractions with two digits": RNG.uniform(0, 1000, N).round(2),
    "intensities, each once": RNG.choice(60_000, N, replace=False),
    "counts that repeat": RNG.poisson(40, N),
    "a few codes": RNG.integers(0, 5, N),
    "grades": RNG.choice(list("ABCDE"), N),
    "text of a few rows each": [f"city {i}" for i in RNG.integers(0, 30, N)],
    "two values": RNG.integers(0, 2, N),
    "a number or nothing": np.where(RNG.random(N) < 0.5, 1.0, np.nan),
    "sorted measurements": np.sort(RNG.normal(size=N)),
    "a trend with noise": np.arange(N) + RNG.normal(size=N),
}


@pytest.mark.parametrize("name", MEASUREMENTS)
def test_what_measures_something_is_kept(name):
    assert checked({"x": MEASUREMENTS[name]}).set_aside == ()


@pytest.mark.parametrize("name", ["id", "PatientID", "sample", "order_number", "uuid", "Nr"])
def test_whole_numbers_of_a_wide_range_are_identifiers_by_their_name(name):
    numbers = RNG.choice(10**8, N, replace=False)
    assert checked({name: numbers}).set_aside == (name,)
    assert checked({"income": numbers}).set_aside == ()


@pytest.mark.parametrize("name", ["number_of_rooms", "order_value", "paid", "account_age_days"])
def test_a_name_with_such_a_word_in_it_is_not_enough(name):
    assert checked({name: RNG.choice(10**8, N, replace=False)}).set_aside == ()


def test_ranks_in_many_columns_are_no_identifiers():
    ranks = {f"gene {i}": 1 + RNG.permutation(N) for i in range(30)}
    assert check_data(pd.DataFrame(ranks), Y).set_aside == ()


def test_thousands_of_whole_numbers_in_few_rows_are_all_kept():
    genes = np.random.default_rng(0).integers(20, 16_000, (60, 12_600))
    assert check_data(genes, np.arange(60) % 2).set_aside == ()


def test_few_rows_say_nothing():
    found = check_data(pd.DataFrame({"id": range(6), "x": [1.5, 2, 0, 1, 3, 1]}), [0, 1] * 3)
    assert found.set_aside == ()


PATIENTS = np.repeat(RNG.permutation(40), 3)
ILL = np.where(np.arange(40) % 2 == RNG.integers(0, 2), "ill", "well")[PATIENTS]


def test_codes_of_what_rows_belong_to_are_set_aside_as_groups():
    as_text = [f"P{number}" for number in PATIENTS]
    for name, values in (("who", as_text), ("who", PATIENTS * 17 % 41), ("patient", PATIENTS)):
        found = checked({name: values}, ILL)
        assert found.set_aside == (name,), values
        assert kinds(found, name) == {"group"}


def test_groups_whose_rows_are_of_both_classes_are_groups_by_their_name_only():
    assert checked({"patient_id": PATIENTS}).set_aside == ("patient_id",)
    assert kinds(checked({"patient": PATIENTS}), "patient") == {"group"}
    assert checked({"patient": PATIENTS}).set_aside == ()
    assert kinds(checked({"height": PATIENTS}), "height") == set()


def test_a_whole_number_that_tells_the_class_is_no_group():
    glucose = np.random.default_rng(0).integers(60, 200, 600)
    found = checked({"glucose": glucose}, np.where(glucose > 130, "ill", "well"))
    assert found.set_aside == ()
    assert kinds(found, "glucose") == {"leak"}


def test_the_column_of_groups_that_is_named_is_not_checked():
    found = checked({"patient": PATIENTS}, ILL, groups="patient")
    assert found.findings == ()
    assert [column.name for column in found.columns] == ["measure"]


LEAKS = {
    "a copy": ("target-copy", Y),
    "a copy in other words": ("target-copy", np.where(Y == "a", "left", "stayed")),
    "a copy as numbers": ("target-copy", np.where(Y == "a", 17, 4)),
    "a threshold": ("leak", np.where(Y == "a", 0.0, 10.0) + RNG.normal(size=N)),
    "a threshold with one row wrong": ("leak", np.where((Y == "a") ^ (np.arange(N) == 9), 0, 10) + RNG.normal(size=N)),
    "codes of several values a class": ("leak", 2 * RNG.integers(0, 4, N) + (Y == "a")),
    "categories of several values a class": (
        "leak",
        [f"{c}{i}" for c, i in zip(Y, RNG.integers(0, 4, N), strict=True)],
    ),
    "missing in one class": ("leak", np.where(Y == "a", np.nan, RNG.normal(size=N))),
}


@pytest.mark.parametrize("name", LEAKS)
def test_a_column_that_alone_separates_the_classes_is_flagged_and_kept(name):
    kind, values = LEAKS[name]
    found = checked({"x": values})
    assert found.set_aside == ()
    assert kind in kinds(found, "x")
    assert next(one.severity for one in found.findings if one.kind == kind) == "warning"


def test_a_strong_but_honest_column_is_not_flagged():
    strong = np.where(Y == "a", 0.0, 2.5) + RNG.normal(size=N)
    assert kinds(checked({"x": strong}), "x") == set()


def test_leaks_of_three_classes_and_of_rare_classes_are_flagged():
    rng = np.random.default_rng(0)
    three = rng.integers(0, 3, 300)
    assert "leak" in kinds(checked({"x": 5.0 * three + rng.normal(size=300)}, three), "x")
    rare = np.where(np.arange(5000) % 100 == 0, "fraud", "fine")
    wrong = np.where(rng.random(5000) < 0.01, rare[::-1], rare)
    assert "leak" in kinds(checked({"x": wrong}, rare), "x")


def test_separation_in_few_rows_of_many_columns_is_chance():
    values = np.random.default_rng(0).normal(size=(12, 3000))
    found = check_data(values, np.arange(12) % 2)
    assert not [finding for finding in found.findings if finding.kind in ("leak", "target-copy")]


def test_duplicate_columns_are_named_with_their_original():
    base = RNG.normal(size=N)
    codes = RNG.integers(0, 5, N)
    columns = {
        "base": base, "same": base, "fahrenheit": 32 + 1.8 * base, "against": -base, "nearly": base + 1e-3 * MEASURE,
        "code": codes, "word": np.array(list("zxcvb"))[codes], "other": RNG.normal(size=N), "log": np.exp(base),
    }  # fmt: skip
    found = checked(columns)
    by_kind = {finding.kind: finding for finding in found.findings}
    assert by_kind["duplicate"].columns == ("same", "fahrenheit", "against", "word")
    assert by_kind["near-duplicate"].columns == ("nearly",)
    assert "'same' is equal to 'base'" in by_kind["duplicate"].message
    assert found.set_aside == ()


def test_duplicate_rows_are_counted():
    frame = pd.DataFrame({"x": MEASURE, "c": list("abcd") * 30})
    y = pd.Series(Y)
    twice = pd.concat([frame, frame[:10]], ignore_index=True)
    found = check_data(twice, pd.concat([y, y[:10]]))
    (finding,) = [finding for finding in found.findings if finding.kind == "duplicate-rows"]
    assert (finding.severity, finding.message) == ("warning", "10 rows of 130 repeat another row.")
    other = check_data(twice, pd.concat([y, y[:10].map({"a": "b", "b": "a"})]))
    assert any("20 have an equal row of another class" in finding.message for finding in other.findings)
    assert not checked({}).findings


NUMBERS_AS_TEXT = {
    "thousands": [f"{1000 + 37 * i:,}.50" for i in range(40)],
    "decimal comma": [f"{i},0{i % 10}" for i in range(40)],
    "percent": [f"{i} %" for i in range(40)],
    "euros": [f"€ {i}" for i in range(40)],
}


@pytest.mark.parametrize("name", NUMBERS_AS_TEXT)
def test_numbers_written_as_text_are_said(name):
    found = checked({"x": np.resize(NUMBERS_AS_TEXT[name], N)})
    assert kinds(found, "x") == {"numbers-as-text"}
    assert found.set_aside == ()


def test_numbers_among_which_a_few_are_texts_are_said():
    texts = [f"{number:.6f}" for number in RNG.normal(size=N)]
    texts[5] = "about 3"
    found = checked({"x": texts})
    assert (kinds(found, "x"), found.set_aside) == ({"numbers-as-text"}, ("x",))
    few = np.resize([*map(str, range(20)), "many"], N)
    assert (kinds(checked({"x": few}), "x"), checked({"x": few}).set_aside) == ({"numbers-as-text"}, ())


@pytest.mark.parametrize(
    "texts", [["3b", "4a", "12c", "1d"], ["01234", "00017", "04500"], ["1.2.3", "1.10.4", "2.0.1"]]
)
def test_codes_and_versions_are_neither_numbers_nor_dates(texts):
    assert kinds(checked({"x": np.resize(texts, N)}), "x") == set()


@pytest.mark.parametrize("sentinel", [-999, 9999, -1])
def test_a_number_far_from_the_others_may_be_missing(sentinel):
    ages = RNG.integers(40, 80, N).astype(float)
    ages[::20] = sentinel
    assert kinds(checked({"x": ages}), "x") == {"sentinel"}


def test_numbers_that_only_look_like_that_are_not_said():
    assert kinds(checked({"x": RNG.integers(-1, 4, N)}), "x") == set()
    assert kinds(checked({"x": np.append(RNG.integers(900, 999, N - 5), [999] * 5)}), "x") == set()


def test_columns_that_hold_little_are_said_and_kept():
    rare = np.zeros(N)
    rare[3] = 1.0
    columns = {
        "rare": rare, "flag": np.where(RNG.random(N) < 0.6, 1.0, np.nan),
        "gaps": np.where(RNG.random(N) < 0.8, np.nan, MEASURE), "town": [f"t{i}" for i in RNG.integers(0, 90, N)],
    }  # fmt: skip
    found = checked(columns)
    assert found.set_aside == ()
    assert kinds(found, "rare") == {"nearly-constant"}
    assert kinds(found, "flag") == {"one-value-or-missing"}
    assert kinds(found, "gaps") == {"mostly-missing"}
    assert kinds(found, "town") == {"many-categories"}


def severities(y, columns=None):
    return {finding.kind: finding.severity for finding in checked(columns or {}, y).findings}


def test_what_is_odd_about_the_classes_is_said():
    assert severities(np.array(["a"] * 110 + ["b"] * 10))["imbalance"] == "note"
    assert severities(np.array(["a"] * 60 + ["b"] * 59 + ["c"]))["class-of-one"] == "warning"
    (single,) = (one for one in checked({}, ["a"] * 60 + ["b"] * 59 + ["c"]).findings if one.kind == "class-of-one")
    assert single.action.endswith("leave this class out, or join it to another.")
    assert severities(np.array(["a"] * N))["one-class"] == "error"
    assert severities(np.arange(N) * 3)["continuous-target"] == "error"
    assert severities(RNG.permutation(N))["transposed"] == "error"
    assert severities(np.array([f"s{i}" for i in range(N)]))["transposed"] == "error"
    assert severities(np.arange(N) // 2 * 7)["continuous-target"] == "error"
    assert severities(RNG.normal(size=N))["continuous-target"] == "error"
    assert severities(np.where(np.arange(N) % 5, Y, np.char.upper(Y)))["class-spelling"] == "warning"
    assert severities(np.where(np.arange(N) % 5, Y, np.char.add(Y, " ")))["class-spelling"] == "warning"
    assert severities(Y) == {}
    assert severities(np.arange(N) % 26) == {}


def test_the_error_of_a_transposed_table_names_the_option():
    for y in (np.array([f"s{i}" for i in range(N)]), np.arange(N) * 3):
        (finding,) = checked({}, y).errors
        assert "--transpose" in finding.action


def test_several_leaks_are_asked_about_together():
    leak = np.where(Y[0] == Y, 1.0, 0.0)
    (one,) = checked({"a": leak}).warnings
    (two,) = checked({"a": leak, "b": 3 - leak}).warnings
    assert one.action.startswith("Is it known")
    assert one.action.endswith("it was not set aside.")
    assert two.action.startswith("Are they known")
    assert "leave them out" in two.action


def test_a_column_that_is_not_read_has_no_share_of_missing_values():
    dates = pd.Series(pd.date_range("2020-01-01", periods=N)).where(np.arange(N) < 20)
    half = np.where(np.arange(N) % 2, MEASURE, np.nan)
    found = checked({"when": dates, "half": half})
    assert {one.name: one.missing for one in found.columns}["when"] is None
    n_read = len(found.columns) - 1
    assert f"{percent(0.5 / n_read)} of the values are missing" in str(found)


def test_no_line_of_the_check_begins_with_a_percent_sign():
    for length in range(60):
        text = str(checked({"x" * (1 + length): np.where(np.arange(N) < 6, -999.0, MEASURE)}))
        assert not any(line.lstrip().startswith("%") for line in text.splitlines())


def test_values_of_rows_without_a_class_are_not_counted(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.choice(["yes", "no"], 1000).astype(object)
    y[rng.random(1000) < 0.8] = None
    n_labelled = sum(label is not None for label in y)
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=1000),
            # About seven rows each of those with a class, and a value each of those without.
            "town": [f"t{i % 30}" if label else f"u{i}" for i, label in enumerate(y)],
            "phone": [f"0{i * 7919 % 10000}" + "-" for i in range(1000)],
            "y": y,
        }
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    for source in (scan(frame, "y", drop_unlabelled=True), scan(tmp_path / "t.csv", "y", drop_unlabelled=True)):
        found = check_data(source)
        assert found.set_aside == ("phone",)
        assert {one.name: one.n_distinct for one in found.columns}["town"] == 30
        (finding,) = [one for one in found.findings if one.kind == "identifier"]
        assert f"has {n_labelled} different texts in {n_labelled} rows" in finding.message


def test_rows_without_a_class_are_a_finding_and_left_out_of_the_others():
    labels = Y.astype(object)
    labels[[5, 9]] = None
    found = checked({"same": np.ones(N)}, labels)
    (unlabelled,) = found.errors
    assert unlabelled.kind == "unlabelled"
    assert unlabelled.message == f"There is no class in 2 of {N} rows of y (first: row 5)."
    assert found.n_rows == N - 2
    assert found.set_aside == ("same",)


def test_a_table_without_any_class_is_checked_all_the_same():
    found = check_data(MEASURE[:, None], [None] * N)
    assert found.n_rows == 0
    assert [finding.kind for finding in found.errors] == ["unlabelled"]


def test_a_source_that_keeps_rows_without_a_class_is_refused():
    with pytest.raises(InvalidInput, match=f"no label in 1 of {N} rows"):
        check_data(scan(MEASURE[:, None], [None, *Y[1:]]))
