"""Subsets of a large value under caps and a budget, with a bound by Lagrange multipliers on minimum cuts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.constraints import ColumnConstraints
from fewest.constraints.column_constraints import OVERSPENDING
from fewest.objectives.subset_sizes import candidate_sizes
from fewest.searches.best_subsets import NEGLIGIBLE, BestSubsets, Tables, best_subsets_of, value_of_tables
from fewest.searches.roof_duality import RoofDual
from fewest.searches.subset_value import ROUNDING, PairwiseValue

#: Multipliers that are tried: a path of minimum cuts each.
_MAX_STEPS = 40
#: Steps without a smaller bound after which steps are halved.
_PATIENCE = 3
#: Relaxed optima from which subsets are improved.
_MAX_STARTS = 6
#: Where a bound comes from, in words.
_CUTS, _ROOF = "minimum cuts, with multipliers of caps and budget", "roof duality, with multipliers of caps and budget"
_PARTNERS = "the best partners of each column"
#: Moves that gain less than this share of the largest gain are rounding.
_LEAST = 1e-12


class FoundSubset(NamedTuple):
    """The best subset found, in the order taken, with the best found of other sizes, and a bound of all values.

    proved_by : where the bound comes from, in words
    tolerance : what rounding may have added to it
    """

    columns: tuple[int, ...]
    path: dict[int, tuple[int, ...]]
    value: float
    bound: float
    is_optimal: bool
    proved_by: str
    tolerance: float


@dataclass(frozen=True)
class _Relaxed:
    """The best subsets where what caps and budget limit has prices instead.

    bound, error : no subset that is allowed has a larger value, rounding included, and the part due to rounding
    usage : what the relaxed optimum uses of each limit
    """

    multipliers: Floats
    subsets: BestSubsets
    bound: float
    error: float
    usage: Floats


class LimitedSubsets:
    """The subset of the largest value that caps and a budget allow, with an upper bound.

    For any multipliers m of at least 0 no allowed subset S has a larger value than the largest value(S) - m usage(S),
    by a minimum cut, plus m limits. The least of these bounds is searched by subgradient steps. Subsets are grown from
    the relaxed optima and improved by exchanges that stay within the limits.

    tables : coefficients of the columns
    columns : their numbers, for errors
    limits : caps and budget
    errors : how much each column's coefficients are rounded
    """

    def __init__(self, tables: Tables, columns: Indices, limits: ColumnConstraints, errors: Floats) -> None:
        self._tables, self._names, self._limits, self._errors = tables, columns, limits, errors
        self._coefficients = value_of_tables(tuple(np.ascontiguousarray(table) for table in tables))
        rows = [np.isin(np.arange(len(columns)), cap.members).astype(np.float64) for cap in limits.caps]
        room = [float(cap.at_most) for cap in limits.caps]
        if limits.budget is not None and limits.costs is not None and (largest := float(limits.costs.max(initial=0))):
            # Steps are the same for costs in any unit.
            rows.append(limits.costs / largest)
            room.append(limits.budget / largest)
        self._usage: Floats = np.array(rows).reshape(len(rows), len(columns))
        self._room: Floats = np.array(room)

    def solve(self, size: int, beta: float | None) -> FoundSubset:
        """Return the best subset found: of a size, of at most this size with a budget, or where a column costs beta."""
        n_columns = len(self._names)
        self._most = n_columns if beta is not None else size
        self._is_sized = beta is None
        #: What a column costs where subsets may have any size; None where the size is fixed.
        self._cost = beta if beta is not None else None if self._limits.budget is None else 0.0
        found = [self._grown([])]
        steps = self._tighten(self._value(found[0]))
        best = min(steps, key=lambda step: step.bound)
        by_bound = sorted(steps, key=lambda step: step.bound)[:_MAX_STARTS]
        orders = [tuple(step.subsets.order.tolist()) for step in by_bound]
        found += [self._grown(self._limits.take(order, self._most)) for order in dict.fromkeys(orders)]
        found += [self._grown(self._limits.take(order, self._most)) for order in self._plain_orders()]
        largest = max(len(np.flatnonzero(subset.is_in)) for subset in found)
        if self._cost is None:
            found = [subset for subset in found if np.count_nonzero(subset.is_in) == largest]
        for subset in found:
            self._improve(subset, self._cost)
        chosen = max(found, key=self._value)  # the first of equals
        return self._result(chosen, best, size)

    def _result(self, chosen: PairwiseValue, best: _Relaxed, size: int) -> FoundSubset:
        columns = self._in_order(chosen)
        value = self._value(chosen)
        sizes = range(len(columns), size + 1) if self._cost is None else [self._most]
        bounds = [self._bound_at(best.subsets, best.multipliers, k) for k in sizes]
        bound, error = max(bound for bound, _, _ in bounds), max(error for _, error, _ in bounds)
        proved_by = _CUTS
        if self._cost is None:
            by_partners = max(self._coefficients.upper_bound(k) + highest_sum(self._errors, k) for k in sizes)
            bound, proved_by = min((bound, proved_by), (by_partners, _PARTNERS), key=lambda pair: pair[0])
        stake = self._coefficients.magnitude(np.flatnonzero(chosen.is_in)) + abs(self._cost or 0.0) * len(columns)
        slack = min(4 * error, NEGLIGIBLE * stake)
        if bound - value > slack and best.subsets.has_roof:
            by_roof, roof_error = self._roof(best, size)
            bound, proved_by = min((bound, proved_by), (by_roof, _ROOF), key=lambda pair: pair[0])
            slack = min(4 * max(error, roof_error), NEGLIGIBLE * stake)
        is_whole = self._cost is not None or len(columns) == size or self._limits.caps_are_nested
        path = self._path(best, size) if self._is_sized else {}
        path |= {len(columns): columns} if columns else {}
        is_optimal = is_whole and bound - value <= slack
        path = dict(sorted(path.items()))
        return FoundSubset(columns, path, value, max(bound, value), is_optimal, proved_by, slack)

    # Bounds.

    def _tighten(self, value: float) -> list[_Relaxed]:
        """Return relaxations by which the bound falls, the first without multipliers; value : a subset reaches it."""
        steps = [self._relaxed(np.zeros(len(self._room)))]
        if len(self._room) == 1:
            return self._meet(steps)
        best, length, waited = steps[0], 1.0, 0
        for _ in range(_MAX_STEPS):
            now = steps[-1]
            slope = self._room - now.usage
            # A multiplier of 0 cannot fall.
            slope[(now.multipliers == 0) & (slope > 0)] = 0.0
            square = float(slope @ slope)
            distance = now.bound - value
            if not square > 0 or not distance > now.error:
                break
            steps.append(self._relaxed(np.maximum(now.multipliers - length * distance / square * slope, 0.0)))
            if steps[-1].bound < best.bound - NEGLIGIBLE * abs(best.bound):
                best, waited = steps[-1], 0
                continue
            waited += 1
            if waited == _PATIENCE:
                length, waited = length / 2, 0
                # From the best so far, with a smaller step.
                steps.append(best)
        return steps

    def _meet(self, steps: list[_Relaxed]) -> list[_Relaxed]:
        """Return relaxations with one multiplier: where the lines left and right of the least bound meet."""
        left, right = steps[0], None
        scale = float(np.abs(self._coefficients.gains).max(initial=0.0)) + float(
            sum(np.abs(table).max(initial=0.0) for table in self._tables[1:])
        )
        step = scale / 16
        for _ in range(_MAX_STEPS):
            if float(left.usage[0]) <= self._room[0] or not step > 0:
                break
            a = self._room[0] - left.usage[0]
            if right is None:
                at = float(left.multipliers[0]) + step
                step *= 4
            else:
                b = self._room[0] - right.usage[0]
                if not b > a:
                    break
                meeting = right.bound - left.bound + a * left.multipliers[0] - b * right.multipliers[0]
                at = float(meeting / (a - b))
                lowest = left.bound + a * (at - left.multipliers[0])
                least = min(found.bound for found in steps)
                if not left.multipliers[0] < at < right.multipliers[0] or lowest >= least - left.error:
                    break
            steps.append(now := self._relaxed(np.array([at])))
            if now.usage[0] > self._room[0]:
                left = now
            else:
                right = now
        return steps

    def _relaxed(self, multipliers: Floats) -> _Relaxed:
        """Return the relaxation at these multipliers."""
        priced = self._tables[0] - multipliers @ self._usage
        subsets = best_subsets_of((priced, *self._tables[1:]), self._names)
        bound, error, weights = self._bound_at(subsets, multipliers, self._most)
        usage = sum(
            (share * self._usage[:, subsets.order[:end]].sum(axis=1) for end, share in weights),
            start=np.zeros(len(self._room)),
        )
        return _Relaxed(multipliers, subsets, bound, error, usage)

    def _bound_at(
        self, subsets: BestSubsets, multipliers: Floats, size: int
    ) -> tuple[float, float, list[tuple[int, float]]]:
        """Return a bound, its rounding, and the subsets of the path that it is a mean of: their sizes and shares.

        size : that of all subsets, or the largest where they may have any
        """
        unit, ends = subsets.unit, subsets.ends.tolist()
        betas, totals = unit * subsets.betas, unit * subsets.totals
        n_blocks = len(ends) if self._cost is None else int(np.count_nonzero(betas > self._cost))
        if n_blocks and ends[n_blocks - 1] > size:
            n_blocks = int(np.searchsorted(ends, size, side="right"))
            is_between = n_blocks == 0 or ends[n_blocks - 1] < size
        else:
            is_between = False
        start = ends[n_blocks - 1] if n_blocks else 0
        total = float(totals[n_blocks - 1]) if n_blocks else 0.0
        more = (size - start) * float(betas[n_blocks]) if is_between else 0.0
        n_taken = size if is_between else start
        cost = (self._cost or 0.0) * n_taken
        paid = float(multipliers @ self._room)
        stake = abs(total) + abs(more) + abs(cost) + paid
        error = subsets.error_of(size, subsets.order, stake)
        error += highest_sum(self._errors + ROUNDING * (np.abs(self._tables[0]) + multipliers @ self._usage), size)
        # A budget may be exceeded by this share of it.
        error += OVERSPENDING * paid if self._limits.budget is not None else 0.0
        weights = [(start, 1.0)]
        if is_between:
            share = (size - start) / (ends[n_blocks] - start)
            weights = [(start, 1 - share), (ends[n_blocks], share)]
        return total + more - cost + paid + error, error, weights

    def _roof(self, best: _Relaxed, size: int) -> tuple[float, float]:
        """Return the bound by roof duality at the same multipliers, and its rounding."""
        priced = self._tables[0] - best.multipliers @ self._usage
        roof = RoofDual(priced, self._tables[1])
        if not self._is_sized:
            found = roof.at(self._cost or 0.0, is_membership_proved=False)
            bound, error = found.bound, found.error
        else:
            subsets = best.subsets
            block = min(int(np.searchsorted(subsets.ends, size)), len(subsets.ends) - 1)
            begin = subsets.unit * float(subsets.betas[block])
            bound, error, _ = roof.of_size(size, begin, -math.inf if self._cost is None else 0.0)
        paid = float(best.multipliers @ self._room)
        more = float(self._errors.sum()) + ROUNDING * (float(np.abs(priced).sum()) + paid)
        more += OVERSPENDING * paid if self._limits.budget is not None else 0.0
        return bound + paid + more, error + more

    # Subsets.

    def _value(self, subset: PairwiseValue) -> float:
        return subset.value() - (self._cost or 0.0) * int(np.count_nonzero(subset.is_in))

    def _plain_orders(self) -> list[list[int]]:
        """Return orders of the columns to start with: by gains for the cost, and those of few caps first."""
        unary, orders = self._tables[0], []
        if self._limits.costs is not None and self._limits.budget is not None:
            costs = np.maximum(self._limits.costs, np.finfo(float).tiny)
            with np.errstate(over="ignore"):
                orders.append(np.argsort(-np.where(unary > 0, unary / costs, unary), kind="stable").tolist())
        if self._limits.caps and not self._limits.caps_are_nested:
            n_caps = (self._usage > 0)[: len(self._limits.caps)].sum(axis=0)
            orders.append(np.lexsort((-unary, n_caps)).tolist())
        return orders

    def _grown(self, start: list[int], most: int | None = None) -> PairwiseValue:
        """Return a subset with the columns of `start` and those that gain most; any size ends where none gains."""
        most = self._most if most is None else most
        subset, chosen = self._coefficients.of(start[:most]), start[:most]
        while len(chosen) < most:
            into = subset.best_outside(self._limits.can_add(chosen, len(self._names)))
            if into < 0 or (self._cost is not None and subset.gains[into] <= self._cost):
                break
            subset.toggle(into)
            chosen.append(into)
        return subset

    def _improve(self, subset: PairwiseValue, cost: float | None) -> None:
        """Exchange columns within the limits while the value grows; with a cost also add and remove them."""
        n_columns = len(self._names)
        for _ in range(4 * n_columns):
            least = _LEAST * float(np.abs(subset.gains).max(initial=0.0))
            inside = np.flatnonzero(subset.is_in).tolist()
            if cost is not None:
                into = -1
                if len(inside) < self._most:
                    into = subset.best_outside(self._limits.can_add(inside, n_columns))
                if into >= 0 and subset.gains[into] - cost > least:
                    subset.toggle(into)
                    continue
                if inside and cost - subset.gains[out := subset.least_inside()] > least:
                    subset.toggle(out)
                    continue
            gain, out, into = self._best_exchange(subset, inside)
            if gain <= least:
                return
            subset.toggle(out)
            subset.toggle(into)

    def _best_exchange(self, subset: PairwiseValue, inside: list[int]) -> tuple[float, int, int]:
        """Return the largest gain of an allowed exchange, the column to remove and the column to add."""
        best, best_out, best_into = 0.0, -1, -1
        outside = np.where(subset.is_in, -np.inf, subset.gains)
        highest = outside.max(initial=-np.inf)
        for out in inside:
            interactions = subset.interactions(out)
            if not highest - interactions.min() - subset.gains[out] > best:
                continue
            allowed = self._limits.can_add([column for column in inside if column != out], len(self._names))
            gains = np.where(allowed, outside - interactions, -np.inf)
            into = int(np.argmax(gains))
            if gains[into] - subset.gains[out] > best:
                best, best_out, best_into = float(gains[into] - subset.gains[out]), out, into
        return best, best_out, best_into

    def _path(self, best: _Relaxed, size: int) -> dict[int, tuple[int, ...]]:
        """Return the best subsets found of some sizes up to this one."""
        found = {}
        order = best.subsets.order.tolist()
        for k in candidate_sizes(size):
            starts = [self._of_size([], k), self._of_size(self._limits.take(order, k), k)]
            starts = [subset for subset in starts if np.count_nonzero(subset.is_in) == k]
            for subset in starts:
                self._improve(subset, None)
            if starts:
                found[k] = self._in_order(max(starts, key=lambda subset: subset.value()))
        return found

    def _of_size(self, start: list[int], size: int) -> PairwiseValue:
        """Return a subset grown to a size, whether columns gain or not."""
        subset, chosen = self._coefficients.of(start), list(start)
        while len(chosen) < size:
            into = subset.best_outside(self._limits.can_add(chosen, len(self._names)))
            if into < 0:
                break
            subset.toggle(into)
            chosen.append(into)
        return subset

    def _in_order(self, chosen: PairwiseValue) -> tuple[int, ...]:
        """Return the columns, the one that adds most first."""
        subset, columns = chosen.empty(), []
        for _ in range(int(np.count_nonzero(chosen.is_in))):
            columns.append(subset.best_outside(chosen.is_in))
            subset.toggle(columns[-1])
        return tuple(columns)


def highest_sum(numbers: Floats, count: int) -> float:
    """Return the sum of the highest `count` numbers of at least 0."""
    if count >= len(numbers):
        return math.fsum(numbers.tolist())
    return math.fsum(np.partition(numbers, len(numbers) - count)[len(numbers) - count :].tolist()) if count else 0.0
