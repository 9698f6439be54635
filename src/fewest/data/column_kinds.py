"""What a column holds, whatever it comes from: numbers, booleans, categories, dates, or numbers written as text."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from fewest.data.text_dates import is_date
from fewest.data.text_numbers import (
    FALSE_WORDS,
    MISSING_AMONG_NUMBERS,
    NO_WORDS,
    TRUE_WORDS,
    YES_WORDS,
    NumberFormat,
    find_format,
    is_missing_word,
)
from fewest.errors import InvalidParameter

NUMBER, BOOLEAN, CATEGORY, DATE, EMPTY, OTHER = "number", "boolean", "category", "date", "empty", "other"
#: What is read as numbers: a column without any value too, which fits every other kind.
NUMERIC = frozenset((NUMBER, BOOLEAN, EMPTY))
#: What a column of dates holds, in errors and notes.
DATES = "dates, times or durations"


@dataclass(frozen=True)
class ColumnReading:
    """How a column is read.

    kind : NUMBER, BOOLEAN, CATEGORY, DATE, EMPTY (no value at all) or OTHER, which is refused
    format : how its numbers are written, where they are text
    example : one of them, as it is written
    is_ambiguous : a comma in them may be a decimal mark or stand between thousands
    held : what a column holds that is refused, for the error
    """

    kind: str
    format: NumberFormat | None = None
    example: str = ""
    is_ambiguous: bool = False
    held: str = ""

    @property
    def is_numeric(self) -> bool:
        return self.kind in NUMERIC

    @property
    def note(self) -> str:
        """How numbers are written that are not written plainly; empty for any other column."""
        if self.format is None or self.format.is_plain or not self.example:
            return ""
        return f"numbers written as text, such as {self.example!r}, with {self.format.describe()}"


PLAIN = ColumnReading(NUMBER)


@dataclass(frozen=True)
class NumberMarks:
    """The marks of numbers in text, as far as they were given: None where each column shows its own."""

    decimal: str | None = None
    thousands: str | None = None

    @classmethod
    def of(cls, decimal: object, thousands: object) -> NumberMarks | None:
        """The marks that parameters stand for; None where neither is given."""
        if decimal is None and thousands is None:
            return None
        for name, mark, known in (("decimal", decimal, ".,"), ("thousands", thousands, ",.' ")):
            if mark is not None and not (isinstance(mark, str) and len(mark) == 1 and mark in known):
                raise InvalidParameter(f"{name} must be one of {' '.join(map(repr, known))}; got {mark!r} instead.")
        if decimal == thousands or (decimal is None and thousands == "."):
            decimal = "," if thousands == "." and decimal is None else decimal
            if decimal == thousands:
                raise InvalidParameter(f"decimal and thousands are both {decimal!r}. Give different marks.")
        return cls(None if decimal is None else str(decimal), None if thousands is None else str(thousands))


def reading_of_texts(texts: Iterable[str], marks: NumberMarks | None = None) -> ColumnReading:
    """What a column of these texts holds. More texts may turn any kind into CATEGORY, and CATEGORY into no other."""
    words = [text for text in dict.fromkeys(texts) if not is_missing_word(text)]
    if not words:
        return ColumnReading(EMPTY, NumberFormat())
    distinct = {word.strip() for word in words}
    if distinct.issubset(TRUE_WORDS + FALSE_WORDS):
        return ColumnReading(BOOLEAN, NumberFormat())
    if distinct.issubset(YES_WORDS + NO_WORDS):
        return ColumnReading(BOOLEAN, NumberFormat(are_answers=True))
    known = [word for word in words if word.strip() not in MISSING_AMONG_NUMBERS]
    if not known:
        return ColumnReading(CATEGORY)
    is_given = marks is not None and (marks.decimal or marks.thousands)
    if not is_given and _are_plain(words):
        return ColumnReading(NUMBER, NumberFormat())
    found = find_format(known) if marks is None else find_format(known, marks.decimal, marks.thousands)
    if found is not None and found.best is not None:
        example = next((word for word in known if not _are_plain([word])), known[0])
        return ColumnReading(NUMBER, found.best, example.strip(), found.is_ambiguous)
    return ColumnReading(DATE if all(map(is_date, known)) else CATEGORY)


def reading_of_column(texts: Sequence[str], marks: NumberMarks | None = None) -> ColumnReading:
    """The same of a column most of which is likely to be numbers as programs write them."""
    if marks is None:
        try:
            deque(map(float, texts), maxlen=0)
        except ValueError:
            return reading_of_texts(texts)
        return PLAIN if texts and "_" not in "".join(texts) else reading_of_texts(texts)
    return reading_of_texts(texts, marks)


def resolve_commas(readings: Mapping[str, ColumnReading]) -> dict[str, ColumnReading]:
    """The readings of a table, in which 1,234 is what commas are in its other columns; by default, over a thousand."""
    formats = [one.format for one in readings.values() if one.format is not None and not one.is_ambiguous]
    are_decimal = any(one.decimal == "," for one in formats) and not any(one.thousands == "," for one in formats)
    resolved = dict(readings)
    for name, one in readings.items():
        if one.is_ambiguous and one.format is not None and are_decimal:
            resolved[name] = replace(one, format=replace(one.format, decimal=",", thousands=""), is_ambiguous=False)
    return resolved


def _are_plain(words: Iterable[str]) -> bool:
    number = NumberFormat().number
    try:
        for word in words:
            number(word)
    except ValueError:
        return False
    return True
