"""The pictures of the docs are what their scripts draw today.

A script in docs/figures has `pictures()`: the text of each picture, by its name below docs. Those of scaling.md are
drawn from stored measurements by benchmarks/scaling_page.py, and those of the papers by `fewest reproduce --stored`.
"""

from __future__ import annotations

import re
import runpy
from functools import cache

import pytest

from fewest.cli.main import commands
from fewest.start_up import begin

from .documents import DOCS, DOCUMENTS, IN_REPOSITORY, ROOT, links, target_of

#: report_picture.py needs a browser, and is run by hand.
SCRIPTS = sorted(path.name for path in DOCS.glob("figures/*.py") if path.name != "report_picture.py")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?![\w-])")
#: Scores may differ in the last bits from processor to processor: half a pixel, or one of the last printed digit.
TOLERANCE = 0.6
SECONDS = re.compile(r"\([\d.]+ m?s\)")


@cache
def drawn_by(script):
    return runpy.run_path(str(DOCS / "figures" / script))["pictures"]()


def differences(one, other):
    """What differs between two pictures by more than the tolerance, but for the seconds that something took."""
    one, other = (SECONDS.sub("(… s)", text) for text in (one, other))
    if NUMBER.sub("0", one) != NUMBER.sub("0", other):
        return [(one, other)]
    pairs = zip(NUMBER.findall(one), NUMBER.findall(other), strict=True)
    return [(a, b) for a, b in pairs if abs(float(a) - float(b)) > (TOLERANCE if float(a) > 1 else 0.011)]


@pytest.mark.parametrize("script", SCRIPTS)
def test_pictures_are_what_their_scripts_draw(script):
    pictures = drawn_by(script)
    assert pictures
    for name, text in pictures.items():
        assert differences((DOCS / name).read_text("utf-8"), text) == [], name


@pytest.mark.skipif(not IN_REPOSITORY, reason="benchmarks are in the repository alone")
def test_the_page_of_costs_and_its_pictures_are_drawn_from_the_stored_measurements(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import scaling_page

    assert scaling_page.page() == (DOCS / "scaling.md").read_text("utf-8")
    for axis in scaling_page.FIXED:
        assert scaling_page.figure(axis) == (DOCS / "figures" / f"scaling_{axis}.svg").read_text("utf-8")


def test_the_pages_and_pictures_of_the_papers_are_written_from_the_stored_measurements(tmp_path, capsys):
    options = ["--stored", "--quiet", "--resume", str(DOCS / "papers" / "measured"), "--markdown", str(tmp_path)]
    begin()
    commands.main(["reproduce", "all", *options], prog_name="fewest", standalone_mode=False)
    capsys.readouterr()
    written = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*.*")}
    papers = DOCS / "papers"
    committed = {
        path.relative_to(papers): path.read_bytes()
        for path in papers.rglob("*.*")
        if path.relative_to(papers).parts[0] != "measured"
    }
    assert sorted(written) == sorted(committed)
    assert [str(name) for name, content in committed.items() if written[name] != content] == []


def test_every_picture_that_a_page_shows_has_a_script():
    drawn = {DOCS / name for script in SCRIPTS for name in drawn_by(script)}
    for document in DOCUMENTS:
        for link in links(document):
            if link.endswith(".svg") and "://" not in link:
                path = target_of(document, link)
                is_stored = path.parent == DOCS / "papers" / "figures" or path.name.startswith("scaling_")
                assert is_stored or path in drawn, f"{document} shows {link}, which no script in docs/figures draws"


def test_what_differs_is_found():
    assert differences('<a x="1.5"/>', '<a x="1.9"/>') == []
    assert differences('<a x="1.5"/>', '<a x="9.5"/>') == [("1.5", "9.5")]
    assert differences("<a>0.49</a>", "<a>0.51</a>") == [("0.49", "0.51")]
    assert differences("keeps 6 (0.2 s)", "keeps 6 (3 ms)") == []
    assert differences("<a/>", "<b/>")
