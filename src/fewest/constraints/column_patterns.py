"""Columns by names, globs and numbers, as users write them in constraints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cached_property

import numpy as np

from fewest.errors import InvalidParameter, did_you_mean
from fewest.parameters import is_whole, shown

_WHAT = "names of columns, globs such as 'gene_*', or numbers of columns"
#: Characters that make a text a glob.
WILDCARDS = frozenset("*?[")


class NamedColumns:
    """The columns of a table, to be found by name, glob or number.

    names : of all columns, x0, x1, ... where the data have none; a name may be used twice, and is then all of these
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)

    @cached_property
    def _first(self) -> dict[str, int]:
        """The first column of each name."""
        return dict(zip(reversed(self.names), range(len(self.names) - 1, -1, -1), strict=True))

    @cached_property
    def _several(self) -> dict[str, list[int]]:
        """All columns of each name, where some are used twice."""
        several: dict[str, list[int]] = {}
        if len(self._first) < len(self.names):
            for column, name in enumerate(self.names):
                several.setdefault(name, []).append(column)
        return several

    def __contains__(self, name: object) -> bool:
        return name in self._first

    def __len__(self) -> int:
        return len(self.names)

    def find(self, parameter: str, wanted: object, *, may_be_none: bool = False) -> list[int]:
        """Return the columns, ascending, that one or several names, globs or numbers stand for.

        parameter : its name, for errors
        may_be_none : whether a glob may match no column
        """
        found: set[int] = set()
        for one in listed_columns(parameter, wanted):
            found.update(self._find_one(parameter, one, may_be_none))
        return sorted(found)

    def _find_one(self, parameter: str, wanted: object, may_be_none: bool) -> list[int]:
        if is_whole(wanted):
            column = int(wanted)
            if not 0 <= column < len(self):
                raise InvalidParameter(
                    f"{parameter} names column {column}, and there are {len(self):,} columns, numbered from 0."
                )
            return [column]
        if not isinstance(wanted, str):
            raise InvalidParameter(f"{parameter} must be {_WHAT}, got {shown(wanted)} instead.")
        if wanted in self._first:
            return self._several.get(wanted) or [self._first[wanted]]
        is_glob = not WILDCARDS.isdisjoint(wanted)
        found = [c for c, name in enumerate(self.names) if fnmatchcase(name, wanted)] if is_glob else []
        if not found and not (is_glob and may_be_none):
            hint = "" if is_glob else did_you_mean(wanted, self.names)
            what = "matches no column" if is_glob else "is no column of the table"
            raise InvalidParameter(f"{parameter}: {wanted!r} {what}{hint}. {self._shown()}")
        return found

    def _shown(self) -> str:
        shown = ", ".join(self.names[:8])
        return f"There are {len(self):,} columns: {shown}{', …' if len(self) > 8 else ''}."

    def listed(self, columns: Iterable[int]) -> str:
        """Return the names of some columns, the first few of many."""
        names = [self.names[column] for column in columns]
        return ", ".join(repr(name) for name in names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def check_columns(parameter: str, wanted: object) -> None:
    """Raise, before any data are read, unless this can name columns."""
    for one in listed_columns(parameter, wanted):
        if not isinstance(one, str) and not is_whole(one):
            raise InvalidParameter(f"{parameter} must be {_WHAT}, got {shown(one)} instead.")


def listed_columns(parameter: str, wanted: object) -> list[object]:
    """Return one or several names, globs or numbers as a list."""
    if isinstance(wanted, str) or is_whole(wanted):
        return [wanted]
    if isinstance(wanted, np.ndarray) and wanted.dtype == bool:
        raise InvalidParameter(f"{parameter} must be {_WHAT}, got a mask. Use numpy.flatnonzero(mask).")
    listed = None if isinstance(wanted, Mapping) else as_list(wanted)
    if listed is None:
        raise InvalidParameter(f"{parameter} must be {_WHAT}, got {shown(wanted)} instead.")
    return listed


def as_list(values: object) -> list[object] | None:
    """Return what these hold; None of a text, of what holds nothing, and of an array without a dimension."""
    if isinstance(values, str) or not isinstance(values, Iterable) or getattr(values, "ndim", 1) == 0:
        return None
    return list(values)
