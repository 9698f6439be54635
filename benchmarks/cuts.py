"""Minimum cuts and whole paths at p = 1,000, against OR-tools and SciPy on the same graphs.

The peers are timed from the finished graph on; ours from the table of floats. Give FEWEST_BENCHMARK_DATA a folder of
.npz files with X and y to measure on the columns of those with at least 1,000.
"""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import maximum_flow
from sklearn.datasets import load_digits
from timing import Row, fastest, least_cpu

from fewest import MinimumCut, ScatterTrace
from fewest._core import pair_cut, pair_path
from fewest.constraints import ColumnConstraints
from fewest.data.array import ArraySource
from fewest.data.labels import Target

P = 1_000


def tables():
    rng = np.random.default_rng(0)
    for n, n_classes in ((5_000, 3), (200, 2)):
        yield f"random, {n} rows", rng.normal(size=(n, P)), rng.integers(0, n_classes, n)
    X, y = load_digits(return_X_y=True)
    first, second = np.triu_indices(X.shape[1])
    products = X[:, first] * X[:, second]
    yield "digits, products", products[:, np.sort(rng.choice(products.shape[1], P, replace=False))], y
    for path in sorted(Path(os.environ.get("FEWEST_BENCHMARK_DATA", os.devnull)).glob("*.npz")):
        with np.load(path, allow_pickle=False) as data:
            if "X" in data and data["X"].shape[1] >= P:
                X = data["X"].astype(np.float64)
                yield path.stem, X[:, np.sort(rng.choice(X.shape[1], P, replace=False))], data["y"]


def graph(unary, pairs):
    """The network as integers below 2^30: a pair is an edge of half its value, a column's rest goes to a terminal."""
    rest = unary + pairs.sum(axis=1) / 2
    scale = 2.0**29 / max(np.abs(rest).max(), pairs.max())
    rest, pairs = np.rint(rest * scale).astype(np.int64), np.rint(np.triu(pairs, 1) * scale / 2).astype(np.int64)
    i, j = np.nonzero(pairs)
    above, below = np.flatnonzero(rest > 0), np.flatnonzero(rest < 0)
    tails = np.concatenate([i, j, np.full(len(above), P), below])
    heads = np.concatenate([j, i, above, np.full(len(below), P + 1)])
    return tails, heads, np.concatenate([pairs[i, j], pairs[i, j], rest[above], -rest[below]])


def seconds_of_ortools(tails, heads, capacities):
    from ortools.graph.python import max_flow

    solver = max_flow.SimpleMaxFlow()
    solver.add_arcs_with_capacity(tails.astype(np.int32), heads.astype(np.int32), capacities)
    started = time.perf_counter()
    solver.solve(P, P + 1)
    return time.perf_counter() - started


def seconds_of_scipy(tails, heads, capacities):
    network = sparse.csr_array((capacities.astype(np.int32), (tails, heads)), shape=(P + 2, P + 2))
    started = time.perf_counter()
    maximum_flow(network, P, P + 1)
    return time.perf_counter() - started


class PairScores:
    """An objective that is nothing but its scores."""

    def __init__(self, unary, pairs):
        self.unary, self.pairs = unary, pairs

    def score_features(self):
        return self.unary

    def score_pairs(self):
        return self.pairs


def constrained(unary, pairs):
    """Milliseconds of processor time of the search for 50 columns with 5 kept ones and prices, and without."""
    rng = np.random.default_rng(1)
    kept = tuple(np.sort(rng.choice(P, 5, replace=False)).tolist())
    constraints = ColumnConstraints(kept, costs=rng.random(P), cost_weight=0.1 * float(np.abs(unary).mean()))
    objective, search = PairScores(unary, pairs), MinimumCut()
    calls = partial(search.run, objective, 50, constraints), partial(search.run, objective, 50)
    return [1e3 * seconds for seconds in least_cpu(*calls, rounds=5)]


def measure():
    peers = {"SciPy": seconds_of_scipy}
    try:
        import ortools  # noqa: F401

        peers["OR-tools"] = seconds_of_ortools
    except ImportError:
        print("  (OR-tools is not installed: SciPy only)")
    times = {peer: [] for peer in peers}
    paths, with_constraints = [], []
    for name, X, y in tables():
        for scale in ("symmetric", "std"):
            criterion = ScatterTrace(degree=2, scale=scale)
            objective = criterion.bind(ArraySource(X, Target(y)).collect(criterion.statistic()))
            unary, pairs = objective.score_features(), objective.score_pairs()
            _, sizes, totals, unit = pair_path(unary, pairs)
            betas, ends = np.array(totals) / sizes / unit, np.cumsum(sizes)
            cuts = []
            for share in (0.2, 0.4, 0.6, 0.8):
                # A little below a step of the path, where the cut is hardest to tell from its neighbours.
                beta = betas[np.searchsorted(ends, share * P)] * (1 - 0.002 * share)
                cut = fastest(partial(pair_cut, unary - beta, pairs), rounds=3)[0]
                cuts.append(cut)
                network = graph(unary - beta, pairs)
                for peer, seconds in peers.items():
                    times[peer].append((cut, 1e3 * min(seconds(*network) for _ in range(2))))
            whole = fastest(partial(pair_path, unary, pairs), rounds=3)[0]
            with_constraints.append((*constrained(unary, pairs), f"{name}, {scale}"))
            paths.append((whole / max(cuts), whole, max(cuts), f"{name}, {scale}"))
    for peer, pairs_of_times in times.items():
        by_ratio = sorted(pairs_of_times, key=lambda pair: pair[1] / pair[0])
        ours, theirs = by_ratio[len(by_ratio) // 2]
        yield Row(f"a cut, median of {len(by_ratio)}", ours, theirs, peer, 5.0, is_upper=False)
        yield Row("a cut, where we are closest", *by_ratio[0], peer, 1.3, is_upper=False)
    _, whole, cut, name = max(paths)
    yield Row(f"the whole path, at worst ({name})", whole, cut, "slowest of four cuts", 15.0)
    ours, plain, name = max(with_constraints, key=lambda row: row[0] / row[1])
    yield Row(f"5 kept columns and prices, at worst ({name})", ours, plain, "without constraints", 1.3)
    slowest = max(whole for _, whole, _, _ in paths)
    yield Row("the whole path, slowest", slowest, 500.0, "half a second", 1.0)
