"""What is known of the recommended features beyond their error: pictures, proof and substitutes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from fewest.arrays import Floats
from fewest.errors import FewestError
from fewest.evaluation.design.labelled_tables import Table
from fewest.evaluation.run.trial import fit_on
from fewest.evaluation.summary.recommendation import Recommendation
from fewest.selection import Selection
from fewest.selectors.selector import Selector
from fewest.summary import ClassDensity, FeatureDensity, FeaturePair, Pictures, Redundancy, Views

_MAX_DENSITIES, _MAX_IN_MAP, _MAX_POINTS, _GRID = 8, 30, 600, 64
# The best pair is sought among this number of features.
_MAX_IN_PAIRS = 6
# Refits for substitutes: at most this number of features, and this number of seconds altogether.
_MAX_SUBSTITUTES, _MAX_SECONDS = 20, 30.0


def views_of(table: Table, best: Recommendation | None, selectors: Mapping[str, Selector], seed: int) -> Views | None:
    """Return pictures of the recommended features, what is proved of them, and a substitute for each."""
    if best is None:
        return None
    numeric = [column for column in best.columns if column not in set(table.categorical_columns)][:_MAX_IN_MAP]
    values = table.columns(np.arange(table.n_rows), numeric)
    names = [table.feature_names[column] for column in numeric]
    pictures = Pictures(
        [_density(name, values[:, index], table) for index, name in enumerate(names[:_MAX_DENSITIES])],
        _pair(names, values, table, seed),
        _redundancy(names, values),
    )
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


def _density(name: str, values: Floats, table: Table) -> FeatureDensity:
    """Estimate the density of a column in each class with Gaussian kernels, on one grid."""
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
        classes.append(ClassDensity(label, _rounded(density)))
    return FeatureDensity(name, _rounded(grid), classes)


def _pair(names: Sequence[str], values: Floats, table: Table, seed: int) -> FeaturePair | None:
    """Find the two of the first features with the least nearest-neighbour error, and their rows."""
    values = values[:, :_MAX_IN_PAIRS]
    rows = np.flatnonzero(np.isfinite(values).all(axis=1))
    if len(rows) > _MAX_POINTS:
        rows = np.sort(np.random.default_rng(seed).choice(rows, _MAX_POINTS, replace=False))
    if len(names) < 2 or len(rows) < 3:
        return None
    few = values[rows]
    spread = few.std(axis=0)
    scaled = few / np.where(spread > 0, spread, 1.0)
    codes = table.codes[rows]
    squared = [np.square(column[:, None] - column) for column in scaled.T]
    best = (np.inf, 0, 1)
    for a, b in combinations(range(few.shape[1]), 2):
        distances = squared[a] + squared[b]
        np.fill_diagonal(distances, np.inf)
        best = min(best, (float((codes[distances.argmin(axis=1)] != codes).mean()), a, b))
    _, a, b = best
    points = list(zip(_rounded(few[:, a]), _rounded(few[:, b]), codes.tolist(), strict=True))
    return FeaturePair(names[a], names[b], points)


def _redundancy(names: Sequence[str], values: Floats) -> Redundancy | None:
    """Compute |correlation| of every two features, with missing values set to the mean."""
    if len(names) < 2:
        return None
    centred = np.nan_to_num(values - np.nanmean(values, axis=0))
    length = np.sqrt(np.square(centred).sum(axis=0))
    unit = centred / np.where(length > 0, length, 1.0)
    matrix = [[round(min(1.0, float(value)), 3) for value in row] for row in np.abs(unit.T @ unit)]
    return Redundancy(list(names), matrix, "|correlation|")


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


def _rounded(values: Floats) -> list[float]:
    """Round to four significant digits, to keep JSON and page short."""
    return [float(f"{value:.4g}") for value in values]
