"""Rows as kernels between them need them: whole, scaled, and in an order of their own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fewest.criteria.class_form import ClassForm
from fewest.criteria.content_order import content_order
from fewest.criteria.scaling import origin_and_unit
from fewest.errors import InvalidInput
from fewest.statistics import Rows

Floats = NDArray[np.float64]

#: Squares of columns that are further apart overflow.
_TOO_FAR = 1e150


class KernelRows:
    """Rows in an order that their contents alone decide: what climbs on sums over them would amplify another rounding.

    columns : (n_columns, n_rows) the scaled values; one that does not vary is zero
    codes, weights : of each row
    class_weight : the weight of each class
    spread : by column, the mean squared difference between two rows
    """

    def __init__(self, rows: Rows, scale: str | None, *, centred: bool = True) -> None:
        """centred : each column about its mean, which keeps more digits of distances"""
        check_whole(rows)
        origin, unit = origin_and_unit(rows.moments, scale)
        _check_near(rows, unit, scale)
        order, ranks = content_order(rows, np.ones(rows.n_rows, dtype=np.intp), rows.weights, 0)
        self.codes: NDArray[np.int32] = ranks[rows.codes[order]].astype(np.int32)
        self.weights: Floats = np.ascontiguousarray(rows.weights[order])
        self.class_weight: Floats = np.bincount(self.codes, self.weights, len(ranks)).astype(np.float64)
        self.columns: Floats = np.empty((rows.n_features, rows.n_rows))
        n = float(self.weights.sum())
        self.spread: Floats = np.zeros(rows.n_features)
        values = rows.values
        for j, column in enumerate(self.columns):
            if not unit[j] > 0:
                column[:] = 0.0
                continue
            np.divide(values[order, j] - origin[j], unit[j], out=column)
            about_mean = column - self.weights @ column / n
            self.spread[j] = 2.0 * (self.weights @ np.square(about_mean)) / max(n - 1.0, 1.0)
            if centred:
                column[:] = about_mean

    @property
    def n_columns(self) -> int:
        return len(self.columns)

    def pairs_of_themselves(self, form: ClassForm) -> float:
        """What the form counts for each row with itself, where the kernel is one."""
        squares = np.bincount(self.codes, np.square(self.weights), len(self.class_weight))
        return float(squares @ np.diagonal(form.table))


def check_whole(rows: Rows) -> None:
    """Raise where a value is missing, but for columns that hold none at all."""
    missing = np.where(rows.is_observed, rows.moments.missing, 0)
    if missing.any():
        raise InvalidInput(
            f"Input X contains NaN: {missing.sum()} values are missing, in {np.count_nonzero(missing)} of "
            f"{len(missing)} columns (the first is number {np.flatnonzero(missing)[0]}), and a kernel compares whole "
            "rows. Impute them first, drop these columns, or judge each column by itself (mode='individual')."
        )


def _check_near(rows: Rows, unit: Floats, scale: str | None) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        apart = np.where(unit > 0, rows.moments.highest - rows.moments.lowest, 0.0)
    if scale is None and not (apart < _TOO_FAR).all():
        column = int(np.flatnonzero(~(apart < _TOO_FAR))[0])
        raise InvalidInput(
            f"The values of column number {column} lie {apart[column]:.3g} apart, too far for squares: input contains "
            "a value too large. Use scale='symmetric'."
        )
