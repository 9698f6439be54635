"""The criterion of the Fisher-Markov selector."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from fewest.errors import InvalidParameter
from fewest.methods.scatter.class_scatter import ClassScatter, ScatterScores
from fewest.methods.scatter.pair_moments import PairMoments
from fewest.methods.scatter.pair_trace import PairObjective, check_pair_columns
from fewest.methods.scatter.triple_trace import KERNELS, CubicObjective, check_cubic_columns, cubic_objective
from fewest.parameters import check_choice, check_not_negative, check_number
from fewest.statistics.class_moments import ClassMoments, check_scale, origin_and_unit, origin_of
from fewest.statistics.rows import Rows


class TraceScores(ScatterScores):
    """theta of each column; the value of a subset is their sum."""

    is_additive = True


@dataclass(frozen=True)
class ScatterTrace:
    """Scatter between the classes less gamma times the total scatter, of features and of products of them.

    T(z) = between - gamma * total of a column z; theta_j = T(x_j), theta_jl = T(x_j x_l) of scaled columns. With
    w = pair_weight the value of a subset is

    - degree 1: the sum of theta_j,
    - degree 2: the sum of theta_j + w theta_jj / 2 and of w theta_jl over its pairs: the kernel s + w s^2/2,
    - degree 3: the same for the kernel s + s^2 + s^3/3; for at most 60 columns.

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
    ScatterRatio : The ratio of the scatters instead of their difference.
    MinimumCut : The search that is exact for degree 2.

    Notes
    -----
    Under "std" theta_j = R_j^2 - gamma: gamma moves every score alike; the order is that of ANOVA's F. Degree 1 needs
    ClassMoments, four numbers a class and column; degree 2 PairMoments, a table of columns by columns a class; degree 3
    keeps the rows. All of them read the data once. Cannot see redundancy: a copied column has the value of the
    original; degree 1 cannot see features that separate the classes only together.

    References
    ----------
    Cheng, Zhou and Cheng (2011), The Fisher-Markov selector, Eqs. 19 and 29 (gamma there is gamma here),
    https://doi.org/10.1109/TPAMI.2010.195
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
            1: frozenset({"score_features", "p_values"}),
            2: frozenset({"score_features", "score_pairs", "score_subset"}),
            3: frozenset({"score_features", "score_pairs", "score_triples", "score_subset"}),
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
        theta = self._bind_columns(statistic.moments).scores
        is_homogeneous = self.kernel == "homogeneous"
        return PairObjective(theta, statistic, self.gamma, self.scale, self.pair_weight, is_homogeneous)

    def _bind_columns(self, moments: ClassMoments) -> TraceScores:
        scatter = ClassScatter(moments)
        theta = scatter.between - self.gamma * scatter.total
        unit = np.square(origin_and_unit(moments, self.scale)[1])
        with np.errstate(divide="ignore", invalid="ignore"):
            # A constant column has no unit; centred it is zero, and so is its theta.
            return TraceScores(np.where(unit > 0, theta / unit, 0.0), scatter)
