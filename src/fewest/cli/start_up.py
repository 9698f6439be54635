"""What a command imports before it begins, and what it does not."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import cast


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
