"""Rules that choose a size from the cross-validated errors of all sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from fewest.arrays import Floats

#: Errors that differ by less are equal.
_TIE = 1e-12


def one_standard_error_rule(errors: Floats) -> int:
    """Return the index of the first size whose mean error is within one standard error of the least.

    errors : the error on each fold, a row, at each size, a column
    """
    mean = errors.mean(axis=0)
    best = int(np.argmin(mean))
    return int(np.flatnonzero(mean <= mean[best] + standard_error(errors)[best] + _TIE)[0])


def standard_error(errors: Floats) -> Floats:
    """Return the standard error of the mean over the folds at each size; zero where there is one fold."""
    if len(errors) == 1:
        return np.zeros(errors.shape[1])
    return np.asarray(np.std(errors, axis=0, ddof=1) / np.sqrt(len(errors)))


def stable_range(errors: Sequence[float]) -> range:
    """Return the run of sizes, as indices, where the error is small and steady: Omega of the mRMR paper.

    Of all windows of max(3, n/10 rounded up) sizes the first with the least mean + standard deviation of its errors,
    extended to the right, then to the left, while errors do not exceed its largest. The paper chooses Omega by eye.
    """
    n = len(errors)
    width = min(n, max(3, math.ceil(n / 10)))
    windows = np.lib.stride_tricks.sliding_window_view(np.asarray(errors, dtype=np.float64), width)
    unsteadiness = windows.mean(axis=1) + windows.std(axis=1)
    first = int(np.flatnonzero(unsteadiness <= unsteadiness.min() + _TIE)[0])
    last = first + width - 1
    limit = float(windows[first].max()) + _TIE
    while last + 1 < n and errors[last + 1] <= limit:
        last += 1
    while first > 0 and errors[first - 1] <= limit:
        first -= 1
    return range(first, last + 1)


def stable_least(errors: Sequence[float]) -> int:
    """Return the first index of the least error within the stable range: n* of the mRMR paper, less one."""
    within = stable_range(errors)
    least = min(errors[i] for i in within)
    return next(i for i in within if errors[i] <= least + _TIE)
