"""Relief and its relatives with shuffled labels: do real columns score like probes, as they should?

    python benchmarks/relief_labels.py german.npz ionosphere.npz   tables with arrays X and y, as they are and with 80 %
                                                                   of the smallest class hidden, 20 shuffles of each
    python benchmarks/relief_labels.py --permuted german.npz       also the plain forms less their means over 40
                                                                   permutations of the labels
    python benchmarks/run.py relief_labels                         the same of scikit-learn's breast cancer data

The area under the curve of real columns against 50 normal probes; 0.5 is right with shuffled labels.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score
from timing import Row

from fewest import MAPRelief, ParzenRelief, Relief, ReliefF
from fewest.datasets import add_probes, hide_class

N_PROBES, N_SHUFFLES = 50, 20
METHODS = {
    "relief": Relief(),
    "relief, balance=False": Relief(balance=False),
    "relieff": ReliefF(),
    "relieff, balance=False": ReliefF(balance=False),
    "map-relief": MAPRelief(),
    "parzen-relief": ParzenRelief(),
}


class LessPermuted:
    """The scores of a method less their means over permutations of the labels."""

    def __init__(self, method, n_permutations=40):
        self.method, self.n_permutations = method, n_permutations

    def fit(self, X, y):
        rng = np.random.default_rng(len(y))
        permuted = [self.method.fit(X, rng.permutation(y)).scores_ for _ in range(self.n_permutations)]
        self.scores_ = self.method.fit(X, y).scores_ - np.mean(permuted, axis=0)
        return self


PERMUTED = {
    "relief, less permuted": LessPermuted(Relief(balance=False)),
    "relieff, less permuted": LessPermuted(ReliefF(balance=False)),
}


def areas(X, y, hidden=0.0, methods=METHODS, n_shuffles=N_SHUFFLES):
    """By method the mean area with shuffled labels, and with the true ones."""
    found = {name: ([], []) for name in methods}
    for seed in range(n_shuffles):
        rows = hide_class(y, hidden, seed=seed) if hidden else np.arange(len(y))
        table, labels = add_probes(X[rows], N_PROBES, seed=seed), y[rows]
        is_real = np.arange(table.shape[1]) < X.shape[1]
        shuffled = np.random.default_rng(seed).permutation(labels)
        for name, method in methods.items():
            for area, target in zip(found[name], (shuffled, labels), strict=True):
                area.append(roc_auc_score(is_real, method.fit(table, target).scores_))
    return {name: tuple(float(np.mean(area)) for area in both) for name, both in found.items()}


def measure():
    X, y = load_breast_cancer(return_X_y=True)
    for hidden in (0.0, 0.8):
        of = {name: METHODS[name] for name in ("relief", "relieff", "parzen-relief")}
        for name, (shuffled, true) in areas(X, y, hidden, of, 8).items():
            what = f"{name}, {hidden:.0%} of the smallest class hidden"
            yield Row(f"{what}, shuffled: |area - .5|", abs(shuffled - 0.5), 0.1, "allowed", 1, unit="")
            yield Row(f"{what}, true labels: 1 - area", 1 - true, 0.2, "allowed", 1, unit="")


if __name__ == "__main__":
    methods = METHODS | PERMUTED if "--permuted" in sys.argv else METHODS
    for path in (Path(name) for name in sys.argv[1:] if name != "--permuted"):
        with np.load(path, allow_pickle=False) as stored:
            X, y = stored["X"].astype(np.float64), stored["y"]
        for hidden in (0.0, 0.8) if len(np.unique(y)) == 2 else (0.0,):
            for name, (shuffled, true) in areas(X, y, hidden, methods).items():
                print(f"{path.stem:<12} hidden {hidden:.1f}  {name:<24} shuffled {shuffled:.2f}  true {true:.2f}")
