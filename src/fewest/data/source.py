"""Where rows come from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar

from fewest.data.block import Block
from fewest.errors import InfiniteValue, InvalidInput
from fewest.protocols import Statistic
from fewest.threads import side_by_side, thread_count

#: Bytes of integers that are converted to floats at a time.
_BYTES_CONVERTED = 1 << 25

S = TypeVar("S", bound=Statistic)


class Source(ABC):
    """Where rows come from. Reading it again gives the same rows in the same order."""

    #: The columns' names, or None where the data have none.
    feature_names: Sequence[str] | None
    n_features: int
    #: Names of the columns that hold text or categories; a criterion that needs numbers refuses them, one that needs
    #: categories reads their codes.
    text_columns: Sequence[str]
    #: How many columns are best read at a time, by all readers together.
    columns_at_once: int
    #: How many readers may work side by side, each on columns of its own.
    readers_at_once: int = 1
    #: All rows are held by the process already.
    is_in_memory: bool = False
    #: How many rows there are, where that is known before they are read; for the progress bar.
    n_rows: int | None = None
    #: Arrays of one value a row that are no features, by name: what else a file of arrays holds.
    row_arrays: Mapping[str, Any] = MappingProxyType({})

    @abstractmethod
    def blocks(self, columns: Sequence[int] | None = None) -> Iterator[Block]:
        """All rows, a block at a time, over the given columns (all by default)."""
        ...

    def group_blocks(self, groups: Sequence[Sequence[int] | None]) -> Iterator[tuple[int, Block]]:
        """All rows over each group of columns, with the group's number, in whatever order is read with least effort;
        the rows of one group come in order."""
        for g, columns in enumerate(groups):
            for block in self.blocks(columns):
                yield g, block

    def only(self, columns: Sequence[int]) -> Source:
        """The same rows with these columns alone."""
        return _OnlyColumns(self, columns)

    def with_text_as_codes(self) -> Source:
        """The same rows, with text and categories as numbers: each distinct value of such a column has a number of its
        own, 0, 1, ... as it first appears, the same in every pass over the source; NaN where it is missing."""
        if not self.text_columns:
            return self
        raise InvalidInput(
            f"Column {self.text_columns[0]!r} holds text, which {type(self).__name__} cannot read as categories. "
            "Encode it as numbers, or read it from a frame, CSV, Parquet or Arrow file."
        )

    def categories_of(self, name: str) -> Sequence[Any] | None:
        """What the codes of a column of text stand for, as far as it has been read; None for a column of numbers."""
        return None

    def collect(self, statistic: S, *, is_part: bool = False) -> S:
        """The statistic of all rows, from one read; is_part where rows of other sources will be added to it."""
        if not statistic.is_columnwise or self.columns_at_once >= self.n_features:
            return self._collect_groups(statistic, [None], is_part)[0]
        n_readers = max(1, min(thread_count(), self.readers_at_once))
        width = max(1, self.columns_at_once // n_readers)
        groups = [range(start, min(start + width, self.n_features)) for start in range(0, self.n_features, width)]
        shares = [groups[reader::n_readers] for reader in range(min(n_readers, len(groups)))]
        parts = side_by_side([partial(self._collect_groups, statistic, share, is_part) for share in shares])
        return statistic.join([parts[g % n_readers][g // n_readers] for g in range(len(groups))])

    def _categorical_columns(self, columns: Sequence[int] | None) -> Sequence[int]:
        """Which of these columns hold codes of text."""
        if not self.text_columns or self.feature_names is None:
            return ()
        texts = set(self.text_columns)
        meant = range(self.n_features) if columns is None else columns
        return [place for place, column in enumerate(meant) if self.feature_names[column] in texts]

    def _collect_groups(self, statistic: S, groups: Sequence[Sequence[int] | None], is_part: bool) -> list[S]:
        collected = [statistic.empty() for _ in groups]
        try:
            for g, block in self.group_blocks(groups):
                is_all = block.is_all and not is_part
                block = replace(block, is_all=is_all, categorical_columns=self._categorical_columns(groups[g]))
                for piece in [block] if statistic.takes_integers else _in_floats(block):
                    collected[g].update(piece)
        except InfiniteValue as error:
            if self.feature_names is None or isinstance(error.column, str):
                raise
            raise InfiniteValue(error.value, error.row, self.feature_names[error.column]) from None
        return collected


def _in_floats(block: Block) -> Iterator[Block]:
    """The block with integers as floats, a run of rows at a time where they have to be converted."""
    if block.values.dtype.kind == "f":
        yield block
    else:
        yield from (piece.as_floats() for piece in block.pieces(_BYTES_CONVERTED))


class _OnlyColumns(Source):
    """Another source with some of its columns."""

    def __init__(self, source: Source, columns: Sequence[int]) -> None:
        self.source = source
        self.columns = columns
        self.feature_names = None if source.feature_names is None else [source.feature_names[c] for c in columns]
        self.n_features = len(columns)
        self.text_columns = [name for name in source.text_columns if name in set(self.feature_names or ())]
        self.columns_at_once = source.columns_at_once
        self.readers_at_once = source.readers_at_once
        self.n_rows = source.n_rows
        self.is_in_memory = source.is_in_memory
        self.row_arrays = source.row_arrays

    def with_text_as_codes(self) -> Source:
        return _OnlyColumns(self.source.with_text_as_codes(), self.columns) if self.text_columns else self

    def categories_of(self, name: str) -> Sequence[Any] | None:
        return self.source.categories_of(name)

    def blocks(self, columns: Sequence[int] | None = None) -> Iterator[Block]:
        return (block for _, block in self.group_blocks([columns]))

    def group_blocks(self, groups: Sequence[Sequence[int] | None]) -> Iterator[tuple[int, Block]]:
        meant = [self.columns if group is None else [self.columns[c] for c in group] for group in groups]
        for g, block in self.source.group_blocks(meant):
            yield g, replace(block, columns=groups[g])
