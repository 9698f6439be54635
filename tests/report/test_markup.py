"""Whatever is not HTML is text."""

from __future__ import annotations

import json

from markupsafe import Markup

from fewest.report.markup import css_string, embedded_json, joined, name_of, sentence, tag

from .comparisons import HOSTILE, STRANGE_NAMES


def test_text_in_an_element_and_in_an_attribute_is_escaped():
    assert tag("td", HOSTILE, title='"><b>') == (
        '<td title="&#34;&gt;&lt;b&gt;">&lt;img src=x onerror=alert(1)&gt;</td>'
    )


def test_what_is_html_already_is_left_alone():
    assert tag("p", tag("b", "1 < 2"), Markup("<br>")) == "<p><b>1 &lt; 2</b><br></p>"
    assert joined(["<", tag("i", "&")], ", ") == "&lt;, <i>&amp;</i>"


def test_attributes_that_are_none_are_left_out():
    assert tag("path", d="M0 0", class_=None, stroke_width=2) == '<path d="M0 0" stroke-width="2"/>'
    assert (
        tag("div", class_="a", aria_label="b", data_number=3) == '<div class="a" aria-label="b" data-number="3"></div>'
    )


def test_characters_that_no_page_can_hold_are_replaced():
    assert name_of("a\x00b\ud800c") == "<bdi>a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}c</bdi>"
    name_of("a\x00b\ud800c").encode("utf-8")


def test_embedded_json_cannot_end_its_element_and_reads_back():
    names = [*STRANGE_NAMES, "<!--", "\u2029"]
    written = embedded_json(names)
    assert not set("<>&\u2028\u2029") & set(written)
    assert json.loads(written) == names


def test_a_string_of_the_style_sheet_cannot_end_early():
    assert css_string("95 % a'b") == "'95\\20 \\25 \\20 a\\27 b'"
    for name in (*STRANGE_NAMES, "'; } body { display: none", "\\", "\n"):
        assert not set(css_string(name)[1:-1]) & set("'\"<>&;{}\n")


def test_a_name_in_a_sentence_does_not_turn_what_follows_it():
    assert sentence("Only \u202eabc was chosen in 50 % of the splits.") == (
        "Only abc was chosen in 50\N{NO-BREAK SPACE}% of the splits."
    )
    assert sentence("no significant difference among the 3 methods").startswith("No significant")
    assert sentence("mrmr is worse") == "mrmr is worse"


def test_words_and_texts_that_are_too_long_to_be_read_are_cut_but_attributes_are_not():
    assert str(tag("p", "x" * 10_000)) == f"<p>{'x' * 1000}…</p>"
    assert len(tag("p", "some words " * 1000)) == len("<p></p>") + 3000 + 1
    assert str(tag("path", d="1" * 10_000)) == f'<path d="{"1" * 10_000}"/>'
    assert css_string("'" * 5000).endswith("'")
