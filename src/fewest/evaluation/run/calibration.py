"""Probabilities from decision values: Platt's sigmoids, fitted to values of rows that were not trained on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fewest.arrays import Codes, Floats, Mask

#: Newton's steps: a logistic curve of one variable is found in far fewer.
_MAX_STEPS = 50
_TOLERANCE = 1e-8


@dataclass(frozen=True)
class Sigmoids:
    """1 / (1 + exp(-(slope d + intercept))) of the decision value d of each class, divided by their sum."""

    slopes: Floats
    intercepts: Floats

    @classmethod
    def fit(cls, decisions: Floats, codes: Codes) -> Sigmoids:
        """One sigmoid a class (a column of the decision values), each class against the others."""
        fitted = [_logistic(column, codes == code) for code, column in enumerate(decisions.T)]
        slopes, intercepts = np.array(fitted).T
        return cls(slopes, intercepts)

    def probabilities(self, decisions: Floats) -> Floats:
        """The probability of each class, a column of the decision values; rows sum to one."""
        single = 1.0 / (1.0 + np.exp(-np.clip(self.slopes * decisions + self.intercepts, -500.0, 500.0)))
        total = single.sum(axis=1, keepdims=True)
        shares: Floats = np.where(total > 0, single / np.where(total > 0, total, 1.0), 1.0 / single.shape[1])
        return shares


def out_of_fold(train: Floats, codes: Codes, n_folds: int, decide: Callable[[Floats, Codes, Floats], Floats]) -> Floats:
    """Decision values of the training rows, each from a fit to the other folds; classes are spread evenly over them.

    decide : (training rows, their classes, other rows) -> decision values of the others, a column for each class
    """
    folds = np.empty(len(codes), dtype=np.intp)
    for code in np.unique(codes):
        own = np.flatnonzero(codes == code)
        folds[own] = np.arange(len(own)) % n_folds
    parts = [(folds != fold, folds == fold) for fold in range(n_folds)]
    found = [decide(train[fit], codes[fit], train[rest]) for fit, rest in parts]
    decisions = np.empty((len(codes), found[0].shape[1]))
    for (_, rest), values in zip(parts, found, strict=True):
        decisions[rest] = values
    return decisions


def _logistic(values: Floats, is_own: Mask) -> tuple[float, float]:
    """The slope and the intercept of least log loss, by Newton's method, with Platt's targets.

    Targets are (n + 1) / (n + 2) and 1 / (n + 2) in place of 1 and 0, so that separable values have finite slopes.
    """
    n_own = int(np.count_nonzero(is_own))
    n_other = len(values) - n_own
    target = np.where(is_own, (n_own + 1.0) / (n_own + 2.0), 1.0 / (n_other + 2.0))
    centre, spread = float(values.mean()), float(values.std()) or 1.0
    x = (values - centre) / spread
    slope, intercept = 0.0, float(np.log((n_own + 1.0) / (n_other + 1.0)))
    loss = _log_loss(slope * x + intercept, target)
    for _ in range(_MAX_STEPS):
        share = 1.0 / (1.0 + np.exp(-np.clip(slope * x + intercept, -500.0, 500.0)))
        gap, curvature = share - target, share * (1.0 - share) + 1e-12
        gradient = np.array([gap @ x, gap.sum()])
        hessian = np.array([[curvature @ (x * x), curvature @ x], [curvature @ x, curvature.sum()]])
        step = np.linalg.solve(hessian + 1e-10 * np.eye(2), gradient)
        size = 1.0
        while size > 1e-6:
            trial = slope - size * float(step[0]), intercept - size * float(step[1])
            trial_loss = _log_loss(trial[0] * x + trial[1], target)
            if trial_loss <= loss:
                break
            size /= 2
        else:
            break
        is_done = loss - trial_loss < _TOLERANCE
        (slope, intercept), loss = trial, trial_loss
        if is_done:
            break
    return slope / spread, intercept - slope * centre / spread


def _log_loss(exponents: Floats, target: Floats) -> float:
    # log(1 + exp(z)) - t z, without overflow.
    return float((np.logaddexp(0.0, exponents) - target * exponents).sum())
