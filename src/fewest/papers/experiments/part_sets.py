"""Select on one small set of training rows after another, train on others, and test on the test part of the source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from fewest.arrays import Mask
from fewest.papers.declarations import Run
from fewest.papers.experiments.selection_sets import OUTCOMES, mcnemar_outcome
from fewest.papers.experiments.tables import Table
from fewest.papers.numbers import Key, Measured, Measurement
from fewest.selectors.selector import Selector


@dataclass(frozen=True)
class PartSets:
    """Two methods, each with some settings, on groups of rows to select on.

    data : a table with a training and a test part
    label : what comes first in a key; "" for nothing
    methods : by the paper's name, and then by the name of the setting; where there are several settings, the one with
        the least mean error on the test rows counts, as in the paper, and the honest error is that of `fair`
    fair : the setting that is taken without looking at the test rows
    sizes : the numbers of features
    rows : the rows of a group, in all; a second number after it: the groups have as many as these and all between
    per_class : these are the numbers of rows of each label of the source
    n_train : the rows of the training part on which an SVM with Gaussian kernel is trained
    n_groups, n_quick, quick_sizes, quick_settings : the number of groups, and what a quick run does; () for all
    """

    data: Table
    methods: Mapping[str, Mapping[str, Selector]]
    sizes: tuple[int, ...]
    rows: tuple[int, ...]
    label: str = ""
    fair: str = ""
    per_class: bool = False
    n_train: int = 1000
    n_groups: int = 30
    n_quick: int = 4
    quick_sizes: tuple[int, ...] = ()
    quick_settings: tuple[str, ...] = ()

    @property
    def tables(self) -> tuple[str, ...]:
        return self.data.stored

    def measured_keys(self) -> list[Key]:
        first, *_ = self.methods
        lines = [*((f"groups {first} {one}",) for one in OUTCOMES), *(("mean error", name) for name in self.methods)]
        return [self._key(*line, size) for line in lines for size in self.sizes]

    def run(self, run: Run) -> Measured:
        train, test = (replace(self.data, part=part).load(run) for part in ("train", "test"))
        labels = replace(self.data, part="train", merge=None).load(run).y
        random = np.random.default_rng(run.seed)
        sizes = self.quick_sizes if run.quick and self.quick_sizes else self.sizes
        groups = [self._group(labels, number, random) for number in range(run.of(self.n_groups, self.n_quick))]
        rows = random.permutation(len(train.y))[: self.n_train]
        wrong: dict[tuple[str, str, int], list[Mask]] = {}
        known: dict[tuple[int, ...], Mask] = {}
        for name, settings in self.methods.items():
            for setting in self._settings(settings, run):
                for group in groups:
                    method = clone(settings[setting]).set_params(n_features=max(sizes))
                    order = method.fit(train.X[group], train.y[group]).selection_.indices
                    for size in sizes:
                        columns = tuple(order[:size])
                        if columns not in known:
                            svm = make_pipeline(StandardScaler(), SVC())
                            svm.fit(train.X[np.ix_(rows, columns)], train.y[rows])
                            known[columns] = svm.predict(test.X[:, columns]) != test.y
                        wrong.setdefault((name, setting, size), []).append(known[columns])
                run.advance(f"{self.label or self.data.name}, {name}, {setting}")
        cells = self._cells(wrong, sizes, run)
        drawn = f"{len(groups)} groups of {'-'.join(map(str, self.rows))} rows{' a class' if self.per_class else ''}"
        return Measured(cells, f"{drawn}, {len(rows):,} to train on, {len(test.y):,} to test")

    def _cells(
        self, wrong: Mapping[tuple[str, str, int], list[Mask]], sizes: Sequence[int], run: Run
    ) -> dict[Key, Measurement]:
        first, *_ = self.methods
        cells: dict[Key, Measurement] = {}
        for size in sizes:
            best = {}
            for name, settings in self.methods.items():
                own = self._settings(settings, run)
                errors = {one: [100 * float(masks.mean()) for masks in wrong[name, one, size]] for one in own}
                _, least = min((float(np.mean(values)), one) for one, values in errors.items())
                fair = float(np.mean(errors[self.fair])) if self.fair else None
                cells[self._key("mean error", name, size)] = Measurement.of_resamples(errors[least], 0.0, honest=fair)
                best[name] = wrong[name, least, size]
            outcomes = [mcnemar_outcome(a, b) for a, b in zip(*best.values(), strict=True)]
            for outcome in OUTCOMES:
                shares = [one == outcome for one in outcomes]
                cells[self._key(f"groups {first} {outcome}", size)] = Measurement.of_shares(shares)
        return {key: cells[key] for key in self.measured_keys() if key in cells}

    def _settings(self, settings: Mapping[str, Selector], run: Run) -> list[str]:
        return [one for one in settings if not (run.quick and self.quick_settings) or one in self.quick_settings]

    def _group(self, labels: NDArray[np.generic], number: int, random: np.random.Generator) -> list[int]:
        n_rows = self.rows[0] + number % (self.rows[-1] - self.rows[0] + 1)
        order = random.permutation(len(labels))
        if not self.per_class:
            return [int(row) for row in order[:n_rows]]
        own = labels[order]
        return [row for label in np.unique(own) for row in map(int, order[own == label][:n_rows])]

    def _key(self, *parts: str | int) -> Key:
        texts = tuple(map(str, parts))
        return (self.label, *texts) if self.label else texts
