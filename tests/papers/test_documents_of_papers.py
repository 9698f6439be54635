"""The committed pages list every item as it is declared."""

from __future__ import annotations

from pathlib import Path

import pytest

from fewest.papers.papers_by_name import all_papers

PAGES = Path(__file__).parents[2] / "docs" / "papers"


@pytest.mark.parametrize("paper", all_papers(), ids=lambda paper: paper.name)
def test_every_item_is_on_its_page_and_on_the_front_page(paper):
    own = (PAGES / f"{paper.name.replace('-', '_')}.md").read_text("utf-8")
    front = (PAGES / "README.md").read_text("utf-8")
    assert own.startswith(f"# {paper.title}\n")
    assert paper.reference in own
    for item in paper.items:
        line = f"| {', '.join((item.name, *item.others))} | {item.title} | "
        assert line in own
        assert line in front


def test_the_repository_has_the_tables_whose_terms_are_known():
    from fewest.papers.declarations import Run
    from fewest.papers.experiments.known_tables import KNOWN_TABLES

    folder = PAGES.parents[1] / "data" / "papers"
    readme = (folder / "README.md").read_text("utf-8")
    for table in KNOWN_TABLES.values():
        if table.terms is not None:
            data = table.load(Run(data=folder).data)
            assert data.X.shape == table.shape
            assert table.sha256 in readme
            assert (folder / f"{table.name}.npz").stat().st_size <= 100_000
