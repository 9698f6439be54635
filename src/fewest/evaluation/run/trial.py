"""One trial: select on the training rows of a split, and evaluate every size on its test rows."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from fewest.arrays import Codes, Floats, Indices
from fewest.errors import FewestError, FewestWarning
from fewest.evaluation.design.compared_methods import chosen_index, subsets_of
from fewest.evaluation.design.labelled_tables import Table
from fewest.evaluation.design.resampling import Split, assign_folds
from fewest.evaluation.results import BaselineRecord, ClassifierRecord, Failure, TrialOutcome, WholeRecord
from fewest.evaluation.run.classifiers import Classifier
from fewest.selectors.evaluator import ImputingScaler, one_hot
from fewest.selectors.selector import Selector

Subsets = Sequence[Sequence[int]]


@dataclass(frozen=True)
class Plan:
    """How all trials on a table are made.

    is_choosing : there is a size, a method or a classifier to choose, which needs inner folds
    """

    classifiers: tuple[Classifier, ...]
    sizes: tuple[int, ...]
    n_inner: int
    rule: str
    seed: int
    scale: str | None
    is_choosing: bool


class Stopwatch:
    """The seconds spent on selecting and on classifying."""

    def __init__(self) -> None:
        self.select = 0.0
        self.classify = 0.0


def fit_on(selector: Selector, table: Table, rows: Indices, sizes: Sequence[int], watch: Stopwatch) -> Selector:
    """Fit the selector for all of these sizes on some rows of the table."""
    own = selector.with_sizes(sorted({min(size, table.n_columns) for size in sizes}))
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewestWarning)
        own.fit(table.rows(rows))
    watch.select += time.perf_counter() - started
    return own


def select_on_all(table: Table, selector: Selector, plan: Plan) -> WholeRecord | Failure:
    """Select on all rows, or return why the method cannot."""
    watch = Stopwatch()
    try:
        fitted = fit_on(selector, table, np.arange(table.n_rows), plan.sizes, watch)
    except FewestError as error:
        return {"failed": str(error)}
    selection = fitted.selection_
    scores = fitted.scores_ if selection.column_scores is not None else None
    return {
        "failed": None,
        "path": [list(subset) for subset in subsets_of(selection.path, plan.sizes)],
        "scores": {
            str(column): _finite(score) for column, score in zip(selection.indices, selection.scores, strict=True)
        },
        "column_scores": None if scores is None else [_finite(score) for score in scores],
        "breakpoints": [(_finite(beta), size) for beta, size in selection.breakpoints],
        "certificate": selection.certificate(),
        "seconds": watch.select,
    }


def run_trial(
    table: Table, selector: Selector, split: Split, plan: Plan, leaked: Subsets | None
) -> TrialOutcome | Failure:
    """Select on the training rows and evaluate on the test rows, or return why the method cannot.

    leaked : by size, the features selected on all rows, which are evaluated too; None leaves that out
    """
    watch = Stopwatch()
    train, _ = split
    inner = inner_splits(table, train, plan)

    def select(rows: Indices) -> Subsets:
        return subsets_of(fit_on(selector, table, rows, plan.sizes, watch).selection_.path, plan.sizes)

    try:
        path = select(train)
        inner_paths = [select(rows) for rows, _ in inner]
        return {
            "failed": None,
            "path": [list(subset) for subset in path],
            "results": _evaluate(table, split, path, inner, inner_paths, plan, watch),
            "leaked": None
            if leaked is None
            else _evaluate(table, split, leaked, inner, [leaked] * len(inner), plan, watch),
            "seconds": {"select": watch.select, "classify": watch.classify},
        }
    except FewestError as error:
        return {"failed": str(error)}


def run_baseline(table: Table, split: Split, plan: Plan) -> BaselineRecord:
    """Evaluate the classifiers with all columns."""
    watch = Stopwatch()
    train, test = split
    predicted = _predictions(table, train, test, [range(table.n_columns)], plan, watch)
    return {
        "results": {name: _confusion(table, test, by_size[0]) for name, by_size in predicted.items()},
        "seconds": {"select": 0.0, "classify": watch.classify},
    }


def inner_splits(table: Table, train: Indices, plan: Plan) -> list[Split]:
    """Folds of the training rows, by which the size, the method and its classifier are chosen."""
    if not plan.is_choosing:
        return []
    draw = np.random.default_rng([plan.seed, 1])
    folds = assign_folds(table.codes[train], plan.n_inner, draw, table.groups_of(train))
    return [
        (train[folds != fold], train[folds == fold])
        for fold in range(plan.n_inner)
        if (folds == fold).any() and len(np.unique(table.codes[train[folds != fold]])) > 1
    ]


def _evaluate(
    table: Table, split: Split, path: Subsets, inner: Sequence[Split], inner_paths: Sequence[Subsets], plan: Plan,
    watch: Stopwatch,
) -> dict[str, ClassifierRecord]:  # fmt: skip
    """By classifier, the confusion at every size, and which rows are misclassified at the size of the inner folds."""
    train, test = split
    errors: dict[str, list[Floats]] = {classifier.name: [] for classifier in plan.classifiers}
    for (rows, others), subsets in zip(inner, inner_paths, strict=True):
        for name, predictions in _predictions(table, rows, others, subsets, plan, watch).items():
            errors[name].append((predictions != table.codes[others]).mean(axis=1))
    records: dict[str, ClassifierRecord] = {}
    for name, predictions in _predictions(table, train, test, path, plan, watch).items():
        of_folds = np.array(errors[name]).reshape(-1, len(plan.sizes))
        chosen = chosen_index(of_folds, plan.rule) if len(of_folds) else len(plan.sizes) - 1
        records[name] = {
            "confusion": [_confusion(table, test, one) for one in predictions],
            "inner": of_folds.mean(axis=0).tolist() if len(of_folds) else None,
            "chosen": chosen,
            "wrong": "".join("1" if is_wrong else "0" for is_wrong in predictions[chosen] != table.codes[test]),
        }
    return records


def _predictions(
    table: Table, train: Indices, test: Indices, path: Subsets, plan: Plan, watch: Stopwatch
) -> Mapping[str, Codes]:
    """By classifier, the predicted classes of the test rows with each subset: sizes by rows."""
    started = time.perf_counter()
    codes = table.codes[train]
    classifiers = [classifier.with_groups(table.groups_of(train)) for classifier in plan.classifiers]
    if all(set(small) <= set(large) for small, large in pairwise(path)):
        order = list(dict.fromkeys(column for subset in path for column in subset))
        train_values, test_values, ends = _prepare(table, train, test, order, plan.scale)
        position = {column: number for number, column in enumerate(order)}
        path_ends = [ends[max((position[column] for column in subset), default=0)] for subset in path]
        found = {one.name: one.predict_nested(train_values, codes, test_values, path_ends) for one in classifiers}
    else:
        pairs = [_prepare(table, train, test, subset, plan.scale)[:2] for subset in path]
        found = {
            one.name: np.stack([one.predict(train_values, codes, test_values) for train_values, test_values in pairs])
            for one in classifiers
        }
    watch.classify += time.perf_counter() - started
    return found


def _prepare(
    table: Table, train: Indices, test: Indices, columns: Sequence[int], scale: str | None
) -> tuple[Floats, Floats, list[int]]:
    """Scale columns by the training rows, fill missing values with their means, and one-hot encode categories.

    The last list holds the prepared column at which each column and those before it end.
    """
    both = table.columns(np.concatenate([train, test]), columns)
    coded = set(table.categorical_columns)
    both, ends = one_hot(both, [position for position, column in enumerate(columns) if column in coded])
    both = ImputingScaler.fit(both[: len(train)], scale=scale).transform(both)
    return both[: len(train)], both[len(train) :], ends.tolist()


def _confusion(table: Table, test: Indices, predicted: Codes) -> list[list[int]]:
    """The number of rows of each class (a row) predicted as each class (a column)."""
    n = len(table.classes)
    counts = np.bincount(table.codes[test] * n + predicted, minlength=n * n).reshape(n, n)
    found: list[list[int]] = counts.tolist()
    return found


def _finite(value: float) -> float | None:
    number = float(value)
    return number if np.isfinite(number) else None
