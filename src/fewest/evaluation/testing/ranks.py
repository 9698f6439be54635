"""Ranks in which what is equal but for rounding is equal."""

from __future__ import annotations

import numpy as np

from fewest.arrays import Floats, Indices

#: Errors that differ by no more than this are the same: the same share comes out of different sums.
TIE = 1e-12


def tie_groups(values: Floats, within: float = TIE) -> Indices:
    """The place of each value among the different ones, from 0 for the lowest."""
    order = np.argsort(values, kind="stable")
    ascending = values[order]
    # Compared, not subtracted, where ties must be exact: infinity less infinity is nothing.
    is_next = ascending[1:] - ascending[:-1] > within if within else ascending[1:] != ascending[:-1]
    groups = np.empty(len(values), dtype=np.intp)
    groups[order] = np.concatenate([[0], np.cumsum(is_next)])
    return groups


def average_ranks(values: Floats, within: float = TIE) -> Floats:
    """Ranks from 1 for the lowest; those that tie share the mean of their places."""
    groups = tie_groups(values, within)
    sizes = np.bincount(groups)
    return np.asarray(np.cumsum(sizes) - (sizes - 1) / 2)[groups]
