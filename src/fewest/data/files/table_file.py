"""Files with named columns: the roles of their columns, and what all their readers share."""

from __future__ import annotations

import os
import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module
from types import ModuleType

from fewest.data.block import Block
from fewest.data.categories import TextSource
from fewest.data.column_choice import ReadingRequest, listed
from fewest.data.column_kinds import DATE, DATES, ColumnReading
from fewest.data.labels import ClassLabels
from fewest.errors import InvalidInput, InvalidParameter, InvalidType, MissingDependency, did_you_mean

PathLike = str | os.PathLike[str]

_USUAL_TARGETS = ("class", "target", "label", "y", "labels", "classes", "diagnosis", "outcome", "species")
#: How pandas names an index that it keeps as a column of a file, and one that it reads back.
_PANDAS_INDEX = re.compile(r"__index_level_\d+__|Unnamed: 0(\.\d+)?")


@dataclass(frozen=True)
class ColumnRoles:
    """The columns of a table by what they are for. Target and weight are never features."""

    features: list[str]
    target: str
    weight: str | None

    def read_with(self, names: list[str]) -> list[str]:
        """The columns to read for these features."""
        return [*names, self.target, *([] if self.weight is None else [self.weight])]


def assign_roles(names: Sequence[str], request: ReadingRequest, where: str) -> ColumnRoles:
    """The role of every column; raises where the target or the weight is none of them.

    An index of pandas is no feature: where rows are sorted by class, their number would separate the classes.
    """
    if request.target is None:
        raise InvalidParameter(_unnamed_target(names, where))
    target_name = find_column(names, request.target, "target", where)
    weight_name = None if request.weight is None else find_column(names, request.weight, "weight", where)
    if target_name == weight_name:
        raise InvalidParameter(
            f"{target_name!r} cannot be both the target and the weight. Name two columns of {where}."
        )
    reserved = [target_name, *([] if weight_name is None else [weight_name]), *filter(is_index, names)]
    return ColumnRoles(request.choice.features(names, reserved, where), target_name, weight_name)


def is_index(name: str) -> bool:
    """Whether this is a name that pandas gives to an index, or to a first column without a name."""
    return _PANDAS_INDEX.fullmatch(name) is not None


def find_column(names: Sequence[str], name: object, role: str, where: str, part: str = "column") -> str:
    """The name itself, when it is one of the columns (or other parts); otherwise the error suggests the nearest."""
    if not isinstance(name, str):
        raise InvalidType(f"The {role} of {where} must be a name, got {type(name).__name__} instead.")
    if name in names:
        return name
    suggestion = did_you_mean(name, names)
    shown = "" if suggestion else f" Its {part}s are {listed(names)}."
    raise InvalidInput(f"There is no {part} {name!r}{suggestion} in {where} to be the {role}.{shown}")


def refuse_name_of_row(target: object, names: Sequence[str], first_cells: Iterable[str], where: str) -> None:
    """Raise where the target is no column, but the first cell of a row: samples are columns, as gene tables come."""
    if isinstance(target, str) and target not in names and target in map(str.strip, first_cells):
        raise InvalidInput(
            f"There is no column {target!r} in {where} to be the target, but a row of that name: its samples seem to "
            "be columns, and its features rows. Read it with --transpose (transpose=True)."
        )


def _unnamed_target(names: Sequence[str], where: str) -> str:
    usual = [name for name in names if name.lower() in _USUAL_TARGETS]
    example = (usual or list(names[-1:]) or ["class"])[0]
    count = "its only column" if len(names) == 1 else f"one of the {len(names)} columns of {where}"
    return f"Name the target: {count}, for example target={example!r} (--target {example})."


def without_dates(
    features: Sequence[str], readings: Mapping[str, ColumnReading], where: str
) -> tuple[list[str], dict[str, str]]:
    """The features but those that hold dates, and what was left out; raises where nothing else is there."""
    left_out = {name: DATES for name in features if name in readings and readings[name].kind == DATE}
    kept = [name for name in features if name not in left_out]
    if left_out and not kept:
        raise InvalidInput(
            f"All features of {where} hold {DATES}: {listed(list(left_out))}. Convert them to numbers, such as days."
        )
    return kept, left_out


class TableFile(TextSource):
    """Rows of a file with named columns, one of them the target; read again from the file in every pass."""

    #: The number of rows, and of values, that are read at a time at most.
    rows_at_once: int
    values_at_once: int

    def __init__(
        self,
        where: str,
        roles: ColumnRoles,
        readings: Mapping[str, ColumnReading],
        drop_unlabelled: bool,
        columns_at_once: int = 0,
    ) -> None:
        """readings : how each column is read that does not hold plain numbers; columns of dates are left out"""
        features, self.left_out = without_dates(roles.features, readings, where)
        roles = replace(roles, features=features)
        super().__init__(features, readings, where)
        weight = None if roles.weight is None else readings.get(roles.weight)
        if weight is not None and not weight.is_numeric:
            raise InvalidInput(f"The weight {roles.weight!r} of {where} is not a column of numbers. Name another.")
        if roles.weight is not None and weight is not None and weight.format is not None:
            self._formats[roles.weight] = weight.format
        self.where = where
        self.roles = roles
        self.columns_at_once = columns_at_once or self.n_features
        # One for all passes: a class keeps its code, in whichever block it first appears.
        self._labels = ClassLabels(roles.target, drop_unlabelled)

    def blocks(self, columns: Sequence[int] | None = None) -> Iterator[Block]:
        return (block for _, block in self.group_blocks([columns]))

    def group_blocks(self, groups: Sequence[Sequence[int] | None]) -> Iterator[tuple[int, Block]]:
        features = self.roles.features
        names = [features if group is None else [features[column] for column in group] for group in groups]
        for group_names in names:
            self._refuse_text(group_names)
        has_rows = False
        for g, block in self._read_groups(names):
            has_rows = True
            if block.n_rows:
                yield g, replace(block, columns=groups[g])
        if not has_rows:
            raise InvalidInput(f"{self.where} has column names but no rows. Give a table with at least two.")
        if not self._labels.values:
            raise InvalidInput(f"No row of {self.where} has a label in {self.roles.target!r}. Name another target.")
        self._labels.check_classes()

    def _rows_of_batch(self, n_columns: int) -> int:
        """The number of rows to read at a time of this number of columns."""
        return max(1, min(self.rows_at_once, self.values_at_once // n_columns))

    @abstractmethod
    def _read_groups(self, names: Sequence[list[str]]) -> Iterator[tuple[int, Block]]:
        """All rows over each group of named features, with the group's number; blocks may lack rows without labels."""


class SequentialFile(TableFile):
    """A file that can only be read from beginning to end: once for every group of columns."""

    @abstractmethod
    def _read(self, names: list[str]) -> Iterator[Block]:
        """All rows over the named features, from the first."""

    def _read_groups(self, names: Sequence[list[str]]) -> Iterator[tuple[int, Block]]:
        for g, group_names in enumerate(names):
            yield from ((g, block) for block in self._read(group_names))


def has_pyarrow() -> bool:
    """Whether pyarrow can be imported."""
    try:
        import_module("pyarrow")
    except ImportError:
        return False
    return True


def prefer_jemalloc() -> None:
    """Let Arrow allocate by jemalloc, if it can, in a process of our own: it keeps half as much of what is freed."""
    if has_pyarrow():
        pyarrow = import_module("pyarrow")
        with suppress(NotImplementedError):
            pyarrow.set_memory_pool(pyarrow.jemalloc_memory_pool())


def import_pyarrow(reading: str, module: str = "pyarrow") -> ModuleType:
    """pyarrow or one of its modules; where it is absent, the error says what reading this format takes."""
    # The package itself is asked first: a module of it that was imported before would be found without it.
    if not has_pyarrow():
        raise MissingDependency(f"Reading {reading} needs pyarrow: pip install 'fewest[parquet]'")
    return import_module(module)
