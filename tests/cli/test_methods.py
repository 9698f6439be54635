"""fewest methods, the help, and wrong usage."""

from __future__ import annotations

import subprocess
import sys

import pytest

from fewest.cli import main
from fewest.selectors.registry import methods_by_name


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
        (["methods", "all"], "unexpected extra argument"),
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
