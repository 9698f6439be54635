"""Scales from values to coordinates, and round tick values."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

# A scale starts at zero where values come nearer to it than this share of their range; it spans at least this.
_NEAR_ZERO, _LEAST_RANGE = 0.5, 0.01


@dataclass(frozen=True)
class Scale:
    """Map values from low..high to coordinates start..end, linearly or by logarithm."""

    low: float
    high: float
    start: float
    end: float
    is_logarithmic: bool = False

    def __call__(self, value: float) -> float:
        low, high = self.low, self.high
        if self.is_logarithmic:
            low, high, value = math.log(low), math.log(high), math.log(max(value, 1e-300))
        share = (value - low) / (high - low) if high > low else 0.5
        return self.start + share * (self.end - self.start)

    def ticks(self, most: int) -> list[float]:
        """Return round values within the scale, about `most` of them at most."""
        if not self.is_logarithmic:
            return round_values(self.low, self.high, most)
        return _round_powers(self.low, self.high, most) or round_values(self.low, self.high, most)


def round_values(low: float, high: float, most: int) -> list[float]:
    """Return multiples of 1, 2 or 5 times a power of ten between low and high."""
    if not high > low:
        return [low]
    rough = (high - low) / max(most - 1, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next((m * power for m in (1, 2, 5, 10) if m * power >= rough * 0.999), 10 * power)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(i * step, 12) for i in range(first, last + 1)]


def _round_powers(low: float, high: float, most: int) -> list[float]:
    for multiples in ((1, 2, 5), (1,)):
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        found = [m * 10.0**power for power in powers for m in multiples]
        found = [value for value in found if low * 0.999 <= value <= high * 1.001]
        if len(found) <= most:
            return found
    return found[:: math.ceil(len(found) / most)]


def tick_text(ticks: Sequence[float], *, is_percentage: bool) -> Callable[[float], str]:
    """Return a function that writes values with the decimals that distinguish the ticks."""
    unit, sign = (100, " %") if is_percentage else (1, "")
    step = min((abs(b - a) for a, b in pairwise(ticks)), default=1.0) * unit
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    return lambda value: f"{unit * value:.{decimals if value else 0}f}{sign}".replace("-", "\N{MINUS SIGN}")


def range_of(low: float, high: float) -> tuple[float, float]:
    """Return the ends of a scale for values from low to high: zero where they come near it, never an empty range."""
    if 0 <= low < _NEAR_ZERO * (high - low):
        low = 0.0
    return low, max(high, low + _LEAST_RANGE)


def spread_apart(positions: list[float], distance: float, first: float, last: float) -> list[float]:
    """Move positions as little as needed to be a distance apart, between first and last as far as they fit."""
    order = sorted(range(len(positions)), key=positions.__getitem__)
    moved = list(positions)
    floor = first
    for i in order:
        floor = moved[i] = max(moved[i], floor)
        floor += distance
    ceiling = last
    for i in reversed(order):
        ceiling = moved[i] = min(moved[i], ceiling)
        ceiling -= distance
    return moved
