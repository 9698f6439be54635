"""Rows as kernels between them need them: whole, scaled, and in an order of their own."""

from __future__ import annotations

import numpy as np

from fewest.arrays import Codes, Floats, Indices
from fewest.errors import InvalidInput
from fewest.methods.kernels.class_form import ClassForm
from fewest.statistics.content_order import content_order
from fewest.statistics.missing_values import refuse_gaps
from fewest.statistics.rows import Rows
from fewest.statistics.scaling import origin_and_unit
from fewest.statistics.stratified_rows import StratifiedRows

#: Squares of columns that are further apart overflow.
_TOO_FAR = 1e150


class KernelRows:
    """Rows in an order that their contents alone decide: what climbs on sums over them would amplify another rounding.

    Rows may be a sample of a table. They then weigh as much as all rows of their class, and pairs of them as much as
    all pairs, so that what a form adds up over the sample is that of the table but for the chance of the draw: pairs of
    different rows and those of a row with itself are drawn with different chances.

    columns : (n_columns, n_rows) the scaled values; one that does not vary is zero
    codes, weights : of each row
    class_weight : the weight of each class
    spread : by column, the mean squared difference between two rows
    drawn_share : of the weight of each class, how much was drawn; 1 where all rows are here
    """

    def __init__(self, rows: Rows | StratifiedRows, scale: str | None, *, centred: bool = True) -> None:
        """centred : each column about its mean, which keeps more digits of distances"""
        advice = "drop these columns, or judge each column by itself (mode='individual')"
        refuse_gaps(rows, "a kernel compares whole rows", advice)
        origin, unit = origin_and_unit(rows.moments, scale)
        _check_near(rows, unit, scale)
        n_rows, values = len(rows.codes), rows.values
        order, ranks = content_order(rows, np.ones(n_rows, dtype=np.intp), rows.weights, 0)
        self.codes: Codes = ranks[rows.codes[order]].astype(np.int32)
        drawn = np.ascontiguousarray(rows.weights[order])
        self._weigh(drawn, _total_weight(rows, ranks))
        self.columns: Floats = np.empty((rows.n_features, n_rows))
        n = float(self.weights.sum())
        self.spread: Floats = np.zeros(rows.n_features)
        for j, column in enumerate(self.columns):
            if not unit[j] > 0:
                column[:] = 0.0
                continue
            np.divide(values[order, j] - origin[j], unit[j], out=column)
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
        self.weights: Floats = drawn * times
        #: What a row with itself counts.
        self.self_weights: Floats = np.square(drawn) * times
        # Pairs of two different rows of a class: all there are over those drawn, beyond what the weights say already.
        of_all = np.square(self.class_weight) - squares / self.drawn_share
        of_drawn = np.square(self.class_weight) - squares / np.square(self.drawn_share)
        several = (of_drawn > 0) & (self.drawn_share < 1)
        self._same_class: Floats = np.divide(of_all, of_drawn, out=np.ones(n_classes), where=several)

    @property
    def n_columns(self) -> int:
        return len(self.columns)

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
    # Observed columns have no gaps here, and so the weight of all rows.
    observed = np.flatnonzero(rows.is_observed)
    if len(observed) == 0:
        return None
    total = np.zeros(len(ranks))
    total[ranks] = rows.moments.weight[:, observed[0]]
    return total


def _check_near(rows: Rows | StratifiedRows, unit: Floats, scale: str | None) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        apart = np.where(unit > 0, rows.moments.highest - rows.moments.lowest, 0.0)
    if scale is None and not (apart < _TOO_FAR).all():
        column = int(np.flatnonzero(~(apart < _TOO_FAR))[0])
        raise InvalidInput(
            f"The values of column number {column} lie {apart[column]:.3g} apart, too far for squares: input contains "
            "a value too large. Use scale='symmetric'."
        )
