"""JMI, CMIM and their relatives, transcribed from the formulas; slow, and never calling fewest."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from math import log

from .information import best


def observed(*columns):
    """The rows in which no column is None."""
    return [row for row in zip(*columns, strict=True) if None not in row]


def entropy(rows):
    n = len(rows)
    return -sum(k / n * log(k / n) for k in Counter(rows).values()) if n else 0.0


def terms(x, s, c):
    """Entropies of all subsets of x, s and c over the rows where all are there, by the letters of the subset."""
    return _terms(tuple(x), tuple(s), tuple(c))


@lru_cache(maxsize=1 << 14)
def _terms(x, s, c):
    rows = observed(x, s, c)
    letters = {"x": 0, "s": 1, "c": 2}
    return {
        name: entropy([tuple(row[letters[letter]] for letter in name) for row in rows])
        for name in ("x", "s", "c", "xs", "xc", "sc", "xsc")
    }


def relevance(x, c):
    rows = observed(x, c)
    return entropy([r[0] for r in rows]) + entropy([r[1] for r in rows]) - entropy(rows)


def term(form, x, s, c, weight=1.0):
    """What one selected column s is worth to the value of x."""
    h = terms(x, s, c)
    joint = h["xs"] + h["c"] - h["xsc"]  # I(x, s; c)
    conditional = h["xs"] + h["sc"] - h["xsc"] - h["s"]  # I(x; c | s)
    redundancy = h["x"] + h["s"] - h["xs"]  # I(x; s)
    conditional_redundancy = h["xc"] + h["sc"] - h["xsc"] - h["c"]  # I(x; s | c)
    return {
        "jmi": joint,
        "jmim": joint,
        "disr": joint / h["xsc"] if h["xsc"] > 0 else 0.0,
        "njmim": joint / h["xsc"] if h["xsc"] > 0 else 0.0,
        "cmim": conditional,
        "icap": -max(0.0, redundancy - conditional_redundancy),
        "cife": conditional_redundancy - redundancy,
        "mifs": -weight * redundancy,
        "condred": weight * conditional_redundancy,
    }[form]


def additions(form, columns, c, selected, weight=1.0):
    """The value of each column in addition to those selected."""
    values = []
    for x in columns:
        alone = relevance(x, c)
        of_selected = [term(form, x, columns[s], c, weight) for s in selected]
        if not selected:
            values.append(alone)
        elif form in ("jmi", "disr"):
            values.append(sum(of_selected))
        elif form in ("jmim", "njmim"):
            values.append(min(of_selected))
        elif form == "cmim":
            values.append(min(alone, *of_selected))
        else:
            values.append(alone + sum(of_selected))
    return values


def conditional_on_all(columns, c, selected):
    """I(x; c | S) over the joint categories of all selected columns."""
    joint = list(zip(*(columns[s] for s in selected), strict=True)) if selected else [()] * len(c)
    values = []
    for x in columns:
        h = terms(x, joint, c)
        values.append(h["xs"] + h["sc"] - h["xsc"] - h["s"])
    return values


def greedy(form, columns, c, k, weight=1.0):
    """First the most relevant column, then the one of the largest value, the lowest of those within 1e-12."""
    taken = []
    while len(taken) < k:
        taken.append(best(additions(form, columns, c, taken, weight), taken))
    return taken
