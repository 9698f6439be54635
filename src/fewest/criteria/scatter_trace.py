"""How far apart a feature holds the classes, less how much it varies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewest.criteria.scatter import Floats, ScatterObjective
from fewest.errors import InvalidParameter
from fewest.statistics import ClassMoments

SCALES = ("std", "range", "symmetric", None)


@dataclass(frozen=True)
class ScatterTrace:
    """How far apart a feature holds the classes, less how much it varies at all.

    theta_f = between_f - gamma * total_f, summed over the chosen features. With x scaled by s it is divided by
    s squared, so scaling needs no second read: "std" makes the total variance 1, "range" the range [0, 1],
    "symmetric" the range [-1, 1], None leaves the data as they are.

    Under "std" theta_f = R_f^2 - gamma: gamma moves every score alike and the order is that of ANOVA's F.

    Needs ClassMoments: one read, four numbers a class and column.
    Blind to redundancy (a copied column scores as well as the original) and to what features say together.
    Fisher-Markov selector, Eq. 19 (gamma there is gamma here).
    """

    gamma: float = 0.0
    scale: str | None = "std"

    offers: ClassVar[frozenset[str]] = frozenset({"score_features", "p_values"})

    def __post_init__(self) -> None:
        if not np.isfinite(self.gamma):
            raise InvalidParameter(f"gamma must be a finite number, got {self.gamma!r} instead.")
        if self.scale not in SCALES:
            raise InvalidParameter(f"scale must be one of {', '.join(map(repr, SCALES))}, got {self.scale!r} instead.")

    def statistic(self) -> ClassMoments:
        return ClassMoments()

    def bind(self, moments: ClassMoments) -> ScatterObjective:
        objective = ScatterObjective(moments, is_additive=True)
        theta = objective.between - self.gamma * objective.total
        spread = self._squared_scale(objective)
        with np.errstate(divide="ignore", invalid="ignore"):
            # A constant column has no scale; centred it is zero, and so is its theta.
            theta = np.where(spread > 0, theta / spread, 0.0)
        objective.scores = np.where(objective.is_observed, theta, np.nan)
        return objective

    def _squared_scale(self, objective: ScatterObjective) -> Floats:
        if self.scale == "std":
            return objective.total
        if self.scale is None:
            return np.ones_like(objective.total)
        moments = objective.moments
        extent = np.where(objective.is_observed, moments.highest, 0.0) - np.where(
            objective.is_observed, moments.lowest, 0.0
        )
        return np.square(extent if self.scale == "range" else extent / 2)
