"""An order of rows and classes that comes from what the table holds, and from nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fewest.arrays import Floats, Hashes, Indices
from fewest.statistics.hashing import bits_of, mixed
from fewest.statistics.rows import Rows
from fewest.statistics.stratified_rows import StratifiedRows

#: Enough for keys to have gone from cells to rows to columns and back, so that rows and columns which differ anywhere
#: are told apart.
_ROUNDS = 3
#: Values whose keys are mixed at a time.
_AT_ONCE = 1 << 15


def content_order(
    rows: Rows | StratifiedRows, counts: Indices | None = None, weights: Floats | None = None, seed: int = 0
) -> tuple[Indices, Indices]:
    """The rows, class by class, as if drawn at random; and the rank of each class.

    counts : how often each row is there; once by default
    weights : what each of its copies weighs; the weight of the row by default

    The draw is made by the values: each row has a key mixed from the seed and its values, each value with the key of
    its column and that of the column from its own values in turn. So the order that rows or columns came in, the names
    of classes and the numbers that stand for text do not matter. Rows that have one key hold the same, or might be
    exchanged together with columns or categories without a change to the table.
    """
    times = np.ones(len(rows.codes), np.uint64) if counts is None else counts.astype(np.uint64)
    keys = mixed(
        bits_of(rows.weights if weights is None else weights) + mixed(np.array([seed % 2**64], dtype=np.uint64))
    )
    categories = set(rows.categorical_columns)
    n_classes = len(rows.classes)
    for _ in range(_ROUNDS):
        of_class = mixed(_sums(keys * times, rows.codes, n_classes))
        with_class = mixed(keys + of_class[rows.codes])
        totals = np.zeros(len(keys), dtype=np.uint64)
        for columns in _groups(len(keys), rows.n_features):
            cells = bits_of(rows.values[:, columns.start : columns.stop])
            for j in categories.intersection(columns):
                cells[:, j - columns.start] = _of_states(rows.values[:, j], with_class * times)
            of_columns = mixed((mixed(cells + with_class[:, None]) * times[:, None]).sum(axis=0, dtype=np.uint64))
            totals += mixed(cells + of_columns).sum(axis=1, dtype=np.uint64)
        keys = mixed(with_class + totals)
    ranks = np.empty(n_classes, dtype=np.intp)
    ranks[np.argsort(_sums(keys * times, rows.codes, n_classes), kind="stable")] = np.arange(n_classes)
    return np.lexsort((keys, ranks[rows.codes])), ranks


def _groups(n_rows: int, n_columns: int) -> Iterator[range]:
    """All columns, as many at a time as are fast to work on."""
    width = max(1, _AT_ONCE // max(n_rows, 1))
    return (range(first, min(first + width, n_columns)) for first in range(0, n_columns, width))


def _of_states(column: Floats, keys: Hashes) -> Hashes:
    """A key for each category, from the rows that have it, in place of its number."""
    known, places = np.unique(column, return_inverse=True)
    return mixed(_sums(keys, places, len(known)))[places]


def _sums(keys: Hashes, places: NDArray[np.integer], n_places: int) -> Hashes:
    """The keys of each place added up, whatever their order; too large a sum begins at zero again."""
    sums = np.zeros(n_places, dtype=np.uint64)
    np.add.at(sums, places, keys)
    return sums
