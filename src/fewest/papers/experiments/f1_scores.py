"""Macro and micro F1 of the rows that splits test, counted together, by `compare`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from fewest import compare
from fewest.arrays import Floats, Integers
from fewest.evaluation.results import MethodResult, Selected
from fewest.papers.declarations import Run
from fewest.papers.experiments.tables import Table
from fewest.papers.numbers import Key, Measured, Measurement
from fewest.selectors.selector import Selector

MACRO, MICRO = "macro F1", "micro F1"
_ALL = "All"


@dataclass(frozen=True)
class F1Scores:
    """F1 in percent by the number of features, or at the best of these; the interval is a jackknife's over the splits.

    data, methods : by the paper's names
    sizes : the numbers of features
    word : what features are called: "term"
    outer, quick_outer : "loo" or "10-fold", as compare takes it
    is_best : report F1 at the best size, found on the test rows, of features selected on all rows; and honestly that
        of features selected on the training rows, as many as inner folds of these choose
    quick_sizes, quick_data : what a quick run does; () for all
    """

    data: Mapping[str, Table]
    methods: Mapping[str, Selector]
    sizes: tuple[int, ...]
    word: str = "feature"
    outer: str = "10-fold"
    quick_outer: str = ""
    is_best: bool = False
    classifier: str = "knn"
    quick_sizes: tuple[int, ...] = ()
    quick_data: tuple[str, ...] = ()

    @property
    def tables(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for table in self.data.values() for name in table.stored))

    def measured_keys(self) -> list[Key]:
        if self.is_best:
            return list(product((MACRO, MICRO), self.data, (_ALL, *self.methods)))
        lines = list(product((MACRO, MICRO), self.data))
        sizes = [self._label(size) for size in self.sizes]
        return [
            key
            for line in lines
            for key in (*((*line, size, name) for size in sizes for name in self.methods), (*line, _ALL))
        ]

    def run(self, run: Run) -> Measured:
        cells: dict[Key, Measurement] = {}
        labels = [label for label in self.data if not (run.quick and self.quick_data) or label in self.quick_data]
        sizes = self.quick_sizes if run.quick and self.quick_sizes else self.sizes
        outer = self.quick_outer if run.quick and self.quick_outer else self.outer
        rows, notes = [], []
        for label in labels:
            data = self.data[label].load(run)
            rows.append(f"{label} {len(data.y):,} rows")
            for name, method in self.methods.items():
                result = compare(
                    [method], data.X, data.y, classifiers=[self.classifier], sizes=list(sizes),
                    size=None if self.is_best else sizes[0], outer=outer, leak=self.is_best, rule="min", check=False,
                    metric="error", seed=run.seed, n_jobs=run.n_jobs, resume=run.trials,
                )  # fmt: skip
                (found,) = result.tables[0].methods
                run.advance(f"{label}, {name}")
                shared = result.tables[0].n_test / result.tables[0].n_train if result.tables[0].n_test > 1 else 0.0
                if found.failed is not None:
                    notes.append(f"{label}: {name} was left out: {found.failed}")
                    continue
                cells.update(self._cells(label, name, sizes, found, shared))
            whole = compare(
                [next(iter(self.methods.values()))], data.X, data.y, classifiers=[self.classifier],
                sizes=[data.X.shape[1]], size=data.X.shape[1], outer=outer, leak=False, check=False, metric="error",
                seed=run.seed, n_jobs=run.n_jobs, resume=run.trials,
            )  # fmt: skip
            (of_all,) = whole.tables[0].methods
            if of_all.failed is not None:
                continue
            counts = of_all.confusions(self.classifier)[:, 0]
            for metric in (MACRO, MICRO):
                cells[metric, label, _ALL] = _jackknife(counts, metric, shared)
        return Measured(
            {key: cells[key] for key in self.measured_keys() if key in cells},
            f"{'; '.join(rows)}; {outer}",
            tuple(notes),
        )

    def _cells(
        self, label: str, name: str, sizes: Sequence[int], found: MethodResult, shared: float
    ) -> dict[Key, Measurement]:
        inside = found.confusions(self.classifier)
        cells: dict[Key, Measurement] = {}
        for metric in (MACRO, MICRO):
            if not self.is_best:
                for at, size in enumerate(sizes):
                    cells[metric, label, self._label(size), name] = _jackknife(inside[:, at], metric, shared)
                continue
            leaked = self._confusions(found, "leaked")
            best = int(np.argmax([f1_score(counts, metric) for counts in leaked.sum(axis=0)]))
            chosen = inside[np.arange(len(inside)), found.chosen(self.classifier)].sum(axis=0)
            cells[metric, label, name] = _jackknife(leaked[:, best], metric, shared, f1_score(chosen, metric))
        return cells

    def _confusions(self, found: MethodResult, which: Selected) -> Integers:
        records = [found.record(self.classifier, split, which) for split in range(len(found.trials))]
        return np.array([one["confusion"] for one in records], dtype=np.int64)

    def _label(self, size: int) -> str:
        return f"{size} {self.word}{'' if size == 1 else 's'}"


def f1_score(counts: Integers, metric: str) -> float:
    """F1 in percent from a confusion matrix; a class that is neither there nor predicted counts as none."""
    right, real, predicted = np.diag(counts), counts.sum(axis=1), counts.sum(axis=0)
    if metric == MICRO:
        return 100 * float(right.sum() / counts.sum())
    both = real + predicted
    scores: Floats = 2 * right[both > 0] / both[both > 0]
    return 100 * float(scores.mean())


def _jackknife(counts: Integers, metric: str, shared: float, honest: float | None = None) -> Measurement:
    """F1 of all splits together, with one value a split: how it changes without that split."""
    total, n = counts.sum(axis=0), len(counts)
    whole = f1_score(total, metric)
    without = np.array([f1_score(total - one, metric) for one in counts])
    values = whole + (n - 1) * (without.mean() - without)
    return Measurement.of_resamples(values.tolist(), shared, honest=honest)
