"""mRMR of 50 features, encoding included, against full evaluation with a plain histogram and fast-select; 2 threads."""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
from timing import Row, fastest, least_cpu

from fewest import MRMR, GreedyForward, RelevanceRedundancy
from fewest.data.array import ArraySource
from fewest.data.labels import Target

K = 50


def yardstick():
    library = Path(tempfile.mkdtemp()) / "plain_mrmr.so"
    source = Path(__file__).with_name("plain_mrmr.cpp")
    subprocess.run(["g++", "-O3", "-march=native", "-shared", "-fPIC", "-pthread", source, "-o", library], check=True)
    plain = ctypes.CDLL(str(library)).plain_mrmr

    def run(X, y, is_quotient):
        codes = np.ascontiguousarray(np.vstack([X.T, y]).astype(np.uint8))
        n_categories = (codes.max(axis=1) + 1).astype(np.int32)
        out = np.empty(K, dtype=np.int64)
        p, n = X.shape[1], X.shape[0]
        plain(
            codes.ctypes.data_as(ctypes.c_void_p), n_categories.ctypes.data_as(ctypes.c_void_p),
            ctypes.c_int64(p), ctypes.c_int64(n), ctypes.c_int64(K), ctypes.c_int(is_quotient),
            out.ctypes.data_as(ctypes.c_void_p),
        )  # fmt: skip
        return out.tolist()

    return run


def ours(X, y, form):
    return MRMR(n_features=K, criterion=form).fit(X, y)


def table(n, p, n_categories, share, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.integers(0, n_categories, (n, p))
    informative = rng.choice(p, int(share * p), replace=False)
    follows_class = rng.random((n, len(informative))) < rng.uniform(0.1, 0.5, len(informative))
    X[:, informative] = np.where(follows_class, (n_categories - 1) * y[:, None], X[:, informative])
    return X, y


def objective_of(X, y, form="difference"):
    criterion = RelevanceRedundancy(form)
    return criterion.bind(ArraySource(X, Target(y)).collect(criterion.statistic()))


def share_evaluated(X, y, form="difference"):
    objective = objective_of(X, y, form)
    GreedyForward().run(objective, K)
    return objective.n_evaluated / ((K - 1) * X.shape[1])


def nanoseconds_an_increment(X, y):
    """What full evaluation takes, over the rows, columns and steps."""
    seconds = []
    for _ in range(3):
        objective = objective_of(X, y)
        objective.score_features()
        started = time.perf_counter()
        GreedyForward(lazy=False).run(objective, K)
        seconds.append(time.perf_counter() - started)
    return 1e9 * min(seconds) / (X.size * (K - 1))


def tell_of_real_tables():
    folder = os.environ.get("FEWEST_BENCHMARK_DATA")
    for path in sorted(Path(folder).glob("*.npz")) if folder else ():
        data = np.load(path, allow_pickle=True)
        if "X" not in data or data["X"].dtype == object or not data["X"].shape[1] >= 200:
            continue
        X, y = data["X"], data["y"]
        shares = [share_evaluated(X, y, form) for form in ("difference", "quotient")]
        print(
            f"  ({path.stem}, {X.shape[0]:,} × {X.shape[1]:,}: share of pairs evaluated {shares[0]:.3f}, quotient "
            f"{shares[1]:.3f}; {nanoseconds_an_increment(X, y):.3f} ns an increment in full evaluation)"
        )


def seconds_of_fast_select(X, y):
    from fast_select import mRMR

    selector = mRMR(n_features_to_select=K, method="MID", backend="cpu")
    selector.fit(X[:, :60], y)  # compiled on first use
    started = time.perf_counter()
    selector.fit(X, y)
    return time.perf_counter() - started


def with_kept(X, y, form):
    """Milliseconds of processor time of lazy mRMR with 5 kept columns, drawn at random, and without."""
    kept = np.random.default_rng(1).choice(X.shape[1], 5, replace=False).tolist()
    selector = MRMR(n_features=K, criterion=form, keep=kept)
    return [1e3 * seconds for seconds in least_cpu(partial(selector.fit, X, y), partial(ours, X, y, form), rounds=7)]


def measure():
    plain = yardstick()
    for (n, p, n_categories, share), limits, peer in (
        ((500, 10_000, 3, 0.05), {"difference": 10, "quotient": 5}, 1000),
        ((100_000, 500, 8, 0.2), {"difference": 4, "quotient": 4}, 200),
    ):
        X, y = table(n, p, n_categories, share)
        for form, limit in limits.items():
            is_quotient = form == "quotient"
            assert list(ours(X, y, form).selection_.indices) == plain(X, y, is_quotient)
            mine, theirs = fastest(partial(ours, X, y, form), partial(plain, X, y, is_quotient), rounds=5)
            what = f"mRMR, {form}, {n:,} × {p:,} of {n_categories} categories"
            yield Row(what, mine, theirs, "a plain histogram", limit, is_upper=False)
            yield Row(f"{what}, 5 kept", *with_kept(X, y, form), "without constraints", 1.2)
            if form == "difference":
                print(
                    f"  (share of pairs evaluated {share_evaluated(X, y):.3f}, quotient "
                    f"{share_evaluated(X, y, 'quotient'):.3f}; {nanoseconds_an_increment(X, y):.3f} ns an increment in "
                    "full evaluation)"
                )
                try:
                    seconds = seconds_of_fast_select(X, y)
                except ImportError:
                    print("  (fast-select is not installed)")
                else:
                    yield Row(what, mine, 1e3 * seconds, "fast-select", peer, is_upper=False)
    tell_of_real_tables()
