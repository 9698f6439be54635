"""Choose the number of features, and parameters, by cross-validation that selects anew inside each fold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import clone

from fewest.arrays import Floats, Indices, Mask
from fewest.data.source import Source
from fewest.parameters import is_whole
from fewest.protocols import Evidence
from fewest.selection import candidate_sizes
from fewest.selectors.evaluator import Classifier, StandardizedSVM, misclassified, one_hot
from fewest.statistics.splits import Folded, GivenFolds, LeftOut, RowSample, SpreadFolds, split_rows

if TYPE_CHECKING:
    from fewest.selectors.selector import Selector

#: Enough rows to know an error to about half a percent. The time of an SVM with a kernel grows with the square of the
#: number of rows, so it gets fewer.
_MAX_ROWS, _MAX_ROWS_WITH_KERNEL = 5000, 2000
#: Errors that differ by less are equal.
_TIE = 1e-12

_RULES = {
    "1se": "the fewest within one standard error of the least",
    "min": "the least error",
    "stable": "the least error where errors are steady",
}


@dataclass(frozen=True)
class SizeChoice:
    """The size chosen, and the mean error with its standard error at every size that was tried."""

    size: int
    curve: dict[int, tuple[float, float]]
    note: str


@dataclass(frozen=True)
class Tuned:
    """The selector with the best parameters, the size chosen with them, and notes on both."""

    selector: Selector
    choice: SizeChoice
    notes: tuple[str, ...]


def to_folds(source: Source, cv: object, seed: int) -> SpreadFolds | GivenFolds:
    """Return which fold each row is in: drawn evenly over the classes for a count, as cv splits the rows otherwise."""
    if is_whole(cv):
        return SpreadFolds(int(cv), seed)
    blocks = list(source.blocks([0]))
    if not any(block.n_rows for block in blocks):
        # Without rows there is nothing to split; the check of the classes says so.
        return SpreadFolds(2, seed)
    codes = np.concatenate([block.codes for block in blocks])
    # Rows without a label may have been left out: a splitter counts those that are there.
    rows = np.concatenate([block.all_row_numbers() for block in blocks])
    folds, n_folds = split_rows(cv, codes)
    fold_of_row = np.zeros(rows.max() + 1, dtype=np.intp)
    fold_of_row[rows] = folds
    return GivenFolds(fold_of_row, n_folds)


def tune(selector: Selector, source: Source, folded: Folded[Evidence] | LeftOut[Evidence], size: int | None) -> Tuned:
    """Choose the parameters among the selector's alternatives by the least error; of equals the first.

    size : the number of features asked for; None where it is chosen too
    """
    alternatives = selector._alternatives()
    if not alternatives:
        choice = choose_size(selector, source, folded, size)
        return Tuned(selector, choice, (choice.note,))
    best: tuple[float, Selector, SizeChoice, Mapping[str, float]] | None = None
    for parameters in alternatives:
        tried = clone(selector).set_params(**parameters)
        choice = choose_size(tried, source, folded, size)
        error = min((error for error, _ in choice.curve.values()), default=1.0)
        if best is None or error < best[0]:
            best = error, tried, choice, parameters
    assert best is not None
    error, tuned, choice, parameters = best
    chosen = ", ".join(f"{name} = {value:g}" for name, value in parameters.items())
    how = f"{folded.n_folds}-fold cross-validation among {len(alternatives)}"
    note = f"{chosen} chosen by {how} (least error {100 * error:.2g} %)"
    return Tuned(tuned, choice, (note, choice.note) if size is None else (note,))


def choose_size(
    selector: Selector, source: Source, folded: Folded[Evidence] | LeftOut[Evidence], only: int | None = None
) -> SizeChoice:
    """Select on the training rows of each fold, evaluate every size on the test rows, and apply the selector's rule.

    only : evaluate this size and no other
    """
    criterion, search = (selector if only is None else selector._with_sizes([only])).sentence()
    limit = only or min(selector.max_features, source.n_features)
    paths = [search.run(selector._bind(criterion, folded.without(k)), limit).path for k in range(folded.n_folds)]
    # Where errors are steady shows only from all of them.
    tried = range(1, limit + 1) if selector.rule == "stable" else candidate_sizes(limit)
    sizes = [size for size in ([only] if only else tried) if all(size in path for path in paths)]
    columns = sorted({column for path in paths for size in sizes for column in path[size]})
    degree = selector._evaluation_degree()
    estimator = selector.estimator if selector.estimator is not None else StandardizedSVM(degree)
    max_rows = _MAX_ROWS if selector.estimator is not None or degree == 1 else _MAX_ROWS_WITH_KERNEL
    share = min(1.0, max_rows / max(folded.n_rows, 1))
    rows = source.only(columns).collect(RowSample(folded.assignment, share, selector.random_state))
    subsets = [[np.searchsorted(columns, path[size]) for size in sizes] for path in paths]
    errors = _fold_errors(estimator, rows, subsets)
    mean, spread = errors.mean(axis=0), standard_error(errors)
    best, at = int(np.argmin(mean)), _index_by_rule(errors, selector.rule)
    what = str(estimator) if selector.estimator is None else type(estimator).__name__
    note = (
        f"{sizes[at]} chosen by {len(errors)}-fold cross-validation of {what}: error {100 * mean[at]:.2g} % "
        f"± {100 * spread[at]:.1g} ({_RULES[selector.rule]}, {100 * mean[best]:.2g} % at {sizes[best]})"
    )
    chance = 1 - np.bincount(rows.codes, rows.weights).max() / rows.weights.sum()
    if mean[at] + spread[at] >= chance:
        note += f"; that is no better than always predicting the largest class ({100 * chance:.2g} %)"
    curve = dict(zip(sizes, zip(mean.tolist(), spread.tolist(), strict=True), strict=True))
    return SizeChoice(sizes[at], curve, note)


def _index_by_rule(errors: Floats, rule: str) -> int:
    if rule == "1se":
        return one_standard_error_rule(errors)
    mean = errors.mean(axis=0)
    return stable_least(mean.tolist()) if rule == "stable" else int(np.argmin(mean))


def _fold_errors(estimator: Classifier, rows: RowSample, subsets: Sequence[Sequence[Indices]]) -> Floats:
    """Return the error of each fold, a row, with each of its subsets; a fold without test or training rows has none."""
    errors = []
    for k, of_fold in enumerate(subsets):
        is_test = rows.folds == k
        if is_test.any() and not is_test.all():
            errors.append([_error(estimator, rows, subset, is_test) for subset in of_fold])
    return np.array(errors)


def _error(estimator: Classifier, rows: RowSample, columns: Indices, is_test: Mask) -> float:
    """Return the share, by weight, of the test rows that a classifier trained on the other rows gets wrong."""
    texts = set(rows.categorical_columns)
    values, _ = one_hot(rows.values[:, columns], [i for i, column in enumerate(columns.tolist()) if column in texts])
    train = values[~is_test], rows.codes[~is_test], rows.weights[~is_test]
    wrong = misclassified(estimator, *train, values[is_test], rows.codes[is_test])
    return float(np.average(wrong, weights=rows.weights[is_test]))


def one_standard_error_rule(errors: Floats) -> int:
    """Return the index of the first size whose mean error is within one standard error of the least.

    errors : the error on each fold, a row, at each size, a column
    """
    mean = errors.mean(axis=0)
    best = int(np.argmin(mean))
    return int(np.flatnonzero(mean <= mean[best] + standard_error(errors)[best] + _TIE)[0])


def standard_error(errors: Floats) -> Floats:
    """Return the standard error of the mean over the folds at each size; zero where there is one fold."""
    if len(errors) == 1:
        return np.zeros(errors.shape[1])
    return np.asarray(np.std(errors, axis=0, ddof=1) / np.sqrt(len(errors)))


def stable_range(errors: Sequence[float]) -> range:
    """Return the run of sizes, as indices, where the error is small and steady: Omega of the mRMR paper.

    Of all windows of max(3, n/10 rounded up) sizes the first with the least mean + standard deviation of its errors,
    extended right, then left, while errors do not exceed its largest. The paper chooses Omega by eye.
    """
    n = len(errors)
    width = min(n, max(3, math.ceil(n / 10)))
    windows = np.lib.stride_tricks.sliding_window_view(np.asarray(errors, dtype=np.float64), width)
    unsteadiness = windows.mean(axis=1) + windows.std(axis=1)
    first = int(np.flatnonzero(unsteadiness <= unsteadiness.min() + _TIE)[0])
    last = first + width - 1
    limit = float(windows[first].max()) + _TIE
    while last + 1 < n and errors[last + 1] <= limit:
        last += 1
    while first > 0 and errors[first - 1] <= limit:
        first -= 1
    return range(first, last + 1)


def stable_least(errors: Sequence[float]) -> int:
    """Return the first index of the least error within the stable range: n* of the mRMR paper, less one."""
    within = stable_range(errors)
    least = min(errors[i] for i in within)
    return next(i for i in within if errors[i] <= least + _TIE)
