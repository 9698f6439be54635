"""Weigh the features first, then take the best set that is near the weighting."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fewest.arrays import Floats, Indices, Mask
from fewest.parameters import check_choice
from fewest.selection import Selection
from fewest.size_grid import candidate_sizes
from fewest.threads import one_blas_thread

SIZES = ("one", "some", "all")
#: A value counts as proved the best where it is within this share of the bound.
PROVED = 1e-9
#: A set is better than another by more than this share; less is a tie.
_TIE = 1e-12
#: Weights are compared to so many digits, so that equal ones go to the lowest column.
_DIGITS = 10
#: Sets are sought from so many times as many columns as are wanted, of which the weakest are dropped one by one: for
#: the first and the last size, and for those on the way, which have the set of the size before besides.
_STARTS, _STARTS_ON_THE_WAY = (1.0, 1.2, 1.5, 2.0), (1.0, 1.5)
#: Of so many exchanges that promise most, with so many columns, so many are tried in vain before a set counts as the
#: best around; and so many sets tell of others that they are no better.
_PROMISES, _OTHERS, _TRIES, _CUTS = 200, 200, 30, 60
#: Of so few columns a set is also grown from one column on.
_FEW_COLUMNS = 64


@dataclass(frozen=True)
class RelaxAndRound:
    """Take the set of a given size that is near the best weighting, where features may be taken in part.

    sizes : which sizes to visit, smallest first, each from what the last has found: "one", the size asked for; "some",
        also every size up to 10 and then steps of about a fifth; "all", every size up to it; or these. Sets need not be
        nested

    The best weighting is found exactly, and is a bound for all sets. Its features, those with the largest weights of
    the machines first, are the first set; up to twice as many, without the weakest, are others, and so is the last
    size's set with more. From each of them features are exchanged one for one as long as that makes it better: w is
    convex, so only a feature at which the rows pull more than at the one it replaces can do so, and of these exchanges
    those are tried that promise most. The answer is proved the best where it reaches the bound, within 1e-9 of it.

    The features are returned, and scored, by the sizes of their weights in the machines that use them. Ties go to the
    lowest column.
    """

    sizes: str | tuple[int, ...] = "one"

    requires: ClassVar[frozenset[str]] = frozenset(
        {"n_columns", "is_observed", "relax", "machines", "swap_gains", "first_better"}
    )

    def __post_init__(self) -> None:
        if not isinstance(self.sizes, tuple):
            check_choice("sizes", self.sizes, SIZES)

    @one_blas_thread()
    def run(self, objective: Any, n_features: int | None) -> Selection:
        size = objective.n_columns if n_features is None else min(n_features, objective.n_columns)
        path = self._path(objective, self._visited(size))
        chosen = path[size]
        machines = objective.machines(chosen)
        bound = objective.relax(size).bound
        strengths = np.where(objective.is_observed, _strengths(machines), np.nan)
        return Selection(
            indices=chosen,
            scores=tuple(strengths[list(chosen)].tolist()),
            path=path,
            value=machines.value,
            bound=min(bound, machines.value),
            sense="min",
            is_optimal=machines.value - bound <= PROVED * abs(machines.value),
        )

    def _visited(self, size: int) -> list[int]:
        if isinstance(self.sizes, tuple):
            return sorted({size, *(smaller for smaller in self.sizes if smaller < size)})
        return {"one": [size], "some": candidate_sizes(size), "all": list(range(1, size + 1))}[self.sizes]

    def _path(self, objective: Any, sizes: Sequence[int]) -> dict[int, tuple[int, ...]]:
        """The best set found of each size."""
        path: dict[int, tuple[int, ...]] = {}
        cuts = _Cuts()
        best: _Set | None = None
        if objective.n_columns <= _FEW_COLUMNS and sizes[0] > 1:
            best = _grown(objective, sizes[0] - 1, cuts)
        for size in sizes:
            starts = _STARTS if size in (sizes[0], sizes[-1]) else _STARTS_ON_THE_WAY
            best = _best(objective, size, starts, cuts, best)
            best.prefer_low_columns()
            path[size] = best.by_strength()
        return path


def _best(objective: Any, size: int, starts: Sequence[float], cuts: _Cuts, smaller: _Set | None) -> _Set:
    """The best set of this size that is found from several starts, the first of equals.

    starts : how many times as many columns each has at first
    smaller : the best set of fewer columns, another start
    """
    relaxed, n_columns = objective.relax(size), objective.n_columns
    best: _Set | None = None
    seen: set[tuple[int, ...]] = set()
    wide = [_rounded(relaxed, objective.is_observed, min(math.ceil(share * size), n_columns)) for share in starts]
    for start in wide if smaller is None else [*wide, smaller.with_more(size)]:
        subset = _Set(objective, start, cuts)
        subset.drop_until(size)
        if (key := tuple(subset.columns.tolist())) in seen:
            continue
        seen.add(key)
        subset.exchange_while_it_gains()
        if best is None or subset.value < best.value - _TIE * abs(best.value):
            best = subset
        if best.value - relaxed.bound <= PROVED * abs(best.value):
            break
    assert best is not None
    return best


def _grown(objective: Any, size: int, cuts: _Cuts) -> _Set:
    """A set that grows by a column at a time, with exchanges after each."""
    subset = _Set(objective, np.empty(0, dtype=np.intp), cuts)
    for more in range(1, size + 1):
        subset = _Set(objective, subset.with_more(more), cuts)
        subset.drop_until(more)
        subset.exchange_while_it_gains()
    return subset


class _Set:
    """A set of columns, and the machines that use it."""

    def __init__(self, objective: Any, columns: Indices, cuts: _Cuts) -> None:
        self.objective = objective
        self.columns = np.sort(columns)
        self.machines = objective.machines(self.columns)
        self._cuts = cuts

    @property
    def value(self) -> float:
        return float(self.machines.value)

    def exchange_while_it_gains(self) -> None:
        """Exchange one column for another as long as the set becomes better by it."""
        while True:
            outs, intos = self._promising()
            bounds = self._cuts.bounds(self.columns, outs, intos)
            found = self.objective.first_better(self.columns, outs, intos, bounds, _TIE, _TRIES)
            if found is None:
                return
            place, self.machines = found
            self.columns = self._exchanged(outs[place], intos[place])
            self._cuts.add(self.machines, self.columns)

    def with_more(self, size: int) -> Indices:
        """These columns, and those at which the rows pull most besides."""
        pulls = _to_digits(np.sqrt(np.square(self.machines.pulls).sum(axis=0)))
        is_other = ~np.isin(np.arange(len(pulls)), self.columns)
        order = np.lexsort((-pulls, ~self.objective.is_observed, is_other))
        return order[:size].astype(np.intp)

    def drop_until(self, size: int) -> None:
        """Drop the column with the smallest weight, of equals the highest, until so many are left."""
        while len(self.columns) > size:
            order = self.by_strength()
            self.columns = np.sort(order[:-1]).astype(np.intp)
            self.machines = self.objective.machines(self.columns, self.machines)
        self._cuts.add(self.machines, self.columns)

    def prefer_low_columns(self) -> None:
        """Of columns that do as well, such as copies, take the lowest."""
        squares = np.square(self.machines.pulls).sum(axis=0)
        for out in self.columns[::-1].tolist():
            is_alike = np.abs(squares[:out] - squares[out]) <= 1e-9 * squares[out]
            is_alike[self.columns[self.columns < out]] = False
            is_alike &= self.objective.is_observed[:out]
            alike = np.flatnonzero(is_alike)
            any(self._take(self._exchanged(out, into), may_tie=True) for into in alike.tolist())

    def by_strength(self) -> tuple[int, ...]:
        """The columns, those with the largest weights first."""
        strengths = _to_digits(_strengths(self.machines)[self.columns])
        is_empty = ~self.objective.is_observed[self.columns]
        return tuple(self.columns[np.lexsort((-strengths, is_empty))].tolist())

    def _promising(self) -> tuple[Indices, Indices]:
        """Exchanges that may gain, those that promise most first: which columns go, and which come."""
        squares = np.square(self.machines.pulls).sum(axis=0)
        # w is convex: exchanging one column for another changes it by no less than what the one pulls more.
        is_more = squares > squares[self.columns].min(initial=np.inf)
        is_more[self.columns] = False
        outside = np.flatnonzero(is_more)
        outside = outside[np.argsort(-squares[outside], kind="stable")[:_OTHERS]]
        if len(outside) == 0:
            return outside, outside
        gains = self.objective.swap_gains(self.columns, outside)
        gains[squares[self.columns][:, None] >= squares[outside]] = -np.inf
        rows, places = np.unravel_index(_largest(gains.ravel(), _PROMISES), gains.shape)
        return self.columns[rows], outside[places]

    def _exchanged(self, out: int, into: int) -> Indices:
        return np.sort(np.append(self.columns[self.columns != out], into))

    def _take(self, columns: Indices, may_tie: bool = False) -> bool:
        """Take these columns instead, if they are better."""
        allowed = _TIE * abs(self.value)
        machines = self.objective.machines(columns, self.machines)
        self._cuts.add(machines, columns)
        if not machines.value < self.value + (allowed if may_tie else -allowed):
            return False
        self.columns, self.machines = columns, machines
        return True


class _Cuts:
    """What sets tried before prove of others, of whatever size: w is no lower than a constant less the sum of the
    squared pulls at the columns."""

    def __init__(self) -> None:
        self._constants: list[float] = []
        self._squares: list[Floats] = []

    def add(self, machines: Any, columns: Indices) -> None:
        squares = np.square(machines.pulls).sum(axis=0)
        self._constants = [*self._constants[-_CUTS:], machines.bound + float(squares[columns].sum())]
        self._squares = [*self._squares[-_CUTS:], squares]

    def bounds(self, columns: Indices, outs: Indices, intos: Indices) -> Floats:
        """No less is w where the one column is exchanged for the other."""
        squares = np.array(self._squares)
        kept = np.array(self._constants) - squares[:, columns].sum(axis=1)
        bounds: Floats = (kept[:, None] + squares[:, outs] - squares[:, intos]).max(axis=0)
        return bounds


def _strengths(relaxed: Any) -> Floats:
    """The size of each column's weights in the machines, over all of them."""
    strengths: Floats = relaxed.weighting * np.sqrt(np.square(relaxed.pulls).sum(axis=0))
    return strengths


def _largest(numbers: Floats, count: int) -> Indices:
    """Where the largest numbers are, the largest first, of equals the first; those that are minus infinity nowhere."""
    among = np.flatnonzero(numbers > -np.inf)
    if len(among) > 4 * count:
        own = numbers[among]
        among = among[own >= np.partition(own, len(own) - count)[len(own) - count]]
    return among[np.argsort(-numbers[among], kind="stable")[:count]]


def _to_digits(strengths: Floats) -> Floats:
    largest = float(strengths.max(initial=0.0))
    return np.round(strengths / largest, _DIGITS) if largest > 0 else strengths


def _rounded(relaxed: Any, is_observed: Mask, size: int) -> Indices:
    """The columns with the largest weights; then those at which the rows pull most; then those without a value."""
    pulls = np.sqrt(np.square(relaxed.pulls).sum(axis=0))
    order = np.lexsort((-_to_digits(pulls), -_to_digits(_strengths(relaxed)), ~is_observed))
    return order[:size].astype(np.intp)
