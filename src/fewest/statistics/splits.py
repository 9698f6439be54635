"""Folds as scikit-learn's cv gives them: a splitter, or pairs of row numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from fewest.arrays import Codes, Indices
from fewest.errors import InvalidInput, InvalidParameter


def is_split(cv: Any) -> bool:
    """Whether cv says itself which rows to test, rather than into how many folds to deal them."""
    return (hasattr(cv, "split") or isinstance(cv, Iterable)) and not isinstance(cv, str | type)


def split_rows(cv: Any, codes: Codes) -> tuple[Indices, int]:
    """The fold in which each row of these classes is tested, and how many folds there are."""
    try:
        splits = list(cv.split(np.zeros((len(codes), 1)), codes) if hasattr(cv, "split") else cv)
    except (TypeError, ValueError) as error:
        raise InvalidParameter(f"cv={cv!r} cannot split the {len(codes)} rows: {error} Use a count.") from None
    times_tested = np.zeros(len(codes), dtype=np.intp)
    folds = np.zeros(len(codes), dtype=np.intp)
    try:
        for k, (_, test) in enumerate(splits):
            folds[test] = k
            np.add.at(times_tested, test, 1)
    except (IndexError, TypeError, ValueError):
        raise InvalidParameter("cv must be a count, a splitter, or (train, test) pairs of row numbers.") from None
    if len(splits) < 2 or np.any(times_tested != 1):
        raise InvalidInput(
            f"cv must test every row once, in at least two folds; {np.count_nonzero(times_tested != 1)} of "
            f"{len(codes)} rows are not. Use a count or a k-fold splitter."
        )
    return folds, len(splits)
