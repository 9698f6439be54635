"""Files that are written completely or not at all, and checksums by which damage is known."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from fewest.errors import FewestError, UnwritableFile

#: What to say where a checksum does not agree.
WRONG_CHECKSUM = 'its checksum does not agree. If you changed it on purpose, remove its line "checksum".'


def is_there(path: Path) -> bool:
    """Whether a file or folder has this name; raises UnwritableFile where nothing can have it."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UnwritableFile(f"{path} cannot be written: {reason}. Name another file.") from None
    return True


def check_folder(folder: Path) -> None:
    """Raise OSError unless files can be made in a folder, which permissions alone do not tell."""
    handle, name = tempfile.mkstemp(prefix=".fewest-", dir=folder)
    os.close(handle)
    Path(name).unlink()


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Write a temporary file next to the final one, then rename it: an interrupted run leaves no partial file."""
    temporary: Path | None = None
    is_there(path)
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


def checksum_of(content: object) -> str:
    """A hash of a JSON value, whatever its white space. The order of keys counts: that of methods decides ties.

    content : as json.loads returns it: dictionaries with texts as keys, lists, numbers, texts
    """
    text = json.dumps(content, ensure_ascii=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
