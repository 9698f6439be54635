"""Paths of best subsets, and what is the case of every one of them."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np

from fewest._core import pair_path, triple_path

from ..reference.subsets import best_by_flow, symmetric


def floats(*tables):
    return [np.ascontiguousarray(table, dtype=float) for table in tables]


def value_of(is_in, unary, pairs, triples=None):
    """In whole numbers."""
    a = is_in.astype(np.int64)
    value = a @ unary + a @ pairs @ a // 2
    return int(value if triples is None else value + (triples @ a) @ a @ a // 6)


class Path:
    """A path in fractions; checked for what must hold whatever the coefficients."""

    def __init__(self, *tables):
        solve = pair_path if len(tables) == 2 else triple_path
        self.order, self.sizes, totals, scale = solve(*floats(*tables))
        self.totals = [total / Fraction(scale) for total in totals]
        self.betas = [total / size for total, size in zip(self.totals, self.sizes, strict=True)]
        p = len(tables[0])
        assert sorted(self.order) == list(range(p))
        assert sum(self.sizes) == p
        assert all(before > after for before, after in pairwise(self.betas))
        self.scores = np.empty(p, dtype=object)
        self.scores[self.order] = np.repeat(np.array(self.betas, dtype=object), self.sizes)

    def between(self):
        """A threshold above the first block, between each and the next, and below the last."""
        inner = [(before + after) / 2 for before, after in pairwise(self.betas)]
        return [self.betas[0] + 1, *inner, self.betas[-1] - 1]

    def above(self, beta):
        return np.array([score > beta for score in self.scores], dtype=bool)


def check_between(path, *tables):
    """No subset is better than the path's between its steps; at how many of some nine thresholds that was checked."""
    thresholds = path.between()
    n_checked = 0
    for beta in thresholds[:: max(1, len(thresholds) // 8)]:
        # A threshold in eighths, where there is one between the two steps, keeps the flow in whole numbers.
        eighths = round(8 * beta)
        if Fraction(eighths, 8) in path.betas or (path.above(Fraction(eighths, 8)) != path.above(beta)).any():
            continue
        costly = [8 * tables[0] - eighths, *(8 * table for table in tables[1:])]
        best, smallest = best_by_flow(*costly)
        assert (path.above(beta) == smallest).all()
        assert value_of(smallest, *costly) == best
        n_checked += 1
    return n_checked


def random_graph(rng, p, density, largest=60):
    """Columns of different sizes; what they cost alone is made up for by all their pairs, by some, or never."""
    sizes = rng.integers(1, largest, p) ** rng.choice([1, 1.5])
    pairs = symmetric(np.ceil(np.outer(sizes, sizes) * rng.random((p, p)) / largest) * (rng.random((p, p)) < density))
    unary = -np.round(pairs.sum(axis=1) * rng.uniform(-0.4, 1.4, p))
    return unary.astype(np.int64), pairs.astype(np.int64)


def chain(p, weights):
    pairs = np.zeros((p, p), dtype=np.int64)
    pairs[np.arange(p - 1), np.arange(1, p)] = weights
    return pairs + pairs.T
