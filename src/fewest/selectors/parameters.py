"""Checks of what users set, with one form of message: "... must be ..., got ... instead"."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np

from fewest.errors import FewestWarning, InvalidParameter

SCALES = ("auto", "std", "range", "symmetric", None)
RULES = ("1se", "min", "stable")
DEFAULT_SIZE = 10


def check_number(name: str, value: Any) -> float:
    if not isinstance(value, Real) or isinstance(value, bool) or not np.isfinite(float(value)):
        raise InvalidParameter(f"{name} must be a finite number, got {value!r} instead.")
    return float(value)


def check_count(name: str, value: Any, at_least: int) -> int:
    if not isinstance(value, Integral) or isinstance(value, bool) or int(value) < at_least:
        raise InvalidParameter(f"{name} must be a whole number of at least {at_least}, got {value!r} instead.")
    return int(value)


def check_choice(name: str, value: Any, choices: tuple[Any, ...]) -> None:
    if not any(value is choice or (isinstance(value, str) and value == choice) for choice in choices):
        raise InvalidParameter(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r} instead.")


def check_size(n_features: Any) -> None:
    """Raise unless n_features is a count, a share, "auto" or None."""
    is_number = isinstance(n_features, Real) and not isinstance(n_features, bool)
    is_count = is_number and isinstance(n_features, Integral) and int(n_features) >= 1
    is_share = is_number and not isinstance(n_features, Integral) and 0 < float(n_features) <= 1
    if not (n_features is None or (isinstance(n_features, str) and n_features == "auto") or is_count or is_share):
        raise InvalidParameter(
            "n_features must be a whole number of at least 1, a share between 0 and 1, 'auto' or None, "
            f"got {n_features!r} instead."
        )


def resolve_size(n_features: int | float | None, n_columns: int) -> int:
    """How many columns a checked n_features asks for; more than there are are clipped, with a warning."""
    if n_features is None:
        return min(DEFAULT_SIZE, n_columns)
    if not isinstance(n_features, Integral):
        return max(1, round(float(n_features) * n_columns))
    if n_features > n_columns:
        warnings.warn(
            f"n_features={n_features} is more than the {n_columns} columns there are; all are taken.",
            FewestWarning,
            stacklevel=4,
        )
    return min(int(n_features), n_columns)
