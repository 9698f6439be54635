"""Bounds on the expected number of false selections of stability selection."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from fewest.errors import InvalidInput
from fewest.methods.guarantees.r_concave_tail import r_concave_tail
from fewest.parameters import check_choice

BOUNDS = ("shah-samworth", "meinshausen-buhlmann")
ASSUMPTIONS = ("r-concave", "unimodal", "none")
#: Thresholds that differ by less are equal: one that was computed may be off by a rounding.
_TIE = 1e-9


@dataclass(frozen=True)
class FalseSelections:
    """The bound on the expected number of columns that pass a threshold although they are selected no more often than
    by guessing.

    A threshold is given in steps of 1 / (2 n_pairs), the share of one half.

    bound, assumption : which bound, and for that of Shah and Samworth what is assumed of the selection frequencies
    n_columns : p
    n_pairs : B, the number of complementary pairs
    """

    bound: str
    assumption: str
    n_columns: int
    n_pairs: int

    #: Two simultaneous proportions are r-concave with r = -1/2, proportions of halves with r = -1/4.
    _OF_PAIRS: ClassVar[int] = -2
    _OF_HALVES: ClassVar[int] = -4

    def __post_init__(self) -> None:
        check_choice("bound", self.bound, BOUNDS)
        check_choice("assumption", self.assumption, ASSUMPTIONS)

    @property
    def n_halves(self) -> int:
        return 2 * self.n_pairs

    def step_of(self, threshold: float) -> int:
        """Return the least number of halves that is at least this share of all."""
        return math.ceil(threshold * self.n_halves - _TIE)

    def at(self, size: int, step: int) -> float:
        """Return the bound where each half selects `size` columns and the threshold is `step` halves.

        There are no more false selections than columns, whatever the threshold.
        """
        if step <= self.n_pairs:
            return float(self.n_columns)
        return min(float(self.n_columns), self._by_formula(size, step))

    def _by_formula(self, size: int, step: int) -> float:
        share, threshold = size / self.n_columns, step / self.n_halves
        worst = size * share / (2 * threshold - 1)
        if self.bound == "meinshausen-buhlmann" or self.assumption == "none":
            return worst
        if self.assumption == "unimodal":
            return min(worst, self._unimodal(size, share, threshold))
        of_pairs = r_concave_tail(share**2 * self.n_pairs, step - self.n_pairs, self.n_pairs, self._OF_PAIRS)
        of_halves = r_concave_tail(share * self.n_halves, step, self.n_halves, self._OF_HALVES)
        return min(worst, of_pairs * self.n_columns, of_halves * self.n_columns)

    def _unimodal(self, size: int, share: float, threshold: float) -> float:
        """Theorem 2 of Shah and Samworth, for shares up to 1 / sqrt(3)."""
        least = 0.5 + min(share**2, 1 / self.n_halves + 0.75 * share**2)
        if share > 1 / math.sqrt(3) or threshold <= least:
            return math.inf
        if threshold <= 0.75:
            constant = 1 / (2 * (2 * threshold - 1 - 1 / self.n_halves))
        else:
            constant = 4 * (1 - threshold + 1 / self.n_halves) / (1 + 1 / self.n_pairs)
        return constant * size * share

    def least_step(self, size: int, expected_false: float) -> int:
        """Return the lowest threshold above one half at which the bound is at most expected_false.

        Raises InvalidInput where there is none, with the largest size that has one.
        """
        if self.at(size, self.n_halves) > expected_false * (1 + _TIE):
            self._refuse(size, expected_false)
        low, high = self.n_pairs, self.n_halves
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._holds(size, middle, expected_false) else (middle, high)
        return high

    def largest_size(self, step: int, expected_false: float) -> int:
        """Return the largest number of columns a half at which the bound is at most expected_false, or 0."""
        if self._holds(self.n_columns, step, expected_false):
            return self.n_columns
        low, high = 0, self.n_columns
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._holds(middle, step, expected_false) else (low, middle)
        return low

    def _holds(self, size: int, step: int, expected_false: float) -> bool:
        return self.at(size, step) <= expected_false * (1 + _TIE)

    def _refuse(self, size: int, expected_false: float) -> None:
        largest = self.largest_size(self.n_halves, expected_false)
        if largest < 1:
            raise self.nothing_holds(self.n_halves, expected_false)
        raise InvalidInput(
            f"With q = {size} features a half, no threshold keeps the expected number of false selections among "
            f"{self.n_columns:,} columns at {expected_false:g}: the bound is {self.at(size, self.n_halves):.3g} at a "
            f"threshold of 1. Give the selector n_features={largest}, the largest that can, or less, or allow more "
            "false selections."
        )

    def nothing_holds(self, step: int, expected_false: float) -> InvalidInput:
        """Return the error where not even one feature a half keeps the number of false selections down."""
        return InvalidInput(
            f"With {self.n_columns:,} columns and a threshold of {step / self.n_halves:g}, not even one feature a half "
            f"keeps the expected number of false selections at {expected_false:g}: the bound is "
            f"{self.at(1, step):.3g}. Allow more false selections, or a higher threshold."
        )
