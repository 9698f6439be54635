"""Columns of text and categories: refused by name, or read as the codes of their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from threading import Lock
from typing import Any, Self

import numpy as np

from fewest.arrays import Codes, Floats
from fewest.data.labels import MISSING, CategoryLabels, not_categories
from fewest.data.source import Source
from fewest.errors import InvalidInput

#: What a column holds whose values are names of categories; other columns that are no numbers have words of their own.
TEXT = "text"
#: Several readers may meet a new category at once.
_ONE_AT_A_TIME = Lock()


class ColumnCategories:
    """The categories of each column of text, one dictionary a column for all passes and readers."""

    def __init__(self, names: Mapping[str, str]) -> None:
        """names : what to call each column in an error, by its name"""
        self._labels = {name: CategoryLabels(called) for name, called in names.items()}

    def __contains__(self, name: str) -> bool:
        return name in self._labels

    def values(self, name: str) -> list[Any]:
        """The categories of a column that have been met so far."""
        return self._labels[name].values

    def encode(self, name: str, values: Sequence[Any]) -> Codes:
        """The code of each value of a column, MISSING where it is missing."""
        with _ONE_AT_A_TIME:
            return self._labels[name].encode(values)

    def numbers(self, name: str, values: Sequence[Any]) -> Floats:
        """The same as numbers, NaN where a value is missing."""
        return as_numbers(self.encode(name, values))


def as_numbers(codes: Codes) -> Floats:
    """Codes as numbers, NaN for MISSING."""
    numbers = codes.astype(np.float64)
    numbers[codes == MISSING] = np.nan
    return numbers


class TextSource(Source):
    """A source some of whose named columns may hold something else than numbers."""

    feature_names: Sequence[str]

    def __init__(self, feature_names: Sequence[str], held: Mapping[str, str], where: str | None = None) -> None:
        """held : what each column holds that is not of numbers: TEXT, or other words for the error that refuses it"""
        self.feature_names = feature_names
        self.n_features = len(feature_names)
        self.text_columns: Sequence[str] = [name for name in feature_names if name in held]
        self._held = {name: held[name] for name in self.text_columns}
        self._of_where = "" if where is None else f" of {where}"
        #: None where text is refused.
        self._categories: ColumnCategories | None = None

    def with_text_as_codes(self) -> Self:
        if self._categories is not None or not self.text_columns:
            return self
        coded = copy(self)
        names = [name for name in self.text_columns if self._held[name] == TEXT]
        coded._categories = ColumnCategories({name: f"Column {name!r}{self._of_where}" for name in names})
        return coded

    def categories_of(self, name: str) -> Sequence[Any] | None:
        known = self._categories
        return None if known is None or name not in known else known.values(name)

    def _refuse_text(self, names: Sequence[str]) -> None:
        """Raise where one of these columns cannot be read, before any row is."""
        wanted = set(names)
        texts = [name for name in self.text_columns if name in wanted]
        if self._categories is not None:
            texts = [name for name in texts if name not in self._categories]
            if texts:
                raise not_categories(f"Column {texts[0]!r}{self._of_where}", self._held[texts[0]])
        elif texts:
            raise InvalidInput(
                f"Column {texts[0]!r}{self._of_where} holds text, categories or dates, not numbers"
                f"{f' (as do {len(texts) - 1} more)' if len(texts) > 1 else ''}. Encode it as numbers or leave it out."
            )
