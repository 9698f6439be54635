"""L1SVM and FSV: against scikit-learn's LinearSVC with an L1 penalty, with many classes, and the memory of many rows.

scikit-learn minimizes the squared hinge loss, at tol=1e-8. With 10 classes it does not end in a minute, so that it is
stopped after MAX_ITER iterations, before it has converged. Seconds are processor time.
"""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path

from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC
from tables import table_of
from timing import Row, least_cpu

from fewest import FSV, L1SVM

#: The iterations of scikit-learn on the table with 10 classes.
MAX_ITER = 1000
#: Fits a selector in a process of its own, and prints by how much its memory grew, in bytes, and the seconds.
MEMORY = """
import sys, time
sys.path.insert(0, sys.argv[1])
from tables import table_of
import fewest
X, y = table_of(100_000, 100)
selector = getattr(fewest, sys.argv[2])
def peak():
    # Not ru_maxrss, which a process inherits from the one that starts it.
    return 1024 * int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1])
selector(n_features=3).fit(X[:60, :8], y[:60])
before, started = peak(), time.process_time()
selector(n_features=20).fit(X, y)
print((peak() - before) / X.nbytes, time.process_time() - started)
"""


def memory_and_time(name):
    """The growth of a process that fits 100,000 × 100, in units of the data, and its processor time."""
    command = [sys.executable, "-c", MEMORY, str(Path(__file__).parent), name]
    return map(float, subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def memory_rows(name, seconds):
    grown, time = memory_and_time(name)
    yield Row(f"{name}, 100,000 × 100: memory", grown, 1.0, "the data", 2.5, unit="")
    yield Row(f"{name}, 100,000 × 100", time, seconds, "allowed", 1, unit="s")


def theirs(X, y, max_iter):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        LinearSVC(penalty="l1", dual=False, tol=1e-8, max_iter=max_iter).fit(X, y)


def measure():
    for n, p, k, max_iter, who in (
        (5000, 300, 2, 10**6, "scikit-learn"),
        (2000, 200, 10, MAX_ITER, f"scikit-learn, {MAX_ITER} iterations"),
    ):
        X, y = table_of(n, p, k)
        ours, peer = least_cpu(
            lambda X=X, y=y: L1SVM(n_features=20).fit(X, y), lambda X=X, y=y, m=max_iter: theirs(X, y, m)
        )
        yield Row(f"L1SVM {n:,} × {p}, {k} classes", ours, peer, who, 1.5, unit="s", is_upper=False)
    for k, seconds in ((10, 2.0), (50, 8.0)):
        X, y = table_of(2000, 200, k)
        for selector in (L1SVM, FSV):
            (ours,) = least_cpu(lambda s=selector, X=X, y=y: s(n_features=20).fit(X, y), rounds=2)
            yield Row(f"{selector.__name__} 2,000 × 200, {k} classes", ours, seconds, "allowed", 1, unit="s")
    for name in ("L1SVM", "FSV"):
        yield from memory_rows(name, 30.0)
