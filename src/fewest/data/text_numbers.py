"""Numbers as people write them in text: with marks between thousands, a decimal comma, a unit, a word for missing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fewest.arrays import Floats

#: Text that stands for a missing value in every column.
MISSING_WORDS = (
    "", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "?", "#N/A", "<NA>", "NaT"
)  # fmt: skip
#: Text that does so among numbers and dates only: a category may be called so, such as the strands + and - of DNA.
MISSING_AMONG_NUMBERS = frozenset(("-", "–", "—", "."))
TRUE_WORDS = ("true", "True", "TRUE")
FALSE_WORDS = ("false", "False", "FALSE")
YES_WORDS = ("yes", "Yes", "YES")
NO_WORDS = ("no", "No", "NO")

_MISSING = frozenset(MISSING_WORDS)
_NUMBER_OF_WORD = dict.fromkeys(TRUE_WORDS, 1.0) | dict.fromkeys(FALSE_WORDS, 0.0)
_NUMBER_OF_ANSWER = dict.fromkeys(YES_WORDS, 1.0) | dict.fromkeys(NO_WORDS, 0.0)
_NAN = float("nan")
#: Words that float() takes, without their sign.
_INFINITE = frozenset(("inf", "infinity", "nan"))
#: What stands for a space or a minus in typeset text.
_PLAIN = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2009": " ", "−": "-", "’": "'"})
_CURRENCIES = frozenset(
    ("EUR", "USD", "GBP", "CHF", "JPY", "CNY", "INR", "AUD", "CAD", "SEK", "NOK", "DKK", "PLN", "CZK", "BRL", "kr")
)
#: The sign, the unit before, another sign, the digits with their marks, the unit after.
_PARTS = re.compile(r"([+-]?)\s*([^\d\s+\-.,']{0,3})\s*([+-]?)([\d.,][\d.,' eE+-]*?)\s*([^\d\s+\-.,']{0,3})")
#: Marks that group digits, with the decimal mark that may stand beside each, in order of preference.
_MARKS = ((".", ""), (".", ","), (".", "'"), (".", " "), (",", ""), (",", "."), (",", " "), (",", "'"))


def is_missing_word(text: str) -> bool:
    """Whether text stands for a missing value, in a column of any kind."""
    return text in _MISSING or ((text[:1].isspace() or text[-1:].isspace()) and text.strip() in _MISSING)


@dataclass(frozen=True)
class NumberFormat:
    """How the numbers of a column are written.

    decimal : the decimal mark
    thousands : what stands between groups of three digits; empty where nothing does
    unit : the sign that every number has before or after it, such as % or €; empty where there is none
    are_answers : yes and no stand for 1 and 0
    """

    decimal: str = "."
    thousands: str = ""
    unit: str = ""
    are_answers: bool = False

    @cached_property
    def is_plain(self) -> bool:
        """Whether the numbers are written as programs write them."""
        return (self.decimal, self.thousands, self.unit) == (".", "", "")

    def number(self, text: str) -> float:
        """The number that text stands for, NaN where it is missing; ValueError where it is neither."""
        # float() takes 1_000 for a number; other readers of tables do not.
        if self.is_plain and "_" not in text:
            with suppress(ValueError):
                return float(text)
        word = text.strip()
        if word in _MISSING or word in MISSING_AMONG_NUMBERS:
            return _NAN
        if word in _NUMBER_OF_WORD:
            return _NUMBER_OF_WORD[word]
        if self.are_answers and word in _NUMBER_OF_ANSWER:
            return _NUMBER_OF_ANSWER[word]
        if word.lower().lstrip("+-") in _INFINITE:
            return float(word)
        unit, digits = _split(word)
        if unit != self.unit or not self._pattern.fullmatch(digits):
            raise ValueError(text)
        return float(digits.replace(self.thousands or " ", "").replace(self.decimal, "."))

    def numbers(self, texts: Sequence[str]) -> Floats:
        """The number of each of some texts."""
        numbers = self._numbers_at_once(texts)
        if numbers is None:
            known = _Numbers(self)
            numbers = np.fromiter(map(known.__getitem__, texts), dtype=np.float64, count=len(texts))
        return numbers

    def _numbers_at_once(self, texts: Sequence[str]) -> Floats | None:
        """The same where all texts are numbers without a unit, or empty; None where they are not."""
        if self.unit or not texts:
            return None
        together = "\n".join(texts)
        if not self.is_plain:
            if together.count("\n") != len(texts) - 1 or not self._pattern_of_lines.fullmatch(together):
                return None
            together = together.replace(self.thousands or " ", "").replace(self.decimal, ".")
        elif "_" in together:
            return None
        plain = texts if self.is_plain else together.split("\n")
        try:
            return np.fromiter((float(text or "nan") for text in plain), dtype=np.float64, count=len(texts))
        except ValueError:
            return None

    def describe(self) -> str:
        """How the numbers are written, in a few words."""
        words = {",": "a comma", ".": "a point", "'": "an apostrophe", " ": "a space"}
        parts = []
        if self.thousands:
            parts.append(f"{words.get(self.thousands, repr(self.thousands))} between thousands")
        if self.decimal != ".":
            parts.append(f"{words.get(self.decimal, repr(self.decimal))} as decimal mark")
        if self.unit:
            parts.append(f"the unit {self.unit}")
        return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return _pattern(self.decimal, self.thousands)

    @cached_property
    def _pattern_of_lines(self) -> re.Pattern[str]:
        one = self._pattern.pattern
        return re.compile(rf"(?>(?:{one})?)(?>\n(?:{one})?)*")


class _Numbers(dict[str, float]):
    """The number of each text, found out once."""

    def __init__(self, how: NumberFormat) -> None:
        super().__init__()
        self._number = how.number

    def __missing__(self, text: str) -> float:
        number = self[text] = self._number(text)
        return number


def _pattern(decimal: str, thousands: str) -> re.Pattern[str]:
    mark = re.escape(decimal)
    fraction = rf"(?:{mark}\d*)?"
    ungrouped = rf"(?:\d+{fraction}|{mark}\d+)(?:[eE][+-]?\d+)?"
    if not thousands:
        return re.compile(rf"[+-]?{ungrouped}")
    return re.compile(rf"[+-]?(?:[1-9]\d{{0,2}}(?:{re.escape(thousands)}\d{{3}})+{fraction}|{ungrouped})")


def _split(text: str) -> tuple[str, str]:
    """The unit and the signed digits of a number with its marks; both empty where text is not made of these."""
    found = _PARTS.fullmatch(text.strip().translate(_PLAIN))
    if found is None:
        return "", ""
    sign, before, inner_sign, digits, after = found.groups()
    unit = before or after
    if (before and after) or (sign and inner_sign) or (unit and not _is_unit(unit)):
        return "", ""
    return unit, (sign or inner_sign) + digits


def _is_unit(text: str) -> bool:
    return text in ("%", "‰") or text in _CURRENCIES or (len(text) == 1 and unicodedata.category(text) == "Sc")


class FormatCandidates:
    """The formats in which all numbers met so far may be written.

    decimal, thousands : the marks where they are known; None where they are to be found out
    """

    def __init__(self, decimal: str | None = None, thousands: str | None = None) -> None:
        known = [(decimal or ".", thousands or "")] if decimal or thousands else _MARKS
        self._patterns = {marks: _pattern(*marks) for marks in known}
        self._units: set[str] = set()
        self._n_fields = 0

    def meet(self, text: str) -> bool:
        """Narrow the formats down to those in which text is a number; False where none is left."""
        if is_missing_word(text) or text.strip() in MISSING_AMONG_NUMBERS:
            return True
        unit, digits = _split(text)
        if not digits:
            return False
        self._units.add(unit)
        self._n_fields += 1
        fitting = {marks: pattern for marks, pattern in self._patterns.items() if pattern.fullmatch(digits)}
        self._patterns = fitting
        return bool(fitting) and len(self._units) == 1

    @property
    def best(self) -> NumberFormat | None:
        """The simplest format that is left; None where no number has been met."""
        if not self._n_fields or not self._patterns or len(self._units) != 1:
            return None
        (unit,) = self._units
        return NumberFormat(*next(iter(self._patterns)), unit)

    @property
    def is_ambiguous(self) -> bool:
        """Whether a comma may be a decimal mark or stand between thousands, as in 1,234."""
        best = self.best
        return best is not None and (best.decimal, best.thousands) == (".", ",") and (",", "") in self._patterns


def find_format(
    texts: Iterable[str], decimal: str | None = None, thousands: str | None = None
) -> FormatCandidates | None:
    """The formats in which all of these texts are numbers or missing; None where there is none."""
    candidates = FormatCandidates(decimal, thousands)
    return candidates if all(map(candidates.meet, texts)) and candidates.best is not None else None
