"""Kernel-target alignment: the cosine between a kernel's matrix and that of the classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import ClassVar

import numpy as np

from fewest._core import subset_kernel_moments
from fewest.arrays import Floats, Indices, Mask
from fewest.methods.kernels.gaussian_sums import ClassPairSum
from fewest.methods.kernels.kernel_objective import GaussianObjective
from fewest.methods.kernels.width_bounds import ROUNDING, DistanceMoments, able_to_reach
from fewest.methods.kernels.width_search import LAST_STEP, eta_at
from fewest.objectives import column_indices
from fewest.statistics.class_moments import check_scale
from fewest.statistics.rows import Rows
from fewest.threads import thread_count

#: Subsets times pairs of rows from which on bounds are faster than the values of all subsets.
_WORTH_BOUNDS = 500_000
#: Subsets whose bounds are computed at a time, some thousand numbers each.
_SUBSETS_AT_ONCE = 4096
#: Evaluations of bounds after which the value itself is computed.
_MOST_ROUNDS = 16
#: Columns of a subset from which on the alignment falls so fast beside its best width that fewer widths are enough.
_MANY_COLUMNS = 9
#: The first eta of the bounds over the best of the subset to which columns are added, and the number of its doubles.
_FEW_FIRST, _MANY_FIRST = (2.0**-2.1, 6), (2.0**-1.1, 4)
#: Moments are taken about this share of the mean squared distance: near to the mean that is weighted by the kernel.
_CENTRE = 0.7
#: Relative error of the values of single columns, and more.
_MARGIN = 1e-6
#: Values nearer than this are compared exactly.
_TIE = 1e-9


class TargetAlignmentObjective(GaussianObjective):
    """<K, T> / |K| |T| of columns and subsets; T = yy' for two classes, else the centred matrix of equal classes."""

    def __init__(self, rows: Rows, scale: str | None) -> None:
        super().__init__(rows, scale)
        self._is_two_classes = np.count_nonzero(np.bincount(rows.codes, rows.weights)) == 2

    def class_pair_sums(self, class_weight: Floats) -> Sequence[ClassPairSum]:
        """Return <K, T> / |T| and |K|^2, the sum of the squared kernel."""
        n = class_weight.sum(axis=-1, keepdims=True)
        if self._is_two_classes:
            same, every = np.full_like(class_weight, 2.0), np.full_like(class_weight, -0.5)
        else:
            same = np.ones_like(class_weight)
            every = 0.5 * np.square(class_weight / n).sum(axis=-1, keepdims=True) - class_weight / n
        target = same[..., :, None] * np.eye(class_weight.shape[-1]) + every[..., :, None] + every[..., None, :]
        squares = class_weight[..., :, None] * class_weight[..., None, :] * np.square(target)
        length = np.sqrt(squares.sum(axis=(-2, -1)))[..., None]
        # 0 where only one class has rows with the column: then nothing is aligned with it.
        inverse = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0)
        square = ClassPairSum(np.zeros_like(same), np.full_like(same, 0.5), power=2)
        return [ClassPairSum(same * inverse, every * inverse), square]

    def value(self, sums: Sequence[Floats]) -> Floats:
        product, square = sums
        alignment: Floats = product / np.sqrt(square)
        return alignment

    def bound_additions(self, selected: Sequence[int]) -> Floats:
        """Return NaN for each column that is proved not to be the best in addition to those selected, else infinity.

        Proved by bounds over all widths, from sums in float with a bound of their error (width_bounds.py).
        """
        chosen = column_indices(selected, self.n_columns)
        bounds = np.where(self.rows.mean_distances > 0, np.inf, np.nan)
        bounds[chosen] = np.nan
        among = np.flatnonzero(bounds > 0)
        if len(among) < 2 or len(among) * len(self.rows.codes) ** 2 / 2 < _WORTH_BOUNDS:
            return bounds
        bounds[among[~(self._able_alone(among) if len(chosen) == 0 else self._able(chosen, among))]] = np.nan
        return bounds

    def _able_alone(self, among: Indices) -> Mask:
        values = self.score_features()[among]
        best = among[[np.argmax(values)]]
        least = self._best_additions(best[:0], best)[0][0]
        able: Mask = values + _MARGIN * (1.0 + np.abs(values)) >= least
        return able

    def _able(self, chosen: Indices, among: Indices) -> Mask:
        """Return which columns may be the best in addition to those chosen."""
        distance = self.rows.mean_distances[chosen].sum() + self.rows.mean_distances[among]
        centre = _CENTRE * distance
        known = self._without_kernel(chosen, among, centre)
        # The best eta times the mean distance hardly changes with one column more.
        eta = self._best_of_subset(chosen.tolist())[1] * self.rows.mean_distances[chosen].sum() / distance
        first, n_widths = _FEW_FIRST if len(chosen) < _MANY_COLUMNS else _MANY_FIRST
        known = known.with_widths(first * eta, self._moments(chosen, among, first * eta, n_widths, centre))
        likely = among[[np.argmax(known.values()[0].max(axis=1))]]
        value = float(self._best_additions(chosen, likely)[0][0])
        least = value - _TIE * (1.0 + abs(value))
        last = eta_at(np.array(float(LAST_STEP)), distance)
        able = np.zeros(len(among), dtype=bool)
        for begin in range(0, len(among), _SUBSETS_AT_ONCE):
            some = np.arange(begin, min(begin + _SUBSETS_AT_ONCE, len(among)))
            evaluate_some = partial(self._evaluate, chosen, among[some], centre[some])
            able[some] = able_to_reach(known.only(some), least, last[some], evaluate_some, _MOST_ROUNDS)
        return able

    def _evaluate(
        self, chosen: Indices, among: Indices, centre: Floats, eta: Floats, n_widths: int, which: Indices
    ) -> Floats:
        return self._moments(chosen, among[which], eta, n_widths, centre[which])

    def _moments(self, selected: Indices, among: Indices, eta: Floats, n_widths: int, centre: Floats) -> Floats:
        """Return (n_subsets, n_widths, 3, 5): the moments of DistanceMoments at eta, 2 eta, 4 eta ..."""
        rows, factors = self.rows, self.pair_sums[0].factors[None]
        found = np.empty((len(among), n_widths, 3, 5))
        subset_kernel_moments(
            rows.columns, selected, among, rows.codes, rows.weights, factors, eta, centre, found, thread_count()
        )
        return 2.0 * found

    @cached_property
    def _column_moments(self) -> Floats:
        """(n_columns, 3, 5), the moments of each column's squared distances, about their mean, at eta = 0."""
        every = np.arange(self.n_columns)
        return self._moments(every[:0], every, np.zeros(self.n_columns), 1, self.rows.mean_distances)[:, 0]

    def _without_kernel(self, chosen: Indices, among: Indices, centre: Floats) -> DistanceMoments:
        """Return the moments at eta = 0, where those of the columns add up."""
        distances = self.rows.mean_distances
        of_chosen = distances[chosen].sum(keepdims=True)
        base = self._moments(chosen[:-1], chosen[-1:], np.zeros(1), 1, of_chosen)[:, 0]
        added = self._column_moments[among]
        moments = np.zeros((len(among), 1, 3, 5))
        weight = base[:, :, 0]
        moments[:, 0, :, 0] = weight
        apart = (of_chosen + distances[among] - centre)[:, None]
        moments[:, 0, :, 1] = base[:, :, 1] + added[:, :, 1] + apart * weight
        same = self.pair_sums
        return DistanceMoments(
            eta=np.zeros((len(among), 1)),
            moments=moments,
            doubled=np.ones((len(among), 1)),
            centre=centre,
            spread=_fourth_root(base) + _fourth_root(added),
            same=(same[0].diagonal.sum() + same[0].constant, same[1].diagonal.sum() + same[1].constant),
            rounded=8.0 * ROUNDING * np.square(np.abs(self.rows.columns[among]).max(axis=1)),
        )


def _fourth_root(moments: Floats) -> Floats:
    """Return the fourth root of the sum of (D - mean)^4, with all pairs' factors and without: (n_subsets, 2)."""
    m0, m1, m2, m3, m4 = np.moveaxis(np.stack([moments[:, 0] + moments[:, 1], moments[:, 2]], axis=1), -1, 0)
    mean = np.divide(m1, m0, out=np.zeros_like(m0), where=m0 > 0)
    about_mean = m4 - 4.0 * mean * m3 + 6.0 * mean**2 * m2 - 3.0 * mean**4 * m0
    # The moments have errors of less than this.
    root: Floats = np.sqrt(np.sqrt(np.maximum(about_mean, 0.0) + 1e-3 * (m4 + mean**4 * m0)))
    return root


@dataclass(frozen=True)
class TargetAlignment:
    """Score features by the alignment of a Gaussian kernel with the classes.

    <K, T> / |K| |T|, which lies between -1 and 1. T = yy' for two classes, with labels of -1 and 1; for more it is 1
    for rows of the same class and 0 for others, centred. The width is the one with the highest alignment, as in
    KernelScatter. A subset in which no column varies has the value 0.

    Parameters
    ----------
    scale : {"std", "range", "symmetric"} or None, default="symmetric"
        As in ScatterTrace.

    See Also
    --------
    KernelAlignment : The selector with this criterion.
    KernelScatter : The scatter between the classes, without the length of the kernel.

    Notes
    -----
    Needs Rows. A single column uses the rows that have it; subsets need complete rows.

    References
    ----------
    Cristianini, Shawe-Taylor, Elisseeff, Kandola, 2001. On Kernel-Target Alignment. NIPS.
    Wang, 2008. Feature Selection with Kernel Class Separability, Eq. 18. https://doi.org/10.1109/TPAMI.2007.70799

    Examples
    --------
    >>> from fewest import FeatureSelector, GreedyForward, TargetAlignment, scan
    >>> FeatureSelector(TargetAlignment(), GreedyForward(), n_features=3).fit(scan("wine")).selection_.features
    ('flavanoids', 'alcohol', 'hue')
    """

    scale: str | None = "symmetric"

    offers: ClassVar[frozenset[str]] = frozenset(
        {"n_columns", "score_features", "score_subset", "score_additions", "score_removals", "bound_additions"}
    )

    def __post_init__(self) -> None:
        check_scale(self.scale)

    def statistic(self) -> Rows:
        return Rows()

    def bind(self, rows: Rows) -> TargetAlignmentObjective:
        return TargetAlignmentObjective(rows, self.scale)
