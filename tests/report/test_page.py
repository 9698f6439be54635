"""The page answers its questions in order, shows names as text, and does without what is not there."""

from __future__ import annotations

import copy
import html.parser
import re

import pytest

from fewest.errors import InvalidInput
from fewest.report.page import render

from .example import HOSTILE, STRANGE_NAMES, summary

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
        return [data for place, data in self.texts if not {"script", "style"} & set(place)]

    def headings(self):
        return [data for place, data in self.texts if place and re.fullmatch("h[1-6]", place[-1])]


@pytest.fixture(scope="module")
def page():
    return render(summary(has_failed=True))


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
def test_any_name_can_stand_anywhere(hostile):
    expected = Outline(render(renamed(summary(2, 2, 30, methods=("m", "n"), has_truth=True), "harmless")))
    outline = Outline(render(renamed(summary(2, 2, 30, methods=("m", "n"), has_truth=True), hostile)))
    # The same elements, whatever the names are; but how much a picture shows depends on the room that they leave.
    in_pictures = {"title", "text", "g", "path"}
    assert [name for name, _ in outline.elements if name not in in_pictures] == [
        name for name, _ in expected.elements if name not in in_pictures
    ]


def renamed(content, name):
    """A summary where every text is the name, but for the keys by which parts refer to each other."""
    content = copy.deepcopy(content)
    content["title"] = content["made"]["command"] = name
    for entry in content["tables"]:
        entry["name"] = entry["fingerprint"] = name
        for place, part in enumerate(entry["classes"]):
            part["name"] = f"{name}{place}"
        for place, part in enumerate(entry["methods"]):
            part["name"] = f"{name}{place}"
            part["certificate"] = name
            part["parameters"] = {name: name}
        found = entry["recommended"]
        found["method"], found["sentence"], found["warning"] = f"{name}0", f"{name}.", f"{name}!"
        for part in found["features"]:
            part["name"] = part["substitute"] = f"{name}?"
        entry["chosen_in"]["features"] = [name for _ in entry["chosen_in"]["features"]]
        for part in entry["views"]["densities"]:
            part["feature"] = name
            for code, curve in enumerate(part["classes"]):
                curve["name"] = f"{name}{code}"
        entry["views"]["pair"]["x"] = entry["views"]["pair"]["y"] = name
        entry["views"]["redundancy"]["features"] = [name for _ in entry["views"]["redundancy"]["features"]]
        for place, part in enumerate(entry["pairs"]):
            part["a"], part["b"], part["sentence"] = f"{name}0", f"{name}1", f"{name}{place}"
    for part in content["across"]["pairs"]:
        part["a"], part["b"], part["sentence"] = f"{name}0", f"{name}1", f"{name}."
    content["across"]["methods"] = [f"{name}{place}" for place in range(len(content["across"]["methods"]))]
    return content


@pytest.mark.parametrize(
    ("n_tables", "n_classes", "n_columns", "most"),
    [(1, 2, 5000, 300_000), (1, 10, 5000, 350_000), (2, 2, 20, 500_000), (4, 10, 5000, 1_000_000)],
)
def test_the_page_is_small(n_tables, n_classes, n_columns, most):
    assert len(render(summary(n_tables, n_classes, n_columns, has_truth=True)).encode()) < most


def test_all_5000_columns_chosen_still_make_a_small_page():
    content = summary(1, 2, 5000)
    found = content["tables"][0]["recommended"]
    found["features"] = [{"name": f"gene {i}", "score": 0.5, "frequency": 0.5, "substitute": None} for i in range(5000)]
    for method in content["tables"][0]["methods"]:
        method["frequencies"] = [{"feature": f"gene {i}", "frequency": 0.5} for i in range(5000)]
    page = render(content)
    assert len(page.encode()) < 1_000_000
    # The list to copy has all of them, the table says that it has not.
    assert '"gene 4999"' in page
    assert "The first 300 are shown; the copied list has all 5,000." in page
    assert "The 200 most often chosen of 5,000." in page


def test_the_same_summary_makes_the_same_page():
    assert render(summary(2)) == render(summary(2))


def test_a_method_has_one_colour_in_all_tables():
    content = summary(2)
    content["tables"][1]["methods"].reverse()
    page = render(content)
    looks = re.findall(r'<svg class="swatch (c\d d\d)"[^>]*>.{0,400}?</svg> ?<bdi>([^<]+)</bdi>', page)
    assert len(set(looks)) == len({name for _, name in looks}) == 5


def test_a_failed_method_is_named_with_its_reason(page):
    words = " ".join(Outline(page).words())
    assert "max-dependency  was left out: it needs a class of at least 2 rows" in words


def test_a_comparison_that_was_stopped_says_so():
    assert "12 of 20 splits were done when it was stopped" in render(summary(is_partial=True))


def test_the_optimistic_figure_is_called_optimistic(page):
    assert "Optimistic" in Outline(page).words()


def test_every_picture_has_a_text_alternative_and_a_table_behind_it():
    for figure in re.findall(r"<figure>.*?</figure>", render(summary(2)), re.DOTALL):
        assert re.search(r'role="img" aria-label="[^"]{20,}"', figure)
        assert "<details>" in figure
        assert "<table>" in figure


def test_ids_are_given_once_and_marks_are_found():
    # Thirteen methods: the seventh has the colour of the first, but another mark.
    methods = tuple(f"method {i}" for i in range(13))
    page = render(summary(3, 8, methods=methods, has_truth=True))
    ids = [attributes["id"] for _, attributes in Outline(page).elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    named = set(re.findall(r"url\(#([^)]+)\)", page))
    assert len(named) == 13 + 8
    assert named <= set(ids)


def test_one_table_has_no_diagram_over_tables_and_several_have():
    assert "critical difference" not in render(summary(1))
    assert "critical difference" in render(summary(2))


def test_true_columns_are_shown_where_they_are_known(page):
    title = "Do the true columns come first?"
    assert title not in page
    known = render(summary(has_truth=True))
    figure = next(each for each in re.findall(r"<figure>.*?</figure>", known, re.DOTALL) if title in each)
    words = Outline(figure).words()
    assert "With mrmr a true column stands above another one in 100\xa0% of all pairs." in words
    row = words[words.index("svm-rfe", words.index("All on top")) :]
    assert row[1:4] == ["0.6", "100 %", "0 %"]
    # A row a place at which the pointer stops, a cell a method: the second one at 0, 5 and 100 % of the others.
    rows = re.findall(r"<tr>(.*?)</tr>", figure[figure.index("<details>") :])[1:]
    cells = {re.sub("<.*?>", "", row.split("</th>")[0]): re.findall("<td>(.*?)</td>", row) for row in rows}
    assert [cells[place][1] for place in ("0 %", "5 %", "100 %")] == ["0 %", "55 %", "100 %"]
    assert cells["0 %"][0] == "100 %"


def test_sizes_at_which_each_of_a_pair_errs_less_are_told(page):
    words = Outline(page).words()
    assert "90 % / 5 %" in words
    assert any("share of the sizes at which the first errs less" in each for each in words)


def test_pairs_over_all_tables_are_told_the_clearest_first():
    content = summary(4)
    words = Outline(render(content).split('<section id="across">')[1].split("</section>")[0]).words()
    assert "4 tables are too few to call any two of the methods different" in words
    start = words.index("Every pair of methods over the tables")
    assert words[start + 6 : start + 13] == ["kernel-separability", " against ", "svm-rfe", "−2", "−0.80", ".03", "1"]
    assert "no significant difference between mrmr and relieff" in words
    content["across"]["pairs"] = []
    assert "Which two methods differ?" not in render(content)


def places(content, so_far=()):
    """The way to every part of a summary, into the first of every list."""
    children = content.items() if isinstance(content, dict) else list(enumerate(content))[:1]
    for key, value in children:
        yield (*so_far, key)
        if isinstance(value, dict | list):
            yield from places(value, (*so_far, key))


def short(content):
    """The same with no list longer than three: there is nothing more to learn from the others."""
    if isinstance(content, dict):
        return {key: short(value) for key, value in content.items()}
    return [short(value) for value in content[:3]] if isinstance(content, list) else content


def changed(content, way, change):
    content = copy.deepcopy(content)
    part = content
    for key in way[:-1]:
        part = part[key]
    change(part, way[-1])
    return content


def to_none(part, key):
    part[key] = None


def to_empty(part, key):
    if isinstance(part[key], dict | list):
        part[key] = type(part[key])()


def to_nothing(part, key):
    del part[key]


def is_optional(way):
    # The entries of lists are whole; and without its tables a summary is none.
    return way != ("tables",) and not isinstance(way[-1], int)


@pytest.mark.parametrize("change", [to_none, to_empty, to_nothing])
def test_what_is_not_there_is_left_out(change):
    methods, classifiers = ("fisher-markov", "mrmr"), {"svm": "linear SVM"}
    content = short(summary(1, 2, 12, methods=methods, classifiers=classifiers, has_truth=True))
    content["across"] = summary(2, 2, 12, methods=("fisher-markov", "mrmr"))["across"]
    for way in filter(is_optional, places(content)):
        after = changed(content, way, change)
        if after == content:
            continue
        try:
            page = render(after)
        except Exception as error:
            raise AssertionError(f"{change.__name__} at {way}") from error
        assert "None" not in page, way
        assert "nan" not in re.sub(r"<script.*?</script>|<style.*?</style>|[Dd]ominant", "", page, flags=re.DOTALL), way


def test_numbers_that_are_none_are_left_out():
    content = summary(1, 2, 12, methods=("mrmr", "relieff"))
    for method in content["tables"][0]["methods"]:
        method["column_scores"] = [float("nan"), float("inf"), None, 1.0, -2.0]
        method["results"]["svm"]["error"] = float("nan")
        method["curves"]["svm"][0]["error"] = float("nan")
    page = Outline(render(content))
    assert not [words for words in page.words() if re.search(r"\b(nan|inf)\b", words)]


def test_where_one_size_was_judged_the_page_does_not_ask_how_many():
    content = summary(1, 2, 12, methods=("mrmr", "relieff"))
    for method in content["tables"][0]["methods"]:
        method["size_by_beta"] = []
        method["curves"] = {classifier: curve[:1] for classifier, curve in method["curves"].items()}
    headings = Outline(render(content)).headings()
    assert [question for question in QUESTIONS if question not in headings] == ["How many?"]


def test_an_empty_comparison_is_a_page_that_says_so():
    assert "no table was compared" in render({"tables": []})


@pytest.mark.parametrize("wrong", [None, [], {}, {"tables": None}, "text"])
def test_what_is_no_summary_is_refused(wrong):
    with pytest.raises(InvalidInput, match="summary of a comparison"):
        render(wrong)
