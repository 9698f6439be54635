"""What may be opened as a file: regular files, and of those that are read whole only such as fit in memory."""

from __future__ import annotations

import stat
from pathlib import Path

from fewest.errors import UnreadableFile
from fewest.memory import check_memory, installed_memory


def check_regular_file(path: Path) -> None:
    """Raise where this is a pipe, a device or a socket: such data cannot be read twice, and may never end."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {error.strerror or error}.") from None
    if not stat.S_ISREG(mode):
        raise UnreadableFile(
            f"{path} is {_kind(mode)}, not a file: its rows cannot be read twice. To read from a pipe, give - and pipe "
            "the table into standard input; otherwise write it to a file."
        )


def check_whole_file(path: Path) -> None:
    """Raise where a file that is read whole is larger than the memory of this computer."""
    try:
        n_bytes = path.stat().st_size
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {error.strerror or error}.") from None
    check_size(n_bytes, f"{path} is read whole and takes")


def check_size(n_bytes: int, what: str) -> None:
    """Raise where data whose size is declared would take more than the memory of this computer.

    what : what takes the memory, with its verb
    """
    advice = "Is the file whole? Otherwise write it as Parquet, which is read a block at a time."
    check_memory(float(n_bytes), installed_memory(), what, advice)


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a folder"
    if stat.S_ISFIFO(mode):
        return "a pipe"
    return "a socket" if stat.S_ISSOCK(mode) else "a device"
