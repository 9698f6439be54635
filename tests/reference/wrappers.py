"""Wrapper searches over a table of errors, step by step, and the candidate set; from the mRMR paper, Sec. 3."""

from __future__ import annotations

import math


def forward(error, n_columns, n_features=None, n_rows=math.inf):
    """Columns in the order taken: go on while the error does not grow; then cut at the first least error."""
    taken, errors = [], [n_rows]
    while len(taken) < (n_columns if n_features is None else n_features):
        tries = [(error(frozenset([*taken, c])), c) for c in range(n_columns) if c not in taken]
        least, column = min(tries)
        if n_features is None and least > errors[-1]:
            break
        taken.append(column)
        errors.append(least)
    return taken if n_features is not None else taken[: errors.index(min(errors))]


def backward(error, n_columns, n_features=None):
    """The columns left: drop the one without which the error is least, of equals the last, while it does not grow."""
    left = list(range(n_columns))
    while len(left) > (n_features or 1):
        tries = [(error(frozenset(left) - {c}), -c) for c in left]
        least, column = min(tries)
        if n_features is None and least > error(frozenset(left)):
            break
        left.remove(-column)
    return set(left)


def floating(error, n_columns, n_features=None):
    """The best set found by adding one column and then dropping as long as a smaller size gets strictly better."""
    best = {}  # size: (error, set)

    def offer(columns):
        found = error(columns)
        if len(columns) not in best or found < best[len(columns)][0]:
            best[len(columns)] = (found, columns)
            return True
        return False

    now = frozenset()
    while len(now) < (n_columns if n_features is None else n_features):
        size = len(now) + 1
        column = min((c for c in range(n_columns) if c not in now), key=lambda c: (error(now | {c}), c))
        offer(now | {column})
        now = best[size][1]
        went_back = False
        while len(now) > 1:
            column = min(now, key=lambda c: (error(now - {c}), -c))
            if not offer(now - {column}):
                break
            now, went_back = now - {column}, True
        if n_features is None and not went_back and size > 1 and best[size][0] > best[size - 1][0]:
            break
    if n_features is not None:
        return set(best[n_features][1])
    least = min(found for found, _ in best.values())
    return set(next(best[size][1] for size in sorted(best) if best[size][0] == least))


def candidate_size(errors):
    """n* for the errors of sizes 1, 2, ...: the first least error within Omega."""
    n = len(errors)
    width = min(n, max(3, -(-n // 10)))

    def unrest(first):
        window = errors[first : first + width]
        mean = sum(window) / width
        return mean + math.sqrt(sum((e - mean) ** 2 for e in window) / width)

    first = min(range(n - width + 1), key=lambda i: (round(unrest(i), 12), i))
    inside = set(range(first, first + width))
    largest = max(errors[i] for i in inside)
    while max(inside) + 1 < n and errors[max(inside) + 1] <= largest:
        inside.add(max(inside) + 1)
    while min(inside) > 0 and errors[min(inside) - 1] <= largest:
        inside.add(min(inside) - 1)
    return min(inside, key=lambda i: (errors[i], i)) + 1
