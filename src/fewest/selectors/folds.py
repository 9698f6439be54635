"""The folds under n_features="auto", from what scikit-learn calls cv."""

from __future__ import annotations

from typing import Any

import numpy as np

from fewest.data.source import Source
from fewest.parameters import check_count
from fewest.statistics.folded import GivenFolds, SpreadFolds
from fewest.statistics.splits import is_split, split_rows


def check_folds(cv: Any) -> None:
    """Raise unless cv is a count, a splitter, or an iterable of (train, test) rows."""
    if not is_split(cv):
        check_count("cv", cv, at_least=2)


def to_folds(source: Source, cv: Any, seed: int) -> SpreadFolds | GivenFolds:
    """Which fold each row is in: drawn evenly over the classes for a count, as given otherwise."""
    if not is_split(cv):
        return SpreadFolds(int(cv), seed)
    blocks = list(source.blocks([0]))
    if not any(block.n_rows for block in blocks):
        # Without rows there is nothing to split; what the statistic then lacks is said by whoever needs it.
        return SpreadFolds(2, seed)
    codes = np.concatenate([block.codes for block in blocks])
    # Rows without a label may have been left out: a splitter counts those that are there.
    rows = np.concatenate([[block.row_number(i) for i in range(block.n_rows)] for block in blocks]).astype(np.intp)
    folds, n_folds = split_rows(cv, codes)
    fold_of_row = np.zeros(rows.max() + 1, dtype=np.intp)
    fold_of_row[rows] = folds
    return GivenFolds(fold_of_row, n_folds)
