"""What a selector may select of a table: its columns without those forbidden, groups taken as one, and constraints."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.constraints import UNCONSTRAINED, ColumnConstraints
from fewest.constraints.constraint_parameters import NAMES, ConstraintParameters, ResolvedColumns
from fewest.data.source import Source
from fewest.errors import FewestWarning, InvalidParameter
from fewest.objectives.grouped_columns import ColumnGroups, group_columns
from fewest.protocols import AnySearch, ConstrainedSearch, Objective
from fewest.selection import NestedPath, Selection

if TYPE_CHECKING:
    from fewest.selectors.columns import ColumnsMixin

Bound = TypeVar("Bound")

_ADVICE = {
    "keep": "Leave out keep, or use a search that starts with columns, such as GreedyForward().",
    "at_most": "Leave out at_most, or use GreedyForward() or IndividualRanking().",
    "budget": "Leave out budget, or use GreedyForward() or IndividualRanking().",
    "cost_weight": "Give a budget instead, which limits the sum of the costs.",
}


def is_constrained(selector: object) -> bool:
    """Return whether a selector has constraints on columns."""
    return any(getattr(selector, name, None) is not None for name in NAMES)


def constraint_parameters(selector: object) -> ConstraintParameters:
    """Return the constraints that are a selector's parameters."""
    return ConstraintParameters(**{name: getattr(selector, name, None) for name in NAMES})


def check_constraints(selector: object, search: AnySearch) -> None:
    """Raise, before any data are read, where constraints cannot be right, or the search cannot obey them."""
    if not is_constrained(selector):
        return
    requested = constraint_parameters(selector)
    requested.check()
    asked = [name for name in ("keep", "at_most", "budget", "cost_weight") if getattr(requested, name) is not None]
    honoured: frozenset[str] = getattr(search, "honours", frozenset())
    for name in asked:
        if name not in honoured:
            what = f"{type(search).__name__} cannot obey {name}={getattr(requested, name)!r}."
            raise InvalidParameter(f"{what} {_ADVICE[name]}")


def allowed_subsets(selector: object, names: Sequence[str]) -> Callable[[Sequence[int]], bool]:
    """Return a test of which columns of a table with these names a selector may select together."""
    return constraint_parameters(selector).resolve(names).allows if is_constrained(selector) else _any_subset


def _any_subset(columns: Sequence[int]) -> bool:
    return True


@dataclass(frozen=True, eq=False)
class SearchSpace:
    """The columns of a table that a search sees, as units: single columns, or groups that are taken as one.

    Three numberings meet here: the columns of the table; those of the source that is read, which lacks forbidden
    columns and has the columns of a group one after the other; and units.

    n_table : the number of columns of the table
    resolved : the columns, the unit of each, and the constraints on units; None where all columns are free
    """

    n_table: int
    resolved: ResolvedColumns | None = None

    @classmethod
    def of(cls, selector: ColumnsMixin) -> SearchSpace:
        """Return what a selector may select of the columns that it has just been given."""
        n_table = selector.n_features_in_
        if not is_constrained(selector):
            return cls(n_table)
        given = getattr(selector, "feature_names_in_", None)
        names = [f"x{column}" for column in range(n_table)] if given is None else [str(name) for name in given]
        return cls(n_table, constraint_parameters(selector).resolve(names))

    @property
    def constraints(self) -> ColumnConstraints:
        """The constraints on units."""
        return UNCONSTRAINED if self.resolved is None else self.resolved.constraints

    @property
    def n_units(self) -> int:
        """The number of units, of which n_features are taken."""
        return self.n_table if self.resolved is None else int(self.resolved.unit_of[-1]) + 1

    @property
    def is_all(self) -> bool:
        """Whether units are the columns of the table."""
        return self.resolved is None or (len(self.resolved.columns) == self.n_table and not self.resolved.has_groups)

    @property
    def least_size(self) -> int:
        """The smallest number of units that may be taken."""
        return max(1, len(self.constraints.kept))

    def largest_size(self, max_features: int) -> int:
        """Return the largest number of units that is tried where folds choose it."""
        return min(max(max_features, self.least_size), self.n_units)

    def table_column(self, column: int) -> int:
        """Return the column of the table that a column of the source is."""
        return column if self.resolved is None else int(self.resolved.columns[column])

    def only(self, source: Source) -> Source:
        """Return a source of the table's columns with those that may be selected."""
        return source if self.is_all or self.resolved is None else source.only(self.resolved.columns.tolist())

    def limit_size(self, size: int | None) -> int | None:
        """Return the number of units to take, as far as constraints allow it; raise where more are kept."""
        constraints = self.constraints
        if size is None or self.resolved is None or constraints.are_none:
            return size
        if len(constraints.kept) > size:
            names = [repr(self.resolved.unit_names[unit]) for unit in constraints.kept]
            listed = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
            raise InvalidParameter(
                f"keep holds {len(names)} features ({listed}), and n_features={size}. Ask for more, or keep fewer."
            )
        most = constraints.most(self.n_units)
        # With a budget n_features is an upper limit anyway.
        if most < size and constraints.budget is None:
            warnings.warn(
                f"n_features={size} is more than the {most} that at_most allows; {most} at most are taken.",
                FewestWarning,
                stacklevel=5,
            )
        return min(size, max(most, 1))

    def bind(self, objective: Bound, feature_of: Indices | None) -> Bound:
        """Return the objective on units.

        feature_of : the column of the source that each column of the statistic is part of; None where each is one
        """
        if self.resolved is None or not self.resolved.has_groups:
            return objective
        unit_of = self.resolved.unit_of
        own = cast(Objective, objective)
        of_columns = own.n_columns == len(unit_of) or feature_of is None
        return cast(Bound, group_columns(own, ColumnGroups(unit_of if of_columns else unit_of[feature_of])))

    def run(self, search: AnySearch, objective: object, size: int | None) -> Selection:
        """Return what the search finds, in units."""
        if self.resolved is None or self.constraints.are_none:
            return search.run(objective, size)
        return cast(ConstrainedSearch[Any], search).run(objective, size, self.constraints)

    def on_source(self, selection: Selection) -> Selection:
        """Return a selection of units as one of the columns of the source."""
        if self.resolved is None or not self.resolved.has_groups:
            return selection
        members: list[list[int]] = [[] for _ in range(self.n_units)]
        for column, unit in enumerate(self.resolved.unit_of.tolist()):
            members[unit].append(column)

        def columns_of(units: Sequence[int]) -> tuple[int, ...]:
            return tuple(column for unit in units for column in members[unit])

        scores = tuple(
            score for unit, score in zip(selection.indices, selection.scores, strict=True) for _ in members[unit]
        )
        of_columns = None if selection.column_scores is None else selection.column_scores[self.resolved.unit_of]
        path = selection.path
        # A ranking of all units is cut where the selection ends: subsets of groups are no longer prefixes of one list.
        sizes = [size for size in path if not isinstance(path, NestedPath) or size <= len(selection.indices)]
        return replace(
            selection,
            indices=columns_of(selection.indices),
            scores=scores,
            path={size: columns_of(path[size]) for size in sizes},
            proved_in=columns_of(selection.proved_in),
            proved_out=columns_of(selection.proved_out),
            column_scores=of_columns,
        )

    def source_path(self, selection: Selection, limit: int) -> Mapping[int, tuple[int, ...]]:
        """Return the path of a selection of units as columns of the source.

        Where constraints end it before the limit, its largest subset stands for the larger ones.
        """
        path = self.on_source(selection).path
        if self.constraints.are_none or not path:
            return path
        largest = max(path)
        return {**path, **dict.fromkeys(range(largest + 1, limit + 1), path[largest])}

    def on_table(self, selection: Selection) -> Selection:
        """Return a selection of columns of the source as one of the columns of the table."""
        if self.is_all or self.resolved is None:
            return selection
        return selection.among_all(self.resolved.columns.tolist(), self.n_table)

    def units_of(self, columns: Sequence[int]) -> list[int] | None:
        """Return the units that these columns of the table are; None where one is forbidden, or a group not whole."""
        if self.resolved is None:
            return list(columns)
        unit_of = dict(zip(self.resolved.columns.tolist(), self.resolved.unit_of.tolist(), strict=True))
        units = list(dict.fromkeys(unit_of.get(column, -1) for column in columns))
        n_members = int(np.isin(self.resolved.unit_of, units).sum())
        return None if -1 in units or n_members != len(columns) else units

    def spread(self, values: Floats) -> Floats:
        """Return an array with a number a unit, along one or several axes, as one with a number a column of the table.

        Columns that are forbidden have NaN.
        """
        if self.is_all or self.resolved is None:
            return values
        for axis, length in enumerate(values.shape):
            if length != self.n_units:
                continue
            shape = (*values.shape[:axis], self.n_table, *values.shape[axis + 1 :])
            spread = np.full(shape, np.nan)
            moved = np.moveaxis(spread, axis, 0)
            moved[self.resolved.columns] = np.moveaxis(np.take(values, self.resolved.unit_of, axis=axis), axis, 0)
            values = spread
        return values

    def notes(self, selection: Selection) -> tuple[str, ...]:
        """Return notes on constraints without effect, and on what a selection of units costs."""
        if self.resolved is None:
            return ()
        notes = [f"forbid has no effect: no column matches {pattern!r}" for pattern in self.resolved.unmatched]
        constraints = self.constraints
        if constraints.costs is not None:
            limit = "" if constraints.budget is None else f" of a budget of {constraints.budget:g}"
            notes.append(f"the features cost {constraints.cost_of(selection.indices):g}{limit}")
        return tuple(notes)


#: Before fit nothing is known of the columns.
EVERY_COLUMN = SearchSpace(0)
