"""From what fit was given to a source of rows, and from the source to the statistic that a criterion needs."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import validate_data

from fewest._core import release_freed_memory
from fewest.arrays import Indices, Integers
from fewest.data.array import ArraySource, without_mask
from fewest.data.frame import FrameSource, is_frame, refuse_lazy
from fewest.data.labels import Target, as_labels
from fewest.data.source import Source
from fewest.data.sparse_matrix import Matrix, as_compressed
from fewest.display.formatting import count
from fewest.errors import InvalidInput, InvalidType, TooManyRows
from fewest.memory import STORED_ROWS_OF_STREAM, check_stored_rows
from fewest.protocols import AnyCriterion, Evidence, KeepsRows, ReadsTwice
from fewest.selectors.class_checks import check_classes
from fewest.selectors.text_columns import readable_by
from fewest.statistics.class_moments import ClassMoments
from fewest.statistics.content_folds import group_codes
from fewest.statistics.rescaled_source import RescaledSource
from fewest.statistics.rows_or_summary import GivesRows, RowsOrSummary
from fewest.statistics.sampled_source import SampledSource
from fewest.statistics.shared_passes import SharedPasses
from fewest.statistics.splits import Assignment, Folded, LeftOut, SharesRows

if TYPE_CHECKING:
    from fewest.selectors.columns import ColumnsMixin

#: Powers of two: between these limits even the fourth power of a column is far from both ends of what float64 holds.
_SMALLEST, _LARGEST = -200, 200
#: The largest power that is itself a finite number.
_MOST = 1000


def to_source(
    selector: ColumnsMixin, X: object, y: object, sample_weight: object, *, is_new: bool, takes_text: bool = False
) -> Source:
    """Return X and y as a source of rows; set, or check, the selector's number and names of the columns.

    takes_text : text is read as codes of categories; otherwise it is refused
    """
    source = as_source(selector, X, y, sample_weight, is_new)
    if takes_text:
        return source.with_text_as_codes()
    if source.text_columns:
        shown = ", ".join(map(repr, source.text_columns[:5])) + (", …" if len(source.text_columns) > 5 else "")
        raise InvalidInput(
            f"{type(selector).__name__} needs numbers, and {len(source.text_columns)} column(s) hold text, "
            f"categories or dates: {shown}. Drop them or encode them as numbers."
        )
    return source


def as_source(selector: ColumnsMixin, X: object, y: object, sample_weight: object, is_new: bool) -> Source:
    """Return X and y as a source of rows, of numbers or text; set, or check, the number and names of the columns."""
    if isinstance(X, Source):
        return _checked_source(selector, X, y, sample_weight, is_new)
    if y is None:
        raise InvalidInput(
            f"{type(selector).__name__} requires y to be passed, but the target y is None. Give the class of each row."
        )
    if not isinstance(X, np.ndarray) and is_frame(X):
        validate_table(selector, X, is_new=is_new, is_checked=True)
        return _with_columns(FrameSource(X, Target(_one_column(y), sample_weight)))
    values = validate_table(selector, without_mask(X), is_new=is_new)
    return ArraySource(values, Target(_one_column(y), sample_weight))


def _checked_source(selector: ColumnsMixin, source: Source, y: object, sample_weight: object, is_new: bool) -> Source:
    if y is not None or sample_weight is not None:
        raise InvalidInput("A source made by scan() has its own labels and weights: leave out y and sample_weight.")
    _with_columns(source)
    known = getattr(selector, "feature_names_in_", None)
    if is_new:
        selector.n_features_in_ = source.n_features
        if source.feature_names is not None:
            selector.feature_names_in_ = np.asarray(source.feature_names, dtype=object)
        elif known is not None:
            del selector.feature_names_in_
    elif source.n_features != selector.n_features_in_:
        expected = f"{type(selector).__name__} is expecting {selector.n_features_in_} features as input."
        raise InvalidInput(f"X has {source.n_features} features, but {expected}")
    elif known is not None and source.feature_names is not None:
        for old, new in zip(known, source.feature_names, strict=True):
            if old != new:
                what = f"The source has the column {new!r} where earlier rows had {old!r}."
                raise InvalidInput(f"{what} Give the same columns, in the same order.")
    return source


def _with_columns(source: Source) -> Source:
    if source.n_features == 0:
        raise InvalidInput("There are no feature columns besides the target. Give at least one.")
    return source


def _one_column(y: object) -> NDArray[np.generic]:
    """Return labels in one dimension; a single column is taken as it is, with scikit-learn's warning."""
    if isinstance(y, str):
        raise InvalidType(f"y must hold the labels, one a row; got {y!r}. To name a column of X, fit scan(X, {y!r}).")
    labels = as_labels(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        warnings.warn("A column-vector y was passed when a 1d array was expected.", DataConversionWarning, stacklevel=5)
        labels = labels[:, 0]
    if labels.ndim != 1:
        what = f"an array of shape {labels.shape}" if labels.ndim else type(y).__name__
        raise InvalidInput(f"y should be a 1d array of labels, one a row, got {what} instead.")
    return labels


def validate_table(estimator: object, X: object, *, is_new: bool, is_checked: bool = False) -> Matrix:
    """Return X through scikit-learn's validation, which sets n_features_in_ and feature_names_in_; values are not read.

    is_checked : X is a frame, of which only the names and the number of columns are looked at
    """
    if not is_checked:
        _check_table(X)
    if sparse.issparse(X):
        X = as_compressed(X)
    try:
        return validate_data(
            estimator,
            X,
            reset=is_new,
            accept_sparse=["csr", "csc"],
            dtype=None,
            ensure_all_finite=False,
            skip_check_array=is_checked,
        )
    except TypeError as error:
        raise InvalidType(str(error)) from None
    except ValueError as error:
        raise InvalidInput(_without_values(str(error))) from None
    except Exception as error:  # what objects raise when they are made an array is up to them
        raise InvalidInput(f"X cannot be made a table ({type(error).__name__}: {error}).") from None


def _check_table(X: object) -> None:
    """Raise where X is no table in memory."""
    if isinstance(X, np.ndarray):
        return
    if isinstance(X, str | os.PathLike):
        name = os.fspath(X)
        raise InvalidType(f"X must be a table, got {name!r}. To read a file, use scan({name!r}, target).")
    if isinstance(X, Source):
        raise InvalidType("X must be a table in memory, got a source, of which only fit and partial_fit can read rows.")
    refuse_lazy(X)
    if X is None or (isinstance(X, Mapping | Set | Iterator) and not sparse.issparse(X)):
        raise InvalidType(
            "X must be a table: an array, a sparse matrix, or a frame of pandas, polars or pyarrow; got "
            f"{type(X).__name__} instead."
        )
    if isinstance(X, FunctionType | partial):
        raise InvalidType(
            "X must be a table, got a function. To read the record batches it makes, use scan(X, target)."
        )


def _without_values(message: str) -> str:
    """Return scikit-learn's message without the array that some of them print."""
    if "inhomogeneous" in message:
        return "The rows of X have different lengths. Give every row the same number of values."
    message = re.sub(r"(:\narray=.*?)?\.\n(?=Reshape)", ". ", message, flags=re.DOTALL)
    return re.sub(r"(Complex data not supported)\n.*", r"\1: X must hold real numbers.", message, flags=re.DOTALL)


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


def describe_sample(source: Source) -> tuple[str, ...]:
    """Return a note where the rows of a source are a sample."""
    if not isinstance(source, SampledSource):
        return ()
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
    if getattr(criterion, "scale", "std") is None or getattr(criterion, "estimator", None) is not None:
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
