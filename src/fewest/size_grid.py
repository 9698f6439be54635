"""Which sizes to look at on the way to the largest."""

from __future__ import annotations

import math


def candidate_sizes(limit: int) -> list[int]:
    """Every size up to 10, then steps of about a fifth, up to the limit."""
    sizes = list(range(1, min(limit, 10) + 1))
    while sizes and sizes[-1] < limit:
        sizes.append(min(limit, math.ceil(sizes[-1] * 1.2)))
    return sizes
