"""Tests over several tables: Wilcoxon's for two methods, Friedman's with Nemenyi's for more."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata

from fewest.arrays import Floats
from fewest.display import formatting
from fewest.display.formatting import MetricFormat
from fewest.errors import InvalidInput
from fewest.evaluation.design.checked_arrays import check_lengths, check_names, check_share, finite_array
from fewest.evaluation.testing.paired_tests import ERROR, TIE, TWO, PairedTest, lead_text, tie_groups

#: The number of tables up to which p is exact; the distribution takes an array of about the square of this.
_MAX_EXACT = 200


@dataclass(frozen=True, kw_only=True)
class WilcoxonTest(PairedTest):
    """Whether two methods err equally much over several tables.

    statistic : the smaller of the two sums of ranks
    mean_difference : mean of the first's errors less the second's
    effect : matched-pairs rank-biserial correlation, from -1 (the first always errs less) to 1
    """

    statistic: float
    n_tables: int
    mean_difference: float
    effect: float
    is_exact: bool

    def sentence(self, level: float = 0.05, metric: MetricFormat = ERROR) -> str:
        """Describe the result; the ranks that are tested say which method errs less."""
        if self.effect * self.mean_difference <= 0:
            # The mean may point the other way than the ranks, or nowhere: then there is no number of points.
            return self._describe(self.effect, "errs less by rank", f"{self.n_tables} tables, ", level)
        lead = lead_text(abs(self.mean_difference), None, metric)
        return self._describe(self.effect, lead, f"mean of {self.n_tables} tables, ", level)


@dataclass(frozen=True)
class FriedmanTest:
    """Whether several methods err equally much over several tables, by their ranks.

    names : the methods, in the order given
    mean_ranks : 1 would be the least error on every table; those that tie share the mean of their ranks
    chi_square, chi_square_p_value : Friedman's statistic, k - 1 degrees of freedom
    f, p_value : Iman and Davenport's, less conservative; k - 1 and (k - 1)(n - 1) degrees of freedom
    """

    names: tuple[str, ...]
    mean_ranks: tuple[float, ...]
    n_tables: int
    chi_square: float
    chi_square_p_value: float
    f: float
    p_value: float

    def critical_difference(self, level: float = 0.05) -> float:
        """Nemenyi's: mean ranks that differ by at least this differ significantly, all pairs taken together."""
        return critical_difference(len(self.names), self.n_tables, level)

    def groups(self, level: float = 0.05) -> tuple[tuple[str, ...], ...]:
        """The bars of a critical-difference diagram: the longest runs of methods, by mean rank, that do not differ."""
        order = np.argsort(self.mean_ranks, kind="stable").tolist()
        runs = equal_runs([self.mean_ranks[method] for method in order], self.critical_difference(level))
        return tuple(tuple(self.names[method] for method in order[start:end]) for start, end in runs)

    def sentence(self, level: float = 0.05) -> str:
        """Describe the result."""
        evidence = f"Friedman over {self.n_tables} tables, {formatting.p_value(self.p_value, level)}"
        if self.p_value >= level:
            return f"no significant difference among the {len(self.names)} methods ({evidence})"
        apart = self.critical_difference(level)
        least = min(self.mean_ranks)
        best = self.names[self.mean_ranks.index(least)]
        worse = [name for name, rank in zip(self.names, self.mean_ranks, strict=True) if rank - least >= apart]
        verdict = f"significantly better than {', '.join(worse)}" if worse else "not significantly better than any"
        return (
            f"the methods differ ({evidence}); {best} has the best mean rank, {least:.2f}: {verdict} "
            f"(critical difference {apart:.2f})"
        )


def wilcoxon(first_errors: ArrayLike, second_errors: ArrayLike, names: Sequence[str] = TWO) -> WilcoxonTest:
    """Wilcoxon's signed rank test of the errors of two methods over several tables, one error a table.

    Differences of zero are ranked too and their ranks shared evenly between both sums, as Demsar recommends (SciPy's
    "zsplit"). Differences that are equal but for rounding (1e-12) tie. p is exact up to 200 tables, ties and zeros
    included, which scipy.stats.wilcoxon is not: the share of all assignments of signs to the differences that are not
    zero with a smaller sum at most this large, doubled. Beyond, it is normal, without continuity correction.

    References
    ----------
    Demsar, 2006, Statistical comparisons of classifiers over multiple data sets, JMLR 7, Section 3.1.3.
    """
    first, second = finite_array("first_errors", first_errors), finite_array("second_errors", second_errors)
    check_lengths(first_errors=len(first), second_errors=len(second))
    name_first, name_second = check_names(names, 2)
    differences = first - second
    above, below = signed_rank_sums(differences)
    is_exact = len(differences) <= _MAX_EXACT
    decided = average_ranks(np.abs(differences))[np.abs(differences) > TIE]
    # What the zeros add to both sums is the same for every assignment of signs.
    smaller = (float(decided.sum()) - abs(above - below)) / 2
    return WilcoxonTest(
        first=name_first, second=name_second,
        p_value=_exact_p(decided, smaller) if is_exact else _normal_p(decided, smaller),
        statistic=min(above, below), n_tables=len(differences), is_exact=is_exact,
        mean_difference=math.fsum(differences) / len(differences), effect=rank_biserial(differences),
    )  # fmt: skip


def friedman(errors: ArrayLike, names: Sequence[str] | None = None, correct_ties: bool = True) -> FriedmanTest:
    """Friedman's test of several methods over several tables.

    chi² = 12n / (k(k+1)) [Σ R_j² - k(k+1)²/4], R_j the mean ranks of k methods on n tables, divided by
    1 - Σ (t³ - t) / (n k (k² - 1)) over the runs of t methods that tie; F = (n - 1) chi² / (n(k - 1) - chi²), which
    is infinite where all tables rank the methods alike, and 0 where all methods tie throughout.

    Parameters
    ----------
    errors : array-like, tables by methods
        Less is better. Errors that are equal but for rounding (1e-12) tie.
    names : one name a method
        "1", "2", ... by default.
    correct_ties : bool, default=True
        False leaves out the correction, as Demsar's worked example does.

    References
    ----------
    Demsar, 2006, Statistical comparisons of classifiers over multiple data sets, JMLR 7, Section 3.2.2.
    """
    table = finite_array("errors", errors, n_dimensions=2)
    n, k = table.shape
    if n < 2 or k < 2:
        raise InvalidInput(f"At least two tables and two methods are needed, got {n} and {k}.")
    methods = check_names([str(number + 1) for number in range(k)] if names is None else names, k)
    ranks = np.array([average_ranks(row) for row in table])
    mean_ranks = (ranks.sum(axis=0) / n).tolist()
    # Sums of half ranks are exact, so that 0 is 0 and the largest possible value is reached.
    between = float(np.square(ranks.sum(axis=0) - n * (k + 1) / 2).sum())
    within_tables = float(np.square(ranks - (k + 1) / 2).sum()) if correct_ties else n * k * (k * k - 1) / 12
    chi_square = (k - 1) * between / within_tables if within_tables else 0.0
    rest = n * (k - 1) - chi_square
    f = (n - 1) * chi_square / rest if rest > TIE * n * k else math.inf
    from scipy.special import chdtrc, fdtrc

    p = 0.0 if math.isinf(f) else float(fdtrc(k - 1, (k - 1) * (n - 1), f))
    return FriedmanTest(methods, tuple(mean_ranks), n, chi_square, float(chdtrc(k - 1, chi_square)), f, p)


def critical_difference(n_methods: int, n_tables: int, level: float = 0.05) -> float:
    """Nemenyi's critical difference of mean ranks: q sqrt(k(k+1) / 6n), q the studentised range over √2."""
    check_share("level", level)
    if n_methods < 2 or n_tables < 1:
        raise InvalidInput(f"Two methods and a table are needed at least, got {n_methods} and {n_tables}.")
    from scipy.stats import studentized_range

    q = float(studentized_range.isf(level, n_methods, np.inf)) / math.sqrt(2)
    return q * math.sqrt(n_methods * (n_methods + 1) / (6 * n_tables))


def equal_runs(mean_ranks: Sequence[float], apart: float) -> list[tuple[int, int]]:
    """Of ranks in ascending order the longest runs, as (start, end), whose ends differ by less than apart."""
    runs: list[tuple[int, int]] = []
    for start in range(len(mean_ranks)):
        end = start + 1
        while end < len(mean_ranks) and mean_ranks[end] - mean_ranks[start] < apart:
            end += 1
        if end - start > 1 and (not runs or end > runs[-1][1]):
            runs.append((start, end))
    return runs


def _exact_p(ranks: Floats, smaller: float) -> float:
    """Share of assignments of signs in which the smaller sum of ranks is no larger; ranks may be halves."""
    doubled = np.rint(2 * ranks).astype(np.intp)
    chance = np.zeros(int(doubled.sum()) + 1)
    chance[0] = 1.0
    for rank in doubled:
        chance[rank:] = (chance[rank:] + chance[: len(chance) - rank]) / 2
        chance[:rank] /= 2
    return min(1.0, float(2 * chance[: round(2 * smaller) + 1].sum()))


def _normal_p(ranks: Floats, smaller: float) -> float:
    if len(ranks) == 0:
        return 1.0
    spread = math.sqrt(float(np.square(ranks).sum()) / 4)
    return math.erfc((float(ranks.sum()) / 2 - smaller) / spread / math.sqrt(2))


def average_ranks(values: Floats) -> Floats:
    """Ranks from 1 for the lowest; values that are equal but for rounding share the mean of their ranks."""
    ranks: Floats = rankdata(tie_groups(values))
    return ranks


def signed_rank_sums(differences: Floats) -> tuple[float, float]:
    """Sums of the ranks of positive and of negative differences; those of zero go half to each."""
    ranks = average_ranks(np.abs(differences))
    shared = ranks[np.abs(differences) <= TIE].sum() / 2
    return float(ranks[differences > TIE].sum() + shared), float(ranks[differences < -TIE].sum() + shared)


def rank_biserial(differences: ArrayLike) -> float:
    """Matched-pairs rank-biserial correlation: share of ranks that are positive less the share that is negative.

    From -1, the first always errs less, to 1. Differences of zero share their ranks evenly.
    """
    above, below = signed_rank_sums(finite_array("differences", differences))
    return (above - below) / (above + below)
