"""Numbers as a reader wants them: few digits, never "0.0000"."""

from __future__ import annotations

import math
from typing import Any

_SPACE = "\N{NO-BREAK SPACE}"
_MINUS = "\N{MINUS SIGN}"
_NOTHING = "–"
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def finite(value: Any) -> float | None:
    """The value as a number; None where it is not there, or is not one."""
    if isinstance(value, str):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def percent(share: Any) -> str:
    """A share of one as a percentage of two significant digits: 11 %, 6.2 %, 0.84 %."""
    value = finite(share)
    if value is None:
        return _NOTHING
    return f"{_signed(_two_digits(100 * value))}{_SPACE}%"


def interval(low: Any, high: Any) -> str:
    """From one percentage to another, both with as many digits as the distance between them bears: 6–18 %."""
    first, last = finite(low), finite(high)
    if first is None or last is None:
        return _NOTHING
    if first == last:
        return percent(first)
    written = [_signed(_fixed(100 * end, _decimals_for(100 * abs(last - first)))) for end in (first, last)]
    if written[0] == written[1]:
        return f"{written[0]}{_SPACE}%"
    between = " to " if first < 0 else "–"
    return f"{between.join(written)}{_SPACE}%"


def with_interval(share: Any, low: Any, high: Any) -> str:
    """A percentage and its interval, where there is one: 11 % (6–18 %)."""
    if finite(low) is None or finite(high) is None:
        return percent(share)
    return f"{percent(share)} ({interval(low, high)})"


def points(difference: Any) -> str:
    """A difference of two percentages, in points, with its sign: −2.1, +0.3."""
    value = finite(difference)
    if value is None:
        return _NOTHING
    written = _two_digits(100 * value)
    return _signed(written) if value <= 0 or written == "0" else f"+{written}"


def p_value(p: Any) -> str:
    """p = .03, p < .001."""
    value = finite(p)
    if value is None:
        return _NOTHING
    if value < 0.001:
        return "p < .001"
    if value >= 0.995:
        return "p = 1" if value >= 1 else "p > .99"
    digits = 3 if value < 0.0095 else 2
    return f"p = {value:.{digits}f}".replace("0.", ".")


def count(n: Any) -> str:
    """A whole number with its thousands apart: 2,000. Means of whole numbers keep one digit: 9.5."""
    value = finite(n)
    if value is None:
        return _NOTHING
    return _signed(f"{value:,.0f}" if value == round(value) or abs(value) >= 100 else f"{value:.1f}")


def counted(n: Any, one: str, many: str | None = None) -> str:
    """1 feature, 2,000 features."""
    return f"{count(n)} {one if finite(n) == 1 else many or one + 's'}"


def number(value: Any) -> str:
    """Any number with three significant digits: 0.412, 1,230, 1.2 × 10⁻⁷."""
    found = finite(value)
    if found is None:
        return _NOTHING
    size = abs(found)
    if size == 0:
        return "0"
    if size < 1e-3 or size >= 1e7:
        mantissa, exponent = f"{found:.1e}".split("e")
        return f"{_signed(_without_zeros(mantissa))} × 10{str(int(exponent)).translate(_RAISED)}"
    decimals = max(0, 2 - math.floor(math.log10(size)))
    return _signed(_without_zeros(f"{found:,.{decimals}f}"))


def seconds(duration: Any) -> str:
    """0.4 ms, 0.12 s, 1 min 33 s, 2 h 5 min."""
    value = finite(duration)
    if value is None:
        return _NOTHING
    if value < 1e-4:
        return f"< 0.1{_SPACE}ms"
    if value < 0.01:
        return f"{_two_digits(1000 * value)}{_SPACE}ms"
    if value < 59.5:
        return f"{_two_digits(value)}{_SPACE}s"
    whole = round(value)
    if whole < 3600:
        return f"{whole // 60}{_SPACE}min {whole % 60}{_SPACE}s"
    return f"{whole // 3600:,}{_SPACE}h {whole % 3600 // 60}{_SPACE}min"


def _two_digits(value: float) -> str:
    """Two significant digits, whole numbers from ten on, no zeros at the end."""
    size = abs(value)
    if size == 0:
        return "0"
    if size < 0.005:
        return "< 0.01" if value > 0 else "> -0.01"
    decimals = 0 if size >= 9.95 else 1 if size >= 0.995 else 2
    return _without_zeros(f"{value:,.{decimals}f}")


def _decimals_for(width: float) -> int:
    return 0 if width >= 4 else 1 if width >= 0.4 else 2


def _fixed(value: float, decimals: int) -> str:
    written = f"{value:,.{decimals}f}"
    return written if float(written.replace(",", "")) else "0"


def _without_zeros(written: str) -> str:
    return written.rstrip("0").rstrip(".") if "." in written else written


def _signed(written: str) -> str:
    return written.replace("-", _MINUS)
