"""Gradient ascent of an objective in the weights of all features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.parameters import check_count, check_not_negative
from fewest.protocols import Differentiable, DifferentiableInPart
from fewest.selection import NestedPath, Selection
from fewest.threads import one_blas_thread

#: The logarithm of a weight is clipped to this on either side.
_MAX_LOG_WEIGHT = 230.0
#: Weights of zero that are worth setting aside.
_MANY_ZEROS = 64


@dataclass(frozen=True)
class WeightAscent:
    """Maximise an objective in the weights of all features, and take those with the largest weights.

    Weights are not negative and have no upper limit. Of features with the same weight the one with the largest gradient
    comes first, then the lowest column; features on which nothing depends come last.

    Parameters
    ----------
    logarithmic : bool, default=False
        Whether to optimise the logarithms of the weights, none of which becomes zero.
    max_steps : int, default=500
        The largest number of steps.
    tolerance : float, default=1e-9
        End when a step gains less than this share of the value.

    See Also
    --------
    GreedyForward : Searches subsets instead of weights.

    Notes
    -----
    L-BFGS-B of SciPy, from the weights that the objective starts with. It finds a local maximum: nothing is proved.
    Where many weights are zero, and the objective can give a part of its gradient, the others go on without them, until
    the gradient of all columns shows that none of those set aside would gain.
    """

    logarithmic: bool = False
    max_steps: int = 500
    tolerance: float = 1e-9

    requires: ClassVar[frozenset[str]] = frozenset({"n_columns", "start_weights", "score_weights"})
    #: Used where the objective has it.
    uses: ClassVar[frozenset[str]] = frozenset({"score_weights_among"})

    def __post_init__(self) -> None:
        check_count("max_steps", self.max_steps, 1)
        check_not_negative("tolerance", self.tolerance, below=1)

    def run(self, objective: Differentiable, n_features: int | None) -> Selection:
        """Return the n_features of the largest weights, or all of them (None)."""
        start = np.array(objective.start_weights(), dtype=np.float64)
        with one_blas_thread():
            weights, gradient, history = self._ascend(objective, start)
        n_columns = objective.n_columns
        column_weights = weights[:n_columns]
        order = by_weight(column_weights, gradient[:n_columns])
        chosen = tuple(order[:n_features].tolist())
        return Selection(
            indices=chosen,
            scores=tuple(column_weights[list(chosen)].tolist()),
            path=NestedPath(tuple(order.tolist())),
            value=history[-1],
            is_optimal=False,
            history=tuple(history),
            column_scores=column_weights,
        )

    def _ascend(self, objective: Differentiable, start: Floats) -> tuple[Floats, Floats, list[float]]:
        """Return the best weights, the gradient there, and the value at the start and after each step."""
        # A column without a weight, or without a logarithm of it, stays at zero.
        free = np.flatnonzero(start > 0 if self.logarithmic else start >= 0)
        weights = np.nan_to_num(start, nan=0.0)
        value, gradient = objective.score_weights(weights)
        history = [float(value)]
        best = _Point(history[0], weights, gradient)
        in_part = objective if isinstance(objective, DifferentiableInPart) and not self.logarithmic else None
        is_all, may_cut = True, in_part is not None
        while len(free):
            evaluate = None if is_all or in_part is None else partial(in_part.score_weights_among, among=free)
            end, was_cut = self._climb(objective, evaluate, free, best, history, may_cut)
            gain = end.value - best.value
            gradient = objective.score_weights(end.weights)[1] if end.gradient is None else end.gradient
            best = _Point(end.value, end.weights, gradient)
            if in_part is None or len(history) > self.max_steps:
                break
            # A weight of zero whose growth would lower the value stays there while the others go on.
            wanted = np.flatnonzero((start >= 0) & ((best.weights > 0) | (gradient > 0)))
            if not was_cut and (np.isin(wanted, free).all() or gain <= self.tolerance * abs(best.value)):
                break
            may_cut = was_cut and 2 * len(wanted) <= len(free)
            free = wanted if was_cut else np.union1d(wanted, free)
            is_all = False
        if history[-1] < best.value:
            history.append(best.value)
        assert best.gradient is not None
        return np.where(np.isnan(start), np.nan, best.weights), best.gradient, history

    def _climb(
        self,
        objective: Differentiable,
        in_part: Callable[[Floats], tuple[float, Floats]] | None,
        free: Indices,
        begin: _Point,
        history: list[float],
        may_cut: bool,
    ) -> tuple[_Point, bool]:
        """Return the best point from which no step in the free weights gains, and whether the ascent was cut short.

        in_part : the value with the gradient of the free weights only; the gradient of the point is None then
        may_cut : whether to cut it short where most of the free weights are zero
        """
        from scipy.optimize import minimize

        best = begin

        def negated(point: Floats) -> tuple[float, Floats]:
            nonlocal best
            weights = begin.weights.copy()
            weights[free] = np.exp(np.clip(point, -_MAX_LOG_WEIGHT, _MAX_LOG_WEIGHT)) if self.logarithmic else point
            gradient: Floats | None = None
            if in_part is not None:
                value, slope = in_part(weights)
            else:
                value, gradient = objective.score_weights(weights)
                slope = gradient[free]
            if value > best.value:
                best = _Point(float(value), weights, gradient)
            return -float(value), -(slope * weights[free] if self.logarithmic else slope)

        def record(_: Floats) -> None:
            history.append(best.value)
            n_zero = np.count_nonzero(best.weights[free] == 0)
            if may_cut and n_zero >= _MANY_ZEROS and 2 * n_zero >= len(free):
                raise _CutShort

        first = begin.weights[free]
        try:
            minimize(
                negated,
                np.log(first) if self.logarithmic else first,
                jac=True,
                method="L-BFGS-B",
                bounds=None if self.logarithmic else [(0.0, None)] * len(free),
                callback=record,
                options={"maxiter": self.max_steps + 1 - len(history), "ftol": self.tolerance, "gtol": 0.0},
            )
        except _CutShort:
            return best, True
        return best, False


class _CutShort(Exception):
    """No error: leaves the minimizer."""


@dataclass(frozen=True)
class _Point:
    """Weights with their value, and the gradient there where it is known."""

    value: float
    weights: Floats
    gradient: Floats | None


def by_weight(weights: Floats, gradient: Floats) -> Indices:
    """Return the columns by their weights, the largest first; NaN last."""
    growth = np.where((gradient == 0) & (weights == 0), -np.inf, gradient)
    missing = np.isnan(weights)
    return np.lexsort((-growth, np.where(missing, 0.0, -weights), missing))
