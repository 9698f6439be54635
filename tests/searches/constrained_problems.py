"""Random constraints on a few columns, with those of every degenerate kind among them."""

from __future__ import annotations

import numpy as np

from fewest.constraints import Cap, ColumnConstraints

from ..reference.subsets import AllowedSubsets


class Constraints:
    """Random constraints on p columns that allow at least what is kept.

    parts : which of "keep", "caps", "nested caps", "budget" and "prices" there are
    """

    def __init__(self, rng, p, parts, scale=1.0):
        n_kept = int(rng.choice([0, 1, 2, p])) if "keep" in parts else 0
        self.kept = tuple(sorted(rng.choice(p, min(n_kept, p), replace=False).tolist()))
        self.caps = ()
        if "caps" in parts or "nested caps" in parts:
            self.caps = tuple(self._cap(rng, members) for members in self._kinds(rng, p, "nested caps" in parts))
        self.costs, self.budget, self.price = None, None, 0.0
        if "budget" in parts or "prices" in parts:
            kind = rng.integers(4)
            self.costs = [rng.random(p), rng.integers(0, 4, p) / 10, np.zeros(p), rng.integers(1, 3, p)][kind]
            self.costs = self.costs.astype(float)
        if "budget" in parts:
            self.budget = float(
                self.costs[list(self.kept)].sum() + rng.random() * self.costs.sum() * rng.integers(0, 2)
            )
            if rng.random() < 0.5:
                self.budget = float(round(self.budget, 1) if round(self.budget, 1) >= self.budget else self.budget)
        if "prices" in parts:
            self.price = float(scale * rng.choice([0.25, 1.0, 3.0]))

    def _cap(self, rng, members):
        inside = len(set(members) & set(self.kept))
        return tuple(members), int(rng.integers(inside, max(inside, len(members)) + 1))

    @staticmethod
    def _kinds(rng, p, is_nested):
        order = rng.permutation(p)
        first, second = sorted(rng.integers(1, p + 1, 2).tolist())
        if is_nested:
            return [sorted(order[:first].tolist()), sorted(order[:second].tolist())]
        return [sorted(order[:second].tolist()), sorted(rng.choice(p, first, replace=False).tolist())]

    @property
    def of_library(self):
        caps = tuple(Cap(members, most) for members, most in self.caps)
        return ColumnConstraints(self.kept, caps, self.costs, self.budget, self.price)

    def all_subsets(self, tables):
        return AllowedSubsets(tables, self.kept, self.caps, self.costs, self.budget, self.price)
