"""The constraints that users give to a selector, checked, and resolved for the columns of a table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.constraints.column_constraints import UNCONSTRAINED, Cap, ColumnConstraints
from fewest.constraints.column_patterns import WILDCARDS, NamedColumns, as_list, check_columns, listed_columns
from fewest.errors import InvalidParameter
from fewest.parameters import as_float, check_count, check_not_negative, is_number, shown, wrong


class ResolvedColumns(NamedTuple):
    """What may be selected of a table.

    columns : the columns that are not forbidden, those of a group one after the other
    unit_of : for each of them the unit that it belongs to, ascending: a column, or a group that is taken as one
    constraints : on units
    unit_names : the name of each column, or group
    unmatched : globs that match no column
    """

    columns: Indices
    unit_of: Indices
    constraints: ColumnConstraints
    unit_names: Sequence[str]
    unmatched: tuple[str, ...] = ()

    @property
    def has_groups(self) -> bool:
        """Whether a unit has several columns."""
        return len(self.unit_of) > 0 and int(self.unit_of[-1]) + 1 < len(self.unit_of)

    def allows(self, columns: Sequence[int]) -> bool:
        """Return whether these columns of the table may be selected together."""
        is_in = np.isin(self.columns, columns)
        sizes, inside = np.bincount(self.unit_of), np.bincount(self.unit_of, weights=is_in)
        is_whole = bool(((inside == 0) | (inside == sizes)).all())
        units = np.flatnonzero(inside).tolist()
        return is_whole and int(is_in.sum()) == len(columns) and self.constraints.allows(units)


@dataclass(frozen=True)
class ConstraintParameters:
    """The constraints as given; None where there is none. See Selector for what each may be."""

    keep: object = None
    forbid: object = None
    column_groups: object = None
    at_most: object = None
    costs: object = None
    budget: object = None
    cost_weight: object = None

    @property
    def are_none(self) -> bool:
        """Whether nothing is asked for."""
        return all(getattr(self, name) is None for name in NAMES)

    def check(self) -> None:
        """Raise, before any data are read, where a parameter cannot be right whatever the columns are."""
        for name in ("keep", "forbid"):
            if getattr(self, name) is not None:
                check_columns(name, getattr(self, name))
        for name, columns in _groups(self.column_groups):
            check_columns(f"column_groups[{name!r}]", columns)
        for key, number in self._caps():
            check_columns("at_most", key)
            check_count(f"at_most[{key!r}]", number, at_least=0)
        if self.costs is None and (self.budget is not None or self.cost_weight is not None):
            what = "budget" if self.budget is not None else "cost_weight"
            raise InvalidParameter(f"{what} needs costs: give what columns cost, such as costs={{'mri': 500, '*': 1}}.")
        if isinstance(self.costs, Mapping):
            for key, cost in self.costs.items():
                check_not_negative(f"costs[{key!r}]", cost)
        for name in ("budget", "cost_weight"):
            if getattr(self, name) is not None:
                check_not_negative(name, getattr(self, name))

    def resolve(self, names: Sequence[str]) -> ResolvedColumns:
        """Return what may be selected of a table with these columns; raise where constraints contradict each other."""
        if self.are_none:
            every = np.arange(len(names))
            return ResolvedColumns(every, every, UNCONSTRAINED, names)
        self.check()
        table = NamedColumns(names)
        unmatched: list[str] = []
        forbidden = self._forbidden(table, unmatched)
        groups = self._resolved_groups(table, forbidden)
        columns, unit_of, unit_names = _units(table, groups, forbidden)
        if len(columns) == 0:
            raise InvalidParameter(f"forbid leaves none of the {len(table):,} columns. Allow some.")
        unit_of_column = np.full(len(table), -1, dtype=np.intp)
        unit_of_column[columns] = unit_of
        kept = self._kept(table, forbidden, unit_of_column)
        costs = self._costs(table, columns, unit_of, unit_names)
        constraints = ColumnConstraints(
            kept, self._resolved_caps(table, groups, unit_of_column), costs,
            None if self.budget is None else float(self.budget),  # type: ignore[arg-type]
            0.0 if self.cost_weight is None else float(self.cost_weight),  # type: ignore[arg-type]
        )  # fmt: skip
        _check_kept(constraints, unit_names)
        return ResolvedColumns(columns, unit_of, constraints, unit_names, tuple(unmatched))

    def among(self, names: Sequence[str], columns: Sequence[int]) -> ConstraintParameters:
        """Return the same constraints for some columns of a table with these names, none of them forbidden.

        Columns are named by their numbers among these, and groups that are not whole are left out.
        """
        if self.are_none:
            return self
        table, position = NamedColumns(names), {column: i for i, column in enumerate(columns)}

        def here(parameter: str, wanted: object) -> list[int]:
            return [position[column] for column in table.find(parameter, wanted) if column in position]

        groups = self._resolved_groups(table, set())
        whole = {name: [position[c] for c in own] for name, own in groups.items() if all(c in position for c in own)}
        keys = [(groups[str(key)] if key in groups else key, number) for key, number in self._caps()]
        caps = {tuple(here("at_most", key)): number for key, number in keys}
        costs = None if self.costs is None else self._costs(table, np.arange(len(table)), np.arange(len(table)), ())
        prices: dict[object, float] | None = None if costs is None else {i: costs[c] for c, i in position.items()}
        if prices is not None and isinstance(self.costs, Mapping):
            prices |= {name: float(self.costs[name]) for name in whole if name in self.costs}
        return ConstraintParameters(
            None if self.keep is None else here("keep", self.keep), None, whole or None,
            {key: number for key, number in caps.items() if key} or None, prices, self.budget, self.cost_weight,
        )  # fmt: skip

    def as_dict(self) -> dict[str, object]:
        """Return the parameters by name."""
        return {name: getattr(self, name) for name in NAMES}

    def _forbidden(self, table: NamedColumns, unmatched: list[str]) -> set[int]:
        found: set[int] = set()
        if self.forbid is None:
            return found
        for one in listed_columns("forbid", self.forbid):
            columns = table.find("forbid", one, may_be_none=True)
            found.update(columns)
            if not columns:
                unmatched.append(str(one))
        return found

    def _kept(self, table: NamedColumns, forbidden: set[int], unit_of: Indices) -> tuple[int, ...]:
        if self.keep is None:
            return ()
        columns = table.find("keep", self.keep)
        if both := [column for column in columns if column in forbidden]:
            raise InvalidParameter(
                f"keep and forbid both name {table.listed(both)}. A column is either in from the start or never used."
            )
        return tuple(sorted({int(unit_of[column]) for column in columns}))

    def _resolved_groups(self, table: NamedColumns, forbidden: set[int]) -> dict[str, list[int]]:
        groups: dict[str, list[int]] = {}
        group_of: dict[int, str] = {}
        for name, wanted in _groups(self.column_groups):
            members = table.find(f"column_groups[{name!r}]", wanted)
            inside = [column for column in members if column in forbidden]
            if inside and len(inside) < len(members):
                raise InvalidParameter(
                    f"forbid names {table.listed(inside)} of the group {name!r}, whose columns are taken or left as "
                    "one. Forbid all of its columns, or take these out of the group."
                )
            for column in members:
                if column in group_of:
                    raise InvalidParameter(
                        f"Column {table.names[column]!r} is in the groups {group_of[column]!r} and {name!r} of "
                        "column_groups. A column belongs to one group."
                    )
                group_of[column] = name
            groups[name] = [column for column in members if column not in forbidden]
        return groups

    def _caps(self) -> list[tuple[object, object]]:
        if self.at_most is None:
            return []
        if not isinstance(self.at_most, Mapping):
            what = "a mapping from columns to their largest number, such as {'sensor_*': 2}"
            raise wrong("at_most", what, self.at_most)
        return list(self.at_most.items())

    def _resolved_caps(self, table: NamedColumns, groups: Mapping[str, list[int]], unit_of: Indices) -> tuple[Cap, ...]:
        caps = []
        for key, number in self._caps():
            named = isinstance(key, str) and key in groups
            columns = groups[str(key)] if named else table.find("at_most", key)
            members = {int(unit_of[column]) for column in columns if unit_of[column] >= 0}
            caps.append(Cap(tuple(sorted(members)), int(number), str(key)))  # type: ignore[call-overload]
        return tuple(caps)

    def _costs(
        self, table: NamedColumns, columns: Indices, unit_of: Indices, unit_names: Sequence[str]
    ) -> Floats | None:
        """Return the cost of each unit: that of a group by its name, or the sum over its columns."""
        if self.costs is None:
            return None
        if not isinstance(self.costs, Mapping):
            own = _cost_array(self.costs, len(table))
            return _sums(own[columns], unit_of)
        own = np.zeros(len(table))
        of_groups = {name: float(cost) for name, cost in self.costs.items() if name in _group_names(self.column_groups)}
        others = [(key, float(cost)) for key, cost in self.costs.items() if key not in of_groups]
        # A name goes before a glob, and "lab_*" before "*": what is written last here stays.
        others.sort(key=lambda item: _specificity(item[0], table))
        for key, cost in others:
            own[table.find("costs", key)] = cost
        costs = _sums(own[columns], unit_of)
        for unit, name in enumerate(unit_names):
            if name in of_groups:
                costs[unit] = of_groups[name]
        return costs


def _units(
    table: NamedColumns, groups: Mapping[str, list[int]], forbidden: set[int]
) -> tuple[Indices, Indices, list[str]]:
    """Return the columns, those of a group one after the other where its first is, their units, and names of units."""
    if not groups and not forbidden:
        every = np.arange(len(table))
        return every, every, table.names
    if not groups:
        own = np.array([column for column in range(len(table)) if column not in forbidden], dtype=np.intp)
        return own, np.arange(len(own)), [table.names[column] for column in own.tolist()]
    group_of = {column: name for name, members in groups.items() for column in members}
    columns: list[int] = []
    unit_of: list[int] = []
    unit_names: list[str] = []
    for column in range(len(table)):
        if column in forbidden:
            continue
        name = group_of.get(column)
        if name is not None and column != groups[name][0]:
            continue
        members = [column] if name is None else groups[name]
        columns += members
        unit_of += [len(unit_names)] * len(members)
        unit_names.append(table.names[column] if name is None else name)
    return np.array(columns, dtype=np.intp), np.array(unit_of, dtype=np.intp), unit_names


def _check_kept(constraints: ColumnConstraints, names: Sequence[str]) -> None:
    """Raise where the kept columns exceed a cap or the budget."""
    kept = set(constraints.kept)
    for cap in constraints.caps:
        inside = [names[unit] for unit in cap.members if unit in kept]
        if len(inside) > cap.at_most:
            raise InvalidParameter(
                f"keep holds {len(inside)} of {cap.name!r} ({', '.join(inside[:5])}), and at_most allows "
                f"{cap.at_most}. Keep fewer of them, or allow more."
            )
    cost = constraints.cost_of(constraints.kept)
    if not constraints.is_within_budget(cost):
        listed = ", ".join(names[unit] for unit in constraints.kept[:5])
        raise InvalidParameter(
            f"The columns to keep ({listed}) cost {cost:g}, more than the budget of {constraints.budget:g}. Raise the "
            "budget, or keep fewer."
        )
    if constraints.most(len(names)) == 0:
        cheapest = "" if constraints.costs is None else f" (the cheapest costs {constraints.costs.min():g})"
        raise InvalidParameter(f"at_most and budget allow no column at all{cheapest}. Allow more.")


def _groups(column_groups: object) -> list[tuple[str, object]]:
    """Return the groups with their names: those of a mapping, or numbers."""
    if column_groups is None:
        return []
    if isinstance(column_groups, Mapping):
        return [(str(name), columns) for name, columns in column_groups.items()]
    groups = as_list(column_groups)
    if groups is None:
        raise wrong(
            "column_groups", "a mapping from names to columns, such as {'colour': 'colour_*'}, or a list of groups",
            column_groups,
        )  # fmt: skip
    return [(f"group {number}", columns) for number, columns in enumerate(groups)]


def _group_names(column_groups: object) -> set[str]:
    return {name for name, _ in _groups(column_groups)}


def _sums(values: Floats, unit_of: Indices) -> Floats:
    return np.asarray(np.bincount(unit_of, weights=values), dtype=np.float64)


def _specificity(key: object, table: NamedColumns) -> float:
    """Return how closely a name or glob describes columns: by the number of characters that are no wildcards."""
    if not isinstance(key, str) or key in table:
        return math.inf
    return sum(character not in WILDCARDS for character in key)


def _cost_array(costs: object, n_columns: int) -> Floats:
    listed = as_list(costs)
    if listed is None or not all(is_number(cost) and 0 <= as_float(cost) < np.inf for cost in listed):
        what = (
            "a mapping from columns to costs, such as {'mri': 500, '*': 1}, or a number of at least 0 for each column"
        )
        raise InvalidParameter(f"costs must be {what}, got {shown(costs)} instead.")
    if len(listed) != n_columns:
        raise InvalidParameter(
            f"costs has {len(listed):,} numbers, and there are {n_columns:,} columns. Give one each."
        )
    return np.array(listed, dtype=np.float64)


#: The names of the parameters.
NAMES = tuple(field.name for field in fields(ConstraintParameters))
