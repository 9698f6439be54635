"""Gradient ascent of an objective in the weights of all features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from fewest.arrays import Floats, Indices, Mask
from fewest.constraints import UNCONSTRAINED, ColumnConstraints
from fewest.parameters import check_count, check_not_negative
from fewest.protocols import Differentiable, DifferentiableInPart, HasSample, MayVanish
from fewest.selection import NestedPath, Selection
from fewest.threads import one_blas_thread

#: The logarithm of a weight is clipped to this on either side.
_MAX_LOG_WEIGHT = 230.0
#: On a sample a step takes little time, and what it leaves the next sum over all rows would show.
_SAMPLE_TOLERANCE = 1e-12
_SAMPLE_STEPS = 50
#: A model of the objective that is highest where a weight is this multiple of the largest at the start has no maximum.
_MAX_GROWTH = 1e9
#: Ascents on a sample that end lower than they began, after which all rows are used.
_MAX_FAILED = 3
#: A rank-one correction along a line nearly orthogonal to the step that showed it would be huge.
_MIN_COSINE = 1e-8
#: From this number of zero weights on, their columns are set aside.
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
    WeightElimination : Removes the least weights and ascends again.
    GreedyForward : Searches subsets instead of weights.

    Notes
    -----
    L-BFGS-B of SciPy, from the weights that the objective starts with. It finds a local maximum: nothing is proved.
    Where many weights are zero, and the objective can give a part of its gradient, the others go on without them, until
    the gradient of all columns shows that none of those set aside would gain. Where the objective can be estimated from
    some of many rows, most steps are taken on these: about the maximum over all rows, which are summed few times.
    With `logarithmic`, where the objective says that weights vanish, their roots are optimised instead, and a step that
    gains less than 1e-6 of the value is the last.

    Examples
    --------
    >>> from fewest import FeatureSelector, KernelScatter, WeightAscent, scan
    >>> FeatureSelector(KernelScatter(), WeightAscent(), n_features=3).fit(scan("wine")).selection_.features
    ('flavanoids', 'proline', 'od280/od315_of_diluted_wines')
    """

    logarithmic: bool = False
    max_steps: int = 500
    tolerance: float = 1e-9

    requires: ClassVar[frozenset[str]] = frozenset({"n_columns", "start_weights", "score_weights"})
    #: Used where the objective has it.
    uses: ClassVar[frozenset[str]] = frozenset({"score_weights_among", "on_sample", "start_value", "weights_vanish"})
    #: The value is that of the weights of all columns: no price can be taken from it.
    honours: ClassVar[frozenset[str]] = frozenset({"keep", "at_most", "budget"})

    def __post_init__(self) -> None:
        check_count("max_steps", self.max_steps, 1)
        check_not_negative("tolerance", self.tolerance, below=1)

    def run(
        self, objective: Differentiable, n_features: int | None, constraints: ColumnConstraints = UNCONSTRAINED
    ) -> Selection:
        """Return the columns to keep and those of the largest weights, n_features or all of them (None)."""
        start = np.array(objective.start_weights(), dtype=np.float64)
        with one_blas_thread():
            weights, gradient, history = self.ascend(objective, start)
        n_columns = objective.n_columns
        column_weights = weights[:n_columns]
        order = constraints.take(by_weight(column_weights, gradient[:n_columns]).tolist())
        chosen = tuple(order[:n_features])
        return Selection(
            indices=chosen,
            scores=tuple(column_weights[list(chosen)].tolist()),
            path=NestedPath(tuple(order), len(constraints.kept)),
            value=history[-1],
            is_optimal=False,
            history=tuple(history),
            column_scores=column_weights,
        )

    def ascend(
        self, objective: Differentiable, start: Floats, *, is_near: bool = False
    ) -> tuple[Floats, Floats, list[float]]:
        """Return the best weights, the gradient there, and the value at the start and after each step.

        start : a column whose weight is NaN there has none
        is_near : whether the start is near a maximum, so that the gradient of all rows pays
        """
        weights = np.nan_to_num(start, nan=0.0)
        sample = objective.on_sample() if isinstance(objective, HasSample) and not self.logarithmic else None
        best, is_done = _Point(0.0, weights, None), False
        if sample is None or is_near:
            value, gradient = objective.score_weights(weights)
            best = _Point(float(value), weights, gradient)
        elif isinstance(objective, HasSample):
            best = _Point(objective.start_value(), weights, None)
        history = [best.value]
        if sample is not None and isinstance(objective, HasSample):
            best, is_done = self._ascend_by_sample(objective, sample, start, best, history)
        if not is_done:
            best = self._ascend_from(objective, start, best, history)
        assert best.gradient is not None
        return np.where(np.isnan(start), np.nan, best.weights), best.gradient, history

    def _ascend_from(
        self, objective: Differentiable, start: Floats, best: _Point, history: list[float], *, is_near: bool = False
    ) -> _Point:
        """Return the best point that is found from a point whose gradient is known; extend the history.

        start : a column whose weight is NaN there has none
        is_near : whether the point is near a maximum, so that most weights of zero are likely to stay there
        """
        # A column without a weight, or without a logarithm of it, stays at zero.
        free = np.flatnonzero(start > 0 if self.logarithmic else start >= 0)
        in_part = objective if isinstance(objective, DifferentiableInPart) and not self.logarithmic else None
        is_all, may_cut = True, in_part is not None
        if is_near and in_part is not None and best.gradient is not None:
            free = np.flatnonzero((start >= 0) & ((best.weights > 0) | (best.gradient > 0)))
            is_all = may_cut = False
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
        return best

    def _ascend_by_sample(
        self, objective: HasSample, sample: DifferentiableInPart, start: Floats, best: _Point, history: list[float]
    ) -> tuple[_Point, bool]:
        """Return the best point found by ascents on a sample, and whether a step from there would gain too little.

        To the sample's value a linear term is added, so that its gradient at the best point so far is that of all rows,
        and a quadratic one, so that it also was at the points before. An ascent on it ends near the maximum over all
        rows, and nearer from each such point. Sums over all rows are taken only where it ends.
        """
        every, largest, n_small, n_failed = np.arange(len(start)), best.weights.max(), 0, 0
        model = _CorrectedSample(sample)
        if best.gradient is not None:
            model.correct(best.weights, best.gradient)
        finer = replace(self, tolerance=min(self.tolerance, _SAMPLE_TOLERANCE), max_steps=_SAMPLE_STEPS)
        while len(history) <= self.max_steps:
            value, gradient = model.score_weights(best.weights)
            begin = _Point(value, best.weights, gradient)
            with np.errstate(over="ignore", invalid="ignore"):
                end = finer._ascend_from(model, start, begin, [value], is_near=best.gradient is not None)
            if not np.all(end.weights <= _MAX_GROWTH * largest):
                break  # the model has no maximum
            # Columns that have no weight keep the gradient that they had when those of all were computed.
            among = every if best.gradient is None else np.flatnonzero((end.weights > 0) | (best.weights > 0))
            value, some = objective.score_weights_among(end.weights, among)
            gradient = np.empty(len(start)) if best.gradient is None else best.gradient.copy()
            gradient[among] = some
            if not value > best.value:
                n_failed += 1
                if best.gradient is None or n_failed > _MAX_FAILED:
                    break
                # The point is lower than the model said, which bends it; the next ascent begins where the last did.
                model.correct(end.weights, gradient)
                model.correct(best.weights, best.gradient)
                continue
            n_small = n_small + 1 if value - best.value <= self.tolerance * abs(value) else 0
            if n_small > 0:
                gradient = objective.score_weights_among(end.weights, every)[1]
            best = _Point(float(value), end.weights, gradient)
            history.append(best.value)
            is_wanted = (gradient > 0) & (best.weights == 0) & (start >= 0)
            if n_small > 1 or (n_small > 0 and not is_wanted.any()):
                return best, True
            model.correct(best.weights, gradient)
        # What else is gained is gained without the sample.
        gradient = objective.score_weights_among(best.weights, every)[1]
        return _Point(best.value, best.weights, gradient), False

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
        scale: _Weights = _Logarithms() if self.logarithmic else _Weights()
        if self.logarithmic and isinstance(objective, MayVanish) and objective.weights_vanish():
            scale = _Roots(begin.weights[free], free < objective.n_columns)

        def negated(point: Floats) -> tuple[float, Floats]:
            nonlocal best
            weights = begin.weights.copy()
            weights[free], change = scale.weights_at(point)
            gradient: Floats | None = None
            if in_part is not None:
                value, slope = in_part(weights)
            else:
                value, gradient = objective.score_weights(weights)
                slope = gradient[free]
            if value > best.value:
                best = _Point(float(value), weights, gradient)
            return -float(value), -(slope * change)

        def record(_: Floats) -> None:
            history.append(best.value)
            n_zero = np.count_nonzero(best.weights[free] == 0)
            if may_cut and n_zero >= _MANY_ZEROS and 2 * n_zero >= len(free):
                raise _CutShort

        options = {
            "maxiter": self.max_steps + 1 - len(history),
            "ftol": max(self.tolerance, scale.min_tolerance),
            "gtol": 0.0,
            "maxcor": scale.n_remembered,
        }
        try:
            minimize(
                negated,
                scale.point_at(begin.weights[free]),
                jac=True,
                method="L-BFGS-B",
                bounds=scale.limits(len(free)),
                callback=record,
                options=options,
            )
        except _CutShort:
            return best, True
        return best, False


class _Weights:
    """The weights themselves are what L-BFGS-B changes."""

    n_remembered = 10
    min_tolerance = 0.0

    def limits(self, n: int) -> list[tuple[float | None, None]] | None:
        """Return the least and the largest of n numbers of a point, None for no limit."""
        return [(0.0, None)] * n

    def point_at(self, weights: Floats) -> Floats:
        return weights

    def weights_at(self, point: Floats) -> tuple[Floats, Floats | float]:
        """Return the weights, and their derivatives in the point."""
        return point, 1.0


class _Logarithms(_Weights):
    """Their logarithms: weights grow by orders of magnitude in a step, and shrink but never vanish."""

    def limits(self, n: int) -> list[tuple[float | None, None]] | None:
        return None

    def point_at(self, weights: Floats) -> Floats:
        return np.log(weights)

    def weights_at(self, point: Floats) -> tuple[Floats, Floats | float]:
        weights = np.exp(np.clip(point, -_MAX_LOG_WEIGHT, _MAX_LOG_WEIGHT))
        return weights, weights


class _Roots(_Logarithms):
    """The roots of their shares in those at the start: many of them vanish within few steps.

    is_column : False for what is tuned beside the weights of columns, of which the logarithms are changed
    """

    n_remembered = 30
    min_tolerance = 1e-6

    def __init__(self, start: Floats, is_column: Mask) -> None:
        self._start, self._is_column = start, is_column

    def limits(self, n: int) -> list[tuple[float | None, None]] | None:
        return [(0.0 if is_column else None, None) for is_column in self._is_column]

    def point_at(self, weights: Floats) -> Floats:
        return np.where(self._is_column, np.sqrt(weights / self._start), super().point_at(self._start))

    def weights_at(self, point: Floats) -> tuple[Floats, Floats | float]:
        weights, change = super().weights_at(np.where(self._is_column, 0.0, point))
        weights = np.where(self._is_column, self._start * np.square(point), weights)
        return weights, np.where(self._is_column, 2.0 * self._start * point, change)


class _CorrectedSample:
    """An objective from a sample, with a quadratic function added so that it has the gradients of all rows.

    The quadratic part is a symmetric rank-one (SR1) approximation of the difference of the second derivatives.
    """

    def __init__(self, sample: DifferentiableInPart) -> None:
        self.n_columns = sample.n_columns
        self._sample = sample
        self._about = np.zeros(len(sample.start_weights()))
        self._tilt: Floats = np.zeros(len(self._about))
        #: lines r and factors c of the quadratic part, sum of c (r'd)^2 / 2 where d is how far from `about` it is
        self._lines: list[Floats] = []
        self._factors: list[float] = []

    def correct(self, weights: Floats, gradient: Floats) -> None:
        """Give the objective this gradient at these weights, and bend it so that it had the last one at the last."""
        tilt = gradient - self._sample.score_weights(weights)[1]
        step = weights - self._about
        if self._tilt.any():
            line = tilt - self._tilt - self._bend(step)
            along = float(line @ step)
            if abs(along) > _MIN_COSINE * float(np.linalg.norm(line) * np.linalg.norm(step)):
                self._lines.append(line)
                self._factors.append(1.0 / along)
        self._about, self._tilt = weights, tilt

    def start_weights(self) -> Floats:
        return self._sample.start_weights()

    def score_weights(self, weights: Floats) -> tuple[float, Floats]:
        value, gradient = self._sample.score_weights(weights)
        more, slope = self._correction(weights)
        return value + more, gradient + slope

    def score_weights_among(self, weights: Floats, among: Indices) -> tuple[float, Floats]:
        value, gradient = self._sample.score_weights_among(weights, among)
        more, slope = self._correction(weights)
        return value + more, gradient + slope[among]

    def _correction(self, weights: Floats) -> tuple[float, Floats]:
        away = weights - self._about
        bend = self._bend(away)
        return float(self._tilt @ away + 0.5 * (bend @ away)), self._tilt + bend

    def _bend(self, away: Floats) -> Floats:
        bend: Floats = np.zeros(len(away))
        for line, factor in zip(self._lines, self._factors, strict=True):
            bend += factor * float(line @ away) * line
        return bend


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
