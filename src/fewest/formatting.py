"""Numbers as text: few significant digits, never "0.0000", a dash for what is missing."""

from __future__ import annotations

import math
from typing import TypeGuard

_MINUS = "\N{MINUS SIGN}"
_MISSING = "–"
# An uncertainty below this is rounding.
_ZERO = 1e-12
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_NUMBER_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def percent(share: float | None) -> str:
    """Write a share of one as a percentage with two significant digits: 11 %, 6.2 %, 0.84 %."""
    if not _is_finite(share):
        return _MISSING
    return f"{_with_minus(_two_digits(100 * share))} %"


def interval(low: float | None, high: float | None) -> str:
    """Write two percentages with the digits that the width of their interval bears: 6–18 %."""
    if not _is_finite(low) or not _is_finite(high):
        return _MISSING
    if low == high:
        return percent(low)
    width = 100 * abs(high - low)
    decimals = 0 if width >= 4 else 1 if width >= 0.4 else 2
    first, last = (_with_minus(_fixed(100 * end, decimals)) for end in (low, high))
    if first == last:
        return f"{first} %"
    return f"{first}{' to ' if low < 0 else '–'}{last} %"


def with_interval(share: float | None, low: float | None, high: float | None) -> str:
    """Write a percentage, followed by its interval where there is one: 11 % (6–18 %)."""
    if not _is_finite(low) or not _is_finite(high):
        return percent(share)
    return f"{percent(share)} ({interval(low, high)})"


def points(difference: float | None) -> str:
    """Write a difference of two shares in percentage points, with its sign: −2.1, +0.3."""
    if not _is_finite(difference):
        return _MISSING
    written = _two_digits(100 * difference)
    return _with_minus(written) if difference <= 0 or written == "0" else f"+{written}"


def precise_points(share: float, uncertainty: float | None = None) -> str:
    """Write a share in percentage points, with the decimals that two digits of its uncertainty have: 2.1."""
    uncertainty = abs(share) if uncertainty is None else uncertainty
    decimals = 1 - math.floor(math.log10(100 * uncertainty)) if uncertainty > _ZERO else 1
    return f"{100 * share:z.{min(max(decimals, 0), 4)}f}"


def p_value(p: float | None, level: float = 0.05) -> str:
    """Write a p-value, short but never rounded across the level: p = .03, p < .001."""
    if not _is_finite(p):
        return _MISSING
    if p < 0.001:
        return "p < .001"
    if p >= 0.995:
        return "p = 1" if p >= 1 else "p > .99"
    decimals = 3 if p < 0.0095 else 2
    while decimals < 6 and (round(p, decimals) < level) != (p < level):
        decimals += 1
    return f"p = {p:.{decimals}f}".replace("0.", ".")


def count(n: float | None) -> str:
    """Write a count with thousands separators, 2,000; means of counts keep one decimal: 9.5."""
    if not _is_finite(n):
        return _MISSING
    return _with_minus(f"{n:,.0f}" if n == round(n) or abs(n) >= 100 else f"{n:.1f}")


def counted(n: float | None, one: str, many: str | None = None) -> str:
    """Write a count with its noun in the singular or plural: 1 feature, 2,000 features."""
    return f"{count(n)} {one if n == 1 else many or one + 's'}"


def count_in_words(n: int) -> str:
    """Write a count up to ten as a word."""
    return _NUMBER_WORDS[n] if n < len(_NUMBER_WORDS) else count(n)


def number(value: float | None) -> str:
    """Write any number with three significant digits: 0.412, 1,230, 1.2 × 10⁻⁷."""
    if not _is_finite(value):
        return _MISSING
    size = abs(value)
    if size == 0:
        return "0"
    if size < 1e-3 or size >= 1e7:
        mantissa, exponent = f"{value:.1e}".split("e")
        return f"{_with_minus(_without_zeros(mantissa))} × 10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
    decimals = max(0, 2 - math.floor(math.log10(size)))
    return _with_minus(_without_zeros(f"{value:,.{decimals}f}"))


def two_decimals(value: float | None) -> str:
    """Write an index between -1 and 1, such as a correlation or a stability, with two decimals."""
    return _with_minus(f"{value:.2f}") if _is_finite(value) else _MISSING


def six_digits(value: float | None) -> str:
    """Write an objective value with six significant digits, as plain ASCII."""
    return "-" if value is None else f"{value:.6g}"


def seconds(duration: float | None) -> str:
    """Write a duration: 0.4 ms, 0.12 s, 1 min 33 s, 2 h 5 min."""
    if not _is_finite(duration):
        return _MISSING
    if duration < 1e-4:
        return "< 0.1 ms"
    if duration < 0.01:
        return f"{_two_digits(1000 * duration)} ms"
    if duration < 59.5:
        return f"{_two_digits(duration)} s"
    whole = round(duration)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60} min"


def _is_finite(value: float | None) -> TypeGuard[float]:
    return value is not None and math.isfinite(value)


def _two_digits(value: float) -> str:
    """Two significant digits, whole numbers from ten on, no zeros at the end."""
    size = abs(value)
    if size == 0:
        return "0"
    if size < 0.005:
        return "< 0.01" if value > 0 else "> -0.01"
    decimals = 0 if size >= 9.95 else 1 if size >= 0.995 else 2
    return _without_zeros(f"{value:,.{decimals}f}")


def _fixed(value: float, decimals: int) -> str:
    written = f"{value:,.{decimals}f}"
    return written if float(written.replace(",", "")) else "0"


def _without_zeros(written: str) -> str:
    return written.rstrip("0").rstrip(".") if "." in written else written


def _with_minus(written: str) -> str:
    return written.replace("-", _MINUS)
