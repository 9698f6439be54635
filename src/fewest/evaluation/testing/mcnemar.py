"""McNemar's test: two methods on the rows of one test set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fewest.errors import InvalidInput
from fewest.evaluation.design.checked_arrays import boolean_array, check_same_length, check_share

#: The test is exact where the methods differ on fewer rows than this.
_MIN_ROWS_OF_CHI_SQUARE = 25


@dataclass(frozen=True)
class McNemarTest:
    """Whether two methods err equally often on the same rows.

    p_value : two-sided
    only_first, only_second : rows that the first alone, and the second alone, misclassifies
    n_rows : all rows, those on which the methods agree included
    statistic : chi-square, or, where is_exact, the smaller of the two counts
    is_exact : by the binomial distribution, since the methods differ on fewer than 25 rows
    """

    p_value: float
    only_first: int
    only_second: int
    n_rows: int
    statistic: float
    is_exact: bool

    @property
    def effect(self) -> float:
        """The first's error less the second's."""
        return (self.only_first - self.only_second) / self.n_rows


@dataclass(frozen=True)
class McNemarTally:
    """The numbers of resamples in which the first is significantly better than the second, worse, or neither."""

    better: int
    worse: int
    no_difference: int


def mcnemar(first_wrong: ArrayLike, second_wrong: ArrayLike) -> McNemarTest:
    """McNemar's test of two methods on the same rows.

    With b rows that only the first misclassifies and c that only the second does: exact and two-sided by the binomial
    distribution where b + c < 25, else (max(|b - c| - 1, 0))² / (b + c) as chi-square with one degree of freedom.
    Rows on which both are right, or both wrong, do not count. p = 1 where b = c.

    Parameters
    ----------
    first_wrong, second_wrong : array-like of bool
        Which rows each method misclassifies.
    """
    from scipy.special import bdtr, chdtrc

    first, second = boolean_array("first_wrong", first_wrong), boolean_array("second_wrong", second_wrong)
    check_same_length(first_wrong=len(first), second_wrong=len(second))
    b, c = int(np.count_nonzero(first & ~second)), int(np.count_nonzero(second & ~first))
    is_exact = b + c < _MIN_ROWS_OF_CHI_SQUARE
    if is_exact:
        statistic = float(min(b, c))
        # What scipy.stats.binomtest gives, which is too slow for thousands of tests.
        p = min(1.0, 2 * float(bdtr(min(b, c), b + c, 0.5)))
    else:
        statistic = max(abs(b - c) - 1, 0) ** 2 / (b + c)
        p = float(chdtrc(1, statistic))
    return McNemarTest(p, b, c, len(first), statistic, is_exact)


def tally_mcnemar(
    first_wrong: Sequence[ArrayLike], second_wrong: Sequence[ArrayLike], level: float = 0.05
) -> McNemarTally:
    """One McNemar test a resample, counted as the papers count them: better, worse, no difference.

    first_wrong and second_wrong hold one boolean array a resample. Nothing is adjusted for the number of resamples.

    References
    ----------
    Wang, 2008, Feature selection with kernel class separability, https://doi.org/10.1109/TPAMI.2007.70799, Tables 1
    to 4 and 7.
    """
    check_share("level", level)
    check_same_length(first_wrong=len(first_wrong), second_wrong=len(second_wrong))
    if len(first_wrong) == 0:
        raise InvalidInput("There are no resamples to tally. Give one array of rows for each.")
    tests = [mcnemar(first, second) for first, second in zip(first_wrong, second_wrong, strict=True)]
    effects = [test.effect for test in tests if test.p_value < level]
    better, worse = sum(effect < 0 for effect in effects), sum(effect > 0 for effect in effects)
    return McNemarTally(better, worse, len(tests) - better - worse)
