"""The worth of a subset, kept up to date while columns are added, dropped and swapped."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Self

import numpy as np

from fewest.arrays import Floats, Indices, Mask

#: Moves that gain less than this share of what is at stake are rounding.
_LEAST = 1e-12
#: Adding up numbers loses less than this share of the sum of their sizes.
ROUNDING = 64 * float(np.finfo(np.float64).eps)


class Worth(ABC):
    """A set of columns and what each column adds to it.

    gains : for a column outside what it would add, for one inside what it adds
    is_in : which columns are inside
    """

    def __init__(self, unary: Floats) -> None:
        self.unary = unary
        self.is_in: Mask = np.zeros(len(unary), dtype=bool)
        self.gains: Floats = unary.copy()

    @abstractmethod
    def fresh(self) -> Self:
        """The same columns with none inside."""

    @abstractmethod
    def value(self) -> float:
        """What the set is worth, added up anew."""

    @abstractmethod
    def magnitude(self, columns: Indices) -> float:
        """The sum of the sizes of the numbers that a set adds up, whatever their signs."""

    @abstractmethod
    def meeting(self, column: int) -> Floats:
        """What each column adds more because this one is inside."""

    @abstractmethod
    def roundings(self, size: int) -> float:
        """How many coefficients a set of this size adds up."""

    @abstractmethod
    def changed_by_rounding(self, columns: Indices, scale: float) -> float:
        """How much rounding to whole numbers of 1 / scale changes what a set adds up; what harms is left out."""

    @abstractmethod
    def most(self, size: int) -> float:
        """No set of this size is worth more, not by rounding either: each column with its best company, added up."""

    @abstractmethod
    def _update(self, column: int) -> None:
        """Bring the gains up to date after a column came in or went out."""

    def of(self, columns: Iterable[int]) -> Self:
        """Another set of the same columns."""
        other = self.fresh()
        for column in columns:
            other.add(column)
        return other

    def copy(self) -> Self:
        """The same set, to change without changing this one."""
        other = self.fresh()
        other.is_in = self.is_in.copy()
        other.gains = self.gains.copy()
        return other

    def add(self, column: int) -> None:
        self.is_in[column] = True
        self._update(column)

    def drop(self, column: int) -> None:
        self.is_in[column] = False
        self._update(column)

    def best_outside(self, among: Mask | None = None) -> int:
        """The column outside that would add most, the lowest of equals; -1 where there is none."""
        is_out = ~self.is_in if among is None else among & ~self.is_in
        if not is_out.any():
            return -1
        return int(np.argmax(np.where(is_out, self.gains, -np.inf)))

    def least_inside(self) -> int:
        """The column inside that adds least, the highest of equals."""
        last = len(self.gains) - 1
        return last - int(np.argmin(np.where(self.is_in, self.gains, np.inf)[::-1]))

    def swap_while_it_gains(self) -> None:
        """Exchange one column for another as long as the set gains by it: the best exchange first."""
        for _ in range(4 * len(self.gains)):
            gain, out, into = self._best_swap()
            if gain <= _LEAST * self._stake():
                return
            self.drop(out)
            self.add(into)

    def move_while_it_gains(self, cost: float) -> None:
        """Add, drop and exchange as long as the set gains by it, where every column costs so much."""
        for _ in range(4 * len(self.gains)):
            into = self.best_outside()
            least = _LEAST * self._stake()
            if into >= 0 and self.gains[into] - cost > least:
                self.add(into)
                continue
            if self.is_in.any() and cost - self.gains[out := self.least_inside()] > least:
                self.drop(out)
                continue
            gain, out, into = self._best_swap()
            if gain <= least:
                return
            self.drop(out)
            self.add(into)

    def _stake(self) -> float:
        return float(np.abs(self.gains).max(initial=0.0))

    def _best_swap(self) -> tuple[float, int, int]:
        """The most that an exchange gains, and its two columns."""
        best, best_out, best_into = 0.0, -1, -1
        if self.is_in.all() or not self.is_in.any():
            return best, best_out, best_into
        outside = np.where(self.is_in, -np.inf, self.gains)
        highest = outside.max()
        for out in np.flatnonzero(self.is_in):
            meeting = self.meeting(int(out))
            # Without this column those outside add less by what they share with it.
            if highest - meeting.min() - self.gains[out] <= best:
                continue
            gains = outside - meeting
            into = int(np.argmax(gains))
            if gains[into] - self.gains[out] > best:
                best, best_out, best_into = float(gains[into] - self.gains[out]), int(out), into
        return best, best_out, best_into


class PairWorth(Worth):
    """Columns are worth something alone and in pairs."""

    def __init__(self, unary: Floats, pairs: Floats) -> None:
        super().__init__(unary)
        self.pairs = pairs

    def fresh(self) -> Self:
        return type(self)(self.unary, self.pairs)

    def value(self) -> float:
        columns = np.flatnonzero(self.is_in)
        return float(self.unary[columns].sum() + self.pairs[np.ix_(columns, columns)].sum() / 2)

    def magnitude(self, columns: Indices) -> float:
        pairs = self.pairs[np.ix_(columns, columns)]
        return float(np.abs(self.unary[columns]).sum() + np.abs(pairs, out=pairs).sum() / 2)

    def meeting(self, column: int) -> Floats:
        row: Floats = self.pairs[column]
        return row

    def roundings(self, size: int) -> float:
        return size + size * (size - 1) / 2

    def changed_by_rounding(self, columns: Indices, scale: float) -> float:
        pairs = np.maximum(self.pairs[np.ix_(columns, columns)], 0.0)
        return _changed(self.unary[columns], scale) + _changed(pairs, scale) / 2

    def most(self, size: int) -> float:
        if size == 2:
            return max(self._best_with_a_later_one(j) for j in range(len(self.unary) - 1))
        return _sum_of_highest(self._with_best_company(size), size)

    def _best_with_a_later_one(self, j: int) -> float:
        """The most that this column and one after it are worth."""
        others, together = self.unary[j + 1 :], self.pairs[j, j + 1 :]
        return float(_no_less_than_the_sum(self.unary[j], others, together).max())

    def _with_best_company(self, size: int) -> Floats:
        """What each column is worth with half of each pair, in the company of so many less one that suits it best."""
        company = np.empty(len(self.unary))
        for j, row in enumerate(self.pairs):
            company[j] = _sum_of_highest(np.delete(row, j), size - 1)
        return _no_less_than_the_sum(self.unary, company / 2)

    def _update(self, column: int) -> None:
        self.gains += self.pairs[column] if self.is_in[column] else -self.pairs[column]


class TripleWorth(PairWorth):
    """Columns are worth something alone, in pairs and in threes."""

    def __init__(self, unary: Floats, pairs: Floats, triples: Floats) -> None:
        super().__init__(unary, pairs)
        self.triples = triples

    def fresh(self) -> Self:
        return type(self)(self.unary, self.pairs, self.triples)

    def value(self) -> float:
        columns = np.flatnonzero(self.is_in)
        return super().value() + float(self.triples[np.ix_(columns, columns, columns)].sum() / 6)

    def magnitude(self, columns: Indices) -> float:
        triples = self.triples[np.ix_(columns, columns, columns)]
        return super().magnitude(columns) + float(np.abs(triples).sum() / 6)

    def meeting(self, column: int) -> Floats:
        row: Floats = self.pairs[column] + self.triples[column] @ self.is_in.astype(np.float64)
        return row

    def roundings(self, size: int) -> float:
        return super().roundings(size) + size * (size - 1) * (size - 2) / 6

    def changed_by_rounding(self, columns: Indices, scale: float) -> float:
        triples = np.maximum(self.triples[np.ix_(columns, columns, columns)], 0.0)
        return super().changed_by_rounding(columns, scale) + _changed(triples, scale) / 6

    def most(self, size: int) -> float:
        if size <= 2:
            return super().most(size)
        upper = np.triu_indices(len(self.unary) - 1, 1)
        company = np.empty(len(self.unary))
        for j, table in enumerate(self.triples):
            others = np.delete(np.delete(table, j, axis=0), j, axis=1)
            company[j] = _sum_of_highest(others[upper], (size - 1) * (size - 2) // 2)
        return _sum_of_highest(_no_less_than_the_sum(self._with_best_company(size), company / 3), size)

    def _update(self, column: int) -> None:
        inside = self.is_in.astype(np.float64)
        self.gains = self.unary + self.pairs @ inside + (self.triples @ inside) @ inside / 2


def _sum_of_highest(x: Floats, count: int) -> float:
    """No less than the sum of the highest so many of them."""
    if count <= 0:
        return 0.0
    highest = x if count >= len(x) else np.partition(x, len(x) - count)[len(x) - count :]
    return float(highest.sum() + ROUNDING * np.abs(highest).sum())


def _changed(x: Floats, scale: float) -> float:
    return float(np.abs(x - np.rint(x * scale) / scale).sum())


def _no_less_than_the_sum(*terms: Any) -> Floats:
    bound: Floats = sum(terms) + ROUNDING * sum(np.abs(term) for term in terms)
    return bound
