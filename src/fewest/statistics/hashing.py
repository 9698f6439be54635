"""Numbers that stand for values, and look as if drawn at random."""

from __future__ import annotations

import numpy as np

from fewest.arrays import Floats, Hashes


def bits_of(values: Floats) -> Hashes:
    """Numbers as they are stored, with one zero and one NaN."""
    plain = values + 0.0
    plain[np.isnan(plain)] = np.nan
    return plain.view(np.uint64)


def mixed(keys: Hashes) -> Hashes:
    """Each key so that a change of any bit changes about half of all (the finaliser of SplitMix64)."""
    keys = keys + np.uint64(0x9E3779B97F4A7C15)
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return keys ^ (keys >> np.uint64(31))
