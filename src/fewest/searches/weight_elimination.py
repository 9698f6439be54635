"""Recursive elimination of the features with the least weights of a gradient ascent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.constraints import UNCONSTRAINED, ColumnConstraints
from fewest.protocols import Differentiable, DifferentiableInPart, HasSample
from fewest.searches.recursive_elimination import check_step
from fewest.searches.weight_ascent import WeightAscent
from fewest.selection import NestedPath, Selection
from fewest.threads import one_blas_thread

#: Weights, or gradients, that differ by less than this share of the largest are equal: those of copies differ by
#: rounding.
_TIE = 1e-9


@dataclass(frozen=True)
class WeightElimination:
    """Optimise the weights of all features, remove those with the least, and optimise the rest, until one is left.

    Each ascent begins with the weights of the last. Of features with the same weight, such as zero, the one with the
    least gradient is removed first, then the highest column; features on which nothing depends are removed before all
    others. The number of features only cuts the list; the weights returned are those of the features taken.

    Parameters
    ----------
    step : int or float, default=1
        The number of features removed at a time; below 1 their share of all columns, rounded down but at least one.

    See Also
    --------
    WeightAscent : Takes the features with the largest weights at once.
    RecursiveElimination : Removes features by the weights of a model instead.

    Notes
    -----
    The objective stays that of all features, of which those removed have no weight. Where a weight is zero at a
    maximum, it is also one without the feature: no ascent follows. Otherwise one does, in the weights of the rest.

    Examples
    --------
    >>> from fewest import FeatureSelector, KernelScatter, WeightElimination, scan
    >>> FeatureSelector(KernelScatter(), WeightElimination(), n_features=3).fit(scan("wine")).selection_.features
    ('flavanoids', 'proline', 'od280/od315_of_diluted_wines')
    """

    step: int | float = 1

    requires: ClassVar[frozenset[str]] = WeightAscent.requires
    #: Used where the objective has it.
    uses: ClassVar[frozenset[str]] = frozenset({"score_weights_among", "on_sample", "start_value"})
    honours: ClassVar[frozenset[str]] = WeightAscent.honours

    def __post_init__(self) -> None:
        check_step("step", self.step)

    def run(
        self, objective: Differentiable, n_features: int | None, constraints: ColumnConstraints = UNCONSTRAINED
    ) -> Selection:
        """Return the n_features last removed, or all of them (None), with the weights that they have by themselves.

        Columns to keep are removed when no other is left.
        """
        n_columns = objective.n_columns
        size = n_columns if n_features is None else min(n_features, n_columns)
        step = int(self.step) if self.step >= 1 else max(1, int(self.step * n_columns))
        with one_blas_thread():
            start = np.array(objective.start_weights(), dtype=np.float64)
            now = taken = of_all = _Maximum.of_all(objective, start)
            values: list[tuple[int, float]] = []
            removed: list[int] = []
            while True:
                n_left = len(now.columns)
                order = now.by_weight()
                is_other = ~np.isin(now.columns[order], constraints.kept)
                order = order[np.argsort(is_other, kind="stable")]
                # All that have no weight go by the same maximum, as whole steps while there are enough of them.
                n_zero = n_left - int(np.count_nonzero(now.column_weights > 0))
                count = min(max(n_zero // step, 1) * step, n_left - 1)
                values += [(n_left - gone, now.value) for gone in range(0, max(count, 1), step)]
                if n_left - count <= size <= n_left:
                    taken = now.without(order[size:])
                if count == 0:
                    break
                removed += now.columns[order[::-1][:count]].tolist()
                # Where the maximum of the size taken was just found, it is the next.
                now = taken if len(taken.columns) == n_left - count else now.without(order[n_left - count :])
            path: tuple[int, ...] = (*now.columns.tolist(), *reversed(removed))
            if constraints.caps or constraints.budget is not None:
                path = tuple(constraints.take(path))
                size = min(size, len(path))
                taken = of_all.without(np.setdiff1d(of_all.columns, path[:size]))
        chosen = taken.by_weight()
        weights = np.where(np.isnan(start[:n_columns]), np.nan, 0.0)
        weights[taken.columns] = taken.column_weights
        return Selection(
            indices=tuple(taken.columns[chosen].tolist()),
            scores=tuple(taken.column_weights[chosen].tolist()),
            path=NestedPath(path, len(constraints.kept)),
            value=taken.value,
            is_optimal=False,
            history=(*(value for n_left, value in values if n_left > size), taken.value),
            column_scores=weights,
        )


@dataclass(frozen=True)
class _Maximum:
    """The best weights found of some columns, the others having none, with the gradient there.

    columns : ascending
    weights, gradient : of these columns, and then of whatever else is tuned with them
    """

    objective: Differentiable
    columns: Indices
    weights: Floats
    gradient: Floats
    value: float

    @classmethod
    def of_all(cls, objective: Differentiable, start: Floats) -> _Maximum:
        weights, gradient, history = WeightAscent().ascend(objective, start)
        return cls(objective, np.arange(objective.n_columns), weights, gradient, history[-1])

    @property
    def column_weights(self) -> Floats:
        return self.weights[: len(self.columns)]

    def by_weight(self) -> Indices:
        """Return the positions of the columns by their weights, the largest first; NaN last.

        The gradient counts where the weight is zero: there it is the multiplier of that limit.
        """
        gradient, missing = self.gradient[: len(self.columns)], np.isnan(self.column_weights)
        weights = np.where(missing, 0.0, self.column_weights)
        growth = np.where(weights > 0, 0.0, np.where(gradient == 0, -np.inf, gradient))
        return np.lexsort((-_levels(growth), -_levels(weights), missing))

    def without(self, positions: Indices) -> _Maximum:
        """Return the maximum in the weights of the other columns, by an ascent from here."""
        if len(positions) == 0:
            return self
        kept = np.delete(np.arange(len(self.weights)), positions)
        columns = self.columns[kept[kept < len(self.columns)]]
        weights, gradient, value = self.weights[kept], self.gradient[kept], self.value
        if (self.weights[positions] > 0).any():
            rest = _OfSome(self.objective, columns, weights)
            weights, gradient, history = WeightAscent().ascend(rest, weights, is_near=True)
            value = history[-1]
        return _Maximum(self.objective, columns, weights, gradient, value)


class _OfSome:
    """An objective in the weights of some columns, and whatever else is tuned with them; the others have no weight."""

    def __init__(self, objective: Differentiable, columns: Indices, start: Floats) -> None:
        self._objective, self._columns, self._start = objective, columns, start
        self.n_columns = len(columns)
        self._n_all = objective.n_columns + len(start) - len(columns)
        self._kept: Indices = np.concatenate([columns, np.arange(objective.n_columns, self._n_all)])

    def start_weights(self) -> Floats:
        return self._start

    def start_value(self) -> float:
        return self.score_weights(np.nan_to_num(self._start, nan=0.0))[0]

    def score_weights(self, weights: Floats) -> tuple[float, Floats]:
        return self._score(weights, self._kept)

    def score_weights_among(self, weights: Floats, among: Indices) -> tuple[float, Floats]:
        return self._score(weights, self._kept[among])

    def on_sample(self) -> _OfSome | None:
        sample = self._objective.on_sample() if isinstance(self._objective, HasSample) else None
        return None if sample is None else _OfSome(sample, self._columns, self._start)

    def _score(self, weights: Floats, among: Indices) -> tuple[float, Floats]:
        every = np.zeros(self._n_all)
        every[self._kept] = weights
        if isinstance(self._objective, DifferentiableInPart):
            return self._objective.score_weights_among(every, among)
        value, gradient = self._objective.score_weights(every)
        return value, gradient[among]


def _levels(values: Floats) -> Indices:
    """Return 0 for the least values, 1 for the next, and so on, equal ones together."""
    order = np.argsort(values, kind="stable")
    largest = np.abs(values[np.isfinite(values)]).max(initial=0.0)
    with np.errstate(invalid="ignore"):
        is_next = np.diff(values[order]) > _TIE * largest
    levels = np.zeros(len(values), dtype=np.intp)
    levels[order[1:]] = np.cumsum(is_next)
    return levels
