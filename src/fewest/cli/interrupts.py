"""Signals that end a command: SIGTERM is taken as Ctrl-C is, so that it leaves what was done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

#: The signals that were received, the last one last.
_received: list[int] = []


class Terminated(KeyboardInterrupt):
    """SIGTERM."""


@contextmanager
def termination_as_interrupt() -> Iterator[None]:
    """Within it SIGTERM raises a KeyboardInterrupt, unless somebody else handles it."""
    _received.clear()
    is_ours = (
        threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    )
    if is_ours:
        signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        if is_ours:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _terminate(number: int, frame: object) -> None:
    _received.append(number)
    raise Terminated


def stop_code() -> int:
    """The exit code of a command that a signal has stopped: 128 and the number of the signal."""
    return 128 + (_received[-1] if _received else signal.SIGINT)


def stop_word() -> str:
    """What happened to a command that a signal has stopped, in a word."""
    return "terminated" if _received else "interrupted"
