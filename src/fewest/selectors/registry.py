"""The selectors that have a name on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import fewest
from fewest.errors import InvalidParameter, did_you_mean

if TYPE_CHECKING:
    from fewest.selectors.selector import Selector


def methods_by_name() -> dict[str, type[Selector]]:
    """Return every selector that has a name on the command line, by that name."""
    exported = (getattr(fewest, name) for name in fewest.__all__)
    return {one.name: one for one in exported if getattr(one, "name", "")}


def method_by_name(name: str) -> type[Selector]:
    """Return the selector of this name; the error for an unknown one suggests the nearest."""
    # Only the module of this selector is imported: its class is named as the command line has it, without hyphens.
    for exported in fewest.__all__:
        if exported.lower() == name.replace("-", "") and getattr(getattr(fewest, exported), "name", "") == name:
            found: type[Selector] = getattr(fewest, exported)
            return found
    methods = methods_by_name()
    if name not in methods:
        raise InvalidParameter(f"There is no method {name!r}{did_you_mean(name, methods)}. See `fewest methods`.")
    return methods[name]
