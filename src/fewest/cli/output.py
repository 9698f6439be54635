"""Output files: never half written, never overwritten unasked."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from fewest.errors import UnwritableFile


def check_writable(paths: Sequence[Path], force: bool) -> None:
    """Raise, before any work is done, when an output exists or cannot be written."""
    for path in paths:
        if path.is_dir():
            raise UnwritableFile(f"{path} is a folder. Name a file in it.")
        if path.exists() and not force:
            raise UnwritableFile(f"{path} exists. Name another file, or overwrite it with --force.")
        folder = path.parent
        if not folder.is_dir():
            raise UnwritableFile(f"{path} cannot be written: there is no folder {folder}. Make it first.")
        if not os.access(folder, os.W_OK):
            raise UnwritableFile(f"{path} cannot be written: the folder {folder} is not writable.")


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Have a file written beside its final name, then rename it: a run cut short leaves no half file."""
    handle, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=path.suffix, dir=path.parent)
    os.close(handle)
    beside = Path(name)
    try:
        write(beside)
        # mkstemp makes files that only their owner can read; an output is like any other file.
        umask = os.umask(0)
        os.umask(umask)
        beside.chmod(0o666 & ~umask)
        beside.replace(path)
    except OSError as error:
        raise UnwritableFile(f"{path} cannot be written: {error.strerror or error}.") from None
    finally:
        beside.unlink(missing_ok=True)
