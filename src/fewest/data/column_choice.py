"""How a table is to be read: the parameters of scan, and which columns are features, by names, globs and ranges."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from fewest.data.column_kinds import CATEGORY, DATE, ColumnReading, NumberMarks, resolve_commas
from fewest.errors import InvalidInput, InvalidParameter, InvalidType, did_you_mean

_POSITIONS = re.compile(r"(\d+)(?:-(\d+))?")


@dataclass(frozen=True)
class ColumnChoice:
    """The columns that are taken and left out, by names, globs (gene_*), ranges of names (a:f) or positions (3-20).

    columns : those that may be features; None for all
    drop : those that are none
    id_column : the column that names the rows
    other_roles : columns that are taken whatever columns and drop say
    categories : columns whose values are categories, whatever they look like
    """

    columns: tuple[str, ...] | None = None
    drop: tuple[str, ...] = ()
    id_column: str | None = None
    other_roles: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        columns: object = None,
        drop: object = None,
        id_column: object = None,
        other_roles: object = None,
        categories: object = None,
    ) -> ColumnChoice:
        """The choice that parameters stand for: each a text, or several in a list."""
        if id_column is not None and not isinstance(id_column, str):
            raise InvalidType(f"id_column must be the name of a column, got {type(id_column).__name__} instead.")
        return cls(
            None if columns is None else _texts(columns, "columns"), _texts(drop, "drop"), id_column,
            _texts(other_roles, "other_roles"), _texts(categories, "categories"),
        )  # fmt: skip

    @property
    def takes_all(self) -> bool:
        return self == ColumnChoice()

    def features(self, names: Sequence[str], reserved: Iterable[str], where: str) -> list[str]:
        """The features among the columns of a table, in its order.

        reserved : columns that have another role, such as the target
        """
        others = set(reserved)
        if self.id_column is not None:
            others.add(_one_name(self.id_column, names, "id column", where))
        chosen = set(names) if self.columns is None else _expand(self.columns, names, "columns", where)
        dropped = _expand(self.drop, names, "drop", where)
        kept = (chosen - dropped) | set(self.other_roles)
        features = [name for name in names if name in kept and name not in others]
        if not features:
            how = (
                "columns and drop leave no feature" if self.columns is not None or self.drop else "There is no feature"
            )
            raise InvalidInput(f"{how} in {where}: all its columns are {listed(names)}.")
        return features

    def as_categories(self, names: Sequence[str], where: str) -> set[str]:
        """The columns whose values are categories, whatever they look like."""
        return _expand(self.categories, names, "categories", where)

    def settle(self, readings: Mapping[str, ColumnReading]) -> dict[str, ColumnReading]:
        """The readings of a table, as one: dates in a column with a role of its own, such as groups, are names."""
        settled = resolve_commas(readings)
        for name in self.other_roles:
            if name in settled and settled[name].kind == DATE:
                settled[name] = ColumnReading(CATEGORY)
        return settled


@dataclass(frozen=True)
class ReadingRequest:
    """How data are to be read: the parameters of scan.

    target, weight : names of columns, or arrays of one value a row; None where the data know their own
    choice : which columns are features; by default all but target, weight and index
    marks : the marks of numbers in text, as far as they are given
    sep, encoding : of a text file
    transpose : samples are columns, features are rows
    """

    target: object = None
    weight: object = None
    drop_unlabelled: bool = False
    choice: ColumnChoice = ColumnChoice()
    marks: NumberMarks | None = None
    feature_names: object = None
    sep: str | None = None
    encoding: str | None = None
    transpose: bool = False

    def check_for(
        self, what: str, *, is_array: bool = False, is_text: bool = False, is_transposable: bool = False
    ) -> None:
        """Raise where a parameter is given that says nothing about such data."""
        if self.feature_names is not None and not is_array:
            raise InvalidParameter(f"feature_names are for arrays and sparse matrices; {what} has names of its own.")
        for name, value in (("sep", self.sep), ("encoding", self.encoding)):
            if value is not None and not is_text:
                raise InvalidParameter(f"{name} is for text files, and {what} is none. Leave it out.")
        if self.transpose and not is_transposable:
            raise InvalidParameter(f"transpose is for text files and spreadsheets, and {what} is neither.")


def listed(names: Sequence[str], most: int = 8) -> str:
    """The first of some names, and how many more there are."""
    shown = ", ".join(map(repr, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def _texts(requested: object, parameter: str) -> tuple[str, ...]:
    if requested is None:
        return ()
    parts = (requested,) if isinstance(requested, str) else requested
    if not isinstance(parts, Iterable):
        raise InvalidType(f"{parameter} must be names of columns, got {type(requested).__name__} instead.")
    checked = []
    for part in parts:
        if not isinstance(part, str):
            raise InvalidType(f"{parameter} must hold names of columns, got {type(part).__name__} in it instead.")
        checked.append(part)
    return tuple(checked)


def _one_name(name: str, names: Sequence[str], role: str, where: str) -> str:
    if name in names:
        return name
    suggestion = did_you_mean(name, names)
    shown = "" if suggestion else f" Its columns are {listed(names)}."
    raise InvalidInput(f"There is no column {name!r}{suggestion} in {where} to be the {role}.{shown}")


def _expand(requested: Sequence[str], names: Sequence[str], parameter: str, where: str) -> set[str]:
    """The columns that names, globs and ranges stand for; an item that is no name itself is split at its commas."""
    positions = {name: position for position, name in enumerate(names)}
    found: set[str] = set()
    for item in requested:
        parts = [item] if item in positions else [part.strip() for part in item.split(",") if part.strip()]
        if not parts:
            raise InvalidParameter(f"{parameter} holds an empty name. Give names of columns of {where}.")
        for part in parts:
            found.update(_columns_of(part, names, positions, parameter, where))
    return found


def _columns_of(
    part: str, names: Sequence[str], positions: dict[str, int], parameter: str, where: str
) -> Sequence[str]:
    if part in positions:
        return [part]
    for colon in (match.start() for match in re.finditer(":", part)):
        first, last = part[:colon].strip(), part[colon + 1 :].strip()
        if (first in positions or not first) and (last in positions or not last) and (first or last):
            start, stop = positions.get(first, 0), positions.get(last, len(names) - 1)
            if start > stop:
                raise InvalidParameter(
                    f"{parameter}: {last!r} comes before {first!r} in {where}. Turn the range round."
                )
            return names[start : stop + 1]
    if any(character in part for character in "*?["):
        matches = [name for name in names if fnmatchcase(name, part)]
        if matches:
            return matches
        raise InvalidInput(f"{parameter}: no column of {where} matches {part!r}. Its columns are {listed(names)}.")
    if numbers := _POSITIONS.fullmatch(part):
        start, stop = int(numbers[1]), int(numbers[2] or numbers[1])
        if not 1 <= start <= stop <= len(names):
            raise InvalidParameter(
                f"{parameter}: {part!r} is no range of the {len(names)} columns of {where}, which are counted from 1."
            )
        return names[start - 1 : stop]
    ends = [end for end in part.split(":") if end and end not in positions] if ":" in part else [part]
    unknown = ends[0] if ends else part
    suggestion = did_you_mean(unknown, names)
    shown = "" if suggestion else f" Its columns are {listed(names)}."
    raise InvalidInput(f"{parameter}: there is no column {unknown!r}{suggestion} in {where}.{shown}")
