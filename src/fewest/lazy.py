"""Names of a package that are found when first used, so that nobody waits for what is not."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any


def names_of(package: str, elsewhere: Mapping[str, str] | None = None) -> Callable[[str], Any]:
    """__getattr__ of a package whose classes each stand in the module of their name: KernelScatter in kernel_scatter.

    elsewhere : the modules of those that stand in another's
    """

    def find(name: str) -> Any:
        whole = sys.modules[package]
        modules = {found.name.replace("_", ""): found.name for found in iter_modules(whole.__path__)}
        module = (elsewhere or {}).get(name) or modules.get(name.lower())
        if name in [*whole.__all__, *getattr(whole, "_BESIDES", ())] and module is not None:
            found = getattr(import_module(f"{package}.{module}"), name)
            setattr(whole, name, found)
            return found
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return find
