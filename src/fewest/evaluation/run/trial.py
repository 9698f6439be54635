"""One trial: select on the training rows of a split, and evaluate every size on its test rows."""

from __future__ import annotations

import time
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from fewest.arrays import Codes, Floats, Indices
from fewest.data.complete_rows import completed
from fewest.data.source import Source
from fewest.errors import FewestError, FewestWarning, IncompleteColumns, MissingValues
from fewest.evaluation.design.compared_methods import chosen_index, subsets_of
from fewest.evaluation.design.labelled_tables import Table
from fewest.evaluation.design.resampling import Split, assign_folds
from fewest.evaluation.results import (
    BaselineRecord,
    BaselineResult,
    ChoiceRecord,
    ClassifierRecord,
    Failure,
    FitRecord,
    InnerRecord,
    PathsRecord,
    Seconds,
    TrialRecord,
)
from fewest.evaluation.run.classifier import Classifier, Predictions, stacked
from fewest.methods.guarantees.stability_selection import StabilitySelection
from fewest.metrics import ErrorRate, Metric
from fewest.selectors.estimators.evaluator import ImputingScaler
from fewest.selectors.selector import Selector
from fewest.statistics.category_indicators import TableIndicators

Subsets = Sequence[Sequence[int]]

#: Columns of stability selection whose frequencies are written down.
_MAX_PATHS = 60


@dataclass(frozen=True)
class Plan:
    """How all trials on a table are made.

    is_choosing : there is a size, a method or a classifier to choose, which needs inner folds
    metric : what is called error
    size_index : the size that is requested, not chosen; None where the inner folds choose it
    """

    classifiers: tuple[Classifier, ...]
    sizes: tuple[int, ...]
    n_inner: int
    rule: str
    seed: int
    scale: str | None
    is_choosing: bool
    metric: Metric = field(default_factory=ErrorRate)
    size_index: int | None = None

    def without_classifiers(self, names: Collection[str]) -> Plan:
        """The same plan without these classifiers."""
        return replace(self, classifiers=tuple(one for one in self.classifiers if one.name not in names))


def fit_on(selector: Selector, table: Table, rows: Indices, sizes: Sequence[int]) -> tuple[Selector, bool]:
    """Fit the selector for all of these sizes on some rows of the table, completed where it takes no others.

    Returns the fitted selector, and whether the rows were completed.
    """
    own = selector._with_sizes(sorted({min(size, table.n_columns) for size in sizes}))
    groups = table.groups_of(rows)

    def fitted(source: Source) -> Selector:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FewestWarning)
            return own.fit(source) if groups is None else own.fit(source, groups=groups.codes)

    if table.is_complete or selector._allows_missing():
        try:
            return fitted(table.rows(rows)), False
        except (IncompleteColumns, MissingValues):
            # A selector made of parts does not always know what they take.
            pass
    return fitted(completed(table.rows(rows), is_private=True)), True


def select_on_all(table: Table, selector: Selector, plan: Plan, select: Indices | None = None) -> FitRecord | Failure:
    """Select on all rows, or on some of them, or return why the method cannot."""
    started = time.perf_counter()
    try:
        rows = np.arange(table.n_rows) if select is None else select
        fitted, is_completed = fit_on(selector, table, rows, plan.sizes)
    except FewestError as error:
        return {"failed": _reason(error, table)}
    seconds = time.perf_counter() - started
    selection = fitted.selection_
    scores = fitted.scores_ if selection.column_scores is not None else None
    record: FitRecord = {
        "failed": None,
        "path": [list(subset) for subset in subsets_of(selection.path, plan.sizes)],
        "scores": {str(c): _finite(score) for c, score in zip(selection.indices, selection.scores, strict=True)},
        "column_scores": None if scores is None else [_finite(score) for score in scores],
        "breakpoints": [(_finite(beta), size) for beta, size in selection.breakpoints],
        "certificate": selection.certificate.to_dict(),
        "seconds": seconds,
        "n_filled": table.n_missing(rows) if is_completed else 0,
    }
    if isinstance(fitted, StabilitySelection):
        record["paths"] = _paths_record(fitted)
    return record


def _paths_record(fitted: StabilitySelection) -> PathsRecord:
    """The most frequent columns of stability selection, with their frequencies at each size."""
    path = fitted.path_
    # Of equals the one that enters at smaller sizes, as the selector has it.
    order = np.lexsort((-np.nansum(path.frequencies, axis=0), -path.frequencies[-1]))
    shown = order[:_MAX_PATHS]
    return {
        "sizes": list(path.sizes),
        "columns": path.columns[shown].tolist(),
        "frequencies": [[_finite(share) for share in path.frequencies[:, position]] for position in shown],
        "threshold": path.threshold,
        "expected_false": float(fitted.expected_false_),
        "n_others": len(order) - len(shown),
    }


def choose_on_all(
    table: Table, selector: Selector, plan: Plan, select: Indices | None = None
) -> ChoiceRecord | Failure:
    """Select in the inner folds of all rows, which choose the size, or return why the method cannot.

    select : the rows to select on, of which no fold has any; None selects on the training rows of each fold
    """
    rows = np.arange(table.n_rows)
    inner = inner_splits(table, rows if select is None else np.setdiff1d(rows, select), plan)
    started = time.perf_counter()
    try:
        if select is None or not inner:
            paths = _paths(table, selector, inner, plan)
        else:
            paths = _paths(table, selector, [(select, select)], plan) * len(inner)
        selected = time.perf_counter()
        choices = _inner_choices(table, inner, paths, plan)
    except FewestError as error:
        return {"failed": _reason(error, table)}
    seconds: Seconds = {"select": selected - started, "classify": time.perf_counter() - selected}
    return {"failed": None, "choices": choices, "seconds": seconds}


def _reason(error: FewestError, table: Table) -> str:
    """Why a method cannot, with the column by its name."""
    if isinstance(error, IncompleteColumns) and isinstance(error.column, int):
        error = error.named(table.feature_names[error.column])
    return str(error)


def run_trial(
    table: Table, selector: Selector, split: Split, plan: Plan, leaked: Subsets | None, select: Indices | None = None
) -> TrialRecord | Failure:
    """Select on the training rows and evaluate on the test rows, or return why the method cannot.

    leaked : by size, the features selected on all rows, which are evaluated too; None leaves that out
    select : the rows to select on, which are neither; None selects on the training rows, and in each inner fold anew
    """
    inner = inner_splits(table, split[0], plan)
    started = time.perf_counter()
    try:
        if select is None:
            path, *inner_paths = _paths(table, selector, [split, *inner], plan)
        else:
            (path,) = _paths(table, selector, [(select, select)], plan)
            inner_paths = [path] * len(inner)
        selected = time.perf_counter()
        results = _evaluate(table, split, path, inner, inner_paths, plan)
        others = None if leaked is None else _evaluate(table, split, leaked, inner, [leaked] * len(inner), plan)
    except FewestError as error:
        return {"failed": _reason(error, table)}
    seconds: Seconds = {"select": selected - started, "classify": time.perf_counter() - selected}
    return {"path": [list(subset) for subset in path], "results": results, "leaked": others, "seconds": seconds}


def run_baseline(table: Table, split: Split, plan: Plan) -> BaselineRecord:
    """Evaluate the classifiers with all columns, in the order of their contents; inner folds choose among several."""
    started = time.perf_counter()
    everything = [table.columns_by_content]
    inner = inner_splits(table, split[0], plan) if len(plan.classifiers) > 1 else []
    of_folds: dict[str, list[float]] = {classifier.name: [] for classifier in plan.classifiers}
    for fold in inner:
        for name, found in _predictions(table, fold, everything, plan).items():
            of_folds[name] += _losses(table, fold[1], found, plan)
    results: dict[str, BaselineResult] = {}
    for name, found in _predictions(table, split, everything, plan).items():
        mean = float(np.mean(of_folds[name])) if inner else None
        results[name] = {"loss": _losses(table, split[1], found, plan)[0], "inner": mean}
    return {"results": results, "seconds": {"select": 0.0, "classify": time.perf_counter() - started}}


def time_classifiers(table: Table, path: Subsets, plan: Plan) -> dict[str, float]:
    """By classifier, about how many seconds it takes for all sizes in one inner fold of all rows, from one size."""
    rows = np.arange(table.n_rows)
    fold = (inner_splits(table, rows, plan) or [(rows, rows[: 1 + table.n_rows // 5])])[0]
    subset = path[len(path) // 2]
    found = {}
    for classifier in plan.classifiers:
        started = time.perf_counter()
        _predictions(table, fold, [subset], replace(plan, classifiers=(classifier,)))
        found[classifier.name] = (time.perf_counter() - started) * sum(plan.sizes) / max(1, len(subset))
    return found


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


def subset_losses(table: Table, folds: Sequence[Split], subsets: Subsets, plan: Plan) -> list[float]:
    """The loss of the only classifier with each subset of the columns, averaged over folds."""
    (classifier,) = plan.classifiers
    return [
        float(np.mean(_fold_losses(table, folds, [[subset]] * len(folds), plan)[classifier.name])) for subset in subsets
    ]


def _fold_losses(
    table: Table, folds: Sequence[Split], subsets_of_folds: Sequence[Subsets], plan: Plan
) -> dict[str, list[list[float]]]:
    """By classifier, the loss in each fold with each of its subsets of the columns."""
    losses: dict[str, list[list[float]]] = {classifier.name: [] for classifier in plan.classifiers}
    for fold, subsets in zip(folds, subsets_of_folds, strict=True):
        for name, found in _predictions(table, fold, subsets, plan).items():
            losses[name].append(_losses(table, fold[1], found, plan))
    return losses


def _paths(table: Table, selector: Selector, splits: Sequence[Split], plan: Plan) -> list[list[tuple[int, ...]]]:
    """Select on the training rows of each split: the features at each size."""
    fitted = (fit_on(selector, table, rows, plan.sizes)[0] for rows, _ in splits)
    return [subsets_of(one.selection_.path, plan.sizes) for one in fitted]


def _inner_choices(
    table: Table, inner: Sequence[Split], inner_paths: Sequence[Subsets], plan: Plan
) -> dict[str, InnerRecord]:
    """By classifier, the mean loss of the inner folds at every size, and the size that they choose."""
    records: dict[str, InnerRecord] = {}
    for name, own in _fold_losses(table, inner, inner_paths, plan).items():
        of_folds = np.array(own)
        chosen = plan.size_index
        if chosen is None:
            chosen = chosen_index(of_folds, plan.rule) if own else len(plan.sizes) - 1
        records[name] = {"inner": of_folds.mean(axis=0).tolist() if own else None, "chosen": chosen}
    return records


def _evaluate(
    table: Table, split: Split, path: Subsets, inner: Sequence[Split], inner_paths: Sequence[Subsets], plan: Plan
) -> dict[str, ClassifierRecord]:
    """By classifier, what it does at every size, and which rows it misclassifies at the size of the inner folds."""
    test = split[1]
    choices = _inner_choices(table, inner, inner_paths, plan)
    records: dict[str, ClassifierRecord] = {}
    for name, found in _predictions(table, split, path, plan).items():
        wrong = found.classes[choices[name]["chosen"]] != table.codes[test]
        records[name] = {
            **choices[name],
            "confusion": [_confusion(table, test, one) for one in found.classes],
            "loss": _losses(table, test, found, plan),
            "wrong": "".join("1" if is_wrong else "0" for is_wrong in wrong),
        }
    return records


def _losses(table: Table, test: Indices, found: Predictions, plan: Plan) -> list[float]:
    """The loss of the metric at each size."""
    codes, loss = table.codes[test], plan.metric.loss
    if not plan.metric.is_symmetric:
        codes, found = table.label_codes[test], found.renumbered(table.label_ranks)
    return [loss(codes, classes, found.scores_at(index)) for index, classes in enumerate(found.classes)]


def _predictions(table: Table, split: Split, path: Subsets, plan: Plan) -> Mapping[str, Predictions]:
    """By classifier, what it predicts of the test rows with each subset."""
    train, test = split
    codes, response, n_classes = table.codes[train], plan.metric.response, len(table.classes)
    classifiers = [classifier.with_groups(table.groups_of(train)) for classifier in plan.classifiers]
    if all(set(small) <= set(large) for small, large in pairwise(path)):
        order = list(dict.fromkeys(column for subset in path for column in subset))
        train_values, test_values, ends = _prepare(table, train, test, order, plan.scale)
        position = {column: number for number, column in enumerate(order)}
        path_ends = [ends[max((position[column] for column in subset), default=0)] for subset in path]
        inputs = train_values, codes, test_values, path_ends, response, n_classes
        return {one.name: one.respond(*inputs) for one in classifiers}
    prepared = [_prepare(table, train, test, subset, plan.scale) for subset in path]
    return {
        one.name: stacked([one.respond(fit, codes, new, ends[-1:], response, n_classes) for fit, new, ends in prepared])
        for one in classifiers
    }


def _prepare(
    table: Table, train: Indices, test: Indices, columns: Sequence[int], scale: str | None
) -> tuple[Floats, Floats, list[int]]:
    """Scale columns by the training rows, fill missing values with their means, and make indicators of categories.

    The last list holds the prepared column at which each column and those before it end.
    """
    both = table.columns(np.concatenate([train, test]), columns)
    coded = set(table.categorical_columns)
    texts = [position for position, column in enumerate(columns) if column in coded]
    indicators = TableIndicators(both[: len(train)], texts)
    both = indicators.transform(both)
    both = ImputingScaler.fit(both[: len(train)], scale=scale, columns=indicators.columns).transform(both)
    return both[: len(train)], both[len(train) :], indicators.ends.tolist()


def _confusion(table: Table, test: Indices, predicted: Codes) -> list[list[int]]:
    """The number of rows of each class (a row) predicted as each class (a column), in the order of the labels."""
    n = len(table.classes)
    counts = np.bincount(table.label_codes[test] * n + table.label_ranks[predicted], minlength=n * n).reshape(n, n)
    found: list[list[int]] = counts.tolist()
    return found


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
