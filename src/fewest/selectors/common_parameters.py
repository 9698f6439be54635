"""What every selector is given: how many features, and the words for scales and rules."""

from __future__ import annotations

import warnings
from typing import Any

from fewest.errors import FewestWarning
from fewest.parameters import is_number, is_whole, wrong

SCALES = ("auto", "std", "range", "symmetric", None)
RULES = ("1se", "min", "stable")
DEFAULT_SIZE = 10


def check_size(n_features: Any) -> None:
    """Raise unless n_features is a count, a share, "auto" or None."""
    is_count = is_whole(n_features) and n_features >= 1
    is_share = is_number(n_features) and 0 < n_features <= 1
    if not (n_features is None or (isinstance(n_features, str) and n_features == "auto") or is_count or is_share):
        allowed = "a whole number of at least 1, a share between 0 and 1, 'auto' or None"
        raise wrong("n_features", allowed, n_features)


def resolve_size(n_features: int | float | None, n_columns: int) -> int:
    """How many columns a checked n_features asks for; more than there are are clipped, with a warning."""
    if n_features is None:
        return min(DEFAULT_SIZE, n_columns)
    if not is_whole(n_features):
        return max(1, round(float(n_features) * n_columns))
    if n_features > n_columns:
        warnings.warn(
            f"n_features={n_features} is more than the {n_columns} columns there are; all are taken.",
            FewestWarning,
            stacklevel=4,
        )
    return min(int(n_features), n_columns)
