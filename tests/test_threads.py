"""How many threads run, within and after."""

from __future__ import annotations

from threading import Barrier, Event, Thread

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

from fewest.threads import one_blas_thread


def blas_threads():
    return {library["num_threads"] for library in ThreadpoolController().info() if library["user_api"] == "blas"}


def test_within_one_blas_thread_there_is_one_and_afterwards_as_many_as_before():
    np.ones((2, 2)) @ np.ones((2, 2))
    with threadpool_limits(3, user_api="blas"):
        with one_blas_thread():
            assert blas_threads() == {1}
            with one_blas_thread():
                assert blas_threads() == {1}
            assert blas_threads() == {1}
        assert blas_threads() == {3}


def test_it_is_lifted_after_an_error():
    with threadpool_limits(3, user_api="blas"):
        with pytest.raises(ZeroDivisionError), one_blas_thread():
            1 / 0
        assert blas_threads() == {3}


@pytest.fixture
def three_threads():
    """As a setting of the process, not of a context: threadpoolctl lets no other thread change what a context sets."""
    libraries = ThreadpoolController().select(user_api="blas").lib_controllers
    before = [library.num_threads for library in libraries]
    for numbers in ([3] * len(libraries), before):
        for library, number in zip(libraries, numbers, strict=True):
            library.set_num_threads(number)
            getattr(library, "clear_controlling_thread", bool)()
        if numbers is not before:
            yield


@pytest.mark.parametrize("other_leaves_first", [True, False])
@pytest.mark.parametrize("other_enters_first", [True, False])
def test_it_holds_until_the_last_of_several_threads_has_left(other_enters_first, other_leaves_first, three_threads):
    first_is_in, both_are_in, first_is_out = Event(), Barrier(2, timeout=10), Event()
    found = []

    def visit(enters_first, leaves_first):
        if not enters_first:
            first_is_in.wait(10)
        with one_blas_thread():
            first_is_in.set()
            both_are_in.wait()
            if not leaves_first:
                first_is_out.wait(10)
                found.append(blas_threads())
        if leaves_first:
            first_is_out.set()

    other = Thread(target=visit, args=(other_enters_first, other_leaves_first))
    other.start()
    visit(not other_enters_first, not other_leaves_first)
    other.join()
    assert found == [{1}]
    assert blas_threads() == {3}
