"""Rows as kernels between them need them: whole, scaled, and in an order of their own."""

from __future__ import annotations

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.errors import InvalidInput
from fewest.methods.kernels.class_form import ClassForm
from fewest.statistics.content_order import content_order
from fewest.statistics.prepared_rows import PreparedRows, reject_missing_values, varying_columns
from fewest.statistics.rows import Rows
from fewest.statistics.stratified_rows import StratifiedRows

#: Squares of columns that are further apart overflow.
_TOO_FAR = 1e150


class KernelRows(PreparedRows):
    """Rows in an order that their contents alone decide: what climbs on sums over them would amplify another rounding.

    Rows may be a sample of a table. They then weigh as much as all rows of their class, and pairs of them as much as
    all pairs, so that what a form adds up over the sample is that of the table but for the chance of the draw: pairs of
    different rows and those of a row with itself are drawn with different chances.

    columns : (n_columns, n_rows) the scaled values; a constant column is zero
    class_weight : the weight of each class
    spread : by column, the mean squared difference between two rows
    drawn_share : of the weight of each class, how much was drawn; 1 where all rows are here
    """

    def __init__(self, rows: Rows | StratifiedRows, scale: str | None, *, centred: bool = True) -> None:
        """centred : each column about its mean, which keeps more digits of distances"""
        advice = "drop these columns, or judge each column by itself (mode='individual')"
        reject_missing_values(rows, "a kernel compares complete rows", advice)
        varying = varying_columns(rows, scale)
        _check_near(rows, varying, scale)
        order, ranks = content_order(rows)
        super().__init__(rows, order, ranks, layout="F")
        self.scale_by_moments(scale)
        self._weigh(self.weights, _total_weight(rows, ranks))
        n = float(self.weights.sum())
        self.spread: Floats = np.zeros(rows.n_features)
        is_constant = np.ones(rows.n_features, dtype=np.bool_)
        is_constant[varying] = False
        self.values[:, is_constant] = 0.0
        for j in varying:
            column = self.columns[j]
            about_mean = column - self.weights @ column / n
            self.spread[j] = 2.0 * (self.weights @ np.square(about_mean)) / max(n - 1.0, 1.0)
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
        #: What a row with itself counts.
        self.self_weights: Floats = np.square(drawn) * times
        # Pairs of two different rows of a class: all there are over those drawn, beyond what the weights say already.
        of_all = np.square(self.class_weight) - squares / self.drawn_share
        of_drawn = np.square(self.class_weight) - squares / np.square(self.drawn_share)
        several = (of_drawn > 0) & (self.drawn_share < 1)
        self._same_class: Floats = np.divide(of_all, of_drawn, out=np.ones(n_classes), where=several)

    def table(self, form: ClassForm) -> Floats:
        """What a pair of different rows counts, classes by classes."""
        table = form.table
        np.fill_diagonal(table, np.diagonal(table) * self._same_class)
        return table

    def diagonal(self, form: ClassForm) -> Floats:
        """What each row counts with itself, where the kernel is one."""
        return self.self_weights * np.diagonal(form.table)[self.codes]


def _total_weight(rows: Rows | StratifiedRows, ranks: Indices) -> Floats | None:
    """The weight of each class in the table of which these rows are a sample; None where they are all."""
    if isinstance(rows, Rows):
        return None
    # Observed columns have no missing values here, and so the weight of all rows.
    observed = np.flatnonzero(rows.is_observed)
    if len(observed) == 0:
        return None
    total = np.zeros(len(ranks))
    total[ranks] = rows.moments.weight[:, observed[0]]
    return total


def _check_near(rows: Rows | StratifiedRows, varying: Indices, scale: str | None) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        apart = (rows.moments.highest - rows.moments.lowest)[varying]
    if scale is None and not (apart < _TOO_FAR).all():
        first = int(np.flatnonzero(~(apart < _TOO_FAR))[0])
        raise InvalidInput(
            f"The values of column number {varying[first]} lie {apart[first]:.3g} apart, too far for "
            "squares: input contains a value too large. Use scale='symmetric'."
        )
