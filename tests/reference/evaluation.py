"""Tests, stability and measures, transcribed from the formulas; slow, and never calling fewest."""

from __future__ import annotations

from itertools import combinations, product
from math import sqrt

import numpy as np


def ranks(values):
    """From 1 for the lowest; equal values share the mean of their ranks."""
    return [sum(v < value for v in values) + (sum(v == value for v in values) + 1) / 2 for value in values]


def signed_rank_p(differences):
    """Share of all assignments of signs whose sum of positive ranks is as far from the middle, or farther."""
    given = ranks([abs(d) for d in differences])
    decided = [rank for rank, d in zip(given, differences, strict=True) if d != 0]
    middle = sum(decided) / 2
    seen = abs(sum(rank for rank, d in zip(given, differences, strict=True) if d > 0) - middle)
    assignments = list(product([0, 1], repeat=len(decided)))
    far = [abs(sum(r for r, s in zip(decided, signs, strict=True) if s) - middle) >= seen for signs in assignments]
    return sum(far) / len(assignments)


def corrected_t(first, second, n_train, n_test):
    """Nadeau and Bengio's statistic."""
    d = [a - b for a, b in zip(first, second, strict=True)]
    mean = sum(d) / len(d)
    variance = sum((x - mean) ** 2 for x in d) / (len(d) - 1)
    return mean / sqrt((1 / len(d) + n_test / n_train) * variance)


def holm(p_values):
    """The largest of (m - i + 1) p_(i) over this p-value and the smaller ones, at most 1."""
    ascending = sorted(p_values)
    stepped = [(len(p_values) - i) * p for i, p in enumerate(ascending)]
    return [min(1.0, max(stepped[: ascending.index(p) + ascending.count(p)])) for p in p_values]


def friedman(errors, ties):
    """Demsar's chi-square and F; with ties, chi-square over its largest possible share."""
    n, k = len(errors), len(errors[0])
    all_ranks = [ranks(row) for row in errors]
    mean = [sum(column) / n for column in zip(*all_ranks, strict=True)]
    chi = 12 * n / (k * (k + 1)) * (sum(r * r for r in mean) - k * (k + 1) ** 2 / 4)
    if ties:
        runs = [row.count(rank) for row in all_ranks for rank in set(row)]
        chi /= 1 - sum(t**3 - t for t in runs) / (n * k * (k * k - 1))
    return mean, chi, (n - 1) * chi / (n * (k - 1) - chi)


def stability(matrix):
    """Nogueira's index and its variance."""
    z = np.asarray(matrix, dtype=float)
    m, d = z.shape
    p = z.mean(axis=0)
    k = z.sum(axis=1).mean()
    chance = k / d * (1 - k / d)
    index = 1 - z.var(axis=0, ddof=1).mean() / chance
    parts = []
    for row in z:
        own = row.sum()
        part = sum(row * p) / d - own * k / d**2 + index / 2 * (2 * own * k / d**2 - own / d - k / d + 1)
        parts.append(part / chance)
    return index, 4 / m**2 * sum((part - sum(parts) / m) ** 2 for part in parts)


def kuncheva(choices, d):
    """Mean consistency of all pairs of choices of one size: what they share, less chance, over the most possible."""
    k = len(choices[0])
    pairs = [(len(set(a) & set(b)) - k * k / d) / (k - k * k / d) for a, b in combinations(choices, 2)]
    return sum(pairs) / len(pairs)


def auc(scores, is_true):
    """Share of pairs of a true column and a probe in which the true one is higher, ties half."""
    wins = [
        (a > b) + (a == b) / 2
        for a, this in zip(scores, is_true, strict=True)
        if this
        for b, other in zip(scores, is_true, strict=True)
        if not other
    ]
    return sum(wins) / len(wins)
