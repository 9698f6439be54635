"""The page in a browser: what only a browser can tell."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from fewest.report.page import render
from fewest.summary import RecommendedFeature

from .comparisons import (
    HOSTILE,
    METHODS,
    STRANGE_NAMES,
    renamed,
    several,
    summary,
    with_failed,
    with_table,
    without_truth,
)
from .test_sections import DATA, TestNothingBeatsGuessing, with_classes


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The pages, by name."""
    folder = tmp_path_factory.mktemp("pages")
    best = replace(
        summary().tables[0].recommended, features=[RecommendedFeature(f"gene {i}", 0.5, 0.5, None) for i in range(45)]
    )
    many_classes = with_table(with_classes(26), recommended=best)
    pages = {
        "one": with_failed(without_truth()),
        "many": replace(several(), stopped="1 of 3 splits was done when it was stopped"),
        "hostile": renamed(summary(), dict(zip(METHODS, STRANGE_NAMES, strict=False))),
        "truth": summary(),
        "data": with_table(summary(), data=DATA),
        "classes": many_classes,
        "guessing": TestNothingBeatsGuessing.content,
    }
    for name, content in pages.items():
        (folder / f"{name}.html").write_text(render(content), "utf-8")
    return {name: (folder / f"{name}.html").as_uri() for name in pages}


@pytest.fixture
def opened(browser, files):
    """Opens a page; afterwards nothing must have been asked of the network, nor gone wrong."""
    contexts, wrong = [], []

    def opening(name="one", **options):
        context = browser.new_context(**{"viewport": {"width": 1100, "height": 900}, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: wrong.append(request.url) if request.url != files[name] else None)
        page.goto(files[name])
        return page

    yield opening
    for context in contexts:
        context.close()
    assert wrong == []


def names_in(page, section="#table-1-features"):
    return page.locator(f"{section} tbody tr:not([hidden]) th").all_text_contents()


def test_hostile_names_are_text_wherever_they_appear(opened):
    page = opened()
    assert page.locator("img").count() == 0
    assert page.get_by_text(HOSTILE, exact=True).count() > 0
    page.locator("#table-1-features thead button").first.click()
    assert sorted(names_in(page))[0] == STRANGE_NAMES[1]
    assert page.locator("img").count() == 0


def test_hostile_names_of_methods_are_text_in_the_box_under_the_pointer(opened):
    page = opened("hostile")
    plot = page.locator(".plot:has(.box):visible").first
    plot.hover(position={"x": 300, "y": 200})
    assert sorted(plot.locator(".box bdi").all_text_contents()) == sorted(STRANGE_NAMES[:5])
    assert page.locator("img").count() == 0


@pytest.mark.parametrize("name", ["one", "many"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_colour_schemes_have_their_own_paper_and_readable_ink(opened, name, scheme):
    page = opened(name, color_scheme=scheme)
    paper, ink = page.evaluate(
        "(({backgroundColor, color}) => [backgroundColor, color])(getComputedStyle(document.body))"
    )
    lightness = [sum(map(int, colour[4:-1].split(","))) / 3 for colour in (paper, ink)]
    assert (
        (lightness[0] > 230 and lightness[1] < 60) if scheme == "light" else (lightness[0] < 40 and lightness[1] > 200)
    )


@pytest.mark.parametrize("name", ["one", "many"])
@pytest.mark.parametrize("width", [320, 390, 768, 1100])
def test_the_page_never_scrolls_sideways(opened, name, width):
    page = opened(name, viewport={"width": width, "height": 800})
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("name", ["one", "many", "data", "classes", "guessing"])
@pytest.mark.parametrize("are_open", [False, True], ids=["folded", "unfolded"])
def test_on_a_telephone_nothing_is_wider_than_the_screen(opened, name, are_open):
    page = opened(name, viewport={"width": 390, "height": 844})
    if are_open:
        page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    # Only tables of more columns than a row can be a block of, which are folded, scroll in their own frame.
    wide = page.evaluate(
        """() => [...document.querySelectorAll('main *')]
          .filter((each) => each.getClientRects().length && !each.closest('svg, .unseen'))
          .filter((each) => !each.closest('details .scroll:has(tr > :nth-child(10))'))
          .filter((each) => {
            const { left, right } = each.getBoundingClientRect();
            const isCut = getComputedStyle(each).overflowX !== 'visible' && each.scrollWidth > each.clientWidth + 1;
            return left < -1 || right > 391 || isCut;
          }).map((each) => `${each.tagName} ${each.className} ${each.textContent.slice(0, 60)}`)"""
    )
    assert wide == []


def test_on_a_telephone_every_value_has_the_name_of_its_column(opened):
    page = opened(viewport={"width": 390, "height": 844})
    row = page.locator("#table-1-features tbody tr").first
    titles = row.locator("td").evaluate_all("each => each.map((td) => getComputedStyle(td, '::before').content)")
    heads = page.locator("#table-1-features thead th").all_text_contents()
    assert [title.strip('"') for title in titles] == heads[1:]
    page.locator("#table-1-features thead button", has_text="Order").click()
    assert page.locator("#table-1-features th[aria-sort=descending]").text_content() == "Order"


def test_long_lists_are_folded_and_searched_whole(opened):
    page = opened("classes")
    section = page.locator("#table-1-features")
    assert section.locator("tbody tr:visible").count() == 20
    section.locator("summary", has_text="Show all 45 features").click()
    assert section.locator("tbody tr:visible").count() == 45
    section.locator("summary", has_text="Show the first 20").click()
    assert section.locator("tbody tr:visible").count() == 20
    section.locator("input").fill("gene 44")
    assert section.locator("tbody tr:visible th").all_text_contents() == ["gene 44"]
    section.locator("input").fill("")
    assert section.locator("tbody tr:visible").count() == 20
    page.emulate_media(media="print")
    assert section.locator("tbody tr:visible").count() == 45


def test_words_in_pictures_stay_large_enough_on_a_telephone(opened):
    page = opened(viewport={"width": 390, "height": 844})
    # Those that are stretched have no words: these stand around them.
    assert page.locator(".plot svg.stretched text").count() == 0
    pictures = page.locator(".plot svg:visible:has(text)")
    assert pictures.count() > 5
    for picture in pictures.all():
        scale = picture.evaluate("svg => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width")
        assert 13 * scale >= 12


def test_no_word_of_a_picture_is_cut_off(opened):
    for name, width in product(("many", "classes"), (390, 1100)):
        page = opened(name, viewport={"width": width, "height": 800})
        outside = page.evaluate(
            """() => [...document.querySelectorAll('.plot svg')].filter((svg) => svg.getClientRects().length)
              .flatMap((svg) => [...svg.querySelectorAll('text')].filter((text) => {
                const box = text.getBoundingClientRect(), frame = svg.getBoundingClientRect();
                return box.left < frame.left - 2 || box.right > frame.right + 2
                  || box.top < frame.top - 2 || box.bottom > frame.bottom + 2;
              }).map((text) => text.textContent))"""
        )
        assert outside == []


def test_a_click_sorts_and_another_turns_the_order_round(opened):
    page = opened()
    head = page.locator("#table-1-features th", has_text="Chosen in")

    def shares():
        return [
            float(cell.get_attribute("data-by")) for cell in page.locator("#table-1-features td:nth-child(4)").all()
        ]

    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert shares() == sorted(shares(), reverse=True)
    head.locator("button").press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    assert shares() == sorted(shares())
    assert page.locator("#table-1-features [aria-sort]:not([aria-sort=none])").count() == 1


def test_rows_without_a_number_stay_last(opened):
    page = opened()
    section = page.locator("#table-1-method")
    button = section.locator("thead button", has_text="Rank").first
    for _ in range(2):
        button.click()
        last = section.locator("table").first.locator("tbody th").all_text_contents()[-2:]
        assert set(last) <= {"all features", "chosen inside", "guessing"}


def test_a_search_keeps_the_rows_that_match_and_moves_nothing_below(opened):
    page = opened()
    below = page.locator("#table-1-size")
    before = below.bounding_box()["y"]
    page.locator("#table-1-features input").fill("SCRIPT")
    assert names_in(page) == [STRANGE_NAMES[1]]
    assert page.locator("#table-1-features .tally").text_content() == "1 of 9 shown"
    assert below.bounding_box()["y"] == before
    page.locator("#table-1-features input").fill("")
    assert len(names_in(page)) == 9


def test_the_list_is_copied_as_it_is(opened):
    page = opened(permissions=["clipboard-read", "clipboard-write"])
    button = page.locator("#table-1-features button.copy")
    before = button.bounding_box()
    button.click()
    page.locator("#table-1-features button.done").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").split("\n") == [
        feature.name for feature in summary().tables[0].recommended.features
    ]
    assert button.bounding_box() == before


def test_copying_works_without_the_newer_clipboard(opened):
    page = opened(permissions=["clipboard-read"])
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }")
    page.locator("#made button.copy").click()
    page.locator("#made button.done").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").startswith("fewest compare")


def test_pointing_at_the_lines_shows_their_values(opened):
    page = opened()
    plot = page.locator(".plot:has(.box):visible").first
    plot.scroll_into_view_if_needed()
    height = plot.bounding_box()["height"]
    plot.hover(position={"x": 50, "y": 200})
    box = plot.locator(".box")
    assert box.is_visible()
    assert box.locator("p").text_content() == "1 feature"
    table = summary().tables[0]
    least = min(method.curves[table.recommended.classifier][0].error for method in table.methods)
    first = next(one for one in table.methods if one.name == box.locator("bdi").all_text_contents()[0])
    assert first.curves[table.recommended.classifier][0].error == least
    assert "%" in box.locator("span").first.text_content()
    assert plot.bounding_box()["height"] == height
    page.mouse.move(5, 5)
    assert not box.is_visible()


def test_the_arrow_keys_show_the_values_too(opened):
    page = opened(viewport={"width": 390, "height": 844})
    plot = page.locator(".plot:has(.box):visible").first
    button = page.locator("#table-1-size .panel:visible .legend button").last
    button.focus()
    page.keyboard.press("Tab")
    title = plot.locator(".box p")
    assert title.text_content() == "9 features"
    page.keyboard.press("Home")
    assert title.text_content() == "1 feature"
    page.keyboard.press("ArrowRight")
    assert title.text_content() == "2 features"
    page.keyboard.press("End")
    assert title.text_content() == "30 features"
    page.keyboard.press("Escape")
    assert not plot.locator(".box").is_visible()


def test_true_columns_found_show_under_the_pointer_most_first(opened):
    page = opened("truth")
    figure = page.locator("figure", has_text="Do the true columns come first?")
    plot, box = figure.locator(".plot"), figure.locator(".box")
    plot.focus()
    page.keyboard.press("Home")
    assert box.locator("p").text_content() == "0 % of the others"
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert box.locator("p").text_content() == "5 % of the others"
    shares = [float(share.removesuffix(" %")) for share in box.locator("span").all_text_contents()]
    assert shares == sorted(shares, reverse=True)
    # The height of each curve at 5 % of the others, between its points.
    for method in summary().tables[0].methods:
        x, y = np.array(method.truth.curve).T
        later = x > 0.05
        before, after = np.flatnonzero(~later)[-1], np.flatnonzero(later)[0]
        height = y[before] + (y[after] - y[before]) * (0.05 - x[before]) / (x[after] - x[before])
        assert shares[box.locator("bdi").all_text_contents().index(method.name)] == pytest.approx(100 * height, abs=0.6)
    figure.locator("button.key", has_text="relieff").click()
    plot.focus()
    page.keyboard.press("End")
    assert sorted(box.locator("bdi").all_text_contents()) == sorted(set(METHODS) - {"relieff"})


def test_marks_are_drawn_in_the_colour_of_their_method(opened):
    page = opened("truth")
    colours = page.evaluate(
        """() => [...document.querySelectorAll('.curve [style*="marker"]')].map((line) => {
          const mark = document.getElementById(line.style.markerStart.match(/#([^"')]+)/)[1]).firstElementChild;
          return [getComputedStyle(line).getPropertyValue('--c'), getComputedStyle(mark).getPropertyValue('--c')];
        })"""
    )
    assert len(colours) == 5 * 2 * 4  # methods, wide and narrow; three classifiers and the true columns
    assert all(line == mark != "" for line, mark in colours)
    # They are seen: without them the cloud of points is empty, and nothing of it is left.
    cloud = page.locator("figure", has_text="Which two of them separate the classes best?").locator(".plot")
    before = cloud.screenshot()
    page.evaluate("document.querySelectorAll('marker').forEach((each) => each.remove())")
    assert cloud.screenshot() != before


def test_the_legend_switches_a_line_off_and_on(opened):
    page = opened()
    figure = page.locator("figure:has(.box):visible").first
    key = figure.locator("button.key", has_text="relieff")
    line = figure.locator("svg.wide .curve[data-number='1'] .line")
    assert line.is_visible()
    key.click()
    assert key.get_attribute("aria-pressed") == "false"
    assert not line.is_visible()
    figure.locator(".plot").hover(position={"x": 300, "y": 200})
    assert sorted(figure.locator(".box bdi").all_text_contents()) == sorted(set(METHODS) - {"relieff"})
    key.press("Space")
    assert line.is_visible()


def test_the_switches_between_classifiers_move_together(opened):
    page = opened()
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    page.locator("#table-1-size label", has_text="naive Bayes").click()
    for part in ("size", "method"):
        shown = page.locator(f"#table-1-{part} .panel:visible")
        assert [panel.get_attribute("data-classifier") for panel in shown.all()] == ["nb"]
        assert page.locator(f"#table-1-{part} input[value=nb]").is_checked()
    page.keyboard.press("ArrowLeft")
    assert page.locator("#table-1-method .panel:visible").get_attribute("data-classifier") == "knn"


def test_without_scripts_everything_can_be_read(opened):
    page = opened(java_script_enabled=False)
    assert page.locator("#table-1-size .panel:visible").count() == 3
    assert page.locator("input:visible, .copy:visible").count() == 0
    assert page.get_by_text("Classifier: naive Bayes").first.is_visible()


def test_it_prints_black_on_white_without_controls(opened):
    page = opened(color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator(".tools:visible, .switch:visible, button.copy:visible").count() == 0
    assert page.locator(".plot svg.wide:visible").count() > 5
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_there_are_four_sizes_of_type(opened):
    page = opened()
    sizes = page.evaluate(
        """() => [...new Set([...document.querySelectorAll('main *')]
          .filter((each) => [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
          .map((each) => getComputedStyle(each).fontSize))]"""
    )
    assert len(sizes) <= 4
