"""The value of a subset under unary, pairwise and triple coefficients, kept up to date while columns come and go."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

import numpy as np

from fewest.arrays import Floats, Indices, Mask

#: Moves that gain less than this share of the largest gain are rounding.
_LEAST = 1e-12
#: Adding up numbers loses less than this share of the sum of their sizes.
ROUNDING = 64 * float(np.finfo(np.float64).eps)


class PairwiseValue:
    """A subset of columns whose value is the sum of its unary and pair coefficients, and the gain of each column.

    gains : for a column outside the subset what it would add to the value, for one inside what it adds
    is_in : which columns are inside
    """

    def __init__(self, unary: Floats, pairs: Floats) -> None:
        self.unary, self.pairs = unary, pairs
        self.is_in: Mask = np.zeros(len(unary), dtype=bool)
        self.gains: Floats = unary.copy()

    def of(self, columns: Iterable[int]) -> Self:
        """Return another subset under the same coefficients."""
        other = self.empty()
        for column in columns:
            other.toggle(column)
        return other

    def copy(self) -> Self:
        """Return an independent copy."""
        other = self.empty()
        other.is_in, other.gains = self.is_in.copy(), self.gains.copy()
        return other

    def toggle(self, column: int) -> None:
        """Add a column or, where it is inside, remove it."""
        self.is_in[column] ^= True
        self.gains += self.pairs[column] if self.is_in[column] else -self.pairs[column]

    def best_outside(self, among: Mask | None = None) -> int:
        """Return the column outside with the largest gain, the lowest of equals; -1 where there is none."""
        is_out = ~self.is_in if among is None else among & ~self.is_in
        return int(np.argmax(np.where(is_out, self.gains, -np.inf))) if is_out.any() else -1

    def least_inside(self) -> int:
        """Return the column inside with the least gain, the highest of equals."""
        return len(self.gains) - 1 - int(np.argmin(np.where(self.is_in, self.gains, np.inf)[::-1]))

    def improve(self, cost: float | None = None) -> None:
        """Exchange columns, the best exchange first, while the value grows; where a column has a cost, less costs.

        With a cost columns are also added and removed, before they are exchanged.
        """
        for _ in range(4 * len(self.gains)):
            least = _LEAST * float(np.abs(self.gains).max(initial=0.0))
            if cost is not None:
                into = self.best_outside()
                if into >= 0 and self.gains[into] - cost > least:
                    self.toggle(into)
                    continue
                if self.is_in.any() and cost - self.gains[out := self.least_inside()] > least:
                    self.toggle(out)
                    continue
            gain, out, into = self._best_swap()
            if gain <= least:
                return
            self.toggle(out)
            self.toggle(into)

    def _best_swap(self) -> tuple[float, int, int]:
        """Return the largest gain of an exchange, the column to remove and the column to add."""
        best, best_out, best_into = 0.0, -1, -1
        if self.is_in.all() or not self.is_in.any():
            return best, best_out, best_into
        outside = np.where(self.is_in, -np.inf, self.gains)
        highest = outside.max()
        for out in np.flatnonzero(self.is_in):
            interactions = self.interactions(int(out))
            # Without this column the gains outside lack their interactions with it.
            if highest - interactions.min() - self.gains[out] <= best:
                continue
            gains = outside - interactions
            into = int(np.argmax(gains))
            if gains[into] - self.gains[out] > best:
                best, best_out, best_into = float(gains[into] - self.gains[out]), int(out), into
        return best, best_out, best_into

    def empty(self) -> Self:
        """Return the empty subset under the same coefficients."""
        return type(self)(self.unary, self.pairs)

    def value(self) -> float:
        """Return the value of the subset, summed anew."""
        columns = np.flatnonzero(self.is_in)
        return float(self.unary[columns].sum() + self.pairs[np.ix_(columns, columns)].sum() / 2)

    def magnitude(self, columns: Indices) -> float:
        """Return the sum of the absolute coefficients within these columns."""
        pairs = self.pairs[np.ix_(columns, columns)]
        return float(np.abs(self.unary[columns]).sum() + np.abs(pairs, out=pairs).sum() / 2)

    def interactions(self, column: int) -> Floats:
        """Return by how much the gain of each column grows because this one is inside."""
        return np.asarray(self.pairs[column])

    def contracted(self, columns: Indices) -> tuple[Floats, ...]:
        """Return the coefficients of some columns outside, where those inside stay."""
        return self.gains[columns], self.pairs[np.ix_(columns, columns)]

    def contraction_errors(self, columns: Indices) -> Floats:
        """Return for each of these columns how much rounding in contracted() may change a subset's value by it."""
        inside = np.flatnonzero(self.is_in)
        sizes = np.abs(self.unary[columns]) + np.abs(self.pairs[np.ix_(columns, inside)]).sum(axis=1)
        return np.asarray(ROUNDING * sizes)

    def n_coefficients(self, size: int) -> float:
        """Return the number of coefficients that the value of a subset of this size sums."""
        return size + size * (size - 1) / 2

    def rounding_error(self, columns: Indices, scale: float) -> float:
        """Return how much rounding to multiples of 1 / scale changes the sum; negative interactions are left out."""
        pairs = np.maximum(self.pairs[np.ix_(columns, columns)], 0.0)
        return _rounding(self.unary[columns], scale) + _rounding(pairs, scale) / 2

    def upper_bound(self, size: int) -> float:
        """Return an upper bound, rounding included, of all subsets of this size: each column with its best partners."""
        if size == 2:
            later = (_upper_sum(x, self.unary[j:], self.pairs[j - 1, j:]) for j, x in enumerate(self.unary[:-1], 1))
            return float(max(sums.max() for sums in later))
        return _upper_sum_of_highest(self._with_best_partners(size), size)

    def _with_best_partners(self, size: int) -> Floats:
        """Return an upper bound of each column's value with half of its pairs, among its best size - 1 partners."""
        partners = [_upper_sum_of_highest(np.delete(row, j), size - 1) for j, row in enumerate(self.pairs)]
        return _upper_sum(self.unary, np.array(partners) / 2)


class TriplewiseValue(PairwiseValue):
    """The value of a subset is the sum of its unary, pair and triple coefficients."""

    def __init__(self, unary: Floats, pairs: Floats, triples: Floats) -> None:
        super().__init__(unary, pairs)
        self.triples = triples

    def empty(self) -> Self:
        return type(self)(self.unary, self.pairs, self.triples)

    def value(self) -> float:
        columns = np.flatnonzero(self.is_in)
        return super().value() + float(self.triples[np.ix_(columns, columns, columns)].sum() / 6)

    def magnitude(self, columns: Indices) -> float:
        triples = self.triples[np.ix_(columns, columns, columns)]
        return super().magnitude(columns) + float(np.abs(triples).sum() / 6)

    def interactions(self, column: int) -> Floats:
        return np.asarray(self.pairs[column] + self.triples[column] @ self.is_in.astype(np.float64))

    def contracted(self, columns: Indices) -> tuple[Floats, ...]:
        pairs = self.pairs + self.triples @ self.is_in.astype(np.float64)
        among = np.ix_(columns, columns)
        return self.gains[columns], pairs[among], self.triples[np.ix_(columns, columns, columns)]

    def contraction_errors(self, columns: Indices) -> Floats:
        inside = np.flatnonzero(self.is_in)
        with_two = np.abs(self.triples[np.ix_(columns, inside, inside)]).sum(axis=(1, 2)) / 2
        # Half of the rounding of a pair goes to each of its columns.
        pairs = np.abs(self.pairs[np.ix_(columns, columns)])
        pairs += np.abs(self.triples[np.ix_(columns, columns, inside)]).sum(axis=2)
        return np.asarray(super().contraction_errors(columns) + ROUNDING * (with_two + pairs.sum(axis=1) / 2))

    def n_coefficients(self, size: int) -> float:
        return super().n_coefficients(size) + size * (size - 1) * (size - 2) / 6

    def rounding_error(self, columns: Indices, scale: float) -> float:
        triples = np.maximum(self.triples[np.ix_(columns, columns, columns)], 0.0)
        return super().rounding_error(columns, scale) + _rounding(triples, scale) / 6

    def upper_bound(self, size: int) -> float:
        if size <= 2:
            return super().upper_bound(size)
        upper = np.triu_indices(len(self.unary) - 1, 1)
        partners = np.empty(len(self.unary))
        for j, table in enumerate(self.triples):
            others = np.delete(np.delete(table, j, axis=0), j, axis=1)
            partners[j] = _upper_sum_of_highest(others[upper], (size - 1) * (size - 2) // 2)
        return _upper_sum_of_highest(_upper_sum(self._with_best_partners(size), partners / 3), size)

    def toggle(self, column: int) -> None:
        self.is_in[column] ^= True
        inside = self.is_in.astype(np.float64)
        self.gains = self.unary + self.pairs @ inside + (self.triples @ inside) @ inside / 2


def _upper_sum_of_highest(x: Floats, count: int) -> float:
    """Return an upper bound of the sum of the highest `count` numbers."""
    if count <= 0:
        return 0.0
    highest = x if count >= len(x) else np.partition(x, len(x) - count)[len(x) - count :]
    return float(highest.sum() + ROUNDING * np.abs(highest).sum())


def _upper_sum(*terms: Floats) -> Floats:
    """Return an upper bound of the sum of the terms, whatever the rounding."""
    return np.asarray(sum(terms) + ROUNDING * sum(np.abs(term) for term in terms))


def _rounding(x: Floats, scale: float) -> float:
    return float(np.abs(x - np.rint(x * scale) / scale).sum())
