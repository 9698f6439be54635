"""Convert array-likes to arrays, with one clear error for values that cannot be evaluated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fewest.arrays import Floats, Indices, Mask
from fewest.errors import InvalidInput, InvalidParameter


def finite_array(name: str, values: ArrayLike, n_dimensions: int = 1) -> Floats:
    """A float64 array with at least one value, none of them missing or infinite."""
    numbers = _array(name, values, n_dimensions).astype(np.float64)
    wrong = np.argwhere(~np.isfinite(numbers))
    if len(wrong):
        where = ", ".join(str(position) for position in wrong[0])
        raise InvalidInput(
            f"{name} holds {numbers[tuple(wrong[0])]} (at {where}). Leave out what could not be measured, for all "
            "methods alike."
        )
    return numbers


def boolean_array(name: str, values: ArrayLike) -> Mask:
    """A boolean array of at least one value, from booleans or from 0 and 1."""
    flags = _array(name, values)
    if not np.all((flags == 0) | (flags == 1)):
        raise InvalidInput(f"{name} must be boolean, or 0 and 1.")
    return flags.astype(np.bool_)


def index_array(name: str, values: ArrayLike, n: int) -> Indices:
    """Different whole numbers from 0 to n - 1; there may be none."""
    indices = _array(name, values, is_filled=False)
    if indices.size == 0:
        return np.zeros(0, dtype=np.intp)
    if indices.dtype.kind not in "iu":
        raise InvalidInput(f"{name} must be whole numbers, got {indices.dtype} instead.")
    wrong = np.flatnonzero((indices < 0) | (indices >= n))
    if len(wrong):
        raise InvalidInput(
            f"{name} holds {indices[wrong[0]]} (at {wrong[0]}), but must lie between 0 and {n - 1}, both included."
        )
    if len(np.unique(indices)) < len(indices):
        raise InvalidInput(f"{name} holds a column twice. Give each column once.")
    return indices.astype(np.intp)


def check_lengths(**lengths: int) -> None:
    """Raise unless all lengths are equal."""
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise InvalidInput(f"The same rows, resamples or sizes are needed for all: {found}.")


def check_share(name: str, value: float) -> None:
    """Raise unless a level or a confidence lies strictly between 0 and 1."""
    if not 0.0 < value < 1.0:
        raise InvalidParameter(f"{name} must lie strictly between 0 and 1, got {value!r} instead.")


def check_names(names: Sequence[str], n_methods: int) -> tuple[str, ...]:
    """Raise unless there is one name a method, all different."""
    if isinstance(names, str) or len(names) != n_methods or len(set(names)) != n_methods:
        raise InvalidParameter(f"names must be {n_methods} different names, got {names!r} instead.")
    return tuple(names)


def _array(
    name: str, values: ArrayLike, n_dimensions: int = 1, *, is_filled: bool = True
) -> NDArray[np.number | np.bool_]:
    try:
        array = np.asarray(values)
        array = array if array.dtype.kind in "biuf" else array.astype(np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} must be an array of numbers.") from None
    if array.ndim != n_dimensions:
        raise InvalidInput(f"{name} must have {n_dimensions} dimension(s), got the shape {array.shape} instead.")
    if is_filled and array.size == 0:
        raise InvalidInput(f"{name} is empty. Give at least one value.")
    return array
