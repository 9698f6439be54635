"""The value of a subset from the objective itself, and the statements of two selections compared."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from fewest.objectives.grouped_columns import GroupedObjective
from fewest.protocols import Objective, ScoresFeatures, ScoresSubsets, ScoresTriples
from fewest.selection import NestedPath, Selection
from fewest.selectors.verification.verification import Check


def value_of(objective: Objective, criterion: object, selection: Selection) -> float | None:
    """Return the value of the selected columns, summed or evaluated anew; None where it is not that of a subset.

    The search's bookkeeping has no part in it: scores of columns, pairs and triples are summed, and all else is asked
    for the value of this subset.
    """
    columns = list(selection.indices)
    if selection.value is None or selection.history or max(columns, default=0) >= objective.n_columns:
        return None
    if selection.sense == "min":
        return _least_value(objective, columns)
    # A criterion with a threshold of its own gives values after costs.
    cost = 0.0 if selection.beta is None or hasattr(criterion, "beta") else selection.beta * len(columns)
    if getattr(objective, "is_additive", False):
        return float(np.nansum(cast(ScoresFeatures, objective).score_features()[columns])) - cost
    if hasattr(objective, "score_pairs"):
        return _sum_of_scores(cast(ScoresTriples, objective), columns) - cost
    if hasattr(objective, "score_subset"):
        return float(cast(ScoresSubsets, objective).score_subset(columns)) - cost
    return None


def _least_value(objective: Objective, columns: Sequence[int]) -> float | None:
    """Return the value of an objective that is minimised: an error, or that of SVMs."""
    if hasattr(objective, "error"):
        return float(objective.error(tuple(columns)))
    if hasattr(objective, "subset_svms"):
        own = objective.groups.columns_of(columns) if isinstance(objective, GroupedObjective) else columns
        return float(objective.subset_svms.fit(tuple(own)).value)
    return None


def _sum_of_scores(objective: ScoresTriples, columns: Sequence[int]) -> float:
    """Return the sum of the scores of columns, and of each pair and triple of them once."""
    scores = objective.score_features()
    observed = [column for column in columns if not math.isnan(scores[column])]
    total = math.fsum(scores[observed])
    total += math.fsum(np.triu(objective.score_pairs()[np.ix_(observed, observed)], 1).ravel())
    if hasattr(objective, "score_triples"):
        triples = objective.score_triples()[np.ix_(observed, observed, observed)]
        first, second, third = np.indices(triples.shape)
        total += math.fsum(triples[(first < second) & (second < third)])
    return total


def compared(claimed: Selection, anew: Selection, value: float | None, tolerance: float) -> list[Check]:
    """Return the checks of one selection against that which its selector makes anew.

    value : that of the claimed features, where the objective gives it
    """

    def numbers(what: str, one: Sequence[float | None], other: Sequence[float | None]) -> Check:
        return Check(what, list(one), list(other), _agree(one, other, tolerance))

    def number(what: str, one: float | None, other: float | None) -> Check:
        return Check(what, one, other, _agree([one], [other], tolerance))

    checks = [Check("selected features", list(claimed.indices), list(anew.indices), claimed.indices == anew.indices)]
    checks.append(numbers("scores", claimed.scores, anew.scores))
    checks.append(Check("path", _plain(claimed.path), _plain(anew.path), _plain(claimed.path) == _plain(anew.path)))
    if claimed.is_optimal is not None or anew.is_optimal is not None or claimed.value is not None:
        # Both what the search says and, where it can be asked, the objective itself.
        agrees = _agree([claimed.value], [anew.value], tolerance)
        found = anew.value if value is None or not agrees else value
        checks.append(number("value", claimed.value, found))
        checks.append(number("bound", claimed.bound, anew.bound))
        checks.append(Check("is_optimal", claimed.is_optimal, anew.is_optimal, claimed.is_optimal is anew.is_optimal))
        if claimed.is_optimal:
            checks.append(_reached(claimed, found, tolerance))
        checks.append(Check("proved by", claimed.proved_by, anew.proved_by, claimed.proved_by == anew.proved_by))
        checks.append(_rounding(claimed.tolerance, anew.tolerance))
    checks.append(Check("sense", claimed.sense, anew.sense, claimed.sense == anew.sense))
    if claimed.beta is not None or anew.beta is not None:
        checks.append(number("beta", claimed.beta, anew.beta))
    if claimed.breakpoints or anew.breakpoints:
        one, other = ([size for _, size in selection.breakpoints] for selection in (claimed, anew))
        checks.append(Check("breakpoints: sizes", one, other, one == other))
        first, second = ([beta for beta, _ in selection.breakpoints] for selection in (claimed, anew))
        checks.append(numbers("breakpoints: beta", first, second))
    for what in ("proved_in", "proved_out"):
        if getattr(claimed, what) or getattr(anew, what):
            own, found_columns = list(getattr(claimed, what)), list(getattr(anew, what))
            checks.append(Check(what, own, found_columns, own == found_columns))
    if claimed.history or anew.history:
        checks.append(numbers("history", claimed.history, anew.history))
    return checks


def _reached(claimed: Selection, value: float | None, tolerance: float) -> Check:
    """Return the check that no more than rounding lies between the value and the bound of a proved optimum."""
    what, bound = "value at the bound", claimed.bound
    if value is None or bound is None:
        return Check(what, bound, value, False)
    margin = max(claimed.tolerance or 0.0, tolerance * max(abs(value), abs(bound)))
    return Check(what, bound, value, abs(value - bound) <= margin)


def _agree(one: Sequence[float | None], other: Sequence[float | None], tolerance: float) -> bool:
    """Return whether numbers agree to a share of the largest of them; None, NaN and infinities agree with the same."""
    if len(one) != len(other):
        return False
    sizes = [abs(x) for x in (*one, *other) if x is not None and math.isfinite(x)]
    largest = max(sizes, default=0.0)
    return all(_is_near(x, y, tolerance * largest) for x, y in zip(one, other, strict=True))


def _is_near(x: float | None, y: float | None, margin: float) -> bool:
    if x is None or y is None:
        return x is None and y is None
    if math.isfinite(x) and math.isfinite(y):
        return abs(x - y) <= margin
    return (math.isnan(x) and math.isnan(y)) or x == y


def _rounding(claimed: float | None, found: float | None) -> Check:
    """Return the check of what rounding may do, which depends on the last bits of numbers: about the same is enough."""
    if claimed is None or found is None:
        return Check("tolerance", claimed, found, claimed is None and found is None)
    return Check("tolerance", claimed, found, found / 2 <= claimed <= 2 * found)


def _plain(path: Mapping[int, tuple[int, ...]]) -> Any:
    return path.order if isinstance(path, NestedPath) else {size: tuple(subset) for size, subset in path.items()}
