"""Codes for class labels, and for the categories of a column of text, keyed by value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from datetime import date, time, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._core import distinct_rows
from fewest.arrays import Codes, Indices
from fewest.errors import InvalidInput

MISSING = -1
#: More distinct values than this are names of rows rather than categories.
MAX_CATEGORIES = 65_000
#: What a column of moments or spans of time holds, in words.
DATES = "dates, times or durations"
_SMALL_SPAN = 1 << 16


class ClassLabels:
    """Gives every distinct label a code, 0, 1, ..., as it first appears.

    A class may first appear in a later block; codes already given stay. Labels are hashed, not sorted: a
    hundred thousand strings take milliseconds. A missing label (None, NaN, NaT, NA) has the code MISSING.
    """

    def __init__(self, values: Iterable[Any] = ()) -> None:
        self._codes = _ClassCodes()
        for value in values:
            self._codes[value]

    @property
    def values(self) -> list[Any]:
        """The labels, in order of their codes."""
        return list(self._codes)

    def __len__(self) -> int:
        return len(self._codes)

    def encode(self, labels: NDArray[Any]) -> Codes:
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

    def _encode_by_hash(self, labels: NDArray[Any]) -> Codes:
        values = labels.tolist()
        try:
            return self._codes.of(values)
        except TypeError:
            odd = _not_hashable(values)
            raise InvalidInput(
                f"A class label must be a single value, such as a string or a number; got {odd!r}."
            ) from None

    def _encode_text(self, labels: NDArray[Any]) -> Codes:
        """NumPy's text is rows of bytes of one length: equal rows are found without making a string of each."""
        width = labels.dtype.itemsize
        if width == 0 or len(labels) == 0:
            return self._encode_by_hash(labels)
        rows = np.ndarray((len(labels), width), np.uint8, np.ascontiguousarray(labels))
        places = np.empty(len(labels), dtype=np.int32)
        firsts = distinct_rows(rows, places)
        codes = np.array([self._codes[label] for label in labels[firsts].tolist()], dtype=np.int32)
        return codes[places]

    def _encode_distinct(self, candidates: Iterable[Any], offsets: Indices) -> Codes:
        """Codes by a table over few candidate values, of which only those present become classes."""
        candidates = list(candidates)
        is_present = np.zeros(len(candidates), dtype=bool)
        is_present[offsets] = True
        table = np.full(len(candidates), MISSING, dtype=np.int32)
        for offset in np.flatnonzero(is_present):
            table[offset] = self._codes[candidates[offset]]
        return table[offsets]


class CategoryLabels:
    """Gives every distinct value of a column of text or categories a code, 0, 1, ..., as it first appears.

    A category may be anything but a moment, a span of time, bytes and what cannot be hashed: a number too, for numbers
    among text and numbers as categories are names. A missing value has the code MISSING.
    """

    def __init__(self, column: str) -> None:
        self._codes = _CategoryCodes(column)

    @property
    def values(self) -> list[Any]:
        """The categories, in order of their codes."""
        return list(self._codes)

    def encode(self, values: Sequence[Any]) -> Codes:
        """The code of every value; new values get new codes."""
        try:
            return self._codes.of(values)
        except TypeError:
            raise not_categories(self._codes.column, repr(_not_hashable(values))) from None


def not_categories(column: str, what: str) -> InvalidInput:
    """The error for a column that holds neither numbers nor categories."""
    how = "Convert it to numbers, such as days," if what == DATES else "Encode it as numbers"
    return InvalidInput(f"{column} holds {what}, not numbers or text. {how} or leave it out.")


class _CodesByValue(dict[Any, int]):
    def of(self, values: Sequence[Any]) -> Codes:
        return np.fromiter(map(self.__getitem__, values), dtype=np.int32, count=len(values))

    def __missing__(self, value: Any) -> int:
        if is_missing(value):
            return MISSING
        # 1 and np.int64(1) are equal and one class; it is called by its plain name.
        plain = value.item() if isinstance(value, np.generic) else value
        self.check(value)
        code = self[plain] = len(self)
        return code

    def check(self, value: Any) -> None:
        """Raise where a value must not have a code."""


class _ClassCodes(_CodesByValue):
    def check(self, value: Any) -> None:
        if isinstance(value, float | np.floating) and not float(value).is_integer():
            _refuse_quantities(np.array([value]))


class _CategoryCodes(_CodesByValue):
    def __init__(self, column: str) -> None:
        super().__init__()
        self.column = column

    def check(self, value: Any) -> None:
        # Not only dates themselves: pandas has periods, which can be made one.
        moments = (date, time, timedelta, np.datetime64, np.timedelta64)
        if isinstance(value, moments) or hasattr(value, "to_timestamp"):
            raise not_categories(self.column, DATES)
        if isinstance(value, bytes):
            raise not_categories(self.column, "bytes")
        if len(self) >= MAX_CATEGORIES:
            raise InvalidInput(
                f"{self.column} holds more than {MAX_CATEGORIES:,} distinct values: it looks like an identifier. "
                "Leave it out."
            )


def _not_hashable(values: Iterable[Any]) -> Any:
    return next(value for value in values if not _is_hashable(value))


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


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
