"""Threads: their number, as scikit-learn would use, tasks in parallel, and one BLAS thread."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from threading import Lock, local
from typing import Protocol, TypeVar

from fewest._core import StopFlag

T = TypeVar("T")

_is_one_of_many: ContextVar[bool] = ContextVar("is_one_of_many", default=False)


def thread_count() -> int:
    """The number that OMP_NUM_THREADS and threadpoolctl allow, one inside run_in_parallel; never part of a result."""
    if _is_one_of_many.get():
        return 1
    from sklearn.utils._openmp_helpers import _openmp_effective_n_threads

    return int(_openmp_effective_n_threads())


def run_on_threads(tasks: Sequence[Callable[[], object]]) -> None:
    """Run all tasks, each once, on the allowed number of threads; they must not depend on each other's order."""
    waiting = iter(tasks)
    lock = Lock()
    has_failed = False

    def work() -> None:
        nonlocal has_failed
        while not has_failed:
            with lock:
                task = next(waiting, None)
            if task is None:
                return
            try:
                task()
            except BaseException:
                has_failed = True  # so that no thread begins another
                raise

    run_in_parallel([work] * max(1, min(thread_count(), len(tasks))))


def run_in_parallel(tasks: Sequence[Callable[[], T]]) -> list[T]:
    """The results of the tasks, each run on a thread of its own; the first task's error comes first.

    Should one fail, or the calling thread be interrupted, the kernels of the others stop.
    """

    def alone(task: Callable[[], T]) -> T:
        token = _is_one_of_many.set(True)
        try:
            return task()
        finally:
            _is_one_of_many.reset(token)

    def watching(task: Callable[[], T]) -> T:
        flag.watch()
        try:
            return alone(task)
        finally:
            flag.unwatch()

    if len(tasks) == 1:
        return [tasks[0]()]
    flag = StopFlag()
    with ThreadPoolExecutor(len(tasks) - 1) as threads:
        others = [threads.submit(watching, task) for task in tasks[1:]]
        try:
            # The calling thread works too. Should its task fail, the executor still waits for the others.
            return [alone(tasks[0]), *(other.result() for other in others)]
        except BaseException:
            flag.stop()
            raise


class _Inside:
    """How many are within one_blas_thread, and how many threads there were before the first."""

    lock = Lock()
    count = 0
    before: Sequence[int] = ()
    #: Of each thread, whether it is within already.
    own = local()


def _forget_other_threads() -> None:
    """In a forked process there are no other threads: what they held, and would have given back, is free."""
    _Inside.lock = Lock()
    _Inside.count = int(getattr(_Inside.own, "is_within", False))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_other_threads)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Within it matrix products run on one thread, so that their last bits do not depend on how many there are.

    With most libraries the limit is the whole process's: where several threads are within at once, the last to leave
    restores what the first found.
    """
    if getattr(_Inside.own, "is_within", False):
        yield
        return
    libraries = _blas_libraries()
    _Inside.own.is_within = True
    with _Inside.lock:
        found = [library.num_threads for library in libraries]
        if _Inside.count == 0:
            _Inside.before = found
        _Inside.count += 1
        for library in libraries:
            library.set_num_threads(1)
    try:
        yield
    finally:
        _Inside.own.is_within = False
        with _Inside.lock:
            _Inside.count -= 1
            for library, own, first in zip(libraries, found, _Inside.before, strict=True):
                is_own = getattr(library, "threading_layer", None) == "openmp"  # each thread has a limit of its own
                if is_own or _Inside.count == 0:
                    library.set_num_threads(own if is_own else first)
                # Until it has said that it is done, threadpoolctl lets no other thread set a limit.
                getattr(library, "clear_controlling_thread", bool)()


class _BlasLibrary(Protocol):
    """A library of linear algebra, as threadpoolctl controls it."""

    num_threads: int

    def set_num_threads(self, num_threads: int) -> object: ...


@cache
def _blas_libraries() -> Sequence[_BlasLibrary]:
    # Looking through the loaded libraries takes milliseconds, so it is done once.
    from threadpoolctl import ThreadpoolController

    libraries: Sequence[_BlasLibrary] = ThreadpoolController().select(user_api="blas").lib_controllers
    return libraries
