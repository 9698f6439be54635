"""The search of non-monotonic MKL: round the relaxed solution and improve the subset by exchanges of two columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from fewest.arrays import Floats, Indices, Mask
from fewest.constraints import UNCONSTRAINED, ColumnConstraints
from fewest.methods.margins.linear_margin import contribution_sizes
from fewest.methods.margins.mkl.mkl_program import MklSolution
from fewest.methods.margins.mkl.subset_bounds import SubsetBounds
from fewest.methods.margins.mkl.subset_svms import SubsetSvms
from fewest.objectives.grouped_columns import ColumnGroups, GroupedObjective
from fewest.objectives.subset_sizes import candidate_sizes
from fewest.parameters import check_choice
from fewest.selection import Selection
from fewest.threads import one_blas_thread

SIZES = ("one", "some", "all")
#: A value is proved optimal within this share of the bound.
_PROVED = 1e-9
#: Where the bound comes from, in words.
RELAXED = "a relaxed program, with kernel weights between 0 and 1"
#: Values that differ by less than this share are ties.
_TIE = 1e-12
#: Weights are compared to this number of digits, so that equal ones go to the lowest column.
_DIGITS = 10
#: The starts have this multiple of the requested number of columns, of which the weakest are dropped one by one: for
#: the first and the last size, and for those between, which also start from the subset of the size before.
_STARTS, _STARTS_BETWEEN = (1.0, 1.2, 1.5, 2.0), (1.0, 1.5)
#: The exchanges with the largest estimated gains, the columns that may enter, and the exchanges to solve for.
_MAX_EXCHANGES, _MAX_ENTERING, _MAX_TRIES = 200, 200, 30
#: With many classes fewer exchanges are solved for: about this number of SVMs, and at least this number of exchanges.
_MAX_SOLVED, _MIN_TRIES = 2000, 5
#: Up to this number of columns a subset is also grown by one column at a time, with exchanges after each.
_MAX_GROWN_COLUMNS = 64


class ValuesSubsetsBySvms(Protocol):
    """An objective that values subsets by SVMs whose relaxed program can be solved."""

    @property
    def subset_svms(self) -> SubsetSvms: ...


@dataclass(frozen=True)
class RelaxAndRound:
    """Find the subset of a given size near the best kernel weights, with a bound for all subsets.

    The relaxed program, in which kernel weights may lie between 0 and 1, is solved to the optimum. The columns with
    the largest weights are the first subset; up to twice as many, without the weakest, and the subset of the size
    before, extended, are other starts. From each of them columns are exchanged one for one as long as w falls.

    Parameters
    ----------
    sizes : {"one", "some", "all"} or tuple of int, default="one"
        The sizes to search, ascending: the requested one; also every size up to 10 and then steps of about a fifth;
        every size up to it; or these. The subsets need not be nested.

    See Also
    --------
    fewest.NonMonotonicMKL : The selector with this search, and its reference.
    fewest.criteria.SvmMargin : The criterion that it searches.

    Notes
    -----
    w is convex, so only a column with a larger squared projection than the one it replaces can lower it. The subset is
    proved optimal where w is within 1e-9 of the bound. Features are ordered and scored by their SVM weights. Ties go to
    the lowest column. Constraints hold in starts, growth and exchanges; the bound is that of the subsets that they
    allow, from the SVMs of all subsets on the way.

    Examples
    --------
    >>> from fewest import FeatureSelector, RelaxAndRound, SvmMargin, scan
    >>> chosen = FeatureSelector(SvmMargin(), RelaxAndRound(), n_features=3).fit(scan("wine")).selection_
    >>> chosen.features, chosen.is_optimal
    (('color_intensity', 'proline', 'flavanoids'), False)
    """

    sizes: str | tuple[int, ...] = "one"

    requires: ClassVar[frozenset[str]] = frozenset({"subset_svms"})
    #: A price would have to be added to w, which is minimised.
    honours: ClassVar[frozenset[str]] = frozenset({"keep", "at_most", "budget"})

    def __post_init__(self) -> None:
        if not isinstance(self.sizes, tuple):
            check_choice("sizes", self.sizes, SIZES)

    @one_blas_thread()
    def run(
        self, objective: ValuesSubsetsBySvms, n_features: int | None, constraints: ColumnConstraints = UNCONSTRAINED
    ) -> Selection:
        svms = objective.subset_svms
        if isinstance(objective, GroupedObjective):
            factors = contribution_sizes(objective.rows)
            return self._on_features(svms, objective.groups, factors, n_features, constraints)
        size = svms.n_columns if n_features is None else min(n_features, svms.n_columns)
        cuts = SubsetBounds(svms.n_columns)
        path = find_subsets(svms, self._resolved_sizes(size, constraints), constraints, cuts)
        chosen = path[max(path)]
        if constraints.budget is not None:
            chosen = min(path.values(), key=lambda subset: svms.fit(subset).value)
        solution, bound = svms.fit(chosen), svms.relax(size).bound
        if not constraints.are_none:
            bound = max(bound, cuts.least(size, constraints))
        w, is_proved = solution.value, solution.value - bound <= _PROVED * abs(solution.value)
        norms = np.where(svms.is_observed, solution.weight_norms, np.nan)
        scores = tuple(norms[list(chosen)].tolist())
        return Selection(
            indices=chosen, scores=scores, path=path, value=w, bound=min(bound, w), sense="min", is_optimal=is_proved,
            proved_by=RELAXED, tolerance=_PROVED * abs(w),
        )  # fmt: skip

    def _on_features(
        self, svms: SubsetSvms, groups: ColumnGroups, factors: Floats, n_features: int | None,
        constraints: ColumnConstraints,
    ) -> Selection:  # fmt: skip
        """Find features instead of columns: those that add most to the SVMs of the relaxed program.

        factors : by column, what a weight adds, so that a feature of many columns is not preferred for their number
        """
        size = groups.n_features if n_features is None else min(n_features, groups.n_features)
        sizes = self._resolved_sizes(size, constraints)
        found = [_best_features(svms, groups, factors, k, constraints) for k in sizes]
        path = {len(features): features for features in found}
        chosen = path[max(path)]
        solution = svms.fit(groups.columns_of(chosen))
        # No features of this number have more columns, and w falls with every column.
        bound = min(svms.relax(_most_columns(groups, size)).bound, solution.value)
        is_proved = solution.value - bound <= _PROVED * abs(solution.value)
        weights = np.where(svms.is_observed, solution.weight_norms, np.nan)
        norms = groups.combine(factors * weights, "norm")
        return Selection(
            indices=chosen,
            scores=tuple(norms[list(chosen)].tolist()),
            path=path,
            value=solution.value,
            bound=bound,
            sense="min",
            is_optimal=is_proved,
            proved_by=RELAXED,
            tolerance=_PROVED * abs(solution.value),
        )

    def _resolved_sizes(self, size: int, constraints: ColumnConstraints) -> list[int]:
        if isinstance(self.sizes, tuple):
            sizes = sorted({size, *(smaller for smaller in self.sizes if smaller < size)})
        else:
            sizes = {"one": [size], "some": candidate_sizes(size), "all": list(range(1, size + 1))}[self.sizes]
        return [k for k in sizes if k >= len(constraints.kept)]


def find_subsets(
    svms: SubsetSvms,
    sizes: Sequence[int],
    constraints: ColumnConstraints = UNCONSTRAINED,
    cuts: SubsetBounds | None = None,
) -> dict[int, tuple[int, ...]]:
    """Find a subset with small w for each size, ascending; its columns are ordered by their weights.

    Constraints may leave fewer columns than a size.

    cuts : where lower bounds of w are stored
    """
    path: dict[int, tuple[int, ...]] = {}
    cuts = SubsetBounds(svms.n_columns) if cuts is None else cuts
    best: _Subset | None = None
    kept = np.array(constraints.kept, dtype=np.intp)
    if svms.n_columns <= _MAX_GROWN_COLUMNS and sizes[0] > len(kept) + 1:
        best = _Subset(svms, kept, cuts, constraints)
        for size in range(len(kept) + 1, sizes[0]):
            best = _Subset(svms, best.extended(size), cuts, constraints)
            best.shrink(size)
            best.exchange(set())
    for size in sizes:
        starts = _STARTS if size in (sizes[0], sizes[-1]) else _STARTS_BETWEEN
        best = _best_subset(svms, size, starts, cuts, best, constraints)
        best.prefer_low_columns()
        path[len(best.columns)] = best.by_weight()
    return path


def _most_columns(groups: ColumnGroups, size: int) -> int:
    """The largest number of columns that this number of features can have."""
    return int(np.sort(groups.sizes)[::-1][:size].sum())


def _best_features(
    svms: SubsetSvms, groups: ColumnGroups, factors: Floats, size: int, constraints: ColumnConstraints
) -> tuple[int, ...]:
    """The features of this number that add most in the relaxed program, in the order of what they add on their own."""
    is_empty = ~svms.is_observed[groups.firsts]

    def sizes_of(weights: Floats) -> Floats:
        return groups.combine(factors * _rounded_to_digits(weights), "norm")

    relaxed = svms.relax(_most_columns(groups, size))
    norms, projections = sizes_of(relaxed.weight_norms), sizes_of(np.sqrt(relaxed.squared_projections))
    order = np.lexsort((-projections, -norms, is_empty))
    chosen = np.sort(order[:size] if constraints.are_none else constraints.take(order.tolist(), size))
    own = sizes_of(svms.fit(groups.columns_of(chosen)).weight_norms)
    return tuple(chosen[np.lexsort((-own[chosen], is_empty[chosen]))].tolist())


def _best_subset(
    svms: SubsetSvms, size: int, starts: Sequence[float], cuts: SubsetBounds, smaller: _Subset | None,
    constraints: ColumnConstraints,
) -> _Subset:  # fmt: skip
    """The best subset of this size from several starts, of these multiples of it and `smaller`; the first of ties."""
    relaxed, n_columns = svms.relax(size), svms.n_columns
    if not constraints.are_none:
        cuts.add_relaxed(relaxed, size)
    best: _Subset | None = None
    seen: set[tuple[int, ...]] = set()
    wide = [_rounded(relaxed, svms.is_observed, min(math.ceil(share * size), n_columns)) for share in starts]
    wide = [np.union1d(start, constraints.kept).astype(np.intp) if constraints.kept else start for start in wide]
    for start in wide if smaller is None else [*wide, smaller.extended(size)]:
        # With several SVMs a cold start would take longer than from those of the relaxed program.
        subset = _Subset(svms, start, cuts, constraints, relaxed if svms.n_svms > 1 else None)
        subset.shrink(size)
        if not subset.exchange(seen):
            continue
        if constraints.budget is not None:
            subset.fill(size)
        if best is None or subset.value < best.value - _TIE * abs(best.value):
            best = subset
        if best.value - relaxed.bound <= _PROVED * abs(best.value):
            break
    assert best is not None
    return best


class _Subset:
    """A subset of columns, with the SVMs on it."""

    def __init__(
        self, svms: SubsetSvms, columns: Indices, cuts: SubsetBounds, constraints: ColumnConstraints = UNCONSTRAINED,
        near: MklSolution | None = None,
    ) -> None:  # fmt: skip
        self.svms, self._constraints = svms, constraints
        self.columns = np.sort(columns)
        self.solution = svms.fit(self.columns, near)
        self._cuts = cuts

    @property
    def value(self) -> float:
        return self.solution.value

    def exchange(self, seen: set[tuple[int, ...]]) -> bool:
        """Exchange one column for another as long as w falls; False where that leads to a subset among those seen.

        seen : the subsets from which exchanges were made before, which lead to where they led then; these are added
        """
        while (key := tuple(self.columns.tolist())) not in seen:
            seen.add(key)
            leaving, entering = self._promising()
            bounds = self._cuts.bounds(self.columns, leaving, entering)
            limit = self.value * (1 - _TIE)
            n_tries = min(max(_MAX_SOLVED // self.svms.n_svms, _MIN_TRIES), _MAX_TRIES)
            found = self.svms.first_improving_exchange(self.columns, leaving, entering, bounds, limit, n_tries)
            if found is None:
                return True
            index, self.solution = found
            self.columns = self._exchanged(leaving[index], entering[index])
            self._cuts.add(self.solution, self.columns)
        return False

    def extended(self, size: int) -> Indices:
        """These columns and those with the largest projections, `size` in all."""
        norms = _rounded_to_digits(np.sqrt(self.solution.squared_projections))
        is_other = ~np.isin(np.arange(len(norms)), self.columns)
        order = np.lexsort((-norms, ~self.svms.is_observed, is_other))
        if not self._constraints.are_none:
            return np.array(self._constraints.take(order.tolist(), size), dtype=np.intp)
        return order[:size].astype(np.intp)

    def shrink(self, size: int) -> None:
        """Drop the column with the smallest weight, the highest of ties, until `size` columns are left.

        Under constraints until these are allowed; where fewer are left then, others follow.
        """
        if not self._constraints.are_none:
            self._shrink_to_allowed(size)
        while len(self.columns) > size:
            self.columns = np.sort(self.by_weight()[:-1]).astype(np.intp)
            self.solution = self.svms.fit(self.columns, self.solution)
        self._cuts.add(self.solution, self.columns)

    def _shrink_to_allowed(self, size: int) -> None:
        constraints, kept = self._constraints, set(self._constraints.kept)
        while len(self.columns) > size or not constraints.allows(self.columns.tolist()):
            inside = set(self.columns.tolist())
            full = [cap.members for cap in constraints.caps if len(inside.intersection(cap.members)) > cap.at_most]
            removable = [column for column in self.by_weight() if column not in kept]
            capped = [column for column in removable if any(column in members for members in full)]
            self.columns = self.columns[self.columns != (capped or removable)[-1]]
            self.solution = self.svms.fit(self.columns, self.solution)
        self.fill(size)

    def fill(self, size: int) -> None:
        """Add columns with the largest projections, as far as constraints allow, up to a size."""
        if len(self.columns) < size and len(more := self.extended(size)) > len(self.columns):
            self.columns = np.sort(more)
            self.solution = self.svms.fit(self.columns, self.solution)
            self._cuts.add(self.solution, self.columns)

    def prefer_low_columns(self) -> None:
        """Exchange columns for lower ones with the same projections, such as copies, where w does not grow."""
        squares = self.solution.squared_projections
        for leaving in self.columns[::-1].tolist():
            is_equal = np.abs(squares[:leaving] - squares[leaving]) <= 1e-9 * squares[leaving]
            is_equal[self.columns[self.columns < leaving]] = False
            is_equal &= self.svms.is_observed[:leaving]
            if not self._constraints.are_none:
                is_equal &= self._may_enter(leaving)[:leaving]
            for entering in np.flatnonzero(is_equal).tolist():
                columns = self._exchanged(leaving, entering)
                solution = self.svms.fit(columns, self.solution)
                self._cuts.add(solution, columns)
                if solution.value < self.value + _TIE * abs(self.value):
                    self.columns, self.solution = columns, solution
                    break

    def by_weight(self) -> tuple[int, ...]:
        """The columns in descending order of their weights."""
        norms = _rounded_to_digits(self.solution.weight_norms[self.columns])
        is_empty = ~self.svms.is_observed[self.columns]
        return tuple(self.columns[np.lexsort((-norms, is_empty))].tolist())

    def _promising(self) -> tuple[Indices, Indices]:
        """The exchanges that may lower w, largest estimated gain first: columns that leave, columns that enter."""
        squares = self.solution.squared_projections
        # w is convex: an exchange can lower it only if the entering column has the larger squared projection.
        is_larger = squares > squares[self.columns].min(initial=np.inf)
        is_larger[self.columns] = False
        outside = np.flatnonzero(is_larger)
        outside = outside[np.argsort(-squares[outside], kind="stable")[:_MAX_ENTERING]]
        if len(outside) == 0:
            return outside, outside
        gains = self.svms.exchange_gains(self.columns, outside)
        gains[squares[self.columns][:, None] >= squares[outside]] = -np.inf
        if not self._constraints.are_none:
            allowed = np.array([self._may_enter(column)[outside] for column in self.columns.tolist()])
            gains[~allowed] = -np.inf
        leaving, entering = np.unravel_index(_largest(gains.ravel(), _MAX_EXCHANGES), gains.shape)
        return self.columns[leaving], outside[entering]

    def _may_enter(self, leaving: int) -> Mask:
        """Return which columns constraints allow in place of this one; none for one to keep."""
        rest = self.columns[self.columns != leaving].tolist()
        if leaving in self._constraints.kept:
            return np.zeros(self.svms.n_columns, dtype=bool)
        return self._constraints.can_add(rest, self.svms.n_columns)

    def _exchanged(self, leaving: int, entering: int) -> Indices:
        return np.sort(np.append(self.columns[self.columns != leaving], entering))


def _largest(numbers: Floats, count: int) -> Indices:
    """The indices of the largest finite numbers, descending, the first of ties first."""
    among = np.flatnonzero(numbers > -np.inf)
    if len(among) > 4 * count:
        own = numbers[among]
        among = among[own >= np.partition(own, len(own) - count)[len(own) - count]]
    return among[np.argsort(-numbers[among], kind="stable")[:count]]


def _rounded_to_digits(norms: Floats) -> Floats:
    largest = float(norms.max(initial=0.0))
    return np.round(norms / largest, _DIGITS) if largest > 0 else norms


def _rounded(relaxed: MklSolution, is_observed: Mask, size: int) -> Indices:
    """The columns with the largest weights, then with the largest projections; those without a value last."""
    norms = np.sqrt(relaxed.squared_projections)
    order = np.lexsort((-_rounded_to_digits(norms), -_rounded_to_digits(relaxed.weight_norms), ~is_observed))
    return order[:size].astype(np.intp)
