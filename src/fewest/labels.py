"""Codes for class labels, keyed by value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest.errors import InvalidInput

MISSING = -1
_SMALL_SPAN = 1 << 16


class ClassLabels:
    """Gives every distinct label a code, 0, 1, ..., as it first appears.

    A class may first appear in a later block; codes already given stay. Labels are hashed, not sorted: a
    hundred thousand strings take milliseconds. A missing label (None, NaN, NaT, NA) has the code MISSING.
    """

    def __init__(self, values: Iterable[Any] = ()) -> None:
        self._codes = _CodesByValue()
        for value in values:
            self._codes[value]

    @property
    def values(self) -> list[Any]:
        """The labels, in order of their codes."""
        return list(self._codes)

    def __len__(self) -> int:
        return len(self._codes)

    def encode(self, labels: NDArray[Any]) -> NDArray[np.int32]:
        """The code of every label; new labels get new codes."""
        if labels.dtype == np.bool_:
            return self._encode_distinct([False, True], labels.astype(np.intp))
        if labels.dtype.kind in "iu" and len(labels) > 0:
            lowest = int(labels.min())
            if int(labels.max()) - lowest < _SMALL_SPAN:
                offsets = (labels - labels.dtype.type(lowest)).astype(np.intp)
                return self._encode_distinct(range(lowest, lowest + int(offsets.max()) + 1), offsets)
        if labels.dtype.kind == "f":
            _refuse_quantities(labels)
        return np.fromiter(
            map(self._codes.__getitem__, map(_plain, labels.tolist()) if labels.dtype == object else labels.tolist()),
            dtype=np.int32,
            count=len(labels),
        )

    def _encode_distinct(self, candidates: Iterable[Any], offsets: NDArray[np.intp]) -> NDArray[np.int32]:
        """Codes by a table over few candidate values, of which only those present become classes."""
        candidates = list(candidates)
        is_present = np.zeros(len(candidates), dtype=bool)
        is_present[offsets] = True
        table = np.full(len(candidates), MISSING, dtype=np.int32)
        for offset in np.flatnonzero(is_present):
            table[offset] = self._codes[candidates[offset]]
        return table[offsets]


class _CodesByValue(dict[Any, int]):
    def __missing__(self, value: Any) -> int:
        # NaN, NaT and NA do not equal themselves (NA's answer is not even a truth value).
        if value is None or (value != value) is not False:
            return MISSING
        code = self[value] = len(self)
        return code


def _plain(value: Any) -> Any:
    """A label as a hashable Python value: NumPy scalars become numbers, so that 1 and np.int64(1) are one class."""
    if isinstance(value, np.generic):
        return value.item()
    try:
        hash(value)
    except TypeError:
        raise InvalidInput(
            f"A class label must be a single value, such as a string or a number; got {value!r}."
        ) from None
    return value


def _refuse_quantities(labels: NDArray[Any]) -> None:
    numbers = labels[~np.isnan(labels)]
    if np.any(np.isinf(numbers)):
        raise InvalidInput("The labels hold infinity: input y contains infinity or a value too large. Mend it first.")
    is_fraction = numbers != np.floor(numbers)
    if np.any(is_fraction):
        example = numbers[is_fraction][0]
        raise InvalidInput(
            f"The labels look like a continuous quantity (for example {example}), not like classes. "
            "Unknown label type: continuous. Cut the quantity into classes first, or name another target."
        )


def sort_classes(values: list[Any]) -> list[int]:
    """The positions of the labels in ascending order; by type and text where they cannot be compared."""
    try:
        return sorted(range(len(values)), key=values.__getitem__)
    except TypeError:
        return sorted(range(len(values)), key=lambda i: (type(values[i]).__name__, str(values[i])))
