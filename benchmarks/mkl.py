"""Non-monotonic MKL: the relaxed program against Clarabel on the paper's QCQP, and the whole path; 1 BLAS thread.

Needs clarabel for the comparison (pip install clarabel); without it only our own times are measured.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from scipy import sparse
from timing import Row, fastest

from fewest import NonMonotonicMKL, SvmMargin
from fewest.data.array import ArraySource
from fewest.data.labels import Target

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
