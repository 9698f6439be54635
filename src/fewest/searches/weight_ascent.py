"""Gradient ascent of an objective in the weights of all features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.parameters import check_count, check_not_negative
from fewest.protocols import Differentiable
from fewest.selection import NestedPath, Selection
from fewest.threads import one_blas_thread

#: The logarithm of a weight is clipped to this on either side.
_MAX_LOG_WEIGHT = 230.0


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
    """

    logarithmic: bool = False
    max_steps: int = 500
    tolerance: float = 1e-9

    requires: ClassVar[frozenset[str]] = frozenset({"n_columns", "start_weights", "score_weights"})

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
        from scipy.optimize import minimize

        # A column without a weight, or without a logarithm of it, stays at zero.
        free = np.flatnonzero(start > 0 if self.logarithmic else start >= 0)
        fixed = np.nan_to_num(start, nan=0.0)
        value, gradient = objective.score_weights(fixed)
        history = [float(value)]
        best = (history[0], fixed, gradient)

        def weights_at(point: Floats) -> Floats:
            weights = fixed.copy()
            weights[free] = np.exp(np.clip(point, -_MAX_LOG_WEIGHT, _MAX_LOG_WEIGHT)) if self.logarithmic else point
            return weights

        def negated(point: Floats) -> tuple[float, Floats]:
            nonlocal best
            weights = weights_at(point)
            value, gradient = objective.score_weights(weights)
            if value > best[0]:
                best = (float(value), weights, gradient)
            slope = gradient[free] * weights[free] if self.logarithmic else gradient[free]
            return -float(value), -slope

        def record(_: Floats) -> None:
            history.append(best[0])

        if len(free):
            minimize(
                negated,
                np.log(start[free]) if self.logarithmic else start[free],
                jac=True,
                method="L-BFGS-B",
                bounds=None if self.logarithmic else [(0.0, None)] * len(free),
                callback=record,
                options={"maxiter": self.max_steps, "ftol": self.tolerance, "gtol": 0.0},
            )
        if history[-1] < best[0]:
            history.append(best[0])
        return np.where(np.isnan(start), np.nan, best[1]), best[2], history


def by_weight(weights: Floats, gradient: Floats) -> Indices:
    """Return the columns by their weights, the largest first; NaN last."""
    growth = np.where((gradient == 0) & (weights == 0), -np.inf, gradient)
    missing = np.isnan(weights)
    return np.lexsort((-growth, np.where(missing, 0.0, -weights), missing))
