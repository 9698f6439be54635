"""Select on one small set of rows after another, train on a second set, test on a third (Wang 2008), by `compare`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fewest import compare
from fewest.arrays import Mask
from fewest.datasets import load
from fewest.papers.declarations import Run
from fewest.papers.numbers import Key, Measured, Measurement
from fewest.selectors.selector import Selector

OUTCOMES = ("better", "worse", "no difference")


@dataclass(frozen=True)
class SelectionSets:
    """Two methods on groups of rows to select on, with one training set and one test set for all groups.

    columns : by the label of a column of the paper's table, the number of rows to select on and of noise columns
    methods : by the paper's names, two; the first is the one that is called better or worse
    classifier : trained with the selected features, its parameters by 5-fold cross-validation
    n_features : the number selected
    n_groups, n_quick : the numbers of groups
    quick_columns : the labels that a quick run does; () for all
    """

    columns: Mapping[str, tuple[int, int]]
    methods: Mapping[str, Selector]
    classifier: str = "rbf-svm"
    n_features: int = 2
    n_train: int = 100
    n_test: int = 500
    n_groups: int = 30
    n_quick: int = 8
    quick_columns: tuple[str, ...] = ()

    @property
    def tables(self) -> tuple[str, ...]:
        return ()

    def measured_keys(self) -> list[Key]:
        groups = [(f"groups {next(iter(self.methods))} {one}", label) for one in OUTCOMES for label in self.columns]
        return [*groups, *(("mean error", name, label) for name in self.methods for label in self.columns)]

    def run(self, run: Run) -> Measured:
        first = next(iter(self.methods))
        n_groups = run.of(self.n_groups, self.n_quick)
        cells: dict[Key, Measurement] = {}
        labels = [one for one in self.columns if not (run.quick and self.quick_columns) or one in self.quick_columns]
        for label in labels:
            n_rows, n_noise = self.columns[label]
            data = load(
                "52-features", n_rows=n_groups * n_rows + self.n_train + self.n_test, n_noise=n_noise, shuffle=True,
                seed=run.seed,
            )  # fmt: skip
            rows = np.arange(len(data.y))
            groups = rows[: n_groups * n_rows].reshape(n_groups, n_rows)
            train, test = np.split(rows[n_groups * n_rows :], [self.n_train])
            usable = [group for group in groups if len(np.unique(data.y[group])) > 1]
            found = compare(
                list(self.methods.values()), data.X, data.y, classifiers=[self.classifier], sizes=[self.n_features],
                size=self.n_features, outer=[(group, train, test) for group in usable], inner=2, tune=True,
                check=False, metric="error", seed=run.seed, n_jobs=run.n_jobs, resume=run.trials,
            )  # fmt: skip
            table = found.tables[0]
            for name, method in zip(self.methods, table.methods, strict=True):
                errors = 100 * method.errors(self.classifier)[:, 0]
                # One training and one test set: groups differ in the rows to select on alone.
                cells["mean error", name, label] = Measurement.of_resamples(errors.tolist(), shared=0.0)
            wrong = [method.misclassified(self.classifier) for method in table.methods]
            outcomes = [mcnemar_outcome(a, b) for a, b in zip(*wrong, strict=True)]
            for outcome in OUTCOMES:
                shares = [one == outcome for one in outcomes]
                cells[f"groups {first} {outcome}", label] = Measurement.of_shares(shares)
            run.advance(label)
        rows_text = f"{n_groups} groups to select on, {self.n_train} rows to train on, {self.n_test} to test"
        return Measured({key: cells[key] for key in self.measured_keys() if key in cells}, rows_text)


def mcnemar_outcome(first: Mask, second: Mask) -> str:
    """The outcome of McNemar's test at level 0.05: better where the first errs less often."""
    from fewest.evaluation.testing.paired_tests import mcnemar

    test = mcnemar(first, second)
    if test.p_value >= 0.05:
        return "no difference"
    return "better" if test.only_first < test.only_second else "worse"
