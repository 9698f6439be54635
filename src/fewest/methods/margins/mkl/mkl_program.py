"""The program of non-monotonic MKL: SVMs that share kernel weights of the columns, with its primal and dual values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from fewest.arrays import Floats, Indices


@dataclass(frozen=True)
class MklProgram:
    """Minimize w(p) over kernel weights p of the columns, 0 <= p <= 1 and sum p = size.

    w(p) = sum over SVMs k of max over alpha_k of 2 sum_n alpha_kn - sum_n ridge_n alpha_kn^2 - sum_i p_i u_ki^2,

    where u_ki = sum_n alpha_kn y_kn x_ni is the projection of column i on the dual solution, 0 <= alpha_kn <= cap_n and
    sum_n alpha_kn y_kn = 0. A row of weight c has cap c C and ridge tau / c, as its c copies together.

    columns : (n_rows, n_columns)
    signs : (n_svms, n_rows), 1 or -1; one SVM for two classes, otherwise one per class against the rest
    caps, ridges : (n_rows,)
    """

    columns: Floats
    signs: Floats
    caps: Floats
    ridges: Floats

    @property
    def n_columns(self) -> int:
        return int(self.columns.shape[1])

    def with_columns(self, columns: Indices) -> Self:
        """The program of the same rows restricted to these columns."""
        return replace(self, columns=np.asfortranarray(self.columns[:, columns]))

    def projections(self, alpha: Floats) -> Floats:
        """The projections u of all columns: (n_svms, n_columns)."""
        return np.asarray((alpha * self.signs) @ self.columns)

    def dual_value(self, alpha: Floats, projections: Floats, size: int) -> float:
        """A lower bound of w over all kernel weights of this size, from a feasible alpha."""
        squares = np.square(projections).sum(axis=0)
        largest = squares if size >= len(squares) else np.sort(squares)[len(squares) - size :]
        return float(2 * alpha.sum() - (self.ridges * np.square(alpha)).sum() - largest.sum())

    def primal_value(self, kernel_weights: Floats, projections: Floats, intercepts: Floats) -> float:
        """An upper bound of w(p), from the loss of the SVMs with weights p u and these intercepts."""
        taken = np.flatnonzero(kernel_weights)
        columns = self.columns if 2 * len(taken) > len(kernel_weights) else self.columns[:, taken]
        weights = kernel_weights * projections
        if columns is not self.columns:
            weights = weights[:, taken]
        shortfalls = 1 - self.signs * (weights @ columns.T + intercepts[:, None])
        # The loss is quadratic up to a shortfall of ridge * cap, then linear.
        alpha = np.clip(shortfalls / self.ridges, 0.0, self.caps)
        losses = alpha * (shortfalls - 0.5 * self.ridges * alpha)
        return float((kernel_weights * np.square(projections)).sum() + 2 * losses.sum())


@dataclass(frozen=True)
class MklSolution:
    """Kernel weights, the SVMs that belong to them, and bounds of w.

    kernel_weights : (n_columns,), p, from 0 to 1
    alpha : (n_svms, n_rows)
    intercepts : (n_svms,)
    projections : (n_svms, n_columns), u; the weights of the SVMs are v = p u
    bound : a lower bound of w over all kernel weights, and so over all subsets, of this size
    value : an upper bound of w of these kernel weights
    """

    kernel_weights: Floats
    alpha: Floats
    intercepts: Floats
    projections: Floats
    bound: float
    value: float

    @property
    def duality_gap(self) -> float:
        """The difference of value and bound, relative to the value."""
        return max(self.value - self.bound, 0.0) / max(abs(self.value), float(np.finfo(float).tiny))

    @property
    def weights(self) -> Floats:
        """The weights v = p u of the SVMs: (n_svms, n_columns)."""
        return self.kernel_weights * self.projections

    @property
    def squared_projections(self) -> Floats:
        """The squared projections of each column, summed over the SVMs."""
        return np.asarray(np.square(self.projections).sum(axis=0))

    @property
    def weight_norms(self) -> Floats:
        """The norm of each column's weights over the SVMs."""
        return self.kernel_weights * np.sqrt(self.squared_projections)


def certified_solution(
    program: MklProgram, size: int, kernel_weights: Floats, alpha: Floats, intercepts: Floats
) -> MklSolution:
    """Compute value and bound of a solution, of alpha made feasible: those of the sign with the larger sum reduced."""
    positive, negative = (np.where(sign * program.signs > 0, alpha, 0.0).sum(axis=1) for sign in (1, -1))
    least = np.minimum(positive, negative)
    up, down = (np.divide(least, total, out=np.ones_like(total), where=total > 0) for total in (positive, negative))
    alpha = alpha * np.where(program.signs > 0, up[:, None], down[:, None])
    projections = program.projections(alpha)
    bound = program.dual_value(alpha, projections, size)
    value = program.primal_value(kernel_weights, projections, intercepts)
    return MklSolution(kernel_weights, alpha, intercepts, projections, bound, value)


def initial_alpha(program: MklProgram, size: int) -> Floats:
    """A strictly feasible alpha: proportional to the caps within each sign, with the best common factor."""
    positive = np.where(program.signs > 0, program.caps, 0.0)
    negative = np.where(program.signs < 0, program.caps, 0.0)
    shape = positive / positive.sum(axis=1, keepdims=True) + negative / negative.sum(axis=1, keepdims=True)
    squares = np.square(program.projections(shape)).sum(axis=0)
    largest = np.sort(squares)[len(squares) - min(size, len(squares)) :]
    curvature = (program.ridges * np.square(shape)).sum() + largest.sum()
    return np.asarray(shape * min(shape.sum() / curvature, 0.5 * float((program.caps / shape).min())))
