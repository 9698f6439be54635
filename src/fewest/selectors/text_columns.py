"""Columns of text for methods that need numbers: indicators of categories, taken or left as one feature."""

from __future__ import annotations

from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from fewest.arrays import Indices, Mask
from fewest.data.source import Source
from fewest.errors import IncompleteColumns, MissingValues, OverflowingColumn
from fewest.grouped_columns import ColumnGroups, group_columns
from fewest.protocols import AnyCriterion, Criterion, Evidence, Objective
from fewest.statistics.class_moments import ClassMoments
from fewest.statistics.indicator_source import IndicatorSource

Bound = TypeVar("Bound")


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
    shown = ", ".join(map(repr, names[:5])) + (", …" if len(names) > 5 else "")
    return (
        f"{len(names)} column(s) of text have more than 10 categories, none of them in 5 rows, and count as constant: "
        f"{shown}. They look like identifiers",
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
    criterion: Criterion[Evidence, Bound], statistic: Evidence, names: NDArray[np.object_] | None = None
) -> Bound:
    """Return the criterion's objective, on features where some columns are indicators; an error names the column.

    names : of the features, where they have some
    """
    try:
        objective = criterion.bind(statistic)
    except (IncompleteColumns, MissingValues, OverflowingColumn) as error:
        if names is None or isinstance(error.column, str):
            raise
        kind, (_, *others) = error.__reduce__()
        feature_of = features_of(statistic)
        is_feature = isinstance(error, IncompleteColumns)
        column = error.column if feature_of is None or is_feature else feature_of[error.column]
        raise kind(names[column], *others) from None
    return on_features(objective, statistic)
