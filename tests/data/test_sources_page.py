"""The page on sources of data: what it shows runs, and what it says of columns is so."""

from __future__ import annotations

import gzip
import io
import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fewest.data.column_kinds import reading_of_texts
from fewest.data.reading import _SUFFIXES
from fewest.data.text_numbers import MISSING_WORDS

from ..cli.running import run

PAGE = (Path(__file__).parents[2] / "docs/guide/sources.md").read_text("utf-8")


@pytest.fixture
def tables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    codes = random.integers(0, 2, 60)
    frame = pd.DataFrame(random.normal(size=(60, 12)) + codes[:, None], columns=[f"g{j}" for j in range(12)])
    frame.assign(**{"class": codes}).to_csv("table.csv", index=False)
    frame.assign(outcome=codes).to_csv("visits.csv.gz", index=False)
    Path("rows").mkdir()
    frame.assign(label=codes, count=1 + codes).to_parquet("rows/part.parquet")
    customers = frame.assign(CustomerID=range(60), notes="x", internal_a=1, churn=codes)
    customers.to_csv("customers.csv", index=False)
    turned = frame.assign(**{"class": codes}).T
    turned.columns = [f"s{row}" for row in range(60)]
    turned.to_csv("genes.tsv", sep="\t", index_label="gene")


@pytest.mark.usefixtures("tables")
def test_the_python_of_the_page_runs():
    (block,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    exec(compile(block, "docs/guide/sources.md", "exec"), {})


@pytest.mark.usefixtures("tables")
def test_the_commands_of_the_page_run(monkeypatch):
    (block,) = re.findall(r"^```\n(fewest.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    for line in block.splitlines():
        command, _, after = line.partition(" | ")
        if after:
            content = gzip.decompress(Path(shlex.split(command)[1]).read_bytes())
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        name, *words = shlex.split(after or command)
        assert name == "fewest"
        assert run(*words, "--method", "fisher-score", "--features", "2") == 0, line


def test_the_page_names_every_ending_and_every_word_for_missing():
    for suffix in (*_SUFFIXES, "-"):
        assert f"`{suffix}`" in PAGE or suffix in (".pq", ".parq", ".arrows", ".xlsm"), suffix
    for word in MISSING_WORDS:
        assert f"`{word}`" in PAGE or word == "", word


def test_the_texts_of_the_page_are_of_the_kinds_it_says():
    rows = re.findall(r"^\| (number|boolean|category|date)[^|]* \| ([^|]*) \|", PAGE, re.MULTILINE)
    assert [kind for kind, _ in rows] == ["number", "boolean", "category", "date"]
    for kind, texts in rows:
        for text in re.findall("`([^`]*)`", texts):
            assert reading_of_texts([text]).kind == kind, text
