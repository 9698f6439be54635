"""The metric of a comparison: as requested, or as the classes of its tables suggest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fewest.display.formatting import percent
from fewest.errors import InvalidParameter
from fewest.evaluation.design.labelled_tables import Table
from fewest.evaluation.design.resampling import Split
from fewest.metrics import ErrorRate, Metric, default_metric


def metric_of_tables(
    requested: Metric | None, tables: Sequence[Table], splits: Sequence[Sequence[Split]]
) -> tuple[Metric, str | None]:
    """The metric, one for all tables, and why it is not the error where nobody asked for another.

    A metric that is no mean over rows needs test rows of two classes in every split: such a request is refused, and by
    default it is the error then.
    """
    alone = next((table for table, own in zip(tables, splits, strict=True) if _has_one_class(table, own)), None)
    if requested is not None:
        if alone is not None and not requested.is_by_row:
            raise InvalidParameter(
                f"The {requested.label} needs test rows of two classes in every split, and a split of {alone.name!r} "
                "has one (leave-one-out always does). Take folds (outer='10-fold'), or the metric 'error'."
            )
        n_splits = min(map(len, splits))
        if n_splits < 2 and (requested.low is None or requested.high is None):
            raise InvalidParameter(
                f"The {requested.label} of a single split has no interval. Take several splits, or the metric 'error'."
            )
        return requested, None
    if alone is None:
        for table in tables:
            counts = np.bincount(table.codes)
            metric = default_metric(counts.tolist())
            if metric.name != ErrorRate.name:
                where = f" of {table.name!r}" if len(tables) > 1 else ""
                share = percent(float(counts[counts > 0].min() / counts.sum()))
                return metric, f"the smallest class{where} has {share} of the rows"
    return ErrorRate(), None


def _has_one_class(table: Table, splits: Sequence[Split]) -> bool:
    return any(len(np.unique(table.codes[test])) < 2 for _, test in splits)
