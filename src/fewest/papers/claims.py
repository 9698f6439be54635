"""What a paper claims beyond its numbers, tested on what a rerun measured: orderings are tested as orderings."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from fewest.papers.numbers import Key, Measured, Measurement

#: The claim is shown; neither it nor its opposite is; its opposite is.
Outcome = Literal["holds", "open", "fails"]

#: Fewer resamples that all differ alike say nothing of how much they vary.
_FEWEST = 5


@dataclass(frozen=True)
class Finding:
    """A claim in words, whether it holds, and the evidence in numbers."""

    claim: str
    outcome: Outcome
    evidence: str


class Claim(Protocol):
    """What can be tested on measurements."""

    @property
    def keys(self) -> tuple[Key, ...]:
        """The measurements that it needs."""
        ...

    def test(self, measured: Measured) -> Finding:
        """Whether it holds."""
        ...


@dataclass(frozen=True)
class _Pair:
    """Two measurements over the same resamples, and by how much they are to differ."""

    first: Key
    second: Key
    margin: float = 0.0

    @property
    def keys(self) -> tuple[Key, ...]:
        return (self.first, self.second)


@dataclass(frozen=True)
class Above(_Pair):
    """One measurement is larger than another, over the same resamples.

    It holds where the 95 % interval of the mean difference lies above `margin`, it fails where it lies below, and is
    open otherwise.
    """

    def test(self, measured: Measured) -> Finding:
        difference = paired_difference(measured.cells[self.first], measured.cells[self.second])
        by = f" by more than {self.margin:g}" if self.margin else ""
        claim = f"{named(self.first)} is above {named(self.second)}{by}"
        _, low, high = difference
        # Equal on every resample: neither is above.
        is_not = high < self.margin or low == high <= self.margin
        outcome: Outcome = "holds" if low > self.margin else "fails" if is_not else "open"
        return Finding(claim, outcome, f"difference {interval_text(difference)}")


@dataclass(frozen=True)
class NotBelow(_Pair):
    """One measurement is not smaller than another by more than a margin: it fails where the interval of the difference
    lies below minus the margin, and holds where none of it does."""

    def test(self, measured: Measured) -> Finding:
        difference = paired_difference(measured.cells[self.first], measured.cells[self.second])
        by = f" by more than {self.margin:g}" if self.margin else ""
        claim = f"{named(self.first)} is not below {named(self.second)}{by}"
        _, low, high = difference
        outcome: Outcome = "holds" if low >= -self.margin else "fails" if high < -self.margin else "open"
        return Finding(claim, outcome, f"difference {interval_text(difference)}")


@dataclass(frozen=True)
class Beyond:
    """A measurement lies above a value (or below it): its interval does."""

    key: Key
    value: float
    is_below: bool = False

    @property
    def keys(self) -> tuple[Key, ...]:
        return (self.key,)

    def test(self, measured: Measured) -> Finding:
        cell = measured.cells[self.key]
        sign = -1.0 if self.is_below else 1.0
        low, high = sorted((sign * (cell.low - self.value), sign * (cell.high - self.value)))
        claim = f"{named(self.key)} is {'below' if self.is_below else 'above'} {self.value:g}"
        evidence = interval_text((cell.mean, cell.low, cell.high))
        return Finding(claim, "holds" if low > 0 else "fails" if high < 0 else "open", evidence)


def named(key: Key) -> str:
    """A key in words."""
    return ", ".join(key)


def interval_text(found: tuple[float, float, float]) -> str:
    """A mean with its interval."""
    mean, low, high = found
    if math.isinf(low) or math.isinf(high):
        return f"{mean:.1f}, of too few resamples for an interval".replace("-", "−")
    # Of seconds and other small numbers one digit behind the point says nothing.
    form = ".2g" if 0 < max(abs(low), abs(high)) < 1 else ".1f"
    return f"{mean:{form}} (95 % interval {low:{form}} to {high:{form}})".replace("-", "−")


def paired_difference(first: Measurement, second: Measurement) -> tuple[float, float, float]:
    """The mean of first minus second with its 95 % interval.

    Paired, by the corrected t, where both have the same number of resamples, otherwise as of independent means.
    """
    a, b = np.asarray(first.values), np.asarray(second.values)
    if len(a) != len(b):
        mean = first.mean - second.mean
        below = math.hypot(first.mean - first.low, second.high - second.mean)
        above = math.hypot(first.high - first.mean, second.mean - second.low)
        return mean, mean - below, mean + above
    if len(a) < _FEWEST and np.ptp(a - b) == 0:
        return float((a - b).mean()), -math.inf, math.inf
    difference = Measurement.of_resamples((a - b).tolist(), first.shared, (-math.inf, math.inf))
    return difference.mean, difference.low, difference.high
