"""Mehrotra's interior point method for the relaxed program of non-monotonic MKL."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.linalg import blas, lapack

from fewest.arrays import Floats
from fewest.methods.margins.mkl.factorizations import DiagonalPlusProduct, JointRowMatrix, cholesky, projected_inverse
from fewest.methods.margins.mkl.mkl_program import MklProgram, MklSolution, certified_solution, initial_alpha

#: Share of the step to the boundary that is taken.
_STEP_TO_BOUNDARY = 0.995
_MIN_STEP = 1e-8
#: Share of the default start that is mixed into a warm start.
_MIXED = 0.05
_MAX_STEPS = 100
#: Steps without progress before the method stops: rounding errors dominate then.
_MAX_IDLE_STEPS = 4
#: Steps without progress before a centring step, and its centring parameter.
_IDLE_STEPS, _CENTRING = 3, 0.5
#: With more rows no matrix of rows by rows is formed.
_MAX_ROWS = 4000


@dataclass(frozen=True)
class InteriorPoint:
    """All unknowns of the optimality conditions, strictly within their bounds; or their changes in a step.

    alpha, alpha_lower, alpha_upper : (n_svms, n_rows), with the multipliers of alpha >= 0 and of alpha <= cap
    weights, weights_lower, weights_upper : (n_columns,), the kernel weights p with the multipliers of p >= 0 and p <= 1
    intercepts : (n_svms,), twice those of the SVMs
    level : the squared projection of a column with 0 < p < 1, the multiplier of sum p = size
    """

    alpha: Floats
    alpha_lower: Floats
    alpha_upper: Floats
    weights: Floats
    weights_lower: Floats
    weights_upper: Floats
    intercepts: Floats
    level: float

    def complementarity(self, caps: Floats) -> float:
        """The mean product of a slack and its multiplier."""
        total = (self.alpha * self.alpha_lower).sum() + ((caps - self.alpha) * self.alpha_upper).sum()
        total += self.weights @ self.weights_lower + (1 - self.weights) @ self.weights_upper
        return float(total) / (2 * self.alpha.size + 2 * len(self.weights))


def starting_point(program: MklProgram, size: int, near: MklSolution | None = None) -> InteriorPoint:
    """An interior point with equal kernel weights; with `near`, that solution moved a little towards this point."""
    n_columns = program.n_columns
    alpha, weights, mixed = initial_alpha(program, size), np.full(n_columns, size / n_columns), 1.0
    if near is not None:
        mixed = _MIXED
        alpha = mixed * alpha + (1 - mixed) * near.alpha
        weights = (1 - mixed) * near.kernel_weights
        weights += (size - weights.sum()) / n_columns
    projections = program.projections(alpha)
    squares = np.square(projections).sum(axis=0)
    gradient = 2 - 2 * program.ridges * alpha - 2 * program.signs * ((weights * projections) @ program.columns.T)
    if near is None:
        # Half way between the intercepts that suit the rows of each sign.
        positive, negative = (np.where(sign * program.signs > 0, program.caps, 0.0) for sign in (1, -1))
        up, down = ((part * gradient).sum(axis=1) / part.sum(axis=1) for part in (positive, negative))
        intercepts = (up - down) / 2
    else:
        intercepts = 2 * near.intercepts
    gradient = gradient - intercepts[:, None] * program.signs
    margin = max(0.1 * float(np.abs(gradient).mean()), 0.1) * mixed
    level = float(np.sort(squares)[n_columns - size])
    distance = max(float(squares.mean()), 1e-3 * level, float(np.finfo(float).tiny)) * mixed
    return InteriorPoint(
        alpha, np.maximum(-gradient, 0.0) + margin, np.maximum(gradient, 0.0) + margin, weights,
        np.maximum(level - squares, 0.0) + distance, np.maximum(squares - level, 0.0) + distance, intercepts, level,
    )  # fmt: skip


class InteriorPointMethod:
    """Mehrotra's predictor-corrector method on the optimality conditions of the relaxed program.

    Eliminating all unknowns but alpha leaves one symmetric system of n_svms * n_rows unknowns. For one SVM with fewer
    columns than rows it is solved by a system of n_columns unknowns (Woodbury). Several SVMs are coupled by the kernel
    weights alone: each then has its own system, and the kernel weights one of n_columns unknowns.
    """

    def __init__(self, program: MklProgram, size: int, near: MklSolution | None = None) -> None:
        self.program = program
        self.size = size
        self.point = starting_point(program, size, near)
        self.n_steps = 0
        #: Systems of n_columns unknowns, as long as these are fewer than rows and accurate enough.
        self.use_woodbury = 0 < program.n_columns < len(program.caps)
        is_by_rows = len(program.signs) == 1 or program.signs.size < program.n_columns
        self._system = _RowSystem if is_by_rows else _ColumnSystem

    @np.errstate(divide="ignore", invalid="ignore", over="ignore")
    def run(self, tolerance: float) -> None:
        """Step until the relative error is within the tolerance, or no further step helps."""
        best, best_error, n_idle = self.point, np.inf, 0
        while self.n_steps < _MAX_STEPS:
            mu = self.point.complementarity(self.program.caps)
            self._compute_residuals()
            error = self._relative_error()
            n_idle = 0 if error <= 0.5 * best_error else n_idle + 1
            if error < best_error:
                best, best_error = self.point, error
            # Far from the optimum the error may grow for some steps.
            is_stuck = n_idle >= (_MAX_IDLE_STEPS if best_error < 1e-3 else 5 * _MAX_IDLE_STEPS)
            if error <= tolerance or is_stuck or not self._step(mu, is_idle=n_idle >= _IDLE_STEPS):
                break
            self.n_steps += 1
        self.point = best

    def solution(self) -> MklSolution:
        """The current point as a solution, with its value and bound."""
        at = self.point
        weights = np.clip(at.weights, 0.0, 1.0)
        return certified_solution(self.program, self.size, weights, at.alpha, at.intercepts / 2)

    def _compute_residuals(self) -> None:
        """The residuals of the optimality conditions at the current point."""
        at, program = self.point, self.program
        self.projections = program.projections(at.alpha)
        self.squares = np.square(self.projections).sum(axis=0)
        outputs = program.signs * ((at.weights * self.projections) @ program.columns.T)
        gradient = 2 - 2 * program.ridges * at.alpha - 2 * outputs - at.intercepts[:, None] * program.signs
        self.alpha_residual = gradient + at.alpha_lower - at.alpha_upper
        self.balance_residual = (program.signs * at.alpha).sum(axis=1)
        self.weights_residual = at.level - self.squares - at.weights_lower + at.weights_upper
        self.size_residual = float(at.weights.sum() - self.size)

    def _relative_error(self) -> float:
        """Complementarity and residuals, relative to the value."""
        at, program = self.point, self.program
        value = float(2 * at.alpha.sum() - (program.ridges * at.alpha**2).sum() - at.weights @ self.squares)
        products = at.complementarity(program.caps) * (2 * at.alpha.size + 2 * len(at.weights))
        residual = np.abs(self.alpha_residual * at.alpha).sum() + np.abs(self.weights_residual * at.weights).sum()
        return (products + float(residual)) / max(abs(value), float(np.finfo(float).tiny))

    def _step(self, mu: float, *, is_idle: bool) -> bool:
        """Make one predictor-corrector step; False where that fails, such as at a bound reached by rounding."""
        at, caps = self.point, self.program.caps
        slack = caps - at.alpha
        if not (at.alpha.min() > 0 and slack.min() > 0 and at.weights.min() > 0 and at.weights.max() < 1):
            return False
        targets = (
            -at.alpha * at.alpha_lower, -slack * at.alpha_upper,
            -at.weights * at.weights_lower, -(1 - at.weights) * at.weights_upper,
        )  # fmt: skip
        try:
            predictor, projections, system = self._predictor(targets)
            length = min(1.0, self._max_length(predictor))
            centring = (self._moved(predictor, length).complementarity(caps) / mu) ** 3
            target = centring * mu
            corrected: tuple[Floats, ...] = (
                targets[0] + target - predictor.alpha * predictor.alpha_lower,
                targets[1] + target + predictor.alpha * predictor.alpha_upper,
                targets[2] + target - predictor.weights * predictor.weights_lower,
                targets[3] + target + predictor.weights * predictor.weights_upper,
            )
            if is_idle:
                # Corrections may cycle; a centring step ends the cycle.
                corrected, length = tuple(part + _CENTRING * mu for part in targets), 0.0
            # The second-order terms of products of two unknowns.
            curvature = self.program.signs * ((predictor.weights * projections) @ self.program.columns.T)
            alpha_residual = self.alpha_residual - 2 * length**2 * curvature
            weights_residual = self.weights_residual - length**2 * np.square(projections).sum(axis=0)
            step, _ = system.solve(alpha_residual, weights_residual, corrected)
        except np.linalg.LinAlgError:
            return False
        length = self._max_length(step)
        if not length > _MIN_STEP:
            return False
        self.point = self._moved(step, min(1.0, _STEP_TO_BOUNDARY * length))
        return True

    def _predictor(self, targets: tuple[Floats, ...]) -> tuple[InteriorPoint, Floats, _System]:
        """The Newton step towards the optimum, the change of the projections, and the factored system."""
        try:
            system = self._system(self)
            return *system.solve(self.alpha_residual, self.weights_residual, targets), system
        except np.linalg.LinAlgError:
            if not self.use_woodbury or len(self.program.caps) > _MAX_ROWS:
                raise
        self.use_woodbury = False
        return self._predictor(targets)

    def _max_length(self, step: InteriorPoint) -> float:
        """The step length at which the first unknown reaches its bound."""
        at = self.point
        pairs = [
            (at.alpha, step.alpha), (self.program.caps - at.alpha, -step.alpha), (at.alpha_lower, step.alpha_lower),
            (at.alpha_upper, step.alpha_upper), (at.weights, step.weights), (1 - at.weights, -step.weights),
            (at.weights_lower, step.weights_lower), (at.weights_upper, step.weights_upper),
        ]  # fmt: skip
        least = min(float((change / number).min(initial=0.0)) for number, change in pairs)
        return np.inf if least >= 0 else -1 / least

    def _moved(self, step: InteriorPoint, length: float) -> InteriorPoint:
        changes = vars(step)
        return InteriorPoint(**{name: value + length * changes[name] for name, value in vars(self.point).items()})


class _System(ABC):
    """The linear system of a Newton step at one point."""

    def __init__(self, method: InteriorPointMethod) -> None:
        at, program = method.point, method.program
        self.method, self.at, self.program = method, at, program
        self.slack = program.caps - at.alpha
        self.diagonal = 2 * program.ridges + at.alpha_lower / at.alpha + at.alpha_upper / self.slack
        self.stiffness = at.weights_lower / at.weights + at.weights_upper / (1 - at.weights)

    def solve(
        self, alpha_residual: Floats, weights_residual: Floats, targets: tuple[Floats, ...]
    ) -> tuple[InteriorPoint, Floats]:
        """The step that removes the residuals and changes the products by the targets; the change of projections."""
        at = self.at
        alpha_right = alpha_residual + targets[0] / at.alpha - targets[1] / self.slack
        weights_right = -weights_residual + targets[2] / at.weights - targets[3] / (1 - at.weights)
        alpha, intercepts, level = self.solve_reduced(alpha_right, weights_right)
        projections = self.program.projections(alpha)
        weights = (weights_right + 2 * (self.method.projections * projections).sum(axis=0) - level) / self.stiffness
        weights_lower = (targets[2] - at.weights_lower * weights) / at.weights
        weights_upper = (targets[3] + at.weights_upper * weights) / (1 - at.weights)
        alpha_lower = (targets[0] - at.alpha_lower * alpha) / at.alpha
        alpha_upper = (targets[1] + at.alpha_upper * alpha) / self.slack
        changes = (alpha, alpha_lower, alpha_upper, weights, weights_lower, weights_upper, intercepts, level)
        return InteriorPoint(*changes), projections

    @abstractmethod
    def solve_reduced(self, alpha_right: Floats, weights_right: Floats) -> tuple[Floats, Floats, float]:
        """The changes of alpha, the intercepts and the level, with all other unknowns eliminated."""


class _RowSystem(_System):
    """The system reduced to the alpha of all SVMs, bordered by the intercepts and the level."""

    def __init__(self, method: InteriorPointMethod) -> None:
        super().__init__(method)
        program, projections, at = self.program, method.projections, self.at
        n_svms, n_rows = program.signs.shape
        self.factor: DiagonalPlusProduct | JointRowMatrix
        if n_svms == 1:
            sizes = at.weights + 2 * np.square(projections[0]) / self.stiffness
            self.factor = DiagonalPlusProduct(program.columns, self.diagonal[0], 2 * sizes, method.use_woodbury)
        else:
            scaled = projections * (2 / np.sqrt(self.stiffness))
            self.factor = JointRowMatrix(program.columns, self.diagonal, at.weights, scaled)
        # In terms of alpha times sign, so that the signs of rows appear in the right side alone.
        self.border = np.column_stack([np.repeat(np.eye(n_svms), n_rows, axis=0), self._row_effect(1.0)])
        self.solved_border = self.factor.solve(self.border)
        self.schur = self.border.T @ self.solved_border
        self.schur[-1, -1] -= (1 / self.stiffness).sum()

    def _row_effect(self, weights_right: Floats | float) -> Floats:
        """How a right side of the kernel weights acts on the rows, those of one SVM after another."""
        effect: Floats = 2 * ((self.method.projections * weights_right / self.stiffness) @ self.program.columns.T)
        return effect.ravel()

    def solve_reduced(self, alpha_right: Floats, weights_right: Floats) -> tuple[Floats, Floats, float]:
        method, signs = self.method, self.program.signs
        right = (signs * alpha_right).ravel() - self._row_effect(weights_right)
        solved = self.factor.solve(right[:, None])[:, 0]
        border_right = self.border.T @ solved
        border_right += (*method.balance_residual, method.size_residual + (weights_right / self.stiffness).sum())
        border = np.asarray(np.linalg.solve(self.schur, border_right), dtype=np.float64)
        beta = solved - self.solved_border @ border
        return signs * beta.reshape(signs.shape), border[:-1], -float(border[-1])


class _ColumnSystem(_System):
    """The system reduced to the kernel weights, by which alone the SVMs are coupled."""

    def __init__(self, method: InteriorPointMethod) -> None:
        super().__init__(method)
        program, projections, at = self.program, method.projections, self.at
        self.parts = []
        joint = np.diag(self.stiffness)
        balances = []
        for k, sign in enumerate(program.signs):
            factor = DiagonalPlusProduct(program.columns, self.diagonal[k], 2 * at.weights, method.use_woodbury)
            solved_sign = sign * factor.solve(np.ones((len(sign), 1)))[:, 0]
            schur = float(sign @ solved_sign)
            # How the kernel weights act on the rows of this SVM.
            effect = program.columns * projections[k]
            product = None
            if method.use_woodbury:
                product = projected_inverse(program.columns, self.diagonal[k], 2 * at.weights, projections[k])
            joint += 4 * (factor.quadratic_form(effect) if product is None else product)
            balances.append(effect.T @ (sign * solved_sign) * (2 / np.sqrt(schur)))
            self.parts.append((sign, factor, solved_sign, schur, effect))
        joint = blas.dsyrk(-1.0, np.column_stack(balances), 1.0, joint, lower=1)
        self.joint = cholesky(joint)
        self.solved_ones = lapack.dpotrs(self.joint, np.ones(program.n_columns), lower=1)[0]

    def solve_reduced(self, alpha_right: Floats, weights_right: Floats) -> tuple[Floats, Floats, float]:
        method = self.method
        alpha, intercepts = np.empty_like(alpha_right), np.empty(len(alpha_right))
        separate = []
        right = weights_right.copy()
        for k, (sign, factor, solved_sign, schur, effect) in enumerate(self.parts):
            free = sign * factor.solve((sign * alpha_right[k])[:, None])[:, 0]
            intercept = (float(sign @ free) + method.balance_residual[k]) / schur
            free = free - intercept * solved_sign
            separate.append((free, intercept))
            right += 2 * effect.T @ (sign * free)
        solved = lapack.dpotrs(self.joint, right, lower=1)[0]
        level = float((solved.sum() + method.size_residual) / self.solved_ones.sum())
        weights = solved - level * self.solved_ones
        for k, (sign, factor, solved_sign, schur, effect) in enumerate(self.parts):
            force = 2 * (effect @ weights)
            change = sign * factor.solve(force[:, None])[:, 0]
            intercept = float(sign @ change) / schur
            alpha[k] = separate[k][0] - (change - intercept * solved_sign)
            intercepts[k] = separate[k][1] - intercept
        return alpha, intercepts, level
