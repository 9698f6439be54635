"""What subsets a search may take: columns that are in from the start, caps on kinds, costs with a budget or a price."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fewest.arrays import Floats, Indices, Mask

#: Sums of costs may exceed the budget by this share: 0.1 + 0.2 is within a budget of 0.3.
OVERSPENDING = 1e-9


@dataclass(frozen=True)
class Cap:
    """At most a number of these columns may be selected.

    members : ascending
    name : as the user wrote it, for messages
    """

    members: tuple[int, ...]
    at_most: int
    name: str = ""


@dataclass(frozen=True, eq=False)
class ColumnConstraints:
    """The subsets that may be selected, and what their columns cost.

    Every subset of a feasible one that holds the kept columns is feasible: a search may remove any other column, and
    may add those of can_add(). A search names the parts that it can obey in its class attribute `honours`, of "keep",
    "at_most", "budget" and "cost_weight".

    kept : columns that every subset holds, ascending
    caps : kinds of columns of which only some may be selected
    costs : one a column; None where columns cost nothing
    budget : the largest cost of a subset; None for no limit
    cost_weight : the value that a unit of cost takes from the objective
    """

    kept: tuple[int, ...] = ()
    caps: tuple[Cap, ...] = ()
    costs: Floats | None = None
    budget: float | None = None
    cost_weight: float = 0.0

    @property
    def needs(self) -> frozenset[str]:
        """The parts that a search has to obey."""
        is_set = {
            "keep": self.kept,
            "at_most": self.caps,
            "budget": self.budget is not None,
            "cost_weight": self.cost_weight > 0,
        }
        return frozenset(name for name, value in is_set.items() if value)

    @property
    def are_none(self) -> bool:
        """Whether every subset may be selected, and none costs anything."""
        return not self.needs

    def prices(self, n_columns: int) -> Floats:
        """Return what each column takes from the objective."""
        return np.zeros(n_columns) if self.costs is None else self.cost_weight * self.costs

    def price_of(self, subset: Sequence[int]) -> float:
        """Return what a subset takes from the objective."""
        return self.cost_weight * self.cost_of(subset)

    def cost_of(self, subset: Iterable[int]) -> float:
        """Return the cost of a subset."""
        return 0.0 if self.costs is None else math.fsum(self.costs[list(subset)].tolist())

    def is_within_budget(self, cost: float) -> bool:
        """Return whether a cost is within the budget."""
        return self.budget is None or cost <= self.budget * (1 + OVERSPENDING)

    def allows(self, subset: Sequence[int]) -> bool:
        """Return whether this subset may be selected."""
        inside = set(subset)
        return (
            inside.issuperset(self.kept)
            and all(len(inside.intersection(cap.members)) <= cap.at_most for cap in self.caps)
            and self.is_within_budget(self.cost_of(subset))
        )

    def can_add(self, chosen: Sequence[int], n_columns: int) -> Mask:
        """Return which columns may be added to those chosen; of kept ones that are not in yet, these alone."""
        is_free: Mask = np.ones(n_columns, dtype=bool)
        is_free[list(chosen)] = False
        waiting = [column for column in self.kept if is_free[column]]
        if waiting:
            is_free[:] = False
            is_free[waiting] = True
            return is_free
        inside = set(chosen)
        for cap, members in zip(self.caps, self._members, strict=True):
            if len(inside.intersection(cap.members)) >= cap.at_most:
                is_free[members] = False
        if self.budget is not None and self.costs is not None:
            left = self.budget * (1 + OVERSPENDING) - self.cost_of(chosen)
            is_free &= self.costs <= left
        return is_free

    def take(self, order: Iterable[int], count: int | None = None) -> list[int]:
        """Return the columns of a ranking that may be selected together, best first: the kept ones, then the others.

        order : all columns, best first
        count : the number to take; None for all that can be
        """
        ranked = [int(column) for column in order]
        count = len(ranked) if count is None else count
        if self.are_none:
            return ranked[:count]
        kept = set(self.kept)
        taken = [column for column in ranked if column in kept]
        cap_of: dict[int, list[int]] = {}
        for i, cap in enumerate(self.caps):
            for column in cap.members:
                cap_of.setdefault(column, []).append(i)
        room = [cap.at_most - len(kept.intersection(cap.members)) for cap in self.caps]
        cost = self.cost_of(taken)
        for column in ranked:
            if len(taken) >= count:
                break
            price = 0.0 if self.costs is None else float(self.costs[column])
            is_full = any(room[i] <= 0 for i in cap_of.get(column, ()))
            if column in kept or is_full or not self.is_within_budget(cost + price):
                continue
            taken.append(column)
            cost += price
            for i in cap_of.get(column, ()):
                room[i] -= 1
        return taken

    def among(self, columns: Indices, inside: Sequence[int] = ()) -> ColumnConstraints:
        """Return what holds of some columns, numbered anew, where others are inside already.

        columns : ascending
        inside : columns that are not among these; they use up caps and budget
        """
        position = {int(column): i for i, column in enumerate(columns)}
        caps = [
            Cap(
                tuple(position[column] for column in cap.members if column in position),
                cap.at_most - len(set(inside).intersection(cap.members)),
                cap.name,
            )
            for cap in self.caps
        ]
        costs = None if self.costs is None else self.costs[columns]
        budget = None if self.budget is None else max(self.budget - self.cost_of(inside) / (1 + OVERSPENDING), 0.0)
        kept = tuple(position[column] for column in self.kept if column in position)
        return ColumnConstraints(kept, tuple(caps), costs, budget, self.cost_weight)

    def most(self, n_columns: int) -> int:
        """Return an upper limit of the number of columns of a subset: exact where caps do not overlap partly."""
        if not self.caps and self.budget is None:
            return n_columns
        free = ColumnConstraints(self.kept, self.caps, self.costs, self.budget)
        order = np.arange(n_columns) if self.costs is None else np.argsort(self.costs, kind="stable")
        return len(free.take(order.tolist()))

    @property
    def caps_are_nested(self) -> bool:
        """Whether of any two caps one holds all members of the other, or they share none.

        Then, without a budget, taking the best column again and again finds the largest sum of scores.
        """
        sets = [set(cap.members) for cap in self.caps]
        return all(
            one <= other or other <= one or not one & other for i, one in enumerate(sets) for other in sets[i + 1 :]
        )

    def excess(self, columns: Iterable[int]) -> int:
        """Return how many columns must go, at least, until no cap is exceeded; exact where caps share no members."""
        inside = set(columns)
        return sum(max(0, len(inside.intersection(cap.members)) - cap.at_most) for cap in self.caps)

    @cached_property
    def _members(self) -> list[Indices]:
        return [np.array(cap.members, dtype=np.intp) for cap in self.caps]


#: The parts that a search may have to obey.
ALL_CONSTRAINTS = frozenset({"keep", "at_most", "budget", "cost_weight"})
#: Any subset may be selected.
UNCONSTRAINED = ColumnConstraints()
