"""Weigh all features at once, uphill, and take those with the largest weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.parameters import check_count, check_not_negative
from fewest.selection import NestedPath, Selection
from fewest.threads import one_blas_thread

#: A step that would take the logarithm of a weight beyond it, on either side, ends there.
_FARTHEST = 230.0


@dataclass(frozen=True)
class WeightAscent:
    """Weigh all features at once, uphill from where the objective begins, and take those with the largest weights.

    Weights are not negative and have no upper limit; the climb is that of L-BFGS-B. Of features with the same weight
    that one comes first whose weight would gain most, or cost least, if it grew (the gradient; at weight zero the
    multiplier of its bound); then the lowest column. Features on which nothing depends come last.

    logarithmic : climb in the logarithms of the weights, none of which becomes zero
    max_steps : when to stop at the latest
    tolerance : stop when a step gains less than this share of the value

    What is found is the top of one hill: nothing is proved of it.
    """

    logarithmic: bool = False
    max_steps: int = 500
    tolerance: float = 1e-9

    requires: ClassVar[frozenset[str]] = frozenset({"n_columns", "start_weights", "score_weights"})

    def __post_init__(self) -> None:
        check_count("max_steps", self.max_steps, 1)
        check_not_negative("tolerance", self.tolerance, below=1)

    def run(self, objective: Any, n_features: int | None) -> Selection:
        start = np.array(objective.start_weights(), dtype=np.float64)
        with one_blas_thread():
            weights, gradient, history = self._climb(objective, start)
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

    def _climb(self, objective: Any, start: Floats) -> tuple[Floats, Floats, list[float]]:
        """The weights at the top, the gradient there, and the value at the start and after each step."""
        from scipy.optimize import minimize

        # What cannot have a weight, or none in logarithms, stays at zero.
        moves = np.flatnonzero(start > 0 if self.logarithmic else start >= 0)
        fixed = np.nan_to_num(start, nan=0.0)
        value, gradient = objective.score_weights(fixed)
        history = [float(value)]
        best = (history[0], fixed, gradient)

        def weights_at(point: Floats) -> Floats:
            weights = fixed.copy()
            weights[moves] = np.exp(np.clip(point, -_FARTHEST, _FARTHEST)) if self.logarithmic else point
            return weights

        def downhill(point: Floats) -> tuple[float, Floats]:
            nonlocal best
            weights = weights_at(point)
            value, gradient = objective.score_weights(weights)
            if value > best[0]:
                best = (float(value), weights, gradient)
            slope = gradient[moves] * weights[moves] if self.logarithmic else gradient[moves]
            return -float(value), -slope

        def note(_: Floats) -> None:
            history.append(best[0])

        if len(moves):
            minimize(
                downhill,
                np.log(start[moves]) if self.logarithmic else start[moves],
                jac=True,
                method="L-BFGS-B",
                bounds=None if self.logarithmic else [(0.0, None)] * len(moves),
                callback=note,
                options={"maxiter": self.max_steps, "ftol": self.tolerance, "gtol": 0.0},
            )
        if history[-1] < best[0]:
            history.append(best[0])
        return np.where(np.isnan(start), np.nan, best[1]), best[2], history


def by_weight(weights: Floats, gradient: Floats) -> Indices:
    """The columns, those with the largest weights first; NaN last."""
    growth = np.where((gradient == 0) & (weights == 0), -np.inf, gradient)
    missing = np.isnan(weights)
    return np.lexsort((-growth, np.where(missing, 0.0, -weights), missing))
