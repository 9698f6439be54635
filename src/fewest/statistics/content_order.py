"""An order of rows and classes that comes from what the table holds, and from nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fewest.arrays import Floats, Hashes, Indices

if TYPE_CHECKING:
    from fewest.statistics.rows import Rows
    from fewest.statistics.stratified_rows import StratifiedRows

#: Enough for hashes to go from cells to rows to columns and back: what differs anywhere has different ones.
_ROUNDS = 3
#: The number of values that are hashed at a time.
_AT_ONCE = 1 << 15


def content_order(
    rows: Rows | StratifiedRows, counts: Indices | None = None, weights: Floats | None = None, seed: int = 0
) -> tuple[Indices, Indices]:
    """The rows, class by class, as if drawn at random; and the rank of each class.

    counts, weights : how often each row occurs (once by default), and the weight of a copy (that of the row)

    A row has a hash of the seed and its values, each value with the hash of its column's values. So the order of rows
    and columns, the names of classes and the codes of text do not matter. Rows of one hash hold the same, or might be
    exchanged together with columns or categories without a change to the table.
    """
    times = np.ones(len(rows.codes), np.uint64) if counts is None else counts.astype(np.uint64)
    hashes = splitmix64(
        bits_of(rows.weights if weights is None else weights) + splitmix64(np.array([seed % 2**64], dtype=np.uint64))
    )
    categorical = set(rows.categorical_columns)
    n_classes = len(rows.classes)
    for _ in range(_ROUNDS):
        of_class = splitmix64(_sums(hashes * times, rows.codes, n_classes))
        with_class = splitmix64(hashes + of_class[rows.codes])
        totals = np.zeros(len(hashes), dtype=np.uint64)
        for columns in _groups(len(hashes), rows.n_features):
            cells = bits_of(rows.values[:, columns.start : columns.stop])
            for j in categorical.intersection(columns):
                cells[:, j - columns.start] = _of_categories(rows.values[:, j], with_class * times)
            of_columns = splitmix64(
                (splitmix64(cells + with_class[:, None]) * times[:, None]).sum(axis=0, dtype=np.uint64)
            )
            totals += splitmix64(cells + of_columns).sum(axis=1, dtype=np.uint64)
        hashes = splitmix64(with_class + totals)
    ranks = np.empty(n_classes, dtype=np.intp)
    ranks[np.argsort(_sums(hashes * times, rows.codes, n_classes), kind="stable")] = np.arange(n_classes)
    return np.lexsort((hashes, ranks[rows.codes])), ranks


def _groups(n_rows: int, n_columns: int) -> Iterator[range]:
    """All columns, in groups that are fast to work on."""
    width = max(1, _AT_ONCE // max(n_rows, 1))
    return (range(first, min(first + width, n_columns)) for first in range(0, n_columns, width))


def _of_categories(column: Floats, hashes: Hashes) -> Hashes:
    """A hash for each category, from the rows that have it, in place of its code."""
    known, which = np.unique(column, return_inverse=True)
    return splitmix64(_sums(hashes, which, len(known)))[which]


def _sums(hashes: Hashes, groups: NDArray[np.integer], n_groups: int) -> Hashes:
    """The sum of the hashes of each group, whatever their order, modulo 2**64."""
    sums = np.zeros(n_groups, dtype=np.uint64)
    np.add.at(sums, groups, hashes)
    return sums


def bits_of(values: Floats) -> Hashes:
    """Numbers as they are stored, with one zero and one NaN."""
    plain = values + 0.0
    plain[np.isnan(plain)] = np.nan
    return plain.view(np.uint64)


def splitmix64(hashes: Hashes) -> Hashes:
    """Each hash so that a change of any bit changes about half of all (the finaliser of SplitMix64)."""
    hashes = hashes + np.uint64(0x9E3779B97F4A7C15)
    hashes = (hashes ^ (hashes >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    hashes = (hashes ^ (hashes >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return hashes ^ (hashes >> np.uint64(31))
