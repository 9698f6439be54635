"""A comparison against the time of its classifiers alone, and all sizes at once against one after the other.

FEWEST_DATA names a folder with madelon.npz, mfeat.npz, colon.npz and isolet.npz, for the rows of these.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
from sklearn import config_context
from sklearn.datasets import load_digits
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from svm import genes
from timing import Row, fastest

from fewest import compare
from fewest.evaluation.run.classifiers import to_classifier

METHODS = ("fisher-markov", "mrmr", "relieff", "parzen-relief", "svm-rfe", "nonmonotonic-mkl")
N_JOBS = 2
#: The command with its defaults: options, and the seconds on the clock of a quiet machine with two cores.
COMMANDS = (
    ("wine", "--outer 10", 12), ("digits", "--outer 5", 60), ("colon", "", 45), ("madelon", "--outer 5", 120),
    ("mfeat", "--outer 5", 180), ("isolet", "--time 60s", 75),
)  # fmt: skip


def commands():
    """Run the command on each table that is there: wine and digits always are."""
    folder = os.environ.get("FEWEST_DATA")
    with tempfile.TemporaryDirectory() as made:
        X, y = load_digits(return_X_y=True)
        np.savez(Path(made, "digits.npz"), X=X, y=y)
        for name, options, allowed in COMMANDS:
            path = Path(made if name == "digits" else folder or "", f"{name}.npz")
            if name != "wine" and not path.exists():
                continue
            data = "wine" if name == "wine" else str(path)
            words = [
                sys.executable,
                "-m",
                "fewest",
                "compare",
                data,
                *options.split(),
                "--quiet",
                "--jobs",
                str(N_JOBS),
            ]
            started = time.perf_counter()
            subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
            mine = time.perf_counter() - started
            yield Row(f"`fewest compare {name} {options}`".replace(" `", "`"), mine, float(allowed), "allowed", 1, "s")


def refitted(classifier, train, codes, test, ends):
    with config_context(assume_finite=True, skip_parameter_validation=True):
        return np.stack([classifier.fit(train[:, :end], codes).predict(test[:, :end]) for end in ends])


def measure():
    for n_train, n_test in ((46, 16), (500, 150), (2000, 500)):
        random = np.random.default_rng(0)
        codes = random.integers(0, 3, n_train).astype(np.int32)
        train, test = random.normal(size=(n_train, 100)), random.normal(size=(n_test, 100))
        train += 0.2 * codes[:, None]
        ends = list(range(1, 101))
        refits = (
            ("knn", KNeighborsClassifier(5)), ("nb", GaussianNB(var_smoothing=0.01)),
            ("svm", LinearSVC(dual="auto", random_state=0)),
            ("tree", DecisionTreeClassifier(criterion="entropy", random_state=0)),
        )  # fmt: skip
        for name, theirs in refits:
            ours = to_classifier(name)
            mine, again = fastest(
                partial(ours.predict_nested, train, codes, test, ends),
                partial(refitted, theirs, train, codes, test, ends),
                rounds=3,
            )
            # Of many rows the refits' distances are matrix products, against which sums by column gain less.
            wanted = {"svm": 4, "tree": 4}.get(name, 100 if n_train < 100 else 10)
            yield Row(f"{name}, sizes 1 to 100, {n_train} rows", mine, again, "refits", wanted, is_upper=False)
    X, y = genes(62, 2000)
    started = time.perf_counter()
    found = compare(METHODS, X, y, n_jobs=N_JOBS)
    mine = N_JOBS * (time.perf_counter() - started)
    trials = [trial for method in found.tables[0].methods for trial in method.trials]
    theirs = sum(trial["seconds"]["classify"] for trial in [*trials, *found.tables[0].baselines])
    what = f"{len(METHODS)} methods, 4 classifiers, 62 × 2,000, {N_JOBS} jobs"
    yield Row(what, mine, theirs, "in classifiers", 3, "s")
    yield Row(f"{what}, on the clock", mine / N_JOBS, 180.0, "allowed", 1, "s")
    yield from commands()
