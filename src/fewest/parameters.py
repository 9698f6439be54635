"""Checks of the numbers and words that users set, with one form of message: "... must be ..., got ... instead"."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, TypeGuard

import numpy as np

from fewest.errors import InvalidParameter

#: The number of characters of a value that an error shows.
_LONGEST = 200


def is_number(value: object) -> TypeGuard[float]:
    """Whether it is a real number; True and False are none."""
    return isinstance(value, Real) and not isinstance(value, bool)


def is_whole(value: object) -> TypeGuard[int]:
    """Whether it is a whole number by its type: 2.0 is none."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_auto(value: object) -> bool:
    """Whether it is the word "auto"; an array of words is not."""
    return isinstance(value, str) and value == "auto"


def as_float(value: Any) -> float:
    """The number as a float; infinite where it is a whole number too large for one."""
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf


def check_number(name: str, value: object) -> float:
    """The value as a float, if it is a finite number."""
    if not is_number(value) or not np.isfinite(as_float(value)):
        raise wrong(name, "a finite number", value)
    return float(value)


def check_positive(name: str, value: object, *, below: float = np.inf, at_least: float = 0.0, end: str = "") -> None:
    """Raise unless it is a number above zero, and between limits; end : what else is allowed."""
    if not is_number(value) or not 0 < as_float(value) < below or as_float(value) < at_least:
        limit = f" of at least {at_least:g}" if at_least else ""
        limit += "" if below == np.inf else f" below {below:g}"
        raise wrong(name, f"a positive number{limit}{end}", value)


def check_not_negative(name: str, value: object, *, below: float = np.inf) -> None:
    """Raise unless it is a number of at least zero, and below a limit."""
    if not is_number(value) or not 0 <= as_float(value) < below:
        what = "a finite number of at least 0" if below == np.inf else f"a number of at least 0 and below {below:g}"
        raise wrong(name, what, value)


def check_count(name: str, value: object, at_least: int, *, at_most: int | None = None, end: str = "") -> int:
    """The value as an int, if it is a whole number between limits; end : what else is allowed."""
    if not is_whole(value) or value < at_least:
        raise wrong(name, f"a whole number of at least {at_least}{end}", value)
    if at_most is not None and value > at_most:
        raise wrong(name, f"a whole number of at most {at_most:,}{end}", value)
    return int(value)


def legacy_seed(random_state: int) -> int:
    """The seed for generators that take 32 bits: itself where it is below 2**32, otherwise drawn from all its bits."""
    return random_state if random_state < 2**32 else int(np.random.SeedSequence(random_state).generate_state(1)[0])


def check_flag(name: str, value: object) -> bool:
    """The value as a bool, if it is one; "False" and 0 are not."""
    if not isinstance(value, bool | np.bool_):
        raise wrong(name, "True or False", value)
    return bool(value)


def check_choice(name: str, value: object, choices: tuple[object, ...]) -> None:
    """Raise unless it is one of these."""
    if not any(value is choice or (isinstance(value, str) and value == choice) for choice in choices):
        raise wrong(name, f"one of {', '.join(map(repr, choices))}", value)


def wrong(name: str, what: str, value: object) -> InvalidParameter:
    """The error that says what a parameter must be."""
    return InvalidParameter(f"{name} must be {what}, got {shown(value)} instead.")


def shown(value: object) -> str:
    """The value as it prints, on one line that is not too long."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # whatever an object of the user's raises
        text = f"an object of type {type(value).__name__}"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
