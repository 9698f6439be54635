"""Dates and times as people write them in text."""

from __future__ import annotations

import re

_MONTHS = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_TIME = r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d+)?)?(?:\s?[ap]\.?m\.?)?"
_ZONE = r"(?:\s?(?:z|utc|gmt|[+-]\d{2}:?\d{2}))?"
_DAYS = (
    # The year first; a month of a year.
    r"(?P<year>\d{4})(?P<mark>[-/.])(?P<second_part>\d{1,2})(?P=mark)(?P<third_part>\d{1,2})",
    r"(?P<year>(?:19|20)\d{2})-(?P<month>\d{2})",
    # The year last.
    r"(?P<first_part>\d{1,2})(?P<mark>[-/.])(?P<second_part>\d{1,2})(?P=mark)(?P<year>\d{4}|\d{2})",
    # The month by its name.
    rf"\d{{1,2}}(?:st|nd|rd|th)?[-/. ]?\s?{_MONTHS}[-/., ]\s?(?:\d{{4}}|\d{{2}})",
    rf"{_MONTHS}[- ]\s?\d{{1,2}}(?:st|nd|rd|th)?,?\s\d{{4}}",
    rf"{_MONTHS}[-/ ,]\s?\d{{4}}",
)
_PATTERNS = [re.compile(rf"{day}(?:(?:\s|,\s|t){_TIME}{_ZONE})?", re.IGNORECASE) for day in _DAYS]
#: A time alone has two digits for its hour or seconds: 1:20 is a ratio as well.
_TIME_ALONE = re.compile(rf"(?=\d\d:|\d:\d\d:|.*m\.?$){_TIME}{_ZONE}", re.IGNORECASE)


def is_date(text: str) -> bool:
    """Whether text is a date, a date with a time, a month of a year, or a time of the day."""
    text = text.strip()
    if not 5 <= len(text) <= 40 or not (text[0].isdigit() or text[0].isalpha()):
        return False
    return any(_fits(pattern.fullmatch(text)) for pattern in (*_PATTERNS, _TIME_ALONE))


def _fits(found: re.Match[str] | None) -> bool:
    """Whether the parts of a date are in their ranges: day and month in either order."""
    if found is None:
        return False
    parts = {name: int(part) for name, part in found.groupdict().items() if part is not None and part.isdigit()}
    if parts.get("hour", 0) > 24 or parts.get("minute", 0) > 59 or parts.get("second", 0) > 60:
        return False
    days = [parts[name] for name in ("first_part", "second_part", "third_part", "month") if name in parts]
    if not days:
        return True
    return min(days) >= 1 and min(days) <= 12 and max(days) <= (31 if len(days) == 2 else 12)
