"""fewest reproduce."""

from __future__ import annotations

import pytest

from fewest.papers.papers_by_name import all_papers

from .running import refused, run


def test_it_lists_papers_and_items(capsys):
    assert run("reproduce") == 0
    printed = capsys.readouterr().out
    for paper in all_papers():
        assert f"{paper.name}: {paper.authors}" in printed
        for item in paper.items:
            assert item.title in printed
    assert "(nothing to compare)" in printed
    assert "--data with usps" in printed
    assert "in the repository: sonar" in printed


def test_it_runs_an_item_and_writes_pages(tmp_path, capsys):
    arguments = ["reproduce", "fisher-markov", "--item", "F8", "--quick", "--jobs", "1", "-q"]
    work, docs = str(tmp_path / "work"), tmp_path / "docs"
    assert run(*arguments, "--resume", work, "--report", str(tmp_path / "page.html"), "--markdown", str(docs)) == 0
    first = capsys.readouterr().out
    assert "fewest reproduce fisher-markov --item F8 --quick · quick run · seed 0" in first
    assert "Iris" in (docs / "fisher_markov.md").read_text("utf-8")
    assert "<h2>" in (tmp_path / "page.html").read_text("utf-8")
    # Nothing is run: all is stored.
    assert run("reproduce", "all", "--stored", "--resume", work, "--markdown", str(docs)) == 0
    assert capsys.readouterr().out.splitlines()[0] == first.splitlines()[0]
    assert "**" in (docs / "README.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["mkll"], "There is no paper 'mkll' (did you mean 'mkl'?)"),
        (["mkl", "--item", "T9"], "has no item 'T9'"),
        (["kernel-separability", "--item", "F2"], "cannot be run: nothing to compare"),
        (["mkl", "--stored"], "--stored shows what a folder holds"),
        (["mkl", "--data", "/nowhere"], "--data takes a folder"),
        (["--item", "T1"], "Name the paper too"),
    ],
)
def test_wrong_usage_is_refused(arguments, message, capsys):
    assert run("reproduce", *arguments) == 1
    assert message in refused(capsys)
