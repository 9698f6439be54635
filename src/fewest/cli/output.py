"""Output files: never half written, never overwritten unasked."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from fewest.errors import FewestError, UnwritableFile


def check_writable(paths: Sequence[Path], force: bool) -> None:
    """Raise, before any work is done, when an output exists or cannot be written."""
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


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Have a file written beside its final name, then rename it: a run cut short leaves no half file."""
    beside: Path | None = None
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=path.suffix, dir=path.parent)
        beside = Path(name)
        os.close(handle)
        write(beside)
        # mkstemp makes files that only their owner can read; an output is like any other file.
        umask = os.umask(0)
        os.umask(umask)
        beside.chmod(0o666 & ~umask)
        beside.replace(path)
    except FewestError:
        # What is wrong with the input is said as it is, also where it is an error of reading.
        raise
    except OSError as error:
        raise UnwritableFile(f"{path} cannot be written: {error.strerror or error}. Name another file.") from None
    finally:
        if beside is not None:
            beside.unlink(missing_ok=True)
