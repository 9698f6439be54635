"""What each section says: the data, the classes, categories, many classes, one method, nothing that beats guessing."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from fewest.display.formatting import MetricFormat
from fewest.report.page import render
from fewest.summary import (
    ClassCount,
    ClassDensity,
    ClassRecall,
    ClassShares,
    ColumnKinds,
    Confusion,
    DataSummary,
    FeatureDensity,
    FeaturePair,
    FeatureShares,
    Finding,
    Pictures,
    RecommendedFeature,
    Redundancy,
    Similar,
    StabilityPaths,
    Swap,
)

from .comparisons import HOSTILE, several, summary, with_table, without_truth
from .test_page import Outline

LEAK = Finding(
    "leak", "warning", ("status",), "status alone separates the classes.", "Drop it if it is known too late."
)
COPIES = Finding("duplicate-rows", "warning", (), "12 rows are copies of others.", "Give groups.")
IDENTIFIER = Finding("identifier", "note", ("id", HOSTILE), "id has a value a row.", "It was set aside.")
MISSING = Finding("missing", "note", ("a",), "a lacks 5 % of its values.", "")
KINDS = ColumnKinds(numbers=1200, binary=2, categories=3, constant=1, dates=0, with_missing=4)
DATA = DataSummary(62, 1206, KINDS, 310, (MISSING, IDENTIFIER, COPIES, LEAK), ("id", HOSTILE))


def words_of(content, section=None):
    page = render(content)
    if section is not None:
        page = page.split(f'<section id="table-1-{section}">')[1].split("</section>")[0]
    return Outline(page).words()


def text_of(content, section=None):
    return " ".join(words_of(content, section)).replace("\N{NO-BREAK SPACE}", " ")


def figure_of(content, question):
    figures = re.findall(r"<figure>.*?</figure>", render(content), re.DOTALL)
    return next((figure for figure in figures if question in figure), None)


class TestData:
    content = with_table(summary(), data=DATA)

    def test_kinds_of_columns_and_missing_values_are_counted(self):
        text = text_of(self.content, "data")
        assert "62 rows; 1,206 columns: 1,200 of numbers, 2 of two values, 3 of categories, 1 constant." in text
        assert "4 columns have missing values, 310 in all (0.41 %)." in text
        assert "No value is missing." in text_of(with_table(summary(), data=replace(DATA, n_missing=0)), "data")

    def test_what_was_set_aside_is_named_with_the_reason_and_in_the_header(self):
        words = words_of(self.content, "data")
        assert "Which columns were set aside?" in words
        assert "id has a value a row. It was set aside." in words
        header = render(self.content).split("<header>")[1].split("</header>")[0]
        assert "Set aside: <bdi>id</bdi>" in header
        assert 'href="#table-1-data"' in header
        assert HOSTILE not in header

    def test_warnings_stand_above_the_answer_the_leak_first(self):
        page = render(self.content)
        banner = page.split('<div class="banner"')[1].split("</div>")[0]
        assert page.index('<div class="banner"') < page.index("Which features?")
        assert banner.index("status alone separates") < banner.index("copies of others")
        assert "lacks 5" not in banner

    def test_a_feature_that_is_warned_of_is_flagged_in_the_list(self):
        name = summary().tables[0].recommended.features[2].name
        data = replace(DATA, findings=(replace(LEAK, columns=(name, "other")), MISSING))
        words = words_of(with_table(summary(), data=data), "features")
        assert words.count("flagged above") == 1
        assert words[words.index("flagged above") - 2] == name or words[words.index("flagged above") - 1] == name
        assert "flagged above" not in words_of(self.content, "features")

    def test_many_warnings_leave_the_answer_in_sight(self):
        findings = [replace(LEAK, message=f"c{i} alone separates the classes.") for i in range(7)]
        page = render(with_table(summary(), data=replace(DATA, findings=findings)))
        assert page.split('<div class="banner"')[1].split("</div>")[0].count("alone separates") == 3
        assert "4 more warnings" in page

    def test_findings_are_listed_the_gravest_first(self):
        text = text_of(self.content, "data")
        assert text.index("status alone") < text.index("copies") < text.index("a lacks 5 %")

    def test_long_lists_of_columns_are_folded(self):
        names = tuple(f"id{i}" for i in range(45))
        finding = replace(IDENTIFIER, columns=names)
        data = replace(DATA, findings=(finding,), set_aside=names)
        page = render(with_table(summary(), data=data)).split('<section id="table-1-data">')[1]
        assert "and 25 more</summary>" in page
        assert page.count("<bdi>id44</bdi>") == 1

    def test_classes_are_shown_with_their_shares(self):
        words = words_of(self.content, "data")
        start = words.index("normal")
        assert words[start : start + 3] == ["normal", "31", "50 %"]

    def test_the_bar_of_a_class_is_its_share(self):
        content = with_table(summary(), data=DATA, classes=[ClassCount("a", 60), ClassCount("b", 40)])
        section = render(content).split('<section id="table-1-data">')[1].split("</section>")[0]
        assert re.findall(r'class="bar" aria-hidden="true"><i style="width:([^"]*)%"', section) == ["60.0", "40.0"]

    def test_without_a_check_there_is_no_such_section(self):
        page = render(with_table(summary(), data=None))
        assert "What is in the data?" not in page
        assert '<div class="banner"' not in page


class TestConfusion:
    counts = ((90, 10), (4, 16))
    content = with_table(summary(), confusion=Confusion(counts, [ClassRecall("normal", 0.9), ClassRecall("b", 0.8)]))
    question = "Which classes are taken for which?"

    def test_shares_recall_and_what_a_class_is_taken_for_are_shown(self):
        words = Outline(figure_of(self.content, self.question)).words()
        assert "Least recognised is tumour <i>: 80\N{NO-BREAK SPACE}% of its test rows." in words
        start = words.index("Most often taken for") + 1
        assert words[start : start + 5] == ["tumour <i>", "80 %", "16 of 20", "62 %", "normal (20 %)"]
        assert words[start + 5 : start + 10] == ["normal", "90 %", "90 of 100", "96 %", "tumour <i> (10 %)"]

    def test_the_counts_are_behind_the_picture(self):
        words = Outline(figure_of(self.content, self.question)).words()
        assert words[-6:] == ["normal", "90", "10", "tumour <i>", "4", "16"]

    def test_a_perfect_matrix_says_so(self):
        content = with_table(summary(), confusion=Confusion(((9, 0), (0, 9)), []))
        assert "Every test row was recognised." in figure_of(content, self.question)

    def test_without_predictions_there_is_no_matrix(self):
        assert figure_of(with_table(summary(), confusion=None), self.question) is None


def with_classes(n, error=0.2):
    """The summary with many classes, of all of which there are pictures."""
    names = [f"class {i}" for i in range(n)]
    grid = [0.0, 1.0, 2.0]
    density = FeatureDensity("f", grid, [ClassDensity(name, [0.1, 0.4, 0.2], i / 3) for i, name in enumerate(names)])
    shares = FeatureShares("colour", ["red", "blue"], [ClassShares(name, [0.25, 0.75]) for name in names])
    pair = FeaturePair("f", "g", [(i / 3, -i / 3, i % n) for i in range(4 * n)], error, 5)
    views = Pictures(
        [density, replace(density, feature="g")],
        pair,
        Redundancy(["f", "g"], [[1, 0.9], [0.9, 1]], "|correlation|"),
        [shares],
    )
    counts = [[8 if a == b else int(b == (a + 1) % n) for b in range(n)] for a in range(n)]
    return with_table(
        summary(), classes=[ClassCount(name, 9) for name in names], views=views, confusion=Confusion(counts, [])
    )


class TestManyClasses:
    def test_few_classes_are_lines_and_bars_with_a_legend(self):
        page = render(with_classes(3))
        assert figure_of(with_classes(3), "How do the classes lie").count('class="key"') == 3
        assert "Which categories go with which class?" in page

    def test_many_classes_are_rows_of_maps_without_a_legend(self):
        content = with_classes(26)
        for question in ("How do the classes lie", "Which categories of colour", "Which classes are taken for which?"):
            figure = figure_of(content, question)
            assert 'class="key"' not in figure
            assert "class 25" in figure
        assert "class 25" in figure_of(content, "Which two of them")

    def test_a_pair_that_separates_nothing_is_not_drawn(self):
        assert figure_of(with_classes(26, error=0.7), "Which two of them") is None
        assert figure_of(with_classes(3, error=0.7), "Which two of them")

    def test_recall_of_many_classes_is_folded_after_twenty(self):
        assert "Show all 26 classes" in figure_of(with_classes(26), "Which classes are taken for which?")
        assert "Show all" not in figure_of(with_classes(20), "Which classes are taken for which?")


class TestMethods:
    def test_ranks_have_one_decimal(self):
        (table,) = summary().tables
        methods = [replace(one, nested=replace(one.nested, rank=4.04)) for one in table.methods]
        cells = re.findall(r'<td data-by="4.04">([^<]*)</td>', render(with_table(summary(), methods=methods)))
        assert cells == ["4.0"] * len(methods)

    def test_one_sentence_says_that_nothing_differs(self):
        table = summary().tables[0]
        methods = [
            replace(
                one,
                results={key: replace(each, is_not_worse=True, sentence="no") for key, each in one.results.items()},
                nested=one.nested and replace(one.nested, is_not_worse=True, sentence="no"),
            )
            for one in table.methods
        ]
        pairs = [replace(pair, p=0.6, p_adjusted=1.0) for pair in table.pairs]
        text = text_of(with_table(summary(), methods=methods, pairs=pairs), "method")
        assert text.count("By the corrected t-test none of the other four methods is significantly worse than") == 1
        assert text.count("No two methods differ significantly.") == 3  # once a classifier
        assert "no significant difference between" not in text

    def test_those_that_are_worse_are_named(self):
        table = summary().tables[0]

        def changed(figures, is_worse):
            return replace(figures, is_not_worse=not is_worse, sentence="x", error=0.2 + 0.3 * is_worse)

        methods = [
            replace(
                one,
                results={key: changed(each, i in (1, 3)) for key, each in one.results.items()},
                nested=one.nested and changed(one.nested, i in (1, 3)),
            )
            for i, one in enumerate(table.methods)
        ]
        text = text_of(with_table(summary(), methods=methods), "method")
        names = [methods[i].name for i in (1, 3)]
        assert f"{names[0]} and {names[1]} are significantly worse than {methods[0].name}; the others are not." in text

    def test_a_page_of_one_method_does_not_speak_of_a_comparison(self):
        table = summary().tables[0]
        method = next(one for one in table.methods if one.name == table.recommended.method)
        content = without_truth(with_table(summary(), methods=[method], pairs=()))
        words = words_of(replace(content, setup=replace(content.setup, command=None)))
        assert "Which method?" not in words
        assert "How well does it work?" in words
        text = " ".join(words).lower()
        for word in (
            "comparison",
            "methods",
            "rank ",
            "worse?",
            "the others",
            "chosen inside",
            "each method",
            "every method",
        ):
            assert word not in text, word


class TestList:
    def many(self, n):
        best = summary().tables[0].recommended
        features = [RecommendedFeature(f"gene {i}", 0.5, 0.5, None) for i in range(n)]
        return with_table(summary(), recommended=replace(best, features=features, size=n))

    def test_it_is_folded_after_twenty_and_copied_whole(self):
        page = render(self.many(45)).split('<section id="table-1-features">')[1].split("</section>")[0]
        assert "Show all 45 features" in page
        copied = json.loads(re.search(r'<script type="application/json">(.*?)</script>', page)[1])
        assert copied == [f"gene {i}" for i in range(45)]

    def test_twenty_are_not_folded(self):
        assert "Show all" not in render(self.many(20)).split('<section id="table-1-size">')[0]

    def test_what_a_feature_is_worth_and_what_could_replace_it_are_shown(self):
        best = summary().tables[0].recommended
        first = replace(best.features[0], error_without=0.25, swap=Swap("other", 0.21), similar=Similar("twin", -0.93))
        best = replace(
            best, features=[first, *best.features[1:]], fold_error=0.184, replacement="hue belongs in the set."
        )
        words = words_of(with_table(summary(), recommended=best), "features")
        assert [word for word in ("25 %", "other", "21 %", "twin", "−0.93") if word not in words] == []
        assert {"Without it", "Best swap", "Most similar"} <= set(words)
        assert "hue belongs in the set." in words
        assert any("all of them give 18\N{NO-BREAK SPACE}%" in word for word in words)

    def test_notes_on_the_list_are_shown(self):
        best = replace(summary().tables[0].recommended, notes=("Five of nine features are stable.",))
        assert "Five of nine features are stable." in words_of(with_table(summary(), recommended=best), "features")


class TestNothingBeatsGuessing:
    sentence = "No features were found that beat guessing."
    best = replace(
        summary().tables[0].recommended, features=(), size=0, beats_guessing=False, sentence=sentence, certificate=None
    )
    content = with_table(summary(), recommended=best, views=Pictures(), split_choices=None)

    def test_that_is_the_answer_and_no_list_is_offered(self):
        page = render(self.content)
        assert f'<p class="answer">{self.sentence}</p>' in page
        features = page.split('<section id="table-1-features">')[1].split("</section>")[0]
        assert "<table" not in features
        assert "Copy list" not in page
        assert " chosen</text>" not in page

    def test_what_was_tried_is_folded(self):
        page = render(self.content)
        folded = page.split('<details class="tried">')[1]
        assert folded.index("What was tried") < folded.index("How many?") < folded.index("Which method?")


class TestMetric:
    def test_another_metric_has_its_name_wherever_an_error_had(self):
        auc = MetricFormat("roc-auc", "ROC AUC", lower_is_better=False, is_percentage=False)
        words = words_of(with_table(summary(), metric=auc))
        assert "ROC AUC" in words
        assert "How does the ROC AUC change as features are added?" in words
        heads = [word for word in words if word.strip() == "Error"]
        assert heads == []
        table = summary().tables[0]
        least = min((one.nested or one.results[table.recommended.classifier]).error for one in table.completed)
        assert f"{1 - least:.3f}" in words

    def test_balanced_error_is_named(self):
        content = with_table(summary(), metric=MetricFormat("balanced-error", "balanced error"))
        assert "Balanced error is nested cross-validated" in text_of(content, "method")


@pytest.mark.parametrize("content", [summary, several])
def test_no_number_is_a_row_of_zeros(content):
    assert not [word for word in Outline(render(content())).words() if re.search(r"(?<![\d.])0\.000+\b", word)]


def test_the_ring_beside_the_error_of_the_answer_is_explained():
    content = summary()
    (table,) = content.tables
    best = table.recommended
    method = next(one for one in table.methods if one.name == best.method)
    point = next(one for one in method.curves[best.classifier] if one.size == best.size)
    same = with_table(content, recommended=replace(best, error=point.error))
    assert "It stands at" not in text_of(same)
    other = with_table(content, recommended=replace(best, error=point.error + 0.1))
    form = MetricFormat()
    assert f"It stands at {form.text(point.error)}, that of this size" in text_of(other)
    assert f"the {form.text(point.error + 0.1)} of the answer are those" in text_of(other)


PATHS = StabilityPaths(
    sizes=(1, 2, 4),
    features=("g1", HOSTILE, "g3"),
    frequencies=((0.5, 0.9, 1.0), (0.1, None, 0.8), (0.0, 0.1, 0.25)),
    threshold=0.75,
    expected_false=0.83,
    n_others=7,
)
HALVES = "Do halves of the rows select the same features"


def with_paths(paths, n_methods=1):
    content = summary()
    first, *others = content.tables[0].methods
    methods = [replace(first, paths=paths), *others]
    return with_table(content, methods=methods if n_methods > 1 else methods[:1], recommended=None)


def test_paths_of_stability_selection_are_drawn_with_the_threshold_and_the_bound():
    figure = figure_of(with_paths(PATHS), HALVES)
    text = " ".join(Outline(figure).words()).replace("\N{NO-BREAK SPACE}", " ")
    assert "2 features reach the threshold with 4 features a half." in text
    assert "Expected among them are at most 0.83 false ones" in text
    assert "7 less frequent features not shown." in text
    assert "Dashed: the threshold, 75 % of the halves." in text
    # Two lines in the colour of the method and one behind them, for wide and narrow screens; their names once each.
    assert figure.count('class="line"') == 4
    assert figure.count('class="axis"') == 2
    assert figure.count('class="level all"') == 2
    assert re.findall(r"<td[^>]*>([^<]*)</td>", figure)[:6] == ["50 %", "90 %", "100 %", "10 %", "–", "80 %"]
    assert "<script" not in figure
    method = summary().tables[0].methods[0].name
    assert f"({method})?" in figure_of(with_paths(PATHS, n_methods=2), HALVES)


def test_without_paths_there_is_no_such_picture():
    assert figure_of(summary(), HALVES) is None
    nothing = replace(PATHS, features=(), frequencies=(), n_others=0)
    assert figure_of(with_paths(nothing), HALVES) is None
    one = replace(PATHS, sizes=(1,), features=("a",), frequencies=((0.2,),), n_others=0)
    assert "0 features reach the threshold with 1 feature a half." in figure_of(with_paths(one), HALVES).replace(
        "\N{NO-BREAK SPACE}", " "
    )
