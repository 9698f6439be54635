"""Whether stability selection and knockoffs hold what they promise, by simulation.

    python benchmarks/guarantees.py                 200 tables a row: several minutes of processor time
    python benchmarks/guarantees.py 20              fewer
    python benchmarks/guarantees.py knockoffs       one of the two: stability or knockoffs

Prints the two tables of docs/methods/stability_selection.md and docs/methods/knockoffs.md.
"""

from __future__ import annotations

import sys
import time
import warnings

import numpy as np

from fewest import FewestWarning, Knockoffs, StabilitySelection

N_TABLES = 200


def correlated(random, n_rows, n_columns, correlation):
    """Gaussian columns, of which neighbours correlate."""
    noise = random.normal(size=(n_rows, n_columns))
    values = noise.copy()
    for j in range(1, n_columns):
        values[:, j] = correlation * values[:, j - 1] + np.sqrt(1 - correlation**2) * noise[:, j]
    return values


def shifted(seed, n_rows=100, n_columns=200, n_true=5, correlation=0.0, heavy=False):
    """Two classes between which the means of the first columns differ by 1; the others are noise."""
    random = np.random.default_rng([1, seed])
    labels = np.arange(n_rows) % 2
    values = correlated(random, n_rows, n_columns, correlation)
    if heavy:
        values = random.standard_t(2, size=values.shape)
    values[:, :n_true] = random.normal(size=(n_rows, n_true)) + labels[:, None]
    return values, labels, np.arange(n_true)


def logistic(seed, n_rows=400, n_columns=100, n_true=20, correlation=0.0, effect=0.8, cubed=False):
    """Classes by a logistic model of some columns, evenly apart; given these the others tell nothing of the class."""
    random = np.random.default_rng([2, seed])
    values = correlated(random, n_rows, n_columns, correlation)
    true = np.linspace(0, n_columns, n_true, endpoint=False).astype(int)
    labels = (effect * values[:, true].sum(axis=1) + random.logistic(size=n_rows) > 0).astype(int)
    return values**3 if cubed else values, labels, true


def written(figures, digits):
    error = np.std(figures, ddof=1) / np.sqrt(len(figures))
    return f"{np.mean(figures):.{digits}f} ± {error:.{digits}f}"


def stability(n_tables):
    print("| noise | selector | bound | q | threshold | bound on false ones | false ones, mean | true ones, of 5 |")
    print("|---|---|---|---|---|---|---|---|")
    noises = {"independent": {}, "correlated (0.8)": {"correlation": 0.8}, "heavy tails (t, 2)": {"heavy": True}}
    bounds = {
        "Meinshausen–Bühlmann": {"bound": "meinshausen-buhlmann"},
        "unimodal": {"assumption": "unimodal"},
        "r-concave": {},
    }
    cases = [(noise, "fisher-score", bound) for noise in noises for bound in bounds]
    cases += [("independent", name, "r-concave") for name in ("mrmr", "relieff")]
    for noise, name, bound in cases:
        false, true = [], []
        for seed in range(n_tables):
            X, y, relevant = shifted(seed, **noises[noise])
            fitted = StabilitySelection(name, **bounds[bound]).fit(X, y)
            true.append(np.count_nonzero(fitted.support_[relevant]))
            false.append(fitted.n_features_ - true[-1])
        figures = f"{fitted.q_} | {fitted.threshold_:g} | {fitted.expected_false_:.2f} | {written(false, 2)}"
        print(f"| {noise} | {name} | {bound} | {figures} | {np.mean(true):.1f} |", flush=True)


def knockoffs(n_tables):
    print("| columns | copies | selector | level | share of false ones, mean | true ones, of 20 | tables with none |")
    print("|---|---|---|---|---|---|---|")
    tables = {
        "independent": {},
        "neighbours correlate (0.5)": {"correlation": 0.5},
        "neighbours correlate (0.8)": {"correlation": 0.8},
        "cubes of such (0.5)": {"correlation": 0.5, "cubed": True},
        "150 rows (0.5)": {"correlation": 0.5, "n_rows": 150},
    }
    cases = [(table, "gaussian", "fisher-score", 0.2) for table in tables]
    cases += [("neighbours correlate (0.5)", "gaussian", name, 0.2) for name in ("svm-weights", "relieff")]
    cases += [("neighbours correlate (0.5)", "gaussian", "fisher-score", 0.1)]
    cases += [(table, "permuted", "fisher-score", 0.2) for table in list(tables)[:2]]
    for table, kind, name, level in cases:
        shares, true, none = [], [], 0
        for seed in range(n_tables):
            X, y, relevant = logistic(seed, **tables[table])
            fitted = Knockoffs(name, kind=kind, level=level).fit(X, y)
            true.append(np.count_nonzero(fitted.support_[relevant]))
            shares.append((fitted.n_features_ - true[-1]) / max(1, fitted.n_features_))
            none += fitted.n_features_ == 0
        print(
            f"| {table} | {kind} | {name} | {level:g} | {written(shares, 3)} | {np.mean(true):.1f} | {none} |",
            flush=True,
        )


if __name__ == "__main__":
    n = next((int(one) for one in sys.argv[1:] if one.isdigit()), N_TABLES)
    warnings.simplefilter("ignore", FewestWarning)
    started = time.process_time()
    parts = {"stability": stability, "knockoffs": knockoffs}
    for name in [one for one in sys.argv[1:] if one in parts] or parts:
        parts[name](n)
        print()
    print(f"{time.process_time() - started:.0f} s of processor time")
