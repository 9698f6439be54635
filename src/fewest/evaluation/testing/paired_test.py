"""What every test of two methods has: a p-value, perhaps adjusted for the others, and a sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from fewest import formatting
from fewest.arrays import Floats
from fewest.errors import InvalidInput
from fewest.evaluation.design.checked_arrays import finite_array
from fewest.evaluation.testing.ranks import TIE, average_ranks

#: What two methods are called where the caller gives no names.
TWO = ("the first", "the second")


@dataclass(frozen=True, kw_only=True)
class PairedTest:
    """Two methods, judged on the same rows, resamples or tables.

    first, second : their names
    p_value : two-sided, as if this were the only test
    adjusted_p_value : after Holm, where several tests are made together (holm_adjusted)
    """

    first: str
    second: str
    p_value: float
    adjusted_p_value: float | None = None

    def is_significant(self, level: float = 0.05) -> bool:
        """Whether the p-value, adjusted where it was, is below the level."""
        return self._decisive_p < level

    @property
    def _decisive_p(self) -> float:
        return self.p_value if self.adjusted_p_value is None else self.adjusted_p_value

    def _p_in_words(self, level: float) -> str:
        return formatting.p_value(self._decisive_p, level) + ("" if self.adjusted_p_value is None else " after Holm")

    def _verdict(self, difference: float, less: str, evidence: str, level: float) -> str:
        """The sentence that all tests share; a negative difference means that the first errs less."""
        better, worse = (self.first, self.second) if difference <= 0 else (self.second, self.first)
        if self.is_significant(level):
            return f"{better} errs {less} than {worse} ({evidence}{self._p_in_words(level)})"
        lead = "" if abs(difference) <= TIE else f"{better} errs {less}, "
        return (
            f"no significant difference between {self.first} and {self.second} "
            f"({lead}{evidence}{self._p_in_words(level)})"
        )


Test = TypeVar("Test", bound=PairedTest)


def holm(p_values: ArrayLike) -> Floats:
    """p-values adjusted for their number by Holm's steps, in the order given.

    The i-th smallest of m is multiplied by m - i + 1, and none is less than a smaller one's. Whatever the tests have
    to do with each other, the chance that any true null hypothesis is rejected stays below the level.
    """
    p = finite_array("p_values", p_values)
    if np.any((p < 0) | (p > 1)):
        raise InvalidInput("p_values must lie between 0 and 1.")
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def holm_adjusted(tests: Sequence[Test]) -> tuple[Test, ...]:
    """The same tests, each with its p-value adjusted for all of them."""
    if not tests:
        return ()
    adjusted = holm([test.p_value for test in tests])
    return tuple(replace(test, adjusted_p_value=float(p)) for test, p in zip(tests, adjusted, strict=True))


def cohens_d(differences: ArrayLike) -> float:
    """Mean of paired differences over their standard deviation (n - 1): 0.2 is small, 0.8 large.

    0 where all are nought, plus or minus infinity where all are equal and not nought.
    """
    mean, variance = mean_and_variance(finite_array("differences", differences))
    if variance == 0.0:
        return math.copysign(math.inf, mean) if mean else 0.0
    return mean / math.sqrt(variance)


def rank_biserial(differences: ArrayLike) -> float:
    """Matched-pairs rank-biserial correlation: share of ranks that are positive less the share that is negative.

    From -1, the first always errs less, to 1. Differences of nought share their ranks out evenly.
    """
    above, below = signed_rank_sums(finite_array("differences", differences))
    return (above - below) / (above + below)


def signed_rank_sums(differences: Floats) -> tuple[float, float]:
    """Sums of the ranks of positive and of negative differences; those of nought go half to each."""
    ranks = average_ranks(np.abs(differences))
    shared = ranks[np.abs(differences) <= TIE].sum() / 2
    return float(ranks[differences > TIE].sum() + shared), float(ranks[differences < -TIE].sum() + shared)


def mean_and_variance(values: Floats) -> tuple[float, float]:
    """Mean and variance (n - 1), exactly summed; a spread that is rounding alone is none."""
    mean = math.fsum(values) / len(values)
    if len(values) < 2 or np.ptp(values) <= TIE:
        return (mean if abs(mean) > TIE else 0.0), 0.0
    return mean, math.fsum(np.square(values - mean)) / (len(values) - 1)
