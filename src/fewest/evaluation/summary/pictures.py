"""The recommended features in numbers that can be drawn: densities, shares of categories, the best pair, redundancy."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.display.formatting import number
from fewest.evaluation.design.labelled_tables import Table
from fewest.evaluation.summary.association import correlation_ratio, cramers_v
from fewest.summary import (
    ClassDensity,
    ClassShares,
    FeatureDensity,
    FeaturePair,
    FeatureShares,
    Pictures,
    Redundancy,
)

_MAX_DRAWN, _MAX_IN_MAP, _MAX_POINTS, _GRID = 8, 30, 600, 64
# Numbers of at most this many values are drawn as bars; of text the most frequent categories, the others together.
_MAX_VALUES, _MAX_CATEGORIES = 10, 7
# Where the outermost 1 % of the rows would take more than this times the axis of the others, they are left out.
_MAX_STRETCH, _TAILS = 3.0, (0.005, 0.995)
# A logarithm is taken of columns over more than a decade whose skewness falls by more than this.
_DECADE, _LESS_SKEWED = 10.0, 0.5
_MISSING = "missing"


def pictures_of(table: Table, columns: Sequence[int], seed: int) -> Pictures:
    """Return what can be drawn of some columns: the first as densities or bars, all as a pair and a map."""
    table = table.in_label_order()
    columns = columns[:_MAX_IN_MAP]
    values = table.columns(np.arange(table.n_rows), columns)
    names = [table.feature_names[column] for column in columns]
    categorical = set(table.categorical_columns)
    is_text = [column in categorical for column in columns]
    densities, shares = [], []
    for index, name in enumerate(names[:_MAX_DRAWN]):
        own = values[:, index]
        found = np.unique(own[np.isfinite(own)])
        if is_text[index] or len(found) <= min(_MAX_VALUES, table.n_rows // 3):
            shares.append(_shares(name, own, found, table, is_text=is_text[index]))
        else:
            densities.append(_density(name, own, table))
    numeric = [index for index, text in enumerate(is_text) if not text]
    pair = _pair([names[index] for index in numeric], values[:, numeric], table, seed)
    return Pictures(densities, pair, _redundancy(names, values, is_text), shares)


def _density(name: str, values: Floats, table: Table) -> FeatureDensity:
    """Estimate the density of a column in each class with Gaussian kernels, from its least to its largest value.

    Kernels are reflected at both ends, so that the whole density lies between them. Skewed columns of positive numbers
    are taken by their logarithm.
    """
    is_known = np.isfinite(values)
    is_logarithmic = _is_skewed(values[is_known])
    scaled = np.log(values, out=np.full(len(values), np.nan), where=is_known) if is_logarithmic else values
    low, high = float(scaled[is_known].min()), float(scaled[is_known].max())
    inner_low, inner_high = (float(end) for end in np.quantile(scaled[is_known], _TAILS))
    is_cut = high - low > _MAX_STRETCH * (inner_high - inner_low) > 0
    if is_cut:
        low, high = inner_low, inner_high
    grid = np.linspace(low, high, _GRID)
    is_inside = (scaled >= low) & (scaled <= high)
    # Between whole numbers there is nothing: narrower kernels would draw a comb.
    steps = np.diff(np.unique(scaled[is_inside]))
    least_width = 0.7 * float(steps.min()) if 0 < len(steps) < _GRID else 0.0
    classes = []
    for code, label in enumerate(table.classes):
        is_own = table.codes == code
        own = scaled[is_inside & is_own]
        if not len(own):
            classes.append(ClassDensity(label, [0.0] * _GRID, None))
            continue
        # The narrower of two measures of spread, so that an outlier does not blur the rest.
        quartiles = np.subtract(*np.quantile(own, [0.75, 0.25])) / 1.34
        spread = min(filter(None, (float(own.std()), float(quartiles))), default=0.0)
        width = max(0.9 * spread * len(own) ** -0.2, least_width) or (high - low) / 30 or 1.0
        density = np.zeros(_GRID)
        for centres in (own, 2 * low - own, 2 * high - own):
            density += np.exp(-0.5 * np.square((grid[:, None] - centres) / width)).mean(axis=1)
        mean = _short(float(values[is_known & is_own].mean()))
        classes.append(ClassDensity(label, _rounded(density / (width * np.sqrt(2 * np.pi))), mean))
    shown = _rounded(np.exp(grid) if is_logarithmic else grid)
    return FeatureDensity(name, shown, classes, is_cut, _short(1 - float(is_known.mean())), is_logarithmic)


def _is_skewed(known: Floats) -> bool:
    """Whether a column of positive numbers over more than a decade is less skewed by its logarithm."""
    if known.min() <= 0 or known.max() < _DECADE * known.min():
        return False
    return abs(_skewness(np.log(known))) < abs(_skewness(known)) - _LESS_SKEWED


def _skewness(values: Floats) -> float:
    spread = float(values.std())
    return float((((values - values.mean()) / spread) ** 3).mean()) if spread > 0 else 0.0


def _shares(name: str, values: Floats, found: Floats, table: Table, *, is_text: bool) -> FeatureShares:
    """Count the share of each category in each class; rare categories of text together, missing values as one more."""
    is_known = np.isfinite(values)
    if is_text:
        counts = np.array([np.count_nonzero(values == one) for one in found])
        found = found[np.argsort(-counts, kind="stable")]
    n_named = len(found) if len(found) <= _MAX_CATEGORIES or not is_text else _MAX_CATEGORIES - 1
    masks = [values == one for one in found[:n_named]]
    names = table.categories.get(name, ())
    labels = [str(names[int(one)]) if is_text and int(one) < len(names) else number(one) for one in found[:n_named]]
    n_others = len(found) - n_named
    if n_others:
        masks.append(is_known & ~np.isin(values, found[:n_named]))
        labels.append(f"{n_others:,} others")
    if not is_known.all():
        masks.append(~is_known)
        labels.append(_MISSING)
    classes = []
    for code, label in enumerate(table.classes):
        own = table.codes == code
        shares = [_short(float(mask[own].mean())) if own.any() else 0.0 for mask in masks]
        classes.append(ClassShares(label, shares))
    return FeatureShares(name, labels, classes)


def _pair(names: Sequence[str], values: Floats, table: Table, seed: int) -> FeaturePair | None:
    """Find the two columns with the least leave-one-out error of the nearest neighbour, and their rows."""
    rows = _even_rows(np.flatnonzero(np.isfinite(values).all(axis=1)), table, seed)
    if len(names) < 2 or len(rows) < 3:
        return None
    few = values[rows]
    spread = few.std(axis=0)
    scaled = few / np.where(spread > 0, spread, 1.0)
    codes = table.codes[rows]
    best = (np.inf, 0, 1)
    for a, b in combinations(range(few.shape[1]), 2):
        distances = np.square(scaled[:, None, a] - scaled[:, a])
        distances += np.square(scaled[:, None, b] - scaled[:, b])
        np.fill_diagonal(distances, np.inf)
        best = min(best, (float((codes[distances.argmin(axis=1)] != codes).mean()), a, b))
    error, a, b = best
    points = list(zip(_rounded(few[:, a]), _rounded(few[:, b]), codes.tolist(), strict=True))
    return FeaturePair(names[a], names[b], points, error, len(names))


def _even_rows(rows: Indices, table: Table, seed: int) -> Indices:
    """Draw some of the rows, of large classes the same number each, so that a small class is seen too."""
    if len(rows) <= _MAX_POINTS:
        return rows
    mixed = np.random.default_rng(seed).permutation(rows)
    by_class = sorted((mixed[table.codes[mixed] == code] for code in range(len(table.classes))), key=len)
    kept: list[Indices] = []
    for position, own in enumerate(by_class):
        room = _MAX_POINTS - sum(map(len, kept))
        kept.append(own[: room // (len(by_class) - position)])
    return np.sort(np.concatenate(kept))


def _redundancy(names: Sequence[str], values: Floats, is_text: Sequence[bool]) -> Redundancy | None:
    """Measure how alike every two columns are.

    Two of numbers: |correlation|, with missing values set to the mean. A category and a number: the correlation ratio;
    two categories: Cramér's V; both corrected for the number of categories, with missing values as one more.
    """
    n = len(names)
    if n < 2:
        return None
    means = [float(own[np.isfinite(own)].mean()) if np.isfinite(own).any() else 0.0 for own in values.T]
    centred = np.where(np.isfinite(values), values - means, 0.0)
    length = np.sqrt(np.square(centred).sum(axis=0))
    unit = centred / np.where(length > 0, length, 1.0)
    matrix = np.abs(unit.T @ unit)
    codes = {i: np.unique(values[:, i], return_inverse=True)[1] for i in range(n) if is_text[i]}
    for i, j in combinations(range(n), 2):
        if i in codes and j in codes:
            matrix[i, j] = matrix[j, i] = cramers_v(codes[i], codes[j])
        elif i in codes or j in codes:
            text, numeric = (i, j) if i in codes else (j, i)
            matrix[i, j] = matrix[j, i] = correlation_ratio(codes[text], centred[:, numeric])
    measure = "association" if codes else "|correlation|"
    return Redundancy(list(names), [[round(min(1.0, float(value)), 3) for value in row] for row in matrix], measure)


def _rounded(values: Floats) -> list[float]:
    return [_short(value) for value in values]


def _short(value: float) -> float:
    """Round to four significant digits, to keep JSON and page short."""
    return float(f"{value:.4g}")
