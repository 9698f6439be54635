"""How many threads to use: as many as scikit-learn would."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")

_is_one_of_many: ContextVar[bool] = ContextVar("is_one_of_many", default=False)


def thread_count() -> int:
    """The number that OMP_NUM_THREADS and threadpoolctl allow, one inside side_by_side; never part of a result."""
    if _is_one_of_many.get():
        return 1
    from sklearn.utils._openmp_helpers import _openmp_effective_n_threads

    return int(_openmp_effective_n_threads())


def side_by_side(tasks: Sequence[Callable[[], T]]) -> list[T]:
    """The results of the tasks, each run on a thread of its own; the first task's error comes first."""

    def alone(task: Callable[[], T]) -> T:
        _is_one_of_many.set(True)
        return task()

    if len(tasks) == 1:
        return [tasks[0]()]
    with ThreadPoolExecutor(len(tasks)) as threads:
        return list(threads.map(alone, tasks))
