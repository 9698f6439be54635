"""pyarrow, imported when a file needs it."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from fewest.errors import MissingDependency


def has_pyarrow() -> bool:
    """Whether pyarrow can be imported."""
    try:
        import_module("pyarrow")
    except ImportError:
        return False
    return True


def import_pyarrow(reading: str, module: str = "pyarrow") -> ModuleType:
    """pyarrow or one of its modules; where it is absent, the error says what reading this format takes."""
    # The package itself is asked first: a module of it that was imported before would be found without it.
    if not has_pyarrow():
        raise MissingDependency(f"Reading {reading} needs pyarrow: pip install 'fewest[parquet]'")
    return import_module(module)
