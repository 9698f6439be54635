"""From a source to the statistic that a criterion needs, and to its objective on features; checks of both.

A column of text is, to a criterion that needs numbers, indicators of its categories, taken or left as one feature.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple, TypeVar, cast

import numpy as np

from fewest._core import release_freed_memory
from fewest.arrays import Indices, Integers, Mask
from fewest.data.source import Source
from fewest.display.formatting import count, first_names
from fewest.errors import (
    FewestWarning,
    IncompleteColumns,
    InvalidInput,
    MissingValues,
    OverflowingColumn,
    TooManyRows,
)
from fewest.memory import STORED_ROWS_OF_STREAM, check_stored_rows
from fewest.objectives.grouped_columns import ColumnGroups, group_columns
from fewest.protocols import AnyCriterion, Criterion, Evidence, KeepsRows, Objective, ReadsTwice
from fewest.selection import Selection
from fewest.statistics.class_moments import ClassMoments
from fewest.statistics.content_folds import group_codes
from fewest.statistics.indicator_source import IndicatorSource
from fewest.statistics.rescaled_source import RescaledSource
from fewest.statistics.rows_or_summary import GivesRows, RowsOrSummary
from fewest.statistics.sampled_source import SampledSource
from fewest.statistics.shared_passes import SharedPasses
from fewest.statistics.splits import Assignment, Folded, LeftOut, SharesRows

Bound = TypeVar("Bound")

#: Powers of two: between these limits even the fourth power of a column is far from both ends of what float64 holds.
_SMALLEST, _LARGEST = -200, 200
#: The largest power that is itself a finite number.
_MOST = 1000


class DataFacts(NamedTuple):
    """What is written down of the rows: their number, those of each class, and their fingerprint."""

    n_rows: int
    class_counts: dict[str, int]
    fingerprint: str

    @classmethod
    def of(cls, statistic: Evidence) -> DataFacts:
        """Return the facts of the rows of a statistic."""
        return cls(statistic.n_rows, statistic.counts_by_class(), statistic.fingerprint())


class CollectedRows(NamedTuple):
    """What was read: the statistic of all rows, and those outside each fold, for each way in which folds were drawn.

    source, readable : the rows, and as the criterion reads them; extreme columns are multiplied by powers of two
    facts : of the rows as they were given, all of them where the source is a sample
    sample : that sample, None where the rows are all
    """

    source: Source
    readable: Source
    statistic: Evidence
    training: list[Folded[Evidence] | LeftOut[Evidence]]
    facts: DataFacts
    sample: SampledSource | None

    def release_folds(self) -> None:
        """Hold the rows of the folds no longer."""
        self.training.clear()
        release_freed_memory()


def check_rows(criterion: AnyCriterion, source: Source) -> None:
    """Raise, before any data are read, where it is known that the rows are too many for the criterion to keep."""
    statistic = criterion.statistic()
    if source.n_rows is None or not isinstance(statistic, KeepsRows):
        return
    keeps_rows = source.is_in_memory or not isinstance(criterion, ReadsTwice) or criterion.column_summary() is None
    if source.is_distributed and (keeps_rows or getattr(criterion, "needs_all_rows", False)):
        # What would have to travel to this process, as floats.
        n_bytes = 8.0 * source.n_rows * source.n_features
        check_stored_rows(source.n_rows, source.n_features, n_bytes, STORED_ROWS_OF_STREAM)
    elif keeps_rows:
        statistic.check_size(source.n_rows, source.n_features)


def groups_of(source: Source, groups: object) -> object:
    """Return the groups of the rows of a source, which may be a sample of those for which there is a group each."""
    if groups is None or not isinstance(source, SampledSource):
        return groups
    return group_codes(groups, source.row_numbers)


def describe_sample(source: Source, size: int | None) -> tuple[str, ...]:
    """Return a note where the rows of a source are a sample, or all rows although a sample is asked for."""
    if not isinstance(source, SampledSource):
        return () if size is None else ("the sample holds all rows",)
    return (f"by a sample of {count(source.n_rows)} of {count(source.of_all.n_rows)} rows, every class in proportion",)


def collect_rows(
    criterion: AnyCriterion, source: Source, readable: Source, drawn: Sequence[Assignment], max_bytes: int
) -> CollectedRows:
    """Read the statistic that a criterion needs, and again with columns rescaled where some are extreme."""
    statistic, training = _collect(criterion, readable, drawn, max_bytes)
    check_classes(statistic)
    sample = source if isinstance(source, SampledSource) else None
    facts = DataFacts.of(statistic if sample is None else sample.of_all)
    exponents = _extreme_exponents(criterion, statistic, source.n_features)
    if exponents is not None:
        source = RescaledSource(source, exponents)
        readable = readable_by(criterion, source)
        statistic, training = _collect(criterion, readable, drawn, max_bytes)
    return CollectedRows(source, readable, statistic, training, facts, sample)


def _extreme_exponents(criterion: object, statistic: object, n_columns: int) -> Integers | None:
    """Return the power of two that brings each column of a table near 1, zero for ordinary ones; None where all are.

    Columns that the criterion takes as they are, unscaled or for a classifier of the user's, stay as they are.
    """
    estimator = getattr(criterion, "estimator", None)
    # Classifiers that have a name here standardize.
    if getattr(criterion, "scale", "std") is None or not (estimator is None or isinstance(estimator, str)):
        return None
    moments = getattr(statistic, "moments", statistic)
    if not isinstance(moments, ClassMoments):
        return None
    lowest, highest = moments.lowest, moments.highest
    largest = np.maximum(np.abs(lowest), np.abs(highest))
    is_observed = np.isfinite(largest)
    with np.errstate(invalid="ignore", over="ignore"):
        is_tiny = is_observed & (highest > lowest) & (highest - lowest < 2.0**_SMALLEST)
    is_extreme = is_tiny | (is_observed & (largest > 2.0**_LARGEST))
    if not is_extreme.any():
        return None
    exponents = np.zeros(n_columns, dtype=np.int64)
    powers = np.clip(-np.frexp(np.where(is_extreme, largest, 1.0))[1], -_MOST, _MOST)
    exponents[_columns_of(statistic, moments, n_columns)[is_extreme]] = powers[is_extreme]
    return exponents


def _columns_of(statistic: object, moments: ClassMoments, n_columns: int) -> Indices:
    """The column of the table that each column of the moments is, or is part of."""
    if moments.feature_of is not None:
        return moments.feature_of
    own = getattr(statistic, "float_columns", None)
    return np.arange(n_columns) if own is None or len(own) != moments.n_features else np.asarray(own, dtype=np.intp)


def _collect(
    criterion: AnyCriterion, source: Source, drawn: Sequence[Assignment], max_bytes: int
) -> tuple[Evidence, list[Folded[Evidence] | LeftOut[Evidence]]]:
    if not drawn:
        return collect_statistic(criterion, source, max_bytes), []
    training = [collect_folds(criterion, source, folds, max_bytes) for folds in drawn]
    return training[0].whole(), training


def collect_statistic(criterion: AnyCriterion, source: Source, max_bytes: int) -> Evidence:
    """Read the statistic that the criterion needs, of all rows: once, or twice where more than max_bytes are stored."""
    if not isinstance(criterion, ReadsTwice) or source.is_in_memory or (summary := criterion.column_summary()) is None:
        return source.collect(criterion.statistic())
    if _may_fit(source, max_bytes):
        rows = _limited(criterion.statistic(), max_bytes)
        if isinstance(rows, GivesRows) and not source.is_distributed:
            read = source.collect(RowsOrSummary(rows, summary))
            return source.collect(criterion.second_pass(read.summary())) if read.rows is None else read.rows
        with suppress(TooManyRows):
            return source.collect(rows)
    return source.collect_twice(summary, _SecondOf(criterion))


def collect_folds(
    criterion: AnyCriterion, source: Source, assignment: Assignment, max_bytes: int
) -> Folded[Evidence] | LeftOut[Evidence]:
    """Read the same of the rows outside each fold, and of all rows."""
    if not isinstance(criterion, ReadsTwice) or source.is_in_memory or (summary := criterion.column_summary()) is None:
        return source.collect(Folded(criterion.statistic(), assignment))
    second = _SecondOfFolds(criterion, source.is_distributed)
    if _may_fit(source, max_bytes):
        rows = _limited(criterion.statistic(), max_bytes // assignment.n_folds)
        if isinstance(rows, GivesRows) and not source.is_distributed:
            read = source.collect(Folded(RowsOrSummary(rows, summary), assignment)).folds
            if all(fold.rows is not None for fold in read):
                return Folded.of([fold.rows for fold in read if fold.rows is not None], assignment)
            return source.collect(second(Folded.of([fold.summary() for fold in read], assignment)))
        with suppress(TooManyRows):
            return source.collect(Folded(rows, assignment))
    return source.collect_twice(Folded(summary, assignment), second)


@dataclass(frozen=True)
class _SecondOf:
    """What a criterion collects in the second of two passes."""

    criterion: ReadsTwice

    def __call__(self, summary: Evidence) -> Evidence:
        return self.criterion.second_pass(summary)


@dataclass(frozen=True)
class _SecondOfFolds:
    """The same of the rows outside each fold, and of all rows."""

    criterion: ReadsTwice
    is_distributed: bool

    def __call__(self, known: Folded[Evidence]) -> LeftOut[Evidence]:
        outside = [self.criterion.second_pass(known.without(k)) for k in range(known.n_folds)]
        of_all = self.criterion.second_pass(known.whole())
        if isinstance(of_all, SharesRows) and not self.is_distributed:
            return of_all.left_out(outside, known.assignment)
        return LeftOut(outside, of_all, known.assignment)


def announce_passes(
    criterion: AnyCriterion, source: SharedPasses, drawn: Sequence[Assignment], max_bytes: int, *, is_both: bool = True
) -> None:
    """Have the next pass, or the next two, collect along what the criterion will ask for, if it needs two."""
    if not isinstance(criterion, ReadsTwice) or readable_by(criterion, source) is not source:
        return
    may_be_one = source.n_rows is not None and _may_fit(source, max_bytes)
    summary = None if may_be_one else criterion.column_summary()
    if summary is None:
        return
    for folds in drawn:
        second_of_folds = _SecondOfFolds(criterion, source.is_distributed)
        source.announce(Folded(summary, folds), second_of_folds if is_both else None)
    if not drawn:
        source.announce(summary, _SecondOf(criterion) if is_both else None)


def _may_fit(source: Source, max_bytes: int) -> bool:
    """Return whether the rows may fit; a value takes a byte at least, and must fit as a float where rows travel."""
    n_bytes = 8 if source.is_distributed else 1
    return source.n_rows is None or n_bytes * source.n_rows * source.n_features <= max_bytes


def _limited(statistic: Evidence, max_bytes: int) -> Evidence:
    """Return a statistic that refuses more rows than fit."""
    return statistic.limited_to(max_bytes) if isinstance(statistic, KeepsRows) else statistic


def takes_text(criterion: AnyCriterion) -> bool:
    """Return whether text is categories to this criterion, rather than columns of numbers."""
    return bool(getattr(criterion, "takes_text", False))


def readable_by(criterion: AnyCriterion, source: Source) -> Source:
    """Return the source as the criterion reads it: text as codes, or as indicators where it needs numbers."""
    return source if takes_text(criterion) or not source.text_columns else IndicatorSource.of(source)


def text_notes(source: Source) -> tuple[str, ...]:
    """Return a note on the columns of text that are constant to a method that needs numbers."""
    if not isinstance(source, IndicatorSource) or not source.without_frequent:
        return ()
    names = source.without_frequent
    return (
        f"{len(names)} column(s) of text have more than 10 categories, none of them in 5 rows, and count as constant: "
        f"{first_names(names)}. They look like identifiers",
    )


def features_of(statistic: Evidence) -> Indices | None:
    """Return the feature that each column of a statistic is part of; None where each column is one."""
    feature_of: Indices | None = getattr(getattr(statistic, "moments", statistic), "feature_of", None)
    return feature_of


def observed_features(statistic: Evidence) -> Mask | None:
    """Return which features hold a value at all, where the statistic knows."""
    is_observed: Mask | None = getattr(statistic, "is_observed", None)
    feature_of = features_of(statistic)
    if is_observed is None or feature_of is None:
        return is_observed
    observed: Mask = is_observed[ColumnGroups(feature_of).firsts]
    return observed


def varying_features(statistic: Evidence) -> Mask | None:
    """Return which features hold more than one value, or where that is not known any value."""
    moments = getattr(statistic, "moments", statistic)
    if not isinstance(moments, ClassMoments) or len(moments.lowest) != getattr(statistic, "n_features", -1):
        return observed_features(statistic)
    varies: Mask = moments.highest > moments.lowest
    feature_of = features_of(statistic)
    return varies if feature_of is None else np.logical_or.reduceat(varies, ColumnGroups(feature_of).firsts)


def on_features(objective: Bound, statistic: Evidence) -> Bound:
    """Return the objective on features, where some of its columns are indicators."""
    feature_of = features_of(statistic)
    if feature_of is None:
        return objective
    return cast(Bound, group_columns(cast(Objective, objective), ColumnGroups(feature_of)))


def bind_features(
    criterion: Criterion[Evidence, Bound], statistic: Evidence, name_of: Callable[[int], str] | None = None
) -> Bound:
    """Return the criterion's objective, on features where some columns are indicators; an error names the column.

    name_of : the name of a feature, where they have names
    """
    try:
        objective = criterion.bind(statistic)
    except (IncompleteColumns, MissingValues, OverflowingColumn) as error:
        if name_of is None or isinstance(error.column, str):
            raise
        kind, (_, *others) = error.__reduce__()
        feature_of = features_of(statistic)
        is_feature = isinstance(error, IncompleteColumns)
        column = error.column if feature_of is None or is_feature else feature_of[error.column]
        raise kind(name_of(int(column)), *others) from None
    return on_features(objective, statistic)


def check_classes(statistic: Evidence) -> None:
    """Raise unless there are at least two rows and two classes."""
    labels = [label for label, n in statistic.counts_by_class().items() if n > 0]
    if statistic.n_rows < 2:
        raise InvalidInput(
            f"The number of usable rows is {statistic.n_rows} (n_samples={statistic.n_rows}; rows without a label or "
            "with zero weight do not count); at least 2 are needed. Give more rows."
        )
    if len(labels) < 2:
        raise InvalidInput(
            f"All {statistic.n_rows} rows have the one class {labels[0]!r} (1 class); at least two classes are needed. "
            "Name another target, or give rows of other classes."
        )


def note_many_classes(statistic: Evidence) -> tuple[str, ...]:
    """Return a note, and warn, where classes are nearly as many as rows."""
    n_classes = np.count_nonzero(list(statistic.counts_by_class().values()))
    if n_classes <= max(statistic.n_rows / 2, 20):
        return ()
    what = f"{n_classes} classes in {statistic.n_rows} rows"
    return _warned(f"{what}: the target looks like a quantity or an identifier, not like a class")


def note_unobserved(statistic: Evidence, name_of: Callable[[int], str]) -> tuple[str, ...]:
    """Return a note, and warn, where columns hold no value at all; name_of : the name of a column."""
    is_observed = observed_features(statistic)
    if is_observed is None or is_observed.all():
        return ()
    unobserved = np.flatnonzero(~is_observed)
    shown = first_names([name_of(column) for column in unobserved.tolist()])
    return _warned(f"{len(unobserved)} column(s) hold no value at all and are ranked last: {shown}")


def check_finite(selection: Selection, varies: Mask | None, name_of: Callable[[int], str]) -> None:
    """Raise where the answer is not a number: the value, the bound, or the score of a column that varies."""
    for index, score in zip(selection.indices, selection.scores, strict=True):
        if math.isnan(score) and (varies is None or varies[index]):
            raise InvalidInput(
                f"The score of column {name_of(index)!r} is not a number: some values of the table are too large or "
                "too small to be squared and summed. Rescale its columns to a similar range."
            )
    for what, number in (("value", selection.value), ("bound", selection.bound)):
        if number is not None and not math.isfinite(number):
            raise InvalidInput(
                f"The {what} of the selection is {number}, not a finite number: some values of the table are too large "
                "or too small to be squared and summed. Rescale its columns to a similar range."
            )


def _warned(note: str) -> tuple[str, ...]:
    """Return the note, which is a warning of the caller of fit too."""
    warnings.warn(note, FewestWarning, stacklevel=5)
    return (note,)
