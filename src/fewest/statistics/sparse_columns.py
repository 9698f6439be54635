"""Sparse rows as columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse


def by_column(runs: list[Any]) -> Any:
    """Sparse rows as one matrix of float64, column by column, each value held once."""
    whole = runs[0] if len(runs) == 1 else sparse.vstack(runs)
    held = whole.tocsc()
    if not held.has_canonical_format:
        held = held.copy() if held is whole else held
        held.sum_duplicates()
    if held.dtype != np.float64:
        held = held.astype(np.float64)
    return held
