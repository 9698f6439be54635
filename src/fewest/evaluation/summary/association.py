"""How alike two columns are, where one or both hold categories."""

from __future__ import annotations

import numpy as np

from fewest.arrays import Floats, Integers


def correlation_ratio(codes: Integers, centred: Floats) -> float:
    """The square root of the share of the variance between the categories, adjusted for their number (Kelley 1935)."""
    counts = np.bincount(codes)
    total, n, k = float(np.square(centred).sum()), len(codes), len(counts)
    if total <= 0 or k < 2 or n <= k:
        return 0.0
    between = float((np.bincount(codes, weights=centred) ** 2 / counts).sum())
    return float(np.sqrt(max(0.0, 1.0 - (total - between) / (n - k) * (n - 1) / total)))


def cramers_v(a: Integers, b: Integers) -> float:
    """Cramér's V of two columns of categories, corrected for its bias (Bergsma 2013)."""
    rows, columns, n = int(a.max()) + 1, int(b.max()) + 1, len(a)
    if min(rows, columns) < 2:
        return 0.0
    counts = np.bincount(a * columns + b, minlength=rows * columns).reshape(rows, columns)
    expected = counts.sum(axis=1)[:, None] * counts.sum(axis=0) / n
    phi = float((np.square(counts - expected) / expected).sum()) / n - (rows - 1) * (columns - 1) / (n - 1)
    corrected = min(rows - (rows - 1) ** 2 / (n - 1), columns - (columns - 1) ** 2 / (n - 1)) - 1
    return float(np.sqrt(max(0.0, phi) / corrected)) if corrected > 0 else 0.0
