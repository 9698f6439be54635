"""How many features to look at, and which of the sizes to take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fewest.arrays import Floats
from fewest.errors import InvalidParameter
from fewest.selectors.size_rules import one_standard_error_rule
from fewest.size_grid import logarithmic_sizes

#: So many sizes, up to so many features, where nothing else is asked for.
_N_SIZES, _MOST = 15, 100


def to_sizes(sizes: Any, n_columns: int) -> tuple[int, ...]:
    """The sizes asked for that the table has columns for; by default about 15, evenly apart in logarithms."""
    if sizes is None:
        return tuple(logarithmic_sizes(min(_MOST, n_columns), _N_SIZES))
    given = [sizes] if isinstance(sizes, (int, np.integer)) else list(sizes)
    if not given or not all(isinstance(s, (int, np.integer)) and not isinstance(s, bool) and s >= 1 for s in given):
        raise InvalidParameter(f"sizes must be whole numbers of at least 1, got {sizes!r} instead.")
    return tuple(sorted({min(int(size), n_columns) for size in given}))


def chosen_place(errors: Floats, rule: str) -> int:
    """Which size the rule takes, from the errors of each fold (a row) at each size."""
    return int(errors.mean(axis=0).argmin()) if rule == "min" else one_standard_error_rule(errors)


def subsets_of(path: Any, sizes: Sequence[int]) -> list[tuple[int, ...]]:
    """The features at each size: the best found of that size, or of the largest below it that was visited."""
    visited = sorted(path)
    found = []
    for size in sizes:
        below = [known for known in visited if known <= size]
        found.append(tuple(path[below[-1] if below else visited[0]]))
    return found
