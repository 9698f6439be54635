"""Durations as users write them, and how much of a comparison fits in one."""

from __future__ import annotations

import re

from fewest.display.formatting import seconds
from fewest.parameters import as_float, is_number, wrong

_NUMBER = r"(\d+(?:\.\d*)?|\.\d+)"
#: A bare number is seconds where it stands alone: 1h30 might be half an hour more, or half a minute.
_DURATION = re.compile(rf"{_NUMBER}|(?:{_NUMBER}\s*h)?\s*(?:{_NUMBER}\s*m(?:in)?)?\s*(?:{_NUMBER}\s*s)?")


def to_seconds(name: str, value: object) -> float | None:
    """The seconds of 90, "90", "90s", "2m" or "1h30m"; None where there is no limit."""
    if value is None:
        return None
    found = -1.0
    if isinstance(value, str):
        match = _DURATION.fullmatch(value.strip().lower())
        if match and any(match.groups()):
            alone, hours, minutes, rest = (float(part or 0) for part in match.groups())
            found = alone + 3600 * hours + 60 * minutes + rest
    elif is_number(value):
        found = as_float(value)
    if not 0 < found < 1e9:
        raise wrong(name, "a time such as 90s, 2m or 1h30m, or a number of seconds", value)
    return found


def about(duration: float) -> str:
    """A forecast in words: 40 s, 4 minutes, 2 h 5 min."""
    if duration < 90:
        return seconds(max(1.0, round(duration)))
    minutes = round(duration / 60)
    return f"{minutes} minutes" if minutes < 100 else seconds(60 * minutes)


def exactly(duration: float) -> str:
    """A limit as it was set: 60 s, 2 min 30 s."""
    return f"{duration:g} s" if duration < 120 else seconds(duration)
