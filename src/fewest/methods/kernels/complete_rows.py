"""Rows without gaps, scaled, in an order of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from fewest.arrays import Floats, Indices, Mask
from fewest.errors import InvalidInput
from fewest.statistics.content_order import content_order
from fewest.statistics.missing_values import refuse_gaps
from fewest.statistics.rows import Rows
from fewest.statistics.scaling import origin_and_unit


@dataclass(frozen=True)
class CompleteRows:
    """Rows without gaps, scaled, over the columns that vary.

    They stand in an order that their values decide: what is found step by step magnifies the last digit of a sum, so
    that sums must not depend on the order that the rows came in.

    values : (n_rows, n_varying), each column about its middle
    codes : the class of each row: 0, 1, ..., each of which is there
    weights : what each row weighs, where 2 is the row twice
    varying : which columns of the table these are
    is_observed : which columns of the table hold a value at all
    """

    values: Floats
    codes: Indices
    weights: Floats
    varying: Indices
    is_observed: Mask

    @classmethod
    def of(cls, rows: Rows, scale: str | None, who: str, most_rows: int) -> Self:
        """who : the criterion that asks, for the errors"""
        moments = rows.moments
        refuse_gaps(rows, f"{who} compares whole rows", "or drop these columns")
        if rows.n_rows > most_rows:
            raise InvalidInput(
                f"{who} solves equations with a number for every two rows, and {rows.n_rows:,} rows are too many: at "
                f"most {most_rows:,} are allowed. Give a sample of the rows."
            )
        total = float(rows.weights.sum())
        if rows.n_rows and total <= 1:
            raise InvalidInput(
                f"The rows weigh {total:g} together, and to {who} a weight of 2 is the row twice: so few rows tell "
                "nothing. Give weights that add up to about the number of rows."
            )
        order, rank_of_class = content_order(rows, np.ones(rows.n_rows, dtype=np.intp), rows.weights, seed=0)
        varying = np.flatnonzero(moments.highest > moments.lowest)
        weights = rows.weights[order]
        values = np.ascontiguousarray(rows.values[order][:, varying])
        origin, unit = origin_and_unit(moments, "symmetric" if scale == "std" else scale)
        values -= (moments.lowest + (moments.highest - moments.lowest) / 2 if scale is None else origin)[varying]
        if scale == "std":
            # Not from the moments, whose last digit depends on how the rows came.
            values -= _weighted_sums(weights, values) / total
            values /= np.sqrt(_weighted_sums(weights, np.square(values)) / total)
        elif scale is not None:
            values /= unit[varying]
        codes = np.unique(rank_of_class[rows.codes][order], return_inverse=True)[1]
        return cls(values, codes, weights, varying, rows.is_observed)

    @property
    def n_columns(self) -> int:
        return len(self.is_observed)

    def spread(self, of_varying: Floats) -> Floats:
        """A number for every column of the table: zero for one that does not vary, NaN for one without a value."""
        numbers = np.where(self.is_observed, 0.0, np.nan)
        numbers[self.varying] = of_varying
        return numbers

    def mean_square_distances(self) -> Floats:
        """By column, the mean squared difference between two rows."""
        total = float(self.weights.sum())
        mean = _weighted_sums(self.weights, self.values) / total
        return 2 * _weighted_sums(self.weights, np.square(self.values - mean)) / max(total - 1, 1.0)


def _weighted_sums(weights: Floats, values: Floats) -> Floats:
    """By column, and not as a matrix product, which may round a column by its place."""
    sums: Floats = (weights[:, None] * values).sum(axis=0)
    return sums
