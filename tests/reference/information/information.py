"""Mutual information and greedy selection by it, transcribed from the formulas; slow, and never calling fewest."""

from __future__ import annotations

from collections import Counter
from math import comb, log, sqrt

import numpy as np

TIE = 1e-12


def information(x, y):
    """sum p(a, b) log p(a, b) / (p(a) p(b)) in nats; a pair in which either is None is not counted."""
    pairs = [(a, b) for a, b in zip(x, y, strict=True) if a is not None and b is not None]
    n = len(pairs)
    joint, first, second = Counter(pairs), Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    return sum(k / n * log(k * n / (first[a] * second[b])) for (a, b), k in joint.items()) if n else 0.0


def chi_square(x, y):
    """sum (count - expected)^2 / expected over all categories of both."""
    n = len(x)
    joint, first, second = Counter(zip(x, y, strict=True)), Counter(x), Counter(y)
    total = 0.0
    for a, count_a in first.items():
        for b, count_b in second.items():
            expected = count_a * count_b / n
            total += (joint[a, b] - expected) ** 2 / expected
    return total


def best(scores, taken):
    """The lowest column within 1e-12 of the highest score."""
    open_to = [j for j in range(len(scores)) if j not in taken]
    highest = max(scores[j] for j in open_to)
    return next(j for j in open_to if scores[j] >= highest - TIE)


def additions(columns, y, selected, form):
    """The value of each column in addition to those selected: its relevance, less or over its mean redundancy."""
    relevance = np.array([information(x, y) for x in columns])
    if not selected:
        return relevance
    redundancy = np.array([np.mean([information(x, columns[s]) for s in selected]) for x in columns])
    return relevance - redundancy if form == "difference" else relevance / (redundancy + 1e-4 * log(2))


def mrmr(columns, y, k, form):
    """Peng, Long and Ding: first the most relevant, then the largest difference or quotient."""
    relevance = np.array([information(x, y) for x in columns])
    redundancy = np.zeros(len(columns))
    taken = [best(relevance, [])]
    while len(taken) < k:
        redundancy += [information(x, columns[taken[-1]]) for x in columns]
        mean = redundancy / len(taken)
        values = relevance - mean if form == "difference" else relevance / (mean + 1e-4 * log(2))
        taken.append(best(values, taken))
    return taken


def joint(columns, y, k):
    """Each time the column whose joint categories with all taken have the most information with the class.

    Of those within 1e-12 of it the most relevant, of these the lowest.
    """
    taken = []
    relevance = [information(x, y) for x in columns]
    while len(taken) < k:
        found = [
            information(list(zip(*(columns[i] for i in [*taken, j]), strict=True)), y) for j in range(len(columns))
        ]
        highest = max(found[j] for j in range(len(columns)) if j not in taken)
        ties = [r if value >= highest - TIE else -1.0 for r, value in zip(relevance, found, strict=True)]
        taken.append(best(ties, taken))
    return taken


def expected_information(first, second):
    """The mean of information over all ways to pair two columns with these numbers of rows in their categories.

    The rows in both of two categories are hypergeometric: comb(a, k) comb(n - a, b - k) / comb(n, b).
    """
    n = sum(first)
    total = 0.0
    for a in first:
        for b in second:
            for k in range(max(1, a + b - n), min(a, b) + 1):
                share = comb(a, k) * comb(n - a, b - k) / comb(n, b)
                total += share * k / n * log(k * n / (a * b))
    return total


def entropy(counts):
    n = sum(counts)
    return -sum(k / n * log(k / n) for k in counts)


def pooled(x, min_rows=5):
    """The categories of a column of more than 10, with those of fewer rows as one; None is missing."""
    counts = Counter(a for a in x if a is not None)
    if len(counts) <= 10:
        return list(x)
    return ["rare" if a is not None and counts[a] < min_rows else a for a in x]


def beyond_chance(value, mean, deviation, largest):
    """0 up to two standard deviations above the mean, the largest value as it is, and linear in between."""
    level = mean + 2 * deviation
    return largest * (value - level) / (largest - level) if value > level and largest > level else 0.0


def corrected_information(x, y):
    """Information beyond chance where x or y has more than 10 categories before rare ones are pooled."""
    is_many = max(len(set(x)), len(set(y))) > 10
    x, y = pooled(x), pooled(y)
    if not is_many:
        return information(x, y)
    first, second = list(Counter(x).values()), list(Counter(y).values())
    n_free = (len(first) - 1) * (len(second) - 1)
    largest = min(entropy(first), entropy(second))
    deviation = sqrt(2 * n_free) / (2 * len(x))
    return beyond_chance(information(x, y), expected_information(first, second), deviation, largest)


def corrected_chi_square(x, y):
    """Chi-square beyond chance where x has more than 10 categories before rare ones are pooled."""
    if len(set(x)) <= 10:
        return chi_square(x, y)
    x, n = pooled(x), len(x)
    rows, columns = len(set(x)) - 1, len(set(y)) - 1
    mean = n / (n - 1) * rows * columns
    return beyond_chance(chi_square(x, y), mean, sqrt(2 * rows * columns), n * min(rows, columns))


def corrected_joint_information(joint, x, y):
    """Information of joint categories with y, and what x adds to it beyond chance within each of them."""
    n, so_far = len(y), information(joint, y)
    x = pooled(x)
    added = information(list(zip(joint, x, strict=True)), y) - so_far
    mean = n_free = of_x = of_y = 0.0
    for part in set(joint):
        rows = [i for i in range(n) if joint[i] == part]
        first, second = (list(Counter(column[i] for i in rows).values()) for column in (x, y))
        mean += len(rows) / n * expected_information(first, second)
        n_free += (len(first) - 1) * (len(second) - 1)
        of_x += len(rows) / n * entropy(first)
        of_y += len(rows) / n * entropy(second)
    return so_far + beyond_chance(added, mean, sqrt(2 * n_free) / (2 * n), min(of_x, of_y))
