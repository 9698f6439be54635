"""The best subsets at every threshold, and what is proved of the subsets in between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

import numpy as np

from fewest.arrays import Floats, Indices, Integers
from fewest.searches.subset_value import ROUNDING, Worth
from fewest.selection import Selection
from fewest.size_grid import candidate_sizes

#: Where rounding to whole numbers may cost more than this share of what was added up, it is no proof.
_NEGLIGIBLE = 1e-9
#: Of a selection for a threshold, the subsets on the way to it are kept up to this size.
_KEPT = 50


@dataclass(frozen=True)
class BestSubsets:
    """The path of best subsets of what is worth something alone and together, where being together never harms.

    As the threshold beta falls, columns enter the best subset in blocks and never leave it. Exact for the worth rounded
    to whole numbers of 1 / scale.

    worth : what any subset is worth; being together may harm here, and then the path is that of a worth at least as
        high everywhere, and its values are bounds
    order : the columns, block after block
    ends : how many columns there are at the end of each block
    gained : what each block adds to the worth, in whole numbers
    unit : what worth and thresholds are multiples of
    """

    worth: Worth
    order: Indices
    ends: Indices
    gained: Integers
    scale: float
    may_harm: bool
    unit: float

    @classmethod
    def from_path(cls, worth: Worth, path: tuple[Any, Any, Any, float], may_harm: bool, unit: float) -> Self:
        """From the columns block after block, the blocks' sizes, what they add, and the scale."""
        order, sizes, gained, scale = path
        ends = np.cumsum(np.array(sizes, dtype=np.intp))
        return cls(worth, np.array(order, dtype=np.intp), ends, np.array(gained, dtype=np.int64), scale, may_harm, unit)

    @cached_property
    def sizes(self) -> Indices:
        """How many columns enter with each block."""
        sizes: Indices = np.diff(self.ends, prepend=0)
        return sizes

    @cached_property
    def betas(self) -> Floats:
        """The threshold at which each block enters."""
        betas: Floats = self.gained / self.scale / self.sizes
        return betas

    @cached_property
    def totals(self) -> Floats:
        """What the columns up to the end of each block are worth."""
        totals: Floats = np.cumsum(self.gained) / self.scale
        return totals

    @cached_property
    def block_of(self) -> Indices:
        """For each column the block with which it enters."""
        block_of = np.empty(len(self.order), dtype=np.intp)
        block_of[self.order] = np.repeat(np.arange(len(self.ends)), self.sizes)
        return block_of

    def at_threshold(self, beta: float) -> Selection:
        """The subset of the largest worth where every column costs beta; the smallest of equals."""
        cost = beta / self.unit
        n_blocks = int(np.count_nonzero(self.betas > cost))
        size = int(self.ends[n_blocks - 1]) if n_blocks else 0
        best = self.worth.of(self.order[:size])
        if self.may_harm:
            starts = [best, self.worth.fresh()]
            for start in starts:
                start.move_while_it_gains(cost)
            best = self._best_of([*starts, self.worth.fresh()], beta)
        columns = self._in_order(best)

        # What enters far below the threshold is in no best subset, however the coefficients were rounded.
        n_near = int(self.sizes[self.betas > cost - self._uncertainty(cost)].sum())
        near = self.order[:n_near]
        stake = self.unit * self.worth.magnitude(near) + abs(beta) * n_near
        error = self._error(n_near, near, stake)
        total = self.unit * float(self.totals[n_blocks - 1]) if n_blocks else 0.0
        bound = total - beta * size + error

        kept = [] if self.may_harm else [int(end) for end in self.ends[:n_blocks] if end <= _KEPT]
        path = {end: columns[:end] for end in sorted({*kept, len(columns)}) if end}
        value = self._value(best, beta)
        is_optimal = bound - value <= min(4 * error, _NEGLIGIBLE * stake)
        return self._selection(columns, path, value, bound, is_optimal, beta)

    def of_size(self, size: int) -> Selection:
        """The best subset of this size that was found, and the most that any of this size can be worth."""
        sizes = sorted({*candidate_sizes(size), *(int(end) for end in self.ends if end <= min(size, _KEPT))})
        found = self._subsets(sizes) if size else {0: self.worth.fresh()}
        path = {k: self._in_order(worth) for k, worth in found.items()}
        value = self._value(found[size], 0.0)

        # The path, with straight lines between its ends.
        block = int(np.searchsorted(self.ends, size)) if size else 0
        start, total = (int(self.ends[block - 1]), float(self.totals[block - 1])) if block else (0, 0.0)
        more = (size - start) * float(self.betas[block]) if size else 0.0
        stake = self.unit * (self.worth.magnitude(np.array(path[size], dtype=np.intp)) + abs(total) + abs(more))
        error = self._error(size, self.order, stake)
        bound = self.unit * (total + more) + error
        slack = min(4 * error, _NEGLIGIBLE * stake)
        if bound - value > slack:
            bound = min(bound, self.unit * self.worth.most(size))
        return self._selection(path[size], path if size else {}, value, bound, bound - value <= slack, None)

    def _value(self, chosen: Worth, beta: float) -> float:
        return self.unit * chosen.value() - beta * int(np.count_nonzero(chosen.is_in))

    def _best_of(self, candidates: Sequence[Worth], beta: float = 0.0) -> Worth:
        """The first of those with the largest value."""
        return max(candidates, key=lambda candidate: self._value(candidate, beta))

    def _error(self, size: int, among: Indices, stake: float) -> float:
        """How far a bound on sets of this size among these columns may be off, where so much was added up."""
        # Half a whole number for each coefficient; where that is too much, what rounding did change.
        rounded = self.unit * (self.worth.roundings(size) / 2 / self.scale)
        if rounded > _NEGLIGIBLE * stake:
            rounded = min(rounded, self.unit * self.worth.changed_by_rounding(among, self.scale))
        return rounded + ROUNDING * stake

    def _uncertainty(self, cost: float) -> float:
        """How far the thresholds near this one may be off: what a column adds to a set has so many coefficients."""
        p = len(self.order)
        n_added = self.worth.roundings(p) - self.worth.roundings(max(p - 1, 0))
        return n_added / 2 / self.scale + ROUNDING * abs(cost)

    def _subsets(self, sizes: Sequence[int]) -> dict[int, Worth]:
        """For each size the best subset that was found."""
        found: dict[int, list[Worth]] = {size: [] for size in sizes}
        ends = self.ends.tolist()
        for start, end in pairwise([0, *ends]):
            if end in found:
                found[end].append(self.worth.of(self.order[:end]))
            self._grow_and_shrink(start, end, found)
        if self.may_harm:
            self._grow_and_shrink(0, len(self.order), found)
        proved = set() if self.may_harm else set(ends)
        for size in found.keys() - proved:
            for candidate in found[size]:
                candidate.swap_while_it_gains()
        return {size: self._best_of(candidates) for size, candidates in found.items()}

    def _grow_and_shrink(self, start: int, end: int, found: dict[int, list[Worth]]) -> None:
        """Add subsets of the sizes in between, from either side."""
        inside = [size for size in found if start < size < end]
        if not inside:
            return
        worth = self.worth.of(self.order[:start])
        for size in range(start + 1, max(inside) + 1):
            worth.add(worth.best_outside())
            if size in found:
                found[size].append(worth.copy())
        worth = self.worth.of(self.order[:end])
        for size in range(end - 1, min(inside) - 1, -1):
            worth.drop(worth.least_inside())
            if size in found:
                found[size].append(worth.copy())

    def _in_order(self, chosen: Worth) -> tuple[int, ...]:
        """The chosen columns by the threshold at which they enter; of one block, the one that adds most at a time."""
        worth = chosen.fresh()
        columns: list[int] = []
        for block in np.unique(self.block_of[chosen.is_in]):
            among = chosen.is_in & (self.block_of == block)
            for _ in range(int(np.count_nonzero(among))):
                columns.append(worth.best_outside(among))
                worth.add(columns[-1])
        return tuple(columns)

    def _selection(
        self,
        columns: tuple[int, ...],
        path: dict[int, tuple[int, ...]],
        value: float,
        bound: float,
        is_optimal: bool,
        beta: float | None,
    ) -> Selection:
        betas = self.unit * self.betas
        scores: Floats = betas[self.block_of]
        return Selection(
            indices=columns,
            scores=tuple(scores[list(columns)].tolist()),
            path=path,
            value=value,
            bound=max(bound, value),
            is_optimal=is_optimal,
            breakpoints=() if self.may_harm else tuple(zip(betas.tolist(), self.ends.tolist(), strict=True)),
            beta=beta,
            column_scores=scores,
        )
