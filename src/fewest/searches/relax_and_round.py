"""Weigh the features first, then take the best set that is near the weighting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fewest.errors import InvalidParameter
from fewest.searches.sizes import candidate_sizes
from fewest.selection import Selection

Floats = NDArray[np.float64]

SIZES = ("one", "some", "all")
#: A value counts as proved the best where it is within this share of the bound.
PROVED = 1e-9
#: A set is better than another by more than this share; less is a tie.
_TIE = 1e-12
#: Weights are compared to so many digits, so that equal ones go to the lowest column.
_DIGITS = 10
#: Of so many exchanges that promise most, with so many columns, so many are tried before a set counts as the best
#: around; and so many sets tried tell of others that they are no better.
_PROMISES, _OTHERS, _TRIES, _CUTS = 100, 200, 24, 30


@dataclass(frozen=True)
class RelaxAndRound:
    """Take the set of a given size that is near the best weighting, where features may be taken in part.

    sizes : which sizes to visit, smallest first, each from what the last has found: "one", the size asked for; "some",
        also every size up to 10 and then steps of about a fifth; "all", every size up to it. Sets need not be nested

    The best weighting is found exactly, and is a bound for all sets. Its features, those with the largest weights of
    the machines first, are the first set. Then features are exchanged one for one as long as that makes it better: w is
    convex, so only a feature at which the rows pull more than at the one it replaces can do so, and of these exchanges
    those are tried that promise most. The answer is proved the best where it reaches the bound, within 1e-9 of it.

    The features are returned, and scored, by the sizes of their weights in the machines that use them. Ties go to the
    lowest column.
    """

    sizes: str = "one"

    requires: ClassVar[frozenset[str]] = frozenset({"n_columns", "tuned", "relax", "machines", "swap_gains"})

    def __post_init__(self) -> None:
        if self.sizes not in SIZES:
            raise InvalidParameter(f"sizes must be one of {', '.join(map(repr, SIZES))}, got {self.sizes!r} instead.")

    def run(self, objective: Any, n_features: int | None) -> Selection:
        size = objective.n_columns if n_features is None else min(n_features, objective.n_columns)
        objective = objective.tuned(lambda other: self._tried(other, size))
        path = self._path(objective, self._visited(size))
        chosen = path[size]
        machines = objective.machines(chosen)
        bound = objective.relax(size).bound
        return Selection(
            indices=chosen,
            scores=tuple(_strengths(machines)[list(chosen)].tolist()),
            path=path,
            value=machines.value,
            bound=min(bound, machines.value),
            sense="min",
            is_optimal=machines.value - bound <= PROVED * abs(machines.value),
        )

    def _visited(self, size: int) -> list[int]:
        return {"one": [size], "some": candidate_sizes(size), "all": list(range(1, size + 1))}[self.sizes]

    def _tried(self, objective: Any, size: int) -> list[tuple[int, ...]]:
        """The sets by which parameters are chosen: of this size; where others are visited too, of some of them."""
        visited = self._visited(size)
        sizes = [2**power for power in range(size.bit_length()) if 2**power in visited and 2**power < size]
        return list(self._path(objective, [*sizes, size]).values())

    def _path(self, objective: Any, sizes: Sequence[int]) -> dict[int, tuple[int, ...]]:
        """The best set found of each size."""
        path: dict[int, tuple[int, ...]] = {}
        for size in sizes:
            subset = _Set(objective, _rounded(objective.relax(size), size))
            subset.exchange_while_it_gains()
            subset.prefer_low_columns()
            path[size] = subset.by_strength()
        return path


class _Set:
    """A set of columns, and the machines that use it."""

    def __init__(self, objective: Any, columns: NDArray[np.intp]) -> None:
        self.objective = objective
        self.columns = np.sort(columns)
        self.machines = objective.machines(self.columns)
        self._cuts = [_Cut.of(self.machines, self.columns)]

    @property
    def value(self) -> float:
        return float(self.machines.value)

    def exchange_while_it_gains(self) -> None:
        """Exchange one column for another as long as the set becomes better by it."""
        is_better = True
        while is_better:
            is_better, n_tried = False, 0
            for out, into in self._promising():
                columns = self._exchanged(out, into)
                if max(cut.bound(columns) for cut in self._cuts) >= self.value * (1 - _TIE):
                    continue
                is_better, n_tried = self._take(columns), n_tried + 1
                if is_better or n_tried == _TRIES:
                    break

    def prefer_low_columns(self) -> None:
        """Of columns that do as well, such as copies, take the lowest."""
        squares = np.square(self.machines.pulls).sum(axis=0)
        for out in self.columns[::-1].tolist():
            lower = np.setdiff1d(np.arange(out), self.columns)
            alike = lower[np.abs(squares[lower] - squares[out]) <= 1e-9 * squares[out]]
            any(self._take(self._exchanged(out, into), may_tie=True) for into in alike.tolist())

    def by_strength(self) -> tuple[int, ...]:
        """The columns, those with the largest weights first."""
        strengths = _strengths(self.machines)[self.columns]
        return tuple(self.columns[np.argsort(-_to_digits(strengths), kind="stable")].tolist())

    def _promising(self) -> list[tuple[int, int]]:
        """Exchanges that may gain, those that promise most first."""
        squares = np.square(self.machines.pulls).sum(axis=0)
        outside = np.setdiff1d(np.arange(len(squares)), self.columns)
        # w is convex: exchanging one column for another changes it by no less than what the one pulls more.
        outside = outside[squares[outside] > squares[self.columns].min(initial=np.inf)]
        outside = outside[np.argsort(-squares[outside], kind="stable")[:_OTHERS]]
        if len(outside) == 0:
            return []
        gains = self.objective.swap_gains(self.columns, outside)
        gains[squares[self.columns][:, None] >= squares[outside]] = -np.inf
        order = np.argsort(-gains, axis=None, kind="stable")[:_PROMISES]
        pairs = np.column_stack(np.unravel_index(order, gains.shape))
        return [(int(self.columns[i]), int(outside[j])) for i, j in pairs if gains[i, j] > -np.inf]

    def _exchanged(self, out: int, into: int) -> NDArray[np.intp]:
        return np.sort(np.append(self.columns[self.columns != out], into))

    def _take(self, columns: NDArray[np.intp], may_tie: bool = False) -> bool:
        """Take these columns instead, if they are better."""
        allowed = _TIE * abs(self.value)
        machines = self.objective.machines(columns, self.machines)
        self._cuts = [*self._cuts[-_CUTS:], _Cut.of(machines, columns)]
        if not machines.value < self.value + (allowed if may_tie else -allowed):
            return False
        self.columns, self.machines = columns, machines
        return True


class _Cut(NamedTuple):
    """What the rows of one set prove of all others: w is no lower than constant - sum of the squared pulls at its
    columns."""

    constant: float
    squares: Floats

    @classmethod
    def of(cls, machines: Any, columns: NDArray[np.intp]) -> _Cut:
        squares = np.square(machines.pulls).sum(axis=0)
        return cls(machines.bound + float(squares[columns].sum()), squares)

    def bound(self, columns: NDArray[np.intp]) -> float:
        return self.constant - float(self.squares[columns].sum())


def _strengths(relaxed: Any) -> Floats:
    """The size of each column's weights in the machines, over all of them."""
    strengths: Floats = relaxed.weighting * np.sqrt(np.square(relaxed.pulls).sum(axis=0))
    return strengths


def _to_digits(strengths: Floats) -> Floats:
    largest = float(strengths.max(initial=0.0))
    return np.round(strengths / largest, _DIGITS) if largest > 0 else strengths


def _rounded(relaxed: Any, size: int) -> NDArray[np.intp]:
    """The columns with the largest weights; then those at which the rows pull most."""
    pulls = np.sqrt(np.square(relaxed.pulls).sum(axis=0))
    order = np.lexsort((-_to_digits(pulls), -_to_digits(_strengths(relaxed))))
    return order[:size].astype(np.intp)
