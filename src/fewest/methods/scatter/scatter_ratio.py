"""How far apart a feature holds the classes, against how wide each class is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewest.arrays import Floats
from fewest.errors import InvalidInput
from fewest.methods.scatter.scatter_objective import ScatterObjective
from fewest.statistics.class_moments import ClassMoments


@dataclass(frozen=True)
class ScatterRatio:
    """How far apart a feature holds the classes, against how wide each class is.

    between_f / within_f; infinite where the classes have no width, 0 where the column is constant.
    printed=True, two classes: |mean_1 - mean_0| / sqrt(var_1 + var_0), as some papers print it.

    Needs ClassMoments: one read. Blind to redundancy and to what features say together.
    The Fisher score; the class separability without a kernel of the kernel class separability paper.
    """

    printed: bool = False

    offers: ClassVar[frozenset[str]] = frozenset({"score_features", "p_values"})

    def statistic(self) -> ClassMoments:
        return ClassMoments()

    def bind(self, moments: ClassMoments) -> ScatterObjective:
        objective = ScatterObjective(moments, is_additive=False)
        ratio = self._printed(objective) if self.printed else _ratio(objective.between, objective.within)
        objective.scores = np.where(objective.is_observed, ratio, np.nan)
        return objective

    def _printed(self, objective: ScatterObjective) -> Floats:
        moments = objective.moments
        present = np.flatnonzero(moments.class_counts > 0)
        if len(present) != 2:
            raise InvalidInput(
                f"FisherScore(printed=True) is defined for two classes, and there are {len(present)}. "
                "Use printed=False."
            )
        weight, scatter = moments.weight[present], moments.scatter[present]
        with np.errstate(divide="ignore", invalid="ignore"):
            variance = np.nan_to_num(scatter / weight).sum(axis=0)
            shares = weight / weight.sum(axis=0)
            # between = share_0 * share_1 * difference^2: the difference without the digits lost to an offset.
            squared_difference = objective.between / shares.prod(axis=0)
        squared_difference = np.nan_to_num(squared_difference, posinf=0.0)
        return np.sqrt(_ratio(squared_difference, variance))


def _ratio(above: Floats, below: Floats) -> Floats:
    """above / below, where x/0 is infinite and 0/0 is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(above > 0, above / below, 0.0)
