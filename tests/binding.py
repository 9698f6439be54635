"""Criteria bound to the rows of a table."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from fewest.data.array import ArraySource
from fewest.data.labels import Target


def bind(criterion, X, y, weights=None):
    """The criterion's objective for these rows."""
    source = ArraySource(X if sparse.issparse(X) else np.asarray(X), Target(np.asarray(y), weights))
    return criterion.bind(source.collect(criterion.statistic()))
