"""fewest methods, the help, and wrong usage."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

from fewest.cli import main
from fewest.cli.methods import page_of
from fewest.selectors.registry import methods_by_name

ROOT = Path(__file__).parents[2]


def exit_code(arguments):
    """What the process would exit with; a command that returns exits with 0."""
    try:
        main(arguments)
    except SystemExit as stop:
        return stop.code
    return 0


def test_every_method_says_what_it_does_takes_proves_and_costs(capsys):
    assert exit_code(["methods"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 * len(methods_by_name())
    for first, second, name in zip(lines[::2], lines[1::2], methods_by_name(), strict=True):
        assert first.split()[0] == name
        assert len(first.split()) > 1
        assert all(word in second for word in ("takes ", "; proves ", "; costs "))
        assert max(len(first), len(second)) <= 170


@pytest.mark.parametrize("name", methods_by_name())
def test_one_method_is_explained_with_its_formula_cost_parameters_and_page(name, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    assert exit_code(["methods", name]) == 0
    out = capsys.readouterr().out
    kind = methods_by_name()[name]
    assert out.startswith(f"{name}: {kind.summary}\n")
    assert kind.formula
    for fact in ("formula", "takes", "proves", "costs", "Python", "page"):
        assert f"\n  {fact}" in out
    for parameter in inspect.signature(kind).parameters:
        assert f"\n  {parameter} " in out
    assert out.count("default=") >= len(inspect.signature(kind).parameters) - 2
    assert (ROOT / page_of(name)).exists()
    assert max(map(len, out.splitlines()[2:])) <= 100


@pytest.mark.parametrize("written", ["Fisher-Markov", "fisher_markov", "FisherMarkov", " FISHERMARKOV "])
def test_a_method_may_be_written_in_any_case_and_with_underscores(written, capsys):
    assert exit_code(["methods", written]) == 0
    assert capsys.readouterr().out.startswith("fisher-markov: ")


def test_an_unknown_method_has_its_nearest_name(capsys):
    assert exit_code(["methods", "Fisher_Markow"]) == 1
    assert "There is no method 'Fisher_Markow' (did you mean 'fisher-markov'?)" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["select", "--help"], ["methods", "-h"]])
def test_help_is_no_error(arguments, capsys):
    assert exit_code(arguments) == 0
    out, err = capsys.readouterr()
    assert out.startswith("Usage: fewest")
    assert err == ""


def test_the_version_is_that_of_the_package(capsys):
    from importlib.metadata import version

    assert exit_code(["--version"]) == 0
    assert version("fewest") in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["choose"], "No such command 'choose'"),
        (["select"], "Missing argument 'DATA"),
        (["select", "wine", "--featres", "3"], "No such option"),
        (["select", "wine", "--target"], "requires an argument"),
        (["methods", "mrmr", "relief"], "unexpected extra argument"),
    ],
)
def test_wrong_usage_exits_with_2(arguments, says, capsys):
    assert exit_code(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert says in err


def test_help_does_not_wait_for_scikit_learn():
    code = (
        "import sys\n"
        "from fewest.cli import main\n"
        "try:\n"
        "    main(['--help'])\n"
        "except SystemExit as stop:\n"
        "    assert not stop.code\n"
        "slow = {'sklearn', 'scipy', 'numpy', 'pandas', 'polars', 'pyarrow', 'narwhals', 'rich'} & set(sys.modules)\n"
        "assert not slow, slow\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "select" in done.stdout
    assert "methods" in done.stdout


@pytest.mark.parametrize("command", ["methods mrmr", "check wine", "select wine --features 2 --method fisher-markov"])
def test_pandas_is_not_imported_for_nothing_and_can_be_afterwards(command):
    code = (
        "import sys; from fewest.cli import main; main(sys.argv[1:]); "
        "found = set(sys.modules) & {'sklearn', 'pandas'}; "
        "import pandas as pd; print(*found, len(pd.DataFrame([1])))"
    )
    done = subprocess.run([sys.executable, "-c", code, *command.split()], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "sklearn 1"
