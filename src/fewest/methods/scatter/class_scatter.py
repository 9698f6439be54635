"""Criteria on the scatter between and within the classes of each column: Fisher score and correlation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import fdtrc

from fewest.arrays import Floats, Mask
from fewest.errors import InvalidInput, OverflowingColumn
from fewest.objectives import ColumnScores
from fewest.statistics.class_moments import ClassMoments


class ClassScatter:
    """Scatter between and within the classes, over the total weight, of each column; their sum is the variance."""

    def __init__(self, moments: ClassMoments) -> None:
        self.moments = moments
        self.between, self.within, self.total_weight = moments.between_and_within()
        if not (np.isfinite(self.between).all() and np.isfinite(self.within).all()):
            raise OverflowingColumn(int(np.flatnonzero(~np.isfinite(self.between + self.within))[0]))

    @property
    def total(self) -> Floats:
        """The variance of each column."""
        return self.between + self.within

    @property
    def is_observed(self) -> Mask:
        """Which columns hold a value at all."""
        return self.total_weight > 0

    def p_values(self) -> Floats:
        """Return the probability of such a ratio of the scatters in a column without class information.

        F with g - 1 and n - g degrees of freedom, n the total weight and g the classes observed in the column.
        """
        n_classes = np.count_nonzero(self.moments.weight > 0, axis=0)
        free_between, free_within = n_classes - 1.0, self.total_weight - n_classes
        is_testable = (free_between > 0) & (free_within > 0) & (self.between > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = (self.between / free_between) / (self.within / free_within)
            tail = fdtrc(free_between, free_within, ratio)
        # Without scatter within the classes nothing is more separate.
        tail = np.where(np.isposinf(ratio), 0.0, tail)
        return np.where(is_testable, tail, 1.0)


class ScatterScores(ColumnScores):
    """Scores of columns that were computed from their scatter; NaN where nothing was observed."""

    def __init__(self, scores: Floats, scatter: ClassScatter) -> None:
        super().__init__(np.where(scatter.is_observed, scores, np.nan))
        self.scatter = scatter

    def p_values(self) -> Floats:
        """Return the probability of such scatter in a column without class information."""
        return self.scatter.p_values()


@dataclass(frozen=True)
class ScatterRatio:
    """The ratio of the scatter between the classes to that within them: the Fisher score.

    between_f / within_f; infinite where the classes do not vary, 0 where the column is constant.

    Parameters
    ----------
    printed : bool, default=False
        Whether to use |mean_1 - mean_0| / sqrt(var_1 + var_0), as some papers print it, for two classes.

    See Also
    --------
    ClassCorrelation : The share of the variance that the class explains.
    ScatterTrace : The difference instead of the ratio.

    Notes
    -----
    Needs ClassMoments: one pass. Cannot see redundancy, nor features that separate the classes only together. The class
    separability without a kernel of the kernel class separability paper.
    """

    printed: bool = False

    offers: ClassVar[frozenset[str]] = frozenset({"score_features", "p_values"})

    def statistic(self) -> ClassMoments:
        """Return an empty statistic."""
        return ClassMoments()

    def bind(self, moments: ClassMoments) -> ScatterScores:
        """Return the scores on these data."""
        scatter = ClassScatter(moments)
        return ScatterScores(_printed(scatter) if self.printed else _ratio(scatter.between, scatter.within), scatter)


@dataclass(frozen=True)
class ClassCorrelation:
    """The correlation of a feature with the class.

    sqrt(between_f / total_f): with two classes |corr(x, +-1)|, with more the multiple correlation with the indicators
    of the classes. 0 where the column is constant.

    See Also
    --------
    ScatterRatio : The same order of features, without an upper limit.

    Notes
    -----
    Needs ClassMoments: one pass. Cannot see redundancy, nor features that separate the classes only together.
    """

    offers: ClassVar[frozenset[str]] = frozenset({"score_features", "p_values"})

    def statistic(self) -> ClassMoments:
        """Return an empty statistic."""
        return ClassMoments()

    def bind(self, moments: ClassMoments) -> ScatterScores:
        """Return the scores on these data."""
        scatter = ClassScatter(moments)
        return ScatterScores(np.sqrt(_ratio(scatter.between, scatter.total)), scatter)


def _printed(scatter: ClassScatter) -> Floats:
    moments = scatter.moments
    present = np.flatnonzero(moments.class_counts > 0)
    if len(present) != 2:
        raise InvalidInput(
            f"FisherScore(printed=True) is defined for two classes, and there are {len(present)}. Use printed=False."
        )
    weight, class_scatter = moments.weight[present], moments.scatter[present]
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = np.nan_to_num(class_scatter / weight).sum(axis=0)
        shares = weight / weight.sum(axis=0)
        # between = share_0 * share_1 * difference^2: the difference without the digits lost to an offset.
        squared_difference = scatter.between / shares.prod(axis=0)
    squared_difference = np.nan_to_num(squared_difference, posinf=0.0)
    return np.sqrt(_ratio(squared_difference, variance))


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Return the ratio, where x/0 is infinite and 0/0 is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(numerator > 0, numerator / denominator, 0.0)
