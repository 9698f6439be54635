"""How far apart features, and products of them, hold the classes, less how much they vary."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from fewest.errors import InvalidParameter
from fewest.methods.scatter.pair_moments import PairMoments
from fewest.methods.scatter.pair_trace import PairObjective, check_pair_columns
from fewest.methods.scatter.scatter_objective import ScatterObjective
from fewest.methods.scatter.triple_trace import check_cubic_columns, cubic_objective
from fewest.parameters import check_choice, check_not_negative, check_number
from fewest.statistics.class_moments import ClassMoments
from fewest.statistics.rows import Rows
from fewest.statistics.scaling import check_scale, origin_and_unit, origin_of

KERNELS = ("inhomogeneous", "homogeneous")


@dataclass(frozen=True)
class ScatterTrace:
    """How far apart features hold the classes, less how much they vary at all.

    T(z) = between - gamma * total of a column z; theta_j = T(x_j), theta_jl = T(x_j x_l) of scaled columns. A subset is
    worth, with w = pair_weight,

    degree 1 : the sum of theta_j
    degree 2 : the sum of theta_j + w theta_jj / 2 and of w theta_jl over its pairs: the kernel s + w s^2/2;
        "homogeneous" leaves out theta_j
    degree 3 : the same for the kernel s + s^2 + s^3/3, or s^3/3: for at most 60 columns

    scale : "std" divides by the standard deviation, "range" maps to [0, 1], "symmetric" to [-1, 1], None leaves the
        data as they are. theta_j does not depend on where a column's zero lies; products do. A constant column counts
        as zero.

    Under "std" theta_j = R_j^2 - gamma: gamma moves every score alike and the order is that of ANOVA's F.

    Degree 1 needs ClassMoments: four numbers a class and column. Degree 2 needs PairMoments: a table of columns by
    columns a class. Degree 3 keeps the rows. All of them read the data once.
    Blind to redundancy (a copied column is worth as much as the original); degree 1 also to what features say together.
    Fisher-Markov selector, Eqs. 19 and 29 (gamma there is gamma here).
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
        return {
            1: frozenset({"score_features", "p_values"}),
            2: frozenset({"score_features", "score_pairs", "score_subset"}),
            3: frozenset({"score_features", "score_pairs", "score_triples", "score_subset"}),
        }[self.degree]

    def check_columns(self, n_columns: int, n_statistics: int = 1) -> None:
        """Raise, before any data are read, where so many columns are more than this can handle."""
        if self.degree == 2:
            check_pair_columns(n_columns, n_statistics, self.gamma != 0)
        elif self.degree == 3:
            check_cubic_columns(n_columns)

    def statistic(self) -> Any:
        if self.degree == 1:
            return ClassMoments()
        if self.degree == 3:
            return Rows()
        return PairMoments(with_total=self.gamma != 0, origin=partial(origin_of, scale=self.scale))

    def bind(self, statistic: Any) -> Any:
        if self.degree == 3:
            return cubic_objective(statistic, self.gamma, self.scale, self.kernel)
        moments = statistic if self.degree == 1 else statistic.moments
        objective = self._bind_columns(moments)
        if self.degree == 1:
            return objective
        is_homogeneous = self.kernel == "homogeneous"
        return PairObjective(objective.scores, statistic, self.gamma, self.scale, self.pair_weight, is_homogeneous)

    def _bind_columns(self, moments: ClassMoments) -> ScatterObjective:
        objective = ScatterObjective(moments, is_additive=True)
        theta = objective.between - self.gamma * objective.total
        unit = np.square(origin_and_unit(moments, self.scale)[1])
        with np.errstate(divide="ignore", invalid="ignore"):
            # A constant column has no unit; centred it is zero, and so is its theta.
            theta = np.where(unit > 0, theta / unit, 0.0)
        objective.scores = np.where(objective.is_observed, theta, np.nan)
        return objective
