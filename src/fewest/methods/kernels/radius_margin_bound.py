"""How often a support vector machine may err when a row is left out, by its margin and the ball around the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import ClassVar

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.errors import InvalidInput
from fewest.methods.kernels.complete_rows import complete_rows, mean_square_distances
from fewest.methods.kernels.kernel_width import LEAST_C, MOST_C, Width, best_width
from fewest.methods.kernels.radius_margins import RadiusMargin, RadiusMargins
from fewest.parameters import check_not_negative, check_positive
from fewest.statistics.prepared_rows import PreparedRows
from fewest.statistics.rows import Rows
from fewest.statistics.scaling import check_scale
from fewest.threads import one_blas_thread, shared_out

#: A kernel is a number for every two rows, and its equations take the third power of the rows.
MOST_ROWS = 5000
#: The one width for all columns is at least such that the mean squared distance is so many times 1/eta: where noise
#: dominates, a kernel that sees nobody would do best.
_MOST_SHARPNESS = 4.0
#: A weight above it, in units of one over a column's mean squared difference, counts as this: it has made strangers of
#: almost all rows, and larger ones would leave the other columns no digits.
_MOST_WEIGHT = 1e6
#: The mean squared distance is larger than it and smaller than one over it, so that widths can be squared.
_LEAST_SQUARED = 1e-60
#: A column that varies, and of which the bound can make nothing, is still worth more than one that does not vary.
_LEAST_WORTH = float(np.finfo(np.float64).tiny)


class RadiusMarginBoundObjective:
    """The bound of weighted columns, and of sets of columns with one width.

    alone : the best width of each column that varies, after score_features
    shared : the best width of all columns together, where weights begin
    reached : the bound where weights were worth most so far, and C there
    """

    is_additive = False

    def __init__(self, rows: PreparedRows, criterion: RadiusMarginBound) -> None:
        self.rows = rows
        self.n_columns = rows.n_columns
        self.criterion = criterion
        self.reached: tuple[float, float] | None = None
        self._C = None if criterion.C == "auto" else float(criterion.C)
        self._margins = RadiusMargins(rows.codes, rows.weights)
        self.of_nothing = self._margins.of_nothing()
        self._mean_squared = mean_square_distances(rows)
        total = float(self._mean_squared.sum())
        if len(rows.varying) and not _LEAST_SQUARED < total < 1 / _LEAST_SQUARED:
            raise InvalidInput(
                f"Squared distances between rows are {total:.3g} in the mean, and a kernel's width would have too few "
                "digits. Use scale='symmetric', or other units."
            )
        self._squares = np.square(rows.values)
        self._copies = _first_like(rows.values)
        self._best = -np.inf
        self._chosen: tuple[int, ...] = ()
        self._between_chosen: Floats | float = 0.0

    @cached_property
    def alone(self) -> list[Width]:
        return self._best_widths(0.0, 0.0, range(len(self.rows.varying)))

    @cached_property
    def shared(self) -> Width | None:
        """None where no column varies."""
        if len(self.rows.varying) == 0 or self.of_nothing <= 0:
            return None
        squared = self._squared_distances(np.ones(len(self.rows.varying)))
        with one_blas_thread():
            return best_width(self._margins, squared, float(self._mean_squared.sum()), self._C, most=_MOST_SHARPNESS)

    def score_features(self) -> Floats:
        """What each column is worth on its own, with its best width: the share by which the bound falls below that of
        rows of which nothing is known. A column that does not vary is worth 0."""
        return self.rows.expand(np.array([self._worth(width) for width in self.alone]))

    def score_additions(self, selected: Sequence[int], among: Indices) -> Floats:
        """What those selected are worth with each of these columns, with one width; NaN where it does not vary."""
        if not selected:
            worth = self.score_features()
            return np.where(np.isin(among, self.rows.varying), worth[among], np.nan)
        worths = np.full(len(among), np.nan)
        varies = np.flatnonzero(np.isin(among, self.rows.varying))
        places = np.searchsorted(self.rows.varying, among[varies])
        mean, squared = self._between(selected)
        worths[varies] = [self._worth(width) for width in self._best_widths(mean, squared, places.tolist())]
        return worths

    def width_of(self, subset: Sequence[int]) -> Width | None:
        """The best width of a set of columns; None where none of them varies."""
        mean, squared = self._between(subset)
        if isinstance(squared, float) or self.of_nothing <= 0:
            return None
        return best_width(self._margins.copy(), squared, mean, self._C)

    def start_weights(self) -> Floats:
        """The one best width for each column, and C where that is tuned."""
        if self.shared is None:
            return self.rows.expand(np.zeros(len(self.rows.varying)))
        weights = self.rows.expand(np.full(len(self.rows.varying), self.shared.eta))
        return weights if self._C is not None else np.append(weights, self.shared.C)

    def score_weights(self, weights: Floats) -> tuple[float, Floats]:
        """-(1 - lambda) R^2 ||w||^2 - lambda |eta - eta0|^2, and its gradient in eta, and in C where that is tuned."""
        gradient = np.zeros(len(weights))
        if self.shared is None:
            return 0.0, gradient
        share, varying = float(self.criterion.regularization), self.rows.varying
        eta = weights[varying]
        C = self._C if self._C is not None else min(max(float(weights[-1]), LEAST_C), MOST_C)
        most = _MOST_WEIGHT / self._mean_squared
        with one_blas_thread():
            found, slope = self._at(np.minimum(eta, most), C)
        slope[eta > most] = 0.0
        away = eta - self.shared.eta
        gradient[varying] = -(1 - share) * slope[self._copies] - 2 * share * away
        if self._C is None and weights[-1] == C:
            gradient[-1] = (1 - share) * self._margins.slope_in_ridge(found) / C**2
        value = -(1 - share) * found.bound - share * float(away @ away)
        if value > self._best:
            self._best, self.reached = value, (found.bound, C)
        return value, gradient

    def _at(self, eta: Floats, C: float) -> tuple[RadiusMargin, Floats]:
        """The two programs for weighted columns, and the gradient of their bound."""
        kernel = self._squared_distances(eta)
        np.exp(np.negative(kernel, out=kernel), out=kernel)
        found = self._margins.solve(kernel, C)
        # The bound changes by sum_ij V_ij dK_ij, V = -(||w||^2 b b' + R^2 sum of (a s)(a s)'). With dK / d eta_f =
        # -(x_if - x_jf)^2 K that takes two products of n^2 numbers with the table, and never n^2 numbers a column.
        outer = np.vstack([np.sqrt(found.margins.sum()) * found.in_ball, np.sqrt(found.radius) * found.in_margins])
        kernel *= outer.T @ outer
        slope = 2 * (
            self._squares.T @ kernel.sum(axis=1) - (self.rows.values * (kernel @ self.rows.values)).sum(axis=0)
        )
        return found, slope

    def _squared_distances(self, eta: Floats) -> Floats:
        """sum_f eta_f (x_if - x_jf)^2 between all rows."""
        weighted = self.rows.values * np.sqrt(eta)
        lengths = np.square(weighted).sum(axis=1)
        squared: Floats = weighted @ weighted.T
        squared *= -2
        squared += lengths[:, None]
        squared += lengths
        np.maximum(squared, 0.0, out=squared)
        np.fill_diagonal(squared, 0.0)
        return squared

    def _between(self, selected: Sequence[int]) -> tuple[float, Floats | float]:
        """The mean squared distance on these columns, and that between all rows; zeros where none varies."""
        if tuple(selected[: len(self._chosen)]) != self._chosen:
            self._chosen, self._between_chosen = (), 0.0
        for column in selected[len(self._chosen) :]:
            if column in self.rows.varying:
                place = int(np.searchsorted(self.rows.varying, column))
                self._between_chosen = self._between_chosen + self._column_squared(place)
        self._chosen = tuple(selected)
        places = np.searchsorted(self.rows.varying, np.intersect1d(self.rows.varying, list(selected)))
        return float(self._mean_squared[places].sum()), self._between_chosen

    def _column_squared(self, place: int) -> Floats:
        values = self.rows.values[:, place]
        squared: Floats = np.square(values[:, None] - values)
        return squared

    def _best_widths(self, mean: float, squared: Floats | float, places: Sequence[int]) -> list[Width]:
        """The best width of the columns chosen so far with each of these."""
        widths = [Width(0.0, 0.0, self.of_nothing)] * len(places)

        def find(at: int) -> None:
            together = self._column_squared(places[at])
            together += squared
            mean_squared = mean + float(self._mean_squared[places[at]])
            widths[at] = best_width(self._margins.copy(), together, mean_squared, self._C)

        if self.of_nothing > 0:
            with one_blas_thread():
                shared_out([partial(find, at) for at in range(len(places))])
        return widths

    def _worth(self, width: Width) -> float:
        return max(1 - width.bound / self.of_nothing, _LEAST_WORTH) if self.of_nothing > 0 else 0.0


@dataclass(frozen=True)
class RadiusMarginBound:
    """How often a support vector machine may err when a row is left out: R^2 ||w||^2, to be made small.

    R is the radius of the smallest ball around the rows and 1/||w|| half the margin between the classes, in the space
    of the kernel exp(-sum_f eta_f (x_f - z_f)^2); 4 R^2 ||w||^2 is no less than the number of errors when each row is
    left out in turn. Rows may break the margin at a cost: 1/C is added to the kernel's diagonal in both.

    Of more than two classes each stands against the rest, and the bounds are summed.

    - weights: (1 - lambda) R^2 ||w||^2 + lambda |eta - eta0|^2 over one eta for each column, less being better;
    - sets of columns: the share by which R^2 ||w||^2, at the best of one eta for the set, falls below that of rows of
      which nothing is known, 4 n1 n2 (n - 1) / n^2. It lies from 0 to 1.

    regularization : lambda, from 0 to 1 (1 excluded)
    C : the cost of breaking the margin, or "auto": tuned with eta
    scale : as in ScatterTrace

    Needs Rows, without gaps, at most 5,000. Each evaluation solves a quadratic program for the ball and one for each
    class: n^2 d, and at most n^3 / 3 for each system of equations.
    The paper on kernel class separability, Eqs. 13 to 15, with the regularization of Eq. 12.
    """

    regularization: float = 0.25
    C: float | str = "auto"
    scale: str | None = "symmetric"

    offers: ClassVar[frozenset[str]] = frozenset(
        {"n_columns", "score_features", "score_additions", "start_weights", "score_weights"}
    )
    #: Rows are compared whole.
    allows_missing: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_not_negative("regularization", self.regularization, below=1)
        if self.C != "auto":
            check_positive("C", self.C, end=" or 'auto'")
        check_scale(self.scale)

    def statistic(self) -> Rows:
        return Rows()

    def bind(self, rows: Rows) -> RadiusMarginBoundObjective:
        return RadiusMarginBoundObjective(complete_rows(rows, self.scale, type(self).__name__, MOST_ROWS), self)


def _first_like(values: Floats) -> Indices:
    """For each column the first that holds the same: a matrix product may round copies apart."""
    first: dict[bytes, int] = {}
    return np.array(
        [first.setdefault(line.tobytes(), j) for j, line in enumerate(np.ascontiguousarray(values.T))], np.intp
    )
