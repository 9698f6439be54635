"""The worth of every subset of a few columns, in whole numbers; slow, and never calling fewest."""

from __future__ import annotations

from fractions import Fraction

import numpy as np


def as_whole_numbers(*tables):
    """The tables in whole numbers of one unit, exactly, and the unit: every float is so many times a power of two."""
    finest = 0
    for table in tables:
        mantissas, exponents = np.frexp(table[table != 0])
        # A mantissa is a multiple of 2^-53, and of a larger power where its last bits are zero.
        trailing = (np.ldexp(mantissas, 53).astype(np.int64) & -np.ldexp(mantissas, 53).astype(np.int64)).astype(float)
        finest = min(finest, int((exponents - 53 + np.frexp(trailing)[1] - 1).min(initial=0)))
    unit = Fraction(1, 2**-finest)
    whole = []
    for table in tables:
        numbers = np.array([int(Fraction(x) / unit) for x in table.ravel().tolist()] or [0], dtype=object)
        # Every sum of these, times the size of any subset, is then a 64-bit number too.
        fits = sum(abs(number) for number in numbers.tolist()) < 2**62 // 4096
        numbers = numbers[: table.size].reshape(table.shape)
        whole.append(numbers.astype(np.int64) if fits else numbers)
    return (*whole, unit)


class AllSubsets:
    """Every subset S of p columns and  sum_S u_j + sum_{pairs in S} w_jl + sum_{triples in S} t_jkl.

    masks : (2^p, p) which columns are in; sizes : how many
    worth : in whole numbers of `unit`, exactly
    """

    def __init__(self, unary, pairs, triples=None):
        p = len(unary)
        self.masks = (np.arange(2**p)[:, None] >> np.arange(p)) & 1 > 0
        self.sizes = self.masks.sum(axis=1)
        tables = (unary, pairs) if triples is None else (unary, pairs, triples)
        *tables, self.unit = as_whole_numbers(*tables)
        self.worth = np.zeros(1, dtype=np.result_type(*tables))
        for j in range(p):
            # The subsets of the columns before j, without j and with it.
            self.worth = np.concatenate([self.worth, self.worth + self._added_by(j, *tables)])

    @staticmethod
    def _added_by(j, unary, pairs, triples=None):
        """What column j adds to every subset of the columns before it."""
        added = np.array([unary[j]], dtype=unary.dtype)
        for k in range(j):
            more = np.array([pairs[j, k]], dtype=pairs.dtype)
            if triples is not None:
                for i in range(k):
                    more = np.concatenate([more, more + triples[j, k, i]])
            added = np.concatenate([added, added + more])
        return added

    def worth_of(self, columns):
        """What a subset is worth."""
        place = sum(1 << j for j in columns)
        return int(self.worth[place]) * self.unit

    def best_of_each_size(self):
        """The most that a subset of 0, 1, ... p columns is worth."""
        return [int(self.worth[self.sizes == k].max()) * self.unit for k in range(self.masks.shape[1] + 1)]

    def optima(self, beta):
        """What the best subset is worth where every column costs beta, and the smallest and the largest such subset."""
        cost = Fraction(beta) / self.unit
        after_costs = self.worth * cost.denominator - self.sizes * cost.numerator
        best = after_costs.max()
        of_the_best = self.masks[after_costs == best]
        return Fraction(int(best), cost.denominator) * self.unit, of_the_best.all(axis=0), of_the_best.any(axis=0)

    def steps(self):
        """The beta of each corner of the concave hull of the best of each size, and the size there; highest first."""
        best = self.best_of_each_size()
        steps, size = [], 0
        while size < len(best) - 1:
            beta, end = max(((best[k] - best[size]) / (k - size), k) for k in range(size + 1, len(best)))
            steps.append((beta, end))
            size = end
        return steps
