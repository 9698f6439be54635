"""Rules that choose a size from the losses at several sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from fewest.arrays import Floats

#: Losses that differ by less are equal.
TIE = 1e-12


def index_of_least(mean: Floats) -> int:
    """Return the index of the first of the least losses."""
    return int(np.flatnonzero(mean <= mean.min() + TIE)[0])


def one_standard_error_rule(errors: Floats, n_folds: int | None = None) -> int:
    """Return the index of the first size whose mean error is within one standard error of the least.

    errors : the error on each fold, a row, at each size, a column
    n_folds : as in standard_error
    """
    mean = errors.mean(axis=0)
    best = index_of_least(mean)
    return int(np.flatnonzero(mean <= mean[best] + standard_error(errors, n_folds)[best] + TIE)[0])


def standard_error(errors: Floats, n_folds: int | None = None) -> Floats:
    """Return the standard error of the mean over the folds at each size; zero where there is one fold.

    n_folds : the number of folds that one draw has, where the rows of `errors` are those of several: drawing the same
        table again tells nothing new about other tables
    """
    if len(errors) == 1:
        return np.zeros(errors.shape[1])
    return np.asarray(np.std(errors, axis=0, ddof=1) / np.sqrt(n_folds or len(errors)))


def stable_range(errors: Sequence[float]) -> range:
    """Return the run of sizes, as indices, where the error is small and steady: Omega of the mRMR paper.

    Of all windows of max(3, n/10 rounded up) sizes the first with the least mean + standard deviation of its errors,
    extended right, then left, while errors do not exceed its largest. The paper chooses Omega by eye.
    """
    n = len(errors)
    width = min(n, max(3, math.ceil(n / 10)))
    windows = np.lib.stride_tricks.sliding_window_view(np.asarray(errors, dtype=np.float64), width)
    unsteadiness = windows.mean(axis=1) + windows.std(axis=1)
    first = int(np.flatnonzero(unsteadiness <= unsteadiness.min() + TIE)[0])
    last = first + width - 1
    limit = float(windows[first].max()) + TIE
    while last + 1 < n and errors[last + 1] <= limit:
        last += 1
    while first > 0 and errors[first - 1] <= limit:
        first -= 1
    return range(first, last + 1)


def stable_least(errors: Sequence[float]) -> int:
    """Return the first index of the least error within the stable range: n* of the mRMR paper, less one."""
    within = stable_range(errors)
    least = min(errors[i] for i in within)
    return next(i for i in within if errors[i] <= least + TIE)
