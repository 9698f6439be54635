"""The largest sum of scores of columns that constraints allow, with an upper bound."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from fewest.arrays import Floats, Indices, Mask
from fewest.constraints import ColumnConstraints
from fewest.constraints.column_constraints import OVERSPENDING

#: Halvings of the interval in which the price of a unit of cost is searched that gives the least bound.
_HALVINGS = 60
#: Rounds of exchanges of one column for another.
_MAX_ROUNDS = 100
#: A sum is proved largest where it is within this share of the bound, which is rounded up by less.
_PROVED = 1e-12
#: Where a bound comes from, in words.
_RANKING, _WITHOUT_CAPS = "ranking of an additive objective", "ranking of an additive objective without caps"
_PRICES = "ranking of an additive objective less a price of costs"


class BestSum(NamedTuple):
    """The kept columns and then the others, best first, with the sum of their scores and what no other subset exceeds.

    value, bound, is_optimal : None where sums mean nothing
    proved_by : where the bound comes from, in words
    tolerance : how far the value may be from the bound where it is proved
    """

    columns: tuple[int, ...]
    value: float | None = None
    bound: float | None = None
    is_optimal: bool | None = None
    proved_by: str = ""
    tolerance: float = 0.0


def best_sum(scores: Floats, count: int, constraints: ColumnConstraints, passes: Mask, *, is_sum: bool) -> BestSum:
    """Return up to `count` columns with the largest sum of scores that the constraints allow.

    Without a budget, and with caps that are nested or share no columns, taking the best column again and again is
    exact: feasible subsets are the independent sets of a matroid. With a budget the subset may be smaller than count;
    the bound is the least, over all prices of a unit of cost, of the best sum after costs plus the price of the budget.

    scores : NaN for a column without a score, which comes last
    passes : which columns may be taken at all
    is_sum : whether the value of a subset is the sum of its scores; otherwise they are taken in their order
    """
    order = _ranked(scores, passes)
    taken = constraints.take(order, count)
    if not is_sum:
        return BestSum(tuple(taken))
    known = np.nan_to_num(scores, nan=0.0)
    if constraints.budget is None:
        value = _sum(known, taken)
        if constraints.caps_are_nested:
            return BestSum(tuple(taken), value, value, True, _RANKING)
        bound = _sum(known, ColumnConstraints(constraints.kept).take(order, len(taken)))
        return _result(taken, value, max(bound, value), _WITHOUT_CAPS)
    bound, price = _least_bound(known, count, constraints, passes)
    starts = [taken, constraints.take(_ranked(known - price * _costs(constraints, len(scores)), passes), count)]
    with np.errstate(over="ignore"):
        per_cost = known / np.maximum(_costs(constraints, len(scores)), np.finfo(float).tiny)
    starts.append(constraints.take(_ranked(np.where(known > 0, per_cost, known), passes), count))
    improved = [
        _improve(known, _without_losses(known, start, constraints), count, constraints, passes) for start in starts
    ]
    best = max(improved, key=lambda subset: _sum(known, subset))
    value = _sum(known, best)
    inside = passes & np.isin(np.arange(len(scores)), best)
    # The budget may be exceeded by a share of it that counts as rounding.
    excess = OVERSPENDING * price * constraints.budget
    return _result(constraints.take(_ranked(scores, inside)), value, max(bound + excess, value), _PRICES, excess)


def largest_sum(scores: Floats, count: int, constraints: ColumnConstraints) -> float:
    """Return an upper bound of the sum of scores, none negative, of up to `count` columns that constraints allow."""
    passes: Mask = np.ones(len(scores), dtype=bool)
    if constraints.budget is not None:
        bound, price = _least_bound(scores, count, constraints, passes)
        return bound + OVERSPENDING * price * constraints.budget
    caps = constraints.caps if constraints.caps_are_nested else ()
    return _sum(scores, ColumnConstraints(constraints.kept, caps).take(_ranked(scores, passes), count))


def _least_bound(scores: Floats, count: int, constraints: ColumnConstraints, passes: Mask) -> tuple[float, float]:
    """Return the least bound over all prices of a unit of cost, and the price that gives it.

    At a price L no feasible subset has a larger sum than the best sum of scores - L * costs, plus L * budget: that is
    convex in L, and falls while its best subset costs more than the budget.
    """
    assert constraints.budget is not None
    costs = _costs(constraints, len(scores))
    unlimited = ColumnConstraints(constraints.kept, constraints.caps if constraints.caps_are_nested else ())

    def bound_at(price: float) -> tuple[float, float]:
        net = scores - price * costs
        may_gain = passes & (net > 0)
        may_gain[list(constraints.kept)] = True
        subset = unlimited.take(_ranked(net, may_gain), count)
        return _sum(net, subset) + price * float(constraints.budget or 0.0), constraints.cost_of(subset)

    low, high = 0.0, 1.0
    bound, cost = bound_at(0.0)
    if constraints.is_within_budget(cost):
        return bound, 0.0
    best = bound, 0.0
    while not constraints.is_within_budget(bound_at(high)[1]) and high < 1e300:
        low, high = high, 4 * high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        bound, cost = bound_at(middle)
        best = min(best, (bound, middle))
        low, high = (low, middle) if constraints.is_within_budget(cost) else (middle, high)
    best = min(best, (bound_at(high)[0], high))
    # Sums are rounded to nearest: the bound is rounded up.
    return best[0] + 1e-14 * (float(np.abs(scores[passes]).sum()) + best[1] * constraints.budget), best[1]


def _improve(scores: Floats, subset: list[int], count: int, constraints: ColumnConstraints, passes: Mask) -> list[int]:
    """Add columns that gain, and exchange one column for a better one, while the sum grows."""
    kept = set(constraints.kept)
    now = list(subset)
    for _ in range(_MAX_ROUNDS):
        best_gain, best_move = 0.0, None
        removable: list[int | None] = [None] if len(now) < count else []
        removable += [column for column in now if column not in kept]
        for out in removable:
            rest = [column for column in now if column != out]
            may_enter = constraints.can_add(rest, len(scores)) & passes
            if out is not None:
                may_enter[out] = False
            if not may_enter.any():
                continue
            into = int(np.argmax(np.where(may_enter, scores, -np.inf)))
            gain = scores[into] - (0.0 if out is None else scores[out])
            if gain > best_gain + _PROVED * abs(scores[into]):
                best_gain, best_move = gain, (rest, into)
        if best_move is None:
            return now
        now = [*best_move[0], best_move[1]]
    return now


def _without_losses(scores: Floats, subset: list[int], constraints: ColumnConstraints) -> list[int]:
    """Return the subset without columns that lower the sum: where there is a budget fewer may be taken."""
    kept = set(constraints.kept)
    return [column for column in subset if column in kept or scores[column] > 0]


def _ranked(scores: Floats, passes: Mask) -> list[int]:
    """Return the columns that pass, the highest score first; ties to the lowest column, NaN last."""
    columns: Indices = np.flatnonzero(passes)
    order: list[int] = columns[np.argsort(-scores[columns], kind="stable")].tolist()
    return order


def _costs(constraints: ColumnConstraints, n_columns: int) -> Floats:
    return np.zeros(n_columns) if constraints.costs is None else constraints.costs


def _sum(scores: Floats, columns: list[int]) -> float:
    return math.fsum(scores[columns].tolist())


def _result(columns: list[int], value: float, bound: float, proved_by: str, slack: float = 0.0) -> BestSum:
    largest = max(abs(value), abs(bound))
    tolerance = min(2 * slack, OVERSPENDING * largest) + _PROVED * largest
    return BestSum(tuple(columns), value, bound, bound - value <= tolerance, proved_by, tolerance)
