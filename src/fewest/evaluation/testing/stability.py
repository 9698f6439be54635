"""How much a method's choice depends on the rows it happened to see."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from fewest import formatting
from fewest.arrays import Floats, Indices
from fewest.errors import InvalidInput
from fewest.evaluation.design.given_numbers import as_booleans, check_names, check_share, whole_numbers
from fewest.evaluation.testing.paired_test import TWO
from fewest.evaluation.testing.ranks import TIE
from fewest.parameters import check_count


@dataclass(frozen=True)
class Stability:
    """How alike the columns are that were chosen in several resamples.

    index : 1 if they are always the same, 0 on average if each resample draws as many at random, never below
        -1/(M - 1). None where it is not defined: one resample; no column ever chosen; all columns always chosen
    variance : of the index
    lower, upper : interval at confidence, cut at 1, the largest possible
    mean_size : how many columns were chosen, on average
    frequencies : for every column, the share of resamples that chose it
    """

    index: float | None
    variance: float | None
    lower: float | None
    upper: float | None
    confidence: float
    n_resamples: int
    n_columns: int
    mean_size: float
    frequencies: Floats = field(compare=False, repr=False)

    def sentence(self) -> str:
        """What was found, in plain words."""
        if self.index is None or self.lower is None or self.upper is None:
            return f"stability is not defined: {self._why_not()}"
        return (
            f"stability {self.index:.2f} ({100 * self.confidence:g} % interval {self.lower:.2f} to {self.upper:.2f}) "
            f"over {self.n_resamples} resamples; 1 is always the same columns, 0 is chance"
        )

    def _why_not(self) -> str:
        if self.n_resamples == 1:
            return "there is one resample"
        return "no column was ever chosen" if self.mean_size == 0 else "all columns were always chosen"


@dataclass(frozen=True)
class StabilityTest:
    """Whether two methods are equally stable.

    difference : the first's index less the second's
    statistic : the difference over its standard error, normally distributed for many resamples
    """

    first: str
    second: str
    difference: float
    statistic: float
    p_value: float

    def sentence(self, level: float = 0.05) -> str:
        """What was found, in plain words."""
        if self.p_value >= level:
            return (
                f"no significant difference in stability between {self.first} and {self.second} "
                f"({formatting.p_value(self.p_value, level)})"
            )
        more, less = (self.first, self.second) if self.difference > 0 else (self.second, self.first)
        evidence = formatting.p_value(self.p_value, level)
        return f"{more} is more stable than {less}, by {abs(self.difference):.2f} ({evidence})"


def stability(chosen: Iterable[ArrayLike], n_columns: int, confidence: float = 0.95) -> Stability:
    """Nogueira's stability of the columns chosen in M resamples.

    1 - [M/(M-1) mean_f p_f (1 - p_f)] / [k/d (1 - k/d)], with p_f the share of resamples that chose column f of d,
    and k how many were chosen on average. Where all choices have the same size it is the mean of Kuncheva's index over
    all pairs. Its variance takes resamples for independent; the interval is normal.

    Needs what was chosen, and one count a column; never the whole matrix of resamples by columns.

    Parameters
    ----------
    chosen : one array-like of column numbers a resample
        In any order, each column once; it may be empty.
    n_columns : int
        How many columns there were to choose from.
    confidence : float, default=0.95
        Of the interval.

    References
    ----------
    Nogueira, Sechidis and Brown, On the stability of feature selection algorithms, JMLR 18 (2018).
    """
    check_share("confidence", confidence)
    check_count("n_columns", n_columns, 1)
    choices = [_columns(columns, n_columns, resample) for resample, columns in enumerate(chosen)]
    if not choices:
        raise InvalidInput("There are no resamples. Give the columns chosen in each of at least two.")
    n_resamples = len(choices)
    counts = np.bincount(np.concatenate(choices), minlength=n_columns)
    frequencies = counts / n_resamples
    sizes = np.array([len(columns) for columns in choices])
    total = int(sizes.sum())
    mean_size = total / n_resamples
    if n_resamples == 1 or total == 0 or total == n_resamples * n_columns:
        return Stability(None, None, None, None, confidence, n_resamples, n_columns, mean_size, frequencies)
    share = mean_size / n_columns
    by_chance = share * (1 - share)
    # Counts are whole numbers, so that choices that are all the same have a variance of exactly nought.
    disagreement = int(np.sum(counts * (n_resamples - counts))) / (n_resamples * (n_resamples - 1) * n_columns)
    index = 1 - disagreement / by_chance
    agreement = np.array([counts[columns].sum() for columns in choices]) / (n_resamples * n_columns)
    shares = sizes / n_columns
    # The part of each resample in the index, the fraction's numerator and denominator both moving with it.
    parts = (agreement - shares * share + index / 2 * (2 * shares * share - shares - share + 1)) / by_chance
    variance = 4 / n_resamples**2 * math.fsum(np.square(parts - math.fsum(parts) / n_resamples))
    from scipy.special import ndtri

    margin = float(ndtri((1 + confidence) / 2)) * math.sqrt(variance)
    return Stability(
        index=index,
        variance=variance,
        lower=index - margin,
        upper=min(index + margin, 1.0),
        confidence=confidence,
        n_resamples=n_resamples,
        n_columns=n_columns,
        mean_size=mean_size,
        frequencies=frequencies,
    )


def stability_of_matrix(chosen: ArrayLike, confidence: float = 0.95) -> Stability:
    """The same from a matrix of 0 and 1, or booleans: resamples by columns."""
    matrix = np.asarray(chosen)
    if matrix.ndim != 2 or matrix.shape[1] == 0:
        raise InvalidInput(f"chosen must be resamples by columns, got the shape {matrix.shape} instead.")
    return stability([np.flatnonzero(row) for row in as_booleans("chosen", matrix)], matrix.shape[1], confidence)


def equally_stable(first: Stability, second: Stability, names: Sequence[str] = TWO) -> StabilityTest:
    """Test, two-sided, that two methods are equally stable, their resamples drawn apart from each other.

    z = (index1 - index2) / sqrt(variance1 + variance2), as in the same paper. Where methods
    share their resamples, the variance is usually too large, and the test careful. Where neither varies, p = 1 if
    the indices are equal and 0 if they are not.
    """
    name_first, name_second = check_names(names, 2)
    if first.index is None or second.index is None or first.variance is None or second.variance is None:
        undefined = first if first.index is None else second
        raise InvalidInput(f"There is nothing to compare: {undefined.sentence()}.")
    difference = first.index - second.index
    spread = math.sqrt(first.variance + second.variance)
    if spread <= TIE:
        statistic = math.copysign(math.inf, difference) if abs(difference) > TIE else 0.0
    else:
        statistic = difference / spread
    return StabilityTest(name_first, name_second, difference, statistic, math.erfc(abs(statistic) / math.sqrt(2)))


def _columns(columns: ArrayLike, n_columns: int, resample: int) -> Indices:
    name = f"The choice of resample {resample}"
    numbers = whole_numbers(name, columns, n_columns)
    if len(np.unique(numbers)) < len(numbers):
        raise InvalidInput(f"{name} holds a column twice. Give each column once.")
    return numbers
