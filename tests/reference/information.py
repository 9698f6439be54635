"""Mutual information and greedy selection by it, transcribed from the formulas; slow, and never calling fewest."""

from __future__ import annotations

from collections import Counter
from math import log

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
    """Each time the column whose joint categories with all taken have the most information with the class."""
    taken = []
    while len(taken) < k:
        found = [
            information(list(zip(*(columns[i] for i in [*taken, j]), strict=True)), y) for j in range(len(columns))
        ]
        taken.append(best(found, taken))
    return taken
