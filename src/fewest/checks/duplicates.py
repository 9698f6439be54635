"""Columns and rows that repeat others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import sparse

from fewest.arrays import Floats, Hashes, Indices, Mask
from fewest.checks.column_traits import FEW, ColumnTraits
from fewest.checks.profile import Profile, SampledRows
from fewest.threads import one_blas_thread

#: Correlations from here on are those of nearly the same column; and from there on, of the same but for rounding.
_NEAR, _EQUAL = 0.9999, 1.0 - 1e-10
#: Directions on which columns are projected: what is nearly the same has nearly the same projections.
_DIRECTIONS, _RADIUS = 6, 0.07
#: Projections as one number, the same for equal columns.
_FACTORS = np.sqrt([2.0, 3.0, 5.0, 7.0, 11.0, 13.0])
#: Rows that are projected, and the fewest with which columns are compared.
_PROJECTED_ROWS, _FEWEST_ROWS = 512, 10
#: Pairs of columns that are compared exactly.
_MOST_PAIRS = 5_000


@dataclass(frozen=True)
class RepeatedColumn:
    """A column, the first one that it repeats, and how."""

    column: int
    original: int
    how: Literal["equal", "linear", "partition", "near"]


def repeated_columns(profile: Profile, traits: ColumnTraits) -> list[RepeatedColumn]:
    """The columns that are another, a linear function of it, the same partition of the rows, or nearly one of these."""
    if len(profile.sample) < _FEWEST_ROWS:
        return []
    found: dict[int, RepeatedColumn] = {}
    for one in (*_linear(profile), *_same_partitions(profile, traits)):
        found.setdefault(one.column, one)
    return [found[column] for column in sorted(found)]


def _linear(profile: Profile) -> list[RepeatedColumn]:
    """Columns of numbers with a correlation of nearly 1 or -1 with one before them."""
    columns = np.flatnonzero(~profile.is_text & ~profile.is_constant)
    if len(columns) < 2:
        return []
    order = np.argsort(profile.row_hashes, kind="stable")[:_PROJECTED_ROWS]
    rows = profile.sample.take(np.sort(order))
    with one_blas_thread():
        projections, is_varying = _projections(rows, columns, profile.row_hashes[np.sort(order)])
    columns, projections = columns[is_varying], projections[is_varying]
    found: dict[int, RepeatedColumn] = {}
    for a, b in _near_pairs(projections):
        how = None if b in found else _compare(profile, int(columns[a]), int(columns[b]))
        if how is not None:
            found[b] = RepeatedColumn(int(columns[b]), int(columns[a]), how)
    return list(found.values())


def _projections(rows: SampledRows, columns: Indices, hashes: Hashes) -> tuple[Floats, Mask]:
    """Standardised columns on some random directions, and which of them vary."""
    rng = np.random.default_rng(0)
    n_rows = len(rows)
    # By rank of the hash, so that the order of the rows does not matter.
    directions = rng.standard_normal((n_rows, _DIRECTIONS))[np.argsort(np.argsort(hashes, kind="stable"))]
    directions -= directions.mean(axis=0)
    sums = np.zeros((3, len(columns)))
    projected = np.zeros((len(columns), _DIRECTIONS))
    if rows.is_sparse:
        values = rows.values[:, columns].astype(np.float64)
        projected = np.asarray(values.T @ directions)
        sums[0] = np.asarray(values.sum(axis=0)).ravel() / n_rows
        squares = sparse.csr_matrix((np.square(values.data), values.indices, values.indptr), shape=values.shape)
        sums[1] = np.asarray(squares.sum(axis=0)).ravel() / n_rows - np.square(sums[0])
    else:
        first = 0
        for chunk, values in rows.column_chunks(columns):
            last = first + len(chunk)
            is_missing = np.isnan(values)
            if is_missing.any():
                known = np.maximum((~is_missing).sum(axis=0), 1)
                means = np.where(is_missing, 0.0, values).sum(axis=0) / known
                values = np.where(is_missing, means, values)
            values = values - values.mean(axis=0)
            sums[1, first:last] = np.einsum("ij,ij->j", values, values) / n_rows
            projected[first:last] = values.T @ directions
            first = last
    deviation = np.sqrt(np.maximum(sums[1], 0.0))
    is_varying = deviation > 1e-12 * np.maximum(np.abs(sums[0]), 1e-300)
    with np.errstate(divide="ignore", invalid="ignore"):
        projected = projected / (deviation[:, None] * np.sqrt(n_rows))
    is_varying &= np.isfinite(projected).all(axis=1)
    return projected, is_varying


def _near_pairs(projections: Floats) -> list[tuple[int, int]]:
    """Pairs of columns with nearly the same projections, up to the sign; the lowest of equals stands for them."""
    from scipy.spatial import cKDTree

    if len(projections) < 2:
        return []
    unsigned = np.abs(projections)
    _, firsts, which = np.unique(np.round(unsigned @ _FACTORS, 6), return_index=True, return_inverse=True)
    is_same = np.abs(unsigned - unsigned[firsts[which]]).max(axis=1) < 1e-6
    originals = np.where(is_same, firsts[which], np.arange(len(which)))
    pairs = [(int(originals[j]), int(j)) for j in np.flatnonzero(originals != np.arange(len(which)))]
    distinct = np.flatnonzero(originals == np.arange(len(which)))
    tree = cKDTree(unsigned[distinct], leafsize=32, compact_nodes=False, balanced_tree=False)
    near = np.sort(distinct[tree.query_pairs(_RADIUS, output_type="ndarray")], axis=1)
    pairs += [(int(a), int(b)) for a, b in near]
    return sorted(pairs, key=lambda pair: pair[::-1])[:_MOST_PAIRS]


def _compare(profile: Profile, a: int, b: int) -> Literal["equal", "linear", "near"] | None:
    """How two columns of numbers are alike, in all sampled rows."""
    one, other = profile.sample.column(a), profile.sample.column(b)
    is_missing = np.isnan(one)
    if profile.missing[a] != profile.missing[b] or not np.array_equal(is_missing, np.isnan(other)):
        return None
    one, other = one[~is_missing], other[~is_missing]
    if len(one) < _FEWEST_ROWS:
        return None
    if np.array_equal(one, other) and profile.lowest[a] == profile.lowest[b]:
        return "equal"
    one, other = one - one.mean(), other - other.mean()
    scale = float(np.sqrt((one @ one) * (other @ other)))
    correlation = abs(float(one @ other)) / scale if scale > 0 else 0.0
    return "linear" if correlation >= _EQUAL else "near" if correlation >= _NEAR else None


def _same_partitions(profile: Profile, traits: ColumnTraits) -> list[RepeatedColumn]:
    """Columns whose values correspond one to one: the same categories by other names."""
    is_short = profile.is_text | ((traits.n_distinct > 2) & (traits.n_distinct <= FEW))
    columns = np.flatnonzero(is_short & ~profile.is_constant)
    if len(columns) < 2:
        return []
    rows = profile.sample.take(np.sort(np.argsort(profile.row_hashes, kind="stable")[:_PROJECTED_ROWS]))
    weights = np.random.default_rng(0).integers(1, 1 << 62, len(rows)).astype(np.uint64)
    found: list[RepeatedColumn] = []
    known: dict[int, int] = {}
    for chunk, values in rows.column_chunks(columns):
        parts = np.empty(values.shape, dtype=np.uint64)
        is_text = profile.is_text[chunk]
        parts[:, ~is_text] = _partitions(values[:, ~is_text], traits.distinct[chunk[~is_text]])
        for position in np.flatnonzero(is_text):
            parts[:, position] = _first_appearances(values[:, position])
        keys = weights @ parts
        # A value of its own in nearly every row is the same partition in all such columns.
        is_coarse = parts.max(axis=0) + np.uint64(1) <= 0.5 * len(rows)
        for position in np.flatnonzero(is_coarse):
            column, key = int(chunk[position]), int(keys[position])
            original = known.setdefault(key, column)
            if original != column and _is_same_partition(profile.sample, original, column):
                found.append(RepeatedColumn(column, original, "partition"))
    return found


def _partitions(values: Floats, distinct: Floats) -> Indices:
    """Each value by the order in which it first appears in its column, of columns of few distinct values."""
    masks = [np.isnan(values), *(values == value for value in distinct.T)]
    # A value that does not appear comes last.
    firsts = np.stack([np.where(mask.any(axis=0), mask.argmax(axis=0), len(values)) for mask in masks])
    ranks = np.argsort(np.argsort(firsts, axis=0, kind="stable"), axis=0, kind="stable")
    parts = np.zeros(values.shape, dtype=np.intp)
    for mask, rank in zip(masks, ranks, strict=True):
        parts += mask * rank
    return parts


def _first_appearances(values: Floats) -> Indices:
    """Each value by the order in which it first appears."""
    _, firsts, which = np.unique(values, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(firsts, kind="stable"), kind="stable")[which]


def _is_same_partition(sample: SampledRows, a: int, b: int) -> bool:
    return np.array_equal(_first_appearances(sample.column(a)), _first_appearances(sample.column(b)))


def n_repeated_rows(profile: Profile) -> tuple[int, int]:
    """The number of rows that repeat another, and of those whose equals are of several classes; of the sampled rows."""
    if not profile.are_rows_hashed_whole:
        return 0, 0
    _, which = np.unique(profile.row_hashes, return_inverse=True)
    counts = np.bincount(which, profile.sample.counts)
    first_class = np.full(len(counts), -1)
    first_class[which[::-1]] = profile.sample.codes[::-1]
    is_mixed = np.bincount(which, first_class[which] != profile.sample.codes, len(counts)) > 0
    return int((counts - 1).sum()), int(counts[is_mixed].sum())
