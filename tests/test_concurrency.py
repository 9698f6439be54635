"""Threads of the user, processes forked after threads, and many fits: the same answers, no hang, no growth."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest, mutual_info_classif

from fewest import (
    L1SVM,
    MRMR,
    SVMRFE,
    AutoSelector,
    FisherMarkov,
    ForestImportance,
    KernelSeparability,
    NonMonotonicMKL,
    ParzenRelief,
    ReliefF,
    Wrapper,
    compare,
)
from fewest.selectors.adapters.scikit_learn import ScikitLearnSelector

SELECTORS = {
    "mrmr": lambda: MRMR(n_features=4),
    "mrmr auto": lambda: MRMR(n_features="auto", cv=3),
    "fisher-markov": lambda: FisherMarkov(degree=2, n_features=4),
    "relieff": lambda: ReliefF(n_features=4),
    "parzen-relief": lambda: ParzenRelief(n_features=4),
    "svm-rfe": lambda: SVMRFE(n_features=4),
    "l1-svm": lambda: L1SVM(n_features=4),
    "mkl": lambda: NonMonotonicMKL(n_features=3),
    "kernel-separability": lambda: KernelSeparability(n_features=3),
    "wrapper": lambda: Wrapper(n_features=2),
    "forest": lambda: ForestImportance(n_features=4),
    "auto": lambda: AutoSelector(n_features=3),
    "scikit-learn": lambda: ScikitLearnSelector(SelectKBest(mutual_info_classif), n_features=4),
    "global generator": lambda: ScikitLearnSelector(SelectKBest(drawn_slowly), n_features=4),
}


def drawn_slowly(X, y):
    """Scores from NumPy's global generator, while other threads have a chance to draw from it too."""
    drawn = []
    for _ in range(X.shape[1]):
        drawn.append(np.random.random())  # noqa: NPY002
        time.sleep(0.001)
    return np.array(drawn)


def table(n_rows=150, n_columns=12, seed=0):
    random = np.random.default_rng(seed)
    y = np.arange(n_rows) % 3
    return random.normal(size=(n_rows, n_columns)) + 0.7 * (y[:, None] == np.arange(n_columns) % 3), y


def answer(name, seed=0):
    """The answer to the bit."""
    fitted = SELECTORS[name]().fit(*table(seed=seed))
    return fitted.selection_.indices, fitted.scores_.tobytes(), fitted.selection_.value


@pytest.mark.parametrize("name", SELECTORS)
def test_eight_threads_fitting_at_once_give_the_same_answers_to_the_bit(name):
    expected = [answer(name, seed) for seed in range(2)]
    ready = Barrier(8, timeout=60)

    def fit(number):
        ready.wait()
        return answer(name, number % 2)

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(fit, range(8)))
    assert found == [expected[number % 2] for number in range(8)]


def test_eight_threads_with_a_method_each_give_the_same_answers():
    names = list(SELECTORS)[:8]
    expected = {name: answer(name) for name in names}
    ready = Barrier(8, timeout=60)

    def fit(name):
        ready.wait()
        return answer(name)

    with ThreadPoolExecutor(8) as threads:
        assert dict(zip(names, threads.map(fit, names), strict=True)) == expected


def test_comparisons_in_threads_give_the_same_answers():
    def found():
        one = compare(["mrmr", "relieff"], *table(60, 5), classifiers=["nb", "svm"], sizes=[1, 3], outer=2, inner=2)
        return one.summary.tables[0].recommended, one.curves

    expected = found()
    with ThreadPoolExecutor(4) as threads:
        assert [one.result() for one in [threads.submit(found) for _ in range(4)]] == [expected] * 4


FORK = """
import multiprocessing, os, signal, sys, threading, time, warnings
warnings.simplefilter("ignore")
import tests.test_concurrency as here
from fewest import threads
from fewest.threads import one_blas_thread

names = sys.argv[1:]
expected = {name: here.answer(name) for name in names}

def in_child(_):
    return {name: here.answer(name) for name in names} == expected

def forked():
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        with one_blas_thread():
            os._exit(0 if in_child(None) else 3)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

# Somebody is just counting who is within.
with threads._Inside.lock:
    forked()
# Other threads are in the middle of a fit, and of holding BLAS to one thread, when the process is forked.
stop = threading.Event()
def work():
    while not stop.is_set():
        with one_blas_thread():
            here.answer(names[0])
busy = [threading.Thread(target=work, daemon=True) for _ in range(3)]
for thread in busy:
    thread.start()
for _ in range(3):
    time.sleep(0.05)
    forked()
stop.set()
for thread in busy:
    thread.join()
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map(in_child, range(4)) == [True] * 4
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_process_forked_after_threads_fits_without_hanging():
    names = ["mrmr", "relieff", "svm-rfe", "mkl", "kernel-separability", "l1-svm"]
    done = subprocess.run(
        [sys.executable, "-c", FORK, *names],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=Path(__file__).parents[1],
    )
    assert done.returncode == 0, done.stderr


def resident():
    """The memory in use, in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
@pytest.mark.parametrize("name", ["mrmr", "fisher-markov", "relieff", "svm-rfe", "parzen-relief", "mkl"])
def test_many_small_fits_do_not_grow(name):
    """Some hundreds here; FEWEST_FITS=10000 is the long run."""
    n_fits = int(os.environ.get("FEWEST_FITS", "80" if name == "mkl" else "300"))
    X, y = table(40, 6)
    selector = SELECTORS[name]()
    for _ in range(max(50, n_fits // 10)):
        selector.fit(X, y)
    before = resident()
    for _ in range(n_fits):
        selector.fit(X, y)
    # A fit that leaked its rows alone, twice 2 kB, would take more in the long run.
    assert resident() - before < 4 * 2**20
