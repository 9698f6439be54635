"""The progress bar on standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


#: The displays of rows that are being read, to which steps of the work on them are added.
_reading: list[Progress] = []


@contextmanager
def progress_display() -> Iterator[Progress]:
    """Show bars with the elapsed and the remaining time on standard error, removed at the end.

    Each task has a field `shown`, the text between the bar and the times.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[shown]}"),
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
    with progress_display() as progress:
        yield _counter(progress, progress.add_task(description, total=total, shown=""), total)


@contextmanager
def reading_display() -> Iterator[Progress]:
    """Show bars of rows that are read, and of the steps that are taken with them."""
    with progress_display() as progress:
        _reading.append(progress)
        try:
            yield progress
        finally:
            _reading.remove(progress)


@contextmanager
def step_bar(description: str, total: int) -> Iterator[Callable[[], None]]:
    """Count steps on a bar of the display of rows that are read, where there is one."""
    if not _reading:
        yield lambda: None
        return
    progress = _reading[-1]
    task = progress.add_task(description, total=total, shown="")
    try:
        yield _counter(progress, task, total)
    finally:
        progress.remove_task(task)


def _counter(progress: Progress, task: TaskID, total: int) -> Callable[[], None]:
    n_done = 0

    def advance() -> None:
        nonlocal n_done
        n_done += 1
        progress.update(task, advance=1, shown=f"{n_done}/{total}")

    return advance
