"""What is known of the recommended features beyond their error: pictures, proof and substitutes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from fewest.errors import FewestError
from fewest.evaluation.design.labelled_tables import Table
from fewest.evaluation.run.trial import fit_on
from fewest.evaluation.summary.pictures import pictures_of
from fewest.evaluation.summary.recommendation import Recommendation
from fewest.selection import Selection
from fewest.selectors.selector import Selector
from fewest.summary import Views

# Refits for substitutes: at most this number of features, and this number of seconds altogether.
_MAX_SUBSTITUTES, _MAX_SECONDS = 20, 30.0


def views_of(table: Table, best: Recommendation | None, selectors: Mapping[str, Selector], seed: int) -> Views | None:
    """Return pictures of the recommended features, what is proved of them, and a substitute for each."""
    if best is None or not best.beats_guessing:
        return None
    pictures = pictures_of(table, best.columns, seed)
    selector = selectors[best.method]
    selection = _selection(selector, table, len(best.columns))
    # Nothing is proved of these features where the method selects others if asked for this size alone.
    certificate = (
        selection.certificate() if selection is not None and set(selection.indices) == set(best.columns) else None
    )
    return Views(pictures, certificate, _substitutes(table, selector, best.columns, best.result.seconds))


def _selection(selector: Selector, table: Table, size: int) -> Selection | None:
    """Select on all rows; None where the method fails."""
    try:
        return fit_on(selector, table, np.arange(table.n_rows), [size]).selection_
    except FewestError:
        return None


def _substitutes(table: Table, selector: Selector, columns: Sequence[int], seconds: float) -> dict[str, str]:
    """Find the feature that is selected if each one is withheld, by column number."""
    if len(columns) > _MAX_SUBSTITUTES or seconds * len(columns) > _MAX_SECONDS or len(columns) >= table.n_columns:
        return {}
    found = {}
    for column in columns:
        others = [other for other in range(table.n_columns) if other != column]
        part = replace(
            table,
            values=table.values[:, np.asarray(others, dtype=np.intp)],
            feature_names=tuple(table.feature_names[other] for other in others),
            categorical_columns=tuple(i for i, other in enumerate(others) if other in table.categorical_columns),
        )
        selection = _selection(selector, part, len(columns))
        entered = [others[i] for i in selection.indices if others[i] not in columns] if selection else []
        if entered:
            found[str(column)] = table.feature_names[entered[0]]
    return found
