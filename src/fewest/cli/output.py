"""What the commands print and write: text that is safe to print, files that are never overwritten unasked."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import click

from fewest.atomic_files import check_folder, write_atomically
from fewest.errors import UnwritableFile

#: The exit code of a command whose standard output was closed: 128 and the number of SIGPIPE.
CLOSED = 141


def printable(text: str) -> str:
    """Replace each character that would break the line or control the terminal."""
    return "".join(character if character.isprintable() else "�" for character in text)


#: Whether standard output was closed by its reader; a list, so that it can be set.
_is_closed: list[bool] = []


def echo(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print; a reader that has closed standard output is left alone, and the rest of the work is done."""
    try:
        click.echo(text, err=err, nl=nl)
    except BrokenPipeError:
        if not err:
            _is_closed.append(True)
        # What is still buffered would fail again when Python ends.
        with suppress(OSError, ValueError), open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), (sys.stderr if err else sys.stdout).fileno())
    except OSError as error:
        where = "error" if err else "output"
        raise UnwritableFile(f"Standard {where} cannot be written: {error.strerror or error}.") from None


def finish_standard_output() -> None:
    """Exit as a program does that SIGPIPE ends, where the reader of standard output has closed it."""
    if _is_closed:
        _is_closed.clear()
        sys.exit(CLOSED)


class Outputs:
    """The outputs of a command, refused before any work is done if one exists or cannot be written.

    The name - is standard output, which then has nothing else: what the command says goes to standard error.
    """

    def __init__(self, names: Sequence[str | None], force: bool) -> None:
        given = [name for name in names if name]
        if given.count("-") > 1:
            raise UnwritableFile("Two outputs are named -, which is standard output. Give one of them a file.")
        self._is_piped = "-" in given
        check_writable([Path(name) for name in given if name != "-"], force)

    def say(self, text: str) -> None:
        """Print for people. Where nobody reads it any more, such as `| head -1`, files are written nevertheless."""
        echo(text, err=self._is_piped)

    def write(self, name: str, text: str, content: str) -> None:
        """Write a text file, completely or not at all, and say so; or print the text, where the name is -."""
        if name == "-":
            if sys.stdout is None:
                raise UnwritableFile(f"The {content} cannot be written to standard output: it is closed. Name a file.")
            echo(text, nl=not text.endswith("\n"))
            return
        write_atomically(Path(name), lambda path: path.write_text(text, "utf-8"))
        self.say(f"{content} written to {name}")


def check_writable(paths: Sequence[Path], force: bool) -> None:
    """Raise, before any work is done, if an output exists or cannot be written."""
    for position, path in enumerate(paths):
        try:
            _check_path(path, force)
        except UnwritableFile:
            raise
        except OSError as error:
            raise UnwritableFile(f"{path} cannot be written: {error.strerror}. Name another file.") from None
        if path.absolute() in [other.absolute() for other in paths[:position]]:
            raise UnwritableFile(f"{path} is named for two outputs. Give each its own file.")


def _check_path(path: Path, force: bool) -> None:
    if path.is_dir():
        raise UnwritableFile(f"{path} is a folder. Name a file in it.")
    if path.exists() and not path.is_file():
        # Such as /dev/null, which renaming a file to it would replace.
        raise UnwritableFile(f"{path} is not a regular file. Name another file.")
    if path.exists() and not force:
        raise UnwritableFile(f"{path} exists. Name another file, or overwrite it with --force.")
    folder = path.parent
    if not folder.is_dir():
        raise UnwritableFile(f"{path} cannot be written: there is no folder {folder}. Make it first.")
    if not os.access(folder, os.W_OK):
        raise UnwritableFile(f"{path} cannot be written: the folder {folder} is not writable. Name another folder.")
    check_folder(folder)
