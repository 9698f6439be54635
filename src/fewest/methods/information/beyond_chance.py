"""Information and chi-square beyond what independent columns with the same counts would share by chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from fewest.arrays import Floats, Integers

CORRECTIONS = ("auto", None)
#: What independence gives is exceeded by this many standard deviations before anything is counted as shared.
_DEVIATIONS = 2.0
#: Terms of a sum over cell counts further from the mean than this have no weight left in double precision.
_REACH_IN_DEVIATIONS, _REACH_IN_ROWS = 9.0, 40
#: The number of terms that are summed at a time.
_TERMS_AT_ONCE = 1 << 20


class Chance(NamedTuple):
    """What independent columns share: mean, standard deviation, and the largest value that any columns can share."""

    mean: Floats
    deviation: Floats
    largest: Floats

    def beyond(self, values: Floats) -> Floats:
        """Return values beyond chance: 0 up to `_DEVIATIONS` above the mean, and the largest value as it is.

        largest (value - level) / (largest - level), as in the adjusted mutual information of Vinh, Epps and Bailey.
        """
        level = self.mean + _DEVIATIONS * self.deviation
        is_beyond = (values > level) & (self.largest > level)
        room = np.where(is_beyond, self.largest - level, 1.0)
        # Above the largest value only by rounding.
        beyond = np.minimum(self.largest * ((values - level) / room), values)
        return np.where(is_beyond, beyond, 0.0)


def chance_information(counts: Integers, others: Sequence[Integers]) -> Chance:
    """Return the information, in nats, that a column has by chance with others, given the rows in each category.

    The mean is exact over all ways to pair the rows (each cell is hypergeometric); the deviation is that of the
    chi-square distribution. The largest information is the smaller of the two entropies.
    """
    n_rows = int(counts.sum())
    counts, others = counts[counts > 0], [other[other > 0] for other in others]
    if n_rows == 0 or not others:
        return Chance(*np.zeros((3, len(others))))
    of_column, of_others = _Counts([counts]), _Counts(others)
    cells = _expected_cells(of_column.distinct, of_others.distinct, n_rows)
    total = of_others.sums((of_column.times[:, None] * cells).sum(axis=0))
    entropy, entropies = (np.log(n_rows) - of.sums(_k_log_k(of.distinct)) / n_rows for of in (of_column, of_others))
    mean = np.maximum(total / n_rows - np.log(n_rows) + entropy + entropies, 0.0)
    n_free = (len(counts) - 1.0) * (of_others.lengths - 1.0)
    return Chance(mean, np.sqrt(2.0 * n_free) / (2 * n_rows), np.minimum(entropy, entropies))


def chance_chi_square(counts: Integers, others: Sequence[Integers]) -> Chance:
    """Return the chi-square that a column has by chance with others, given the rows in each category."""
    n_rows = int(counts.sum())
    n_free = np.array([np.count_nonzero(other) - 1.0 for other in others])
    of_column = np.count_nonzero(counts) - 1.0
    mean = of_column * n_free * (n_rows / max(n_rows - 1, 1))
    return Chance(mean, np.sqrt(2.0 * of_column * n_free), n_rows * np.minimum(of_column, n_free))


def chance_information_within(parts: Integers, counts: Integers, others: Integers) -> Chance:
    """Return the information that two columns have by chance within each part of the rows, as a mean over all rows.

    parts : the number of rows in each part
    counts : (n_categories, 2) a part, and the rows in it of one category of the first column
    others : (n_parts, n_others) the rows of each category of the second column in each part
    """
    n_rows = int(parts.sum())
    part, rows = counts.T
    triples = np.stack(np.broadcast_arrays(rows[:, None], others[part], parts[part][:, None]), axis=-1).reshape(-1, 3)
    triples = triples[triples[:, 1] > 0]
    distinct, times = np.unique(triples, axis=0, return_counts=True)
    total = float(times @ _expected(distinct[:, 0], distinct[:, 1], distinct[:, 2]))
    # In the order of the numbers: categories are numbered as they appear, and must not show in the last bit.
    of_parts, of_first, of_second = (float(_k_log_k(np.sort(n[n > 0])).sum()) for n in (parts, rows, others))
    mean = max(total + of_parts - of_first - of_second, 0.0) / n_rows
    n_first = np.bincount(part, minlength=len(parts))
    n_free = float(((n_first - 1.0) * (np.count_nonzero(others, axis=1) - 1.0)).sum())
    largest = min(of_parts - of_first, of_parts - of_second) / n_rows
    return Chance(*(np.array([number]) for number in (mean, np.sqrt(2.0 * n_free) / (2 * n_rows), largest)))


class _Counts:
    """The rows in each category of several columns, every distinct number once."""

    def __init__(self, columns: Sequence[Integers]) -> None:
        self.lengths = np.array([len(column) for column in columns])
        self.distinct, self._which = np.unique(np.concatenate(columns), return_inverse=True)
        self.times = np.bincount(self._which, minlength=len(self.distinct))
        self._starts = np.cumsum(self.lengths) - self.lengths

    def sums(self, of_distinct: Floats) -> Floats:
        """Return for each column the sum over its categories of a number for each distinct count."""
        # In the order of the counts, so that columns with the same counts have the same sums to the bit.
        columns = np.repeat(np.arange(len(self.lengths)), self.lengths)
        order = np.lexsort((self._which, columns))
        return np.asarray(np.add.reduceat(of_distinct[self._which[order]], self._starts))


def _expected_cells(counts: Integers, others: Integers, n_rows: int) -> Floats:
    """Return the mean of k log k, k the rows in both of two categories with these numbers of rows, for all pairs."""
    pairs = np.broadcast_arrays(counts[:, None], others[None, :])
    return _expected(pairs[0].ravel(), pairs[1].ravel(), np.full(pairs[0].size, n_rows)).reshape(pairs[0].shape)


def _expected(counts: Integers, others: Integers, n_rows: Integers) -> Floats:
    """Return the mean of k log k for hypergeometric k: of n_rows, `others` are drawn and `counts` are marked."""
    a, b, n = (numbers.astype(np.float64) for numbers in (counts, others, n_rows))
    mean = a * b / n
    spread = np.sqrt(mean * (1 - a / n) * (n - b) / np.maximum(n - 1, 1))
    reach = np.ceil(_REACH_IN_DEVIATIONS * spread + _REACH_IN_ROWS)
    first = np.maximum(np.maximum(a + b - n, 0), np.floor(mean - reach)).astype(np.int64)
    lengths = np.minimum(np.minimum(a, b), np.ceil(mean + reach)).astype(np.int64) - first + 1
    expected = np.empty(len(a))
    ends = np.cumsum(lengths)
    start = 0
    while start < len(a):
        end = max(start + 1, int(np.searchsorted(ends, ends[start] - lengths[start] + _TERMS_AT_ONCE, side="right")))
        here = slice(start, end)
        starts = np.cumsum(lengths[here]) - lengths[here]
        k = np.arange(int(lengths[here].sum())) + np.repeat(first[here] - starts, lengths[here])
        marked, drawn, rows = (np.repeat(numbers[here], lengths[here]) for numbers in (a, b, n))
        logs = -gammaln(k + 1) - gammaln(marked - k + 1) - gammaln(drawn - k + 1)
        logs -= gammaln(rows - marked - drawn + k + 1)
        # Shares of their sum: what all terms have in common, and its rounding, drops out.
        weights = np.exp(logs - np.repeat(np.maximum.reduceat(logs, starts), lengths[here]))
        expected[here] = np.add.reduceat(weights * _k_log_k(k), starts) / np.add.reduceat(weights, starts)
        start = end
    return expected


def _k_log_k(counts: Integers) -> Floats:
    return np.asarray(counts * np.log(np.maximum(counts, 1)))
