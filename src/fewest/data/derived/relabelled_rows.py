"""Rows in memory with other labels than their own, such as permuted ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from fewest.arrays import Codes
from fewest.data.block import Block
from fewest.data.source import Source, _DerivedSource


class RelabelledRows(_DerivedSource):
    """Blocks of another source that are held in memory, their rows with other labels.

    blocks : all blocks of the other source, in their order
    codes : the class of each row of these, one block after the other, as an index into the classes of the last
    """

    def __init__(self, source: Source, blocks: Sequence[Block], codes: Codes) -> None:
        super().__init__(source)
        self.is_in_memory, self.is_distributed = True, False
        self.columns_at_once, self.readers_at_once = max(self.n_features, 1), 1
        self._blocks = blocks
        self._codes = np.split(codes, np.cumsum([block.n_rows for block in blocks])[:-1])
        self._classes = blocks[-1].classes
        self.n_rows = len(codes)

    def with_text_as_codes(self) -> Source:
        return self

    def group_blocks(self, groups: Sequence[Sequence[int] | None]) -> Iterator[tuple[int, Block]]:
        for g, columns in enumerate(groups):
            for block, codes in zip(self._blocks, self._codes, strict=True):
                relabelled = replace(block, codes=codes, classes=self._classes)
                yield g, relabelled if columns is None else relabelled.only(np.asarray(columns, dtype=np.intp))
