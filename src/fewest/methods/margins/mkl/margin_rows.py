"""Rows as machines see them: scaled, in an order of their own content, with the signs of their classes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from fewest.arrays import Floats, Indices, Mask
from fewest.data.labels import sort_classes
from fewest.errors import InvalidInput, OverflowingColumn
from fewest.statistics.rows import Rows

#: Squares of larger numbers, summed, would overflow.
_LARGEST = 1e100


@dataclass(frozen=True)
class MarginRows:
    """Rows in an order that does not depend on the one they came in, so that whatever is computed from them is the same
    to the bit for any order of the rows, any names of the classes and any source.

    values : rows by those columns that vary, scaled, their mean at zero, gaps filled with it
    codes : the class of each row, 0, 1, ..., fewer rows first
    weights : what each row weighs
    order : which row of the table each is
    varying : which column of the table each is
    is_observed : which columns of the table hold a value
    """

    values: Floats
    codes: Indices
    weights: Floats
    order: Indices
    varying: Indices
    is_observed: Mask
    #: The place of each class among the labels in their own order.
    label_places: Indices

    @classmethod
    def of(cls, rows: Rows, scale: str | None) -> Self:
        counts = np.bincount(rows.codes, minlength=len(rows.classes))
        if np.count_nonzero(counts) < 2:
            raise InvalidInput("Rows of at least two classes are needed: a margin lies between classes. Give some.")
        by_content = rows.canonical_order()
        ranks = _class_ranks(rows, by_content, counts)
        order = by_content[np.argsort(ranks[rows.codes[by_content]], kind="stable")]
        varying = np.flatnonzero(rows.moments.highest > rows.moments.lowest)
        values, weights = rows.values[np.ix_(order, varying)], rows.weights[order]
        _scale(values, weights, scale, varying)
        codes = ranks[rows.codes[order]]
        by_label = [c for c in sort_classes(rows.classes) if counts[c]]
        return cls(
            np.asfortranarray(values), codes, weights, order, varying, rows.is_observed,
            np.argsort(ranks[by_label]),
        )  # fmt: skip

    @property
    def n_classes(self) -> int:
        return int(self.codes.max()) + 1

    def signs(self) -> Floats:
        """Machines by rows: 1 for the class that a machine tells from the others, -1 for these. Of two classes, one
        machine."""
        n_machines = 1 if self.n_classes == 2 else self.n_classes
        return np.where(self.codes == np.arange(n_machines)[:, None], 1.0, -1.0)


def _class_ranks(rows: Rows, order: Indices, counts: Indices) -> Indices:
    """The place of each class by how many rows it has, then by its sums of columns, exactly rounded: by content, so
    that names do not matter. Classes without rows come last."""
    weights = np.bincount(rows.codes, rows.weights, minlength=len(counts))
    keys: list[list[float]] = [[float(count == 0), float(count), weight] for count, weight in zip(
        counts.tolist(), weights.tolist(), strict=True)]  # fmt: skip
    for column in range(rows.n_features):
        if len({tuple(key) for key in keys}) == len(keys):
            break
        for c, key in enumerate(keys):
            of_class = rows.values[order[rows.codes[order] == c], column]
            key.append(math.fsum(of_class[~np.isnan(of_class)].tolist()))
    ranks = np.empty(len(counts), dtype=np.intp)
    ranks[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(counts))
    return ranks


def _scale(values: Floats, weights: Floats, scale: str | None, columns: Sequence[int] | Indices) -> None:
    """Scale in place: columns about their mean, where machines with an offset do not see a shift; gaps at the mean."""
    lowest, highest = np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0)
    half = highest / 2 - lowest / 2
    # In a unit of its own each column can be squared.
    values -= lowest
    values /= half
    is_missing = np.isnan(values)
    has_gaps = bool(is_missing.any())
    shares = np.where(is_missing, 0.0, weights[:, None]) if has_gaps else weights[:, None]
    total = shares.sum(axis=0)
    values[is_missing] = 0.0
    # Twice, so that the mean of what is left is zero to the last digit.
    for _ in range(2):
        values -= _sums(shares * values) / total
        values[is_missing] = 0.0
    if scale == "std":
        values /= np.sqrt(_sums(shares * np.square(values)) / total)
    elif scale == "range":
        values /= 2
    elif scale is None:
        if half.max(initial=0.0) > _LARGEST:
            raise OverflowingColumn(int(columns[int(np.argmax(half))]))
        values *= half


def _sums(table: Floats) -> Floats:
    """The sum of each column, its numbers from the lowest to the highest: the same to the bit for any order of rows."""
    sums: Floats = np.sort(np.ascontiguousarray(table.T), axis=1).sum(axis=1)
    return sums
