"""Rows that must be whole."""

from __future__ import annotations

import numpy as np

from fewest.errors import InvalidInput
from fewest.statistics.rows import Rows
from fewest.statistics.stratified_rows import StratifiedRows


def refuse_gaps(rows: Rows | StratifiedRows, reason: str, advice: str, *, even_without_values: bool = False) -> None:
    """Raise where a value is missing, but for columns that hold none at all.

    reason : why no value may be missing, after "and"
    advice : what can be done, after "Impute them first,"
    even_without_values : columns that hold none at all are gaps too
    """
    missing = np.where(rows.is_observed | even_without_values, rows.moments.missing, 0)
    if missing.any():
        raise InvalidInput(
            f"Input X contains NaN: {missing.sum()} values are missing, in {np.count_nonzero(missing)} of "
            f"{len(missing)} columns (the first is number {np.flatnonzero(missing)[0]}), and {reason}. Impute them "
            f"first, {advice}."
        )
