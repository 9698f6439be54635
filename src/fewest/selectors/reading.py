"""Rows are read once; twice where they are too many to be kept."""

from __future__ import annotations

from typing import Any

from fewest.data.source import Source
from fewest.errors import TooManyRows
from fewest.protocols import AnyCriterion, KeepsRows
from fewest.statistics.folded import Folded, GivenFolds, LeftOut, SpreadFolds

#: Rows of a stream that are kept may take this much, where they can be read again instead.
_KEPT_OF_A_STREAM = 128 << 20


def read(criterion: AnyCriterion, source: Source) -> Any:
    """The statistic that the criterion needs, of all rows."""
    if _may_be_kept(criterion, source):
        try:
            return source.collect(_statistic(criterion, source))
        except TooManyRows:
            if _column_summary(criterion, source) is None:
                raise
    known = source.collect(_column_summary(criterion, source))
    return source.collect(criterion.second_pass(known))  # type: ignore[attr-defined]


def read_in_folds(
    criterion: AnyCriterion, source: Source, assignment: SpreadFolds | GivenFolds
) -> Folded[Any] | LeftOut[Any]:
    """The same of the rows outside each fold, and of all."""
    if _may_be_kept(criterion, source):
        try:
            return source.collect(Folded(_statistic(criterion, source, assignment.n_folds), assignment))
        except TooManyRows:
            if _column_summary(criterion, source) is None:
                raise
    known = source.collect(Folded(_column_summary(criterion, source), assignment))
    after: Any = criterion.second_pass  # type: ignore[attr-defined]
    outside = [after(known.without(k)) for k in range(known.n_folds)]
    return source.collect(LeftOut(outside, after(known.whole()), assignment))


def _column_summary(criterion: Any, source: Source) -> Any:
    """What a first of two reads leaves behind; None where there is but one."""
    return criterion.column_summary() if hasattr(criterion, "column_summary") and not source.is_in_memory else None


def _may_be_kept(criterion: AnyCriterion, source: Source) -> bool:
    """Whether the rows may be few enough; a value takes a byte at least."""
    if _column_summary(criterion, source) is None or source.n_rows is None:
        return True
    return source.n_rows * source.n_features <= _KEPT_OF_A_STREAM


def _statistic(criterion: AnyCriterion, source: Source, n_parts: int = 1) -> Any:
    statistic = criterion.statistic()
    if isinstance(statistic, KeepsRows) and _column_summary(criterion, source) is not None:
        return statistic.limited_to(_KEPT_OF_A_STREAM // n_parts)
    return statistic
