"""The folds under n_features="auto", from what scikit-learn calls cv."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from fewest.errors import InvalidInput, InvalidParameter
from fewest.protocols import Source
from fewest.selectors.parameters import check_count
from fewest.statistics import GivenFolds, SpreadFolds


def check_folds(cv: Any) -> None:
    """Raise unless cv is a count, a splitter, or an iterable of (train, test) rows."""
    if (hasattr(cv, "split") or isinstance(cv, Iterable)) and not isinstance(cv, str | type):
        return
    check_count("cv", cv, at_least=2)


def to_folds(source: Source, cv: Any, seed: int) -> SpreadFolds | GivenFolds:
    """Which fold each row is in: drawn evenly over the classes for a count, as given otherwise."""
    if not (hasattr(cv, "split") or isinstance(cv, Iterable)):
        return SpreadFolds(int(cv), seed)
    blocks = list(source.blocks([0]))
    if not any(block.n_rows for block in blocks):
        # Without rows there is nothing to split; what the statistic then lacks is said by whoever needs it.
        return SpreadFolds(2, seed)
    codes = np.concatenate([block.codes for block in blocks])
    # Rows without a label may have been left out: a splitter counts those that are there.
    rows = np.concatenate([[block.row_number(i) for i in range(block.n_rows)] for block in blocks]).astype(np.intp)
    try:
        splits = list(cv.split(np.zeros((len(codes), 1)), codes) if hasattr(cv, "split") else cv)
    except (TypeError, ValueError) as error:
        raise InvalidParameter(f"cv={cv!r} cannot split the {len(codes)} rows: {error} Use a count.") from None
    times_tested = np.zeros(len(codes), dtype=np.intp)
    fold_of_row = np.zeros(rows.max() + 1, dtype=np.intp)
    try:
        for k, (_, test) in enumerate(splits):
            fold_of_row[rows[test]] = k
            np.add.at(times_tested, test, 1)
    except (IndexError, TypeError, ValueError):
        raise InvalidParameter("cv must be a count, a splitter, or (train, test) pairs of row numbers.") from None
    if len(splits) < 2 or np.any(times_tested != 1):
        raise InvalidInput(
            f"cv must test every row once, in at least two folds; {np.count_nonzero(times_tested != 1)} of "
            f"{len(codes)} rows are not. Use a count or a k-fold splitter."
        )
    return GivenFolds(fold_of_row, len(splits))
