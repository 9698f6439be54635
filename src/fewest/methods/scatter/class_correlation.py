"""How much of a feature's variation the class explains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewest.methods.scatter.scatter_objective import ScatterObjective
from fewest.statistics.class_moments import ClassMoments


@dataclass(frozen=True)
class ClassCorrelation:
    """How much of a feature's variation the class explains, as a correlation.

    sqrt(between_f / total_f): with two classes |corr(x, +-1)|, with more the multiple correlation with the
    classes' indicators. 0 where the column is constant.

    Needs ClassMoments: one read. Blind to redundancy and to what features say together.
    """

    offers: ClassVar[frozenset[str]] = frozenset({"score_features", "p_values"})

    def statistic(self) -> ClassMoments:
        return ClassMoments()

    def bind(self, moments: ClassMoments) -> ScatterObjective:
        objective = ScatterObjective(moments, is_additive=False)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(objective.between > 0, objective.between / objective.total, 0.0)
        objective.scores = np.where(objective.is_observed, np.sqrt(share), np.nan)
        return objective
