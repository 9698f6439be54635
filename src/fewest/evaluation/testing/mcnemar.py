"""McNemar's test: two methods on the rows of one test set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, erfc, sqrt

import numpy as np
from numpy.typing import ArrayLike

from fewest.errors import InvalidInput
from fewest.evaluation.design.checked_arrays import boolean_array, check_names, check_same_length, check_share
from fewest.evaluation.testing.paired_test import TWO, PairedTest
from fewest.formatting import precise_points

#: With fewer rows on which the methods part, the binomial distribution itself is used.
_FEW = 25


@dataclass(frozen=True, kw_only=True)
class McNemarTest(PairedTest):
    """Whether two methods err equally often on the same rows.

    only_first, only_second : rows that the first alone, and the second alone, got wrong
    n_rows : all rows, those on which the methods agree included
    statistic : chi-square, or, where is_exact, the smaller of the two counts
    is_exact : by the binomial distribution, since the methods part on fewer than 25 rows
    """

    only_first: int
    only_second: int
    n_rows: int
    statistic: float
    is_exact: bool

    @property
    def effect(self) -> float:
        """The first's error less the second's."""
        return (self.only_first - self.only_second) / self.n_rows

    def sentence(self, level: float = 0.05) -> str:
        """What was found, in plain words."""
        evidence = f"alone wrong on {self.only_first} and {self.only_second} of {self.n_rows} rows, "
        return self._verdict(self.effect, f"{precise_points(abs(self.effect))} points less", evidence, level)


@dataclass(frozen=True)
class McNemarTally:
    """In how many resamples the first is significantly better than the second, worse, or neither."""

    first: str
    second: str
    better: int
    worse: int
    no_difference: int
    level: float

    @property
    def n_resamples(self) -> int:
        """How many tests were made."""
        return self.better + self.worse + self.no_difference

    def sentence(self) -> str:
        """What was found, in plain words."""
        return (
            f"{self.first} is significantly better than {self.second} in {self.better} of {self.n_resamples} "
            f"resamples, worse in {self.worse}, no difference in {self.no_difference}"
        )


def mcnemar(first_wrong: ArrayLike, second_wrong: ArrayLike, names: Sequence[str] = TWO) -> McNemarTest:
    """McNemar's test of two methods on the same rows.

    With b rows that only the first got wrong and c that only the second did: exact and two-sided by the binomial
    distribution where b + c < 25, else (max(|b - c| - 1, 0))² / (b + c) as chi-square with one degree of freedom.
    Rows on which both are right, or both wrong, do not count. p = 1 where b = c.

    Parameters
    ----------
    first_wrong, second_wrong : array-like of bool
        Which rows each method got wrong.
    names : two names
        What the methods are called in the sentence.
    """
    first, second = boolean_array("first_wrong", first_wrong), boolean_array("second_wrong", second_wrong)
    check_same_length(first_wrong=len(first), second_wrong=len(second))
    name_first, name_second = check_names(names, 2)
    b, c = int(np.count_nonzero(first & ~second)), int(np.count_nonzero(second & ~first))
    is_exact = b + c < _FEW
    statistic = float(min(b, c)) if is_exact else max(abs(b - c) - 1, 0) ** 2 / (b + c)
    return McNemarTest(
        first=name_first,
        second=name_second,
        p_value=_binomial_p(b, c) if is_exact else _chi_square_p(statistic),
        only_first=b,
        only_second=c,
        n_rows=len(first),
        statistic=statistic,
        is_exact=is_exact,
    )


def tally_mcnemar(
    first_wrong: Sequence[ArrayLike],
    second_wrong: Sequence[ArrayLike],
    level: float = 0.05,
    names: Sequence[str] = TWO,
) -> McNemarTally:
    """One McNemar test a resample, counted as the papers count them: better, worse, no difference.

    first_wrong and second_wrong hold one boolean array a resample. Nothing is adjusted for the number of resamples.

    References
    ----------
    Wang, Feature selection with kernel class separability, Tables 1 to 4 and 7.
    """
    check_share("level", level)
    check_same_length(first_wrong=len(first_wrong), second_wrong=len(second_wrong))
    if len(first_wrong) == 0:
        raise InvalidInput("There are no resamples to tally. Give one array of rows for each.")
    tests = [mcnemar(first, second, names) for first, second in zip(first_wrong, second_wrong, strict=True)]
    effects = [test.effect for test in tests if test.is_significant(level)]
    better, worse = sum(effect < 0 for effect in effects), sum(effect > 0 for effect in effects)
    return McNemarTally(tests[0].first, tests[0].second, better, worse, len(tests) - better - worse, level)


def _binomial_p(b: int, c: int) -> float:
    n = b + c
    at_most = sum(comb(n, k) for k in range(min(b, c) + 1))
    return min(1.0, 2 * at_most / 2.0**n)


def _chi_square_p(statistic: float) -> float:
    # With one degree of freedom, chi-square is the square of a normal variable.
    return erfc(sqrt(statistic / 2))
