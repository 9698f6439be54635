"""Honest selections are verified, and none that was tampered with."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

import fewest
from fewest import (
    MRMR,
    R2W2,
    AutoSelector,
    FeatureSelector,
    FewestWarning,
    FisherMarkov,
    KernelSeparability,
    MaxRelevance,
    NonMonotonicMKL,
    ReliefF,
    Selection,
    TwoStage,
    Verification,
    Wrapper,
    verify,
)
from fewest.criteria import ScatterTrace
from fewest.errors import InvalidInput, InvalidParameter, InvalidType
from fewest.searches import Exhaustive, IndividualRanking, MinimumCut
from fewest.selectors.adapters.without_columns import WithoutColumns
from fewest.selectors.verification.rebuilding import NotPlain, read_parameter

from ...laws.quick_selectors import QUICK_SELECTORS
from .cases import PROVING, TAMPERING, honest_case, outcome, tampered


@pytest.fixture(scope="module")
def table():
    draw = np.random.default_rng(5)
    codes = np.arange(40) % 2
    values = pd.DataFrame(draw.normal(size=(40, 6)) + np.outer(codes, [2, 0, 1, 0, 0, 0.5])).add_prefix("g")
    return values, np.array(["no", "yes"])[codes]


@pytest.mark.parametrize("number", range(len(PROVING)))
def test_honest_selections_are_accepted_and_tampered_ones_are_not(number):
    table, labels, selection = honest_case(number)
    text = selection.to_json()
    assert outcome(text, table, labels)[0] == "accepted"
    assert outcome(text, table.sample(frac=1, random_state=0), labels)[0] != "accepted"  # labels of other rows
    kinds = list(TAMPERING)
    for what in kinds[number % 3 :: 3]:
        other = tampered(text, what, list(table.columns))
        if other is not None:
            assert outcome(other, table, labels)[0] != "accepted", what


@pytest.mark.parametrize("what", TAMPERING)
def test_every_kind_of_tampering_is_possible_somewhere_and_found(what):
    for number in range(len(PROVING)):
        table, labels, selection = honest_case(number)
        other = tampered(selection.to_json(), what, list(table.columns))
        if other is not None:
            word, said = outcome(other, table, labels)
            assert word in ("rejected", "refused")
            assert "verified: " not in said.replace("NOT verified: ", "")
            return
    pytest.fail(f"nothing has a {what} to change")


@pytest.mark.parametrize("name", QUICK_SELECTORS)
@pytest.mark.filterwarnings("ignore::fewest.FewestWarning")
def test_the_selections_of_every_method_are_verified(name, table):
    selector = QUICK_SELECTORS[name]
    selection = selector.fit(*table).selection_
    # Some have a classifier of their own, which JSON does not hold.
    given = selector if name in ("wrapper", "two-stage", "auto") else None
    found = Selection.from_json(selection.to_json()).verify(*table, selector=given)
    assert found, str(found)
    assert ("nothing to prove" in str(found)) is (selection.is_optimal is None)


def test_it_holds_in_another_process(table, tmp_path):
    values, labels = table
    values.assign(label=labels).to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "s.json").write_text(FisherMarkov(degree=2, n_features=3).fit(*table).selection_.to_json(), "utf-8")
    code = (
        "import sys, pandas as pd; from pathlib import Path; from fewest import Selection\n"
        "t = pd.read_csv('t.csv', float_precision='round_trip'); y = t.pop('label')\n"
        "print(bool(Selection.from_json(Path('s.json').read_text('utf-8')).verify(t, y)))"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert run.stdout == "True\n"


def test_a_check_says_what_is_claimed_and_what_is_found(table):
    selection = FisherMarkov(n_features=2).fit(*table).selection_
    found = verify(replace(selection, value=2 * selection.value), *table)
    assert not found
    (check,) = found.failed
    assert (check.claimed, check.found) == (2 * selection.value, pytest.approx(selection.value, rel=1e-12))
    assert str(found).startswith(f"NOT verified: 1 of {len(found.checks)} checks fail\n  value: ")
    assert isinstance(found, Verification)


def test_numbers_agree_to_the_tolerance_and_no_further(table):
    selection = FisherMarkov(degree=2, n_features=2).fit(*table).selection_
    for share, holds in ((1e-11, True), (1e-7, False)):
        other = replace(selection, bound=selection.bound * (1 + share))
        assert bool(other.verify(*table)) is holds
    assert replace(selection, bound=selection.bound * (1 + 1e-7)).verify(*table, tolerance=1e-6)


def test_other_data_are_said_to_be_other_data(table):
    values, labels = table
    selection = FisherMarkov(n_features=2).fit(values, labels).selection_
    changed = values.copy()
    changed.iloc[3, 5] += 1e-9
    found = selection.verify(changed, labels)
    assert [check.what for check in found.failed] == ["fingerprint of the data"]
    assert "made from other data" in str(found)
    assert [check.what for check in selection.verify(values.iloc[:-2], labels[:-2]).failed][:2] == ["rows", "classes"]
    assert [check.what for check in selection.verify(values.iloc[:, :5], labels).failed] == ["columns"]
    assert [check.what for check in selection.verify(values.to_numpy(), labels).failed] == ["features"]
    assert [check.what for check in selection.verify(values, np.repeat("no", 40)).failed] == ["a fit anew"]
    assert selection.verify(values.iloc[::-1], labels[::-1])  # rows in any order


@dataclass(frozen=True)
class LyingRanking(IndividualRanking):
    """Says more than it has reached."""

    requires: ClassVar[frozenset[str]] = frozenset({"score_features"})

    def run(self, objective, n_features):
        found = super().run(objective, n_features)
        return replace(found, value=found.value + 1, bound=found.bound + 1)


def test_the_value_is_that_of_the_objective_whatever_the_search_says(table):
    selector = FeatureSelector(ScatterTrace(), LyingRanking(), n_features=2)
    found = selector.fit(*table).selection_.verify(*table, selector=selector)
    assert [check.what for check in found.failed] == ["value", "value at the bound"]


@dataclass(frozen=True)
class HastyCut(MinimumCut):
    """Says that its bound is reached where it is not."""

    def run(self, objective, n_features):
        return replace(super().run(objective, n_features), bound=9.0, is_optimal=True)


def test_an_optimum_whose_bound_is_not_reached_is_none(table):
    selector = FeatureSelector(ScatterTrace(degree=2), HastyCut(), n_features=2)
    found = selector.fit(*table).selection_.verify(*table, selector=selector)
    assert [check.what for check in found.failed] == ["value at the bound"]


def test_columns_that_were_left_out_are_left_out_again(table):
    values, labels = table
    for X in (values, values.to_numpy()):
        names = [f"g{c}" if X is values else f"x{c}" for c in range(6)]
        selection = WithoutColumns(FisherMarkov(degree=2, n_features=2), names[:1]).fit(X, labels).selection_
        assert selection.provenance.left_out == (names[0],)
        assert selection.features == tuple(names[index] for index in selection.indices)
        assert Selection.from_json(selection.to_json()).verify(X, labels)
        unknown = replace(selection, provenance=replace(selection.provenance, left_out=("nowhere",)))
        assert "no column 'nowhere'" in str(unknown.verify(X, labels))


@pytest.mark.filterwarnings("ignore::fewest.FewestWarning")
@pytest.mark.parametrize(
    "selector",
    [
        TwoStage(MRMR(n_features=4), FisherMarkov(n_features=2)),
        TwoStage("mrmr", "fisher-markov", n_features=2, cv=3),
        AutoSelector(("mrmr", FisherMarkov(degree=2)), n_features=2, cv=3),
        FisherMarkov(n_features="auto", cv=3, estimator="nb"),
        FisherMarkov(beta="auto", degree=2, cv=3, estimator="knn(n_neighbors=3)"),
        FisherMarkov(beta="null"),
        NonMonotonicMKL(C="auto", n_features=2, path=(1, 2), cv=3),
        R2W2(n_features=2),
        KernelSeparability(n_features=2, mode="weights"),
        FeatureSelector(ScatterTrace(gamma=-0.5), IndividualRanking(beta=0.1)),
    ],
    ids=lambda selector: type(selector).__name__,
)
def test_selectors_with_parts_and_choices_are_rebuilt(selector, table):
    found = Selection.from_json(selector.fit(*table).selection_.to_json()).verify(*table)
    assert found, str(found)


def test_groups_and_weights_that_were_given_have_to_be_given_again(table):
    values, labels = table
    weights, groups = np.arange(40) % 3 + 1, np.arange(40) // 4
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewestWarning)
        selection = FisherMarkov(n_features="auto", cv=3).fit(values, labels, weights, groups).selection_
    assert selection.verify(values, labels, weights, groups=groups)
    assert not selection.verify(values, labels)


def test_what_json_does_not_hold_is_asked_for(table):
    selector = Wrapper(GaussianNB(), direction="exhaustive", n_features=1, cv=3)
    selection = Selection.from_json(selector.fit(*table).selection_.to_json())
    with pytest.raises(InvalidParameter, match=r"estimator=GaussianNB\(\).*selector=Wrapper\(estimator=…"):
        selection.verify(*table)
    assert selection.verify(*table, selector=selector)
    assert selection.verify(*table, selector=WithoutColumns(selector))
    found = selection.verify(*table, selector=Wrapper(GaussianNB(), direction="exhaustive", n_features=2, cv=3))
    assert str(found.failed[0]) == "parameters: {'n_features': 1} is claimed, {'n_features': 2} is found"


class OwnSelector(FisherMarkov):
    """A selector of a user."""

    name = ""


def test_a_method_of_another_is_asked_for(table):
    selection = OwnSelector(n_features=2).fit(*table).selection_
    with pytest.raises(InvalidParameter, match=r"'OwnSelector', which is no method of fewest. Give the selector"):
        selection.verify(*table)
    assert selection.verify(*table, selector=OwnSelector(n_features=2))


def test_no_code_in_a_file_is_run(table, tmp_path):
    selection = FeatureSelector(ScatterTrace(), IndividualRanking(), n_features=2).fit(*table).selection_
    made = tmp_path / "made"
    for text in (
        f"__import__('pathlib').Path({str(made)!r}).touch()",
        f"open({str(made)!r}, 'w')",
        f"ScatterTrace(gamma=open({str(made)!r}, 'w'))",
        "scan('t.csv', target='y')",
        "[x for x in (1, 2)]",
    ):
        parameters = {**selection.provenance.parameters, "criterion": text}
        other = replace(selection, provenance=replace(selection.provenance, parameters=parameters))
        assert outcome(other.to_json(), *table)[0] != "accepted"
    assert not made.exists()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(1, -2.5, 'a')", (1, -2.5, "a")),
        ("['g*', 'h']", ["g*", "h"]),
        ("{'a': 1.0, 'b': inf}", {"a": 1.0, "b": np.inf}),
        ("[np.float64(0.5), np.int64(3)]", [0.5, 3]),
        ("array([1. , 2.5])", np.array([1.0, 2.5])),
        ("Exhaustive(beta=None, max_subsets=10, path=True)", Exhaustive(max_subsets=10, path=True)),
        ("rbf", "rbf"),
        ("sd/2", "sd/2"),
        ("12", "12"),
        (3, 3),
        (None, None),
    ],
)
def test_parameters_are_read_back_from_how_they_print(text, value):
    np.testing.assert_equal(read_parameter("sizes", text), value)


@pytest.mark.parametrize(
    "text",
    [
        "<function f at 0x7f>",
        "SVC()",
        "array([1, ..., 3])",
        "MRMR(**{})",
        "a    1\nb    2\ndtype: int64",
        "np.eye(3)",
        "(x, 1)",
        "(-'a', 1)",
        "{[1]: 2}",
        "array([[1], [1, 2]])",
        "Exhaustive(max_subsets=-1)",
    ],
)
def test_other_objects_are_not_read(text):
    with pytest.raises(NotPlain):
        read_parameter("selector", text)


def test_bad_arguments_are_refused(table):
    selection = MaxRelevance(n_features=2).fit(*table).selection_
    with pytest.raises(InvalidInput, match="verify needs y"):
        selection.verify(table[0])
    with pytest.raises(InvalidInput, match="no provenance"):
        Selection((0,), (1.0,)).verify(*table)
    with pytest.raises(InvalidType, match="must be a Selection, got int"):
        verify(3, *table)
    with pytest.raises(InvalidParameter, match="tolerance must be a positive number"):
        selection.verify(*table, tolerance=0)
    with pytest.raises(InvalidParameter, match="selector must be a selector"):
        selection.verify(*table, selector=GaussianNB())


def test_of_another_version_the_words_are_not_compared_and_that_is_said(table):
    selection = FisherMarkov(n_features=2).fit(*table).selection_
    other = replace(selection, provenance=replace(selection.provenance, version="9.9", notes=("in other words",)))
    assert other.verify(*table)
    assert "made by fewest '9.9', and this is" in str(other.verify(*table))
    assert not replace(other, value=9.0).verify(*table)


def test_parameters_that_a_method_refuses_are_no_honest_ones(table):
    selection = ReliefF(n_features=2).fit(*table).selection_
    for name, value in (("n_neighbors", -3), ("nonsense", 1)):
        parameters = {**selection.provenance.parameters, name: value}
        text = replace(selection, provenance=replace(selection.provenance, parameters=parameters)).to_json()
        assert outcome(text, *table)[0] != "accepted"


def test_a_stored_certificate_that_contradicts_the_numbers_is_refused_on_reading(table):
    content = json.loads(FisherMarkov(degree=2, gamma=0.4, n_features=3).fit(*table).selection_.to_json())
    del content["checksum"]
    for field, value in (("status", "optimal"), ("bound", 1e-3), ("gap", 0.0), ("words", "proved optimal")):
        if content["certificate"][field] != value:
            certificate = {**content["certificate"], field: value}
            with pytest.raises(InvalidInput, match=f"its certificate says {field} = "):
                Selection.from_json(json.dumps({**content, "certificate": certificate}))
    assert fewest.Certificate.from_dict(content["certificate"]) == Selection.from_json(json.dumps(content)).certificate
