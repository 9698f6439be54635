"""The progress bar on standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress


@contextmanager
def progress_display(count: str) -> Iterator[Progress]:
    """Show bars with the elapsed and the remaining time on standard error, removed at the end.

    count : the column between bar and times, a format of rich: "{task.completed}/{task.total}"
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn(count),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield progress


@contextmanager
def progress_bar(description: str, total: int, is_shown: bool) -> Iterator[Callable[[], None]]:
    """Count pieces of work on a bar, if it is shown; the function that it yields is called after each piece."""
    if not is_shown:
        yield lambda: None
        return
    with progress_display("{task.completed}/{task.total}") as progress:
        task = progress.add_task(description, total=total)
        yield lambda: progress.update(task, advance=1)
