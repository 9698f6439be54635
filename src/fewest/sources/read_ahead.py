"""Reading the next batch while the last one is being worked on."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from fewest.threads import thread_count

T = TypeVar("T")


def read_ahead(items: Iterator[T]) -> Generator[T, None, None]:
    """The same items in the same order, the next one being made by a thread of its own.

    Holds one item more. Where one thread is allowed, nothing is read ahead.
    """
    if thread_count() == 1:
        yield from items
        return
    end = object()
    with ThreadPoolExecutor(max_workers=1) as reader:
        coming = reader.submit(next, items, end)
        while (item := coming.result()) is not end:
            coming = reader.submit(next, items, end)
            yield item  # type: ignore[misc]
