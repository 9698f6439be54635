"""Which of a table's columns are features, which is the target, and which holds weights."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fewest.errors import InvalidInput, InvalidParameter, InvalidType, did_you_mean

_USUAL_TARGETS = ("class", "target", "label", "y", "labels", "classes", "diagnosis", "outcome", "species")
#: How pandas names an index that it keeps as a column of a file, and one that it reads back.
_PANDAS_INDEX = re.compile(r"__index_level_\d+__|Unnamed: 0(\.\d+)?")


@dataclass(frozen=True)
class ColumnRoles:
    """The columns of a table by what they are for. Target and weight are never features."""

    features: list[str]
    target: str
    weight: str | None


def assign_roles(names: Sequence[str], target: object, weight: object, where: str) -> ColumnRoles:
    """The role of every column; raises where the target or the weight is none of them.

    A column in which pandas keeps an index is no feature: it numbers or names the rows, and where the rows are sorted
    by class, that number would seem to tell the classes apart.
    """
    if target is None:
        raise InvalidParameter(_unnamed_target(names, where))
    target_name = find_column(names, target, "target", where)
    weight_name = None if weight is None else find_column(names, weight, "weight", where)
    if target_name == weight_name:
        raise InvalidParameter(
            f"{target_name!r} cannot be both the target and the weight. Name two columns of {where}."
        )
    features = [name for name in names if name not in (target_name, weight_name) and not is_index(name)]
    if not features:
        raise InvalidInput(f"There is no feature in {where}: all its columns are {_listed(names)}.")
    return ColumnRoles(features, target_name, weight_name)


def is_index(name: str) -> bool:
    """Whether this is a name that pandas gives to an index, or to a first column without a name."""
    return _PANDAS_INDEX.fullmatch(name) is not None


def find_column(names: Sequence[str], wanted: object, role: str, where: str, part: str = "column") -> str:
    """The name itself, when it is one of the columns (or other parts); otherwise the error suggests what is meant."""
    if not isinstance(wanted, str):
        raise InvalidType(f"The {role} of {where} must be a name, got {type(wanted).__name__} instead.")
    if wanted in names:
        return wanted
    suggestion = did_you_mean(wanted, names)
    listed = "" if suggestion else f" Its {part}s are {_listed(names)}."
    raise InvalidInput(f"There is no {part} {wanted!r}{suggestion} in {where} to be the {role}.{listed}")


def _unnamed_target(names: Sequence[str], where: str) -> str:
    usual = [name for name in names if name.lower() in _USUAL_TARGETS]
    example = (usual or list(names[-1:]) or ["class"])[0]
    count = "its only column" if len(names) == 1 else f"one of the {len(names)} columns of {where}"
    return f"Name the target: {count}, for example target={example!r} (--target {example})."


def _listed(names: Sequence[str], most: int = 8) -> str:
    shown = ", ".join(map(repr, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
