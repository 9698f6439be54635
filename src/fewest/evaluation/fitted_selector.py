"""The selector that a comparison recommends, fitted on all rows as the comparison fitted it.

It is built from what the comparison stores, so that no data are kept, and a comparison that was read from JSON has it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from fewest.errors import FewestError
from fewest.evaluation.design.compared_methods import to_methods
from fewest.evaluation.results import MethodResult, TableResult
from fewest.selection import Selection
from fewest.selectors.adapters.without_columns import ChosenBefore, WithoutColumns
from fewest.selectors.collection import DataFacts
from fewest.selectors.registry import method_by_name
from fewest.selectors.selector import Selector


def fitted_selector(
    table: TableResult, method: MethodResult, columns: Sequence[int], selector: Selector | None
) -> Selector | WithoutColumns | ChosenBefore:
    """Return the method with its parameters and this number of features, fitted on all rows.

    columns : the recommended features, in their order
    selector : the method itself, where it is known; otherwise it is made from its name and parameters
    """
    names = list(table.feature_names)
    given = list(table.input_names or names)
    is_named = given != [f"x{column}" for column in range(len(given))]
    selection = _selection(table, method, columns)
    own = _made_from(method) if selector is None else clone(selector)
    if own is None:
        kept = [given.index(name) for name in names]
        found = replace(selection.among_all(kept, len(given), given), features=tuple(names[c] for c in columns))
        return ChosenBefore(method.name).adopt(found, given, is_named)
    own = own._with_sizes([len(columns)])
    fitted: Selector = clone(own)
    fitted.n_features_in_ = len(names)
    if is_named:
        fitted.feature_names_in_ = np.asarray(names, dtype=object)
    counts = dict(zip(table.classes, table.class_counts, strict=True))
    started = time.perf_counter() - (method.whole["seconds"] if method.whole else 0.0)
    notes = () if selection.provenance is None else selection.provenance.notes
    facts = DataFacts(table.n_rows, counts, table.fingerprint)
    fitted._store_selection(selection, fitted._provenance(started, facts, notes))
    left_out = tuple(name for name in given if name not in set(names))
    is_filled = bool(method.whole and method.whole.get("n_filled"))
    if not left_out and not is_filled:
        return fitted
    return WithoutColumns(own, left_out, is_filled).adopt(fitted, given, is_named)


def _selection(table: TableResult, method: MethodResult, columns: Sequence[int]) -> Selection:
    """Return what the method selected on all rows, at the recommended size."""
    whole = method.whole
    assert whole is not None
    if table.views is not None and table.views.selection is not None:
        return Selection.from_json(json.dumps(table.views.selection))
    scores = [whole["scores"].get(str(column)) for column in columns]
    of_all = whole["column_scores"]
    return Selection(
        tuple(columns),
        tuple(np.nan if score is None else score for score in scores),
        path={len(subset): tuple(subset) for subset in whole["path"] if len(subset) <= len(columns)},
        column_scores=None if of_all is None else np.array([np.nan if one is None else one for one in of_all]),
    )


def _made_from(method: MethodResult) -> Selector | None:
    """Return the selector of this name with these parameters; None where JSON cannot hold them."""
    name = method.name.partition("(")[0]
    try:
        kind = method_by_name(name)
        known = kind().get_params(deep=False)
        parameters: dict[str, Any] = {key: _as_tuple(value) for key, value in method.parameters.items() if key in known}
        selector = kind(**parameters)
        selector._checked_sentence()
    except (FewestError, TypeError):
        try:
            (selector,) = to_methods(method.name).values()
        except FewestError:
            return None
    return selector


def _as_tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value
