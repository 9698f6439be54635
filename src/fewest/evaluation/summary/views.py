"""What the recommended features look like, in numbers that can be drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fewest.arrays import Floats
from fewest.errors import FewestError
from fewest.evaluation.comparison import Comparison, TableResult
from fewest.evaluation.design.table import Table
from fewest.evaluation.run.case import Case
from fewest.evaluation.run.trial import Stopwatch, fitted_on
from fewest.evaluation.summary.recommendation import recommend

_DENSITIES, _IN_MAP, _POINTS, _GRID = 8, 30, 600, 64
#: Refits for substitutes: no more features than this, and no longer than so many seconds altogether.
_SUBSTITUTES, _SECONDS = 20, 30.0


def views_of(case: Case, result: TableResult, comparison: Comparison, selectors: dict[str, Any]) -> dict[str, Any]:
    """Pictures of the recommended features, and which feature would take the place of each."""
    table = case.table
    best = recommend(result, list(comparison.classifiers), comparison.settings["size"])
    if best is None:
        return {}
    numbers = [column for column in best.columns if column not in set(table.states)]
    everything = np.arange(table.n_rows)
    values = table.columns(everything, numbers[:_IN_MAP])
    names = [table.feature_names[column] for column in numbers[:_IN_MAP]]
    pictures = {
        "densities": [_density(name, values[:, place], table) for place, name in enumerate(names[:_DENSITIES])],
        "pair": _pair(names, values, table, case.plan.seed),
        "redundancy": _redundancy(names, values),
    }
    selector = selectors[best.method]
    return {
        "pictures": pictures,
        "certificate": _certificate(table, selector, best.columns),
        "substitutes": _substitutes(table, selector, best.columns, best.result.seconds),
    }


def _certificate(table: Table, selector: Any, columns: Sequence[int]) -> str | None:
    """What is proved of these features; None where the method takes others when it is asked for this many alone."""
    try:
        selection = fitted_on(selector, table, np.arange(table.n_rows), [len(columns)], Stopwatch()).selection_
    except FewestError:
        return None
    return selection.certificate() if set(selection.indices) == set(columns) else None


def _density(name: str, values: Floats, table: Table) -> dict[str, Any]:
    """The density of a column in each class, on one grid."""
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    margin = 0.1 * (high - low) or 1.0
    grid = np.linspace(low - margin, high + margin, _GRID)
    classes = []
    for code, label in enumerate(table.classes):
        own = values[(table.codes == code) & np.isfinite(values)]
        # The narrower of two measures of spread, so that an outlier does not blur the rest.
        quartiles = np.subtract(*np.quantile(own, [0.75, 0.25])) / 1.34 if len(own) else 0.0
        spread = min(filter(None, (float(own.std()) if len(own) else 0.0, float(quartiles))), default=0.0)
        width = 0.9 * spread * max(len(own), 1) ** -0.2 or (high - low) / 30 or 1.0
        apart = np.exp(-0.5 * np.square((grid[:, None] - own) / width)) if len(own) else np.zeros((_GRID, 1))
        density = apart.mean(axis=1) / (width * np.sqrt(2 * np.pi))
        classes.append({"name": label, "density": [_short(value) for value in density]})
    return {"feature": name, "grid": [_short(value) for value in grid], "classes": classes}


def _pair(names: Sequence[str], values: Floats, table: Table, seed: int) -> dict[str, Any] | None:
    """The two of the first features that tell the classes apart best: by the nearest other row."""
    if len(names) < 2:
        return None
    rows = np.flatnonzero(np.isfinite(values[:, :6]).all(axis=1))
    if len(rows) > _POINTS:
        rows = np.sort(np.random.default_rng(seed).choice(rows, _POINTS, replace=False))
    if len(rows) < 3:
        return None
    few = values[rows][:, :6]
    spread = few.std(axis=0)
    scaled = few / np.where(spread > 0, spread, 1.0)
    codes = table.codes[rows]
    squared = [np.square(scaled[:, place, None] - scaled[:, place]) for place in range(few.shape[1])]
    best = (np.inf, 0, 1)
    for a in range(few.shape[1]):
        for b in range(a + 1, few.shape[1]):
            apart = squared[a] + squared[b]
            np.fill_diagonal(apart, np.inf)
            wrong = float((codes[apart.argmin(axis=1)] != codes).mean())
            best = min(best, (wrong, a, b))
    _, a, b = best
    points = [[_short(x), _short(y), int(code)] for x, y, code in zip(few[:, a], few[:, b], codes, strict=True)]
    return {"x": names[a], "y": names[b], "points": points}


def _redundancy(names: Sequence[str], values: Floats) -> dict[str, Any] | None:
    """How much the features know of each other: |correlation|, over the rows that have both."""
    if len(names) < 2:
        return None
    centred = np.nan_to_num(values - np.nanmean(values, axis=0))
    length = np.sqrt(np.square(centred).sum(axis=0))
    unit = centred / np.where(length > 0, length, 1.0)
    matrix = np.abs(unit.T @ unit)
    return {
        "features": list(names),
        "matrix": [[round(min(1.0, float(value)), 3) for value in row] for row in matrix],
        "measure": "|correlation|",
    }


def _substitutes(table: Table, selector: Any, columns: Sequence[int], seconds: float) -> dict[str, str]:
    """Which feature enters when each is withheld."""
    if len(columns) > _SUBSTITUTES or seconds * len(columns) > _SECONDS or len(columns) >= table.n_columns:
        return {}
    everything = np.arange(table.n_rows)
    found = {}
    for column in columns:
        others = [other for other in range(table.n_columns) if other != column]
        part = _without(table, others)
        try:
            fitted = fitted_on(selector, part, everything, [len(columns)], Stopwatch())
        except FewestError:
            continue
        entered = [others[place] for place in fitted.selection_.indices if others[place] not in columns]
        if entered:
            found[str(column)] = table.feature_names[entered[0]]
    return found


def _without(table: Table, columns: Sequence[int]) -> Table:
    place = {column: number for number, column in enumerate(columns)}
    return Table(
        table.name,
        table.values[:, np.asarray(columns, dtype=np.intp)],
        table.codes,
        table.classes,
        tuple(table.feature_names[column] for column in columns),
        tuple(place[column] for column in table.states if column in place),
        table.fingerprint,
        table.digest,
    )


def _short(value: float) -> float:
    return float(f"{value:.4g}")
