"""The best of all subsets."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, islice
from typing import ClassVar, Self

import numpy as np

from fewest.arrays import Floats, Indices, Mask
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
    largest one, relatively, are equal.

    References
    ----------
    Narendra and Fukunaga (1977), A branch and bound algorithm for feature subset selection,
    https://doi.org/10.1109/TC.1977.1674939
    """

    beta: float | None = None
    max_subsets: int = 1_000_000
    path: bool = False

    requires: ClassVar[frozenset[str]] = frozenset({"n_columns", "score_subset"})
    #: Used where the objective has it.
    uses: ClassVar[frozenset[str]] = frozenset({"score_subsets", "is_monotone", "is_observed"})

    def __post_init__(self) -> None:
        check_threshold(self.beta)
        check_count("max_subsets", self.max_subsets, 1)
        check_flag("path", self.path)

    def with_path(self) -> Self:
        """Return the search for the best subset of every size up to the number asked for."""
        return replace(self, path=True)

    def n_subsets(self, n_columns: int, n_features: int | None) -> int:
        """Return the number of subsets that there are to choose from."""
        if self.beta is not None:
            return int(2**n_columns)
        size = n_columns if n_features is None else min(n_features, n_columns)
        return sum(math.comb(n_columns, k) for k in range(1 if self.path else size, size + 1))

    def check_subsets(self, n_columns: int, n_features: int | None) -> None:
        """Raise, before any data are read, where there are more subsets than max_subsets."""
        n_subsets = self.n_subsets(n_columns, n_features)
        if n_subsets <= self.max_subsets:
            return
        shown = f"{n_subsets:,}" if n_subsets < _MOST_DIGITS else f"about 10^{math.log10(n_subsets):.0f}"
        size = n_columns if n_features is None else min(n_features, n_columns)
        what = f"of {size}" if self.beta is None and not self.path else "of any size"
        what = f"of up to {size}" if self.beta is None and self.path else what
        raise InvalidParameter(
            f"There are {shown} subsets {what} of {n_columns:,} columns, and Exhaustive(max_subsets={self.max_subsets})"
            " evaluates no more than that. Ask for fewer features, choose columns first, use GreedyFloating(), or "
            "raise max_subsets: where the objective is monotone, as SvmMargin() is, bounds leave out most subsets."
        )

    def run(self, objective: ScoresSubsets, n_features: int | None) -> Selection:
        """Return the best subset: of n_features, of all (None), or of any size where a feature costs beta."""
        n_columns = objective.n_columns
        self.check_subsets(n_columns, n_features)
        is_observed: Mask | None = getattr(objective, "is_observed", None)
        columns = np.arange(n_columns) if is_observed is None else np.flatnonzero(is_observed)
        values = _SubsetValues(objective)
        if self.beta is not None:
            chosen = values.best(columns, None, float(self.beta))
            return self._selection(values, chosen, {len(chosen): chosen} if chosen else {})
        unobserved = tuple(np.setdiff1d(np.arange(n_columns), columns).tolist())
        size = n_columns if n_features is None else min(n_features, n_columns)
        path = {}
        for k in range(1 if self.path else size, size + 1):
            path[k] = (*values.best(columns, min(k, len(columns)), 0.0), *unobserved[: max(k - len(columns), 0)])
        return self._selection(values, path[size], path)

    def _selection(self, values: _SubsetValues, chosen: Columns, path: dict[int, Columns]) -> Selection:
        """Return the columns in the order of the loss without each."""
        value = float(values.of([chosen])[0])
        without = [tuple(other for other in chosen if other != column) for column in chosen]
        losses = value - values.of(without)
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
    """The values of subsets of an objective, many at a time where it can."""

    def __init__(self, objective: ScoresSubsets) -> None:
        self._objective = objective
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

    def best(self, columns: Indices, size: int | None, beta: float) -> Columns:
        """Return the best subset of a size, or of any size (None) where a column costs beta; ascending."""
        among = tuple(columns.tolist())
        if size is not None and size in (0, len(among)):
            return among[:size]
        if self._is_monotone and among:
            tree = BranchAndBound(self.of, among, size, beta)
            chosen = tree.run()
            self.scale = max(self.scale, tree.scale)
            return chosen
        sizes = range(len(among) + 1) if size is None else [size]
        return self._best_of_all(chain.from_iterable(combinations(among, k) for k in sizes), beta)

    def _best_of_all(self, subsets: Iterable[Columns], beta: float) -> Columns:
        """Return the first of those with the largest value; subsets come in the order of preference."""
        records: list[tuple[float, Columns]] = []
        best, largest = -math.inf, 0.0
        for batch in _batches(subsets):
            values = self.of(batch) - beta * np.array([len(subset) for subset in batch])
            values = np.where(np.isnan(values), -math.inf, values)
            before = np.maximum.accumulate(np.concatenate([[best], values]))[:-1]
            largest = max(largest, float(np.abs(values[np.isfinite(values)]).max(initial=0.0)))
            # Any other is no better than one that is preferred.
            records += [(float(values[i]), batch[i]) for i in np.flatnonzero(values > before)]
            best = max(best, float(values.max()))
            records = records or [(-math.inf, batch[0])]
            records = [(value, subset) for value, subset in records if value >= best - TIE * largest]
        self.scale = max(self.scale, largest)
        return records[0][1]


def _batches(subsets: Iterable[Columns]) -> Iterator[list[Columns]]:
    waiting = iter(subsets)
    while batch := list(islice(waiting, _BATCH)):
        yield batch
