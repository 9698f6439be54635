"""Metrics of predictions, row by row and pair by pair."""

from __future__ import annotations

from math import log


def error(codes, predicted, weights):
    wrong = sum(w for c, p, w in zip(codes, predicted, weights, strict=True) if c != p)
    return wrong / sum(weights)


def balanced_error(codes, predicted, weights):
    errors = []
    for one in sorted(set(codes)):
        rows = [i for i, code in enumerate(codes) if code == one]
        own = [weights[i] for i in rows]
        errors.append(error([codes[i] for i in rows], [predicted[i] for i in rows], own))
    return sum(errors) / len(errors)


def macro_f1_loss(codes, predicted, weights):
    scores = []
    for one in sorted({*codes, *predicted}):
        hits = sum(w for c, p, w in zip(codes, predicted, weights, strict=True) if c == p == one)
        of_class = sum(w for c, w in zip(codes, weights, strict=True) if c == one)
        of_guess = sum(w for p, w in zip(predicted, weights, strict=True) if p == one)
        precision = hits / of_guess if of_guess else 0.0
        recall = hits / of_class if of_class else 0.0
        scores.append(2 * precision * recall / (precision + recall) if hits else 0.0)
    return 1 - sum(scores) / len(scores)


def auc_loss(codes, scores, weights):
    """Each class against the others, averaged over the classes that occur; of two classes the second alone."""
    present = sorted(set(codes))
    n_classes = len(scores[0])
    areas = []
    for one in [1] if n_classes == 2 else present:
        value = [row[1] - row[0] if n_classes == 2 else row[one] for row in scores]
        right = total = 0.0
        for i, a in enumerate(codes):
            for j, b in enumerate(codes):
                if a == one and b != one:
                    weight = weights[i] * weights[j]
                    total += weight
                    right += weight * (1.0 if value[i] > value[j] else 0.5 if value[i] == value[j] else 0.0)
        areas.append(right / total)
    return 1 - sum(areas) / len(areas)


def log_loss(codes, probabilities, weights):
    total = sum(-w * log(max(row[c], 2.0**-52)) for c, row, w in zip(codes, probabilities, weights, strict=True))
    return total / sum(weights)
