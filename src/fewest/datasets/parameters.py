"""What a generator is given: parameters checked, and the random numbers of a seed."""

from __future__ import annotations

from numbers import Integral
from typing import Any
from zlib import crc32

import numpy as np

from fewest.errors import InvalidParameter


def check_count(name: str, value: Any, at_least: int) -> int:
    """The value as an int, if it is a whole number that is large enough."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < at_least:
        raise InvalidParameter(f"{name} must be a whole number of at least {at_least}, got {value!r} instead.")
    return int(value)


def check_flag(name: str, value: Any) -> bool:
    """The value as a bool, if it is one; "False" and 0 are not."""
    if not isinstance(value, bool | np.bool_):
        raise InvalidParameter(f"{name} must be True or False, got {value!r} instead.")
    return bool(value)


def random_stream(seed: Any, purpose: str) -> np.random.Generator:
    """The random numbers of a seed for one purpose; those of two purposes are independent.

    Everyone's seed is 0: drawn from one stream, the probes added to a generated table would repeat its own noise.
    """
    entropy = check_count("seed", seed, at_least=0)
    return np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(crc32(purpose.encode()),)))
