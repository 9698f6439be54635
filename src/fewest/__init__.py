"""The fewest features that still separate your classes, with proof of what can be proved."""

from importlib import import_module

from fewest.lazy import attach

_find, __dir__, __all__ = attach(__name__, __file__)


def __getattr__(name: str) -> object:
    # Criteria, searches and statistics have modules of their own, and can be imported from here too.
    for module in ("criteria", "searches", "statistics"):
        if name not in __all__ and not name.startswith("_"):
            part = import_module(f"fewest.{module}")
            if name in part.__all__:
                return getattr(part, name)
    return _find(name)
