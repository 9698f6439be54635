"""Columns of text and categories: refused by name, or read as the codes of their values."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from copy import copy
from datetime import date, time, timedelta
from threading import Lock
from typing import Self

import numpy as np

from fewest.arrays import Codes, Floats
from fewest.data.column_kinds import CATEGORY, DATE, DATES, EMPTY, NUMBER, OTHER, PLAIN, ColumnReading
from fewest.data.labels import MISSING, CodesByValue, check_has_text, first_unhashable, shown
from fewest.data.source import Source
from fewest.data.text_numbers import NumberFormat
from fewest.errors import FewestError, InvalidInput, UnusableColumn

#: More distinct values than this are names of rows rather than categories.
MAX_CATEGORIES = 65_000
#: What a column of text holds that has too many values to be categories.
NAMES_OF_ROWS = f"more than {MAX_CATEGORIES:,} distinct values"
#: Several readers may meet a new category at once.
_ONE_AT_A_TIME = Lock()
if hasattr(os, "register_at_fork"):
    # Another thread may hold it when the process is forked.
    os.register_at_fork(after_in_child=lambda: globals().update(_ONE_AT_A_TIME=Lock()))


class _CategoryCodes(CodesByValue):
    """Codes of categories: anything, numbers too, but bytes and what has no hash."""

    def __init__(self, name: str, column: str) -> None:
        """column : what to call the column of this name in an error"""
        super().__init__()
        self.name, self.column = name, column

    def check(self, value: Hashable) -> None:
        if isinstance(value, bytes):
            raise not_categories(self.name, "bytes", self.column)
        if len(self) >= MAX_CATEGORIES:
            message = f"{self.column} holds {NAMES_OF_ROWS}: it looks like an identifier. Leave it out."
            raise UnusableColumn(message, self.name, NAMES_OF_ROWS)
        check_has_text(value)


class ColumnCategories:
    """The categories of each column of text, one dictionary a column for all passes and readers.

    names : what to call each column in an error, by its name
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        self._codes = {name: _CategoryCodes(name, shown) for name, shown in names.items()}

    def __contains__(self, name: str) -> bool:
        return name in self._codes

    def values(self, name: str) -> list[Hashable]:
        """The categories of a column that have been met so far, in order of their codes."""
        return list(self._codes[name])

    def encode(self, name: str, values: Sequence[Hashable]) -> Codes:
        """The code of each value of a column, MISSING where it is missing."""
        codes = self._codes[name]
        try:
            with _ONE_AT_A_TIME:
                return codes.of(values)
        except FewestError:
            raise
        except Exception:  # what objects raise when they are hashed or compared is up to them
            raise not_categories(name, shown(first_unhashable(values)), codes.column) from None

    def numbers(self, name: str, values: Sequence[Hashable]) -> Floats:
        """The same as numbers, NaN where a value is missing."""
        return as_numbers(self.encode(name, values))


def is_time(value: object) -> bool:
    """Whether this is a point or a span of time."""
    # Not only dates themselves: pandas has periods, which can be made one.
    dates = (date, time, timedelta, np.datetime64, np.timedelta64)
    return isinstance(value, dates) or hasattr(value, "to_timestamp")


def not_categories(name: str, what: str, column: str | None = None) -> UnusableColumn:
    """The error for a column that holds neither numbers nor categories.

    column : what to call the column of this name, where it is more than its name
    """
    how = "Convert it to numbers, such as days," if what == DATES else "Encode it as numbers"
    message = f"{column or f'Column {name!r}'} holds {what}, not numbers or text. {how} or leave it out."
    return UnusableColumn(message, name, what)


def as_numbers(codes: Codes) -> Floats:
    """Codes as numbers, NaN for MISSING."""
    numbers = codes.astype(np.float64)
    numbers[codes == MISSING] = np.nan
    return numbers


class TextSource(Source):
    """A source some of whose named columns may hold something else than numbers."""

    feature_names: Sequence[str]

    def __init__(
        self, feature_names: Sequence[str], readings: Mapping[str, ColumnReading], where: str | None = None
    ) -> None:
        """readings : how each column is read that does not hold plain numbers"""
        self.feature_names = feature_names
        self.n_features = len(feature_names)
        self._readings = {name: readings[name] for name in feature_names if name in readings}
        self.text_columns: Sequence[str] = [name for name, one in self._readings.items() if not one.is_numeric]
        kinds = (self._readings.get(name, PLAIN).kind for name in feature_names)
        # A column without any value is one of numbers where its type says so, and is called so elsewhere.
        self.column_kinds = [NUMBER if kind == EMPTY else kind for kind in kinds]
        # Columns that are written alike have one note, with the first of their numbers as the example.
        notes: dict[NumberFormat | None, str] = {}
        written = {name: one for name, one in self._readings.items() if one.note}
        self.numbers_as_text = {name: notes.setdefault(one.format, one.note) for name, one in written.items()}
        self._formats = {name: one.format for name, one in self._readings.items() if one.format is not None}
        self._of_where = "" if where is None else f" of {where}"
        #: None where text is refused.
        self._categories: ColumnCategories | None = None

    @property
    def unusable_columns(self) -> Mapping[str, str]:
        held = {name: one for name, one in self._readings.items() if one.kind in (DATE, OTHER)}
        return {name: DATES if one.kind == DATE else one.held for name, one in held.items()}

    def with_text_as_codes(self) -> Self:
        if self._categories is not None or not self.text_columns:
            return self
        coded = copy(self)
        names = [name for name in self.text_columns if self._readings[name].kind == CATEGORY]
        coded._categories = ColumnCategories({name: f"Column {name!r}{self._of_where}" for name in names})
        return coded

    def categories_of(self, name: str) -> Sequence[Hashable] | None:
        known = self._categories
        return None if known is None or name not in known else known.values(name)

    def _refuse_text(self, names: Sequence[str]) -> None:
        """Raise where one of these columns cannot be read, before any row is."""
        requested = set(names)
        texts = [name for name in self.text_columns if name in requested]
        if self._categories is not None:
            texts = [name for name in texts if name not in self._categories]
            if texts:
                what = self.unusable_columns[texts[0]]
                raise not_categories(texts[0], what, f"Column {texts[0]!r}{self._of_where}")
        elif texts:
            raise InvalidInput(
                f"Column {texts[0]!r}{self._of_where} holds text, categories or dates, not numbers"
                f"{f' (as do {len(texts) - 1} more)' if len(texts) > 1 else ''}. Encode it as numbers or leave it out."
            )


class NotANumber(InvalidInput):
    """A text is no number in a column whose first rows hold numbers."""

    def __init__(self, text: str, column: str, where: str) -> None:
        self.text, self.column, self.where = text, column, where
        shown = text if len(text) <= 40 else text[:40] + "…"
        super().__init__(
            f"{where}: column {column!r} holds {shown!r}, which is not a number, though its first rows hold numbers. "
            "Mend the field, leave it empty if the value is missing, or read the column as text: "
            f"categories=[{column!r}] (--categories {column})."
        )

    def __reduce__(self) -> tuple[type[Self], tuple[str, str, str]]:
        return type(self), (self.text, self.column, self.where)
