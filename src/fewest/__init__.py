"""The fewest features that still separate your classes, with proof of what can be proved."""

from importlib import import_module

from fewest.lazy import attach

_find, _, __all__ = attach(__name__, __file__)

#: Modules with names of their own; those of all but datasets can be imported from here too.
_MODULES = ("criteria", "datasets", "searches", "statistics")


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("fewest")
    if name in _MODULES:
        return import_module(f"fewest.{name}")
    if name not in __all__ and not name.startswith("_"):
        for module in _MODULES:
            part = import_module(f"fewest.{module}")
            if module != "datasets" and name in part.__all__:
                return getattr(part, name)
    return _find(name)


def __dir__() -> list[str]:
    return sorted([*__all__, *_MODULES, "__version__"])
