"""How much nearer rows lie to their own class than to the others, by densities of a Gaussian kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewest.arrays import Floats, Mask
from fewest.errors import InvalidInput, InvalidParameter
from fewest.methods.relief.class_kernel_sums import ClassKernelSums
from fewest.methods.relief.kernel_grids import KernelGrids
from fewest.methods.relief.mean_margins import MarginObjective
from fewest.parameters import is_number
from fewest.statistics.class_moments import ClassMoments
from fewest.statistics.rows import Rows
from fewest.statistics.scaling import check_scale, origin_and_unit

#: What both ways of summing give.
Sums = ClassKernelSums | KernelGrids

WIDTHS = ("sd/2", "silverman")
#: The squares of narrower columns lose digits, or vanish.
_NARROW = 1e-140


class ParzenMarginObjective(MarginObjective):
    """Mean margins, and how many classes they are of."""

    def __init__(self, margins: Floats, n_classes: int) -> None:
        super().__init__(margins)
        #: Classes that count: two rows and more of some column.
        self.n_classes = n_classes


@dataclass(frozen=True)
class ParzenMargin:
    """How much nearer, on the mean, rows lie to the rows of their own class than to those of the others.

    With k(a, b) = exp(-(a - b)^2 / 2 s^2), S_cd the sum of k over the rows of classes c and d, N_c rows in class c of
    N, and C classes,

    (1/C) sum_c [(S_cc - N_c) / (N_c (N_c - 1)) - (sum_{d != c} S_cd) / (N_c (N - N_c))]:

    the mean kernel between two rows of a class, less that between a row of it and one of the others. No row is compared
    with itself, and classes count alike: so a column that knows nothing of the class has a mean of 0. A class of one
    row has no such mean; it counts only among the others.

    width : s. "sd/2": half the standard deviation (over N) of the column; "silverman": 1.06 sd N^(-1/5); or a number,
        in units of the scaled column
    printed : as the paper prints it: (1/N) sum_c [S_cc / N_c - (sum_{d != c} S_cd) / (N - N_c)]. Each row is compared
        with itself too, and large classes count more: a column that knows nothing scores above 0, the more so the more
        it is spread out
    scale : as in ScatterTrace; without effect unless width is a number

    A constant column scores exactly 0. A row of weight 2 is the row twice, N_c total weights, which may be fractions; a
    class counts where its weight is two and more. Missing values: a column's sums run over its observed rows. In a
    column of text, k is 1 where two values are equal, else 0.

    Needs Rows, or, of a stream too large to be kept, two reads: the first tells the widths, the second spreads the rows
    over KernelGrids. O(n_rows) a column: see ClassKernelSums.
    Blind to redundancy and to what features say only together.
    Parzen-Relief of the paper on Bayes error and Relief, Eq. 14 (its Eq. 12 lacks the square).
    """

    width: str | float = "sd/2"
    printed: bool = False
    scale: str | None = "range"

    offers: ClassVar[frozenset[str]] = frozenset({"score_features"})
    takes_text: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_width(self.width)
        check_scale(self.scale)

    def statistic(self) -> Rows:
        return Rows()

    def column_summary(self) -> ClassMoments:
        return ClassMoments()

    def second_pass(self, summary: ClassMoments) -> KernelGrids:
        narrow = np.flatnonzero(_is_narrow(summary))
        if isinstance(self.width, str) and len(narrow):
            raise InvalidInput(
                f"The range of column number {narrow[0]} is below {_NARROW:g}, too narrow for its variance to be told "
                "from a stream. Multiply the column by a large number."
            )
        return KernelGrids(summary, self._widths(summary, origin_and_unit(summary, "std")[1]))

    def bind(self, rows: Rows | KernelGrids) -> ParzenMarginObjective:
        moments = rows.moments
        sums: Sums = (
            rows if isinstance(rows, KernelGrids) else ClassKernelSums(rows, self._widths(moments, _spread(rows)))
        )
        margins, n_counted = _printed(sums) if self.printed else _balanced(sums)
        varies = moments.highest > moments.lowest
        margins = np.where(varies, margins, 0.0)
        return ParzenMarginObjective(np.where(moments.is_observed, margins, np.nan), int(n_counted.max(initial=0)))

    def _widths(self, moments: ClassMoments, spread: Floats) -> Floats:
        """The width of each column's kernel, in the column's own units; 0 where it does not vary."""
        if not isinstance(self.width, str):
            return origin_and_unit(moments, self.scale)[1] * float(self.width)
        if self.width == "sd/2":
            return spread / 2
        weight = np.maximum(moments.weight.sum(axis=0), np.finfo(float).tiny)
        widths: Floats = 1.06 * spread * weight**-0.2
        return widths


def check_width(width: object) -> None:
    if not (is_number(width) and 0 < float(width) < np.inf) and not (isinstance(width, str) and width in WIDTHS):
        raise InvalidParameter(
            f"width must be a number above 0, or one of {', '.join(map(repr, WIDTHS))}; got {width!r} instead."
        )


def _is_narrow(moments: ClassMoments) -> Mask:
    """Which columns vary by so little that their squares lose digits."""
    varies = moments.highest > moments.lowest
    return varies & (np.where(varies, moments.highest, 0.0) - np.where(varies, moments.lowest, 0.0) < _NARROW)


def _spread(rows: Rows) -> Floats:
    """The standard deviation, over n, of each column; 0 where it does not vary."""
    moments = rows.moments
    spread = origin_and_unit(moments, "std")[1]
    for column in np.flatnonzero(_is_narrow(moments)):
        # Within their range first, where squares keep their digits.
        extent = moments.highest[column] - moments.lowest[column]
        x = np.concatenate([np.asarray(piece[:, column], dtype=np.float64) for piece in rows.pieces])
        x = (x - moments.lowest[column]) / extent
        weights = np.where(np.isnan(x), 0.0, rows.weights)
        x = np.nan_to_num(x)
        mean = np.average(x, weights=weights)
        spread[column] = extent * np.sqrt(np.average((x - mean) ** 2, weights=weights))
    return spread


def _balanced(sums: Sums) -> tuple[Floats, Floats]:
    """Margins, and how many classes each is the mean of."""
    weight, own, everything = sums.weight, sums.own, sums.all
    others = weight.sum(axis=1, keepdims=True) - weight
    counts = (weight >= 2) & _has_others(weight)
    with np.errstate(divide="ignore", invalid="ignore"):
        hit = (own - weight) / (weight * (weight - 1))
        miss = (everything - own) / (weight * others)
    n_counted = counts.sum(axis=1)
    margins = np.where(counts, hit - miss, 0.0).sum(axis=1) / np.maximum(n_counted, 1)
    return margins, n_counted


def _printed(sums: Sums) -> tuple[Floats, Floats]:
    weight, own, everything = sums.weight, sums.own, sums.all
    total = weight.sum(axis=1, keepdims=True)
    counts = (weight > 0) & _has_others(weight)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = own / weight - (everything - own) / (total - weight)
    margins = np.where(counts, each, 0.0).sum(axis=1) / np.maximum(total[:, 0], np.finfo(float).tiny)
    return margins, counts.sum(axis=1)


def _has_others(weight: Floats) -> Mask:
    """Whether some other class was observed too."""
    is_there = weight > 0
    others: Mask = is_there.sum(axis=1, keepdims=True) > is_there
    return others
