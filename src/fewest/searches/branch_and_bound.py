"""Best subsets of a monotone objective by branch and bound, ties to the lowest columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from fewest.arrays import Floats

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
    size : the number of columns to take; None for any number
    beta : the cost of a column, where the number is not fixed

    n_evaluated : the number of subsets whose value was computed
    scale : values that differ by TIE times this are equal
    """

    def __init__(self, score: ScoreSubsets, columns: Sequence[int], size: int | None, beta: float = 0.0) -> None:
        self._score, self._columns = score, tuple(columns)
        self._size, self._beta = size, 0.0 if size is not None else beta
        self.n_evaluated = 0
        self.scale = 0.0
        #: Subsets that none found before is as good as and lower than.
        self._found: list[tuple[float, Key]] = []
        self._best = -math.inf

    def run(self) -> Columns:
        """Return the best subset, ascending."""
        root = _Node((), self._columns, float(self._evaluate([self._columns])[0]))
        self.scale = abs(root.value) + abs(self._beta) * len(self._columns)
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if not self._is_left_out(node):
                waiting += self._branches(node)
        least = self._best - TIE * self.scale
        return min(key for value, key in self._found if value >= least)[1]

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
        """Return whether no subset of the node is better than the best found, or as good and lower."""
        least_size = len(node.inside) if self._size is None else self._size
        n_paid = least_size if self._beta >= 0 else len(node.inside) + len(node.candidates)
        bound = node.value - self._beta * n_paid
        if bound < self._best - _SLACK * self.scale:
            return True
        if bound > self._best:
            return False
        lowest = sorted(node.inside + tuple(sorted(node.candidates))[: least_size - len(node.inside)])
        key = (least_size, tuple(lowest))
        return any(value >= bound and found < key for value, found in self._found)

    def _find(self, subset: Columns, value: float) -> None:
        value, key = value - self._beta * len(subset), (len(subset), subset)
        if any(other >= value and found <= key for other, found in self._found):
            return
        self._best = max(self._best, value)
        least = self._best - TIE * self.scale
        self._found = [(v, k) for v, k in self._found if v >= least and not (value >= v and key < k)]
        self._found.append((value, key))

    def _evaluate(self, subsets: Sequence[Columns]) -> Floats:
        self.n_evaluated += len(subsets)
        return self._score(subsets)
