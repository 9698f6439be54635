"""Diagrams of estimators link to the page of each class, where it has one."""

from __future__ import annotations

import re
from importlib.metadata import metadata
from pathlib import Path

import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fewest
from fewest import MRMR
from fewest.selectors.columns import ColumnsMixin

INDEX = Path(__file__).parents[2] / "docs" / "api" / "index.md"
PUBLIC = {name: getattr(fewest, name) for name in fewest.__all__}
SELECTORS = {name for name, one in PUBLIC.items() if isinstance(one, type) and issubclass(one, ColumnsMixin)}


def test_diagram_links_to_the_page():
    link = MRMR()._get_doc_link()
    addresses = dict(entry.split(", ") for entry in metadata("fewest").get_all("Project-URL"))
    assert link == addresses["Documentation"] + "/api/generated/fewest.MRMR.html"
    assert f'href="{link}"' in MRMR()._repr_html_()
    assert f'href="{link}"' in make_pipeline(StandardScaler(), MRMR())._repr_html_()


def test_classes_without_a_page_have_no_link():
    class Own(MRMR):
        pass

    assert Own()._get_doc_link() == ""
    assert "fewest.Own" not in Own()._repr_html_()


@pytest.mark.skipif(not INDEX.exists(), reason="the documentation is not with the tests")
def test_every_linked_page_is_in_the_index():
    listed = set(re.findall(r"^ +(\w+)$", INDEX.read_text("utf-8"), re.MULTILINE))
    assert len(SELECTORS) > 30
    assert listed >= SELECTORS
