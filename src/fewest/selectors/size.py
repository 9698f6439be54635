"""How many features: cross-validation over the sizes, selecting anew inside each fold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fewest.arrays import Floats, Indices, Mask
from fewest.data.source import Source
from fewest.selectors.evaluator import StandardizedSVM, misclassified, one_hot
from fewest.selectors.size_rules import one_standard_error_rule, stable_least, standard_error
from fewest.size_grid import candidate_sizes
from fewest.statistics.folded import Folded, LeftOut
from fewest.statistics.row_sample import RowSample

#: Enough to know an error to about half a percent; a table of any length is judged on a sample of this size. A machine
#: whose kernel multiplies columns takes time that grows with the square of the rows, and gets fewer.
_ROWS_JUDGED, _ROWS_JUDGED_TOGETHER = 5000, 2000

_RULES = {
    "1se": "the fewest within one standard error of the least",
    "min": "the least error",
    "stable": "the least error where errors are steady",
}


@dataclass(frozen=True)
class SizeChoice:
    """The size chosen, and the error at every size that was tried."""

    size: int
    curve: dict[int, tuple[float, float]]
    note: str


def choose_size(
    selector: Any, source: Source, folded: Folded[Any] | LeftOut[Any], only: int | None = None
) -> SizeChoice:
    """Select on each fold's training rows, judge every size on the rest, and apply the selector's rule.

    only : judge this size and no other
    """
    criterion, search = (selector if only is None else selector.with_sizes([only])).sentence()
    limit = only or min(selector.max_features, source.n_features)
    paths = [search.run(selector.bind(criterion, folded.without(k)), limit).path for k in range(folded.n_folds)]
    # Where errors are steady can only be told from all of them.
    tried = range(1, limit + 1) if selector.rule == "stable" else candidate_sizes(limit)
    sizes = [size for size in ([only] if only else tried) if all(size in path for path in paths)]
    columns = sorted({column for path in paths for size in sizes for column in path[size]})
    degree = selector.evaluation_degree()
    judge = selector.estimator if selector.estimator is not None else StandardizedSVM(degree)
    limit_of_rows = _ROWS_JUDGED if selector.estimator is not None or degree == 1 else _ROWS_JUDGED_TOGETHER
    share = min(1.0, limit_of_rows / max(folded.n_rows, 1))
    rows = source.only(columns).collect(RowSample(folded.assignment, share, selector.random_state))
    places = [[np.searchsorted(columns, path[size]) for size in sizes] for path in paths]
    errors = _errors(judge, rows, places)
    mean, spread = errors.mean(axis=0), standard_error(errors)
    best = int(np.argmin(mean))
    at = _chosen(errors, selector.rule)
    what = str(judge) if selector.estimator is None else type(judge).__name__
    note = (
        f"{sizes[at]} chosen by {len(errors)}-fold cross-validation of {what}: error {100 * mean[at]:.2g} % "
        f"± {100 * spread[at]:.1g} ({_RULES[selector.rule]}, {100 * mean[best]:.2g} % at {sizes[best]})"
    )
    chance = 1 - np.bincount(rows.codes, rows.weights).max() / rows.weights.sum()
    if mean[at] + spread[at] >= chance:
        note += f"; that is no better than always saying the largest class ({100 * chance:.2g} %)"
    curve = dict(zip(sizes, zip(mean.tolist(), spread.tolist(), strict=True), strict=True))
    return SizeChoice(sizes[at], curve, note)


def _chosen(errors: Floats, rule: str) -> int:
    """Return the index of the size that the rule takes."""
    if rule == "1se":
        return one_standard_error_rule(errors)
    mean = errors.mean(axis=0)
    return stable_least(mean.tolist()) if rule == "stable" else int(np.argmin(mean))


def _errors(judge: Any, rows: RowSample, subsets: Sequence[Sequence[Indices]]) -> Floats:
    """The error on each fold, a row, of each of its subsets; a fold without rows or without others has no row."""
    errors = []
    for k, of_fold in enumerate(subsets):
        is_test = rows.folds == k
        if is_test.any() and not is_test.all():
            errors.append([_error(judge, rows, subset, is_test) for subset in of_fold])
    return np.array(errors)


def _error(judge: Any, rows: RowSample, columns: Indices, is_test: Mask) -> float:
    """The share, by weight, of a fold's rows that a classifier trained on the other rows gets wrong."""
    texts = set(rows.categorical_columns)
    values, _ = one_hot(rows.values[:, columns], [i for i, column in enumerate(columns.tolist()) if column in texts])
    wrong = misclassified(
        judge, values[~is_test], rows.codes[~is_test], rows.weights[~is_test], values[is_test], rows.codes[is_test]
    )
    return float(np.average(wrong, weights=rows.weights[is_test]))
