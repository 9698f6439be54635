"""Public names that are imported when first used, listed once, in a package's stub file.

Type checkers read the same list. So `fewest --help` does not wait for scikit-learn.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path


@cache
def exported_names(stub: str) -> dict[str, str]:
    """Map each name that a stub file re-exports to the module that defines it; modules themselves are left out."""
    imports = [node for node in ast.parse(Path(stub).read_text("utf-8")).body if isinstance(node, ast.ImportFrom)]
    defining = [node for node in imports if "." in str(node.module)]
    return {alias.name: str(node.module) for node in defining for alias in node.names if alias.asname == alias.name}


def attach(package: str, file: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a module, from the stub file beside it."""
    names = exported_names(str(Path(file).with_suffix(".pyi")))

    def find(name: str) -> object:
        if name in names:
            return getattr(import_module(names[name]), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return find, lambda: sorted(names), sorted(names)
