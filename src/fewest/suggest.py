"""Did you mean ...?"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """In brackets the nearest known name, to be put behind the given one; nothing when none is near."""
    lowered = {name.lower(): name for name in known}
    near = difflib.get_close_matches(given.lower(), list(lowered), n=1, cutoff=0.6)
    return f" (did you mean {lowered[near[0]]!r}?)" if near else ""
