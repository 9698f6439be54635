"""The radius-margin bound on the leave-one-out errors of a linear SVM, in the factors of the columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from fewest.arrays import Floats
from fewest.methods.kernels.radius_margin.linear_kernel_programs import LinearKernelSolver, linear_gradient
from fewest.methods.kernels.radius_margin.radius_margin_bound import MAX_ROWS, complete_rows, too_many_rows
from fewest.methods.kernels.radius_margin.radius_margin_programs import (
    RadiusMarginSolver,
    is_large,
    no_digits_left,
    signs_of_sides,
)
from fewest.objectives.grouped_columns import ColumnGroups, GroupedObjective
from fewest.parameters import check_count, check_positive
from fewest.protocols import Objective
from fewest.statistics.class_moments import check_scale
from fewest.statistics.prepared_rows import PreparedRows
from fewest.statistics.rows import Rows
from fewest.threads import one_blas_thread

#: From this number of columns on, products of rows leave out those with a factor of zero.
_MANY_COLUMNS = 1000


class GroupedLinearRadiusMargin(GroupedObjective):
    """The same on features, whose columns have one factor."""

    def squared_factors(self, weights: Floats) -> Floats:
        """Return sigma_f^2 of the columns of each feature."""
        factors: Floats = self.of_columns.squared_factors(self.column_weights(weights))
        return factors[self.groups.firsts]


class LinearRadiusMarginObjective(Objective):
    """The bound of columns with squared factors that add up to the number of columns that vary."""

    def __init__(self, rows: PreparedRows, criterion: LinearRadiusMargin) -> None:
        self.rows = rows
        self.n_columns = rows.n_columns
        self._C = float(criterion.C)
        self._max_rows = criterion.max_rows

    @cached_property
    def _in_columns(self) -> LinearKernelSolver | None:
        """Solves the programs in the space of the columns; None where rows are few, or not more than the columns."""
        rows = self.rows
        n_rows, n_columns = rows.values.shape
        if n_columns >= n_rows or not is_large(len(signs_of_sides(rows.codes)) + 1, n_rows):
            return None
        return LinearKernelSolver(rows.values, rows.codes, rows.weights, self._C)

    @cached_property
    def _in_rows(self) -> RadiusMarginSolver:
        """Solves the programs with a number for every two rows."""
        return RadiusMarginSolver(self.rows.codes, self.rows.weights)

    def grouped(self, groups: ColumnGroups) -> GroupedLinearRadiusMargin:
        """Return the objective on features."""
        return GroupedLinearRadiusMargin(self, groups)

    def start_weights(self) -> Floats:
        """Return 1 for every column that varies, 0 for a constant one, NaN for one without a value."""
        return self.rows.expand(np.array(1.0))

    def squared_factors(self, weights: Floats) -> Floats:
        """Return sigma_f^2 of each column: its share of the weights, times the number of columns that vary."""
        total = float(np.nansum(weights))
        return weights * (len(self.rows.varying) / total) if total > 0 else self.start_weights()

    def score_weights(self, weights: Floats) -> tuple[float, Floats]:
        """Return -R^2 ||w||^2, which depends on the shares of the weights alone, and its gradient in the weights."""
        gradient = np.zeros(len(weights))
        n_varying = len(self.rows.varying)
        if n_varying == 0:
            return 0.0, gradient
        factors = self.squared_factors(weights)[self.rows.varying]
        with one_blas_thread():
            bound, slope = self._bound(factors)
        total = float(weights.sum())
        if total > 0:
            # Only the shares matter: what is left is how the slope of a column differs from the mean.
            gradient[self.rows.varying] = (slope @ factors / n_varying - slope) * n_varying / total
        return -bound, gradient

    def _bound(self, factors: Floats) -> tuple[float, Floats]:
        """Return R^2 ||w||^2 and its gradient in the squared factors of the columns that vary."""
        found = None if self._in_columns is None else self._in_columns.solve(factors)
        if found is not None:
            return found
        if len(self.rows.codes) > self._max_rows:
            raise no_digits_left(self._C)
        values = self.rows.values
        is_taken = factors > 0
        if values.shape[1] >= _MANY_COLUMNS and 2 * np.count_nonzero(is_taken) < len(factors):
            values, factors = values[:, is_taken], factors[is_taken]
        scaled = values * np.sqrt(factors)
        solution = self._in_rows.solve(scaled @ scaled.T, self._C)
        return solution.bound, linear_gradient(solution, self.rows.values)


@dataclass(frozen=True)
class LinearRadiusMargin:
    """Score weighted columns by the radius-margin bound R^2 ||w||^2 of a linear SVM.

    Column f is multiplied by sigma_f; the squares sigma_f^2 add up to the number of columns that vary. R and w are as
    in RadiusMargin, with the products of the rescaled rows as the kernel.

    Parameters
    ----------
    C : float, default=1.0
        The cost of violating the margin.
    scale : {"std", "range", "symmetric"} or None, default="std"
        As in ScatterTrace.
    max_rows : int, default=5000
        More rows are rejected where columns are more than this too: the programs have a number for every two rows, or
        for every two columns.

    See Also
    --------
    R2W2 : The selector with this criterion.
    RadiusMarginBound : The same bound with a Gaussian kernel.

    Notes
    -----
    Needs Rows, without missing values. The gradient in sigma_f^2 is ||w||^2 (sum_n b_n x_nf^2 - (x_f'b)^2) -
    R^2 (x_f'(a s))^2, where b and a solve the programs of the ball and of the margin, and s are the sides of the rows.
    Where columns are fewer than rows, memory is linear in the rows, and so is the time of an evaluation: n d for each
    Newton step, with d^3 / 3 for its equations.

    References
    ----------
    Weston, Mukherjee, Chapelle, Pontil, Poggio, Vapnik, 2000. Feature Selection for SVMs. NIPS.

    Examples
    --------
    >>> from fewest import FeatureSelector, LinearRadiusMargin, WeightAscent, scan
    >>> FeatureSelector(LinearRadiusMargin(), WeightAscent(), n_features=3).fit(scan("wine")).selection_.features
    ('nonflavanoid_phenols', 'od280/od315_of_diluted_wines', 'proline')
    """

    C: float = 1.0
    scale: str | None = "std"
    max_rows: int = MAX_ROWS

    offers: ClassVar[frozenset[str]] = frozenset({"n_columns", "start_weights", "score_weights"})
    allows_missing: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_positive("C", self.C)
        check_scale(self.scale)
        check_count("max_rows", self.max_rows, 2)

    def statistic(self) -> Rows:
        return Rows()

    def bind(self, rows: Rows) -> LinearRadiusMarginObjective:
        if min(rows.n_rows, rows.n_features) > self.max_rows:
            raise too_many_rows(self, rows, end=f" of {rows.n_features:,} columns")
        return LinearRadiusMarginObjective(complete_rows(rows, self), self)
