"""Columns that alone separate the classes, by intervals of their values or by the values themselves."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from fewest._core import sort_columns, stumps_right
from fewest.arrays import Codes, Floats, Indices, Integers, Mask
from fewest.checks.column_traits import FEW, ColumnTraits, ValueCells
from fewest.checks.profile import Profile
from fewest.threads import thread_count

#: A column separates the classes where its balanced error is at most this.
_MOST_ERROR = 0.02
#: The same of a column far ahead of all others, of which none is as good as the second figure, among some columns.
_MOST_ERROR_ALONE, _LEAST_ERROR_OF_OTHERS, _SOME_COLUMNS = 0.05, 0.10, 3
#: The same in the few rows that are tried first.
_MOST_SCREEN_ERROR = 0.10
#: Fewer rows than this say nothing.
_FEWEST_ROWS = 10
#: How improbable the separation must be, by chance, in any of the columns.
_LEVEL = 0.01
#: The unit of balanced weights, which are whole numbers.
_UNIT = 1 << 30


@dataclass(frozen=True)
class Separation:
    """How well one column alone separates the classes.

    error : the balanced error: the mean over the classes of the share of their rows that are misclassified
    n_errors : the rows, of those looked at, that are misclassified
    is_copy : each class has a value of its own
    """

    column: int
    error: float
    n_errors: int
    is_copy: bool


def separating_columns(profile: Profile, traits: ColumnTraits) -> list[Separation]:
    """The columns whose values alone separate the classes, far beyond what chance gives in any column.

    One that does so less well is among them where all others are much worse: not all that leaks is without errors.
    """
    sample = profile.sample
    if np.count_nonzero(sample.class_counts) < 2 or sample.n_rows < _FEWEST_ROWS:
        return []
    if sample.is_sparse:
        candidates = _screen_sparse(profile)
    else:
        candidates = np.union1d(np.flatnonzero(profile.is_text), _screen_dense(profile, traits))
    candidates = candidates[~profile.is_constant[candidates]]
    tried = (_separation(profile, int(column)) for column in candidates)
    found = [one for one in tried if one is not None]
    clear = [one for one in found if one.error <= _MOST_ERROR]
    is_alone = len(found) == 1 and profile.n_columns >= _SOME_COLUMNS
    return [one for one in found if one.error <= _MOST_ERROR_ALONE] if is_alone else clear


def _separation(profile: Profile, column: int) -> Separation | None:
    cells = ValueCells.of(profile.sample, column)
    error = _error_by_values(cells)
    if profile.is_text[column] and error > _LEAST_ERROR_OF_OTHERS:
        return None
    table = cells.table()
    table = table[:, table.sum(axis=0) > 0]
    shares = table / table.sum(axis=0)
    tried = [(error, _predicted_by_values(table, shares))]
    if not profile.is_text[column]:
        tried.append(_by_intervals(table, shares))
    error, predicted = min(tried, key=lambda one: one[0])
    n_classes = table.shape[1]
    # The chance of as much information in one column is about this; each order of classes and each cut is a try.
    log_tries = math.lgamma(n_classes + 1) + (n_classes - 1) * math.log(len(table)) + math.log(profile.n_columns)
    if error > _LEAST_ERROR_OF_OTHERS or log_tries - _information(predicted) > math.log(_LEVEL):
        return None
    n_errors = int(predicted.sum() - np.trace(predicted))
    is_copy = n_errors == 0 and len(table) == n_classes and bool(((table > 0).sum(axis=1) == 1).all())
    return Separation(column, error, n_errors, is_copy)


def _error_by_values(cells: ValueCells) -> float:
    """The balanced error of predicting each row by the others of the same value.

    A value of one row only predicts nothing.
    """
    totals = np.bincount(cells.code, cells.count, cells.n_classes)
    shares = cells.count / totals[cells.code]
    # The largest share of each value, and the largest of the other classes.
    order = np.lexsort((-shares, cells.value))
    firsts = np.flatnonzero(np.diff(cells.value[order], prepend=-1))
    largest, second = np.zeros((2, len(cells.distinct)))
    largest[cells.value[order[firsts]]] = shares[order[firsts]]
    has_second = np.diff(np.append(firsts, len(order))) > 1
    seconds = order[firsts[has_second] + 1]
    second[cells.value[seconds]] = shares[seconds]
    left = (cells.count - 1) / totals[cells.code]
    is_largest = shares == largest[cells.value]
    is_wrong = left <= np.where(is_largest, second[cells.value], largest[cells.value])
    errors = np.bincount(cells.code, np.where(is_wrong, shares, 0.0), cells.n_classes)
    return float(errors[totals > 0].mean())


def _predicted_by_values(table: Integers, shares: Floats) -> Integers:
    """The rows by prediction and class, where each value predicts the class of its largest share."""
    predicted = np.zeros((table.shape[1], table.shape[1]), dtype=np.int64)
    np.add.at(predicted, shares.argmax(axis=1), table)
    return predicted


def _by_intervals(table: Integers, shares: Floats) -> tuple[float, Integers]:
    """The balanced error with one interval of values a class, in the order of medians; rows by prediction and class."""
    n_classes = table.shape[1]
    below = np.concatenate([np.zeros((1, n_classes)), np.cumsum(shares, axis=0)])
    order = np.argsort((below < 0.5).sum(axis=0), kind="stable")
    predicted = np.zeros((n_classes, n_classes), dtype=np.int64)
    start = 0
    for k, label in enumerate(order, start=1):
        cost = (1.0 - below[:, order[:k]]).sum(axis=1) + below[:, order[k:]].sum(axis=1)
        end = max(start, int(np.argmin(cost))) if k < n_classes else len(table)
        predicted[label] = table[start:end].sum(axis=0)
        start = end
    right = np.diag(predicted) / table.sum(axis=0)
    return 1.0 - float(right.mean()), predicted


def _information(predicted: Integers) -> float:
    """The number of rows times the mutual information, in nats, of prediction and class."""
    expected = predicted.sum(axis=1, keepdims=True) * (predicted.sum(axis=0, keepdims=True) / predicted.sum())
    present = predicted > 0
    return float((predicted[present] * np.log(predicted[present] / expected[present])).sum())


def _screen_dense(profile: Profile, traits: ColumnTraits) -> Indices:
    """Columns that may separate the classes, by a few rows of each class, then by more of them."""
    # A value, or that it is missing, stands for one class at most.
    n_classes = int(np.count_nonzero(profile.sample.class_counts))
    is_fine = traits.n_distinct + (profile.missing > 0) >= min(n_classes, FEW + 1)
    columns = np.flatnonzero(~profile.is_text & ~profile.is_constant & is_fine)
    for per_class in (12, 64):
        screen = profile.screen_of(per_class)
        counts = np.bincount(screen.codes, minlength=len(screen.classes))
        passed = [chunk[_may_separate(values, traits, chunk, screen.codes, counts)]
                  for chunk, values in screen.column_chunks(columns)]  # fmt: skip
        columns = np.concatenate([np.zeros(0, dtype=np.intp), *passed])
    return columns


def _may_separate(values: Floats, traits: ColumnTraits, columns: Indices, codes: Codes, counts: Indices) -> Mask:
    n_classes = int(np.count_nonzero(counts))
    weights = (_UNIT // np.maximum(counts, 1))[codes].astype(np.int64)
    right = np.zeros(len(columns), dtype=np.int64)
    ordered, among = sort_columns(values, thread_count()), np.arange(len(columns), dtype=np.int64)
    stumps_right(ordered, codes, weights, len(counts), among, right, thread_count())
    # One threshold separates the two largest classes of any order.
    is_possible: Mask = right >= 2 * _UNIT * (1.0 - _MOST_SCREEN_ERROR) - len(codes)
    if n_classes > 2:
        possible = np.flatnonzero(is_possible)
        is_possible[possible] = _has_few_changes(values[:, possible], codes, n_classes)
    n_distinct = traits.n_distinct[columns]
    few = np.flatnonzero((n_distinct > 2) & (n_distinct <= FEW) & ~is_possible)
    is_possible[few] = _has_pure_values(values[:, few], traits.distinct[columns[few]], codes, counts)
    return is_possible


def _has_few_changes(values: Floats, codes: Codes, n_classes: int) -> Mask:
    """Whether the class changes seldom along the sorted values of each column."""
    if values.shape[1] == 0:
        return np.zeros(0, dtype=bool)
    in_order = codes[np.lexsort((np.broadcast_to(codes[:, None], values.shape), values), axis=0)]
    changes = (in_order[1:] != in_order[:-1]).sum(axis=0)
    # A row among those of another class makes two changes.
    return np.asarray(changes <= n_classes - 1 + 2 * _MOST_SCREEN_ERROR * len(codes))


def _has_pure_values(values: Floats, distinct: Floats, codes: Codes, counts: Indices) -> Mask:
    """Whether each of few values is that of one class, up to some rows."""
    weights = 1.0 / np.maximum(counts, 1)
    of_class = np.where(codes[None, :] == np.arange(len(counts))[:, None], weights[:, None], 0.0)
    right = (of_class @ np.isnan(values)).max(axis=0)
    for value in distinct.T:
        right += (of_class @ (values == value)).max(axis=0)
    return np.asarray(right >= np.count_nonzero(counts) * (1.0 - _MOST_SCREEN_ERROR))


def _screen_sparse(profile: Profile) -> Indices:
    """Columns that are zero in nearly no row of any class but one."""
    sample = profile.sample
    present = np.flatnonzero(sample.class_counts)
    member = sparse.csr_array(
        (sample.counts.astype(np.float64), (sample.codes, np.arange(len(sample)))),
        shape=(len(sample.classes), len(sample)),
    )
    filled = sample.values.copy()
    filled.data = (filled.data != 0).astype(np.float64)
    shares = np.asarray((member @ filled).todense())[present] / sample.class_counts[present, None]
    is_filled = (shares >= 1.0 - _MOST_ERROR * len(present)).sum(axis=0) >= len(present) - 1
    return np.flatnonzero(is_filled & ~profile.is_constant)
