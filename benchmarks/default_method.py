"""The default method by evidence: nested errors of methods on a folder of data sets, at the automatic size and others.

    python benchmarks/default_method.py DATA [--methods mrmr,relieff] [--results FILE]   runs what is not in FILE yet
    python benchmarks/default_method.py DATA --shipped                                   the selectors as shipped
    python benchmarks/default_method.py [--results FILE]                                 prints the tables of the docs

DATA holds .npz files with X (or data, indices, indptr and shape of a CSR matrix) and y. Every table is split into three
stratified folds; each is tested with the features that a method selects on the two others. Three classifiers are
trained on these features: a linear SVM, 5 nearest neighbours, an SVM with a Gaussian kernel, on standardized columns.
What is reported is the mean of their errors over folds. The automatic size, and the choice among several methods, come
from three inner folds of the training rows, in each of which the method selects anew: the fewest features within one
standard error of the least error of a linear SVM, or of nearest neighbours where these are better by more than one
standard error; and the first method, unless another is better by as much. With --shipped all this comes from
n_features="auto" instead, five folds and, of few rows, two draws of them.

Tables of more than 600 rows are cut down to 600 (madelon: 1,500), stratified, and classes of fewer than four rows are
left out. A method that takes more than two seconds for 50 features of the training rows is left out of that table.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.stats import rankdata
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC, LinearSVC

from fewest import FewestError
from fewest.evaluation.run.classifiers import to_classifier
from fewest.selectors.estimators.evaluator import ImputingScaler
from fewest.selectors.registry import method_by_name
from fewest.selectors.sizes.size import first_unless_better
from fewest.selectors.sizes.size_rules import one_standard_error_rule, standard_error

RESULTS = Path(__file__).parent / "results" / "default_method.csv"
SETTINGS = {"mrmr-quotient": ("mrmr", {"criterion": "quotient"}), "svm-rfe": ("svm-rfe", {"step": 0.1})}
METHODS = (
    "mrmr", "relieff", "svm-rfe", "fisher-score", "mrmr-quotient", "max-relevance", "stump-boosting", "fisher-markov",
    "parzen-relief", "kolmogorov-smirnov", "forest-importance",
)  # fmt: skip
SHIPPED = ("mrmr", "relieff", "auto")
PORTFOLIOS = (
    ("mrmr", "relieff"), ("mrmr", "fisher-score"), ("relieff", "fisher-score"), ("mrmr", "relieff", "fisher-score"),
    ("mrmr", "relieff", "max-relevance"), ("mrmr", "relieff", "stump-boosting"), ("mrmr", "relieff", "mrmr-quotient"),
)  # fmt: skip
SIZES = (5, 10, 20)
TRIED = (1, 2, 3, 5, 7, 10, 14, 20, 30, 50)
PANEL, CLASSIFIERS = ("svm", "knn"), ("svm", "knn", "rbf-svm")
COLUMNS = (
    "table", "rows", "columns", "classes", "method", "fold", "at", "size", "inner", "spread", *CLASSIFIERS, "seconds",
)  # fmt: skip
MAX_ROWS, MAX_SECONDS = 600, 2.0


def make(name, n_features):
    kind, parameters = SETTINGS.get(name, (name, {}))
    return method_by_name(kind)(**parameters, n_features=n_features)


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
    rows = np.flatnonzero(np.isin(y, np.flatnonzero(np.bincount(y) >= 4)))
    most = 1500 if path.stem == "madelon" else MAX_ROWS
    if len(rows) > most:
        draw = np.random.default_rng(0)
        drawn = []
        for code in np.unique(y[rows]):
            own = draw.permutation(rows[y[rows] == code])
            drawn.append(own[: max(4, round(most / len(rows) * len(own)))])
        rows = np.sort(np.concatenate(drawn))
    return X[rows], np.unique(y[rows], return_inverse=True)[1].astype(np.int32)


def folds_of(y, n_folds, seed):
    return StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(np.zeros(len(y)), y)


def errors(X, y, train, test, columns, classifiers):
    """The error of each classifier with these columns."""
    both = X[np.r_[train, test]][:, list(columns)]
    both = (both.toarray() if sparse.issparse(both) else both).astype(np.float64)
    both = ImputingScaler.fit(both[: len(train)]).transform(both)
    known, new = both[: len(train)], both[len(train) :]
    found = []
    for name in classifiers:
        if name == "knn":
            predicted = to_classifier("knn").predict_nested(known, y[train], new, [len(columns)])[0]
        elif name == "svm":
            predicted = LinearSVC(dual="auto", random_state=0, max_iter=300).fit(known, y[train]).predict(new)
        else:
            predicted = SVC(gamma=1 / len(columns)).fit(known, y[train]).predict(new)
        found.append(np.mean(predicted != y[test]))
    return found


def subsets(selector, sizes):
    path = selector.selection_.path
    return [path[max(known for known in path if known <= size)] for size in sizes]


def run(X, y, method):
    """By fold and size asked for: the size, the error of the inner folds, those of the classifiers, seconds."""
    sizes = sorted({size for size in TRIED if size <= X.shape[1]} | {min(TRIED[-1], X.shape[1])})
    for fold, (train, test) in enumerate(folds_of(y, 3, seed=0)):
        started = time.process_time()
        path = subsets(make(method, sizes[-1]).fit(X[train], y[train]), sizes)
        seconds = time.process_time() - started
        if seconds > MAX_SECONDS:
            raise FewestError(f"{seconds:.1f} s")
        inner = []
        for a, b in folds_of(y[train], 3, seed=1):
            own = subsets(make(method, sizes[-1]).fit(X[train[a]], y[train[a]]), sizes)
            inner.append([errors(X, y, train[a], train[b], columns, PANEL) for columns in own])
        for at, i, loss, spread in choices(np.array(inner).transpose(2, 0, 1), sizes):
            yield fold, at, sizes[i], loss, spread, *errors(X, y, train, test, path[i], CLASSIFIERS), seconds


def choices(inner, sizes):
    """For each size asked for its index, and the loss of the inner folds with its standard error.

    inner : losses by classifier, fold and size
    """
    mean = inner.mean(axis=1)
    spread = np.array([standard_error(own) for own in inner])
    leasts = [(mean[c, i], spread[c, i]) for c, i in enumerate(mean.argmin(axis=1))]
    decides = first_unless_better(leasts)
    yield "auto", one_standard_error_rule(inner[decides]), *leasts[decides]
    for size in SIZES:
        i = max(i for i, one in enumerate(sizes) if one <= size)
        losses = list(zip(mean[:, i], spread[:, i], strict=True))
        yield str(size), i, *losses[first_unless_better(losses)]


def run_shipped(X, y, method):
    for fold, (train, test) in enumerate(folds_of(y, 3, seed=0)):
        started = time.process_time()
        fitted = make(method, "auto").set_params(scoring="error").fit(X[train], y[train])
        seconds = time.process_time() - started
        least, spread = min(fitted.size_curve_.values())
        columns = fitted.selection_.indices
        yield fold, "shipped", len(columns), least, spread, *errors(X, y, train, test, columns, CLASSIFIERS), seconds


def run_all(data, methods, results, is_shipped):
    is_new = not results.exists()
    kind = "shipped" if is_shipped else "auto"
    done = {(row["table"], row["method"]) for row in read(results) if row["at"] in (kind, f"{kind}: left out")}
    results.parent.mkdir(exist_ok=True)
    with results.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if is_new:
            writer.writerow(COLUMNS)
        for method in methods:
            for path in sorted(data.glob("*.npz"), key=lambda path: path.stat().st_size):
                if (path.stem, method) in done:
                    continue
                X, y = load(path)
                about = [path.stem, *X.shape, y.max() + 1, method]
                try:
                    found = list(run_shipped(X, y, method) if is_shipped else run(X, y, method))
                    writer.writerows(
                        [*about, fold, at, size, *(f"{one:.4f}" for one in rest)] for fold, at, size, *rest in found
                    )
                except FewestError:
                    writer.writerow([*about, "", f"{kind}: left out", *[""] * 7])
                file.flush()


def read(results):
    if not results.exists():
        return []
    with results.open(newline="") as file:
        return list(csv.DictReader(file))


def by_method(rows, at):
    """For every method, by table: over folds, inner error and standard error, mean error, size and seconds."""
    found = {}
    for row in rows:
        if row["at"] == at:
            error = np.mean([float(row[name]) for name in CLASSIFIERS])
            own = float(row["inner"]), float(row["spread"]), error, float(row["size"]), float(row["seconds"])
            found.setdefault(row["method"], {}).setdefault(row["table"], []).append(own)
    return found


def choose(found, methods, table):
    """In every fold the first method, unless another is better by more than a standard error; seconds are of all."""
    folds = zip(*(found[method][table] for method in methods if table in found[method]), strict=True)
    chosen = [(own[first_unless_better([one[:2] for one in own])], sum(one[4] for one in own)) for own in folds]
    return [(*one[:4], seconds) for one, seconds in chosen]


def summarise(results):
    """For each size the mean error and rank of methods and portfolios, over the tables that all of them took."""
    rows = read(results)
    tables = list(dict.fromkeys(row["table"] for row in rows))
    for at in ("auto", *map(str, SIZES), "shipped"):
        found = by_method(rows, at)
        for portfolio in PORTFOLIOS:
            if all(method in found for method in portfolio):
                first = [table for table in tables if table in found[portfolio[0]]]
                found[" + ".join(portfolio)] = {table: choose(found, portfolio, table) for table in first}
        few = {method: len(own) for method, own in found.items() if len(own) < 0.9 * len(tables)}
        found = {method: own for method, own in found.items() if method not in few}
        common = [table for table in tables if all(table in own for own in found.values())]
        if not common or not found:
            continue
        error = {
            method: np.array([np.mean([one[2] for one in own[t]]) for t in common]) for method, own in found.items()
        }
        ranks = np.mean([rankdata(column.round(6)) for column in np.array(list(error.values())).T], axis=0)
        least = np.min(list(error.values()), axis=0)
        single = min((m for m in error if "+" not in m and m != "auto"), key=lambda m: error[m].mean())
        title = {"auto": "automatic size", "shipped": "as shipped, n_features='auto'"}.get(at, f"{at} features")
        print(f"### {title}: {len(common)} tables\n")
        print(f"| method | error | against {single} | mean rank | wins | features | seconds |")
        print("|---|---:|---:|---:|---:|---:|---:|")
        for (method, own), rank in sorted(zip(error.items(), ranks, strict=True), key=lambda one: one[0][1].mean()):
            gap = own - error[single]
            wins = int((own <= least + 1e-6).sum())
            size, seconds = (np.mean([[one[i] for one in found[method][t]] for t in common]) for i in (3, 4))
            against = f"{100 * gap.mean():+.2f} ± {100 * gap.std(ddof=1) / len(gap) ** 0.5:.2f}"
            against = "–" if method == single else against.replace("-", "−")
            numbers = f"{100 * own.mean():.2f} % | {against} | {rank:.2f} | {wins} | {size:.1f} | {seconds:.2f}"
            print(f"| {method} | {numbers} |")
        print()
        if few:
            print("Left out: " + ", ".join(f"{method} ({n} tables)" for method, n in few.items()) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("--methods")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--shipped", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.data is not None:
        methods = options.methods.split(",") if options.methods else SHIPPED if options.shipped else METHODS
        run_all(options.data, methods, options.results, options.shipped)
    summarise(options.results)


if __name__ == "__main__":
    main()
