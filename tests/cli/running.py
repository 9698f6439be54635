"""The command as a test runs it."""

from __future__ import annotations

from fewest.cli.main import main


def run(*arguments):
    """The exit code."""
    try:
        main(list(arguments))
    except SystemExit as stop:
        return stop.code
    return 0


def refused(capsys):
    """The one line that a refused run leaves on standard error."""
    out, err = capsys.readouterr()
    assert out == ""
    (line,) = err.splitlines()
    assert line.startswith("fewest: ")
    return line
