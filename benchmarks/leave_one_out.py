"""Leave-one-out errors of naive Bayes, selected on all rows and on the training rows; true and shuffled labels.

FEWEST_BENCHMARK_DATA=folder python benchmarks/leave_one_out.py    reads lymphoma.npz and nci9.npz, of 3 categories
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from sklearn.naive_bayes import CategoricalNB

from fewest import MRMR, MaxRelevance

SELECTORS = {
    "mRMR, difference": MRMR(n_features=50, discretize=None),
    "mRMR, quotient": MRMR("quotient", n_features=50, discretize=None),
    "MaxRelevance": MaxRelevance(n_features=50, discretize=None),
}


def errors(X, y, selector):
    """Errors in %, with columns selected on all rows, and on the training rows."""
    on_all = selector.fit(X, y).selection_.indices
    wrong = np.zeros(2)
    for row in range(len(y)):
        train = np.delete(np.arange(len(y)), row)
        for i, columns in enumerate((on_all, selector.fit(X[train], y[train]).selection_.indices)):
            classifier = CategoricalNB(min_categories=3).fit(X[train][:, columns], y[train])
            wrong[i] += classifier.predict(X[[row]][:, columns])[0] != y[row]
    return 100 * wrong / len(y)


def main():
    rng = np.random.default_rng(0)
    for name in ("lymphoma", "nci9"):
        data = np.load(Path(os.environ["FEWEST_BENCHMARK_DATA"]) / f"{name}.npz", allow_pickle=True)
        X, y = np.searchsorted(np.unique(data["X"]), data["X"]), np.unique(data["y"], return_inverse=True)[1]
        for labels, of_rows in (("true", y), ("shuffled", rng.permutation(y))):
            for selector in SELECTORS:
                on_all, inside = errors(X, of_rows, SELECTORS[selector])
                print(f"{name}, {labels} labels, {selector}: on all rows {on_all:.1f}, inside {inside:.1f}", flush=True)


if __name__ == "__main__":
    main()
