"""What the criteria on class moments share: an objective over scatter between and within the classes."""

from __future__ import annotations

import numpy as np
from scipy.special import fdtrc

from fewest.arrays import Floats, Mask
from fewest.errors import OverflowingColumn
from fewest.statistics.class_moments import ClassMoments


class ScatterObjective:
    """Scores of features, and how likely such scatter is where the classes do not differ.

    between, within : scatter over the total weight, per column; their sum is the total variance
    is_additive : a subset is worth the sum of its features' scores
    """

    def __init__(self, moments: ClassMoments, is_additive: bool) -> None:
        self.moments = moments
        self.is_additive = is_additive
        self.between, self.within, self.total_weight = moments.between_and_within()
        if not (np.isfinite(self.between).all() and np.isfinite(self.within).all()):
            column = int(np.flatnonzero(~np.isfinite(self.between + self.within))[0])
            raise OverflowingColumn(column)
        self.scores: Floats = np.zeros(0)

    @property
    def total(self) -> Floats:
        return self.between + self.within

    @property
    def is_observed(self) -> Mask:
        return self.total_weight > 0

    def score_features(self) -> Floats:
        """One score a column, higher is better; NaN where nothing was observed."""
        return self.scores

    def p_values(self) -> Floats:
        """The chance of so large a ratio of between to within scatter in a column without class information.

        F with g - 1 and n - g degrees of freedom, n the total weight and g the classes observed in the column.
        """
        n_classes = np.count_nonzero(self.moments.weight > 0, axis=0)
        free_between, free_within = n_classes - 1.0, self.total_weight - n_classes
        is_testable = (free_between > 0) & (free_within > 0) & (self.between > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = (self.between / free_between) / (self.within / free_within)
            tail = fdtrc(free_between, free_within, ratio)
        # No scatter within the classes at all: nothing is more separate.
        tail = np.where(np.isposinf(ratio), 0.0, tail)
        return np.where(is_testable, tail, 1.0)
