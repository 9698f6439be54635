"""A source that shows how far it has been read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from fewest.protocols import Block, S, Source


@contextmanager
def watched(source: Source, is_shown: bool) -> Iterator[Source]:
    """The source, with a progress bar on standard error while it is read, if asked for."""
    if not is_shown:
        yield source
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[rows]:,} rows"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield WatchedSource(source, progress)


class WatchedSource(Source):
    """Another source, with every value that is read counted on a progress bar."""

    def __init__(self, source: Source, progress: Any) -> None:
        self.source = source
        self.progress = progress
        self.feature_names = source.feature_names
        self.n_features = source.n_features
        self.text_columns = source.text_columns
        self.columns_at_once = source.columns_at_once
        self.n_rows = source.n_rows
        self.readers_at_once = source.readers_at_once
        self._pass: Any = None
        self._done = 0
        self._width = 1

    def blocks(self, columns: Sequence[int] | None = None) -> Iterator[Block]:
        self._begin("reading chosen columns", self.n_features if columns is None else len(columns))
        for block in self.source.blocks(columns):
            yield block
            self._advance(block)
        self._end()

    def group_blocks(self, groups: Sequence[Sequence[int] | None]) -> Iterator[tuple[int, Block]]:
        for g, block in self.source.group_blocks(groups):
            yield g, block
            self._advance(block)

    def collect(self, statistic: S) -> S:
        self._begin("reading", self.n_features)
        collected = super().collect(statistic)
        self._end()
        return collected

    def _advance(self, block: Block) -> None:
        n_values = block.n_rows * int(block.values.shape[1])
        self._done += n_values
        self.progress.update(self._pass, advance=n_values, rows=self._done // self._width)

    def _begin(self, what: str, width: int) -> None:
        self._done, self._width = 0, max(width, 1)
        total = None if self.n_rows is None else self.n_rows * width
        self._pass = self.progress.add_task(what, total=total, rows=0)

    def _end(self) -> None:
        self.progress.remove_task(self._pass)
        self._pass = None
