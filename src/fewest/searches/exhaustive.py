"""The best of all subsets."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, islice
from typing import ClassVar, Self

import numpy as np

from fewest.arrays import Floats, Indices, Mask
from fewest.constraints import ALL_CONSTRAINTS, UNCONSTRAINED, ColumnConstraints
from fewest.errors import InvalidParameter
from fewest.parameters import check_count, check_flag
from fewest.protocols import ScoresSubsets
from fewest.searches.branch_and_bound import TIE, BranchAndBound, Columns
from fewest.searches.individual_ranking import check_threshold
from fewest.selection import Selection

#: Subsets that are evaluated at a time.
_BATCH = 4096
#: Larger numbers of subsets are written as a power of ten.
_MOST_DIGITS = 10**15


@dataclass(frozen=True)
class Exhaustive:
    """Find the best of all subsets, for few columns or few features: the answer is proved for every objective.

    Where adding a column never lowers the objective (SvmMargin; ScatterTrace with gamma up to 0), branch and bound
    leaves out subsets that cannot win; otherwise every subset is evaluated. Ties go to the lowest columns.

    Parameters
    ----------
    beta : float or None, default=None
        The cost of a feature: the subset of the largest value after costs is taken, of any size, of equals the
        smallest. None takes the number of features asked for.
    max_subsets : int, default=1000000
        More subsets are refused before any is evaluated. Branch and bound leaves out most of them: there a larger
        number is affordable.
    path : bool, default=False
        Whether to find the best subset of every smaller size as well.

    See Also
    --------
    GreedyFloating : Searches a few subsets of each size.
    MinimumCut : Exact for scores of columns and pairs, however many there are.

    Notes
    -----
    Features are returned in the order of the loss without each, which is their score. A column without a value is
    taken only where there are too few others, and what is proved is proved among these. Values within 1e-12 of the
    largest one, relatively, are equal. With constraints the best of the subsets that these allow is proved, after
    prices; with a budget that of all sizes from 1 to the number asked for, of equals the smallest.

    References
    ----------
    Narendra and Fukunaga (1977), A branch and bound algorithm for feature subset selection,
    https://doi.org/10.1109/TC.1977.1674939

    Examples
    --------
    >>> from fewest import BayesError, Exhaustive, FeatureSelector, scan
    >>> chosen = FeatureSelector(BayesError(), Exhaustive(), n_features=3).fit(scan("wine")).selection_
    >>> chosen.features, chosen.is_optimal
    (('flavanoids', 'color_intensity', 'proline'), True)
    """

    beta: float | None = None
    max_subsets: int = 1_000_000
    path: bool = False

    requires: ClassVar[frozenset[str]] = frozenset({"n_columns", "score_subset"})
    #: Used where the objective has it.
    uses: ClassVar[frozenset[str]] = frozenset({"score_subsets", "is_monotone", "is_observed"})
    honours: ClassVar[frozenset[str]] = ALL_CONSTRAINTS

    def __post_init__(self) -> None:
        check_threshold(self.beta)
        check_count("max_subsets", self.max_subsets, 1)
        check_flag("path", self.path)

    def with_path(self) -> Self:
        """Return the search for the best subset of every size up to the number asked for."""
        return replace(self, path=True)

    def n_subsets(self, n_columns: int, n_features: int | None, constraints: ColumnConstraints = UNCONSTRAINED) -> int:
        """Return the number of subsets that there are to choose from: those that hold the columns to keep."""
        n_kept = len(constraints.kept)
        if self.beta is not None:
            return int(2 ** (n_columns - n_kept))
        return sum(math.comb(n_columns - n_kept, k - n_kept) for k in self._sizes(n_columns, n_features, constraints))

    def _sizes(self, n_columns: int, n_features: int | None, constraints: ColumnConstraints) -> range:
        """Return the sizes to search: with a budget a subset may be smaller than the number asked for."""
        size = n_columns if n_features is None else min(n_features, n_columns)
        is_every = self.path or constraints.budget is not None
        return range(max(len(constraints.kept), 1) if is_every else size, size + 1)

    def check_subsets(
        self, n_columns: int, n_features: int | None, constraints: ColumnConstraints = UNCONSTRAINED
    ) -> None:
        """Raise, before any data are read, where there are more subsets than max_subsets."""
        n_subsets = self.n_subsets(n_columns, n_features, constraints)
        if n_subsets <= self.max_subsets:
            return
        shown = f"{n_subsets:,}" if n_subsets < _MOST_DIGITS else f"about 10^{math.log10(n_subsets):.0f}"
        size = n_columns if n_features is None else min(n_features, n_columns)
        is_one = len(self._sizes(n_columns, n_features, constraints)) == 1
        what = "of any size" if self.beta is not None else f"of {size}" if is_one else f"of up to {size}"
        raise InvalidParameter(
            f"There are {shown} subsets {what} of {n_columns:,} columns, and Exhaustive(max_subsets={self.max_subsets})"
            " evaluates no more than that. Ask for fewer features, choose columns first, use GreedyFloating(), or "
            "raise max_subsets: where the objective is monotone, as SvmMargin() is, bounds leave out most subsets."
        )

    def run(
        self, objective: ScoresSubsets, n_features: int | None, constraints: ColumnConstraints = UNCONSTRAINED
    ) -> Selection:
        """Return the best subset: of n_features, of all (None), or of any size where a feature costs beta.

        Of those that constraints allow: with a budget of up to n_features, and where caps allow fewer of as many as
        these allow.
        """
        n_columns = objective.n_columns
        self.check_subsets(n_columns, n_features, constraints)
        is_observed: Mask | None = getattr(objective, "is_observed", None)
        columns = np.arange(n_columns) if is_observed is None else np.flatnonzero(is_observed)
        values = _SubsetValues(objective, constraints)
        if self.beta is not None:
            chosen = values.best(columns, None, float(self.beta)) or ()
            return self._selection(values, chosen, {len(chosen): chosen} if chosen else {})
        unobserved = tuple(np.setdiff1d(np.arange(n_columns), columns).tolist())
        path: dict[int, Columns] = {}
        sizes = self._sizes(n_columns, n_features, constraints)
        for k in sizes:
            found = values.best_with(columns, unobserved, k)
            path |= {} if found is None else {k: found}
        smaller = sizes.start - 1
        while not path and smaller > 0:
            found = values.best_with(columns, unobserved, smaller)
            path |= {} if found is None else {smaller: found}
            smaller -= 1
        if constraints.budget is None:
            chosen = path[max(path)] if path else ()
        else:
            chosen = values.first_best([*path.values()]) if path else ()
        return self._selection(values, chosen, path)

    def _selection(self, values: _SubsetValues, chosen: Columns, path: dict[int, Columns]) -> Selection:
        """Return the columns in the order of the loss without each."""
        value = float(values.after_prices([chosen])[0])
        without = [tuple(other for other in chosen if other != column) for column in chosen]
        losses = value - values.after_prices(without)
        losses[[not values.is_observed(column) for column in chosen]] = np.nan
        order = np.lexsort((np.array(chosen, dtype=np.intp), -losses))  # NaN last
        indices = tuple(chosen[i] for i in order)
        after_costs = value if self.beta is None else value - float(self.beta) * len(chosen)
        return Selection(
            indices=indices,
            scores=tuple(losses[order].tolist()),
            path={**path, len(indices): indices} if indices else path,
            value=after_costs,
            bound=after_costs,
            is_optimal=True,
            beta=self.beta,
            proved_by=values.proved_by,
            tolerance=TIE * max(values.scale, abs(value)),
        )


class _SubsetValues:
    """The values of subsets of an objective, many at a time where it can, and the best that constraints allow."""

    def __init__(self, objective: ScoresSubsets, constraints: ColumnConstraints) -> None:
        self._objective, self._constraints = objective, constraints
        self._is_monotone = bool(getattr(objective, "is_monotone", False))
        self._is_observed: Mask | None = getattr(objective, "is_observed", None)
        #: The largest absolute value met: values that differ by TIE times this are equal.
        self.scale = 0.0

    @property
    def proved_by(self) -> str:
        """How the best subset is found, in words."""
        return "branch and bound" if self._is_monotone else "evaluation of all subsets"

    def is_observed(self, column: int) -> bool:
        """Return whether a column holds a value."""
        return self._is_observed is None or bool(self._is_observed[column])

    def of(self, subsets: Sequence[Columns]) -> Floats:
        """Return the value of each subset."""
        if len(subsets) == 0:
            return np.empty(0)
        several = getattr(self._objective, "score_subsets", None)
        if several is not None:
            return np.asarray(several(subsets), dtype=np.float64)
        return np.array([self._objective.score_subset(subset) for subset in subsets], dtype=np.float64)

    def after_prices(self, subsets: Sequence[Columns]) -> Floats:
        """Return the value of each subset less the prices of its columns."""
        values = self.of(subsets)
        if self._constraints.cost_weight > 0:
            values = values - np.array([self._constraints.price_of(subset) for subset in subsets])
        return values

    def best_with(self, columns: Indices, unobserved: Columns, size: int) -> Columns | None:
        """Return the best allowed subset of a size, filled up with columns without a value; None where there is none.

        columns : those that hold a value
        """
        kept, n_columns = self._constraints.kept, self._objective.n_columns
        among = np.setdiff1d(columns, kept)
        n_filling = len(set(unobserved).difference(kept))
        n_open = min(size - len(kept), len(among))
        for n_taken in range(n_open, max(size - len(kept) - n_filling, 0) - 1, -1):
            found = self.best(columns, n_taken + len(kept), 0.0)
            if found is None:
                continue
            while len(found) < size:
                may_enter = self._constraints.can_add(found, n_columns)
                left = [column for column in unobserved if may_enter[column]]
                if not left:
                    break
                found = (*found, left[0])
            if len(found) == size:
                return found
        return None

    def first_best(self, subsets: Sequence[Columns]) -> Columns:
        """Return the first of those with the largest value; subsets come in the order of preference."""
        values = np.nan_to_num(self.after_prices(subsets), nan=-math.inf)
        largest = float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
        return subsets[int(np.flatnonzero(values >= values.max() - TIE * largest)[0])]

    def best(self, columns: Indices, size: int | None, beta: float) -> Columns | None:
        """Return the best allowed subset of a size, or of any size (None) where a column costs beta; ascending.

        None where no subset of the size is allowed.
        """
        constraints = self._constraints
        kept = constraints.kept
        among = tuple(column for column in columns.tolist() if column not in set(kept))
        if size is not None and size - len(kept) in (0, len(among)):
            subset = tuple(sorted((*kept, *among[: size - len(kept)])))
            return subset if constraints.are_none or constraints.allows(subset) else None
        if self._is_monotone and among:
            tree = BranchAndBound(self.of, among, size, beta, constraints)
            chosen = tree.run()
            self.scale = max(self.scale, tree.scale)
            return chosen
        sizes = range(len(among) + 1) if size is None else [size - len(kept)]
        subsets: Iterable[Columns] = chain.from_iterable(combinations(among, k) for k in sizes)
        if kept:
            subsets = (tuple(sorted((*kept, *subset))) for subset in subsets)
        if constraints.caps or constraints.budget is not None:
            subsets = filter(constraints.allows, subsets)
        return self._best_of_all(subsets, beta)

    def _best_of_all(self, subsets: Iterable[Columns], beta: float) -> Columns | None:
        """Return the first of those with the largest value; subsets come in the order of preference."""
        records: list[tuple[float, Columns]] = []
        best, largest = -math.inf, 0.0
        for batch in _batches(subsets):
            values = self.after_prices(batch) - beta * np.array([len(subset) for subset in batch])
            values = np.where(np.isnan(values), -math.inf, values)
            before = np.maximum.accumulate(np.concatenate([[best], values]))[:-1]
            largest = max(largest, float(np.abs(values[np.isfinite(values)]).max(initial=0.0)))
            # Any other is no better than one that is preferred.
            records += [(float(values[i]), batch[i]) for i in np.flatnonzero(values > before)]
            best = max(best, float(values.max()))
            records = records or [(-math.inf, batch[0])]
            records = [(value, subset) for value, subset in records if value >= best - TIE * largest]
        self.scale = max(self.scale, largest)
        return records[0][1] if records else None


def _batches(subsets: Iterable[Columns]) -> Iterator[list[Columns]]:
    waiting = iter(subsets)
    while batch := list(islice(waiting, _BATCH)):
        yield batch
