"""Tests of two methods on the same rows or resamples, and what all paired tests share.

| compared on | two methods | several |
|---|---|---|
| rows of one test set | mcnemar, tally_mcnemar over resamples | holm_adjusted |
| resamples of one table | corrected_t | not_worse_than_best |
| several tables | wilcoxon | friedman, with Nemenyi's critical difference and groups |
| sizes | rm_characteristic | |

Everywhere less is better, and a negative difference or effect says that the first method has the smaller error.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from fewest.arrays import Floats, Indices
from fewest.display import formatting
from fewest.display.formatting import MetricFormat, precise_points
from fewest.errors import InvalidInput, InvalidParameter
from fewest.evaluation.design.checked_arrays import boolean_array, check_lengths, check_names, check_share, finite_array

ERROR = MetricFormat()

#: The names of two methods where the caller passes none.
TWO = ("the first", "the second")

#: Errors that differ by no more than this are equal: the same share comes out of different sums.
TIE = 1e-12

#: McNemar's test is exact where the methods differ on fewer rows than this.
_MIN_ROWS_OF_CHI_SQUARE = 25


@dataclass(frozen=True, kw_only=True)
class PairedTest:
    """Two methods, compared on the same rows, resamples or tables.

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

    def _describe(self, difference: float, lead: str, evidence: str, level: float) -> str:
        """The sentence that all tests share; a negative difference means that the first is better.

        lead : what the better one does, "errs 2.1 points less"
        """
        better, worse = (self.first, self.second) if difference <= 0 else (self.second, self.first)
        p = formatting.p_value(self._decisive_p, level) + ("" if self.adjusted_p_value is None else " after Holm")
        if self.is_significant(level):
            return f"{better} {lead} than {worse} ({evidence}{p})"
        led = "" if abs(difference) <= TIE else f"{better} {lead}, "
        return f"no significant difference between {self.first} and {self.second} ({led}{evidence}{p})"


Test = TypeVar("Test", bound=PairedTest)


@dataclass(frozen=True, kw_only=True)
class CorrectedT(PairedTest):
    """Whether two methods err equally much over resamples of one table.

    mean_difference : mean of the first's errors less the second's; below 0 the first is better
    lower, upper : interval of that difference, at confidence; not adjusted for other tests
    statistic : t; 0 or infinite where all differences are equal
    effect : Cohen's d of the paired differences
    """

    mean_difference: float
    lower: float
    upper: float
    confidence: float
    statistic: float
    degrees_of_freedom: int
    effect: float

    def sentence(self, level: float = 0.05, metric: MetricFormat = ERROR) -> str:
        """Describe the result; the interval is that of the better method's lead."""
        sign = -1.0 if self.mean_difference <= 0 else 1.0
        low, high = sorted((sign * self.lower, sign * self.upper))
        half = (high - low) / 2 or abs(self.mean_difference)
        low_text, high_text = (amount_text(end, half, metric) for end in (low, high))
        evidence = f"{100 * self.confidence:g} % interval {low_text} to {high_text}, "
        lead = lead_text(abs(self.mean_difference), half, metric)
        return self._describe(self.mean_difference, lead, evidence, level)


@dataclass(frozen=True)
class McNemarTest:
    """Whether two methods err equally often on the same rows.

    p_value : two-sided
    only_first, only_second : rows that the first alone, and the second alone, misclassifies
    n_rows : all rows, those on which the methods agree included
    statistic : chi-square, or, where is_exact, the smaller of the two counts
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


@dataclass(frozen=True)
class NotWorseThanBest:
    """The method with the least mean error, and those that are not significantly worse.

    best : least mean error; where errors are equal, fewer features
    methods : best and those not significantly worse, by mean error, then by features
    tests : best against every other, after Holm, in the order of the errors' names
    """

    best: str
    methods: tuple[str, ...]
    tests: tuple[CorrectedT, ...]


def amount_text(loss: float, uncertainty: float | None, metric: MetricFormat) -> str:
    """Write a difference of losses, in points where the metric is a percentage."""
    unit = 1.0 if metric.is_percentage else 100.0
    return precise_points(loss / unit, None if uncertainty is None else uncertainty / unit)


def lead_text(loss: float, uncertainty: float | None, metric: MetricFormat) -> str:
    """Write what the better method does: "errs 2.1 points less", "has 0.021 more ROC AUC"."""
    amount = amount_text(loss, uncertainty, metric)
    if metric.is_percentage:
        return f"errs {amount} points less"
    return f"has {amount} {'less' if metric.lower_is_better else 'more'} {metric.label}"


def corrected_t(
    first_errors: ArrayLike, second_errors: ArrayLike, n_train: float, n_test: float, confidence: float = 0.95,
    names: Sequence[str] = TWO,
) -> CorrectedT:  # fmt: skip
    """Paired t test of the errors of two methods over J resamples, corrected for the rows that resamples share.

    t = mean(d) / sqrt((1/J + n_test/n_train) var(d)) with J - 1 degrees of freedom, d the first's error less the
    second's. The uncorrected test, with 1/J alone, finds differences where there are none. Where all differences are
    equal (but for rounding), p = 1 if they are zero and 0 if not, and the interval is the difference itself.

    Parameters
    ----------
    first_errors, second_errors : array-like
        One error a resample, as shares between 0 and 1.
    n_train, n_test : float
        The numbers of training rows and of test rows; their means where resamples differ.
    confidence : float, default=0.95
        The confidence of the interval.
    names : two names
        The names of the methods in the sentence.

    References
    ----------
    Nadeau and Bengio, 2003, Inference for the generalization error, https://doi.org/10.1023/A:1024068626366
    """
    first, second = finite_array("first_errors", first_errors), finite_array("second_errors", second_errors)
    check_lengths(first_errors=len(first), second_errors=len(second))
    name_first, name_second = check_names(names, 2)
    check_share("confidence", confidence)
    if not (0 < n_train < math.inf and 0 < n_test < math.inf):
        raise InvalidParameter(f"n_train and n_test must be positive, got {n_train!r} and {n_test!r} instead.")
    if len(first) < 2:
        raise InvalidInput("One resample has no variance to test with. Give at least two.")
    differences = first - second
    mean, variance = mean_and_variance(differences)
    spread = math.sqrt((1 / len(differences) + n_test / n_train) * variance)
    freedom = len(differences) - 1
    if spread == 0.0:
        statistic, p, margin = (math.copysign(math.inf, mean), 0.0, 0.0) if mean else (0.0, 1.0, 0.0)
    else:
        from scipy.special import stdtr, stdtrit

        statistic = mean / spread
        p = float(2 * stdtr(freedom, -abs(statistic)))
        margin = float(stdtrit(freedom, (1 + confidence) / 2)) * spread
    return CorrectedT(
        first=name_first, second=name_second, p_value=p, mean_difference=mean, lower=mean - margin, upper=mean + margin,
        confidence=confidence, statistic=statistic, degrees_of_freedom=freedom, effect=cohens_d(differences),
    )  # fmt: skip


def mcnemar(first_wrong: ArrayLike, second_wrong: ArrayLike) -> McNemarTest:
    """McNemar's test of two methods on the same rows.

    With b rows that only the first misclassifies and c that only the second does: exact and two-sided by the binomial
    distribution where b + c < 25, else (max(|b - c| - 1, 0))² / (b + c) as chi-square with one degree of freedom.

    Parameters
    ----------
    first_wrong, second_wrong : array-like of bool
        Which rows each method misclassifies.
    """
    from scipy.special import bdtr, chdtrc

    first, second = boolean_array("first_wrong", first_wrong), boolean_array("second_wrong", second_wrong)
    check_lengths(first_wrong=len(first), second_wrong=len(second))
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
    check_lengths(first_wrong=len(first_wrong), second_wrong=len(second_wrong))
    if len(first_wrong) == 0:
        raise InvalidInput("There are no resamples to tally. Give one array of rows for each.")
    tests = [mcnemar(first, second) for first, second in zip(first_wrong, second_wrong, strict=True)]
    effects = [test.effect for test in tests if test.p_value < level]
    better, worse = sum(effect < 0 for effect in effects), sum(effect > 0 for effect in effects)
    return McNemarTally(better, worse, len(tests) - better - worse)


def not_worse_than_best(
    errors: Mapping[str, ArrayLike], n_train: float, n_test: float, n_features: Mapping[str, float] | None = None,
    level: float = 0.05,
) -> NotWorseThanBest:  # fmt: skip
    """The methods that are not significantly worse than the one with the least mean error.

    The best is tested against every other by corrected_t, two-sided, with p-values after Holm. Equal mean errors go
    to fewer features, then to the method that is named first.

    Parameters
    ----------
    errors : {name: one error a resample}
        The same resamples for all methods.
    n_train, n_test : float
        As in corrected_t.
    n_features : {name: mean number of features}, default=None
        Without it equal errors go to the method named first.
    level : float, default=0.05
        The level of significance.
    """
    check_share("level", level)
    if not errors:
        raise InvalidInput("There are no methods to compare. Give the errors of at least one.")
    names = list(errors)
    arrays = [finite_array(f"errors[{name!r}]", errors[name]) for name in names]
    check_lengths(**{name: len(values) for name, values in zip(names, arrays, strict=True)})
    if n_features is not None and (missing := [name for name in names if name not in n_features]):
        raise InvalidInput(f"n_features has no number for {missing[0]!r}. Give one for each method.")
    sizes = finite_array("n_features", [0.0 if n_features is None else n_features[name] for name in names])
    by_error = tie_groups(np.array([math.fsum(values) / len(values) for values in arrays]))
    order = np.lexsort((sizes, by_error))
    best = order[0]
    others = [other for other in range(len(names)) if other != best]
    tests = holm_adjusted(
        [corrected_t(arrays[best], arrays[o], n_train, n_test, names=(names[best], names[o])) for o in others]
    )
    worse = {test.second for test in tests if test.is_significant(level)}
    kept = tuple(names[index] for index in order if names[index] not in worse)
    return NotWorseThanBest(names[best], kept, tests)


def rm_characteristic(first_errors: Mapping[int, float], second_errors: Mapping[int, float]) -> float:
    """rho: the share of sizes at which the first method's features err less than the same number of the second's.

    Errors that are equal but for rounding (1e-12) count for neither: rho of the second against the first need not be
    1 - rho. It is 1 where the first is "recursively more characteristic"; 0.9 and above is approximately so.

    Parameters
    ----------
    first_errors, second_errors : {number of features: error}
        The sizes that both have are compared.

    References
    ----------
    Peng, Long and Ding, 2005, Feature selection based on mutual information: criteria of max-dependency,
    max-relevance, and min-redundancy, https://doi.org/10.1109/TPAMI.2005.159, Section 3.3.
    """
    sizes = sorted(first_errors.keys() & second_errors.keys())
    if not sizes:
        raise InvalidInput("The two methods have no size in common. Measure both at the same sizes.")
    first = finite_array("first_errors", [first_errors[size] for size in sizes])
    second = finite_array("second_errors", [second_errors[size] for size in sizes])
    return int(np.count_nonzero(second - first > TIE)) / len(sizes)


def holm(p_values: ArrayLike) -> Floats:
    """p-values adjusted for their number by Holm's steps, in the order given.

    The i-th smallest of m is multiplied by m - i + 1, and none is less than a smaller one's. Whatever the dependence
    between the tests, the probability that any true null hypothesis is rejected stays below the level.
    """
    p = finite_array("p_values", p_values)
    if np.any((p < 0) | (p > 1)):
        raise InvalidInput("p_values must lie between 0 and 1.")
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    return adjusted


def holm_adjusted(tests: Sequence[Test]) -> tuple[Test, ...]:
    """The same tests, each with its p-value adjusted for all of them."""
    if not tests:
        return ()
    adjusted = holm([test.p_value for test in tests])
    return tuple(replace(test, adjusted_p_value=float(p)) for test, p in zip(tests, adjusted, strict=True))


def cohens_d(differences: ArrayLike) -> float:
    """Mean of paired differences over their standard deviation (n - 1): 0.2 is small, 0.8 large.

    0 where all are zero, plus or minus infinity where all are equal and not zero.
    """
    mean, variance = mean_and_variance(finite_array("differences", differences))
    if variance == 0.0:
        return math.copysign(math.inf, mean) if mean else 0.0
    return mean / math.sqrt(variance)


def mean_and_variance(values: Floats) -> tuple[float, float]:
    """Mean and variance (n - 1), exactly summed; a variance that is rounding alone is 0."""
    mean = math.fsum(values) / len(values)
    if len(values) < 2 or np.ptp(values) <= TIE:
        return (mean if abs(mean) > TIE else 0.0), 0.0
    return mean, math.fsum(np.square(values - mean)) / (len(values) - 1)


def tie_groups(values: Floats) -> Indices:
    """The number of each value among the distinct ones, from 0 for the lowest; equal but for rounding is equal."""
    order = np.argsort(values, kind="stable")
    groups = np.empty(len(values), dtype=np.intp)
    groups[order] = np.concatenate([[0], np.cumsum(np.diff(values[order]) > TIE)])
    return groups
