"""Rows prepared for multiple kernel learning."""

from __future__ import annotations

import numpy as np

from fewest.arrays import Indices
from fewest.data.labels import sort_classes
from fewest.errors import InvalidInput
from fewest.statistics.prepared_rows import PreparedRows, order_by_class_size, varying_columns
from fewest.statistics.rows import Rows


class MarginRows(PreparedRows):
    """Rows by class size and content, scaled about the mean of each column; a missing value counts as the mean.

    Whatever is computed from them is the same to the bit for any order of the rows, any names of the classes and any
    source.

    label_ranks : the position of each class among the labels in their own order
    """

    def __init__(self, rows: Rows, scale: str | None) -> None:
        counts = np.bincount(rows.codes, minlength=len(rows.classes))
        if np.count_nonzero(counts) < 2:
            raise InvalidInput("Rows of at least two classes are needed: a margin lies between classes. Give some.")
        order, ranks = order_by_class_size(rows)
        super().__init__(rows, order, ranks, varying_columns(rows))
        self.centre_and_fill(scale)
        self.values = np.asfortranarray(self.values)
        by_label = [c for c in sort_classes(rows.classes) if counts[c]]
        self.label_ranks: Indices = np.argsort(ranks[by_label])
