"""Every block of code in the README and the docs runs as it is printed, on small files of the names that it uses.

Python blocks of one document run one after the other, in one namespace. A block of commands is fenced, or indented
lines that begin with fewest. Where a block does not say in how many splits, inner folds and sizes methods are compared,
these are few.
"""

from __future__ import annotations

import doctest
import gzip
import io
import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from fewest.cli.main import commands
from fewest.evaluation.run.comparing import compare
from fewest.start_up import begin

ROOT = Path(__file__).parents[1]
# The pages of the papers are written by `fewest reproduce`, and have tests of their own (tests/papers).
DOCUMENTS = [
    "README.md",
    "CONTRIBUTING.md",
    *sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("docs/**/*.md") if path.parent.name != "papers"),
]
FENCE = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```$|^    (?P<line>fewest [^\n]*)$", re.MULTILINE | re.DOTALL)
# What is not for fewest to run: installing, the tests themselves, the tools of developers, and experiments of hours,
# which have tests of their own (tests/papers).
NOT_OURS = (
    "fewest reproduce ",
    "pip ",
    "python -m venv",
    "python3 -m venv",
    ". .venv",
    "pytest",
    ".ci/run",
    "python benchmarks",
    "python -m nanobind",
    "git ",
    "sphinx-build",
)


def blocks(document):
    """The language and text of each block; an indented command is a block of its own."""
    text = (ROOT / document).read_text("utf-8")
    return [
        ("sh", found["line"]) if found["line"] else (found["language"], found["text"]) for found in FENCE.finditer(text)
    ]


def lines_of(block):
    """The commands of a block, without comments."""
    for line in block.splitlines():
        for part in line.split(" && "):
            command = shlex.join(shlex.split(part, comments=True)).replace(" '|' ", " | ")
            if command and not command.startswith(NOT_OURS):
                yield command


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the files that the documents name."""
    rng = np.random.default_rng(0)

    def table(n_rows, n_columns, classes):
        codes = rng.permutation(np.arange(n_rows) % len(classes))
        values = rng.normal(size=(n_rows, n_columns))
        values[:, : n_columns // 3] += 1.5 * codes[:, None]
        return values, np.array(classes)[codes]

    def frame(target, *size):
        values, labels = table(*size)
        return pd.DataFrame(values.round(4)).add_prefix("x").assign(**{target: labels})

    frame("class", 60, 9, ["a", "b"]).to_csv(tmp_path / "table.csv", index=False)
    frame("state", 60, 8, ["on", "off", "idle"]).to_csv(tmp_path / "sensors.csv", index=False)
    customers = frame("churn", 60, 6, ["yes", "no"]).assign(CustomerID=np.arange(7000, 7060), notes="", internal_a=1)
    customers.to_csv(tmp_path / "customers.csv", index=False)
    patients = np.repeat(np.arange(20), 3)
    visits = frame("class", 60, 6, ["a", "b"]).assign(patient=[f"p{number}" for number in patients])
    visits["class"] = visits["class"].to_numpy()[::3][patients]
    visits.to_csv(tmp_path / "visits.csv", index=False)
    visits.rename(columns={"class": "outcome"}).to_csv(tmp_path / "visits.csv.gz", index=False)
    frame("class", 60, 6, ["a", "b"]).assign(part=["train", "test", "train"] * 20).to_csv(
        tmp_path / "parts.csv", index=False
    )
    (tmp_path / "rows").mkdir()
    for number in range(2):
        rows = frame("label", 40, 24, ["u", "v"]).assign(count=rng.integers(1, 4, 40))
        rows.to_parquet(tmp_path / "rows" / f"part-{number}.parquet")
    values, labels = table(40, 60, ["normal", "tumour"])
    np.savez(tmp_path / "genes.npz", X=values, y=labels)
    np.savez(tmp_path / "leukemia.npz", X=values, y=labels, train=np.arange(40) % 3 != 0)
    samples = pd.DataFrame(values.round(4)).add_prefix("g").assign(**{"class": labels})
    samples.set_axis([f"s{i}" for i in range(40)]).T.to_csv(tmp_path / "genes.tsv", sep="\t")
    counts = sparse.csr_matrix(rng.poisson(0.3, (50, 20)).astype(float))
    parts = {"data": counts.data, "indices": counts.indices, "indptr": counts.indptr, "shape": counts.shape}
    np.savez(tmp_path / "counts.npz", **parts, y=rng.integers(0, 2, 50))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("document", DOCUMENTS)
@pytest.mark.filterwarnings("ignore::fewest.FewestWarning", "ignore:The inplace keyword")
def test_every_block_runs_as_printed(document, folder, monkeypatch, capsys):
    for name, value in {"outer": 2, "inner": 2, "sizes": [1, 3]}.items():
        monkeypatch.setitem(compare.__kwdefaults__, name, value)
    namespace = {"__name__": "builtins"}
    for language, text in blocks(document):
        if language == "python":
            exec(compile(text, document, "exec", dont_inherit=True), namespace)
        elif language == "pycon":
            test = doctest.DocTestParser().get_doctest(text, namespace, document, document, 0)
            assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed == 0
        else:
            for command in lines_of(text):
                source, pipe, filter_command = command.partition(" | ")
                if pipe:
                    content = gzip.decompress(Path(source.removeprefix("zcat ")).read_bytes())
                    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
                program, *arguments = shlex.split(filter_command or source)
                assert program == "fewest", f"{document} shows a command that nothing runs: {command}"
                few = {"inner": 2, "sizes": "1,3", "jobs": 1} | ({} if "--split" in arguments else {"outer": "2"})
                begin()
                commands.main(arguments, prog_name="fewest", standalone_mode=False, default_map={"compare": few})
    capsys.readouterr()


def test_there_are_blocks_and_they_are_found():
    assert blocks("docs/methods/wrapper.md")[0] == ("sh", "fewest select wine --method wrapper")
    assert sum(len(blocks(document)) for document in DOCUMENTS) > 40
    assert list(lines_of("pip install . && fewest compare wine  # fast\n")) == ["fewest compare wine"]
