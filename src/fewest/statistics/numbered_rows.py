"""All rows, each with its place among those given."""

from __future__ import annotations

from typing import Self

import numpy as np

from fewest.arrays import Codes, Indices
from fewest.data.block import Block
from fewest.statistics.rows import Rows


class NumberedRows(Rows):
    """All rows, and which of the rows given they are: for folds that were given as numbers of rows.

    Attributes
    ----------
    places : (n_rows,) how many rows were given before each, those of weight zero, which are not kept, among them
    given_codes : the class of every row given
    """

    def __init__(self) -> None:
        super().__init__()
        self.places: Indices = np.empty(0, dtype=np.intp)
        self.given_codes: Codes = np.empty(0, dtype=np.int32)

    def update(self, block: Block) -> None:
        super().update(block)
        kept = np.arange(block.n_rows) if block.weights is None else np.flatnonzero(block.weights)
        self.places = np.concatenate([self.places, len(self.given_codes) + kept])
        self.given_codes = np.concatenate([self.given_codes, self.class_indices(block.classes)[block.codes]])

    def merge(self, other: Self) -> None:
        super().merge(other)
        self.places = np.concatenate([self.places, len(self.given_codes) + other.places])
        self.given_codes = np.concatenate([self.given_codes, self.class_indices(other.classes)[other.given_codes]])
