"""Files that are written completely or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from fewest.errors import FewestError, UnwritableFile


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Write a temporary file next to the final one, then rename it: an interrupted run leaves no partial file."""
    temporary: Path | None = None
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=path.suffix, dir=path.parent)
        temporary = Path(name)
        os.close(handle)
        write(temporary)
        # mkstemp makes files that only their owner can read; an output is like any other file.
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        temporary.replace(path)
    except FewestError:
        # What is wrong with the input is said as it is, also where it is an error of reading.
        raise
    except OSError as error:
        raise UnwritableFile(f"{path} cannot be written: {error.strerror or error}. Name another file.") from None
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
