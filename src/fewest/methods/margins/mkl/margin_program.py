"""The program behind a margin: machines that share a weighting of the columns, and what bounds their optimum."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from fewest.arrays import Floats, Indices


@dataclass(frozen=True)
class MarginProgram:
    """Minimise over weightings p of the columns, 0 <= p <= 1 and sum p = size,

    w(p) = sum over machines k of max over alpha_k of 2 sum_n alpha_kn - sum_n ridge_n alpha_kn^2 - sum_i p_i u_ki^2,

    where u_ki = sum_n alpha_kn y_kn x_ni is the pull of the rows at a column, 0 <= alpha_kn <= cap_n and
    sum_n alpha_kn y_kn = 0. A row of weight c has a cap of c C and a ridge of tau / c: its c copies together.

    columns : rows by columns
    signs : machines by rows, 1 or -1; one machine for two classes, one for each class against the rest for more
    caps, ridges : one number a row
    """

    columns: Floats
    signs: Floats
    caps: Floats
    ridges: Floats

    @property
    def n_columns(self) -> int:
        return int(self.columns.shape[1])

    def only(self, columns: Indices) -> Self:
        """The same rows with these columns alone."""
        return replace(self, columns=np.asfortranarray(self.columns[:, columns]))

    def pulls(self, alpha: Floats) -> Floats:
        """Machines by columns: how strongly the rows pull at each column."""
        pulls: Floats = (alpha * self.signs) @ self.columns
        return pulls

    def lower(self, alpha: Floats, pulls: Floats, size: int) -> float:
        """No weighting has a lower w: what alpha reaches against the columns at which it pulls most."""
        squares = np.square(pulls).sum(axis=0)
        most = squares if size >= len(squares) else np.sort(squares)[len(squares) - size :]
        return float(2 * alpha.sum() - (self.ridges * np.square(alpha)).sum() - most.sum())

    def upper(self, weighting: Floats, pulls: Floats, offsets: Floats) -> float:
        """w is no higher for this weighting: the loss of the machines with weights p u and these offsets."""
        taken = np.flatnonzero(weighting)
        columns = self.columns if 2 * len(taken) > len(weighting) else self.columns[:, taken]
        weights = (weighting * pulls)[:, taken] if columns is not self.columns else weighting * pulls
        scores = weights @ columns.T + offsets[:, None]
        return float((weighting * np.square(pulls)).sum() + 2 * self.losses(1 - self.signs * scores).sum())

    def losses(self, shortfalls: Floats) -> Floats:
        """What falling short of the margin costs: a square at first, and from ridge * cap on a straight line."""
        alpha = np.clip(shortfalls / self.ridges, 0.0, self.caps)
        losses: Floats = alpha * (shortfalls - 0.5 * self.ridges * alpha)
        return losses


@dataclass(frozen=True)
class Relaxed:
    """The best weighting of the columns that may also take parts of them.

    weighting : p, one number a column from 0 to 1
    alpha : machines by rows
    offsets : one a machine
    pulls : machines by columns, u; the machines' weights are v = p u
    bound : no weighting, and so no set of as many columns, has a lower w
    value : w is no higher for this weighting
    """

    weighting: Floats
    alpha: Floats
    offsets: Floats
    pulls: Floats
    bound: float
    value: float

    @property
    def gap(self) -> float:
        """How far the value may be from the least, as a share of it."""
        return max(self.value - self.bound, 0.0) / max(abs(self.value), float(np.finfo(float).tiny))

    @property
    def weights(self) -> Floats:
        """Machines by columns: v = p u."""
        return self.weighting * self.pulls


def relaxed(program: MarginProgram, size: int, weighting: Floats, alpha: Floats, offsets: Floats) -> Relaxed:
    """An answer with what it proves. Where the alpha of the two signs differ in sum, by rounding or more, those of the
    larger sum are shortened: only then is the bound one."""
    positive, negative = (np.where(sign * program.signs > 0, alpha, 0.0).sum(axis=1) for sign in (1, -1))
    least = np.minimum(positive, negative)
    up, down = (np.divide(least, total, out=np.ones_like(total), where=total > 0) for total in (positive, negative))
    alpha = alpha * np.where(program.signs > 0, up[:, None], down[:, None])
    pulls = program.pulls(alpha)
    bound, value = program.lower(alpha, pulls, size), program.upper(weighting, pulls, offsets)
    return Relaxed(weighting, alpha, offsets, pulls, bound, value)


def even_pull(program: MarginProgram, size: int) -> Floats:
    """An alpha to begin with, strictly inside: every row pulls as its class does as a whole, as strongly as is best."""
    positive = np.where(program.signs > 0, program.caps, 0.0)
    negative = np.where(program.signs < 0, program.caps, 0.0)
    shape = positive / positive.sum(axis=1, keepdims=True) + negative / negative.sum(axis=1, keepdims=True)
    squares = np.square(program.pulls(shape)).sum(axis=0)
    most = np.sort(squares)[len(squares) - min(size, len(squares)) :]
    curvature = (program.ridges * np.square(shape)).sum() + most.sum()
    alpha: Floats = shape * min(shape.sum() / curvature, 0.5 * float((program.caps / shape).min()))
    return alpha
