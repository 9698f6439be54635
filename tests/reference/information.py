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
    """sum (count - expected)^2 / expected over all states of both."""
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


def mrmr(columns, y, k, form):
    """Peng, Long and Ding: first the most relevant, then the largest difference or quotient."""
    relevance = [information(x, y) for x in columns]
    redundancy = np.zeros(len(columns))
    taken = [best(relevance, [])]
    while len(taken) < k:
        redundancy += [information(x, columns[taken[-1]]) for x in columns]
        mean = redundancy / len(taken)
        worth = relevance - mean if form == "difference" else relevance / (mean + 1e-4 * log(2))
        taken.append(best(worth, taken))
    return taken


def joint(columns, y, k):
    """Each the column with which the joint states of all taken know most of the class."""
    taken = []
    while len(taken) < k:
        known = [
            information(list(zip(*(columns[i] for i in [*taken, j]), strict=True)), y) for j in range(len(columns))
        ]
        taken.append(best(known, taken))
    return taken
