"""Rows that come as Arrow record batches, from the first to the last."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from fewest.data.block import Block
from fewest.data.files.arrow_batch import read_batch
from fewest.data.files.arrow_kinds import TextSample
from fewest.data.files.table_file import SequentialFile, import_pyarrow

if TYPE_CHECKING:
    import pyarrow as pa


class RecordBatches(SequentialFile):
    """Record batches of any size, asked for anew in every pass and read a few rows at a time."""

    _dtype: np.dtype[np.floating]

    @abstractmethod
    def _batches(self, names: list[str], n_rows: int) -> Iterator[pa.RecordBatch]:
        """All rows of the named columns, from the first; the batches may have more rows than asked for."""

    def _sample(self, names: list[str]) -> TextSample:
        """The first rows of some columns."""
        return self._batches(names, self._rows_of_batch(len(names)))

    def _read(self, names: list[str]) -> Iterator[Block]:
        # Each of Arrow's threads keeps what it has freed: pass by pass, memory would grow to the size of all rows.
        import_pyarrow("Arrow data").default_memory_pool().release_unused()
        requested = self.roles.read_with(names)
        n_rows = self._rows_of_batch(len(requested))
        first_row = 0
        for batch in self._batches(requested, n_rows):
            for start in range(0, batch.num_rows, n_rows):
                piece = batch.slice(start, n_rows)
                yield read_batch(
                    piece, names, self.roles, self._labels, first_row, self._dtype, self._categories, self._formats,
                    self.where,
                )  # fmt: skip
                first_row += piece.num_rows
