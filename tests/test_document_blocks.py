"""Every block of code in the README and the docs runs as it is printed, on small files of the names that it uses.

Python blocks of one document run one after the other, in one namespace. A block of commands is fenced, or indented
lines that begin with a program. Where a block does not say in how many splits, inner folds and sizes, and with which
classifiers, methods are compared, these are few. Experiments of hours are not run, but their options and names are.
"""

from __future__ import annotations

import doctest
import gzip
import io
import json
import re
import shlex
import tomllib
from inspect import signature
from itertools import pairwise
from pathlib import Path

import click
import pytest
import yaml

from fewest.cli.main import commands
from fewest.evaluation.run.comparing import compare
from fewest.papers.papers_by_name import paper_by_name
from fewest.selectors.registry import method_by_name
from fewest.start_up import begin

from .documents import DOCUMENTS, IN_REPOSITORY, ROOT, SHELL, Block, blocks, blocks_of, mentions, parse
from .placeholder_files import make_files

#: What is not for fewest to run: installing, the tests themselves, the tools of developers.
NOT_OURS = ("pip", "pytest", ".ci/run", "git", "sphinx-build", "cibuildwheel", ".")
#: Languages that are not run: text as a terminal shows it, formulas, and configuration, which is parsed.
TEXT = ("text", "none")
CONFIGURATION = {"json": json.loads, "toml": tomllib.loads, "yaml": yaml.safe_load}


def run_commands(block, document, monkeypatch):
    for command in block.commands:
        source, pipe, filter_command = command.partition(" | ")
        program, *arguments = shlex.split(filter_command or source)
        if program in ("python", "python3") and not pipe:
            check_script(arguments)
        elif program == "fewest" and arguments[:1] == ["reproduce"] and len(arguments) > 1:
            check_experiment(arguments[1:])
        elif program == "fewest":
            if pipe:
                name = re.fullmatch(r"z?cat (\S+)", source)[1]
                content = gzip.decompress(Path(name).read_bytes()) if name.endswith(".gz") else Path(name).read_bytes()
                monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
            few = {"inner": 2, "sizes": "1,3", "jobs": 1, "classifiers": "nb,knn"}
            few |= {} if "--split" in arguments else {"outer": "2"}
            begin()
            commands.main(arguments, prog_name="fewest", standalone_mode=False, default_map={"compare": few})
        else:
            assert program in NOT_OURS, f"{document} shows a command that nothing runs: {command}"


def check_experiment(arguments):
    """`fewest reproduce`, which takes hours: its options are parsed, and the paper has the items."""
    commands.get_command(None, "reproduce").make_context("reproduce", list(arguments))
    check_items(arguments)


def check_items(words):
    """The first word is a paper, which has the items that are named."""
    if words and words[0].islower() and words[0] != "all":
        paper_by_name(words[0]).find([name for flag, name in pairwise(words) if flag == "--item"])


def check_script(arguments):
    """A script of the repository exists and knows the options and the benchmarks that are named."""
    if arguments[0] == "-m":
        assert arguments[1] in ("venv", "build", "nanobind.stubgen", "pip", "pytest", "fewest"), arguments
        return
    if arguments[0].startswith("benchmarks/") and not IN_REPOSITORY:
        return
    script = ROOT / arguments[0]
    text = script.read_text("utf-8")
    for argument in arguments[1:]:
        if argument.startswith("--"):
            assert f'"{argument.partition("=")[0]}"' in text, f"{script.name} has no {argument}"
        elif script.name == "run.py" and script.parent.name == "benchmarks":
            assert f'"{argument}"' in text, f"{script.name} has no {argument}"


@pytest.mark.parametrize("document", DOCUMENTS)
@pytest.mark.filterwarnings("ignore::fewest.FewestWarning", "ignore:The inplace keyword")
def test_every_block_runs_as_printed(document, tmp_path, monkeypatch, capsys):
    for name, value in {"outer": 2, "inner": 2, "sizes": [1, 3]}.items():
        monkeypatch.setitem(compare.__kwdefaults__, name, value)
    namespace = {"__name__": "builtins"}
    found = blocks(document)
    if found:
        make_files(tmp_path)
        monkeypatch.chdir(tmp_path)
    for block in found:
        if block.language == "python":
            exec(compile(block.text, document, "exec", dont_inherit=True), namespace)
        elif block.language == "pycon":
            test = doctest.DocTestParser().get_doctest(block.text, namespace, document, document, 0)
            assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed == 0
        elif block.language in SHELL:
            run_commands(block, document, monkeypatch)
        elif block.language in CONFIGURATION:
            CONFIGURATION[block.language](block.text)
        else:
            assert block.language in TEXT, f"{document} has a block of {block.language}, which nothing runs"
    capsys.readouterr()


@pytest.mark.parametrize("document", DOCUMENTS)
def test_commands_and_options_among_the_words_exist(document):
    groups = {name: commands.get_command(None, name) for name in commands.list_commands(None)}
    options = {
        name: {flag for one in group.params for flag in (*one.opts, *one.secondary_opts)}
        for name, group in groups.items()
    }
    known = {*set().union(*options.values()), "--help", "--version"}
    scripts = "".join(path.read_text("utf-8") for path in ROOT.glob("benchmarks/*.py"))
    for mention in mentions(document):
        words = [word.strip("\"'…") for word in mention.replace("=", " ").split()]
        flags = {word for word in words if re.fullmatch(r"--[a-z-]+", word)}
        if words and words[0] == "fewest" and len(words) > 1 and not words[1].startswith("-"):
            assert words[1] in groups, f"{document}: {mention}"
            assert flags - {"--help"} <= options[words[1]], f"{document}: {mention}"
            if words[1] == "reproduce":
                check_items(words[2:])
        elif words and words[0].startswith("--"):
            assert all(flag in known or f'"{flag}"' in scripts for flag in flags), f"{document}: {mention}"
        elif words and words[0] == "python" and "…" not in mention:
            check_script(shlex.split(mention)[1:])
        check_parameters(mention)


def check_parameters(mention):
    """What `--set` sets is a parameter of the method that `--method` names."""
    method = re.search(r"--method ([a-z0-9-]+)", mention)
    for name in re.findall(r"--set \"?(\w+)=", mention):
        assert method is None or name in signature(method_by_name(method[1])).parameters, mention


def test_blocks_are_found_in_every_form():
    page = (
        "Text:\n\n    fewest select wine  # one\n    J(x) = Σ\n    fewest: a message\n\n"
        "````{tip}\n```python\n1\n```\n````\n\n"
        ":::{tab-item} Shell\n:sync: sh\n```sh\nfewest check wine\n```\n:::\n"
        "```{code-block} python\n:linenos:\n2\n```\n\n```{toctree}\nx\n```\n"
    )
    assert list(blocks_of(parse(page))) == [
        Block("sh", "fewest select wine  # one"),
        Block("python", "1\n"),
        Block("sh", "fewest check wine\n"),
        Block("python", "2\n"),
    ]


def test_commands_are_taken_apart():
    assert list(Block("sh", "pip install . && fewest compare wine  # fast\n# no more\n").commands) == [
        "pip install .",
        "fewest compare wine",
    ]
    assert list(Block("sh", "$ fewest select wine \\\n    --features 3\n").commands) == [
        "fewest select wine --features 3"
    ]
    assert list(Block("sh", "zcat a.gz | fewest select -\n").commands) == ["zcat a.gz | fewest select -"]


def test_there_are_blocks_and_they_are_found():
    found = [block for document in DOCUMENTS for block in blocks(document)]
    assert sum(block.language == "python" for block in found) > 50
    assert sum(len(list(block.commands)) for block in found if block.language in SHELL) > 80


def test_what_does_not_exist_is_refused(monkeypatch):
    for arguments in (["mkl", "--itme", "T1"], ["mkl", "--item", "T99"], ["mlk"]):
        with pytest.raises((click.UsageError, ValueError)):
            check_experiment(arguments)
    if IN_REPOSITORY:
        for arguments in (["run.py", "no_such_benchmark"], ["scaling.py", "--no-such-option"]):
            with pytest.raises(AssertionError):
                check_script([f"benchmarks/{arguments[0]}", arguments[1]])
    with pytest.raises(AssertionError, match="nothing runs"):
        run_commands(Block("sh", "unknown program"), "page", monkeypatch)
    with pytest.raises(click.UsageError):
        run_commands(Block("sh", "fewest select wine --no-such-option"), "page", monkeypatch)
