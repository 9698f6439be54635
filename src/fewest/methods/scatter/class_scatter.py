"""Criteria on the scatter between and within the classes: Fisher-Markov, Fisher score and correlation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from scipy.special import chdtrc, fdtrc

from fewest.arrays import Floats, Indices, Mask
from fewest.errors import InvalidInput, InvalidParameter, OverflowingColumn
from fewest.methods.scatter.pair_moments import PairMoments
from fewest.methods.scatter.pair_trace import PairObjective, check_pair_columns
from fewest.methods.scatter.permuted_scatter import PermutedScatter, ScoresByScatter
from fewest.methods.scatter.triple_trace import KERNELS, CubicObjective, check_cubic_columns, cubic_objective
from fewest.objectives import ColumnScores, column_indices
from fewest.objectives.grouped_columns import ColumnGroups
from fewest.parameters import check_choice, check_flag, check_not_negative, check_number
from fewest.statistics.class_moments import ClassMoments, check_scale, origin_and_unit, origin_of
from fewest.statistics.rows import Rows


class ClassScatter:
    """Scatter between and within the classes, over the total weight, of each feature; total is the variance.

    That of a column of text is the sum of those of its indicators: the trace of their scatter.

    groups : which columns are one feature; None where each is
    """

    def __init__(self, moments: ClassMoments, *, is_grouped: bool = True) -> None:
        self.moments = moments
        between, within, total_weight = moments.between_and_within()
        if not (np.isfinite(between).all() and np.isfinite(within).all()):
            raise OverflowingColumn(int(np.flatnonzero(~np.isfinite(between + within))[0]))
        is_grouped = is_grouped and moments.feature_of is not None
        self.groups = ColumnGroups(moments.feature_of) if is_grouped and moments.feature_of is not None else None
        self.between, self.within = self.sums(between), self.sums(within)
        self.total_weight = self.firsts(total_weight)
        self.total = self.between + self.within

    def sums(self, of_columns: Floats) -> Floats:
        """Return the sums over the columns of each feature."""
        return of_columns if self.groups is None else self.groups.combine(of_columns, "sum")

    def firsts(self, of_columns: Floats) -> Floats:
        """Return the number of each feature's first column."""
        return of_columns if self.groups is None else of_columns[..., self.groups.firsts]


class ScatterScores(ColumnScores):
    """Scores of columns that were computed from their scatter; NaN where nothing was observed.

    test : the name of the test that p_values() makes
    """

    test: ClassVar[str] = "F test"

    def __init__(self, scores: Floats, scatter: ClassScatter) -> None:
        super().__init__(np.where(scatter.total_weight > 0, scores, np.nan))
        self.scatter = scatter

    def p_values(self) -> Floats:
        """Return the probability of such a ratio of the scatters in a column without class information.

        F with g - 1 and n - g degrees of freedom, n the total weight and g the classes observed in the column.
        """
        between, within, weight = self.scatter.between, self.scatter.within, self.scatter.total_weight
        n_classes = np.count_nonzero(self.scatter.firsts(self.scatter.moments.weight) > 0, axis=0)
        free_between, free_within = n_classes - 1.0, weight - n_classes
        is_testable = (free_between > 0) & (free_within > 0) & (between > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = (between / free_between) / (within / free_within)
            tail = fdtrc(free_between, free_within, ratio)
        # Without scatter within the classes nothing is more separate.
        tail = np.where(np.isposinf(ratio), 0.0, tail)
        tail = np.where(is_testable, tail, 1.0)
        if self.scatter.groups is not None:
            tail = self._p_values_of_text(tail, self.scatter.groups, n_classes)
        return self._p_values_of_features(tail)

    def _p_values_of_text(self, tail: Floats, groups: ColumnGroups, n_classes: Indices) -> Floats:
        """Return the same with the test of Light and Margolin for the features of several indicators.

        (n - 1) (categories - 1) between / total is about chi-square with (categories - 1) (classes - 1) degrees.
        """
        scatter, moments = self.scatter, self.scatter.moments
        shares = groups.sums((moments.weight * moments.mean).sum(axis=0)) / np.maximum(scatter.total_weight, 1)
        # Without a missing value one of the indicators is what the others leave.
        n_free = groups.sizes - (shares > 1 - 1e-9)
        share = np.divide(scatter.between, scatter.total, out=np.zeros(len(tail)), where=scatter.total > 0)
        statistic = (scatter.total_weight - 1) * n_free * share
        return np.where(groups.sizes > 1, chdtrc(np.maximum(n_free * (n_classes - 1), 1), statistic), tail)


class TraceScores(ScatterScores):
    """theta of each column; the value of a subset is their sum."""

    is_additive = True

    def __init__(self, scores: Floats, scatter: ClassScatter) -> None:
        super().__init__(scores, scatter)
        self.combines = "sum"

    def score_subset(self, subset: Sequence[int]) -> float:
        """Return the sum of the columns' theta; a column never observed counts as 0."""
        return float(np.nansum(self.scores[column_indices(subset, self.n_columns)]))

    @property
    def is_observed(self) -> Mask:
        """Which columns hold a value."""
        return ~np.isnan(self.scores)

    @property
    def is_monotone(self) -> bool:
        """Whether no column lowers the value of a subset."""
        return not np.nanmin(self.scores, initial=0.0) < 0


@dataclass(frozen=True)
class ScatterTrace(ScoresByScatter):
    """Scatter between the classes less gamma times the total scatter, of features and of products of them.

    The objective of FisherMarkov, which has its formula, without beta: the kernel s with degree 1, s + w s^2/2 with
    degree 2 and w = pair_weight, s + s^2 + s^3/3 with degree 3.

    Parameters
    ----------
    gamma : float, default=0.0
        The weight of the total scatter.
    scale : {"std", "range", "symmetric"} or None, default="std"
        Divide by the standard deviation, map to [0, 1] or to [-1, 1], or leave the data as they are. theta_j does not
        depend on a column's origin; products do. A constant column counts as zero.
    degree : {1, 2, 3}, default=1
        The degree of the kernel.
    kernel : {"inhomogeneous", "homogeneous"}, default="inhomogeneous"
        "homogeneous" leaves out all terms but those of the highest degree.
    pair_weight : float, default=1.0
        The weight w of pairs, with degree 2.

    See Also
    --------
    FisherMarkov : The selector.
    ScatterRatio : The ratio of the scatters instead of their difference.
    MinimumCut : The search that is exact for degree 2.

    Notes
    -----
    Under "std" theta_j = R_j^2 - gamma: the order is that of ANOVA's F. Degree 1 needs ClassMoments, four numbers a
    class and column; degree 2 PairMoments, a table of columns by columns a class; degree 3 keeps at most 60 columns of
    rows. All read the data once. Cannot see redundancy, nor degree 1 features that separate the classes only together.

    References
    ----------
    Cheng, Zhou and Cheng (2011), The Fisher-Markov selector, Eqs. 19 and 29 (gamma there is gamma here),
    https://doi.org/10.1109/TPAMI.2010.195

    Examples
    --------
    >>> from fewest import FeatureSelector, MinimumCut, ScatterTrace, scan
    >>> chosen = FeatureSelector(ScatterTrace(degree=2), MinimumCut(), n_features=2).fit(scan("iris")).selection_
    >>> chosen.features, chosen.is_optimal
    (('petal length (cm)', 'petal width (cm)'), True)
    """

    gamma: float = 0.0
    scale: str | None = "std"
    degree: int = 1
    kernel: str = "inhomogeneous"
    pair_weight: float = 1.0

    def __post_init__(self) -> None:
        check_number("gamma", self.gamma)
        check_scale(self.scale)
        if self.degree not in (1, 2, 3) or isinstance(self.degree, bool):
            raise InvalidParameter(f"degree must be 1, 2 or 3, got {self.degree!r} instead.")
        check_choice("kernel", self.kernel, KERNELS)
        check_not_negative("pair_weight", self.pair_weight)
        if self.degree != 2 and self.pair_weight != 1.0:
            raise InvalidParameter(
                f"pair_weight belongs to degree=2, and degree is {self.degree}. Leave it at 1, or set degree=2."
            )

    @property
    def offers(self) -> frozenset[str]:
        """The methods of the objective that a search may use."""
        return {
            1: frozenset({"n_columns", "score_features", "p_values", "score_subset"}),
            2: frozenset({"n_columns", "score_features", "score_pairs", "score_subset"}),
            3: frozenset({"n_columns", "score_features", "score_pairs", "score_triples", "score_subset"}),
        }[self.degree]

    def check_columns(self, n_columns: int, n_statistics: int = 1) -> None:
        """Raise, before any data are read, where there are more columns than this can handle."""
        if self.degree == 2:
            check_pair_columns(n_columns, n_statistics, self.gamma != 0)
        elif self.degree == 3:
            check_cubic_columns(n_columns)

    def statistic(self) -> ClassMoments | PairMoments | Rows:
        """Return an empty statistic of the kind that the degree needs."""
        if self.degree == 1:
            return ClassMoments()
        if self.degree == 3:
            return Rows()
        return PairMoments(with_total=self.gamma != 0, origin=partial(origin_of, scale=self.scale))

    def bind(self, statistic: ClassMoments | PairMoments | Rows) -> TraceScores | PairObjective | CubicObjective:
        """Return the objective on these data."""
        if isinstance(statistic, Rows):
            return cubic_objective(statistic, self.gamma, self.scale, self.kernel)
        if isinstance(statistic, ClassMoments):
            return self._bind_columns(statistic)
        theta = self._bind_columns(statistic.moments, is_grouped=False).scores
        return PairObjective(theta, statistic, self.gamma, self.scale, self.pair_weight, self.kernel)

    def _bind_columns(self, moments: ClassMoments, *, is_grouped: bool = True) -> TraceScores:
        scatter = ClassScatter(moments, is_grouped=is_grouped)
        theta = scatter.between - self.gamma * scatter.total
        unit = np.square(scatter.firsts(origin_and_unit(moments, self.scale)[1]))
        with np.errstate(divide="ignore", invalid="ignore"):
            # A constant column has no unit; centred it is zero, and so is its theta.
            return TraceScores(np.where(unit > 0, theta / unit, 0.0), scatter)


@dataclass(frozen=True)
class ScatterRatio(ScoresByScatter):
    """The ratio of the scatter between the classes to that within them: the Fisher score.

    between_f / within_f; infinite where the classes do not vary, 0 where the column is constant.

    Parameters
    ----------
    printed : bool, default=False
        Whether to use |mean_1 - mean_0| / sqrt(var_1 + var_0), as some papers print it, for two classes.

    See Also
    --------
    fewest.FisherScore : The selector with this criterion, and its reference.
    ClassCorrelation : The share of the variance that the class explains.
    ScatterTrace : The difference instead of the ratio.

    Notes
    -----
    Needs ClassMoments: one pass. Cannot see redundancy, nor features that separate the classes only together. The class
    separability without a kernel of the kernel class separability paper.

    Examples
    --------
    >>> from fewest import FeatureSelector, IndividualRanking, ScatterRatio, scan
    >>> FeatureSelector(ScatterRatio(), IndividualRanking(), n_features=3).fit(scan("wine")).selection_.features
    ('flavanoids', 'proline', 'od280/od315_of_diluted_wines')
    """

    printed: bool = False

    offers: ClassVar[frozenset[str]] = frozenset({"score_features", "p_values"})

    def __post_init__(self) -> None:
        check_flag("printed", self.printed)

    def statistic(self) -> ClassMoments:
        """Return an empty statistic."""
        return ClassMoments()

    def permutation_scorer(self, rows: Rows) -> PermutedScatter | None:
        """Return what scores columns under permuted labels; the printed form has another order, and has none."""
        return None if self.printed else super().permutation_scorer(rows)

    def bind(self, moments: ClassMoments) -> ScatterScores:
        """Return the scores on these data."""
        scatter = ClassScatter(moments)
        return ScatterScores(_printed(scatter) if self.printed else _ratio(scatter.between, scatter.within), scatter)


@dataclass(frozen=True)
class ClassCorrelation(ScoresByScatter):
    """The correlation of a feature with the class.

    sqrt(between_f / total_f): with two classes |corr(x, +-1)|, with more the multiple correlation with the indicators
    of the classes. 0 where the column is constant.

    See Also
    --------
    fewest.PearsonCorrelation : The selector with this criterion, and its reference.
    ScatterRatio : The same order of features, without an upper limit.

    Notes
    -----
    Needs ClassMoments: one pass. Cannot see redundancy, nor features that separate the classes only together.

    Examples
    --------
    >>> from fewest import ClassCorrelation, FeatureSelector, IndividualRanking, scan
    >>> FeatureSelector(ClassCorrelation(), IndividualRanking(), n_features=3).fit(scan("wine")).selection_.features
    ('flavanoids', 'proline', 'od280/od315_of_diluted_wines')
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
        variance = scatter.sums(np.nan_to_num(class_scatter / weight).sum(axis=0))
        shares = scatter.firsts(weight / weight.sum(axis=0))
        # between = share_0 * share_1 * difference^2: the difference without the digits lost to an offset.
        squared_difference = scatter.between / shares.prod(axis=0)
    squared_difference = np.nan_to_num(squared_difference, posinf=0.0)
    return np.sqrt(_ratio(squared_difference, variance))


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Return the ratio, where x/0 is infinite and 0/0 is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(numerator > 0, numerator / denominator, 0.0)
