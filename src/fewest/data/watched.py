"""A source that shows how far it has been read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from fewest.data.block import Block
from fewest.data.source import S, Source
from fewest.progress import progress_display


@contextmanager
def watched(source: Source, is_shown: bool) -> Iterator[Source]:
    """The source, with a progress bar on standard error while it is read, if asked for."""
    if not is_shown:
        yield source
        return
    with progress_display("{task.fields[rows]:,} rows") as progress:
        yield WatchedSource(source, progress)


class WatchedSource(Source):
    """Another source, with every value that is read counted on a progress bar."""

    def __init__(self, source: Source, progress: Any, what: str = "reading") -> None:
        self.what = what
        self.source = source
        self.progress = progress
        self.feature_names = source.feature_names
        self.n_features = source.n_features
        self.text_columns = source.text_columns
        self.columns_at_once = source.columns_at_once
        self.n_rows = source.n_rows
        self.readers_at_once = source.readers_at_once
        self.is_in_memory = source.is_in_memory
        self.row_arrays = source.row_arrays
        self._pass: Any = None
        self._done = 0

    def only(self, columns: Sequence[int]) -> Source:
        return WatchedSource(self.source.only(columns), self.progress, "reading chosen columns")

    def with_text_as_codes(self) -> Source:
        if not self.text_columns:
            return self
        return WatchedSource(self.source.with_text_as_codes(), self.progress, self.what)

    def categories_of(self, name: str) -> Sequence[Any] | None:
        return self.source.categories_of(name)

    def blocks(self, columns: Sequence[int] | None = None) -> Iterator[Block]:
        return self.source.blocks(columns)

    def group_blocks(self, groups: Sequence[Sequence[int] | None]) -> Iterator[tuple[int, Block]]:
        for g, block in self.source.group_blocks(groups):
            yield g, block
            self._advance(block)

    def collect(self, statistic: S, *, is_part: bool = False) -> S:
        self._done = 0
        total = None if self.n_rows is None else self.n_rows * self.n_features
        self._pass = self.progress.add_task(self.what, total=total, rows=0)
        collected = super().collect(statistic, is_part=is_part)
        self.progress.remove_task(self._pass)
        return collected

    def _advance(self, block: Block) -> None:
        n_values = block.n_rows * int(block.values.shape[1])
        self._done += n_values
        self.progress.update(self._pass, advance=n_values, rows=self._done // max(self.n_features, 1))
