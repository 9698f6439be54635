"""p-values of columns by permuting the labels: few permutations where few are enough."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fewest.arrays import Floats, Indices, Integers, Mask

#: A column is decided when this number of permutations have scored at least as high as the labels themselves.
EXCEEDANCES = 10
#: Scores that differ by less, as a share of the larger, are equal.
_TIE = 1e-10

#: The next permutations, a number of them, scored in some columns: (n_permutations, n_columns).
Scorer = Callable[[int, Indices], Floats]
#: Which columns pass with these p-values.
Passing = Callable[[Floats], Mask]


@dataclass(frozen=True)
class PermutationTest:
    """The p-value of each column, the number of permutations, and why there were no more.

    least_p_values : those that all permutations could have given at best, where fewer were used
    n_lowest : the number of columns whose score no permutation has reached: more of them could lower their p-values
    """

    p_values: Floats
    least_p_values: Floats
    n_permutations: int
    reason: str
    n_lowest: int


class _Counts:
    """How many permutations scored at least as high as the labels, by column, until there were enough of them."""

    def __init__(self, observed: Floats, n_most: int, n_enough: float) -> None:
        self._observed, self._n_most, self._n_enough = observed, n_most, n_enough
        self.n_done = 0
        self._n_higher: Integers = np.zeros(len(observed), dtype=np.int64)
        #: The number of permutations at which a column was decided; 0 while it is not.
        self._decided_at: Integers = np.zeros(len(observed), dtype=np.int64)
        self._has_score: Mask = ~np.isnan(observed)

    @property
    def is_open(self) -> Mask:
        """Which columns are not decided."""
        return np.asarray(self._has_score & (self._decided_at == 0))

    @property
    def n_lowest(self) -> int:
        """The number of columns whose score no permutation has reached."""
        return int(np.count_nonzero(self._has_score & (self._n_higher == 0)))

    def add(self, scores: Floats, columns: Indices) -> None:
        """Add permutations: (n_permutations, len(columns)), or (n_permutations, 1) for one number for all columns."""
        is_higher = _is_as_high(scores, self._observed[columns])
        counts = is_higher.sum(axis=0)
        before = self._n_higher[columns]
        ends = np.flatnonzero(before + counts >= self._n_enough)
        if len(ends):
            running = before[ends] + np.cumsum(is_higher[:, ends], axis=0)
            self._decided_at[columns[ends]] = self.n_done + 1 + np.argmax(running >= self._n_enough, axis=0)
        self._n_higher[columns] = before + counts
        self.n_done += len(scores)

    def p_values(self, *, is_last: bool) -> Floats:
        """Return p-values that hold whenever one stops: no permutations to come could make them larger."""
        n, most = self.n_done, self._n_most
        rest: Floats = np.asarray((self._n_higher + 1.0) / (most + 1.0))
        if not is_last:
            rest = np.asarray(self._n_enough / (n + self._n_enough - self._n_higher))
        return self._joined(rest)

    def least_p_values(self) -> Floats:
        """Return the p-values if no permutation to come scores as high."""
        return self._joined(np.asarray((self._n_higher + 1.0) / (self._n_most + 1.0)))

    def _joined(self, of_open: Floats) -> Floats:
        of_decided = self._n_enough / np.maximum(self._decided_at, 1)
        return np.where(~self._has_score, 1.0, np.where(self._decided_at > 0, of_decided, of_open))


def permutation_test(
    observed: Floats,
    score: Scorer,
    n_permutations: int,
    passing: Passing,
    *,
    is_largest: bool = False,
    stops_early: bool = True,
    batches: tuple[int, int] = (50, 400),
    n_enough: float = EXCEEDANCES,
) -> PermutationTest:
    """Test each column by permutations of the labels, all columns at once (Besag and Clifford).

    A column is decided once n_enough permutations scored as high: its p-value is n_enough over the number of these
    permutations, and further ones are not scored in it. Others have (1 + exceedances) / (1 + n_permutations).

    Parameters
    ----------
    observed : array of shape (n_columns,)
        The score of each column; one without a score (NaN) has the p-value 1.
    score : callable
        Scores the next permutations in some columns.
    n_permutations : int
        The largest number of permutations.
    passing : callable
        Which columns pass with given p-values; with smaller p-values no fewer.
    is_largest : bool, default=False
        Compare with the largest score of all columns in each permutation (Westfall and Young): the p-values are then
        adjusted for the family-wise error rate.
    stops_early : bool, default=True
        Stop where no permutation to come can change which columns pass. Columns that are not decided then have the
        largest p-value that they could still get.
    batches : tuple of two int, default=(50, 400)
        The number of permutations in the first batch, and at most; each batch has twice those of the one before.
    n_enough : float, default=10
        The number of exceedances that decide; infinite where each column gets all permutations.

    References
    ----------
    Besag and Clifford (1991), Sequential Monte Carlo p-values, https://doi.org/10.1093/biomet/78.2.301
    Westfall and Young (1993), Resampling-based multiple testing.
    """
    counts = _Counts(observed, n_permutations, n_enough)
    every_column = np.flatnonzero(~np.isnan(observed))
    size, reason = batches[0], ""
    while not reason:
        columns = every_column if is_largest else np.flatnonzero(counts.is_open)
        scores = score(min(size, n_permutations - counts.n_done), columns) if len(columns) else np.empty((0, 0))
        if is_largest and len(columns):
            scores = np.fmax.reduce(scores, axis=1)[:, None]
        counts.add(scores, columns)
        size = min(2 * size, batches[1])
        if not counts.is_open.any():
            reason = f"every column was reached by {n_enough:g} of them"
        elif counts.n_done >= n_permutations:
            reason = "all were used"
        elif stops_early and np.array_equal(passing(counts.p_values(is_last=False)), passing(counts.least_p_values())):
            reason = "no more could change the answer"
    is_last = counts.n_done >= n_permutations
    p_values = counts.p_values(is_last=is_last)
    return PermutationTest(p_values, counts.least_p_values(), counts.n_done, reason, counts.n_lowest)


def _is_as_high(scores: Floats, observed: Floats) -> Mask:
    """Return whether each score is at least that observed in its column; one that is not a number counts as such."""
    with np.errstate(invalid="ignore"):
        limit = observed - _TIE * np.where(np.isfinite(observed), np.abs(observed), 0.0)
        return np.asarray(~(scores < limit))
