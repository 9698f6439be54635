"""What a command imports before it begins, and what it does not."""

from __future__ import annotations

import sys
import time
from importlib import import_module
from typing import cast

#: When the command began, as of time.perf_counter.
_began = time.perf_counter()


def begin() -> None:
    """Take note of the time at which a command begins, in a process that runs several."""
    global _began
    _began = time.perf_counter()


def started_at() -> float:
    """When the command began, as of time.perf_counter: when this module was imported, which is among the first."""
    return _began


def import_scikit_learn() -> None:
    """Import scikit-learn without pandas, which it imports too, for nothing: 0.3 s and 60 MB of every command.

    pandas can be imported afterwards, by whoever needs it.
    """
    modules = cast(dict[str, object], sys.modules)
    is_hidden = "pandas" not in modules and "sklearn" not in modules
    if is_hidden:
        modules["pandas"] = None
    try:
        import_module("sklearn.base")
    finally:
        if is_hidden:
            del modules["pandas"]
