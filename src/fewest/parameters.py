"""Checks of the numbers and words that users set, with one form of message: "... must be ..., got ... instead"."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TypeGuard

import numpy as np

from fewest.errors import InvalidParameter


def is_number(value: object) -> TypeGuard[float]:
    """Whether it is a real number; True and False are none."""
    return isinstance(value, Real) and not isinstance(value, bool)


def is_whole(value: object) -> TypeGuard[int]:
    """Whether it is a whole number by its type: 2.0 is none."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def check_number(name: str, value: object) -> float:
    """The value as a float, if it is a finite number."""
    if not is_number(value) or not np.isfinite(float(value)):
        raise wrong(name, "a finite number", value)
    return float(value)


def check_positive(name: str, value: object, *, below: float = np.inf, end: str = "") -> None:
    """Raise unless it is a number above zero, and below a limit; end : what else is allowed."""
    if not is_number(value) or not 0 < float(value) < below:
        limit = "" if below == np.inf else f" below {below:g}"
        raise wrong(name, f"a positive number{limit}{end}", value)


def check_not_negative(name: str, value: object, *, below: float = np.inf) -> None:
    """Raise unless it is a number of at least zero, and below a limit."""
    if not is_number(value) or not 0 <= float(value) < below:
        what = "a finite number of at least 0" if below == np.inf else f"a number of at least 0 and below {below:g}"
        raise wrong(name, what, value)


def check_count(name: str, value: object, at_least: int, *, end: str = "") -> int:
    """The value as an int, if it is a whole number that is large enough; end : what else is allowed."""
    if not is_whole(value) or value < at_least:
        raise wrong(name, f"a whole number of at least {at_least}{end}", value)
    return int(value)


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
    return InvalidParameter(f"{name} must be {what}, got {value!r} instead.")
