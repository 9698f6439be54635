"""Rows prepared for sums of kernels over pairs of rows."""

from __future__ import annotations

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.errors import OverflowingColumn
from fewest.methods.kernels.gaussian_sums import ClassPairSum, RowPairSum
from fewest.statistics.content_order import content_order
from fewest.statistics.prepared_rows import PreparedRows, reject_missing_values, varying_columns
from fewest.statistics.rows import Rows
from fewest.statistics.stratified_rows import StratifiedRows

#: Squares of larger ranges, summed, would overflow.
_MAX_RANGE = 1e150


class KernelRows(PreparedRows):
    """Complete rows ordered by content and scaled, all columns, with the weights of a sample.

    Rows may be a sample of a table. They then weigh as much as all rows of their class, and pairs of them as much as
    all pairs, so that a sum over the sample estimates that over the table without bias: pairs of different rows and
    pairs of a row with itself are drawn with different probabilities.

    columns : (n_columns, n_rows) the scaled values; a constant column is zero
    class_weight : the weight of each class
    mean_distances : the mean squared difference between two rows, of each column
    drawn_share : the share of the weight of each class that was drawn; 1 where all rows are used
    """

    def __init__(self, rows: Rows | StratifiedRows, scale: str | None, *, centred: bool = True) -> None:
        """centred : shift each column to its mean, which keeps more digits of distances"""
        advice = "drop these columns, or evaluate each column alone (mode='individual')"
        reject_missing_values(rows, "a kernel compares complete rows", advice)
        varying = varying_columns(rows, scale)
        with np.errstate(over="ignore", invalid="ignore"):
            is_far = ~((rows.moments.highest - rows.moments.lowest)[varying] < _MAX_RANGE)
        if scale is None and is_far.any():
            raise OverflowingColumn(int(varying[is_far][0]))
        order, ranks = content_order(rows)
        super().__init__(rows, order, ranks, layout="F")
        self.scale_by_moments(scale)
        self._weigh(self.weights, _total_weight(rows, ranks))
        n = float(self.weights.sum())
        self.mean_distances: Floats = np.zeros(rows.n_features)
        self.values[:, np.delete(np.arange(rows.n_features), varying)] = 0.0
        for j in varying:
            column = self.columns[j]
            about_mean = column - self.weights @ column / n
            self.mean_distances[j] = 2.0 * (self.weights @ np.square(about_mean)) / max(n - 1.0, 1.0)
            if centred:
                column[:] = about_mean

    def _weigh(self, drawn: Floats, class_weight: Floats | None) -> None:
        n_classes = int(self.codes.max()) + 1
        of_class = np.bincount(self.codes, drawn, n_classes).astype(np.float64)
        squares = np.bincount(self.codes, np.square(drawn), n_classes).astype(np.float64)
        self.class_weight: Floats = of_class if class_weight is None else class_weight[:n_classes]
        self.drawn_share: Floats = np.divide(of_class, self.class_weight, out=np.ones(n_classes), where=of_class > 0)
        times = 1.0 / self.drawn_share[self.codes]
        self.weights = drawn * times
        self._self_weights: Floats = np.square(drawn) * times
        # For pairs of different rows of a class: their weight in the table over that of the weighted rows drawn.
        of_all = np.square(self.class_weight) - squares / self.drawn_share
        of_drawn = np.square(self.class_weight) - squares / np.square(self.drawn_share)
        several = (of_drawn > 0) & (self.drawn_share < 1)
        self._same_class: Floats = np.divide(of_all, of_drawn, out=np.ones(n_classes), where=several)

    def pair_sum(self, one: ClassPairSum) -> RowPairSum:
        """Return the sum over pairs of these rows; for a sample, the unbiased estimate of that over all rows."""
        factors = one.factors
        diagonal = self._self_weights * np.diagonal(factors)[self.codes]
        np.fill_diagonal(factors, np.diagonal(factors) * self._same_class)
        return RowPairSum(factors, diagonal, one.constant, one.power)


def _total_weight(rows: Rows | StratifiedRows, ranks: Indices) -> Floats | None:
    """Return the weight of each class in the table of which these rows are a sample; None where they are all rows."""
    # Observed columns have no missing values here, and so the weight of all rows.
    observed = np.flatnonzero(rows.is_observed)
    if isinstance(rows, Rows) or len(observed) == 0:
        return None
    total = np.zeros(len(ranks))
    total[ranks] = rows.moments.weight[:, observed[0]]
    return total
