"""Columns that hold little, or not what they seem to: constant, missing, sentinels, text that means something else."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from fewest.arrays import Indices
from fewest.checks.profile import Profile
from fewest.data.column_kinds import NUMBER, reading_of_texts
from fewest.data.text_dates import is_date

#: The share of rows that may differ from the usual value of a nearly constant column, and the fewest rows to say so.
_RARE, _FEWEST_ROWS = 0.01, 50
#: The share of missing values of a mostly missing column.
_MOSTLY = 0.5
#: Categories that are many: from here on, and with fewer rows each.
_MANY_CATEGORIES, _FEW_ROWS_EACH = 50, 20
#: Numbers that are written where a value is missing.
_SENTINELS = np.array(
    [-1, -7, -8, -9, -77, -88, 99, -99, -777, -888, 999, -999, -7777, -8888, 9999, -9999]
    + [sign * (10**digits - 1) for digits in range(5, 9) for sign in (1, -1)],
    dtype=np.float64,
)
#: How far a sentinel is from the other values, in their range, and the fewest rows that hold it.
_FAR = 0.5
_FEWEST_SENTINELS = 3
#: Texts that are looked at, at most and at least, and the share of them that must be dates or numbers.
_MOST_TEXTS, _FEWEST_TEXTS, _NEARLY_ALL = 200, 10, 0.9


@dataclass(frozen=True)
class Sentinel:
    """A column with a number that seems to stand for a missing value, and the share of rows that hold it."""

    column: int
    value: float
    share: float


def nearly_constant_columns(profile: Profile) -> Indices:
    """Columns with one value in all but a few rows; not in sparse tables, where that is usual."""
    if profile.n_rows < _FEWEST_ROWS or profile.sample.is_sparse:
        return np.zeros(0, dtype=np.intp)
    columns = np.flatnonzero(~profile.is_constant)
    found = []
    for chunk, values in profile.screen.column_chunks(columns):
        # A value of nearly all rows is that of most of any three.
        usual = np.median(values[:3], axis=0) if len(values) >= 3 else values[0]
        share = (values == usual).mean(axis=0)
        candidates = np.flatnonzero(share >= 0.8)
        counts = profile.sample.counts
        exact = profile.sample.dense(chunk[candidates]) == usual[candidates]
        found.append(chunk[candidates[counts @ exact >= (1.0 - _RARE) * counts.sum()]])
    return np.concatenate([np.zeros(0, dtype=np.intp), *found])


def one_value_or_missing(profile: Profile) -> Indices:
    """Columns with one value, and missing elsewhere."""
    return np.flatnonzero((profile.lowest == profile.highest) & (profile.missing > 0))


def mostly_missing_columns(profile: Profile) -> Indices:
    """Columns of which most values are missing, but not all."""
    return np.flatnonzero((profile.missing > _MOSTLY * profile.n_rows) & (profile.n_known > 0))


def many_categories(profile: Profile) -> Indices:
    """Columns of text of many values with few rows each."""
    columns = np.flatnonzero(profile.is_text)
    counts = np.array([len(profile.categories[int(j)]) for j in columns])
    is_many = (counts >= _MANY_CATEGORIES) & (counts * _FEW_ROWS_EACH > profile.n_known[columns])
    return columns[is_many] if len(columns) else columns


def sentinels(profile: Profile) -> list[Sentinel]:
    """Columns whose lowest or highest value repeats, is one that often stands for a missing value, and lies apart."""
    if profile.sample.is_sparse:
        return []
    is_number = ~profile.is_text & ~profile.is_constant
    found = []
    for ends in (profile.lowest, profile.highest):
        for column in np.flatnonzero(is_number & np.isin(ends, _SENTINELS)).tolist():
            one = _sentinel(profile, column, float(ends[column]))
            found += [one] if one is not None else []
    return found


def _sentinel(profile: Profile, column: int, value: float) -> Sentinel | None:
    values = profile.sample.column(column)
    is_value = values == value
    others = values[~is_value & ~np.isnan(values)]
    n_equal = int(profile.sample.counts[is_value].sum())
    if n_equal < _FEWEST_SENTINELS or len(np.unique(others)) < 3 or (abs(value) < 10 and others.min() <= 0):
        return None
    gap = min(abs(value - others.min()), abs(value - others.max()))
    # Without the tenth at each end, so that one outlier does not widen the range.
    low, high = np.quantile(others, [0.1, 0.9])
    if gap <= _FAR * (high - low) or gap <= 1:
        return None
    return Sentinel(column, value, n_equal / profile.sample.n_rows)


def holds_dates(categories: Sequence[Hashable]) -> bool:
    """Whether nearly all of these texts are dates or times."""
    return _share_of(categories, is_date) >= _NEARLY_ALL


def holds_numbers(categories: Sequence[Hashable]) -> bool:
    """Whether nearly all of these texts are numbers, plain or with marks, signs or units."""
    return _share_of(categories, _is_number) >= _NEARLY_ALL


def _is_number(text: str) -> bool:
    return reading_of_texts([text]).kind == NUMBER


def _share_of(categories: Sequence[Hashable], is_kind: Callable[[str], bool]) -> float:
    texts = [value for value in categories if isinstance(value, str)]
    if len(texts) > _MOST_TEXTS:
        # Evenly of all in their order, so that the order of the rows does not matter.
        texts = sorted(texts)[:: len(texts) // _MOST_TEXTS]
    if len(texts) < _FEWEST_TEXTS or sum(any(map(str.isdigit, text)) for text in texts) < _NEARLY_ALL * len(texts):
        return 0.0
    # A few of them settle it for most columns.
    few = texts[:: max(1, len(texts) // _FEWEST_TEXTS)]
    if sum(map(is_kind, few)) < 0.5 * len(few):
        return 0.0
    return sum(map(is_kind, texts)) / len(texts)
