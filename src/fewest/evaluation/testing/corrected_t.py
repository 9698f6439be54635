"""The paired t test for errors of resamples, which share rows and so are not independent."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fewest.errors import InvalidInput, InvalidParameter
from fewest.evaluation.design.checked_arrays import check_names, check_same_length, check_share, finite_array
from fewest.evaluation.testing.paired_test import TWO, PairedTest, cohens_d, holm_adjusted, mean_and_variance
from fewest.evaluation.testing.ranks import tie_groups
from fewest.formatting import precise_points


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

    def sentence(self, level: float = 0.05) -> str:
        """What was found, in plain words; the interval is that of the better method's lead."""
        sign = -1.0 if self.mean_difference <= 0 else 1.0
        low, high = sorted((sign * self.lower, sign * self.upper))
        half = (high - low) / 2 or abs(self.mean_difference)
        evidence = f"{100 * self.confidence:g} % interval {precise_points(low, half)} to {precise_points(high, half)}, "
        less = f"{precise_points(abs(self.mean_difference), half)} points less"
        return self._verdict(self.mean_difference, less, evidence, level)


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
    level: float

    def sentence(self) -> str:
        """What was found, in plain words."""
        others = self.methods[1:]
        if not self.tests:
            return f"{self.best} is the only method"
        if not others:
            return f"{self.best} errs least, and all others are significantly worse"
        told = others[0] if len(others) == 1 else f"{', '.join(others[:-1])} and {others[-1]}"
        return f"{self.best} errs least; {told} {'is' if len(others) == 1 else 'are'} not significantly worse"


def corrected_t(
    first_errors: ArrayLike,
    second_errors: ArrayLike,
    n_train: float,
    n_test: float,
    confidence: float = 0.95,
    names: Sequence[str] = TWO,
) -> CorrectedT:
    """Paired t test of the errors of two methods over J resamples, corrected for the rows that resamples share.

    t = mean(d) / sqrt((1/J + n_test/n_train) var(d)) with J - 1 degrees of freedom, d the first's error less the
    second's. The uncorrected test, with 1/J alone, takes J resamples of one table for J tables and finds differences
    where there are none.

    Where all differences are equal (but for rounding) there is no variance to test with: p = 1 if they are nought,
    p = 0 if they are not; the interval is then the difference itself.

    Parameters
    ----------
    first_errors, second_errors : array-like
        One error a resample, as shares between 0 and 1.
    n_train, n_test : float
        Rows to train and to test on; their means where resamples differ.
    confidence : float, default=0.95
        Of the interval.
    names : two names
        What the methods are called in the sentence.

    References
    ----------
    Nadeau and Bengio, Inference for the generalization error, Machine Learning 52 (2003).
    """
    first, second = finite_array("first_errors", first_errors), finite_array("second_errors", second_errors)
    check_same_length(first_errors=len(first), second_errors=len(second))
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
        first=name_first,
        second=name_second,
        p_value=p,
        mean_difference=mean,
        lower=mean - margin,
        upper=mean + margin,
        confidence=confidence,
        statistic=statistic,
        degrees_of_freedom=freedom,
        effect=cohens_d(differences),
    )


def not_worse_than_best(
    errors: Mapping[str, ArrayLike],
    n_train: float,
    n_test: float,
    n_features: Mapping[str, float] | None = None,
    level: float = 0.05,
) -> NotWorseThanBest:
    """Which methods are not significantly worse than the one with the least mean error.

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
    """
    check_share("level", level)
    if not errors:
        raise InvalidInput("There are no methods to compare. Give the errors of at least one.")
    names = list(errors)
    given = [finite_array(f"errors[{name!r}]", errors[name]) for name in names]
    check_same_length(**{name: len(values) for name, values in zip(names, given, strict=True)})
    if n_features is not None and (missing := [name for name in names if name not in n_features]):
        raise InvalidInput(f"n_features has no number for {missing[0]!r}. Give one for each method.")
    sizes = finite_array("n_features", [0.0 if n_features is None else n_features[name] for name in names])
    by_error = tie_groups(np.array([math.fsum(values) / len(values) for values in given]))
    order = np.lexsort((sizes, by_error))
    best = order[0]
    others = [position for position in range(len(names)) if position != best]
    tests = holm_adjusted(
        [corrected_t(given[best], given[other], n_train, n_test, names=(names[best], names[other])) for other in others]
    )
    worse = {test.second for test in tests if test.is_significant(level)}
    kept = tuple(names[position] for position in order if names[position] not in worse)
    return NotWorseThanBest(names[best], kept, tests, level)
