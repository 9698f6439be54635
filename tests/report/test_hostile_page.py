"""Names that are very long, turn the writing direction, or look like code: inert, and the layout holds."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest

from fewest.report.page import render

from .comparisons import names_in, renamed, several, summary

NASTY = {
    "long": "x" * 10_000,
    "long words": "gene expression " * 625,
    "right to left": "שלום \u202eabc\u2067def\u200f" + "مرحبا" * 20,
    "zero width": "a\u200b\u200c\u200d\u2060\ufeffb" * 50,
    "line separators": "x\u2028y\u2029z\x85w\nv",
    "script": "</script><script>document.title = 'owned'</script>",
    "style": "</style><style>body { display: none }</style>",
    "comment": "<!--<script>--><![CDATA[",
    "attribute": "\" onload=\"document.title='owned'\" x='",
    "template": "{{ 7 * 7 }}{% raw %}${alert(1)}",
    "formula": '=HYPERLINK("http://example.org")',
    "combining": "e" + "\u0301" * 500,
}


def with_names(content, nasty):
    return renamed(content, {name: f"{number} {nasty}" for number, name in enumerate(names_in(content))})


def sources(policy, directive):
    return re.search(rf"(?:^|; ){directive} ([^;]*)", policy).group(1).split()


def hashes_of(page, tag):
    return {
        f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
        for text in re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
    }


def test_the_policy_allows_the_scripts_and_style_sheets_of_the_page_and_nothing_else():
    page = render(summary())
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page).group(1)
    assert sources(policy, "default-src") == ["'none'"]
    assert sources(policy, "base-uri") == sources(policy, "form-action") == ["'none'"]
    assert set(sources(policy, "script-src")) == hashes_of(page, "script")
    assert set(sources(policy, "style-src-elem")) == hashes_of(page, "style")
    assert not re.search(r"https?:|\*|data:|blob:|unsafe-eval", policy)
    # It comes before anything that it should hold for.
    assert page.index("Content-Security-Policy") < min(
        page.index("<style"), page.index("<title"), page.index("<script")
    )


@pytest.mark.parametrize(("name", "content"), [*((name, summary) for name in NASTY), ("long", several)])
def test_whatever_names_hold_nothing_runs_and_nothing_is_wider_than_the_screen(name, content, browser, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(render(with_names(content(), NASTY[name])), "utf-8")
    for width in (390, 1280):
        context = browser.new_context(viewport={"width": width, "height": 850})
        page, wrong = context.new_page(), []
        page.on("console", lambda message, wrong=wrong: wrong.append(message.text))
        page.on("pageerror", lambda error, wrong=wrong: wrong.append(str(error)))
        page.on("request", lambda request, wrong=wrong: wrong.append(request.url))
        page.goto(path.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate("getComputedStyle(document.body).display") == "block"
        assert not page.title().startswith("owned")
        assert wrong == [path.as_uri()]
        context.close()


def test_what_a_name_might_smuggle_in_is_blocked_by_the_policy(browser, tmp_path):
    path = tmp_path / "page.html"
    # As if a name were not escaped.
    smuggled = (
        "<style>body{display:none}</style><script>document.title='owned'</script>"
        "<img src='https://example.org/x.png'><link rel=stylesheet href='https://example.org/x.css'>"
        "<iframe src='https://example.org'></iframe><object data='https://example.org/x'></object>"
        "<b id=odd onclick=\"document.title='owned'\">x</b>"
    )
    path.write_text(render(summary()).replace("<main>", f"{smuggled}<main>"), "utf-8")
    page = browser.new_page()
    answered, refused = [], []
    page.on("response", lambda response: answered.append(response.url))
    page.on("requestfailed", lambda request: refused.append(request.failure))
    page.goto(path.as_uri())
    page.locator("#odd").click()
    page.evaluate("fetch('https://example.org').catch(() => 0)")
    # What is refused by the policy never leaves the browser.
    assert answered == [path.as_uri()]
    assert set(refused) <= {"csp"}
    assert page.title() != "owned"
    assert page.evaluate("getComputedStyle(document.body).display") == "block"
    page.close()
