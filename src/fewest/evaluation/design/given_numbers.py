"""Numbers as they were given, checked: one clear error for what cannot be evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fewest.arrays import Floats, Indices, Mask
from fewest.errors import InvalidInput, InvalidParameter


def finite_numbers(name: str, values: ArrayLike, n_dimensions: int = 1) -> Floats:
    """The values as float64, none of them missing or infinite, and at least one."""
    numbers = _as_array(name, values, np.float64)
    if numbers.ndim != n_dimensions:
        raise InvalidInput(f"{name} must have {n_dimensions} dimension(s), got the shape {numbers.shape} instead.")
    if numbers.size == 0:
        raise InvalidInput(f"{name} is empty. Give at least one value.")
    wrong = np.argwhere(~np.isfinite(numbers))
    if len(wrong):
        where = ", ".join(str(position) for position in wrong[0])
        raise InvalidInput(
            f"{name} holds {numbers[tuple(wrong[0])]} (at {where}). Leave out what could not be measured, for all "
            "methods alike."
        )
    return numbers


def yes_or_no(name: str, values: ArrayLike) -> Mask:
    """Booleans, or numbers that are 0 or 1; at least one."""
    given = _as_array(name, values)
    if given.ndim != 1:
        raise InvalidInput(f"{name} must have 1 dimension, got the shape {given.shape} instead.")
    if given.size == 0:
        raise InvalidInput(f"{name} is empty. Give at least one value.")
    return as_booleans(name, given)


def as_booleans(name: str, given: NDArray[Any]) -> Mask:
    """An array of any shape as booleans; only 0 and 1 can become one."""
    if given.dtype != np.bool_ and not (given.dtype.kind in "iuf" and np.all((given == 0) | (given == 1))):
        raise InvalidInput(f"{name} must be boolean, or 0 and 1.")
    return given.astype(np.bool_)


def whole_numbers(name: str, values: ArrayLike, below: int) -> Indices:
    """Whole numbers from 0 to below - 1; there may be none."""
    given = _as_array(name, values)
    if given.ndim != 1:
        raise InvalidInput(f"{name} must have 1 dimension, got the shape {given.shape} instead.")
    if given.size == 0:
        return np.zeros(0, dtype=np.intp)
    if given.dtype.kind not in "iu":
        raise InvalidInput(f"{name} must be whole numbers, got {given.dtype} instead.")
    wrong = np.flatnonzero((given < 0) | (given >= below))
    if len(wrong):
        raise InvalidInput(
            f"{name} holds {given[wrong[0]]} (at {wrong[0]}), but must lie between 0 and {below - 1}, both included."
        )
    return given.astype(np.intp)


def check_same_length(**lengths: int) -> None:
    """Refuse what should go together and does not."""
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise InvalidInput(f"The same rows, resamples or sizes are needed for all: {told}.")


def check_share(name: str, value: float) -> float:
    """A level or a confidence: strictly between 0 and 1."""
    if not 0.0 < value < 1.0:
        raise InvalidParameter(f"{name} must lie strictly between 0 and 1, got {value!r} instead.")
    return float(value)


def check_names(names: Sequence[str], n_methods: int) -> tuple[str, ...]:
    """One name a method, all different."""
    if isinstance(names, str) or len(names) != n_methods or len(set(names)) != n_methods:
        raise InvalidParameter(f"names must be {n_methods} different names, got {names!r} instead.")
    return tuple(names)


def _as_array(name: str, values: ArrayLike, dtype: Any = None) -> NDArray[Any]:
    try:
        return np.asarray(values, dtype=dtype)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} must be an array of numbers.") from None
