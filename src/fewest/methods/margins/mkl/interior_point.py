"""The best weighting of columns by an interior point method."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.linalg import blas, lapack

from fewest.arrays import Floats
from fewest.methods.margins.mkl.factorizations import Factored, Stacked, driven_product
from fewest.methods.margins.mkl.margin_program import MarginProgram, Relaxed, even_pull, relaxed

#: Steps end this share short of where the first number would be zero.
_SHORT_OF_THE_WALL = 0.995
_LEAST_STEP = 1e-8
#: How much of the usual start is mixed into an answer that is near.
_MIXED = 0.05
_MOST_STEPS = 100
#: So many steps that bring nothing end it: rounding then outweighs what is left.
_PATIENCE = 4
#: Before, one goes inward, to this share of where it is.
_IDLE, _INWARD = 3, 0.5
#: Of more rows no matrix of rows by rows is made.
_MOST_ROWS = 4000


@dataclass(frozen=True)
class _Unknowns:
    """All that is solved for.

    alpha, below, above : machines by rows; the multipliers of alpha >= 0 and of alpha <= cap
    weighting, none, whole : one a column; the multipliers of p >= 0 and of p <= 1
    offsets : one a machine, twice the machine's
    level : the square of a pull at which a column is taken in part
    """

    alpha: Floats
    below: Floats
    above: Floats
    weighting: Floats
    none: Floats
    whole: Floats
    offsets: Floats
    level: float


class InteriorPoint(_Unknowns):
    """A point with every number strictly inside."""

    def complementarity(self, caps: Floats) -> float:
        """The mean product of a number and its multiplier."""
        total = (self.alpha * self.below).sum() + ((caps - self.alpha) * self.above).sum()
        count = 2 * self.alpha.size
        total += self.weighting @ self.none + (1 - self.weighting) @ self.whole
        return float(total) / (count + 2 * len(self.none))


@dataclass(frozen=True)
class _Step(_Unknowns):
    """How all of them change, and with alpha the pulls of the columns."""

    pulls: Floats


def starting_point(program: MarginProgram, size: int, near: Relaxed | None = None) -> InteriorPoint:
    """Every row pulls as its class does as a whole and every column has its even share; or, where an answer is known
    that may be near, such as for one column less, that with a little of this."""
    n_columns = program.n_columns
    alpha, weighting, mixed = even_pull(program, size), np.full(n_columns, size / n_columns), 1.0
    if near is not None:
        mixed = _MIXED
        alpha = mixed * alpha + (1 - mixed) * near.alpha
        weighting = (1 - mixed) * near.weighting
        weighting += (size - weighting.sum()) / n_columns
    pulls = program.pulls(alpha)
    squares = np.square(pulls).sum(axis=0)
    slope = 2 - 2 * program.ridges * alpha - 2 * program.signs * ((weighting * pulls) @ program.columns.T)
    if near is None:
        # The offset in the middle of what the rows of the two signs would like.
        positive, negative = (np.where(sign * program.signs > 0, program.caps, 0.0) for sign in (1, -1))
        up, down = ((part * slope).sum(axis=1) / part.sum(axis=1) for part in (positive, negative))
        offsets = (up - down) / 2
    else:
        offsets = 2 * near.offsets
    slope = slope - offsets[:, None] * program.signs
    room = max(0.1 * float(np.abs(slope).mean()), 0.1) * mixed
    level = float(np.sort(squares)[n_columns - size])
    step = max(float(squares.mean()), 1e-3 * level, float(np.finfo(float).tiny)) * mixed
    return InteriorPoint(
        alpha, np.maximum(-slope, 0.0) + room, np.maximum(slope, 0.0) + room, weighting,
        np.maximum(level - squares, 0.0) + step, np.maximum(squares - level, 0.0) + step, offsets, level,
    )  # fmt: skip


class InteriorMethod:
    """Mehrotra's predictor and corrector on the conditions for the optimum.

    Eliminating all but alpha leaves one symmetric system of as many unknowns as the machines have rows together. Where
    there are fewer columns, its inverse comes, for one machine, from a system of as many unknowns as columns
    (Woodbury). Several machines meet in the weighting alone: each then has a system of its own, and the weighting one
    of as many unknowns as columns.
    """

    def __init__(self, program: MarginProgram, size: int, near: Relaxed | None = None) -> None:
        self.program = program
        self.size = size
        self.point = starting_point(program, size, near)
        self.n_steps = 0
        #: Systems of as many unknowns as columns, as long as these are fewer than rows and digits last.
        self.is_by_columns = 0 < program.n_columns < len(program.caps)
        is_by_rows = len(program.signs) == 1 or program.signs.size < program.n_columns
        self._system = _Rows if is_by_rows else _Columns

    @np.errstate(divide="ignore", invalid="ignore", over="ignore")
    def run(self, tolerance: float) -> bool:
        """Step until the products of numbers and multipliers, and what is left of the conditions, are this share of the
        value; False where no further step helps."""
        best, best_left, n_idle = self.point, np.inf, 0
        while self.n_steps < _MOST_STEPS:
            mu = self.point.complementarity(self.program.caps)
            self._look()
            left = self._left()
            n_idle = 0 if left <= 0.5 * best_left else n_idle + 1
            if left < best_left:
                best, best_left = self.point, left
            # Far from the optimum the way may lead up for a while.
            is_lost = n_idle >= (_PATIENCE if best_left < 1e-3 else 5 * _PATIENCE)
            if left <= tolerance or is_lost or not self._step(mu, is_idle=n_idle >= _IDLE):
                break
            self.n_steps += 1
        self.point = best
        self._look()
        return best_left <= tolerance

    def rough_answer(self) -> Relaxed:
        """The weighting at the point, with what it proves."""
        at = self.point
        return relaxed(self.program, self.size, np.clip(at.weighting, 0.0, 1.0), at.alpha, at.offsets / 2)

    def _look(self) -> None:
        """What is left of the conditions at the point."""
        at, program = self.point, self.program
        self.pulls = program.pulls(at.alpha)
        self.squares = np.square(self.pulls).sum(axis=0)
        pulled = program.signs * ((at.weighting * self.pulls) @ program.columns.T)
        self.slope = (
            2 - 2 * program.ridges * at.alpha - 2 * pulled - at.offsets[:, None] * program.signs + at.below - at.above
        )
        self.balance = (program.signs * at.alpha).sum(axis=1)
        self.over = at.level - self.squares - at.none + at.whole
        self.excess = float(at.weighting.sum() - self.size)

    def _left(self) -> float:
        at, program = self.point, self.program
        value = float(2 * at.alpha.sum() - (program.ridges * at.alpha**2).sum() - at.weighting @ self.squares)
        gap = at.complementarity(program.caps) * (2 * at.alpha.size + 2 * len(at.none))
        left = float(np.abs(self.slope * at.alpha).sum() + np.abs(self.over * at.weighting).sum())
        return (gap + left) / max(abs(value), float(np.finfo(float).tiny))

    def _step(self, mu: float, *, is_idle: bool) -> bool:
        """Move on; False where that is not possible, such as where a number is zero already by rounding."""
        at, caps = self.point, self.program.caps
        room = caps - at.alpha
        if not (at.alpha.min() > 0 and room.min() > 0 and at.weighting.min() > 0 and at.weighting.max() < 1):
            return False
        towards = (-at.alpha * at.below, -room * at.above, -at.weighting * at.none, -(1 - at.weighting) * at.whole)
        try:
            first, system = self._first(towards)
            length = min(1.0, self._length(first))
            there = self._moved(first, length).complementarity(caps)
            centring = (there / mu) ** 3
            target = centring * mu
            corrected: tuple[Floats, ...] = (
                towards[0] + target - first.alpha * first.below,
                towards[1] + target + first.alpha * first.above,
                towards[2] + target - first.weighting * first.none,
                towards[3] + target + first.weighting * first.whole,
            )
            if is_idle:
                # Corrections may lead around in a circle; a step towards the middle leads out of it.
                corrected, length = tuple(part + _INWARD * mu for part in towards), 0.0
            # What the products of two unknowns add beyond their slopes.
            bent = self.program.signs * ((first.weighting * first.pulls) @ self.program.columns.T)
            slope = self.slope - 2 * length**2 * bent
            over = self.over - length**2 * np.square(first.pulls).sum(axis=0)
            step = system.solve(slope, over, corrected)
        except np.linalg.LinAlgError:
            return False
        length = self._length(step)
        if not length > _LEAST_STEP:
            return False
        self.point = self._moved(step, min(1.0, _SHORT_OF_THE_WALL * length))
        return True

    def _first(self, towards: tuple[Floats, ...]) -> tuple[_Step, _System]:
        """The step straight to the optimum, and the system it came from."""
        try:
            system = self._system(self)
            return system.solve(self.slope, self.over, towards), system
        except np.linalg.LinAlgError:
            if not self.is_by_columns or len(self.program.caps) > _MOST_ROWS:
                raise
        self.is_by_columns = False
        return self._first(towards)

    def _length(self, step: _Step) -> float:
        """How far one may go before the first number is zero."""
        at = self.point
        pairs = [
            (at.alpha, step.alpha), (self.program.caps - at.alpha, -step.alpha), (at.below, step.below),
            (at.above, step.above), (at.weighting, step.weighting), (1 - at.weighting, -step.weighting),
            (at.none, step.none), (at.whole, step.whole),
        ]  # fmt: skip
        least = min(float((change / number).min(initial=0.0)) for number, change in pairs)
        return np.inf if least >= 0 else -1 / least

    def _moved(self, step: _Step, length: float) -> InteriorPoint:
        at = self.point
        return InteriorPoint(
            at.alpha + length * step.alpha, at.below + length * step.below, at.above + length * step.above,
            at.weighting + length * step.weighting, at.none + length * step.none, at.whole + length * step.whole,
            at.offsets + length * step.offsets, at.level + length * step.level,
        )  # fmt: skip


class _System(ABC):
    """What is common to the linear systems of one point."""

    def __init__(self, method: InteriorMethod) -> None:
        at, program = method.point, method.program
        self.method, self.at, self.program = method, at, program
        self.room = program.caps - at.alpha
        self.diagonal = 2 * program.ridges + at.below / at.alpha + at.above / self.room
        self.stiffness = at.none / at.weighting + at.whole / (1 - at.weighting)

    def solve(self, slope: Floats, over: Floats, towards: tuple[Floats, ...]) -> _Step:
        at = self.at
        right = slope + towards[0] / at.alpha - towards[1] / self.room
        lift = -over + towards[2] / at.weighting - towards[3] / (1 - at.weighting)
        alpha, offsets, level = self.unknowns(right, lift)
        pulls = self.program.pulls(alpha)
        weighting = (lift + 2 * (self.method.pulls * pulls).sum(axis=0) - level) / self.stiffness
        none = (towards[2] - at.none * weighting) / at.weighting
        whole = (towards[3] + at.whole * weighting) / (1 - at.weighting)
        below = (towards[0] - at.below * alpha) / at.alpha
        above = (towards[1] + at.above * alpha) / self.room
        return _Step(alpha, below, above, weighting, none, whole, offsets, level, pulls)

    @abstractmethod
    def unknowns(self, right: Floats, lift: Floats) -> tuple[Floats, Floats, float]:
        """How alpha, the offsets and the level change."""


class _Rows(_System):
    """What is left to solve for are the alpha of all machines, with the offsets and the level beside."""

    def __init__(self, method: InteriorMethod) -> None:
        super().__init__(method)
        program, pulls, at = self.program, method.pulls, self.at
        n_machines, n_rows = program.signs.shape
        if n_machines == 1:
            size = at.weighting + 2 * np.square(pulls[0]) / self.stiffness
            self.factor: Factored | Stacked = Factored(
                program.columns, self.diagonal[0], 2 * size, method.is_by_columns
            )
        else:
            self.factor = Stacked(program.columns, self.diagonal, at.weighting, pulls * (2 / np.sqrt(self.stiffness)))
        # The signs of the rows enter through what is solved for.
        self.beside = np.column_stack([np.repeat(np.eye(n_machines), n_rows, axis=0), self._drive(1.0)])
        self.moved = self.factor.solve(self.beside)
        self.small = self.beside.T @ self.moved
        self.small[-1, -1] -= (1 / self.stiffness).sum()

    def _drive(self, lift: Floats | float) -> Floats:
        """How a lift of the columns moves the rows, those of all machines one after another."""
        drive: Floats = 2 * ((self.method.pulls * lift / self.stiffness) @ self.program.columns.T)
        return drive.ravel()

    def unknowns(self, right: Floats, lift: Floats) -> tuple[Floats, Floats, float]:
        method, signs = self.method, self.program.signs
        own = (signs * right).ravel() - self._drive(lift)
        plain = self.factor.solve(own[:, None])[:, 0]
        wanted = self.beside.T @ plain
        wanted += (*method.balance, method.excess + (lift / self.stiffness).sum())
        beside = np.asarray(np.linalg.solve(self.small, wanted), dtype=np.float64)
        beta = plain - self.moved @ beside
        return signs * beta.reshape(signs.shape), beside[:-1], -float(beside[-1])


class _Columns(_System):
    """Machines meet in the weighting alone, which is what is left to solve for."""

    def __init__(self, method: InteriorMethod) -> None:
        super().__init__(method)
        program, pulls, at = self.program, method.pulls, self.at
        n_columns = program.n_columns
        self.parts = []
        joint = np.diag(self.stiffness)
        balances = []
        for k, sign in enumerate(program.signs):
            factor = Factored(program.columns, self.diagonal[k], 2 * at.weighting, method.is_by_columns)
            solved_sign = sign * factor.solve(np.ones((len(sign), 1)))[:, 0]
            small = float(sign @ solved_sign)
            # How the weighting moves a machine's rows, with their balance kept.
            drive = program.columns * pulls[k]
            product = None
            if method.is_by_columns:
                product = driven_product(program.columns, self.diagonal[k], 2 * at.weighting, pulls[k])
            joint += 4 * (factor.product(drive) if product is None else product)
            balances.append(drive.T @ (sign * solved_sign) * (2 / np.sqrt(small)))
            self.parts.append((sign, factor, solved_sign, small, drive))
        joint = blas.dsyrk(-1.0, np.column_stack(balances), 1.0, joint, lower=1)
        factored, info = lapack.dpotrf(joint, lower=1, overwrite_a=1)
        if info != 0:
            raise np.linalg.LinAlgError
        self.joint = factored
        self.ones = lapack.dpotrs(factored, np.ones(n_columns), lower=1)[0]

    def unknowns(self, right: Floats, lift: Floats) -> tuple[Floats, Floats, float]:
        method = self.method
        alpha, offsets = np.empty_like(right), np.empty(len(right))
        plain = []
        pushed = lift.copy()
        for k, (sign, factor, solved_sign, small, drive) in enumerate(self.parts):
            free = sign * factor.solve((sign * right[k])[:, None])[:, 0]
            offset = (float(sign @ free) + method.balance[k]) / small
            free = free - offset * solved_sign
            plain.append((free, offset))
            pushed += 2 * drive.T @ (sign * free)
        moved = lapack.dpotrs(self.joint, pushed, lower=1)[0]
        level = float((moved.sum() + method.excess) / self.ones.sum())
        weighting = moved - level * self.ones
        for k, (sign, factor, solved_sign, small, drive) in enumerate(self.parts):
            force = 2 * (drive @ weighting)
            change = sign * factor.solve(force[:, None])[:, 0]
            offset = float(sign @ change) / small
            alpha[k] = plain[k][0] - (change - offset * solved_sign)
            offsets[k] = plain[k][1] - offset
        return alpha, offsets, level
