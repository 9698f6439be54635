"""Class labels and weights of rows: codes for labels, checks, and the text and order in which classes are shown."""

from __future__ import annotations

import os
import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from fewest._core import distinct_rows
from fewest.arrays import Codes, Floats, Indices, Mask
from fewest.data.block import Block
from fewest.data.column_kinds import NUMBER, reading_of_texts
from fewest.data.sparse_matrix import Matrix
from fewest.data.text_numbers import is_missing_word
from fewest.errors import ContinuousTarget, FewestError, InvalidInput, UnlabelledRows

#: The code of a missing label or category.
MISSING = -1
#: Integers that span less are encoded by a table.
_SMALL_SPAN = 1 << 16
#: Up to here a float64 counts every one.
_LARGEST_TOTAL = 2.0**53
#: The square of a smaller weight would vanish, and solvers that divide by it would never end.
_LEAST_WEIGHT = 1e-100
#: Text that is a whole number; 007 is a name.
_WHOLE_NUMBER = re.compile(r"\s*(-?(?:0|[1-9]\d{0,17}))(?:\.0*)?\s*")
#: Characters of a value that an error shows.
_MOST_SHOWN = 200
#: Several readers may meet a new class at once.
_ONE_AT_A_TIME = Lock()
if hasattr(os, "register_at_fork"):
    # Another thread may hold it when the process is forked.
    os.register_at_fork(after_in_child=lambda: globals().update(_ONE_AT_A_TIME=Lock()))


class CodesByValue(dict[Hashable, int]):
    """A code for each distinct value, 0, 1, ..., in order of first appearance; MISSING for a missing one.

    Text that stands for a missing value, such as NA, is one.
    """

    def of(self, values: Sequence[Hashable]) -> Codes:
        return np.fromiter(map(self.__getitem__, values), dtype=np.int32, count=len(values))

    def __missing__(self, value: Hashable) -> int:
        if is_missing_word(value) if isinstance(value, str) else is_missing(value):
            return MISSING
        # 1 and np.int64(1) are equal and one class; it is called by its plain name.
        plain = value.item() if isinstance(value, np.generic) else value
        self.check(value)
        code = self[plain] = len(self)
        return code

    @abstractmethod
    def check(self, value: Hashable) -> None:
        """Raise where a value must not have a code."""


class _ClassCodes(CodesByValue):
    """Codes of classes: a whole number is one class however it is written, 1, 1.0 and "1"."""

    def __init__(self) -> None:
        super().__init__()
        self._spellings = _Spellings(self)

    def of(self, values: Sequence[Hashable]) -> Codes:
        return np.fromiter(map(self._spellings.__getitem__, values), dtype=np.int32, count=len(values))

    def __missing__(self, value: Hashable) -> int:
        if isinstance(value, str):
            if number := _WHOLE_NUMBER.fullmatch(value):
                return self[int(number[1])]
        elif isinstance(value, float | np.floating) and float(value).is_integer():
            return self[int(value)]
        return super().__missing__(value)

    def check(self, value: Hashable) -> None:
        if isinstance(value, float | np.floating) and not float(value).is_integer():
            _refuse_quantities(np.array([value]))
        check_has_text(value)


class _Spellings(dict[Hashable, int]):
    """The code of each label as it is written: text is looked at once, not once a row."""

    def __init__(self, codes: _ClassCodes) -> None:
        super().__init__()
        self._codes = codes

    def __missing__(self, label: Hashable) -> int:
        code = self._codes[label]
        # No two missing values are the same: they would fill the table.
        if code != MISSING:
            self[label] = code
        return code


class ClassLabels:
    """Codes of class labels that come a block at a time, 0, 1, ..., in order of first appearance.

    Labels mean the same from every source: 1, 1.0 and the text 1 are one class, called 1. A class may first appear in
    a later block; codes already assigned stay. A missing label, also the text NA, has the code MISSING.

    name : the name of the target, for errors
    drop_unlabelled : leave out rows without a label instead of refusing them
    """

    def __init__(self, name: str | None = None, drop_unlabelled: bool = False) -> None:
        self.name = name
        self.drop_unlabelled = drop_unlabelled
        self._codes = _ClassCodes()

    @property
    def values(self) -> list[Hashable]:
        """The labels, in order of their codes."""
        return list(self._codes)

    def encode_rows(
        self, labels: NDArray[np.generic], first_row: int = 0, *, is_all: bool = False
    ) -> tuple[Codes, Mask | None]:
        """The codes, and which rows to keep (None: all); raises for rows without a label unless they are dropped.

        is_all : whether these are all rows of the table
        """
        return self.labelled(self.encode(labels), first_row, is_all=is_all)

    def labelled(self, codes: Codes, first_row: int = 0, *, is_all: bool = False) -> tuple[Codes, Mask | None]:
        """The codes of rows, and which rows to keep, as encode_rows."""
        is_unlabelled = codes == MISSING
        if not is_unlabelled.any():
            return codes, None
        if self.drop_unlabelled:
            return codes, ~is_unlabelled
        rows = np.flatnonzero(is_unlabelled)
        where = "y" if self.name is None else f"the target {self.name!r}"
        how = "scan(X, y, drop_unlabelled=True)" if self.name is None else "drop_unlabelled=True (--drop-unlabelled)"
        first = first_row + int(rows[0])
        raise UnlabelledRows(len(rows), len(codes), f"{where} (first: row {first})", how, is_all=is_all)

    def check_classes(self) -> None:
        """Raise where the labels met so far are numbers written as text, not all of them whole."""
        refuse_quantities_in_text(map(str, self._codes))

    def block(self, values: Matrix, codes: Codes, kept: Mask | None, weights: Floats | None, first_row: int) -> Block:
        """The block of the rows that are kept, with codes from encode_rows."""
        block = Block(values, codes, self.values, weights, first_row)
        return block if kept is None else block.take(np.flatnonzero(kept))

    def encode(self, labels: NDArray[np.generic]) -> Codes:
        """The code of every label; new labels get new codes."""
        with _ONE_AT_A_TIME:
            return self._encode(labels)

    def _encode(self, labels: NDArray[np.generic]) -> Codes:
        kind = labels.dtype.kind
        if kind == "b":
            return self._encode_distinct([False, True], labels.astype(np.intp))
        if kind in "fc":
            _refuse_quantities(labels)
        if kind in "iuf":
            # The difference of two small numbers may not fit among them: 127 - (-128) in int8.
            numbers = labels.astype(np.float64 if kind == "f" else np.int64) if labels.itemsize < 4 else labels
            if len(numbers) > 0 and not np.isnan(numbers).any():
                lowest = numbers.min()
                if float(numbers.max()) - float(lowest) < _SMALL_SPAN:
                    offsets = (numbers - lowest).astype(np.intp)
                    first = int(lowest)
                    return self._encode_distinct([first + i for i in range(int(offsets.max()) + 1)], offsets)
        if kind in "US":
            return self._encode_text(labels)
        return self._encode_by_hash(labels)

    def _encode_by_hash(self, labels: NDArray[np.generic]) -> Codes:
        values = labels.tolist()
        try:
            return self._codes.of(values)
        except FewestError:
            raise
        except Exception:  # what objects raise when they are hashed or compared is up to them
            what = f"got {shown(first_unhashable(values))}"
            raise InvalidInput(f"A class label must be a single value, such as a string or a number; {what}.") from None

    def _encode_text(self, labels: NDArray[np.generic]) -> Codes:
        """NumPy's text is rows of bytes of one length: equal rows are found without making a string of each."""
        width = labels.dtype.itemsize
        if width == 0 or len(labels) == 0:
            return self._encode_by_hash(labels)
        rows = np.ndarray((len(labels), width), np.uint8, np.ascontiguousarray(labels))
        which = np.empty(len(labels), dtype=np.int32)
        firsts = distinct_rows(rows, which)
        return self._codes.of(labels[firsts].tolist())[which]

    def _encode_distinct(self, candidates: Sequence[Hashable], offsets: Indices) -> Codes:
        """Codes by a table over few candidate values, of which only those present become classes."""
        is_present = np.zeros(len(candidates), dtype=bool)
        is_present[offsets] = True
        table = np.full(len(candidates), MISSING, dtype=np.int32)
        for offset in np.flatnonzero(is_present).tolist():
            table[offset] = self._codes[candidates[offset]]
        return table[offsets]


class Target:
    """The labels and weights of rows that are in memory.

    labels, weights : array-like, one value a row; weights None where all are one
    name, drop_unlabelled : as in ClassLabels
    """

    def __init__(
        self, labels: object, weights: object = None, *, name: str | None = None, drop_unlabelled: bool = False
    ) -> None:
        self.labels = as_labels(labels)
        self._encoder = ClassLabels(name, drop_unlabelled)
        self._encoded: tuple[Codes, Mask | None] | None = None
        self.weights = None if weights is None else check_weights(weights, len(self.labels))

    @property
    def classes(self) -> Sequence[Hashable]:
        return self._encoder.values

    def check_length(self, n_rows: int) -> None:
        if len(self.labels) != n_rows:
            raise InvalidInput(
                f"X has {n_rows} rows but y has {len(self.labels)} labels (inconsistent numbers of samples). "
                "Give one label a row."
            )

    def keeps_all_rows(self) -> bool:
        """Whether every row has a label."""
        return self._encode()[1] is None

    def block(self, values: Matrix, rows: slice, columns: Sequence[int] | None = None) -> Block:
        """The block of these rows with these values; rows without a label are left out of it."""
        codes, kept = self._encode()
        weights = None if self.weights is None else self.weights[rows]
        kept_here = None if kept is None else kept[rows]
        block = self._encoder.block(values, codes[rows], kept_here, weights, rows.start)
        return replace(block, columns=columns, is_all=kept is None and rows == slice(0, len(codes)))

    def _encode(self) -> tuple[Codes, Mask | None]:
        if self._encoded is None:
            self._encoded = self._encoder.encode_rows(self.labels, is_all=True)
            self._encoder.check_classes()
        return self._encoded


def as_labels(labels: object) -> NDArray[np.generic]:
    """Labels as an array of the values that they are."""
    if isinstance(labels, np.ma.MaskedArray):
        # A masked label is a missing one, whatever lies under the mask.
        is_masked = np.ma.getmaskarray(labels)
        labels = np.array(labels.data, dtype=object)
        labels[is_masked] = None
    try:
        array = np.asarray(labels)
    except ValueError:
        raise InvalidInput("y should be a 1d array of labels, one a row; got lists of different lengths.") from None
    except Exception as error:
        what = f"got {type(labels).__name__}, which cannot be made one ({type(error).__name__}: {error})"
        raise InvalidInput(f"y should be a 1d array of labels, one a row; {what}.") from None
    if array.ndim == 1 and array.dtype.kind in "US" and isinstance(labels, Iterable) and not hasattr(labels, "dtype"):
        # NumPy converts a list that holds some text to text: 1 becomes "1", and a missing value a class named "nan".
        array = np.fromiter(labels, dtype=object, count=len(array))
    return array


def check_weights(weights: object, n_rows: int, first_row: int = 0) -> Floats:
    """Weights as float64, one a row, finite and not negative."""
    try:
        if getattr(getattr(weights, "dtype", None), "kind", None) == "c":
            raise TypeError
        checked = np.asarray(weights, dtype=np.float64, order="C")
    except Exception:  # what objects raise when they are made numbers is up to them
        raise InvalidInput(
            f"sample_weight must be real numbers, one a row; got {type(weights).__name__} that holds something else."
        ) from None
    if checked.ndim == 0:
        checked = np.full(n_rows, float(checked))
    if checked.ndim != 1:
        raise InvalidInput(f"Sample weights must be 1D array or scalar, one number a row, got shape {checked.shape}.")
    if len(checked) != n_rows:
        raise InvalidInput(f"sample_weight has {len(checked)} numbers for {n_rows} rows. Give one a row.")
    wrong = np.flatnonzero(~(np.isfinite(checked) & (checked >= 0)))
    if len(wrong):
        raise InvalidInput(
            f"sample_weight must be finite and not negative, got {checked[wrong[0]]} in row {first_row + wrong[0]}. "
            "Mend it, or leave the row out."
        )
    tiny = np.flatnonzero((checked > 0) & (checked < _LEAST_WEIGHT))
    if len(tiny):
        raise InvalidInput(
            f"sample_weight is {checked[tiny[0]]:g} in row {first_row + tiny[0]}, and a weight that is not zero must "
            f"be at least {_LEAST_WEIGHT:g}. A weight is how often a row counts; scale them up, or make it zero."
        )
    with np.errstate(over="ignore"):
        total = checked.sum()
    if total > _LARGEST_TOTAL:
        raise InvalidInput(f"The weights add up to {total:.3g}. A weight is how often a row counts; scale them down.")
    return checked


def first_unhashable(values: Iterable[object]) -> object:
    """The first of these values that cannot be hashed, compared or written as text."""
    return next((value for value in values if not _is_hashable(value)), None)


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
        return isinstance(value == value, bool | np.bool_) and isinstance(str(value) + repr(value), str)
    except Exception:
        return False


def check_has_text(value: object) -> None:
    """Raise where an object raises when it is made text, by which classes and categories are shown and ordered."""
    if not isinstance(value, str | int | float | np.generic):
        str(value)
        repr(value)


def shown(value: object) -> str:
    """A value as an error shows it: cut where it is long, its type where it cannot be written as text."""
    try:
        text = repr(value)
    except Exception:
        return f"an object of type {type(value).__name__}"
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def is_missing(value: object) -> bool:
    """Whether this is None, NaN, NaT or NA."""
    if isinstance(value, np.generic):
        value = value.item()
    try:
        # NaN, NaT and NA do not equal themselves (NA's answer is not even a truth value, nor is that of an array).
        return value is None or (isinstance(value, Hashable) and (value != value) is not False)
    except Exception:
        return False


def refuse_quantities_in_text(texts: Iterable[str]) -> None:
    """Raise where all of these labels are numbers, and not all of them whole."""
    labels = list(texts)
    if all(_WHOLE_NUMBER.fullmatch(label) for label in labels):
        return
    reading = reading_of_texts(labels)
    if reading.kind == NUMBER and reading.format is not None:
        _refuse_quantities(reading.format.numbers(labels))


def _refuse_quantities(labels: NDArray[np.generic]) -> None:
    if labels.dtype.kind == "c":
        raise InvalidInput("The labels are complex numbers. Name classes by text or whole numbers.")
    numbers = labels[~np.isnan(labels)]
    if np.any(np.isinf(numbers)):
        raise InvalidInput("The labels hold infinity: input y contains infinity or a value too large. Mend it first.")
    is_fraction = numbers != np.floor(numbers)
    if np.any(is_fraction):
        raise ContinuousTarget(numbers[is_fraction][0].item())


def label_texts(values: Sequence[Hashable]) -> list[str]:
    """The labels as text, each its own: where 1 and "1" are both classes, they are written 1 and '1'."""
    texts = [str(value) for value in values]
    if len(set(texts)) == len(texts):
        return texts
    count = Counter(texts)
    return [repr(value) if count[text] > 1 else text for value, text in zip(values, texts, strict=True)]


def sort_classes(values: Sequence[Hashable]) -> list[int]:
    """The positions of the labels in ascending order; by type and text where they cannot be compared."""
    try:
        return [position for _, position in sorted(zip(values, range(len(values)), strict=True))]
    except Exception:
        return sorted(range(len(values)), key=lambda i: (type(values[i]).__name__, str(values[i])))
