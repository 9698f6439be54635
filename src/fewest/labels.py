"""Codes for class labels, keyed by value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._core import distinct_rows
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
        if labels.dtype.kind in "fc":
            _refuse_quantities(labels)
        if labels.dtype.kind in "iuf" and labels.dtype.itemsize < 4:
            # The difference of two small numbers may not fit among them: 127 - (-128) in int8.
            labels = labels.astype(np.float64 if labels.dtype.kind == "f" else np.int64)
        if labels.dtype.kind in "iuf" and len(labels) > 0 and not np.isnan(labels).any():
            lowest = labels.min()
            if float(labels.max()) - float(lowest) < _SMALL_SPAN:
                offsets = (labels - lowest).astype(np.intp)
                return self._encode_distinct([lowest.item() + i for i in range(int(offsets.max()) + 1)], offsets)
        if labels.dtype.kind in "US":
            return self._encode_text(labels)
        return self._encode_by_hash(labels)

    def _encode_by_hash(self, labels: NDArray[Any]) -> NDArray[np.int32]:
        try:
            return np.fromiter(map(self._codes.__getitem__, labels.tolist()), dtype=np.int32, count=len(labels))
        except TypeError:
            odd = next(value for value in labels.tolist() if not isinstance(value, Hashable))
            raise InvalidInput(
                f"A class label must be a single value, such as a string or a number; got {odd!r}."
            ) from None

    def _encode_text(self, labels: NDArray[Any]) -> NDArray[np.int32]:
        """NumPy's text is rows of bytes of one length: equal rows are found without making a string of each."""
        width = labels.dtype.itemsize
        if width == 0 or len(labels) == 0:
            return self._encode_by_hash(labels)
        rows = np.ndarray((len(labels), width), np.uint8, np.ascontiguousarray(labels))
        places = np.empty(len(labels), dtype=np.int32)
        firsts = distinct_rows(rows, places)
        codes = np.array([self._codes[label] for label in labels[firsts].tolist()], dtype=np.int32)
        return codes[places]

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
        # 1 and np.int64(1) are equal and one class; it is called by its plain name.
        plain = value.item() if isinstance(value, np.generic) else value
        if is_missing(plain):
            return MISSING
        if isinstance(plain, float) and not plain.is_integer():
            _refuse_quantities(np.array([plain]))
        code = self[plain] = len(self)
        return code


def is_missing(value: Any) -> bool:
    """Whether this is None, NaN, NaT or NA."""
    if isinstance(value, np.generic):
        value = value.item()
    # NaN, NaT and NA do not equal themselves (NA's answer is not even a truth value, nor is that of an array).
    return value is None or (isinstance(value, Hashable) and (value != value) is not False)


def _refuse_quantities(labels: NDArray[Any]) -> None:
    if labels.dtype.kind == "c":
        raise InvalidInput("The labels are complex numbers. Name classes by text or whole numbers.")
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


def label_texts(values: Sequence[Any]) -> list[str]:
    """The labels as text, each its own: where 1 and "1" are both classes, they are written 1 and '1'."""
    texts = [str(value) for value in values]
    if len(set(texts)) == len(texts):
        return texts
    count = Counter(texts)
    return [repr(value) if count[text] > 1 else text for value, text in zip(values, texts, strict=True)]


def sort_classes(values: list[Any]) -> list[int]:
    """The positions of the labels in ascending order; by type and text where they cannot be compared."""
    try:
        return sorted(range(len(values)), key=values.__getitem__)
    except TypeError:
        return sorted(range(len(values)), key=lambda i: (type(values[i]).__name__, str(values[i])))
