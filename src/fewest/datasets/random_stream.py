"""The random numbers of a seed."""

from __future__ import annotations

from zlib import crc32

import numpy as np

from fewest.parameters import check_count


def random_stream(seed: object, purpose: str) -> np.random.Generator:
    """The random numbers of a seed for one purpose; those of two purposes are independent.

    Everyone's seed is 0: drawn from one stream, the probes added to a generated table would repeat its own noise.
    """
    entropy = check_count("seed", seed, at_least=0)
    return np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(crc32(purpose.encode()),)))
