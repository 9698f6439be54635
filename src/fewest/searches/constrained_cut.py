"""Best subsets by minimum cuts under constraints: kept columns are contracted, prices taken from the scores."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from fewest.arrays import Indices
from fewest.constraints import ColumnConstraints
from fewest.searches.best_subsets import NEGLIGIBLE, Tables, best_subsets_of, scaled_tables, value_of_tables
from fewest.searches.limited_subsets import FoundSubset, LimitedSubsets
from fewest.searches.subset_value import ROUNDING, PairwiseValue
from fewest.selection import Selection


def constrained_subset(
    tables: Tables, observed: Indices, beta: float | None, size: int, constraints: ColumnConstraints, n_columns: int
) -> Selection:
    """Return the best subset that constraints allow: of a size, at most of it with a budget, or at a threshold beta.

    tables : the coefficients of the columns `observed`, those with a score, of n_columns
    """
    always = tuple(column for column in constraints.kept if column not in set(observed.tolist()))
    own = constraints.among(observed, always)
    prices = own.prices(len(observed))
    tables, unit = scaled_tables((tables[0] - prices, *tables[1:]), observed)
    problem = _Contraction(value_of_tables(tables), own, unit)
    n_open = max(size - len(always) - len(own.kept), 0)
    selection = problem.solve(n_open, beta, observed)
    fill: list[int] = []
    if beta is None and constraints.budget is None:
        taken = [*observed[list(selection.indices)].tolist(), *always]
        fill = _fill(taken, size, observed, constraints, n_columns)
    # A column without a score adds nothing, and has its price.
    n_paid, price = len(always), constraints.price_of([*always, *fill])
    less = price + (0.0 if beta is None else beta * n_paid)
    if less != 0 and selection.value is not None and selection.bound is not None:
        value = selection.value - less
        rounding = ROUNDING * (abs(less) + abs(selection.bound))
        selection = replace(selection, value=value, bound=max(value, selection.bound - less + rounding))
    return among_all(selection, observed, n_columns, fill, always)


def _fill(taken: list[int], size: int, observed: Indices, constraints: ColumnConstraints, n_columns: int) -> list[int]:
    """Return columns without a score that fill a subset up to a size, the cheapest first."""
    prices = constraints.prices(n_columns)
    fill: list[int] = []
    while len(taken) + len(fill) < size:
        may_enter = constraints.can_add([*taken, *fill], n_columns)
        may_enter[observed] = False
        left = np.flatnonzero(may_enter)
        if len(left) == 0:
            break
        fill.append(int(left[np.argmin(prices[left])]))
    return fill


def among_all(
    selection: Selection, observed: Indices, n_columns: int, fill: list[int], always: tuple[int, ...] = ()
) -> Selection:
    """Return a selection of columns with a score as one of all columns.

    fill : columns without a score that come last in the subset
    always : those that every subset holds
    """
    if len(observed) == n_columns:
        return selection
    scores = np.full(n_columns, np.nan)
    scores[observed] = selection.column_scores

    def of_all(columns: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(observed[list(columns)].tolist())

    path = {size + len(always): (*of_all(columns), *always) for size, columns in selection.path.items()}
    indices = (*of_all(selection.indices), *always, *fill)
    path |= {len(indices): indices} if indices else {}
    return replace(
        selection,
        indices=indices,
        scores=(*selection.scores, *([float("nan")] * (len(always) + len(fill)))),
        path=path,
        breakpoints=tuple((beta, size + len(always)) for beta, size in selection.breakpoints),
        proved_in=of_all(selection.proved_in),
        proved_out=of_all(selection.proved_out),
        column_scores=scores,
    )


class _Contraction:
    """The best subsets that hold the kept columns: those of the others, under coefficients in which these are inside.

    coefficients : of all columns, after prices, in multiples of `unit`
    """

    def __init__(self, coefficients: PairwiseValue, constraints: ColumnConstraints, unit: float) -> None:
        self.unit, self.constraints = unit, constraints
        n_columns = len(coefficients.unary)
        self.start = coefficients.of(constraints.kept)
        others = np.setdiff1d(np.arange(n_columns), constraints.kept)
        limits = constraints.among(others, constraints.kept)
        # A column that exceeds a cap or the budget by itself is in no subset.
        may_enter = np.flatnonzero(limits.can_add((), len(others)))
        self.free: Indices = others[may_enter]
        self.limits = limits.among(may_enter)

    def solve(self, size: int, beta: float | None, names: Indices) -> Selection:
        """Return the best subset with this number of free columns, at most that with a budget, or at a threshold."""
        size, columns = min(size, len(self.free)), names[self.free]
        tables = self.start.contracted(self.free)
        errors = self.start.contraction_errors(self.free)
        is_limited = self.limits.budget is not None or any(len(cap.members) > cap.at_most for cap in self.limits.caps)
        if is_limited:
            scaled = None if beta is None else beta / self.unit
            found = LimitedSubsets(tables, columns, self.limits, errors).solve(size, scaled)
            return self._limited(found, beta)
        subsets = best_subsets_of(tables, columns)
        if beta is None:
            # The coefficients whose rounding counts are those that count.
            rounded = np.argsort(-errors, kind="stable")[:size]
            return self._exact(subsets.of_size(size), float(errors[rounded].sum()), self.free[rounded], beta)
        cost = beta / self.unit
        inner = subsets.at_threshold(cost)
        assert inner.column_scores is not None
        # Columns that enter far below the threshold are in no best subset, however the coefficients were rounded.
        largest = float(errors.max(initial=0.0)) + NEGLIGIBLE * float(np.abs(inner.column_scores).max(initial=0.0))
        near = np.flatnonzero(inner.column_scores >= cost - largest)
        return self._exact(inner, float(errors[near].sum()), self.free[near], beta)

    def _exact(self, inner: Selection, error: float, near: Indices, beta: float | None) -> Selection:
        """Return the selection of all columns from one of the free ones.

        error : how much contraction rounded
        near : other columns whose coefficients matter
        """
        assert inner.bound is not None
        assert inner.value is not None
        assert inner.column_scores is not None
        kept, unit = self._kept_in_order(), self.unit
        indices = self._with_kept(kept, inner.indices)
        value, negligible, error = self._value(indices, inner.value, beta, error, near)
        cost = 0.0 if beta is None else beta * len(kept)
        bound = unit * (inner.bound + self.start.value()) - cost + error
        scores = np.full(len(self.start.gains), np.nan)
        scores[self.free] = unit * inner.column_scores
        scores[list(kept)] = unit * self.start.gains[list(kept)]
        path = {len(kept) + size: self._with_kept(kept, columns) for size, columns in inner.path.items()}
        path |= {len(kept): kept} if kept else {}
        return replace(
            inner,
            indices=indices,
            scores=tuple(scores[list(indices)].tolist()),
            path=dict(sorted(path.items())),
            value=value,
            bound=max(bound, value),
            is_optimal=bool(inner.is_optimal) and error <= negligible,
            breakpoints=self._breakpoints(inner),
            beta=beta,
            proved_in=tuple(self.free[list(inner.proved_in)].tolist()),
            proved_out=tuple(self.free[list(inner.proved_out)].tolist()),
            tolerance=unit * (inner.tolerance or 0.0) + 2 * error,
            column_scores=scores,
        )

    def _breakpoints(self, inner: Selection) -> tuple[tuple[float, int], ...]:
        """Return the thresholds at which columns enter: those to keep are in at any."""
        n_kept = len(self.constraints.kept)
        if not inner.breakpoints and len(self.free):
            return ()
        first = [(math.inf, n_kept)] if n_kept else []
        return (*first, *((self.unit * at, end + n_kept) for at, end in inner.breakpoints))

    def _limited(self, found: FoundSubset, beta: float | None) -> Selection:
        kept, unit = self._kept_in_order(), self.unit
        indices = self._with_kept(kept, found.columns)
        value, negligible, error = self._value(indices, found.value, beta, 0.0, self.free[:0])
        cost = 0.0 if beta is None else beta * len(kept)
        bound = unit * (found.bound + self.start.value()) - cost + error
        scores = unit * self.start.of(indices).gains
        path = {len(kept) + size: self._with_kept(kept, columns) for size, columns in found.path.items()}
        path |= {len(kept): kept} if kept else {}
        return Selection(
            indices=indices,
            scores=tuple(scores[list(indices)].tolist()),
            path=dict(sorted(path.items())),
            value=value,
            bound=max(bound, value),
            is_optimal=found.is_optimal and error <= negligible,
            beta=beta,
            proved_by=found.proved_by,
            tolerance=unit * found.tolerance + 2 * error,
            column_scores=scores,
        )

    def _value(
        self, indices: tuple[int, ...], of_free: float, beta: float | None, error: float, near: Indices
    ) -> tuple[float, float, float]:
        """Return the value of a subset, the rounding that is negligible beside the numbers that matter, and that done.

        of_free : the value of its free columns
        error, near : how much the coefficients of these columns were rounded
        """
        kept = np.array(self.constraints.kept, dtype=np.intp)
        cost = 0.0 if beta is None else beta * len(kept)
        value = self.unit * (of_free + self.start.value()) - cost
        others = np.union1d(np.array(indices, dtype=np.intp), near)
        sizes = self.start.magnitude(kept) + float(np.abs(self.start.gains[others]).sum()) + abs(of_free)
        sizes += 0.0 if beta is None else abs(beta / self.unit) * len(indices)
        # Not the sizes in full, which may be larger than any float.
        return value, self.unit * (NEGLIGIBLE * sizes), self.unit * (error + ROUNDING * sizes)

    def _kept_in_order(self) -> tuple[int, ...]:
        """Return the kept columns, the one that adds most first."""
        subset = self.start.empty()
        columns: list[int] = []
        for _ in self.constraints.kept:
            columns.append(subset.best_outside(self.start.is_in))
            subset.toggle(columns[-1])
        return tuple(columns)

    def _with_kept(self, kept: tuple[int, ...], columns: tuple[int, ...]) -> tuple[int, ...]:
        return (*kept, *self.free[list(columns)].tolist())
