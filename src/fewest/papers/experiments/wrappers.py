"""Wrappers among the candidates of filters: the error that the wrapper reaches, with how many features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone

from fewest import FisherScore, Wrapper, compare
from fewest.arrays import Floats, Mask
from fewest.datasets import Dataset
from fewest.papers.declarations import Run
from fewest.papers.experiments.tables import Table
from fewest.papers.numbers import Key, Measured, Measurement
from fewest.selectors.selector import Selector

ERROR, FEATURES = "error", "features"

#: The rows of some folds, to train on and to test.
Folds = list[tuple[list[int], list[int]]]


@dataclass(frozen=True)
class Wrappers:
    """Filters give candidates, on all rows, and a wrapper selects among these by its classifier, as the paper does.

    data, filters, classifiers : by the paper's names
    directions : of the wrappers
    n_candidates : the number of features that a filter gives
    n_folds : of the cross-validation by which the wrapper selects, and whose error is reported
    n_honest : folds outside of everything, for wrappers forward: filter and wrapper select on the training rows. 0: not
        done
    max_rows : the number of rows that are drawn of larger tables
    quick_candidates, quick_folds, quick_rows : what a quick run does; honest errors are left out there
    """

    data: Mapping[str, Table]
    filters: Mapping[str, Selector]
    classifiers: Mapping[str, object]
    directions: tuple[str, ...] = ("forward", "backward")
    n_candidates: int = 50
    n_folds: int = 10
    n_honest: int = 3
    max_rows: int = 500
    quick_candidates: int = 10
    quick_folds: int = 4
    quick_rows: int = 150

    @property
    def tables(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for table in self.data.values() for name in table.stored))

    def measured_keys(self) -> list[Key]:
        return [
            (label, classifier, direction, part, name)
            for label in self.data
            for classifier in self.classifiers
            for direction in self.directions
            for part in (ERROR, FEATURES)
            for name in self.filters
        ]

    def run(self, run: Run) -> Measured:
        cells: dict[Key, Measurement] = {}
        rows = []
        n_candidates = run.of(self.n_candidates, self.quick_candidates)
        n_folds = run.of(self.n_folds, self.quick_folds)
        for label, table in self.data.items():
            data = self._sample(table.load(run), run.of(self.max_rows, self.quick_rows), run)
            rows.append(f"{label} {len(data.y):,} rows")
            inner = _folds(data, n_folds, run.seed)
            outer = [] if run.quick or not self.n_honest else _folds(data, self.n_honest, run.seed + 1)
            for name, method in self.filters.items():
                whole = _candidates(method, data, range(len(data.y)), n_candidates)
                inside = [_candidates(method, data, train, n_candidates) for train, _ in outer]
                for classifier, known in self.classifiers.items():
                    for direction in self.directions:
                        chosen = _wrapped(known, direction, data, range(len(data.y)), whole, inner, run)
                        wrong = np.concatenate(_errors(known, data, chosen, inner, run))
                        honest = []
                        for (train, test), columns in zip(outer, inside, strict=True) if direction == "forward" else ():
                            own_folds = _folds(_part(data, train), n_folds, run.seed)
                            own = _wrapped(known, direction, data, train, columns, own_folds, run)
                            honest += _errors(known, data, own, [(train, test)], run)
                        honest_error = 100 * float(np.concatenate(honest).mean()) if honest else None
                        key = (label, classifier, direction)
                        cells[*key, ERROR, name] = _share(wrong, honest_error)
                        n = float(len(chosen))
                        cells[*key, FEATURES, name] = Measurement((n,), n, n)
                    run.advance(f"{label}, {name}, {classifier}")
        protocol = f"{'; '.join(rows)}; {n_candidates} candidates, {n_folds} folds"
        return Measured({key: cells[key] for key in self.measured_keys() if key in cells}, protocol)

    def _sample(self, data: Dataset, n_rows: int, run: Run) -> Dataset:
        rows = np.random.default_rng(run.seed).permutation(len(data.y))[:n_rows]
        return data if len(data.y) <= n_rows else _part(data, sorted(rows.tolist()))


def _part(data: Dataset, rows: Sequence[int]) -> Dataset:
    own = list(rows)
    return Dataset(data.X[own], data.y[own], data.feature_names, data.target_name, data.name)


def _folds(data: Dataset, n_folds: int, seed: int) -> Folds:
    """Folds that classes are dealt to, row by row: StratifiedKFold refuses classes of few rows."""
    order = np.random.default_rng(seed).permutation(len(data.y))
    order = order[np.argsort(data.y[order], kind="stable")]
    parts = [np.sort(order[fold::n_folds]) for fold in range(n_folds)]
    return [(np.setdiff1d(order, part).tolist(), part.tolist()) for part in parts]


def _candidates(method: Selector, data: Dataset, rows: Sequence[int], n_candidates: int) -> list[int]:
    part = _part(data, rows)
    return list(clone(method).set_params(n_features=n_candidates).fit(part.X, part.y).selection_.indices)


def _wrapped(
    classifier: object,
    direction: str,
    data: Dataset,
    rows: Sequence[int],
    columns: Sequence[int],
    folds: Folds,
    run: Run,
) -> list[int]:
    """The columns that the wrapper selects among these."""
    part = _part(data, rows)
    X: Floats = part.X[:, list(columns)]
    wrapper = Wrapper(classifier, direction=direction, cv=folds, n_jobs=run.n_jobs).fit(X, part.y)
    return [columns[one] for one in wrapper.selection_.indices]


def _errors(classifier: object, data: Dataset, columns: Sequence[int], folds: Folds, run: Run) -> list[Mask]:
    """By fold, which test rows a classifier with these columns gets wrong."""
    found = compare(
        [FisherScore()], data.X[:, list(columns)], data.y, classifiers=[classifier], sizes=[len(columns)],
        size=len(columns), outer=folds, leak=False, check=False, metric="error", seed=run.seed, n_jobs=1,
    )  # fmt: skip
    (name,) = found.classifiers
    return found.tables[0].methods[0].misclassified(name)


def _share(wrong: Mask, honest: float | None) -> Measurement:
    values = (100.0 * wrong).tolist()
    cell = Measurement.of_shares(wrong.tolist())
    return Measurement(tuple(values), cell.low, cell.high, honest)
