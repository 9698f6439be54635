"""The radius-margin bound on the leave-one-out errors of an SVM: with a Gaussian kernel."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property, partial
from typing import ClassVar, Protocol

import numpy as np

from fewest.arrays import Floats, Indices, Mask
from fewest.errors import InvalidInput, TooManyRows
from fewest.methods.kernels.radius_margin.radius_margin_programs import (
    MAX_C,
    MIN_C,
    RadiusMarginSolver,
    TunedKernel,
    minimize_bound,
    minimize_bound_from_sample,
)
from fewest.objectives.grouped_columns import ColumnGroups, GroupedObjective
from fewest.parameters import check_count, check_not_negative, check_positive, is_auto
from fewest.protocols import Objective
from fewest.statistics.class_moments import check_scale
from fewest.statistics.prepared_rows import PreparedRows, content_order, reject_missing_values, varying_columns
from fewest.statistics.rows import Rows
from fewest.threads import one_blas_thread, run_on_threads

#: A kernel has n^2 numbers, and its equations take n^3 steps.
MAX_ROWS = 5000
#: The rows of a sample that is advised: a few kernels of them take some hundred MB.
_ADVISED_SAMPLE = 2000
#: The largest eta that all columns share, over the mean squared distance: with noise the narrowest kernel would win.
_MAX_SHARED_ETA = 4.0
#: The largest weight, in units of one over a column's mean squared difference: more leaves no digits for other columns.
_MAX_WEIGHT = 1e6
#: The mean squared distance must lie between this and one over it, so that widths can be squared.
_MIN_SQUARED = 1e-60
#: The rows of a kernel that are computed at a time.
_ROWS_AT_ONCE = 64
#: The least score of a column that varies, above that of a constant column.
_MIN_SCORE = float(np.finfo(np.float64).tiny)


class _AtMostRows(Protocol):
    """A criterion that solves equations with a number for every two rows."""

    @property
    def scale(self) -> str | None: ...

    @property
    def max_rows(self) -> int: ...


class GroupedRadiusMargin(GroupedObjective):
    """The same on features: the kernel has one weight, or one eta, for all columns of a feature."""

    def tuned_alone(self) -> tuple[Floats, Floats, Floats]:
        """Return eta, C and the bound of each feature alone; 0, 0 and that of a constant kernel where none varies."""
        constant = TunedKernel(0.0, 0.0, float(self.of_columns.constant_bound))
        eta, C, bound = np.array([one or constant for one in self._alone]).reshape(-1, 3).T
        return eta, C, bound

    @cached_property
    def _alone(self) -> list[TunedKernel | None]:
        return [self.best_kernel([feature]) for feature in range(self.n_columns)]

    def varies(self) -> Mask:
        """Return which features vary."""
        return self.groups.highest(self.of_columns.varies().astype(np.float64)) > 0

    def score_features(self) -> Floats:
        """Return by which share the bound of each feature alone is below that of a constant kernel."""
        return self.score_additions([], np.arange(self.n_columns))

    def score_additions(self, selected: Sequence[int], among: Indices) -> Floats:
        """Return the score of those selected with each of these features, with one eta; NaN for a constant one."""
        if not selected:
            found = [self._alone[feature] for feature in among.tolist()]
        else:
            found = [self.best_kernel([*selected, feature]) for feature in among.tolist()]
        scores = np.array([0.0 if one is None else self.of_columns.score_of(one) for one in found])
        return np.where(self.varies()[among], scores, np.nan)

    def weights_vanish(self) -> bool:
        """Return whether most weights are likely to go to zero."""
        return bool(self.of_columns.weights_vanish())

    def bounds_of_halves(self, weights: Floats, C: float) -> tuple[float, float]:
        """Return the bounds of two halves of the rows at these weights of features."""
        first, second = self.of_columns.bounds_of_halves(self.column_weights(weights), C)
        return float(first), float(second)

    def best_kernel(self, subset: Sequence[int]) -> TunedKernel | None:
        """Return the best kernel with one eta on a subset of features; None where none of them varies."""
        found: TunedKernel | None = self.of_columns.best_kernel(self._columns(subset))
        return found


class RadiusMarginBoundObjective(Objective):
    """The bound of weighted columns, and of subsets with one eta."""

    def grouped(self, groups: ColumnGroups) -> GroupedRadiusMargin:
        """Return the objective on features."""
        return GroupedRadiusMargin(self, groups)

    def tuned_alone(self) -> tuple[Floats, Floats, Floats]:
        """Return eta, C and the bound of each column alone; NaN for one without a value."""
        tuned = np.reshape(self.alone, (-1, 3))
        eta, C, bound = (self.rows.expand(numbers) for numbers in tuned.T)
        bound[eta == 0] = self.constant_bound
        return eta, C, bound

    def varies(self) -> Mask:
        """Return which columns vary."""
        return np.isin(np.arange(self.n_columns), self.rows.varying)

    def __init__(self, rows: PreparedRows, criterion: RadiusMarginBound) -> None:
        self.rows = rows
        self.n_columns = rows.n_columns
        #: The bound where the objective was highest so far, and C there.
        self.reached: tuple[float, float] | None = None
        self.regularization = float(criterion.regularization)
        self._C = None if is_auto(criterion.C) else float(criterion.C)
        self._solver = RadiusMarginSolver(rows.codes, rows.weights)
        self.constant_bound = self._solver.constant_kernel_bound()
        weight = float(rows.weights.sum())
        mean = rows.weighted_sums(rows.values) / weight
        #: The mean squared difference between two rows, of each column.
        self.mean_distances = 2 * rows.weighted_sums(np.square(rows.values - mean)) / max(weight - 1, 1.0)
        total = float(self.mean_distances.sum())
        if len(rows.varying) and not _MIN_SQUARED < total < 1 / _MIN_SQUARED:
            raise InvalidInput(
                f"The mean squared distance between rows is {total:.3g}, and a kernel's width would have too few "
                "digits. Use scale='symmetric', or other units."
            )
        # Copies of a column share the slope of the first: a matrix product may round them differently.
        _, first, copies = np.unique(rows.values, axis=1, return_index=True, return_inverse=True)
        self._first_copies = first[copies]
        self._highest = -np.inf
        self._chosen: tuple[int, ...] = ()
        self._between_chosen: Floats | float = 0.0

    @cached_property
    def alone(self) -> list[TunedKernel]:
        """The best kernel on each column that varies."""
        return self._tuned_kernels(0.0, 0.0, range(len(self.rows.varying)))

    @cached_property
    def shared(self) -> TunedKernel | None:
        """The best kernel with one eta for all columns; None where no column varies."""
        if len(self.rows.varying) == 0 or self.constant_bound <= 0:
            return None
        with one_blas_thread():
            squared = self._all_distances()
            mean = float(self.mean_distances.sum())
            return minimize_bound_from_sample(self._solver, squared, mean, self._C, _MAX_SHARED_ETA)

    def score_features(self) -> Floats:
        """Return by which share the bound of each column alone is below that of a constant kernel."""
        return self.rows.expand(np.array([self.score_of(tuned) for tuned in self.alone]))

    def score_additions(self, selected: Sequence[int], among: Indices) -> Floats:
        """Return the score of those selected with each of these columns, with one eta; NaN for a constant column."""
        is_varying = np.isin(among, self.rows.varying)
        if not selected:
            return np.where(is_varying, self.score_features()[among], np.nan)
        scores = np.full(len(among), np.nan)
        positions = np.searchsorted(self.rows.varying, among[is_varying]).tolist()
        scores[is_varying] = [
            self.score_of(tuned) for tuned in self._tuned_kernels(*self._between(selected), positions)
        ]
        return scores

    def best_kernel(self, subset: Sequence[int]) -> TunedKernel | None:
        """Return the best kernel with one eta on a subset; None where none of its columns varies."""
        mean, squared = self._between(subset)
        if isinstance(squared, float) or self.constant_bound <= 0:
            return None
        return minimize_bound(deepcopy(self._solver), squared, mean, self._C)

    def start_weights(self) -> Floats:
        """Return the shared eta for each column that varies, and C where that is tuned."""
        weights = self.rows.expand(np.array(0.0 if self.shared is None else self.shared.eta))
        return weights if self._C is not None or self.shared is None else np.append(weights, self.shared.C)

    def score_weights(self, weights: Floats) -> tuple[float, Floats]:
        """Return -(1 - lambda) R^2 ||w||^2 - lambda |eta - eta_0|^2, and its gradient in eta, and in C if tuned."""
        gradient = np.zeros(len(weights))
        if self.shared is None:
            return 0.0, gradient
        strength, varying = self.regularization, self.rows.varying
        eta = weights[varying]
        C = self._C if self._C is not None else min(max(float(weights[-1]), MIN_C), MAX_C)
        max_eta = _MAX_WEIGHT / self.mean_distances
        with one_blas_thread():
            kernel = self.gaussian_kernel(np.minimum(eta, max_eta))
            found = self._solver.solve(kernel, C)
            slope = found.gaussian_gradient(kernel, self.rows.values)
        slope[eta > max_eta] = 0.0
        away = eta - self.shared.eta
        gradient[varying] = -(1 - strength) * slope[self._first_copies] - 2 * strength * away
        if self._C is None and weights[-1] == C:
            gradient[-1] = (1 - strength) * found.ridge_slope(self.rows.weights) / C**2
        value = -(1 - strength) * found.bound - strength * float(away @ away)
        if value > self._highest:
            self._highest, self.reached = value, (found.bound, C)
        return value, gradient

    def weights_vanish(self) -> bool:
        """Return whether most weights are likely to go to zero: of many rows, which single out few columns."""
        return self._solver.is_large

    def bounds_of_halves(self, weights: Floats, C: float) -> tuple[float, float]:
        """Return the bounds of two halves of the rows at these weights; NaN where a class has a single row.

        weights : (n_columns,)
        """
        eta, codes = weights[self.rows.varying], self.rows.codes
        if not C > 0 or np.bincount(codes, minlength=2).min() < 2:
            return np.nan, np.nan
        # Rows are in the order of their contents, in which neighbours are alike: halves are drawn.
        drawn = np.random.default_rng(0).permutation(len(codes))
        order = drawn[np.argsort(codes[drawn], kind="stable")]
        with one_blas_thread():
            kernel = self.gaussian_kernel(np.minimum(eta, _MAX_WEIGHT / self.mean_distances))
            halves = (np.sort(order[first::2]) for first in range(2))
            first, second = (
                self._solver.on_rows(half).solve(np.ascontiguousarray(kernel[np.ix_(half, half)]), C).bound
                for half in halves
            )
        return first, second

    def gaussian_kernel(self, eta: Floats) -> Floats:
        """Return exp(-sum_f eta_f (x_if - x_jf)^2) between all rows, over the columns that vary."""
        weighted = self.rows.values[:, eta > 0] if (eta == 0).any() else self.rows.values
        weighted = weighted * np.sqrt(eta[eta > 0])
        lengths = np.square(weighted).sum(axis=1)
        kernel: Floats = weighted @ weighted.T
        # Few rows at a time, which stay in the cache from step to step.
        for first in range(0, len(kernel), _ROWS_AT_ONCE):
            rows = slice(first, first + _ROWS_AT_ONCE)
            part = kernel[rows]
            part *= 2
            part -= lengths[rows, None]
            part -= lengths
            np.exp(np.minimum(part, 0.0, out=part), out=part)
        np.fill_diagonal(kernel, 1.0)
        return kernel

    def _between(self, selected: Sequence[int]) -> tuple[float, Floats | float]:
        """Return the mean squared distance on these columns, and that between all rows; 0.0 where none varies."""
        if tuple(selected[: len(self._chosen)]) != self._chosen:
            self._chosen, self._between_chosen = (), 0.0
        for column in selected[len(self._chosen) :]:
            for position in np.flatnonzero(self.rows.varying == column).tolist():
                self._between_chosen = self._between_chosen + self._column_distances(position)
        self._chosen = tuple(selected)
        is_selected = np.isin(self.rows.varying, list(selected))
        return float(self.mean_distances[is_selected].sum()), self._between_chosen

    def _all_distances(self) -> Floats:
        """Return the squared distances between all rows, over all columns that vary."""
        lengths = np.square(self.rows.values).sum(axis=1)
        squared: Floats = self.rows.values @ self.rows.values.T
        squared *= -2
        squared += lengths[:, None]
        squared += lengths
        np.maximum(squared, 0.0, out=squared)
        np.fill_diagonal(squared, 0.0)
        return squared

    def _column_distances(self, position: int) -> Floats:
        values = self.rows.values[:, position]
        squared: Floats = np.square(values[:, None] - values)
        return squared

    def _tuned_kernels(self, mean: float, squared: Floats | float, positions: Sequence[int]) -> list[TunedKernel]:
        """Return the best kernel on the columns chosen so far with each of these."""
        tuned = [TunedKernel(0.0, 0.0, self.constant_bound)] * len(positions)

        def tune(index: int) -> None:
            together = self._column_distances(positions[index])
            together += squared
            mean_squared = mean + float(self.mean_distances[positions[index]])
            tuned[index] = minimize_bound(deepcopy(self._solver), together, mean_squared, self._C)

        if self.constant_bound > 0:
            with one_blas_thread():
                run_on_threads([partial(tune, index) for index in range(len(positions))])
        return tuned

    def score_of(self, tuned: TunedKernel) -> float:
        return max(1 - tuned.bound / self.constant_bound, _MIN_SCORE) if self.constant_bound > 0 else 0.0


@dataclass(frozen=True)
class RadiusMarginBound:
    """Score features by the radius-margin bound R^2 ||w||^2 of an SVM with a Gaussian kernel.

    R and w are as in RadiusMargin; 4 R^2 ||w||^2 is at least the number of leave-one-out errors.

    - Weights: (1 - lambda) R^2 ||w||^2 + lambda |eta - eta_0|^2 over one eta for each column, to be minimized.
    - Subsets: the share by which R^2 ||w||^2, at the best of one eta for the subset, falls below that of a constant
      kernel, 4 n_1 n_2 (n - 1) / n^2. From 0 to 1.

    Parameters
    ----------
    regularization : float, default=0.25
        Lambda, from 0 to below 1.
    C : float or "auto", default="auto"
        The cost of violating the margin; "auto" tunes it with eta.
    scale : {"std", "range", "symmetric"} or None, default="symmetric"
        As in ScatterTrace.
    max_rows : int, default=5000
        More rows are rejected: the kernel has a number for every two of them.

    See Also
    --------
    RadiusMargin : The selector with this criterion.
    LinearRadiusMargin : The same bound of a linear SVM.

    Notes
    -----
    Needs Rows, without missing values. Each evaluation solves a quadratic program for the ball and one for each class:
    n^2 d, and at most n^3 / 3 for each system of equations.

    References
    ----------
    Wang, 2008. Feature Selection with Kernel Class Separability, Eqs. 12 to 15.
    https://doi.org/10.1109/TPAMI.2007.70799

    Examples
    --------
    >>> from fewest import FeatureSelector, RadiusMarginBound, WeightAscent, scan
    >>> FeatureSelector(RadiusMarginBound(), WeightAscent(), n_features=3).fit(scan("wine")).selection_.features
    ('flavanoids', 'proline', 'hue')
    """

    regularization: float = 0.25
    C: float | str = "auto"
    scale: str | None = "symmetric"
    max_rows: int = MAX_ROWS

    offers: ClassVar[frozenset[str]] = frozenset(
        {"n_columns", "score_features", "score_additions", "start_weights", "score_weights"}
    )
    allows_missing: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_not_negative("regularization", self.regularization, below=1)
        if not is_auto(self.C):
            check_positive("C", self.C, end=" or 'auto'")
        check_scale(self.scale)
        check_count("max_rows", self.max_rows, 2)

    def statistic(self) -> Rows:
        return Rows()

    def bind(self, rows: Rows) -> RadiusMarginBoundObjective:
        if rows.n_rows > self.max_rows:
            raise too_many_rows(self, rows)
        return RadiusMarginBoundObjective(complete_rows(rows, self), self)


def too_many_rows(criterion: _AtMostRows, rows: Rows, *, end: str = "") -> TooManyRows:
    """Return the error for more rows than a criterion can have a number for every two of.

    end : what else is too many, after "rows"
    """
    most = criterion.max_rows
    size = min(most, _ADVISED_SAMPLE)
    return TooManyRows(
        f"{type(criterion).__name__} solves equations with a number for every two rows, and {rows.n_rows:,} rows{end} "
        f"are too many: at most {most:,} are allowed. Select on a sample of the rows by sample={size} "
        f"(--sample {size})."
    )


def complete_rows(rows: Rows, criterion: _AtMostRows) -> PreparedRows:
    """Return rows ordered by content and scaled, over the columns that vary; every code up to the largest occurs."""
    name = type(criterion).__name__
    reject_missing_values(rows, f"{name} compares complete rows", "or drop these columns")
    total = float(rows.weights.sum())
    if rows.n_rows and total <= 1:
        raise InvalidInput(
            f"The total weight of the rows is {total:g}, and to {name} a weight of 2 is the row twice. Give weights "
            "that add up to about the number of rows."
        )
    prepared = PreparedRows(rows, *content_order(rows), varying_columns(rows))
    prepared.scale_by_rows(criterion.scale, about_middle=True)
    prepared.codes = np.unique(prepared.codes, return_inverse=True)[1].astype(np.int32)
    return prepared
