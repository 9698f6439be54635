"""Select on one draw of rows after another, and measure what was selected; no classifier is trained."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Protocol

import numpy as np
from sklearn.base import clone

from fewest.arrays import Floats
from fewest.datasets import Dataset, add_probes
from fewest.papers.declarations import Run
from fewest.papers.experiments.tables import Table
from fewest.papers.numbers import Key, Measured, Measurement
from fewest.selectors.selector import Selector


class Measure(Protocol):
    """What is measured of a selector that was fitted to all columns."""

    def value(self, fitted: Selector, data: Dataset) -> float: ...

    def measurement(self, values: list[float]) -> Measurement: ...


class _Share:
    """A measure that is true or false in each draw."""

    def measurement(self, values: list[float]) -> Measurement:
        return Measurement.of_shares([bool(value) for value in values])


@dataclass(frozen=True)
class FindsTruth(_Share):
    """Whether the true columns are the first ones."""

    def value(self, fitted: Selector, data: Dataset) -> float:
        truth = set(data.truth or ())
        return float(set(_order(fitted)[: len(truth)]) == truth)


@dataclass(frozen=True)
class Finds(_Share):
    """Whether a column is among the first ones."""

    column: str
    first: int

    def value(self, fitted: Selector, data: Dataset) -> float:
        return float(data.feature_names.index(self.column) in _order(fitted)[: self.first])


@dataclass(frozen=True)
class InOrder(_Share):
    """Whether the first columns are these, in this order."""

    columns: tuple[str, ...]

    def value(self, fitted: Selector, data: Dataset) -> float:
        order = _order(fitted)[: len(self.columns)]
        return float(tuple(data.feature_names[column] for column in order) == self.columns)


class _Amount:
    """A measure that is a number in each draw."""

    limits: ClassVar[tuple[float, float]] = (0.0, 100.0)

    def measurement(self, values: list[float]) -> Measurement:
        return Measurement.of_resamples(values, 0.0, self.limits)


@dataclass(frozen=True)
class TrueColumnsAuc(_Amount):
    """The area under the ROC curve of true columns against the others, by their ranks; in percent."""

    def value(self, fitted: Selector, data: Dataset) -> float:
        from sklearn.metrics import roc_auc_score

        is_true = np.isin(np.arange(data.X.shape[1]), data.truth or ())
        return 100 * float(roc_auc_score(is_true, -np.asarray(fitted.ranking_)))


@dataclass(frozen=True)
class ScoreOf(_Amount):
    """The score of a column."""

    column: str
    limits: ClassVar[tuple[float, float]] = (-math.inf, math.inf)

    def value(self, fitted: Selector, data: Dataset) -> float:
        return float(np.asarray(fitted.scores_)[data.feature_names.index(self.column)])


@dataclass(frozen=True)
class ShareOfWeights(_Amount):
    """The share of the weights, in percent, that columns from first to last have; counted from 1."""

    first: int
    last: int

    def value(self, fitted: Selector, data: Dataset) -> float:
        weights = np.asarray(fitted.scores_)
        return 100 * float(weights[self.first - 1 : self.last].sum() / weights.sum())


@dataclass(frozen=True)
class NearlyBest(_Amount):
    """The number of columns whose score is at least a share of the largest."""

    share: float = 0.5
    limits: ClassVar[tuple[float, float]] = (0.0, math.inf)

    def value(self, fitted: Selector, data: Dataset) -> float:
        scores = np.asarray(fitted.scores_)
        return float((scores >= self.share * scores.max()).sum())


@dataclass(frozen=True)
class FrequencyCorrelation(_Amount):
    """Spearman's correlation, in percent, of scores and how often a term occurs: in all texts, or in how many."""

    counts: Literal["occurrences", "texts"]
    limits: ClassVar[tuple[float, float]] = (-100.0, 100.0)

    def value(self, fitted: Selector, data: Dataset) -> float:
        from scipy.stats import spearmanr

        often = data.X.sum(axis=0) if self.counts == "occurrences" else (data.X > 0).sum(axis=0)
        return 100 * float(spearmanr(np.asarray(fitted.scores_), np.asarray(often).ravel()).statistic)


@dataclass(frozen=True)
class Draws:
    """Methods on draws of tables.

    draws : by the label of a column of the paper's table, what is drawn from
    methods : by the paper's name
    measures : by a label, which comes first in the key; "" for none
    train_share : the share of each class that is drawn from a table that is not generated; 1: all rows
    probes : columns of noise that are added, against which those of the table are true
    n_features : the number selected; 0: all columns, ranked
    n_draws, n_quick : the numbers of draws
    quick_draws : the labels that a quick run does; () for all
    """

    draws: Mapping[str, Table]
    methods: Mapping[str, Selector]
    measures: Mapping[str, Measure]
    train_share: float = 1.0
    probes: int = 0
    n_features: int = 0
    n_draws: int = 30
    n_quick: int = 10
    quick_draws: tuple[str, ...] = ()

    @property
    def tables(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for table in self.draws.values() for name in table.stored))

    def measured_keys(self) -> list[Key]:
        parts = [(measure, name, label) for label in self.draws for name in self.methods for measure in self.measures]
        return [_key(*part) for part in parts]

    def run(self, run: Run) -> Measured:
        cells: dict[Key, Measurement] = {}
        n_draws = run.of(self.n_draws, self.n_quick)
        labels = [label for label in self.draws if not (run.quick and self.quick_draws) or label in self.quick_draws]
        rows: dict[str, int] = {}
        for label in labels:
            drawn = [
                drawn_from(self.draws[label], run, number, self.train_share, self.probes) for number in range(n_draws)
            ]
            rows[label] = len(drawn[0].y)
            for name, method in self.methods.items():
                fitted = [_fit(method, data, self.n_features) for data in drawn]
                for measured, measure in self.measures.items():
                    values = [measure.value(one, data) for one, data in zip(fitted, drawn, strict=True)]
                    cells[_key(measured, name, label)] = measure.measurement(values)
                run.advance(f"{label}, {name}")
        sizes = sorted(set(rows.values()))
        spread = f"{sizes[0]:,}" if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,}"
        return Measured(cells, f"{n_draws} draws of {spread} rows")


def drawn_from(table: Table, run: Run, number: int, train_share: float = 1.0, probes: int = 0) -> Dataset:
    """A draw of a generated table, or of the rows of a stored one, with columns of noise added."""
    data = table.load(run, number)
    if train_share < 1:
        rows = _training_part(data.y, train_share, [run.seed, number])
        data = replace(data, X=data.X[rows], y=data.y[rows])
    if not probes:
        return data
    n_columns = data.X.shape[1]
    X = np.asarray(add_probes(data.X, probes, seed=run.seed + number), dtype=np.float64)
    names = [*data.feature_names, *(f"probe {one + 1}" for one in range(probes))]
    return Dataset(X, data.y, names, data.target_name, data.name, tuple(range(n_columns)))


def _key(*parts: str) -> Key:
    return tuple(part for part in parts if part)


def _fit(method: Selector, data: Dataset, n_features: int) -> Selector:
    fitted: Selector = clone(method).set_params(n_features=n_features or data.X.shape[1]).fit(data.X, data.y)
    return fitted


def _order(fitted: Selector) -> list[int]:
    ranks: Floats = np.asarray(fitted.ranking_)
    order: list[int] = np.argsort(ranks, kind="stable").tolist()
    return order


def _training_part(y: object, share: float, entropy: list[int]) -> list[int]:
    labels, random = np.asarray(y), np.random.default_rng(entropy)
    rows: list[int] = []
    for label in np.unique(labels):
        own = random.permutation(np.flatnonzero(labels == label))
        rows += own[: max(1, round(share * len(own)))].tolist()
    return sorted(rows)
