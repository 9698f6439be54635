"""The radius-margin bound of a linear support vector machine on columns that are stretched or shrunk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewest.arrays import Floats
from fewest.methods.kernels.complete_rows import complete_rows
from fewest.methods.kernels.radius_margin_bound import MOST_ROWS
from fewest.methods.kernels.radius_margins import RadiusMargins
from fewest.parameters import check_positive
from fewest.statistics.prepared_rows import PreparedRows
from fewest.statistics.rows import Rows
from fewest.statistics.scaling import check_scale
from fewest.threads import one_blas_thread


class LinearRadiusMarginObjective:
    """The bound of columns with squared stretches that add up to the number of columns that vary."""

    is_additive = False

    def __init__(self, rows: PreparedRows, criterion: LinearRadiusMargin) -> None:
        self.rows = rows
        self.n_columns = rows.n_columns
        self.C = float(criterion.C)
        self._margins = RadiusMargins(rows.codes, rows.weights)

    def start_weights(self) -> Floats:
        """One for every column that varies."""
        return self.rows.expand(np.ones(len(self.rows.varying)))

    def stretches(self, weights: Floats) -> Floats:
        """The squared stretch of each column: its share of the weights, times the number of columns that vary."""
        total = float(np.nansum(weights))
        return weights * (len(self.rows.varying) / total) if total > 0 else self.start_weights()

    def score_weights(self, weights: Floats) -> tuple[float, Floats]:
        """-R^2 ||w||^2, which depends on the shares of the weights alone, and its gradient in the weights."""
        gradient = np.zeros(len(weights))
        total = float(weights.sum())
        if len(self.rows.varying) == 0:
            return 0.0, gradient
        stretches = self.stretches(weights)[self.rows.varying]
        values = self.rows.values
        with one_blas_thread():
            stretched = values * np.sqrt(stretches)
            found = self._margins.solve(stretched @ stretched.T, self.C)
            of_ball = found.in_ball @ np.square(values) - np.square(found.in_ball @ values)
            of_margins = np.square(found.in_margins @ values).sum(axis=0)
        slope = float(found.margins.sum()) * of_ball - found.radius * of_margins
        # All weights grown alike change nothing: what is left is how a column differs from the mean.
        n_varying = len(stretches)
        if total > 0:
            gradient[self.rows.varying] = (slope @ stretches / n_varying - slope) * n_varying / total
        return -found.bound, gradient


@dataclass(frozen=True)
class LinearRadiusMargin:
    """The radius-margin bound R^2 ||w||^2 of a linear support vector machine on stretched columns, to be made small.

    Column f is multiplied by sigma_f; the squares sigma_f^2 are not negative and add up to the number of columns that
    vary. R is the radius of the smallest ball around the stretched rows, 1/||w|| half the margin between the classes;
    rows may break the margin at a cost: 1/C is added to the diagonal of the products of rows in both. Of more than two
    classes each stands against the rest, and the bounds are summed. Its gradient in sigma_f^2 is

    ||w||^2 (sum_n b_n x_nf^2 - (x_f'b)^2) - R^2 (x_f'(a s))^2,

    b and a the solutions of the two quadratic programs, s the sides of the rows.

    C : the cost of breaking the margin
    scale : as in ScatterTrace

    Needs Rows, without gaps, at most 5,000. Each evaluation solves a quadratic program for the ball and one for each
    class. Weston et al., Feature selection for SVMs.
    """

    C: float = 1.0
    scale: str | None = "std"

    offers: ClassVar[frozenset[str]] = frozenset({"n_columns", "start_weights", "score_weights"})
    #: Rows are compared whole.
    allows_missing: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_positive("C", self.C)
        check_scale(self.scale)

    def statistic(self) -> Rows:
        return Rows()

    def bind(self, rows: Rows) -> LinearRadiusMarginObjective:
        return LinearRadiusMarginObjective(complete_rows(rows, self.scale, type(self).__name__, MOST_ROWS), self)
