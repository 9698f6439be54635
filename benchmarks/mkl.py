"""Non-monotonic MKL: the relaxed program against Clarabel on the paper's QCQP, the whole path, many classes and rows.

Needs clarabel for the comparison (pip install clarabel); without it only our own times are measured. Where the
environment variable FEWEST_DATA names a folder with mfeat.npz and usps.npz (X and y), those are measured too.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import numpy as np
from l1_svm import memory_rows
from scipy import sparse
from tables import table_of
from timing import Row, fastest, least_cpu

from fewest import NonMonotonicMKL, SvmMargin
from fewest.data.array import ArraySource
from fewest.data.labels import Target

#: The sizes that a comparison asks for.
SIZES = (1, 2, 3, 4, 5, 7, 10, 14, 20, 26, 34, 45, 59, 77, 100)
SETTINGS = [(C, tau) for C in (0.01, 1.0, 10.0) for tau in (0.01, 1.0, 10.0)]


def table(n, d, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, d))
    X[:, :10] += 0.5 * y[:, None]
    return X, y


def svms(X, y, C, tau):
    criterion = SvmMargin(C, tau)
    return criterion.bind(ArraySource(X, Target(y)).collect(criterion.statistic())).subset_svms


def by_clarabel(program, size, tolerance=1e-8):
    """alpha, p and the optimum of max 2 sum alpha - tau |alpha|^2 - m lambda - sum gamma, u_i^2 <= lambda + gamma_i."""
    import clarabel

    (y,), columns = program.signs, program.columns
    n, d = columns.shape
    quadratic = sparse.block_diag([sparse.diags_array(2 * program.ridges), sparse.csc_array((1 + d, 1 + d))], "csc")
    linear = np.concatenate([np.full(n, -2.0), [size], np.ones(d)])
    eye_n, eye_d = sparse.eye_array(n), sparse.eye_array(d)
    limits = sparse.block_diag([sparse.vstack([-eye_n, eye_n]), sparse.hstack([sparse.csc_array((d, 1)), -eye_d])])
    # (1 + r, 2 u, 1 - r) in the cone says u^2 <= r, r = lambda + gamma.
    pulls = sparse.kron(sparse.csr_array(-2 * (columns * y[:, None]).T), np.array([[0], [1], [0]]))
    ends = np.array([[-1], [0], [1]])
    cones = sparse.hstack([pulls, sparse.kron(np.ones((d, 1)), ends), sparse.kron(eye_d, ends)])
    balance = sparse.csc_array(np.concatenate([y, np.zeros(1 + d)])[None])
    rows = sparse.vstack([balance, limits, cones], format="csc")
    right = np.concatenate([[0.0], np.zeros(n), program.caps, np.zeros(d), np.tile([1.0, 0.0, 1.0], d)])
    kinds = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(2 * n + d), *[clarabel.SecondOrderConeT(3)] * d]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
    started = time.perf_counter()
    solution = clarabel.DefaultSolver(quadratic, linear, rows, right, kinds, settings).solve()
    seconds = time.perf_counter() - started
    duals = np.array(solution.z)[1 + 2 * n + d :].reshape(d, 3)
    return np.array(solution.x)[:n], duals[:, 0] - duals[:, 2], -solution.obj_val, seconds


def against_clarabel(n, d, size, limit):
    X, y = table(n, d)
    worst, gap = None, 0.0
    for C, tau in SETTINGS:
        program = svms(X, y, C, tau).program
        theirs = 1e3 * by_clarabel(program, size)[-1]
        mine = np.inf
        for _ in range(3):
            ours = svms(X, y, C, tau)
            started = time.perf_counter()
            found = ours.relax(size)
            mine = min(mine, 1e3 * (time.perf_counter() - started))
        gap = max(gap, found.duality_gap)
        row = Row(f"relaxed, {n} × {d:,}, C {C}, tau {tau}", mine, theirs, "Clarabel", limit, is_upper=False)
        worst = row if worst is None or row.ratio < worst.ratio else worst
        print(f"    {row}")
    yield worst
    yield Row(f"largest gap of these, {n} × {d:,}, in 1e-15", 1e15 * gap, 1e9, "allowed", 1, unit="")


def digits_like(n, p, n_classes=10, n_factors=30, seed=0):
    """Columns that depend on few factors, as the pixels and features of handwritten digits do."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) * n_classes // n)
    factors = rng.normal(size=(n, n_factors)) + 2 * rng.normal(size=(n_classes, n_factors))[y]
    return factors @ rng.normal(size=(n_factors, p)) + rng.normal(size=(n, p)), y


def many_classes():
    for k, seconds in ((10, 2.0), (50, 8.0)):
        X, y = table_of(2000, 200, k)
        (ours,) = least_cpu(lambda X=X, y=y: NonMonotonicMKL(n_features=20).fit(X, y), rounds=2)
        yield Row(f"fit, 2,000 × 200, {k} classes", ours, seconds, "allowed", 1, unit="s")
    named = [("digits alike, 2,000 × 649", *digits_like(2000, 649), 8.0)]
    if folder := os.environ.get("FEWEST_DATA"):
        for name, seconds in (("mfeat", 8.0), ("usps", 30.0)):
            with np.load(Path(folder) / f"{name}.npz") as data:
                named.append((name, data["X"].astype(float), data["y"], seconds))
    for name, X, y, seconds in named:
        (ours,) = least_cpu(lambda X=X, y=y: NonMonotonicMKL(n_features=20).fit(X, y), rounds=1)
        yield Row(f"fit, {name}, 10 classes", ours, seconds, "allowed", 1, unit="s")
    name, X, y, _ = named[0]
    (path,) = least_cpu(lambda: NonMonotonicMKL(n_features=SIZES[-1], path=SIZES).fit(X, y), rounds=1)
    yield Row(f"{len(SIZES)} sizes up to {SIZES[-1]}, {name}, 10 classes", path, 60.0, "allowed", 1, unit="s")


def measure():
    try:
        import clarabel  # noqa: F401
    except ImportError:
        print("  clarabel is not installed: no comparison with it (pip install clarabel)", file=sys.stderr)
    else:
        yield from against_clarabel(200, 2000, 20, 20)
        yield from against_clarabel(1000, 500, 20, 10)
    X, y = table(72, 7129)
    (mine,) = fastest(lambda: NonMonotonicMKL(n_features=50).fit(X, y), rounds=3)
    yield Row("fit, 72 × 7,129, 50 features", mine, 1000.0, "allowed", 1)
    X, y = table(200, 2000)
    for C, tau in SETTINGS:
        one, path = fastest(
            lambda C=C, tau=tau: NonMonotonicMKL(C, tau, n_features=30).fit(X, y),
            lambda C=C, tau=tau: NonMonotonicMKL(C, tau, n_features=30, path=True).fit(X, y),
            rounds=2,
        )
        yield Row(f"path of 1 to 30 of 200 × 2,000, C {C}, tau {tau}", path, one, "30 alone", 12)
    yield from many_classes()
    yield from memory_rows("NonMonotonicMKL", 30.0)
