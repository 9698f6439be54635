"""What is lost without each recommended feature, and what could take its place."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from fewest.arrays import Floats, Indices, Integers
from fewest.display.formatting import count
from fewest.evaluation.design.labelled_tables import Table
from fewest.evaluation.run.jobs import Job, JobQueue, Until
from fewest.evaluation.run.trial import Plan, inner_splits, subset_losses
from fewest.evaluation.run.worker_pool import WorkerPool
from fewest.evaluation.summary.association import correlation_ratio, cramers_v
from fewest.evaluation.summary.recommendation import Recommendation
from fewest.summary import Similar, Substitute, Substitutes, Swap

#: Only the first features are withheld and swapped, in at most this number of rows.
_MAX_FEATURES, _MAX_ROWS = 20, 2000
#: Columns that are tried in the place of a feature: the most similar ones, and those that the method takes next.
_N_SIMILAR, _N_NEXT = 3, 4
#: Classifiers that fit in milliseconds; others are given fewer features, rows and columns to try.
_FAST = frozenset({"svm", "knn", "nb", "discrete-nb", "lda", "tree", "logistic"})
_MAX_FEATURES_IF_SLOW, _MAX_ROWS_IF_SLOW, _N_TRIED_IF_SLOW = 10, 500, 2
#: The number of values of a table that are compared with the features at a time.
_AT_ONCE = 1 << 22
#: Losses that differ by less are equal.
_TIE = 1e-12


def substitutes_of(
    table: Table, best: Recommendation, plan: Plan, may_take: Callable[[Sequence[int]], bool],
    pool: WorkerPool | None = None, end: float = math.inf,
) -> Substitutes:  # fmt: skip
    """For each feature: the error without it, the best swap of those tried, and the most similar column.

    Errors are those of the recommended classifier in the inner folds of all rows, which also chose the features: they
    are optimistic, and are there to be compared with each other.

    may_take : whether the constraints on columns, where the method has some, allow a subset
    pool : processes that evaluate them; None evaluates them here
    end : the time, as of time.perf_counter, after which no more features are looked at
    """
    columns = list(best.columns)
    associations = _associations(table, columns[:_MAX_FEATURES])
    similar = {column: _most_similar(table, column, own) for column, own in associations.items()}
    is_fast = best.classifier in _FAST
    plan = replace(
        plan, classifiers=tuple(one for one in plan.classifiers if one.name == best.classifier), is_choosing=True
    )
    folds = inner_splits(table, _some_rows(table, _MAX_ROWS if is_fast else _MAX_ROWS_IF_SLOW), plan)
    shown = columns[: _MAX_FEATURES if is_fast else _MAX_FEATURES_IF_SLOW]
    if not folds or not columns:
        return Substitutes(None, {str(column): Substitute(similar=one) for column, one in similar.items()})
    tried = {column: _candidates(best, column, associations[column], may_take) for column in shown}
    if not is_fast:
        tried = {column: own[:_N_TRIED_IF_SLOW] for column, own in tried.items()}
    jobs: dict[int | None, Job[list[float]]] = {}
    for column in (None, *shown):
        rest = [other for other in columns if other != column]
        swapped = [] if column is None else [_with_swap(columns, column, other) for other in tried[column]]
        jobs[column] = Job(None, subset_losses, (table, folds, [rest, *swapped] if rest else swapped, plan))
    queue = JobQueue(jobs, None)
    queue.run(pool, lambda: None, Until(end))
    if queue.is_interrupted:
        raise KeyboardInterrupt
    losses = queue.results
    if None not in losses:
        return Substitutes(None, {str(column): Substitute(similar=one) for column, one in similar.items()})
    fold_error = losses[None][0]
    swap_losses = {
        column: dict(zip(tried[column], losses[column][1:] if len(columns) > 1 else losses[column], strict=True))
        for column in shown
        if column in losses
    }
    best_swaps = {column: _least(own) for column, own in swap_losses.items()}
    found = {}
    for column in columns[:_MAX_FEATURES]:
        swap = best_swaps.get(column)
        found[str(column)] = Substitute(
            error_without=losses[column][0] if column in losses and len(columns) > 1 else None,
            swap=None if swap is None else Swap(table.feature_names[swap], swap_losses[column][swap]),
            similar=similar[column],
        )
    common = _common_swap([swap for swap in best_swaps.values() if swap is not None], len(shown))
    if common is None or len(best_swaps) < len(shown):
        return Substitutes(fold_error, found)
    (added,) = subset_losses(table, folds, [[*columns, common]], plan)
    with_common = [swap_losses[column][common] for column, swap in best_swaps.items() if swap == common]
    sentence = _replacement(table.feature_names[common], with_common, len(shown), fold_error, added, plan)
    return Substitutes(fold_error, found, sentence)


def _candidates(
    best: Recommendation, column: int, associations: Floats, may_take: Callable[[Sequence[int]], bool]
) -> list[int]:
    """The columns that are tried in the place of one: the most similar ones, then those that the method takes next."""
    assert best.result.whole is not None
    taken = set(best.columns)
    by_likeness = [other for other in _by_strength(associations) if other not in taken][:_N_SIMILAR]
    following = [other for other in best.result.whole["path"][-1] if other not in taken][:_N_NEXT]
    tried = dict.fromkeys([*by_likeness, *following])
    return [other for other in tried if may_take(_with_swap(best.columns, column, other))]


def _with_swap(columns: Sequence[int], column: int, other: int) -> list[int]:
    return [other if one == column else one for one in columns]


def _least(losses: Mapping[int, float]) -> int | None:
    """The column with the least loss, the first tried of equals."""
    return min(losses, key=lambda other: round(losses[other], 12), default=None)


def _common_swap(swaps: Sequence[int], n_features: int) -> int | None:
    """The column that is the best swap of most features, at least two."""
    (column, times), *_ = [*Counter(swaps).most_common(1), (-1, 0)]
    return column if times >= 2 and times > n_features / 2 else None


def _replacement(
    name: str, swapped: Sequence[float], n_features: int, before: float, after: float, plan: Plan
) -> str | None:
    """State that a column that would replace most features belongs in the set; None where it would not.

    The best swap may be a bad one, and one more column gives a lower error in the same folds by chance too.

    swapped : the losses with it in the place of each of these features
    """
    n_as_good = sum(loss <= before + _TIE for loss in swapped)
    if n_as_good < 2 or n_as_good <= n_features / 2:
        return None
    form = plan.metric.form
    most = f"{count(n_as_good)} of these {count(n_features)} features"
    lead = f"{name} could take the place of {most} at no loss: it belongs in the set"
    if after < before - _TIE:
        return f"{lead}. Added to them it gives {form.text(after)} in the same folds, {form.text(before)} without it."
    return f"{lead} as much as they do, but added to them it gains nothing ({form.text(after)} in the same folds)."


def _some_rows(table: Table, limit: int) -> Indices:
    """All rows, or about this number of them with the same share of every class."""
    if table.n_rows <= limit:
        return np.arange(table.n_rows)
    chosen = np.zeros(table.n_rows, dtype=bool)
    for code in range(len(table.classes)):
        own = np.flatnonzero(table.codes == code)
        # Rows of a class are in an order as if drawn at random.
        chosen[own[: max(2, round(limit * len(own) / table.n_rows))]] = True
    return np.flatnonzero(chosen)


def _associations(table: Table, columns: Sequence[int]) -> dict[int, Floats]:
    """By feature, how alike it and every column are: the correlation, or a measure from 0 to 1 where one is text."""
    rows = _some_rows(table, _AT_ONCE // 64)
    texts = set(table.categorical_columns)
    own = {column: table.columns(rows, [column])[:, 0] for column in columns}
    codes = {column: _category_codes(values) for column, values in own.items() if column in texts}
    units = {column: _unit(values[:, None])[:, 0] for column, values in own.items() if column not in texts}
    found = {column: np.zeros(table.n_columns) for column in columns}
    step = max(1, _AT_ONCE // len(rows))
    for first in range(0, table.n_columns, step):
        block = range(first, min(first + step, table.n_columns))
        values = table.columns(rows, block)
        unit = _unit(values)
        for column, strength in found.items():
            if column in units:
                strength[block.start : block.stop] = np.clip(units[column] @ unit, -1.0, 1.0)
        for other in block:
            if other in texts:
                of_other = _category_codes(values[:, other - first])
                for column, strength in found.items():
                    strength[other] = (
                        cramers_v(codes[column], of_other)
                        if column in codes
                        else correlation_ratio(of_other, units[column])
                    )
            else:
                for column, own_codes in codes.items():
                    found[column][other] = correlation_ratio(own_codes, unit[:, other - first])
    for column, strength in found.items():
        strength[column] = 0.0
    return found


def _most_similar(table: Table, column: int, associations: Floats) -> Similar | None:
    """The column most like one; None where none is like it at all."""
    best = _by_strength(associations)[0]
    strength = float(associations[best])
    return Similar(table.feature_names[best], round(strength, 3)) if best != column and abs(strength) > _TIE else None


def _by_strength(associations: Floats) -> list[int]:
    """All columns, the most alike first; rounded, so that the order of sums does not matter."""
    order: list[int] = np.argsort(-np.round(np.abs(associations), 9), kind="stable").tolist()
    return order


def _unit(values: Floats) -> Floats:
    """Columns about their means and of length one, missing values at the mean; zero where a column is constant."""
    is_known = np.isfinite(values)
    n_known = np.maximum(is_known.sum(axis=0), 1)
    centred = np.where(is_known, values - np.where(is_known, values, 0.0).sum(axis=0) / n_known, 0.0)
    length = np.sqrt(np.square(centred).sum(axis=0))
    unit: Floats = centred / np.where(length > 0, length, 1.0)
    return unit


def _category_codes(values: Floats) -> Integers:
    """Categories numbered from zero, a missing value as one more."""
    _, codes = np.unique(values, return_inverse=True)
    return codes.astype(np.int64)
