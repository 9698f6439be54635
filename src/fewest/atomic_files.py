"""Files that are never half written."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from fewest.errors import FewestError, UnwritableFile


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
