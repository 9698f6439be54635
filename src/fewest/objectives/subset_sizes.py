"""Sizes of subsets to try."""

from __future__ import annotations

import math

import numpy as np


def candidate_sizes(limit: int) -> list[int]:
    """Return every size up to 10, then steps of about a fifth, up to the limit."""
    sizes = list(range(1, min(limit, 10) + 1))
    while sizes and sizes[-1] < limit:
        sizes.append(min(limit, math.ceil(sizes[-1] * 1.2)))
    return sizes


def logarithmic_sizes(limit: int, count: int) -> list[int]:
    """Return up to `count` sizes from 1 to the limit, evenly apart in logarithms."""
    sizes: list[int] = np.unique(np.round(np.geomspace(1, limit, min(count, limit))).astype(int)).tolist()
    return sizes if limit > count else list(range(1, limit + 1))
