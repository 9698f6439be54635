"""Rows of a source that were read once and are kept in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Self

import numpy as np

from fewest.arrays import Mask
from fewest.data.block import Block
from fewest.data.source import Source, _DerivedSource
from fewest.errors import TooManyRows

#: What a value takes at most.
_BYTES_A_VALUE = 8


class RetainedSource(_DerivedSource):
    """Another source whose blocks have been read and are kept."""

    is_in_memory = True

    def __init__(self, source: Source, blocks: Sequence[Block]) -> None:
        super().__init__(source)
        self.is_in_memory = True
        self.is_distributed = False
        self.columns_at_once = max(self.n_features, 1)
        self.readers_at_once = 1
        self._blocks = list(blocks)

    def with_text_as_codes(self) -> Source:
        return self

    def group_blocks(self, groups: Sequence[Sequence[int] | None]) -> Iterator[tuple[int, Block]]:
        for g, columns in enumerate(groups):
            for block in self._blocks:
                if columns is None:
                    yield g, block
                else:
                    values = block.values[:, np.asarray(columns, dtype=np.intp)]
                    yield g, replace(block, values=values, columns=columns, categorical_columns=())


def retain(source: Source, max_bytes: int) -> Source:
    """Return the source with its rows in memory where they take at most max_bytes, as it is where they take more."""
    most = max_bytes // _BYTES_A_VALUE
    if isinstance(source, RetainedSource) or (source.n_rows or 0) * source.n_features > most:
        return source
    with suppress(TooManyRows):
        return RetainedSource(source, source.collect(_Blocks(most)).blocks)
    return source


def retain_rows(source: Source, is_kept: Mask) -> RetainedSource:
    """Return some rows of a source, in memory, with the numbers that they have in it.

    is_kept : whether to keep each row, by its number
    """
    return RetainedSource(source, source.collect(_KeptRows(is_kept, source._categorical_columns(None))).blocks)


class _Blocks:
    """The blocks of a source as they come, up to a number of values."""

    is_columnwise = False
    takes_integers = True

    def __init__(self, most_values: int) -> None:
        self._most_values = most_values
        self._n_values = 0
        self.blocks: list[Block] = []

    def empty(self) -> Self:
        return type(self)(self._most_values)

    def update(self, block: Block) -> None:
        # Counted as if all were stored: the same for a sparse and a dense form of one table.
        self._n_values += block.n_rows * int(block.values.shape[1])
        if self._n_values > self._most_values:
            raise TooManyRows("The rows of the stream are too many to keep.")
        self.blocks.append(block)

    def merge(self, other: Self) -> None:
        for block in other.blocks:
            self.update(block)

    def join(self, parts: Sequence[Self]) -> Self:
        raise NotImplementedError("Blocks are kept with all columns: is_columnwise is False.")


class _KeptRows:
    """The rows of each block that are kept."""

    is_columnwise = True
    takes_integers = True

    def __init__(self, is_kept: Mask, categorical_columns: Sequence[int]) -> None:
        self._is_kept, self._categorical_columns = is_kept, categorical_columns
        self.blocks: list[Block] = []

    def empty(self) -> Self:
        return type(self)(self._is_kept, self._categorical_columns)

    def update(self, block: Block) -> None:
        self.blocks.append(block.take(np.flatnonzero(self._is_kept[block.all_row_numbers()])))

    def merge(self, other: Self) -> None:
        self.blocks += other.blocks

    def join(self, parts: Sequence[Self]) -> Self:
        # Groups of columns may have come in blocks of other sizes.
        blocks, joined = parts[0].blocks, self.empty()
        n_columns = [int(part.blocks[0].values.shape[1]) for part in parts]
        dtype = np.result_type(*(block.values.dtype for part in parts for block in part.blocks))
        values, start = np.empty((sum(block.n_rows for block in blocks), sum(n_columns)), dtype=dtype), 0
        for part, width in zip(parts, n_columns, strict=True):
            np.concatenate([block.dense_values for block in part.blocks], out=values[:, start : start + width])
            start += width
        joined.blocks = [
            replace(
                blocks[-1],
                values=values,
                codes=np.concatenate([block.codes for block in blocks]),
                weights=None if blocks[0].weights is None else np.concatenate([block.row_weights for block in blocks]),
                first_row=0,
                row_numbers=np.concatenate([block.all_row_numbers() for block in blocks]),
                columns=None,
                categorical_columns=self._categorical_columns,
            )
        ]
        return joined
