"""The smallest ball around rows and the widest margins between their classes, in the space of a kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fewest._core import solve_quadratic_programs
from fewest.arrays import Codes, Floats
from fewest.errors import InvalidInput
from fewest.threads import thread_count


@dataclass(frozen=True)
class RadiusMargin:
    """What the quadratic programs of one kernel say.

    radius : the squared radius R^2 of the smallest ball around the rows
    margins : for each class against the rest, ||w||^2 = 1 / (half the margin)^2
    in_ball : the share b of each row in the centre of the ball
    in_margins : by class and row, a_i s_i: the multiplier of a row, with the sign of its side
    """

    radius: float
    margins: Floats
    in_ball: Floats
    in_margins: Floats

    @property
    def bound(self) -> float:
        """R^2 ||w||^2, summed over the classes against the rest."""
        return self.radius * float(self.margins.sum())


class RadiusMargins:
    """Solves the two quadratic programs of one kernel after another, each from where the last one ended.

    Every class stands against the rest; of two classes, one against the other is enough. The kernel has 1 / (C times
    the weight of the row) added to its diagonal: a margin that rows may break at a cost (L2).
    """

    def __init__(self, codes: Codes, weights: Floats) -> None:
        n_classes = int(codes.max(initial=0)) + 1
        sides = range(0 if n_classes < 2 else 1 if n_classes == 2 else n_classes)
        signs = [np.where(codes == side, 1.0, -1.0) for side in sides]
        self.weights = weights
        self._signs = np.array([*signs, np.ones(len(codes))])
        self._gains = np.ones_like(self._signs)
        self._totals = np.array([0.0] * len(signs) + [1.0])
        self._x = np.zeros_like(self._signs)
        self._offsets = np.zeros(len(self._signs))

    def of_nothing(self) -> float:
        """The bound where the kernel tells no row from another, whatever C is."""
        total = float(self.weights.sum())
        ahead = (self._signs[:-1] > 0) @ self.weights
        return float((4 * ahead * (total - ahead)).sum()) / total * (1 - 1 / total)

    def copy(self) -> RadiusMargins:
        """Another that goes on from here by itself."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, _x=self._x.copy(), _offsets=self._offsets.copy())
        other._gains = self._gains.copy()
        return other

    def solve(self, kernel: Floats, C: float) -> RadiusMargin:
        ridge = 1 / (C * self.weights)
        diagonal = kernel.diagonal()
        self._gains[-1] = diagonal / 2
        if not self._solved(kernel, ridge) and not self._solved_in_stages(kernel, ridge):
            raise InvalidInput(
                f"The margin between the classes has no digits left at C = {C:g}. Give a smaller C, or scale the "
                "columns."
            )
        in_ball, in_margins = self._x[-1].copy(), self._x[:-1] * self._signs[:-1]
        inside = in_ball @ kernel @ in_ball + ridge @ np.square(in_ball)
        radius = float(in_ball @ diagonal + 1 / C - inside)
        return RadiusMargin(radius, self._x[:-1].sum(axis=1), in_ball, in_margins)

    def _solved(self, kernel: Floats, ridge: Floats) -> bool:
        """Whether all programs are solved, from where the last ones ended."""
        n_steps = np.zeros(len(self._signs), dtype=np.int64)
        offsets = self._offsets.copy()
        solve_quadratic_programs(
            kernel, ridge, self._signs, self._gains, self._totals, self._x, offsets, n_steps, thread_count()
        )
        self._offsets = np.where(n_steps > 0, offsets, self._offsets)
        return bool(n_steps.all())

    def _solved_in_stages(self, kernel: Floats, ridge: Floats) -> bool:
        """The same where digits are too few to come from afar: from softer margins, which are easier, to harder."""
        self._x[:] = self._offsets[:] = 0.0
        for softer in (1e8, 1e6, 1e4, 1e2):
            self._solved(kernel, softer * ridge)
        return self._solved(kernel, ridge)

    def slope_in_ridge(self, found: RadiusMargin) -> float:
        """What the bound gains when 1/C grows."""
        of_radius = 1 - float((np.square(found.in_ball) / self.weights).sum())
        of_margins = -float((np.square(found.in_margins) / self.weights).sum())
        return of_radius * float(found.margins.sum()) + found.radius * of_margins
