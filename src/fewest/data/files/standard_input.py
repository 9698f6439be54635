"""Standard input as a file, so that it can be read more than once."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
import zipfile
from contextlib import suppress
from pathlib import Path

from fewest.errors import UnreadableFile

#: The name that stands for standard input, and what it is called in errors.
STANDARD_INPUT, SHOWN = "-", "standard input"
_ENDINGS = ((b"PAR1", ".parquet"), (b"ARROW1", ".arrow"), (b"\x1f\x8b", ".csv.gz"), (b"\x89HDF", ".h5ad"))


def store_standard_input() -> Path:
    """Write standard input to a temporary file, which is removed at exit; its ending says what its first bytes show."""
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None or sys.stdin.isatty():
        raise UnreadableFile("There is nothing on standard input. Pipe a table into the command, or name a file.")
    handle, name = tempfile.mkstemp(prefix="fewest-", suffix=".input")
    atexit.register(_remove, name)
    with os.fdopen(handle, "wb") as file:
        shutil.copyfileobj(stream, file)
    path = Path(name)
    ending = _ending(path)
    final = path.with_suffix(ending)
    path.rename(final)
    atexit.register(_remove, str(final))
    return final


def _ending(path: Path) -> str:
    with path.open("rb") as file:
        start = file.read(8)
    if not start:
        raise UnreadableFile("Standard input is empty. Pipe a table into the command.")
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as packed:
            return ".xlsx" if "xl/workbook.xml" in packed.namelist() else ".npz"
    return next((ending for magic, ending in _ENDINGS if start.startswith(magic)), ".csv")


def _remove(name: str) -> None:
    with suppress(OSError):
        os.unlink(name)
