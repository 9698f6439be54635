"""One method on one split: select on the rows learned from, judge every size on the rest."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from fewest.arrays import Codes, Floats, Indices
from fewest.errors import FewestWarning
from fewest.evaluation.design.sizes import chosen_place, subsets_of
from fewest.evaluation.design.splits import Split, dealt_out
from fewest.evaluation.design.table import Table
from fewest.evaluation.run.classifiers import Classifier
from fewest.selectors.evaluator import one_hot

Subsets = Sequence[tuple[int, ...]]


@dataclass(frozen=True)
class Plan:
    """What is common to all trials on a table.

    is_choosing : there is a size, a method or a classifier to choose, and so there are inner folds
    """

    classifiers: tuple[Classifier, ...]
    sizes: tuple[int, ...]
    n_inner: int
    rule: str
    seed: int
    scale: str | None
    is_choosing: bool


class Stopwatch:
    """How long selecting and classifying took."""

    def __init__(self) -> None:
        self.select = 0.0
        self.classify = 0.0


def select_path(selector: Any, table: Table, rows: Indices, sizes: Sequence[int], watch: Stopwatch) -> Subsets:
    """The features that a selector takes at each size, seeing these rows only."""
    fitted = fitted_on(selector, table, rows, sizes, watch)
    return subsets_of(fitted.selection_.path, sizes)


def fitted_on(selector: Any, table: Table, rows: Indices, sizes: Sequence[int], watch: Stopwatch) -> Any:
    """The selector, fitted for all of these sizes."""
    own = selector.with_sizes(sorted({min(size, table.n_columns) for size in sizes}))
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewestWarning)
        own.fit(table.rows(rows))
    watch.select += time.perf_counter() - started
    return own


def run_trial(table: Table, selector: Any, split: Split, plan: Plan, leaked: Subsets | None) -> dict[str, Any]:
    """What the method does on this split; and what it would have seemed to do, had it seen all rows before (leaked)."""
    watch = Stopwatch()
    train, _ = split
    path = select_path(selector, table, train, plan.sizes, watch)
    inner = inner_splits(table, train, plan)
    inner_paths = [select_path(selector, table, rows, plan.sizes, watch) for rows, _ in inner]
    result = {
        "path": [list(subset) for subset in path],
        "results": _judged(table, split, path, inner, inner_paths, plan, watch),
        "leaked": None if leaked is None else _judged(table, split, leaked, inner, [leaked] * len(inner), plan, watch),
    }
    return result | {"seconds": {"select": watch.select, "classify": watch.classify}}


def inner_splits(table: Table, train: Indices, plan: Plan) -> list[Split]:
    """Folds of the rows learned from, by which the size, and the method with its classifier, are chosen."""
    if not plan.is_choosing:
        return []
    draw = np.random.default_rng([plan.seed, 1])
    folds = dealt_out(table.codes[train], plan.n_inner, draw, table.groups_of(train))
    return [
        (train[folds != fold], train[folds == fold])
        for fold in range(plan.n_inner)
        if (folds == fold).any() and len(np.unique(table.codes[train[folds != fold]])) > 1
    ]


def run_baseline(table: Table, split: Split, plan: Plan) -> dict[str, Any]:
    """What the classifiers do with all columns."""
    watch = Stopwatch()
    everything = [tuple(range(table.n_columns))]
    train, test = split
    found = {
        classifier.name: _confusion(table, test, predictions[0])
        for classifier, predictions in _predictions(table, train, test, everything, plan, watch)
    }
    return {"results": found, "seconds": {"select": 0.0, "classify": watch.classify}}


def _judged(
    table: Table, split: Split, path: Subsets, inner: Sequence[Split], inner_paths: Sequence[Subsets], plan: Plan,
    watch: Stopwatch,
) -> dict[str, Any]:  # fmt: skip
    """By classifier: the confusion at every size, the size that the inner folds choose, and who was wrong at it."""
    train, test = split
    errors: dict[str, list[Floats]] = {classifier.name: [] for classifier in plan.classifiers}
    for (rows, others), subsets in zip(inner, inner_paths, strict=True):
        for classifier, predictions in _predictions(table, rows, others, subsets, plan, watch):
            errors[classifier.name].append((predictions != table.codes[others]).mean(axis=1))
    found = {}
    for classifier, predictions in _predictions(table, train, test, path, plan, watch):
        of_folds = np.array(errors[classifier.name]).reshape(-1, len(plan.sizes))
        place = chosen_place(of_folds, plan.rule) if len(of_folds) else len(plan.sizes) - 1
        found[classifier.name] = {
            "confusion": [_confusion(table, test, one) for one in predictions],
            "inner": of_folds.mean(axis=0).tolist() if len(of_folds) else None,
            "chosen": place,
            "wrong": "".join("1" if is_wrong else "0" for is_wrong in predictions[place] != table.codes[test]),
        }
    return found


def _predictions(
    table: Table, train: Indices, test: Indices, path: Subsets, plan: Plan, watch: Stopwatch
) -> list[tuple[Classifier, Codes]]:
    """Of each classifier, the classes of the test rows with each subset: sizes by rows."""
    nested = all(set(small) <= set(large) for small, large in pairwise(path))
    started = time.perf_counter()
    codes = table.codes[train]
    judges = [classifier.keeping_whole(table.groups_of(train)) for classifier in plan.classifiers]
    if nested:
        order = [
            column
            for subset, before in zip(path, [(), *path], strict=False)
            for column in subset
            if column not in before
        ]
        ends_of = {column: place for place, column in enumerate(order)}
        learned, asked, ends = _prepared(table, train, test, order, plan.scale)
        last = [max((ends_of[column] for column in subset), default=0) for subset in path]
        found = [
            (classifier, classifier.predict_nested(learned, codes, asked, [ends[place] for place in last]))
            for classifier in judges
        ]
    else:
        tables = [_prepared(table, train, test, subset, plan.scale)[:2] for subset in path]
        found = [
            (classifier, np.stack([classifier.predict(learned, codes, asked) for learned, asked in tables]))
            for classifier in judges
        ]
    watch.classify += time.perf_counter() - started
    return found


def _prepared(
    table: Table, train: Indices, test: Indices, columns: Sequence[int], scale: str | None
) -> tuple[Floats, Floats, list[int]]:
    """Columns scaled by the rows learned from, gaps filled with their means, states as indicators.

    The ends say up to which place each column and those before it reach.
    """
    both = table.columns(np.concatenate([train, test]), columns)
    states = set(table.states)
    texts = [place for place, column in enumerate(columns) if column in states]
    ends = list(range(1, len(columns) + 1))
    if texts:
        both, widths = one_hot(both, texts)
        ends = widths.tolist()
    learned = both[: len(train)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a column without a value has no mean
        mean = np.nan_to_num(np.nanmean(learned, axis=0))
        spread = _spread(learned, scale)
    both -= mean
    both /= np.where(spread > 0, spread, 1.0)
    np.nan_to_num(both, copy=False)
    return both[: len(train)], both[len(train) :], ends


def _spread(learned: Floats, scale: str | None) -> Floats:
    """The unit of each scaled column: its standard deviation, its range, or that of all columns together."""
    if scale == "std":
        return np.asarray(np.nanstd(learned, axis=0))
    extent = np.asarray(np.nanmax(learned, axis=0) - np.nanmin(learned, axis=0))
    return extent if scale == "range" else np.full(len(extent), np.nanmax(extent, initial=0.0))


def _confusion(table: Table, test: Indices, predicted: Codes) -> list[list[int]]:
    """How many rows of each class (a row) were said to be of each (a column)."""
    n = len(table.classes)
    counts = np.bincount(table.codes[test] * n + predicted, minlength=n * n).reshape(n, n)
    found: list[list[int]] = counts.tolist()
    return found
