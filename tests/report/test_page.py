"""The page answers its questions in order, shows names as text, and leaves out what is missing."""

from __future__ import annotations

import html.parser
import re
import types
from dataclasses import fields, is_dataclass, replace
from typing import get_args, get_type_hints

import numpy as np
import pytest

from fewest.errors import InvalidInput
from fewest.report.page import render
from fewest.summary import Frequency, RecommendedFeature, Setup, Summary

from .comparisons import (
    COMMAND,
    HOSTILE,
    STRANGE_NAMES,
    names_in,
    renamed,
    several,
    summary,
    with_failed,
    with_table,
    without_truth,
)

QUESTIONS = [
    "Which features?",
    "How many?",
    "Which method?",
    "Can I trust it?",
    "What do they look like?",
    "How was it made?",
]


class Outline(html.parser.HTMLParser):
    """What a browser would make of a page: its elements, their attributes, its text."""

    EMPTY = frozenset({"meta", "input", "br", "path"})

    def __init__(self, page):
        super().__init__()
        self.elements, self.open, self.texts = [], [], []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, name, attributes):
        self.elements.append((name, dict(attributes)))
        if name not in self.EMPTY:
            self.open.append(name)

    def handle_startendtag(self, name, attributes):
        self.elements.append((name, dict(attributes)))

    def handle_endtag(self, name):
        assert self.open.pop() == name

    def handle_data(self, data):
        self.texts.append((tuple(self.open), data))

    def words(self):
        return [data for path, data in self.texts if data.strip() and not {"script", "style"} & set(path)]

    def headings(self):
        return [data for path, data in self.texts if path and re.fullmatch("h[1-6]", path[-1])]


@pytest.fixture(scope="module")
def page():
    return render(with_failed(without_truth()))


def test_the_questions_come_in_the_order_of_the_reader(page):
    assert [words for words in Outline(page).headings() if words in QUESTIONS] == QUESTIONS


def test_names_are_text_and_make_no_element(page):
    outline = Outline(page)
    assert not {name for name, _ in outline.elements} & {"img", "i8", "iframe", "object", "link"}
    assert HOSTILE in outline.words()
    assert "tumour <i>" in outline.words()
    for _, attributes in outline.elements:
        assert not [key for key in attributes if key.startswith("on")]


def test_no_script_but_the_own_one_and_data(page):
    kinds = [attributes.get("type") for name, attributes in Outline(page).elements if name == "script"]
    assert kinds.count(None) == 1
    assert set(kinds) == {None, "application/json"}


def test_nothing_is_loaded_from_elsewhere(page):
    assert "default-src 'none'" in page
    assert not re.search(r"""(?:src|href)\s*=\s*["'](?!#)""", page)
    assert "@import" not in page
    assert not re.search(r"url\((?!#)", page)


@pytest.mark.parametrize("hostile", [*STRANGE_NAMES, "\x00\ud800", "a" * 500, " "])
@pytest.mark.parametrize("content", [summary, several])
def test_any_name_can_stand_anywhere(content, hostile):
    names = names_in(content())
    expected, outline = (
        Outline(render(renamed(content(), {one: f"{name}{i}" for i, one in enumerate(names)}, name)))
        for name in ("harmless", hostile)
    )
    # The same elements, whatever the names are; but how much a picture shows depends on the room that they leave.
    in_pictures = {"title", "text", "g", "path"}
    assert [name for name, _ in outline.elements if name not in in_pictures] == [
        name for name, _ in expected.elements if name not in in_pictures
    ]


def with_columns(content, n):
    """The summary as if every table had this number of columns, each with a score."""
    random = np.random.default_rng(0)
    tables = [
        replace(
            table,
            n_columns=n,
            methods=[replace(one, column_scores=random.gamma(0.5, 0.05, n).tolist()) for one in table.methods],
        )
        for table in content.tables
    ]
    return replace(content, tables=tables)


@pytest.mark.parametrize(
    ("content", "n_columns", "most"),
    [(summary, 5000, 300_000), (several, 5000, 500_000), (summary, 30, 250_000), (several, 60, 450_000)],
)
def test_the_page_is_small(content, n_columns, most):
    assert len(render(with_columns(content(), n_columns)).encode()) < most


def test_all_5000_columns_chosen_still_make_a_small_page():
    table = summary().tables[0]
    features = [RecommendedFeature(f"gene {i}", 0.5, 0.5, None) for i in range(5000)]
    frequencies = [Frequency(f"gene {i}", 0.5) for i in range(5000)]
    content = with_table(
        with_columns(summary(), 5000),
        recommended=replace(table.recommended, features=features),
        methods=[replace(method, frequencies=frequencies) for method in table.methods],
    )
    page = render(content)
    assert len(page.encode()) < 1_000_000
    # The list to copy has all of them, the table says that it has not.
    assert '"gene 4999"' in page
    assert "The first 300 are shown; the copied list has all 5,000." in page
    assert "The 200 most often chosen of 5,000." in page


def test_the_same_summary_makes_the_same_page():
    assert render(several()) == render(several())


def test_a_method_has_one_colour_in_all_tables():
    tables = list(several().tables)
    tables[1] = replace(tables[1], methods=list(reversed(tables[1].methods)))
    page = render(replace(several(), tables=tables))
    looks = re.findall(r'<svg class="swatch (c\d d\d)"[^>]*>.{0,400}?</svg> ?<bdi>([^<]+)</bdi>', page)
    assert len(set(looks)) == len({name for _, name in looks}) == 3


def test_a_failed_method_is_named_with_its_reason(page):
    words = Outline(page).words()
    assert words[words.index(" was left out: it needs 2 rows <b>of</b> every class, and there is one") - 1] == (
        "max-dependency"
    )


def test_a_comparison_that_was_stopped_says_so():
    content = replace(summary(), stopped="12 of 20 splits were done when it was stopped")
    assert "12 of 20 splits were done when it was stopped" in render(content)


def test_the_command_is_shown(page):
    assert COMMAND in Outline(page).words()


def test_the_optimistic_figure_is_called_optimistic(page):
    assert "Optimistic" in Outline(page).words()


@pytest.mark.parametrize("content", [summary, several])
def test_every_picture_has_a_text_alternative_and_a_table_behind_it(content):
    figures = re.findall(r"<figure>.*?</figure>", render(content()), re.DOTALL)
    assert len(figures) > 8
    for figure in figures:
        assert re.search(r'role="img" aria-label="[^"]{20,}"', figure)
        assert "<details>" in figure
        assert "<table" in figure


def test_ids_are_given_once_and_marks_are_found():
    # Thirteen methods: the seventh has the colour of the first, but another mark.
    table = summary().tables[0]
    methods = [replace(table.methods[i % 5], name=f"method {i}") for i in range(13)]
    content = with_table(summary(), methods=methods, recommended=replace(table.recommended, method="method 0"))
    page = render(replace(content, tables=[*content.tables, *several().tables]))
    ids = [attributes["id"] for _, attributes in Outline(page).elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    named = set(re.findall(r"url\(#([^)]+)\)", page))
    # Three more methods, and the two classes of the one table of which two features are drawn.
    assert len(named) == 16 + 2
    assert named <= set(ids)


def test_one_table_has_no_diagram_over_tables_and_several_have():
    assert "critical difference" not in render(summary())
    assert "critical difference" in render(several())


def test_true_columns_are_shown_where_they_are_known(page):
    title = "Do the true columns come first?"
    assert title not in page
    known = render(summary())
    figure = next(each for each in re.findall(r"<figure>.*?</figure>", known, re.DOTALL) if title in each)
    words = Outline(figure).words()
    truth = {method.name: method.truth for method in summary().tables[0].methods}
    assert any(
        re.fullmatch(r"With .* a true column ranks above another one in \d+\xa0% of all pairs\.", w) for w in words
    )
    row = words[words.index("svm-rfe", words.index("All on top")) :]
    assert row[1:4] == [
        f"{truth['svm-rfe'].auc:.3g}",
        f"{100 * truth['svm-rfe'].one:.0f} %",
        f"{100 * truth['svm-rfe'].all:.0f} %",
    ]
    # A row a position at which the pointer stops, a cell a method.
    rows = re.findall(r"<tr>(.*?)</tr>", figure[figure.index("<details>") :])[1:]
    cells = {re.sub("<.*?>", "", row.split("</th>")[0]): re.findall("<td>(.*?)</td>", row) for row in rows}
    assert cells["100 %"] == ["100 %"] * 5
    for cell, (x, y) in zip(cells["0 %"], (truth["mrmr"].curve[0], truth["relieff"].curve[0]), strict=False):
        assert x == y == 0
        assert cell.endswith(" %")


def test_sizes_at_which_each_of_a_pair_errs_less_are_shown():
    pairs = [replace(pair, rho=0.9, rho_back=0.05) for pair in summary().tables[0].pairs]
    words = Outline(render(with_table(summary(), pairs=pairs))).words()
    assert "90 % / 5 %" in words
    assert any("share of the sizes at which the first is better" in each for each in words)


def test_pairs_over_all_tables_are_shown_the_clearest_first():
    content = several()
    pairs = [
        replace(pair, p=p, difference=-0.02, effect=-0.8, p_adjusted=1.0)
        for pair, p in zip(content.across.pairs, (0.125, 0.5, 0.03), strict=True)
    ]
    content = replace(content, across=replace(content.across, pairs=pairs))
    words = Outline(render(content).split('<section id="across">')[1].split("</section>")[0]).words()
    assert any(words_.startswith("3 tables are too few to call any two of the methods different") for words_ in words)
    start = words.index("Every pair of methods over the tables")
    clearest = pairs[2]
    expected = [clearest.a, " against ", clearest.b, "−2", "−0.80", ".03", "1"]
    assert words[start + 6 : start + 13] == expected
    # Those that do not differ are not listed: one sentence says so of all.
    assert not [each for each in words if each.startswith("no significant difference between")]


def parts(content, path=()):
    """Every dataclass of a summary with the way to it, into the first of every list."""
    yield path, content
    for part in fields(content):
        value = getattr(content, part.name)
        first = next(iter(value.values()), None) if isinstance(value, dict) else value
        key = next(iter(value), None) if isinstance(value, dict) else 0
        first = first[0] if isinstance(first, list | tuple) and first else first
        if is_dataclass(first):
            yield from parts(first, (*path, (part.name, key)))


def changed(content, path, **changes):
    """The summary with changes of the part at the end of a path."""
    if not path:
        return replace(content, **changes)
    (name, key), *rest = path
    value = getattr(content, name)
    if is_dataclass(value):
        return replace(content, **{name: changed(value, rest, **changes)})
    if isinstance(value, dict):
        inner = value[key]
        is_list = isinstance(inner, list)
        new = changed(inner[0] if is_list else inner, rest, **changes)
        return replace(content, **{name: {**value, key: [new, *inner[1:]] if is_list else new}})
    return replace(content, **{name: [changed(value[0], rest, **changes), *value[1:]]})


def may_be_none(part):
    """The fields of a dataclass that may be None."""
    hints = get_type_hints(type(part))
    return [name for name, hint in hints.items() if types.NoneType in get_args(hint)]


EMPTY = {
    "all_features": {}, "size_by_beta": (), "frequencies": (), "pairs": (), "densities": (), "groups": (),
    "parameters": {}, "column_scores": (),
}  # fmt: skip


@pytest.mark.parametrize("content", [summary, several])
def test_what_is_missing_is_left_out(content):
    content = content()
    n_changes = 0
    for path, part in parts(content):
        changes = [{name: None} for name in may_be_none(part) if name != "failed"]
        changes += [{name: EMPTY[name]} for name in EMPTY if hasattr(part, name)]
        for change in changes:
            try:
                page = render(changed(content, path, **change))
            except Exception as error:
                raise AssertionError(f"{change} at {path}") from error
            n_changes += 1
            assert "None" not in page, (path, change)
            assert "nan" not in re.sub(r"<script.*?</script>|<style.*?</style>|[Dd]ominant", "", page, flags=re.DOTALL)
    assert n_changes > 25


def test_scores_that_are_missing_are_left_out():
    methods = [replace(method, column_scores=[None, None, 1.0, -2.0]) for method in summary().tables[0].methods]
    page = Outline(render(with_table(summary(), methods=methods)))
    assert "highest 1" in page.words()
    assert not [words for words in page.words() if re.search(r"\b(nan|inf|None)\b", words)]


def test_where_one_size_was_evaluated_the_page_does_not_ask_how_many():
    methods = [
        replace(method, size_by_beta=(), curves={name: curve[:1] for name, curve in method.curves.items()})
        for method in summary().tables[0].methods
    ]
    headings = Outline(render(with_table(summary(), methods=methods))).headings()
    assert [question for question in QUESTIONS if question not in headings] == ["How many?"]


def test_where_every_method_failed_the_page_says_why():
    methods = [replace(method, failed="no", results={}, curves={}) for method in summary().tables[0].methods]
    content = with_table(summary(), methods=methods, recommended=None, split_choices=None, leak=None, pairs=())
    words = Outline(render(content)).words()
    assert words.count(" was left out: no") == 5
    assert "Which features?" not in words


def test_an_empty_comparison_is_a_page_that_says_so():
    setup = Setup("20 random splits", "5-fold cross-validation", "1se", 0, "0.1.0", 0.0, {})
    assert "no table was compared" in render(Summary("", setup, None, []))


@pytest.mark.parametrize("wrong", [None, [], {}, {"tables": None}, "text"])
def test_what_is_no_summary_is_refused(wrong):
    with pytest.raises(InvalidInput, match="summary of a comparison"):
        render(wrong)
