"""What is known of the recommended features beyond their error: pictures, proof and substitutes."""

from __future__ import annotations

import json
import math
import time
from dataclasses import replace
from typing import Any

import numpy as np

from fewest.errors import FewestError
from fewest.evaluation.run.cases import Case
from fewest.evaluation.run.trial import fit_on
from fewest.evaluation.run.worker_pool import WorkerPool
from fewest.evaluation.summary.pictures import pictures_of
from fewest.evaluation.summary.recommendation import Recommendation
from fewest.evaluation.summary.substitutes import substitutes_of
from fewest.selection import Selection
from fewest.selectors.search_space import allowed_subsets
from fewest.summary import Views


def views_of(
    case: Case, best: Recommendation | None, pool: WorkerPool | None = None, end: float = math.inf
) -> Views | None:
    """Return pictures of the recommended features, what is proved of them, and what could take the place of each.

    pool : processes that evaluate substitutes; None evaluates them here
    end : the time, as of time.perf_counter, after which no more are evaluated
    """
    if best is None or not best.beats_guessing:
        return None
    table, plan = case.table, case.plan
    pictures = pictures_of(table, best.columns, plan.seed)
    selection = None
    if best.result.whole is not None and best.result.whole["seconds"] < 0.3 * (end - time.perf_counter()):
        selection = _selection(case, best.method, len(best.columns))
    # Nothing is proved of these features where the method selects others if asked for this size alone.
    if selection is not None and set(selection.indices) != set(best.columns):
        selection = None
    may_take = allowed_subsets(case.selectors[best.method], table.feature_names)
    return Views(
        pictures,
        None if selection is None else selection.certificate,
        substitutes_of(table, best, plan, may_take, pool, end),
        None if selection is None else _as_json(selection),
    )


def _as_json(selection: Selection) -> dict[str, Any]:
    """Return what to_json writes, without the time that it took, which no other run repeats."""
    if selection.provenance is not None:
        selection = replace(selection, provenance=replace(selection.provenance, seconds=0.0))
    content: dict[str, Any] = json.loads(selection.to_json())
    return content


def _selection(case: Case, method: str, size: int) -> Selection | None:
    """Select on all rows, or on those of them on which methods select; None where the method fails."""
    rows = case.table_splits.select_of_all
    try:
        selector = case.selectors[method]
        fitted, _ = fit_on(selector, case.table, np.arange(case.table.n_rows) if rows is None else rows, [size])
        return fitted.selection_
    except FewestError:
        return None
