"""Best subsets of a monotone objective by branch and bound, ties to the lowest columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from fewest.arrays import Floats
from fewest.constraints import UNCONSTRAINED, ColumnConstraints

#: Values within this share of the largest value are equal.
TIE = 1e-12
#: A bound is trusted to this share of the largest value: values come from solvers, which stop short of the last digit.
_SLACK = 1e-9

Columns = tuple[int, ...]
#: Where subsets are equally good: the smaller one, then the one with the lowest columns.
Key = tuple[int, Columns]
ScoreSubsets = Callable[[Sequence[Columns]], Floats]


class _Node(NamedTuple):
    """All subsets that hold the columns `inside`, and any of the candidates; value : that of all of them together."""

    inside: Columns
    candidates: Columns
    value: float


class BranchAndBound:
    """The subset of the largest value where adding a column never lowers it.

    A node of the tree is bounded by the value of all its columns together. Each of its branches removes one column;
    the branch without the most important column is the largest, so that most subsets are left out at once.

    score : the values of several subsets
    columns : those to choose from, without those to keep
    size : the number of columns to take, kept ones included; None for any number
    beta : the cost of a column, where the number is not fixed
    constraints : kept columns are inside from the root on; prices are taken from values; what exceeds a limit has no
        subset that does not

    n_evaluated : the number of subsets whose value was computed
    scale : values that differ by TIE times this are equal
    """

    def __init__(
        self, score: ScoreSubsets, columns: Sequence[int], size: int | None, beta: float = 0.0,
        constraints: ColumnConstraints = UNCONSTRAINED,
    ) -> None:  # fmt: skip
        self._score, self._columns, self._constraints = score, tuple(columns), constraints
        self._has_prices = constraints.cost_weight > 0
        self._is_limited = bool(constraints.caps) or constraints.budget is not None
        self._size, self._beta = size, 0.0 if size is not None else beta
        self.n_evaluated = 0
        self.scale = 0.0
        #: Subsets that none found before is as good as and lower than.
        self._found: list[tuple[float, Key]] = []
        self._best = -math.inf

    def run(self) -> Columns | None:
        """Return the best subset, ascending; None where no subset is allowed."""
        everything = tuple(sorted((*self._constraints.kept, *self._columns)))
        root = _Node(self._constraints.kept, self._columns, float(self._evaluate([everything])[0]))
        self.scale = abs(root.value) + abs(self._beta) * len(everything) + self._price(everything)
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if not self._is_left_out(node):
                waiting += self._branches(node)
        least = self._best - TIE * self.scale
        return min(key for value, key in self._found if value >= least)[1] if self._found else None

    def _branches(self, node: _Node) -> list[_Node]:
        """Return the nodes without one of the candidates each, the most promising last; subsets on the way are found.

        Every subset of the node is in one of them, or was found.
        """
        inside, candidates = node.inside, node.candidates
        everything = tuple(sorted(inside + candidates))
        n_branches = len(candidates)
        if self._size is None:
            self._find(everything, node.value)
        else:
            n_open = self._size - len(inside)
            if n_open == len(candidates):
                self._find(everything, node.value)
                return []
            if math.comb(len(candidates), n_open) <= len(candidates):
                subsets = [tuple(sorted(inside + more)) for more in combinations(candidates, n_open)]
                subsets = [subset for subset in subsets if self._allows(subset)]
                for subset, value in zip(subsets, self._evaluate(subsets).tolist(), strict=True):
                    self._find(subset, value)
                return []
            # Branch i has the first i candidates inside, and there are no more than n_open.
            n_branches = n_open + 1
        values = self._evaluate([tuple(c for c in everything if c != column) for column in candidates])
        order = np.lexsort((np.array(candidates), values))
        ranked = tuple(candidates[i] for i in order)
        return [_Node(inside + ranked[:i], ranked[i + 1 :], float(values[order[i]])) for i in range(n_branches)]

    def _is_left_out(self, node: _Node) -> bool:
        """Return whether no allowed subset of the node is better than the best found, or as good and lower."""
        if not self._allows(node.inside):
            return True
        least_size = len(node.inside) if self._size is None else self._size
        n_paid = least_size if self._beta >= 0 else len(node.inside) + len(node.candidates)
        bound = node.value - self._beta * n_paid - self._least_price(node, least_size)
        if bound < self._best - _SLACK * self.scale:
            return True
        if bound > self._best:
            return False
        lowest = sorted(node.inside + tuple(sorted(node.candidates))[: least_size - len(node.inside)])
        key = (least_size, tuple(lowest))
        return any(value >= bound and found < key for value, found in self._found)

    def _allows(self, subset: Columns) -> bool:
        return not self._is_limited or self._constraints.allows(subset)

    def _price(self, subset: Columns) -> float:
        return self._constraints.price_of(subset) if self._has_prices else 0.0

    def _least_price(self, node: _Node, size: int) -> float:
        """Return the least price of a subset of the node with at least this number of columns."""
        if not self._has_prices:
            return 0.0
        prices = sorted(self._price((column,)) for column in node.candidates)
        return self._price(node.inside) + math.fsum(prices[: size - len(node.inside)])

    def _find(self, subset: Columns, value: float) -> None:
        if not self._allows(subset):
            return
        value, key = value - self._beta * len(subset) - self._price(subset), (len(subset), subset)
        if any(other >= value and found <= key for other, found in self._found):
            return
        self._best = max(self._best, value)
        least = self._best - TIE * self.scale
        self._found = [(v, k) for v, k in self._found if v >= least and not (value >= v and key < k)]
        self._found.append((value, key))

    def _evaluate(self, subsets: Sequence[Columns]) -> Floats:
        self.n_evaluated += len(subsets)
        return self._score(subsets)
