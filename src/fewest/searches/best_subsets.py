"""The best subsets at every threshold, and what is proved of the subsets in between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fewest.searches.sizes import candidate_sizes
from fewest.searches.worth import Worth
from fewest.selection import Selection

Floats = NDArray[np.float64]

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class BestSubsets:
    """The path of best subsets of what is worth something alone and together, where being together never harms.

    As the threshold beta falls, columns enter the best subset in blocks and never leave it. Exact for the worth rounded
    to whole numbers of `resolution`.

    worth : what any subset is worth; being together may harm here, and then the path is that of a worth at least as
        high everywhere, and its values are bounds
    order : the columns, block after block
    ends : how many columns there are at the end of each block
    gained : what each block adds to the worth, rounded
    """

    worth: Worth
    order: NDArray[np.intp]
    ends: NDArray[np.intp]
    gained: Floats
    resolution: float
    may_harm: bool

    @cached_property
    def betas(self) -> Floats:
        """The threshold at which each block enters."""
        betas: Floats = self.gained / np.diff(self.ends, prepend=0)
        return betas

    @cached_property
    def totals(self) -> Floats:
        """What the columns up to the end of each block are worth."""
        return np.cumsum(self.gained)

    @cached_property
    def scores(self) -> Floats:
        """For each column the threshold at which it enters."""
        scores = np.empty(len(self.order))
        scores[self.order] = np.repeat(self.betas, np.diff(self.ends, prepend=0))
        return scores

    def at_threshold(self, beta: float) -> Selection:
        """The subset of the largest worth where every column costs beta; the smallest of equals."""
        n_blocks = int(np.count_nonzero(self.betas > beta))
        size = int(self.ends[n_blocks - 1]) if n_blocks else 0
        best = self.worth.of(self.order[:size])
        if self.may_harm:
            best.move_while_it_gains(beta)
        bound = float(self.totals[n_blocks - 1] - beta * size) if n_blocks else 0.0
        value = best.value() - beta * int(best.is_in.sum())
        columns = self._in_order(best)
        path = {len(columns): columns} if columns else {}
        for end in self.ends[:n_blocks]:
            if not self.may_harm and end <= 50:
                path[int(end)] = columns[:end]
        return self._selection(columns, path, value, bound, len(self.order), beta)

    def of_size(self, size: int) -> Selection:
        """The best subset of this size that was found, and the most that any of this size can be worth."""
        sizes = sorted({*candidate_sizes(size), *(int(end) for end in self.ends if end <= min(size, 50))})
        found = self._subsets(sizes) if size else {0: self.worth.fresh()}
        path = {k: self._in_order(worth) for k, worth in found.items()}
        return self._selection(path[size], path, found[size].value(), self._most(size), size, None)

    def _most(self, size: int) -> float:
        """No subset of this size is worth more, but for rounding."""
        # The path, with straight lines between its ends.
        most = float(np.interp(size, [0, *self.ends], [0.0, *self.totals]))
        return most if size in self.ends and not self.may_harm else min(most, self.worth.most(size))

    def _subsets(self, sizes: Sequence[int]) -> dict[int, Worth]:
        """For each size the best subset that was found."""
        found: dict[int, Worth] = {}
        start = 0
        for end in self.ends:
            inside = [size for size in sizes if start < size < end]
            if end in sizes:
                found[int(end)] = self.worth.of(self.order[:end])
            if inside:
                grown, shrunk = self._grown(start, inside), self._shrunk(end, inside)
                for size in inside:
                    for candidate in (grown[size], shrunk[size]):
                        candidate.swap_while_it_gains()
                    better = grown[size].value() >= shrunk[size].value()
                    found[size] = grown[size] if better else shrunk[size]
            start = int(end)
        if self.may_harm:
            for worth in found.values():
                worth.swap_while_it_gains()
        return {size: found[size] for size in sizes}

    def _grown(self, start: int, sizes: Sequence[int]) -> dict[int, Worth]:
        """From the first columns of the path, the one that adds most at a time."""
        worth = self.worth.of(self.order[:start])
        found = {}
        for size in range(start + 1, max(sizes) + 1):
            worth.add(worth.best_outside())
            if size in sizes:
                found[size] = self.worth.of(worth.columns())
        return found

    def _shrunk(self, end: int, sizes: Sequence[int]) -> dict[int, Worth]:
        """From more columns of the path, the one that adds least at a time."""
        worth = self.worth.of(self.order[:end])
        found = {}
        for size in range(end - 1, min(sizes) - 1, -1):
            worth.drop(worth.least_inside())
            if size in sizes:
                found[size] = self.worth.of(worth.columns())
        return found

    def _in_order(self, chosen: Worth) -> tuple[int, ...]:
        """The chosen columns by the threshold at which they enter; of one block, the one that adds most at a time."""
        worth = chosen.fresh()
        columns: list[int] = []
        for beta in np.unique(self.scores[chosen.is_in])[::-1]:
            among = chosen.is_in & (self.scores == beta)
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
        largest: int,
        beta: float | None,
    ) -> Selection:
        # Half a unit for each coefficient that was rounded, and what adding up floats may lose.
        stake = float(np.abs(self.totals).max(initial=0.0)) + abs(value)
        error = self.resolution * self.worth.roundings(largest) / 2 + 8 * _EPS * stake
        return Selection(
            indices=columns,
            scores=tuple(self.scores[list(columns)].tolist()),
            path=path,
            value=value,
            bound=max(bound + error, value),
            is_optimal=value >= bound - error,
            breakpoints=() if self.may_harm else tuple(zip(self.betas.tolist(), self.ends.tolist(), strict=True)),
            beta=beta,
            column_scores=self.scores,
        )
