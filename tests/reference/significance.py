"""p-values and their adjustment, from the formulas, one column and one permutation at a time."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
from scipy.stats import chi2, f


def f_test(x, y):
    """ANOVA's F of the observed rows: (between / (g - 1)) / (within / (n - g))."""
    known = ~np.isnan(x)
    x, y = x[known], y[known]
    groups = [x[y == c] for c in np.unique(y)]
    g, n = len(groups), len(x)
    if g < 2 or n <= g:
        return 1.0
    between = sum(len(part) * (part.mean() - x.mean()) ** 2 for part in groups)
    within = sum(((part - part.mean()) ** 2).sum() for part in groups)
    if between <= 0:
        return 1.0
    return 0.0 if within == 0 else f.sf(between / (g - 1) / (within / (n - g)), g - 1, n - g)


def independence(x, y, is_g):
    """G or Pearson's chi-square of categories by classes; G where at least 10 rows are expected in every cell."""
    table = np.array([[np.sum((x == a) & (y == c)) for c in np.unique(y)] for a in np.unique(x)], dtype=float)
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / table.sum()
    free = (table.shape[0] - 1) * (table.shape[1] - 1)
    if free == 0:
        return 1.0
    if is_g and expected.min() >= 10:
        statistic = 2 * sum(n * np.log(n / e) for n, e in zip(table.ravel(), expected.ravel(), strict=True) if n > 0)
    else:
        statistic = ((table - expected) ** 2 / expected).sum()
    return chi2.sf(statistic, free)


def largest_difference(x, y):
    """sup |F_0 - F_1| of two classes."""
    return max(abs(np.mean(x[y == 0] <= t) - np.mean(x[y == 1] <= t)) for t in x)


def kolmogorov_smirnov(x, y):
    """The share of all labellings, with these numbers of rows, in which the distributions are at least as far apart."""
    n, m = len(x), int(np.sum(y == 0))
    observed, count = largest_difference(x, y), 0
    for zeros in combinations(range(n), m):
        labels = np.ones(n, dtype=int)
        labels[list(zeros)] = 0
        count += largest_difference(x, labels) >= observed - 1e-12
    return count / comb(n, m)


def benjamini_hochberg(p):
    """q_i = the least over j with p_j >= p_i of m p_j / rank of p_j."""
    m = len(p)
    return np.array([min(1.0, min(m * b / np.sum(p <= b) for b in p if b >= a)) for a in p])


def benjamini_yekutieli(p):
    """The same times 1 + 1/2 + ... + 1/m."""
    factor = sum(1 / k for k in range(1, len(p) + 1))
    m = len(p)
    return np.array([min(1.0, min(factor * m * b / np.sum(p <= b) for b in p if b >= a)) for a in p])


def holm(p):
    """The largest over those not above of (m - how many are below) p, at most 1."""
    m = len(p)
    return np.array([min(1.0, max((m - np.sum(p < b)) * b for b in p if b <= a)) for a in p])


def besag_clifford(observed, permuted, enough):
    """The p-value of a column: enough / l if the l-th permutation is the enough-th as high, else (1 + g) / (1 + n)."""
    reached = 0
    for number, score in enumerate(permuted, start=1):
        reached += score >= observed
        if reached == enough:
            return enough / number
    return (1 + reached) / (1 + len(permuted))


def westfall_young(observed, permuted):
    """Of each column the share of permutations whose largest score is as high: (1 + count) / (1 + n)."""
    largest = [max(scores) for scores in permuted]
    return np.array([(1 + sum(m >= o for m in largest)) / (1 + len(largest)) for o in observed])
