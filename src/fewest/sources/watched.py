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
        self._pass: Any = None

    def blocks(self, columns: Sequence[int] | None = None) -> Iterator[Block]:
        is_own_pass = self._pass is None
        width = self.n_features if columns is None else len(columns)
        if is_own_pass:
            self._begin("reading chosen columns", width)
        rows = 0
        for block in self.source.blocks(columns):
            yield block
            rows += block.n_rows
            self.progress.update(self._pass, advance=block.n_rows * width, rows=rows)
        if is_own_pass:
            self._end()

    def collect(self, statistic: S) -> S:
        self._begin("reading", self.n_features)
        collected = super().collect(statistic)
        self._end()
        return collected

    def _begin(self, what: str, width: int) -> None:
        total = None if self.n_rows is None else self.n_rows * width
        self._pass = self.progress.add_task(what, total=total, rows=0)

    def _end(self) -> None:
        self.progress.remove_task(self._pass)
        self._pass = None
