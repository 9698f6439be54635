"""Weights as repetitions."""

from __future__ import annotations

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.errors import InvalidInput

_MOST = 1 << 31


def repetitions(weights: Floats | None) -> Indices | None:
    """How often each row counts, None where each counts once; raises where a weight is no whole number."""
    if weights is None or (weights == 1.0).all():
        return None
    times = np.rint(weights)
    if np.any(times != weights) or times.sum() > _MOST:
        raise InvalidInput(
            "Mutual information counts rows, so a sample_weight must be a whole number: how often the row counts. "
            "Round the weights, or leave them out."
        )
    return times.astype(np.intp)
