"""The objective of degree 2: scatter of features and of products of two features."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np

from fewest.arrays import Floats, Indices, Mask
from fewest.errors import InvalidInput, OverflowingColumn
from fewest.memory import COLUMN_PAIRS
from fewest.methods.scatter.pair_moments import PairMoments
from fewest.objectives import column_indices, subsets_by_size
from fewest.objectives.grouped_columns import ColumnGroups
from fewest.protocols import Objective
from fewest.statistics.class_moments import origin_and_unit

#: The fourth power of a smaller unit has lost digits, or is zero.
_SMALLEST = 1e-72
#: Subsets that are evaluated at a time.
_SUBSETS_AT_ONCE = 1 << 14


class PairObjective(Objective):
    """The value of a subset as a quadratic polynomial in the indicators of its columns.

    theta : (p,) theta_j, NaN where the column was never observed
    exact_gamma : up to this gamma no pair score is negative, so that minimum cuts are exact. Every gamma up to 0 is
        exact; how far above 0 it goes is known only where the total variances are, which is gamma != 0.
    """

    def __init__(
        self, theta: Floats, statistic: PairMoments, gamma: float, scale: str | None, pair_weight: float, kernel: str
    ) -> None:
        self.theta, self.n_columns, self.pair_weight = theta, len(theta), pair_weight
        shift, unit = shift_and_unit(statistic, scale)
        pairs, total = statistic.scatter(shift, unit)
        self.exact_gamma = 0.0
        # Overflow is reported below.
        with np.errstate(over="ignore", invalid="ignore"):
            _make_copies_alike(pairs, statistic.copies())
            if total is not None:
                _check_not_tiny(unit)
                _make_copies_alike(total, statistic.copies())
                self.exact_gamma = _smallest_ratio(pairs, total)
                total *= gamma
                pairs -= total
            self.theta_squares: Floats = pairs.diagonal().copy()
            pairs *= pair_weight
            _check_finite(pairs)
        np.fill_diagonal(pairs, 0.0)
        self._pairs = pairs
        self._unary = (0.0 if kernel == "homogeneous" else theta) + pair_weight * self.theta_squares / 2
        self._unary[np.isnan(theta)] = np.nan

    def grouped(self, groups: ColumnGroups) -> PairObjective:
        """Return the objective on features: T of products is summed over all pairs of their columns."""
        grouped = copy(self)
        grouped.theta, grouped.n_columns = groups.combine(self.theta, "sum"), groups.n_features
        pairs = groups.sums(groups.sums(self._pairs, axis=0), axis=1)
        # Twice the pairs of two columns of a feature, and their squares.
        within = pairs.diagonal()
        unary = groups.combine(self._unary, "sum") + within / 2
        squares = groups.sums(self.theta_squares)
        grouped.theta_squares = squares + (within / self.pair_weight if self.pair_weight else 0.0)
        np.fill_diagonal(pairs, 0.0)
        grouped._pairs, grouped._unary = pairs, unary
        return grouped

    @property
    def theta_pairs(self) -> Floats:
        """(p, p) theta_jl, with theta_jj on the diagonal, without the weight of pairs."""
        if self.pair_weight == 0:
            raise InvalidInput("With pair_weight=0 the pairs were not kept. Give it any other weight.")
        pairs: Floats = self._pairs / self.pair_weight
        np.fill_diagonal(pairs, self.theta_squares)
        return pairs

    def score_features(self) -> Floats:
        """Return the value of each column alone; NaN where nothing was observed."""
        return self._unary

    def score_pairs(self) -> Floats:
        """Return (p, p) the value of two columns beyond their own; 0 on the diagonal."""
        return self._pairs

    def score_subset(self, subset: Sequence[int]) -> float:
        """Return the sum of the scores of the columns and pairs of a subset; a column never observed counts as 0."""
        columns = np.sort(column_indices(subset, len(self.theta)))
        return float(np.nansum(self._unary[columns]) + self._pairs[np.ix_(columns, columns)].sum() / 2)

    def score_subsets(self, subsets: Sequence[Sequence[int]]) -> Floats:
        """Return the value of each subset."""
        values, unary = np.empty(len(subsets)), np.nan_to_num(self._unary, nan=0.0)
        for which, columns in subsets_by_size(subsets, _SUBSETS_AT_ONCE):
            values[which] = unary[columns].sum(axis=1)
            for i in range(1, columns.shape[1]):
                values[which] += self._pairs[columns[:, i, None], columns[:, :i]].sum(axis=1)
        return values

    @property
    def is_observed(self) -> Mask:
        """Which columns hold a value."""
        return ~np.isnan(self._unary)

    @property
    def is_monotone(self) -> bool:
        """Whether no column lowers the value of a subset."""
        return not (np.nanmin(self._unary, initial=0.0) < 0 or self._pairs.min(initial=0.0) < 0)


def check_pair_columns(n_columns: int, n_statistics: int, with_total: bool, max_bytes: int = COLUMN_PAIRS) -> None:
    """Raise where the tables of columns by columns would not fit."""
    # Two classes at least; the search takes two tables more.
    n_tables = 2 + n_statistics * (5 if with_total else 2)
    needed = 8 * n_columns**2 * n_tables
    if needed <= max_bytes:
        return
    fits = int((max_bytes / (8 * n_tables)) ** 0.5)
    raise InvalidInput(
        f"degree=2 compares every two of {n_columns:,} columns, which takes at least {needed / 2**30:.1f} GiB; "
        f"{max_bytes / 2**30:.0f} GiB are allowed, enough for {fits:,} columns. Choose some 2,000 first, such as by "
        "make_pipeline(FisherMarkov(n_features=2000), FisherMarkov(degree=2)), or use degree=1."
    )


def _check_not_tiny(unit: Floats) -> None:
    tiny = np.flatnonzero((unit > 0) & (unit < _SMALLEST))
    if len(tiny):
        raise InvalidInput(
            f"Column {int(tiny[0])} varies by {unit[tiny[0]]:.0e}: its square cannot be squared. Rescale the column."
        )


def _check_finite(pairs: Floats) -> None:
    if not np.isfinite(pairs.sum()) and (is_wrong := ~np.isfinite(pairs)).any():
        # The column at fault is the one that overflows with most of the others.
        raise OverflowingColumn(int(np.argmax(np.count_nonzero(is_wrong, axis=1))))


def _make_copies_alike(pairs: Floats, original: Indices) -> None:
    """Give copied columns the bits of their originals: a matrix product depends on a column's position."""
    for column in np.flatnonzero(original != np.arange(len(original))):
        pairs[column] = pairs[original[column], original]
        pairs[:, column] = pairs[column]


def _smallest_ratio(between: Floats, total: Floats) -> float:
    """Return the least share of the variance of a product of two columns between the classes; 1 if none varies."""
    # A little less, so that between - ratio * total is not negative after rounding.
    less = 1 - 4 * float(np.finfo(np.float64).eps)
    smallest = 1.0
    for j in range(len(total) - 1):
        varies = total[j, j + 1 :] > 0
        ratios = between[j, j + 1 :][varies] / total[j, j + 1 :][varies]
        smallest = min(smallest, less * float(ratios.min(initial=1.0 / less)))
    return smallest


def shift_and_unit(statistic: PairMoments, scale: str | None) -> tuple[Floats, Floats]:
    """Return shift and unit of the scaled column (x - pivot + shift) / unit.

    Far from zero the origin as one number has lost digits that this difference still has.
    """
    moments, pivot = statistic.moments, statistic.pivot
    unit = origin_and_unit(moments, scale)[1]
    if scale is None:
        shift = pivot
    elif scale == "std":
        shift = -statistic.mean_about_pivot
    else:
        from_lowest = pivot - np.where(unit > 0, moments.lowest, pivot)
        from_highest = pivot - np.where(unit > 0, moments.highest, pivot)
        shift = from_lowest if scale == "range" else (from_lowest + from_highest) / 2
    if moments.feature_of is not None and scale == "symmetric":
        is_indicator = np.bincount(moments.feature_of)[moments.feature_of] > 1
        shift = np.where(is_indicator, pivot - origin_and_unit(moments, scale)[0], shift)
    return np.where(unit > 0, shift, 0.0), unit
