"""Numbers as text: few significant digits, never "0.0000", a dash for what is missing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeGuard

_MINUS = "\N{MINUS SIGN}"
_MISSING = "–"
# An uncertainty below this is rounding.
_ZERO = 1e-12
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_NUMBER_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True)
class MetricFormat:
    """How the loss of a metric is written: as a percentage, or as the score of which it is the complement.

    name, label : "balanced-error", and in words "balanced error"
    lower_is_better : of what is written; losses are always better if lower
    is_percentage : a share that is written in percent
    of_one : a score that is 1 less the loss, such as a ROC AUC; otherwise it is minus the loss
    """

    name: str = "error"
    label: str = "error"
    lower_is_better: bool = True
    is_percentage: bool = True
    of_one: bool = True

    def value(self, loss: float) -> float:
        """Turn a loss into what is written: 0.93 for an area of 1 - 0.07."""
        if self.lower_is_better:
            return loss
        return (1.0 if self.of_one else 0.0) - loss

    def text(self, loss: float | None) -> str:
        """Write a loss: 11 %, or 0.930 for an area under a curve."""
        if not _is_finite(loss):
            return _MISSING
        if self.is_percentage:
            return percent(loss)
        return _with_minus(f"{self.value(loss):z.3f}")

    def interval(self, low: float | None, high: float | None) -> str:
        """Write an interval of losses, the lower value first: 6–18 %, 0.88–0.96."""
        if self.is_percentage:
            return interval(low, high)
        if not _is_finite(low) or not _is_finite(high):
            return _MISSING
        first, last = sorted((self.value(low), self.value(high)))
        return f"{_with_minus(f'{first:z.3f}')}{' to ' if first < 0 else '–'}{_with_minus(f'{last:z.3f}')}"

    def with_interval(self, loss: float | None, low: float | None, high: float | None) -> str:
        """Write a loss, followed by its interval where there is one: 11 % (6–18 %)."""
        if not _is_finite(low) or not _is_finite(high):
            return self.text(loss)
        return f"{self.text(loss)} ({self.interval(low, high)})"

    def phrase(self, loss: float) -> str:
        """Write a loss with the name of the metric: 11 % balanced error, ROC AUC 0.930."""
        return f"{self.text(loss)} {self.label}" if self.is_percentage else f"{self.label} {self.text(loss)}"

    def difference(self, loss: float | None) -> str:
        """Write a difference of two losses, with its sign as users read the metric: −2.1 points, or +0.012."""
        if not _is_finite(loss):
            return _MISSING
        if self.is_percentage:
            return points(loss)
        shown = loss if self.lower_is_better else -loss
        return _with_minus(f"{shown:+z.3f}") if round(abs(shown), 3) else "0"


def percent(share: float | None) -> str:
    """Write a share of one as a percentage with two significant digits: 11 %, 6.2 %, 4.0 %, 0.84 %."""
    if not _is_finite(share):
        return _MISSING
    return f"{_with_minus(_two_digits(100 * share, keeps_zeros=True))} %"


def frequency(share: float | None) -> str:
    """Write how frequent something is, as a percentage without zeros at its end: 5 %, 33 %, 0.4 %."""
    return f"{_with_minus(_two_digits(100 * share))} %" if _is_finite(share) else _MISSING


def interval(low: float | None, high: float | None) -> str:
    """Write two percentages with the decimals that the larger has by itself, so that it can be compared: 6–18 %."""
    if not _is_finite(low) or not _is_finite(high):
        return _MISSING
    if low == high:
        return percent(low)
    for decimals in range(_decimals(100 * max(abs(low), abs(high))), 3):
        first, last = (_with_minus(_fixed(100 * end, decimals)) for end in (low, high))
        if first != last:
            return f"{first}{' to ' if low < 0 else '–'}{last} %"
    return percent(high)


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


def first_names(names: Sequence[str], most: int = 5) -> str:
    """Write the first of some names in quotes, and an ellipsis where there are more."""
    return ", ".join(map(repr, names[:most])) + (", …" if len(names) > most else "")


def enumerated(names: Sequence[str]) -> str:
    """Join names as in a sentence: a, b and c."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def counted(n: float | None, one: str, many: str | None = None) -> str:
    """Write a count with its noun in the singular or plural: 1 feature, 2,000 features."""
    return f"{count(n)} {one if n == 1 else many or one + 's'}"


def count_in_words(n: int) -> str:
    """Write a count up to ten as a word."""
    return _NUMBER_WORDS[n] if n < len(_NUMBER_WORDS) else count(n)


def number(value: float | None, n_digits: int = 3) -> str:
    """Write any number with three significant digits: 0.412, 1,230, 1.2 × 10⁻⁷."""
    if not _is_finite(value):
        return _MISSING
    size = abs(value)
    if size == 0:
        return "0"
    if size < 1e-3 or size >= 1e7:
        mantissa, exponent = f"{value:.{n_digits - 2}e}".split("e")
        return f"{_with_minus(_without_zeros(mantissa))} × 10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
    decimals = max(0, n_digits - 1 - math.floor(math.log10(size)))
    return _with_minus(_without_zeros(f"{value:,.{decimals}f}"))


def numbers(values: Sequence[float | None], n_digits: int = 3) -> list[str]:
    """Write numbers that stand in one column with the same decimals: n_digits significant digits of the largest."""
    largest = max((abs(value) for value in values if _is_finite(value)), default=0.0)
    if not 1e-3 <= largest < 1e7:
        return [number(value, n_digits) for value in values]
    decimals = max(0, n_digits - 1 - math.floor(math.log10(largest)))
    return [_with_minus(_fixed(value, decimals)) if _is_finite(value) else _MISSING for value in values]


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


def _two_digits(value: float, *, keeps_zeros: bool = False) -> str:
    """Two significant digits, whole numbers from ten on, with zeros at the end or without."""
    size = abs(value)
    if size < _ZERO:
        return "0"
    if size < 0.005:
        return "< 0.01" if value > 0 else "> -0.01"
    if 99.5 <= size < 100:
        # What is not all of it is not written as if it were.
        return f"{math.copysign(min(size, 99.94), value):.1f}"
    written = f"{value:,.{_decimals(size)}f}"
    return written if keeps_zeros else _without_zeros(written)


def _decimals(size: float) -> int:
    """The decimals of two significant digits, two at most."""
    return 0 if size >= 9.95 else 1 if size >= 0.995 else 2


def _fixed(value: float, decimals: int) -> str:
    written = f"{value:,.{decimals}f}"
    return written if float(written.replace(",", "")) else "0"


def _without_zeros(written: str) -> str:
    return written.rstrip("0").rstrip(".") if "." in written else written


def _with_minus(written: str) -> str:
    return written.replace("-", _MINUS)
