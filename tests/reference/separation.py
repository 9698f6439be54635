"""How well one column separates the classes, by trying everything."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np


def balanced_error(predicted, classes):
    """The mean over the classes of the share of their rows that are predicted wrongly."""
    return float(np.mean([np.mean(predicted[classes == label] != label) for label in np.unique(classes)]))


def least_interval_error(values, classes):
    """The least balanced error of one interval a class, over all orders of the classes and all cuts."""
    distinct = np.unique(values)
    cuts = [-np.inf, *((distinct[1:] + distinct[:-1]) / 2), np.inf]
    labels = np.unique(classes)
    best = 1.0
    for order in permutations(labels):
        for chosen in combinations(range(len(cuts)), len(labels) - 1):
            edges = [cuts[i] for i in chosen]
            predicted = np.array([order[sum(value > edge for edge in edges)] for value in values])
            best = min(best, balanced_error(predicted, classes))
    return best


def value_error(values, classes):
    """The balanced error of predicting each row by the other rows of its value, each class with weight 1 in all."""
    labels = np.unique(classes)
    size = {label: np.sum(classes == label) for label in labels}
    predicted = np.full(len(values), None, dtype=object)
    for i in range(len(values)):
        others = (values == values[i]) & (np.arange(len(values)) != i)
        shares = {label: np.sum(others & (classes == label)) / size[label] for label in labels}
        most = max(shares.values())
        if most > 0 and list(shares.values()).count(most) == 1:
            predicted[i] = max(shares, key=shares.get)
    return float(np.mean([np.mean(predicted[classes == label] != label) for label in labels]))
