"""Standard input as a file, so that it can be read more than once."""

from __future__ import annotations

import atexit
import os
import shutil
import stat
import sys
import tempfile
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from fewest.data.files.text_file import MAX_LINE
from fewest.errors import UnreadableFile
from fewest.memory import size_text

#: The name that stands for standard input, and what it is called in errors.
STANDARD_INPUT, SHOWN = "-", "standard input"
_ENDINGS = ((b"PAR1", ".parquet"), (b"ARROW1", ".arrow"), (b"\x1f\x8b", ".csv.gz"), (b"\x89HDF", ".h5ad"))

#: Bytes that are copied at a time.
_CHUNK = 1 << 20


#: The stream that was stored last, and where: it cannot be read again.
_stored: tuple[BinaryIO, Path] | None = None


def store_standard_input() -> Path:
    """Write standard input to a temporary file, which is removed at exit; its ending says what its first bytes show."""
    global _stored
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None or sys.stdin.isatty():
        raise UnreadableFile("There is nothing on standard input. Pipe a table into the command, or name a file.")
    if _stored is not None and _stored[0] is stream:
        return _stored[1]
    handle, name = tempfile.mkstemp(prefix="fewest-", suffix=".input")
    atexit.register(_remove, name)
    with os.fdopen(handle, "wb") as file:
        _copy(stream, file)
    path = Path(name)
    ending = _ending(path)
    final = path.with_suffix(ending)
    path.rename(final)
    atexit.register(_remove, str(final))
    _stored = stream, final
    return final


def _copy(stream: BinaryIO, file: BinaryIO) -> None:
    """Copy a stream; raises where it is endless by its kind, or takes more than half of the disk's free space."""
    if _is_device(stream) and stream.read(1):
        raise UnreadableFile("Standard input is a device, not a file. Pipe a table into the command, or name a file.")
    try:
        most = shutil.disk_usage(tempfile.gettempdir()).free // 2
        n_bytes, is_text = 0, True
        while chunk := stream.read(_CHUNK):
            if n_bytes == 0:
                is_text = not (chunk.startswith(b"PK") or any(chunk.startswith(magic) for magic, _ in _ENDINGS))
            is_text = is_text and b"\n" not in chunk and b"\r" not in chunk
            n_bytes += len(chunk)
            if is_text and n_bytes > 4 * MAX_LINE:
                raise UnreadableFile(f"Standard input is no table: {size_text(n_bytes)} of it have no line end.")
            if n_bytes > most:
                raise UnreadableFile(
                    f"Standard input is larger than {size_text(most)}, half of what is free for temporary files. Write "
                    "it to a file and name that."
                )
            file.write(chunk)
    except OSError as error:
        raise UnreadableFile(f"Standard input cannot be stored: {error.strerror or error}.") from None


def _is_device(stream: BinaryIO) -> bool:
    try:
        return stat.S_ISCHR(os.fstat(stream.fileno()).st_mode)
    except (AttributeError, OSError, ValueError):
        return False


def _ending(path: Path) -> str:
    with path.open("rb") as file:
        start = file.read(8)
    if not start:
        raise UnreadableFile("Standard input is empty. Pipe a table into the command.")
    if zipfile.is_zipfile(path):
        with suppress(zipfile.BadZipFile), zipfile.ZipFile(path) as packed:
            return ".xlsx" if "xl/workbook.xml" in packed.namelist() else ".npz"
    return next((ending for magic, ending in _ENDINGS if start.startswith(magic)), ".csv")


def _remove(name: str) -> None:
    with suppress(OSError):
        os.unlink(name)
