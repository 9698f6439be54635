"""Parzen-Relief: mean margins from Gaussian kernel densities of the classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewest.arrays import Floats, Indices, Mask
from fewest.data.labels import sort_classes
from fewest.errors import InvalidInput
from fewest.methods.relief.class_kernel_sums import KernelGrids, class_kernel_sums
from fewest.objectives import ColumnScores
from fewest.parameters import check_flag, check_positive
from fewest.statistics.class_moments import ClassMoments, check_scale, origin_and_unit
from fewest.statistics.rows import Rows

WIDTHS = ("sd/2", "silverman")
#: Columns with a smaller range: their squares underflow or lose digits.
_NARROW = 1e-140


class ParzenMarginObjective(ColumnScores):
    """Mean margins, with the number of classes they are averaged over: those with two rows or more in some column."""

    def __init__(self, margins: Floats, n_classes: int) -> None:
        super().__init__(margins)
        self.n_classes = n_classes


@dataclass(frozen=True)
class ParzenMargin:
    """Score columns by the mean kernel between rows of one class less that between rows of different classes.

    With k(a, b) = exp(-(a - b)^2 / 2 s^2), S_cd the sum of k over the rows of classes c and d, N_c rows in class c of
    N, and C classes,

    (1/C) sum_c [(S_cc - N_c) / (N_c (N_c - 1)) - (sum_{d != c} S_cd) / (N_c (N - N_c))].

    Its mean is 0 for a column that shares no information with the class. A class of one row counts only among others.

    Parameters
    ----------
    width : {"sd/2", "silverman"} or float, default="sd/2"
        The kernel width s: half the standard deviation (over N) of the column, 1.06 sd N^(-1/5), or a number in units
        of the scaled column.
    printed : bool, default=False
        Use the paper's form, (1/N) sum_c [S_cc / N_c - (sum_{d != c} S_cd) / (N - N_c)], with self-pairs and a larger
        weight of large classes.
    scale : {"std", "range", "symmetric"} or None, default="range"
        The scaling of the columns; used where `width` is a number.

    See Also
    --------
    fewest.ParzenRelief : The selector with this criterion, and its reference.

    Notes
    -----
    A constant column scores exactly 0. A row of weight 2 equals the row twice; weights may be fractions, and a class
    counts if its weight is at least two. The sums of a column run over its observed rows. In a column of categories k
    is 1 where two values are equal, otherwise 0. Needs Rows, or two passes over a stream too large to store: the second
    fills KernelGrids. O(n_rows) a column. Eq. 14 of the paper (its Eq. 12 lacks the square).

    Examples
    --------
    >>> from fewest import FeatureSelector, IndividualRanking, ParzenMargin, scan
    >>> FeatureSelector(ParzenMargin(), IndividualRanking(), n_features=3).fit(scan("wine")).selection_.features
    ('flavanoids', 'od280/od315_of_diluted_wines', 'proline')
    """

    width: str | float = "sd/2"
    printed: bool = False
    scale: str | None = "range"

    offers: ClassVar[frozenset[str]] = frozenset({"score_features"})
    takes_text: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not isinstance(self.width, str) or self.width not in WIDTHS:
            check_positive("width", self.width, end=f" or one of {', '.join(map(repr, WIDTHS))}")
        check_flag("printed", self.printed)
        check_scale(self.scale)

    def statistic(self) -> Rows:
        return Rows()

    def column_summary(self) -> ClassMoments:
        return ClassMoments()

    def second_pass(self, summary: ClassMoments) -> KernelGrids:
        narrow = np.flatnonzero(_is_narrow(summary))
        if isinstance(self.width, str) and len(narrow):
            raise InvalidInput(
                f"The range of column number {narrow[0]} is below {_NARROW:g}, too narrow to compute its variance from "
                "a stream. Multiply the column by a large number."
            )
        return KernelGrids(summary, self._widths(summary, origin_and_unit(summary, "std")[1]))

    def bind(self, statistic: Rows | KernelGrids) -> ParzenMarginObjective:
        moments = statistic.moments
        sums = statistic.sums() if isinstance(statistic, KernelGrids) else self._sums(statistic)
        weight = np.ascontiguousarray(moments.weight[sort_classes(statistic.classes)].T)
        margins, n_averaged = _mean_margins(weight, *sums, self.printed)
        margins = np.where(moments.highest > moments.lowest, margins, 0.0)
        return ParzenMarginObjective(np.where(moments.is_observed, margins, np.nan), int(n_averaged.max(initial=0)))

    def _sums(self, rows: Rows) -> tuple[Floats, Floats]:
        moments, order = rows.moments, sort_classes(rows.classes)
        codes = np.argsort(order).astype(np.int32)[rows.codes]
        width = self._widths(moments, _standard_deviations(rows))
        extent, categorical = (moments.lowest, moments.highest), rows.categorical_columns
        return class_kernel_sums(rows.chunks, codes, rows.weights, len(order), *extent, width, categorical)

    def _widths(self, moments: ClassMoments, deviations: Floats) -> Floats:
        """Return the kernel width of each column in its own units; 0 for a constant column."""
        if not isinstance(self.width, str):
            return origin_and_unit(moments, self.scale)[1] * float(self.width)
        if self.width == "sd/2":
            return deviations / 2
        weight = np.maximum(moments.weight.sum(axis=0), np.finfo(float).tiny)
        return np.asarray(1.06 * deviations * weight**-0.2)


def _is_narrow(moments: ClassMoments) -> Mask:
    """Return which columns vary over a range so small that their squares lose digits."""
    varies = moments.highest > moments.lowest
    return varies & (np.where(varies, moments.highest, 0.0) - np.where(varies, moments.lowest, 0.0) < _NARROW)


def _standard_deviations(rows: Rows) -> Floats:
    """Return the standard deviation (over n) of each column; 0 for a constant column."""
    moments = rows.moments
    deviations = origin_and_unit(moments, "std")[1]
    for column in np.flatnonzero(_is_narrow(moments)):
        # Scaled to [0, 1] first, where squares keep their digits.
        extent = moments.highest[column] - moments.lowest[column]
        x = np.concatenate([np.asarray(piece[:, column], dtype=np.float64) for piece in rows.dense_chunks])
        x = (x - moments.lowest[column]) / extent
        weights = np.where(np.isnan(x), 0.0, rows.weights)
        x = np.nan_to_num(x)
        mean = np.average(x, weights=weights)
        deviations[column] = extent * np.sqrt(np.average((x - mean) ** 2, weights=weights))
    return deviations


def _mean_margins(weight: Floats, within: Floats, total: Floats, printed: bool) -> tuple[Floats, Indices]:
    """Return the margin of each column, balanced or as the paper prints it, and the number of classes averaged."""
    all_weight = weight.sum(axis=1, keepdims=True)
    is_observed = weight > 0
    has_other_class = is_observed.sum(axis=1, keepdims=True) > is_observed
    counts = (is_observed if printed else weight >= 2) & has_other_class
    n_averaged = counts.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        if printed:
            margins = within / weight - (total - within) / (all_weight - weight)
            divisor = np.maximum(all_weight[:, 0], np.finfo(float).tiny)
        else:
            hit = (within - weight) / (weight * (weight - 1))
            margins = hit - (total - within) / (weight * (all_weight - weight))
            divisor = np.maximum(n_averaged, 1)
    return np.where(counts, margins, 0.0).sum(axis=1) / divisor, n_averaged
