"""Select on the training rows of splits and classify the test rows, by `compare`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from fewest import compare
from fewest.arrays import Floats
from fewest.display.formatting import counted
from fewest.evaluation.results import MethodResult, TableResult
from fewest.papers.declarations import Run
from fewest.papers.experiments.tables import Table
from fewest.papers.numbers import Key, Measured, Measurement
from fewest.selectors.selector import Selector


@dataclass(frozen=True)
class Splits:
    """Methods and classifiers on splits of tables.

    data, methods, classifiers : by the paper's names
    sizes : the numbers of features
    key : the parts of a key, of table, classifier, size and method
    n_splits, n_quick : the numbers of random splits
    quick_sizes, quick_methods, quick_classifiers : what a quick run does; () for all
    test_share : the share of each class that is tested
    outer, quick_outer : "loo" or "10-fold" in place of random splits, as compare takes it
    tune : choose the classifiers' own parameters by cross-validation on the training rows
    is_accuracy : report accuracy, not error
    least : report the least error over sizes, found on the test rows, as papers do: the mean over the splits of the
        least of each; and besides, honestly, the error at the size that inner folds choose. By "k ≤ 20" or ""
    is_honest : whether that error is measured, which takes inner folds
    is_fresh : split each draw of a generated table once, where the paper splits one draw again and again
    selects_on_all_rows : select before splitting, as the paper does; and besides, honestly, on training rows
    """

    data: Mapping[str, Table]
    methods: Mapping[str, Selector]
    classifiers: Mapping[str, str]
    sizes: tuple[int, ...]
    key: tuple[str, ...]
    n_splits: int = 20
    n_quick: int = 5
    quick_sizes: tuple[int, ...] = ()
    quick_methods: tuple[str, ...] = ()
    quick_classifiers: tuple[str, ...] = ()
    test_share: float = 0.25
    tune: bool = False
    is_accuracy: bool = False
    least: Mapping[str, int] | None = None
    is_honest: bool = True
    selects_on_all_rows: bool = False
    scale: str | None = "std"
    probes: int = 0
    is_fresh: bool = False
    outer: str = ""
    quick_outer: str = ""

    @property
    def tables(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for table in self.data.values() for name in table.stored))

    def measured_keys(self) -> list[Key]:
        sizes = list(map(size_label, self.sizes)) if self.least is None else list(self.least)
        known = {
            "table": list(self.data), "classifier": list(self.classifiers), "size": sizes, "method": list(self.methods)
        }  # fmt: skip
        return list(product(*(known[part] for part in self.key)))

    def run(self, run: Run) -> Measured:
        cells: dict[Key, Measurement] = {}
        rows, notes = [], []
        n_splits = run.of(self.n_splits, self.n_quick)
        for label, table in self.data.items():
            splits = f"{n_splits} {'draws, each split once' if self.is_fresh else 'splits'}"
            splits += f", {self.test_share:g} of each class tested"
            rows.append(f"{label} {len(table.load(run).y):,} rows, {self._outer(run) or splits}")
            for methods, classifiers in self._calls(run):
                compared = self._compared(table, methods, classifiers, run, n_splits)
                for name, results in zip(methods, zip(*(one.methods for one in compared), strict=True), strict=True):
                    failed = next((one.failed for one in results if one.failed is not None), None)
                    if failed is not None:
                        notes.append(f"{label}: {name} was left out: {failed}")
                        continue
                    for classifier in classifiers:
                        for size, cell in self._cells(compared, results, self.classifiers[classifier]).items():
                            named = {"table": label, "classifier": classifier, "size": size, "method": name}
                            cells[tuple(named[part] for part in self.key)] = cell
                run.advance(f"{label}, {', '.join(methods)}")
        return Measured(
            {key: cells[key] for key in self.measured_keys() if key in cells}, "; ".join(rows), tuple(notes)
        )

    def _calls(self, run: Run) -> list[tuple[list[str], list[str]]]:
        """The methods and classifiers of each call of compare.

        Inner folds are computed where a size, method or classifier is to be chosen. Where nothing is chosen, one
        method with one classifier at a time does without them.
        """
        methods = [
            name for name in self.methods if not (run.quick and self.quick_methods) or name in self.quick_methods
        ]
        classifiers = [
            name
            for name in self.classifiers
            if not (run.quick and self.quick_classifiers) or name in self.quick_classifiers
        ]
        if self._chooses:
            return [([method], classifiers) for method in methods]
        return [([method], [classifier]) for method in methods for classifier in classifiers]

    def _compared(
        self, table: Table, methods: Sequence[str], classifiers: Sequence[str], run: Run, n_splits: int
    ) -> list[TableResult]:
        """What the methods do on the splits of one table, or on one split of each draw."""
        sizes = list(self.quick_sizes if run.quick and self.quick_sizes else self.sizes)
        draws = range(n_splits) if self.is_fresh else [0]
        found = []
        for number in draws:
            data = table.load(run, number)
            result = compare(
                [self.methods[name] for name in methods], data.X, data.y,
                classifiers=[self.classifiers[name] for name in classifiers], sizes=sizes,
                size=None if self._chooses else sizes[0], outer=self._outer(run) or (1 if self.is_fresh else n_splits),
                test_share=None if self._outer(run) else self.test_share, tune=self.tune, check=False, metric="error",
                leak=self.selects_on_all_rows, rule="min", scale=self.scale, probes=self.probes, seed=run.seed,
                n_jobs=run.n_jobs, resume=run.trials,
            )  # fmt: skip
            found.append(result.tables[0])
        return found

    def _outer(self, run: Run) -> str:
        return self.quick_outer if run.quick and self.quick_outer else self.outer

    @property
    def _chooses(self) -> bool:
        return self.least is not None and self.is_honest

    def _cells(
        self, compared: Sequence[TableResult], results: Sequence[MethodResult], classifier: str
    ) -> dict[str, Measurement]:
        """By size, or by the range of sizes, what a method achieves with a classifier."""
        # Test sets of single rows vary as rows do.
        is_apart = self.is_fresh or compared[0].n_test <= 1
        shared = 0.0 if is_apart else compared[0].n_test / compared[0].n_train
        inside = 100 * np.vstack([one.errors(classifier) for one in results])
        errors = inside
        if self.selects_on_all_rows:
            errors = 100 * np.vstack([one.errors(classifier, "leaked") for one in results])
        sizes = compared[0].sizes
        if self.least is None:
            honest = [float(mean) if self.selects_on_all_rows else None for mean in inside.mean(axis=0)]
            return {size_label(size): self._cell(errors[:, at], shared, honest[at]) for at, size in enumerate(sizes)}
        nested = [one.nested_errors(classifier).mean() for one in results] if self._chooses else None
        honest_mean = None if nested is None else 100 * float(np.mean(nested))
        found = {}
        for label, largest in self.least.items():
            within = [at for at, size in enumerate(sizes) if size <= largest]
            found[label] = self._cell(errors[:, within].min(axis=1), shared, honest_mean)
        return found

    def _cell(self, errors: Floats, shared: float, honest: float | None) -> Measurement:
        values = 100 - errors if self.is_accuracy else errors
        own = None if honest is None else 100 - honest if self.is_accuracy else honest
        return Measurement.of_resamples(np.asarray(values).tolist(), shared, honest=own)


def size_label(size: int) -> str:
    """A number of features in words."""
    return counted(size, "feature")
