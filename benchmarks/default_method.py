"""The default method by evidence: nested errors of methods on a folder of data sets, at the automatic size and others.

    python benchmarks/default_method.py DATA [--methods auto,mrmr] [--results FILE]     runs what is not in FILE yet
    python benchmarks/default_method.py --table [--results FILE]                         prints the tables of the docs

DATA holds .npz files with X (or data, indices, indptr and shape of a CSR matrix) and y. Every table is split into three
stratified folds; each is tested with the features that a method selects on the two others. Three classifiers are
trained on these features: a linear SVM, 5 nearest neighbours, an SVM with a Gaussian kernel, on standardized columns.
What is reported is the mean over folds and classifiers of the error, or of the balanced error where fewest would take
that by default. Tables of more than 600 rows are cut down to 600 (madelon: 2,000), stratified, and classes of fewer
than six rows are left out. A method that takes more than three seconds for 20 features of a table is left out there.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.stats import rankdata
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, LinearSVC

from fewest import AutoSelector, FewestError
from fewest.metrics import default_metric
from fewest.selectors.evaluator import ImputingScaler
from fewest.selectors.registry import method_by_name

RESULTS = Path(__file__).parent / "results" / "default_method.csv"
METHODS = (
    "auto", "mrmr", "relieff", "fisher-score", "max-relevance", "fisher-markov", "stump-boosting", "parzen-relief",
    "svm-rfe", "mrmr-quotient", "forest-importance",
)  # fmt: skip
SIZES = (5, 10, 20)
CLASSIFIERS = ("svm", "knn", "rbf-svm")
COLUMNS = ("table", "rows", "columns", "classes", "metric", "method", "at", "size", *CLASSIFIERS, "seconds", "reason")
MAX_ROWS, MAX_SECONDS, N_FOLDS = 600, 3.0, 3


def make(name, n_features):
    if name == "svm-rfe":
        return method_by_name(name)(step=0.1, n_features=n_features)
    if name == "mrmr-quotient":
        return method_by_name("mrmr")(criterion="quotient", n_features=n_features)
    return method_by_name(name)(n_features=n_features)


def load(path):
    """The table with at most MAX_ROWS rows, drawn from every class."""
    with np.load(path) as arrays:
        parts = {name: arrays[name] for name in arrays.files}
    y = parts["y"]
    if "data" in parts:
        stored = parts["data"].astype(np.float32), parts["indices"], parts["indptr"]
        X = sparse.csr_matrix(stored, shape=tuple(parts["shape"]))
    else:
        X = parts["X"].astype(np.float64)
    rows = np.flatnonzero(np.isin(y, np.flatnonzero(np.bincount(y) >= 6)))
    most = 2000 if path.stem == "madelon" else MAX_ROWS
    if len(rows) > most:
        draw = np.random.default_rng(0)
        drawn = []
        for code in np.unique(y[rows]):
            own = draw.permutation(rows[y[rows] == code])
            drawn.append(own[: max(6, round(most / len(rows) * len(own)))])
        rows = np.sort(np.concatenate(drawn))
    return X[rows], np.unique(y[rows], return_inverse=True)[1].astype(np.int32)


def losses(X, y, train, test, columns, metric):
    """The loss of each classifier with these columns."""
    both = X[np.r_[train, test]][:, list(columns)]
    both = (both.toarray() if sparse.issparse(both) else both).astype(np.float64)
    both = ImputingScaler.fit(both[: len(train)]).transform(both)
    models = LinearSVC(dual="auto", random_state=0), KNeighborsClassifier(5), SVC(gamma=1 / len(columns))
    fitted = (model.fit(both[: len(train)], y[train]) for model in models)
    return [metric.loss(y[test], model.predict(both[len(train) :])) for model in fitted]


def run(path, method):
    """The rows of the results of one method on one table."""
    X, y = load(path)
    metric = default_metric(np.bincount(y).tolist())
    about = [path.stem, X.shape[0], X.shape[1], y.max() + 1, metric.name, method]
    sizes = sorted({min(size, X.shape[1]) for size in SIZES})
    found = defaultdict(list)
    for train, test in StratifiedKFold(N_FOLDS, shuffle=True, random_state=0).split(np.zeros(len(y)), y):
        chosen = {}
        try:
            started = time.process_time()
            largest = make(method, sizes[-1]).fit(X[train], y[train])
            seconds = time.process_time() - started
            if seconds > MAX_SECONDS and method != "auto":
                return [[*about, "", "", "", "", "", f"{seconds:.1f}", "slow"]]
            for size in sizes:
                if isinstance(largest, AutoSelector):
                    chosen[size] = make(method, size).fit(X[train], y[train]).selection_.indices
                else:
                    chosen[size] = largest.selection_.path[size]
            started = time.process_time()
            chosen["auto"] = make(method, "auto").fit(X[train], y[train]).selection_.indices
            seconds = time.process_time() - started
        except FewestError as error:
            return [[*about, "", "", "", "", "", "", str(error).split(":")[0]]]
        for at, columns in chosen.items():
            found[at].append([len(columns), *losses(X, y, train, test, columns, metric), seconds])
    rows = []
    for at in ("auto", *SIZES):
        mean = np.mean(found[at if at == "auto" else min(at, X.shape[1])], axis=0)
        shown = [f"{mean[0]:.1f}", *(f"{loss:.5f}" for loss in mean[1:4]), f"{mean[4]:.3f}"]
        rows.append([*about, at, *shown, ""])
    return rows


def read(results):
    if not results.exists():
        return []
    with results.open(newline="") as file:
        return list(csv.DictReader(file))


def run_all(data, methods, results):
    is_new = not results.exists()
    done = {(row["table"], row["method"]) for row in read(results)}
    results.parent.mkdir(exist_ok=True)
    paths = sorted(data.glob("*.npz"), key=lambda path: path.stat().st_size)
    with results.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if is_new:
            writer.writerow(COLUMNS)
        for method in methods:
            for path in paths:
                if (path.stem, method) not in done:
                    writer.writerows(run(path, method))
                    file.flush()


def summarise(results):
    """For each size the mean loss and rank of every method on the tables that all of them took, and its wins."""
    rows = read(results)
    tables = list(dict.fromkeys(row["table"] for row in rows))
    methods = [method for method in METHODS if any(row["method"] == method for row in rows)]
    value = {(r["table"], r["method"], r["at"]): r for r in rows if r["at"]}
    took = {method: [table for table in tables if (table, method, "auto") in value] for method in methods}
    ranked = [method for method in methods if len(took[method]) >= 0.9 * len(tables)]
    common = [table for table in tables if all(table in took[method] for method in ranked)]
    print(f"{len(tables)} tables; means, ranks and wins over the {len(common)} that every ranked method took\n")
    for at in ("auto", *map(str, SIZES)):
        loss = np.array([[np.mean([float(value[t, m, at][c]) for c in CLASSIFIERS]) for t in common] for m in ranked])
        ranks = np.mean([rankdata(column.round(6)) for column in loss.T], axis=0)
        wins = (loss <= loss.min(axis=0) + 1e-6).sum(axis=1)
        single = min((i for i, m in enumerate(ranked) if m != "auto"), key=lambda i: loss[i].mean())
        print(f"at {at if at != 'auto' else 'the automatic size'}\n")
        print("| method | error | against the best single method | mean rank | wins | features | seconds | tables |")
        print("|---|---|---|---|---|---|---|---|")
        for i in np.argsort(loss.mean(axis=1)):
            method = ranked[i]
            gap = loss[i] - loss[single]
            against = "–" if i == single else f"{100 * gap.mean():+.2f} ± {100 * gap.std(ddof=1) / len(gap) ** 0.5:.2f}"
            size = np.mean([float(value[t, method, at]["size"]) for t in common])
            seconds = np.median([float(value[t, method, at]["seconds"]) for t in common])
            print(
                f"| {method} | {100 * loss[i].mean():.2f} % | {against} | {ranks[i]:.2f} | {wins[i]} | {size:.1f} | "
                f"{seconds:.2f} | {len(took[method])} |"
            )
        print()
    for method in methods:
        if method not in ranked:
            print(f"{method} took {len(took[method])} of {len(tables)} tables")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.data is not None:
        run_all(options.data, options.methods.split(","), options.results)
    if options.table or options.data is None:
        summarise(options.results)


if __name__ == "__main__":
    main()
