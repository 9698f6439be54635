"""Complete rows for programs with a number for every two rows."""

from __future__ import annotations

import numpy as np

from fewest.arrays import Floats
from fewest.errors import InvalidInput
from fewest.statistics.content_order import content_order
from fewest.statistics.prepared_rows import PreparedRows, reject_missing_values, varying_columns
from fewest.statistics.rows import Rows


def complete_rows(rows: Rows, scale: str | None, criterion: str, max_rows: int) -> PreparedRows:
    """Rows ordered by content and scaled, over the columns that vary; codes are 0, 1, ..., each of which occurs.

    criterion : the name of the criterion, for the errors
    """
    reject_missing_values(rows, f"{criterion} compares complete rows", "or drop these columns")
    if rows.n_rows > max_rows:
        raise InvalidInput(
            f"{criterion} solves equations with a number for every two rows, and {rows.n_rows:,} rows are too many: at "
            f"most {max_rows:,} are allowed. Give a sample of the rows."
        )
    total = float(rows.weights.sum())
    if rows.n_rows and total <= 1:
        raise InvalidInput(
            f"The total weight of the rows is {total:g}, and to {criterion} a weight of 2 is the row twice. Give "
            "weights that add up to about the number of rows."
        )
    prepared = PreparedRows(rows, *content_order(rows), varying_columns(rows))
    prepared.scale_by_rows(scale, about_middle=True)
    prepared.codes = np.unique(prepared.codes, return_inverse=True)[1].astype(np.int32)
    return prepared


def mean_square_distances(rows: PreparedRows) -> Floats:
    """The mean squared difference between two rows, of each column."""
    total = float(rows.weights.sum())
    mean = rows.weighted_sums(rows.values) / total
    return 2 * rows.weighted_sums(np.square(rows.values - mean)) / max(total - 1, 1.0)
