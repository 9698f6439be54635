"""The value of every subset of a few columns, and the best subset of many, in whole numbers; never calling fewest."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, maximum_flow


def symmetric(table):
    """The same worth in every order of the columns, taken where they ascend; none where two agree."""
    indices = np.indices(table.shape)
    ascend = np.all(indices[:-1] < indices[1:], axis=0)
    return sum(np.where(ascend, table, 0).transpose(order) for order in permutations(range(table.ndim)))


def as_whole_numbers(*tables):
    """Tables of floats in whole numbers of one unit, exactly, and the unit: a float is so many times a power of two."""
    numbers = [[Fraction(x) for x in table.ravel().tolist()] for table in tables]
    unit = Fraction(1, max((x.denominator for table in numbers for x in table), default=1))
    whole = [[int(x / unit) for x in table] for table in numbers]
    fits = _fits(sum(abs(x) for table in whole for x in table))
    return *(
        np.array(content, dtype=np.int64 if fits else object).reshape(table.shape)
        for content, table in zip(whole, tables, strict=True)
    ), unit


def _fits(largest):
    """Whether sums up to this one may be taken in 64 bits."""
    return largest < 2**62


class AllSubsets:
    """Every subset S of p columns and  sum_S u_j + sum_{pairs in S} w_jl + sum_{triples in S} t_jkl.

    masks : (2^p, p) which columns are in; sizes : how many
    worth : in whole numbers of `unit`, exactly
    """

    def __init__(self, unary, pairs, triples=None):
        p = len(unary)
        self.masks = (np.arange(2**p)[:, None] >> np.arange(p)) & 1 > 0
        self.sizes = self.masks.sum(axis=1)
        *tables, self.unit = as_whole_numbers(*((unary, pairs) if triples is None else (unary, pairs, triples)))
        self.worth = np.zeros(1, dtype=tables[0].dtype)
        for j in range(p):
            # The subsets of the columns before j, without j and with it.
            self.worth = np.concatenate([self.worth, self.worth + self._added_by(j, *tables)])

    @staticmethod
    def _added_by(j, unary, pairs, triples=None):
        """What column j adds to every subset of the columns before it."""
        added = unary[j : j + 1]
        for k in range(j):
            with_k = pairs[j, k : k + 1]
            for i in range(k):
                with_k = np.concatenate([with_k, with_k if triples is None else with_k + triples[j, k, i]])
            added = np.concatenate([added, added + with_k])
        return added

    def value_of(self, columns):
        """What a subset is worth."""
        return int(self.worth[sum(1 << j for j in columns)]) * self.unit

    def best_of_each_size(self):
        """The most that a subset of 0, 1, ... p columns is worth."""
        return [int(self.worth[self.sizes == k].max()) * self.unit for k in range(self.masks.shape[1] + 1)]

    def optima(self, beta):
        """What the best subset is worth where every column costs beta, and the smallest and the largest such subset."""
        cost = Fraction(beta) / self.unit
        worth, sizes = self.worth, self.sizes
        if not _fits((int(abs(worth).max()) + 1) * cost.denominator + len(worth) * abs(cost.numerator)):
            worth, sizes = worth.astype(object), sizes.astype(object)
        after_costs = worth * cost.denominator - sizes * cost.numerator
        best = after_costs.max()
        of_the_best = self.masks[after_costs == best]
        return Fraction(int(best), cost.denominator) * self.unit, of_the_best.all(axis=0), of_the_best.any(axis=0)

    def steps(self):
        """The corners of the concave hull of the best of each size: the beta and the size at each, highest first."""
        best = self.best_of_each_size()
        steps, size = [], 0
        while size < len(best) - 1:
            beta, end = max(((best[k] - best[size]) / (k - size), k) for k in range(size + 1, len(best)))
            steps.append((beta, end))
            size = end
        return steps


def best_by_flow(unary, pairs, triples=None):
    """What the best subset is worth and the smallest such subset, by SciPy's maximum flow; whole numbers, none harmful.

    A closure: whoever takes a product gets its worth and must take its columns. What enters a product's node from the
    source is its worth; it leaves for the columns, and from a column that is worth less than nothing for the sink.
    """
    p = len(unary)
    products = [np.argwhere(np.triu(pairs, 1))]
    worths = [pairs[tuple(products[0].T)]]
    if triples is not None:
        i, j, k = np.nonzero(triples)
        ascending = (i < j) & (j < k)
        products.append(np.stack([i, j, k], axis=1)[ascending])
        worths.append(triples[i, j, k][ascending])
    source, sink, first = p, p + 1, p + 2
    arcs = [
        (np.full(p, source), np.arange(p), np.maximum(unary, 0)),
        (np.arange(p), np.full(p, sink), np.maximum(-unary, 0)),
    ]
    for columns, worth in zip(products, worths, strict=True):
        nodes = first + np.arange(len(columns))
        arcs.append((np.full(len(columns), source), nodes, worth))
        arcs += [(nodes, column, worth) for column in columns.T]
        first += len(columns)
    tails, heads, capacities = (np.concatenate(ends) for ends in zip(*arcs, strict=True))
    assert capacities.max() < 2**31
    network = sparse.csr_array((capacities.astype(np.int32), (tails, heads)), shape=(first, first))
    result = maximum_flow(network, source, sink)
    best = int(network[[source]].sum()) - result.flow_value
    left = network - result.flow
    left.eliminate_zeros()
    reached = breadth_first_order(left, source, return_predecessors=False)
    return best, np.isin(np.arange(p), reached)


class AllowedSubsets(AllSubsets):
    """The same under constraints: those that hold the kept columns, with caps, a budget and prices.

    caps : pairs of columns and the largest number of them
    costs : of each column; budget : the most that a subset may cost, a billionth more being rounding
    price : what a unit of cost takes from the value of a subset
    """

    def __init__(self, tables, kept=(), caps=(), costs=None, budget=None, price=0.0):
        super().__init__(*tables)
        p = len(tables[0])
        costs = [Fraction(0)] * p if costs is None else [Fraction(float(cost)) for cost in costs]
        prices = [Fraction(float(price) * float(cost)) for cost in costs]
        rows = [[j for j in range(p) if mask[j]] for mask in self.masks]
        self.values = [
            int(w) * self.unit - sum(prices[j] for j in row) for w, row in zip(self.worth, rows, strict=True)
        ]
        self.allowed = [
            set(kept) <= set(row)
            and all(len(set(members) & set(row)) <= most for members, most in caps)
            and (budget is None or sum(costs[j] for j in row) <= Fraction(float(budget)) * (1 + Fraction(1, 10**9)))
            for row in rows
        ]

    def value_of(self, columns):
        """What a subset is worth after prices."""
        return self.values[sum(1 << j for j in columns)]

    def is_allowed(self, columns):
        return self.allowed[sum(1 << j for j in columns)]

    def largest_size(self, size):
        """The largest number of columns, up to this one, that an allowed subset has."""
        return max((int(n) for n, ok in zip(self.sizes, self.allowed, strict=True) if ok and n <= size), default=None)

    def best(self, sizes, beta=0.0):
        """The most that an allowed subset of these sizes is worth, each column costing beta; None if there is none."""
        rows = zip(self.values, self.sizes, self.allowed, strict=True)
        return max((value - Fraction(beta) * int(n) for value, n, ok in rows if ok and n in sizes), default=None)
