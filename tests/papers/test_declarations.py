"""Every declaration is valid without being run, and no item of the papers is missing."""

from __future__ import annotations

import re

import pytest

from fewest.papers.declarations import Item
from fewest.papers.experiments.known_tables import KNOWN_TABLES
from fewest.papers.papers_by_name import all_papers

PAPERS = {paper.name: paper for paper in all_papers()}
ITEMS = [(paper.name, item.name) for paper in PAPERS.values() for item in paper.built]

#: All tables and figures, apart from those of the texts' derivations.
EXPECTED = {
    "fisher-markov": "T1 T2 T3 T4 T5 F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12 F13 F14 F15 F16 F17",
    "kernel-separability": "T1 T2 T3 T4 T5 T6 T7 T8 F1 F2 F3 F4 F5 F6 F7 F8 F9 F10",
    "mrmr": "T1 T2 T3 T4 F1 F2 F3 F4 F5",
    "bayes-error": "T1 T2 T3 F1 F2 F3 F4 F5 F6 F7 F8",
    "mkl": "T1 T2 T3 F1 F2",
}


@pytest.mark.parametrize("name", PAPERS)
def test_no_item_is_missing_or_named_twice(name):
    named = [one for item in PAPERS[name].items for one in (item.name, *item.others)]
    assert sorted(named) == sorted(EXPECTED[name].split())


@pytest.mark.parametrize("name", PAPERS)
def test_a_paper_says_where_it_appeared(name):
    paper = PAPERS[name]
    assert re.fullmatch(r"10\.\d{4,}/\S+", paper.doi)
    assert paper.authors in paper.reference
    assert paper.title in paper.reference


@pytest.mark.parametrize(("paper", "name"), ITEMS)
def test_numbers_and_claims_are_about_what_is_measured(paper, name):
    (item,) = PAPERS[paper].find([name])
    measured = [key for experiment in item.experiments for key in experiment.measured_keys()]
    assert len(set(measured)) == len(measured)
    about = {key for claim in (*item.claims, *item.controls.values()) for key in claim.keys}
    assert {*item.numbers, *about, *item.controls} <= set(measured)
    assert item.numbers or item.claims


@pytest.mark.parametrize(("paper", "name"), ITEMS)
def test_tables_are_known(paper, name):
    (item,) = PAPERS[paper].find([name])
    assert set(item.tables) <= set(KNOWN_TABLES)
    assert item.claim.endswith(".")
    assert item.minutes > 0


@pytest.mark.parametrize("paper", PAPERS.values(), ids=lambda paper: paper.name)
def test_what_is_not_built_says_why(paper):
    for item in paper.items:
        assert isinstance(item, Item) or item.reason in ("no data", "nothing to compare")


def test_hashes_are_of_256_bits():
    assert all(re.fullmatch("[0-9a-f]{64}", table.sha256) for table in KNOWN_TABLES.values())
