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
    """Return the selector of this name, in any case, with or without hyphens; an error suggests the nearest."""
    # Only the module of this selector is imported: its class is named as the command line has it, without hyphens;
    # AutoSelector is auto.
    plain = name.lower().replace("-", "").replace("_", "").strip()
    for exported in fewest.__all__:
        if exported.lower() in (plain, f"{plain}selector") and vars(getattr(fewest, exported)).get("name"):
            found: type[Selector] = getattr(fewest, exported)
            return found
    methods = methods_by_name()
    for known, selector in methods.items():
        if known.replace("-", "") == plain:
            return selector
    suggestion = did_you_mean(name.lower().replace("_", "-"), methods)
    raise InvalidParameter(f"There is no method {name!r}{suggestion}. See `fewest methods`.")
