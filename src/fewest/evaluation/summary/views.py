"""What is known of the recommended features beyond their error: pictures, proof and substitutes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fewest.errors import FewestError
from fewest.evaluation.design.labelled_tables import Table
from fewest.evaluation.run.trial import Plan, fit_on
from fewest.evaluation.summary.pictures import pictures_of
from fewest.evaluation.summary.recommendation import Recommendation
from fewest.evaluation.summary.substitutes import substitutes_of
from fewest.selection import Selection
from fewest.selectors.selector import Selector
from fewest.summary import Views


def views_of(table: Table, best: Recommendation | None, selectors: Mapping[str, Selector], plan: Plan) -> Views | None:
    """Return pictures of the recommended features, what is proved of them, and what could take the place of each."""
    if best is None or not best.beats_guessing:
        return None
    pictures = pictures_of(table, best.columns, plan.seed)
    selector = selectors[best.method]
    selection = _selection(selector, table, len(best.columns))
    # Nothing is proved of these features where the method selects others if asked for this size alone.
    certificate = (
        selection.certificate() if selection is not None and set(selection.indices) == set(best.columns) else None
    )
    return Views(pictures, certificate, substitutes_of(table, best, plan))


def _selection(selector: Selector, table: Table, size: int) -> Selection | None:
    """Select on all rows; None where the method fails."""
    try:
        return fit_on(selector, table, np.arange(table.n_rows), [size]).selection_
    except FewestError:
        return None
