"""The size of a candidate set: the least error where errors are small and steady."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

#: Errors that differ by less are equal.
_TIE = 1e-12


def stable_range(errors: Sequence[float]) -> range:
    """The run of sizes, as positions, where the error is small and steady: Omega of the mRMR paper.

    Of all windows of max(3, n/10 rounded up) sizes the first with the least mean + standard deviation of its errors,
    extended to the right, then to the left, while errors do not exceed its largest. The paper leaves Omega to the eye.
    """
    n = len(errors)
    width = min(n, max(3, math.ceil(n / 10)))
    windows = np.lib.stride_tricks.sliding_window_view(np.asarray(errors, dtype=np.float64), width)
    restless = windows.mean(axis=1) + windows.std(axis=1)
    first = int(np.flatnonzero(restless <= restless.min() + _TIE)[0])
    last = first + width - 1
    limit = float(windows[first].max()) + _TIE
    while last + 1 < n and errors[last + 1] <= limit:
        last += 1
    while first > 0 and errors[first - 1] <= limit:
        first -= 1
    return range(first, last + 1)


def stable_least(errors: Sequence[float]) -> int:
    """The first position of the least error within the stable range: n* of the mRMR paper, less one."""
    within = stable_range(errors)
    least = min(errors[i] for i in within)
    return next(i for i in within if errors[i] <= least + _TIE)
