"""Roof duality: a bound on, and part of, the best subset under scores of columns and pairs, some of them negative."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fewest._core import pair_cut
from fewest.arrays import Floats, Indices, Mask

#: The table of twice the columns is made up to this number of columns: 32 million numbers, three times.
MOST_COLUMNS = 2000
#: Adding up numbers loses less than this share of the sum of their sizes.
_ROUNDING = 64 * float(np.finfo(np.float64).eps)
#: Whole numbers up to 2 to this power are exact as floats.
_EXACT_BITS = 52
#: Thresholds that are tried for a bound on subsets of a given size.
_MAX_THRESHOLDS = 12


@dataclass(frozen=True)
class RoofBound:
    """What roof duality proves where every column has a cost.

    bound : no subset has a larger value, rounding included
    error : the part of it that is due to rounding
    size : the number of columns of the relaxed optimum, where a column may be half inside
    is_in, is_out : columns that are in every best subset, and in none
    taken : the columns that are more inside than outside in the relaxed optimum
    """

    bound: float
    error: float
    size: float
    is_in: Mask
    is_out: Mask
    taken: Indices


class RoofDual:
    """Bounds of  sum_S (unary_j - cost) + sum_{pairs in S} w_jl  by minimum cuts.

    Each column has two nodes, p_j = [j in S] and q_j = [j not in S]. With these, no product has a negative weight:
    a a' = p p' / 2 + (1 - q)(1 - q') / 2 where w > 0, and -a a' = p (q' - 1) / 2 + p' (q - 1) / 2 where w < 0. Without
    the condition q = 1 - p one minimum cut maximises the sum, which bounds the value of all subsets. Columns with
    (p, q) = (1, 0) are in every best subset, and those with (0, 1) in none; (0, 0) is half inside.
    """

    def __init__(self, unary: Floats, pairs: Floats) -> None:
        self._unary, self._pairs = unary, pairs
        self._pair_sums: Floats = np.abs(pairs).sum(axis=1)

    def at(self, cost: float, *, is_membership_proved: bool = True) -> RoofBound:
        """Return the bound, and the columns whose membership is proved, where every column costs this."""
        n = len(self._unary)
        unary = self._unary - cost
        # What a node may hold: its own weight and the pairs it is in, some of which count twice.
        most = float((np.abs(unary) + 2 * self._pair_sums).max(initial=0.0))
        if not most > 0:
            none = np.zeros(n, dtype=bool)
            return RoofBound(0.0, 0.0, 0.0, none, none, np.empty(0, dtype=np.intp))
        bits = min(_EXACT_BITS, 57 - math.ceil(math.log2(2 * n + 1)))
        scale = math.ldexp(1.0, min(bits - math.frexp(most)[1], 1023))
        whole, whole_pairs = np.rint(unary * scale), np.rint(self._pairs * scale)
        rounded = float(np.abs(unary * scale - whole).sum() + np.abs(self._pairs * scale - whole_pairs).sum() / 2)

        nodes, pairs, constant = _double(whole, whole_pairs)
        chosen = _cut(nodes, pairs)
        value = int(constant) + int(nodes[chosen].astype(np.int64).sum())
        value += int(pairs[np.ix_(chosen, chosen)].astype(np.int64).sum()) // 2
        is_p, is_q = chosen[:n], chosen[n:]
        # The subtraction of the cost rounds too.
        error = rounded / scale + _ROUNDING * float(np.abs(unary).sum() + np.abs(cost) * n)
        bound = value / 2 / scale + error

        proved = chosen
        if is_membership_proved and not (rounded == 0 and cost == 0):
            # A node that is taken although it costs more than rounding can change is not taken because of rounding.
            margin = math.ceil(rounded + 2 * scale * float(np.finfo(np.float64).eps) * float(np.abs(unary).sum()))
            proved = _cut(nodes - 2.0 * margin, pairs)
        return RoofBound(
            bound=bound,
            error=error,
            size=n / 2 + (np.count_nonzero(is_p) - np.count_nonzero(is_q)) / 2,
            is_in=proved[:n] & ~proved[n:],
            is_out=proved[n:] & ~proved[:n],
            taken=np.flatnonzero(is_p & ~is_q),
        )

    def of_size(self, size: int, cost: float, least_cost: float = -math.inf) -> tuple[float, float, Indices | None]:
        """Return a bound of the value of all subsets of this size, without costs, and the part due to rounding.

        For any cost the bound with it plus the cost of all is one; the least is where the relaxed optimum has the size.
        A relaxed optimum of this size without halves is a subset that reaches the bound: it comes third, else None.

        cost : where to begin
        least_cost : costs below this are not tried; 0 bounds all subsets of at most this size
        """
        cost = max(cost, least_cost)
        best, error = math.inf, 0.0
        reaching: Indices | None = None
        # The bound is a convex function of the cost: points left and right of the least, with slopes.
        left: tuple[float, float, float] | None = None
        right: tuple[float, float, float] | None = None
        step = float((np.abs(self._unary) + self._pair_sums).max(initial=0.0)) / 16
        for _ in range(_MAX_THRESHOLDS):
            found = self.at(cost, is_membership_proved=False)
            total, slope = found.bound + cost * size, size - found.size
            total_error = found.error + _ROUNDING * abs(cost) * size
            if total + total_error < best:
                best, error = total + total_error, total_error
            if slope == 0 or not step > 0 or (slope > 0 and cost <= least_cost):
                reaching = found.taken if len(found.taken) == size else None
                break
            if slope < 0:
                left = cost, total, slope
            else:
                right = cost, total, slope
            if left is None or right is None:
                cost = max(cost + (-step if slope > 0 else step), least_cost)
                step *= 2
                continue
            # Where the two lines meet.
            meeting = (right[1] - left[1] + left[2] * left[0] - right[2] * right[0]) / (left[2] - right[2])
            lowest = left[1] + left[2] * (meeting - left[0])
            if not left[0] < meeting < right[0] or lowest >= best - total_error:
                break
            cost = meeting
        return best, error, reaching


def _double(unary: Floats, pairs: Floats) -> tuple[Floats, Floats, float]:
    """Return the weights of the nodes p and q, of their pairs, and the constant, of twice the value."""
    n = len(unary)
    helpful, harmful = np.maximum(pairs, 0.0), np.maximum(-pairs, 0.0)
    nodes = np.concatenate([unary - harmful.sum(axis=1), -unary - helpful.sum(axis=1)])
    doubled = np.empty((2 * n, 2 * n))
    doubled[:n, :n] = doubled[n:, n:] = helpful
    doubled[:n, n:] = doubled[n:, :n] = harmful
    return nodes, doubled, float(unary.sum() + helpful.sum() / 2)


def _cut(nodes: Floats, pairs: Floats) -> Mask:
    """Return the smallest set of nodes with the largest total."""
    chosen = np.zeros(len(nodes), dtype=bool)
    chosen[pair_cut(nodes, pairs)[0]] = True
    return chosen
