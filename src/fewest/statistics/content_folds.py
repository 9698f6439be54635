"""Folds drawn by the contents of rows: stratified, copies of a row together, and groups of rows together."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from fewest.arrays import Codes, Indices
from fewest.data.labels import is_missing
from fewest.errors import InvalidInput, InvalidType
from fewest.statistics.row_hashes import HashedRows

#: Of a group, its classes and its number of rows of each.
ClassCounts = list[tuple[int, int]]


def spread_rows(rows: HashedRows, n_folds: int, seed: int) -> Indices:
    """The fold of each row: every class is spread evenly, and copies of a row are in one fold.

    Copies that are more than half of a fold's share of their class are spread over all folds: such rows are the rule
    in a table of few distinct values, and no leak.
    """
    folds = np.zeros(len(rows.hashes), dtype=np.intp)
    order = rows.order(seed)
    codes, hashes, counts = rows.codes[order], rows.hashes[order], rows.counts[order].astype(np.int64)
    is_first = np.ones(len(order), dtype=bool)
    is_first[1:] = (codes[1:] != codes[:-1]) | (hashes[1:] != hashes[:-1])
    if is_first.all() and (counts == 1).all():
        folds[order] = np.arange(len(order)) % n_folds
        return folds
    lengths = [0] * n_folds
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    for first, last in zip(starts, [*starts[1:], len(order)], strict=True):
        own = slice(int(first), int(last))
        folds[order[own]] = _spread_class(is_first[own], counts[own], lengths)
    return folds


def _spread_class(is_first: NDArray[np.bool_], counts: NDArray[np.int64], lengths: list[int]) -> Indices:
    """The folds of the rows of one class, of which copies come one after the other; adds to the folds' lengths."""
    n_folds = len(lengths)
    folds = np.zeros(len(counts), dtype=np.intp)
    starts = np.flatnonzero(is_first)
    sizes = np.add.reduceat(counts, starts)
    n_copies = np.diff(starts, append=len(counts))
    is_unit = (sizes > 1) & (sizes <= max(2.0, counts.sum() / (2 * n_folds)))
    own = [0] * n_folds

    def take(rows: slice | int, size: int) -> None:
        fold = min(range(n_folds), key=lambda f: (own[f], lengths[f], f))
        folds[rows] = fold
        own[fold] += size
        lengths[fold] += size

    units = np.flatnonzero(is_unit)
    for unit in units[np.argsort(-sizes[units], kind="stable")].tolist():
        take(slice(int(starts[unit]), int(starts[unit] + n_copies[unit])), int(sizes[unit]))
    singles = np.flatnonzero(~np.repeat(is_unit, n_copies))
    n_taken = 0
    while n_taken < len(singles) and min(own) < max(own):
        take(int(singles[n_taken]), 1)
        n_taken += 1
    rest = singles[n_taken:]
    in_turn = sorted(range(n_folds), key=lambda f: (lengths[f], f))
    folds[rest] = np.array(in_turn, dtype=np.intp)[np.arange(len(rest)) % n_folds]
    for turn, fold in enumerate(in_turn):
        lengths[fold] += len(range(turn, len(rest), n_folds))
    return folds


def spread_groups(rows: HashedRows, groups: Codes, n_folds: int, seed: int) -> Indices:
    """The fold of each row: every class is spread as evenly as can be while rows of one group are in one fold.

    groups : the group of each row
    """
    order = rows.order(seed)
    present, group_of_row = np.unique(groups[order], return_inverse=True)
    if len(present) < 2:
        raise InvalidInput(
            "All rows are of one group, so that none can be tested apart. Give other groups, or leave them out."
        )
    # By where its first row comes in the order of contents, whatever the group is called.
    firsts = np.full(len(present), len(order), dtype=np.intp)
    np.minimum.at(firsts, group_of_row, np.arange(len(order)))
    ranks = rows.class_ranks[rows.codes[order]]
    members = classes_of_groups(group_of_row, ranks, len(present), len(rows.class_ranks))
    fold_of_group = assign_groups(members, np.argsort(firsts).tolist(), n_folds)
    folds = np.zeros(len(rows.hashes), dtype=np.intp)
    folds[order] = fold_of_group[group_of_row]
    return folds


def classes_of_groups(
    group_of_row: Indices, codes: NDArray[np.integer], n_groups: int, n_classes: int
) -> list[ClassCounts]:
    """The classes of each group, with its number of rows of each."""
    pairs, counts = np.unique(group_of_row.astype(np.intp) * n_classes + codes, return_counts=True)
    members: list[ClassCounts] = [[] for _ in range(n_groups)]
    for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
        members[pair // n_classes].append((pair % n_classes, count))
    return members


def assign_groups(members: Sequence[ClassCounts], order: Iterable[int], n_folds: int) -> Indices:
    """The fold of each group.

    The largest group first, of equals in the given order, each goes to the fold that has the least of its classes so
    far: the least sum over classes c of n_c(fold) n_c(group) / n_c^2, which adds the least to the sum of squares of
    the folds' shares. Of equals it is the fold with the fewest rows. A fold that would then have all rows of a class
    comes last, since the class would have no training rows when that fold is tested.
    """
    n_classes = 1 + max((code for own in members for code, _ in own), default=-1)
    totals = [0] * n_classes
    sizes = [sum(count for _, count in own) for own in members]
    for own in members:
        for code, count in own:
            totals[code] += count
    counts = [[0] * n_classes for _ in range(n_folds)]
    lengths = [0] * n_folds
    fold_of_group = np.zeros(len(members), dtype=np.intp)

    def cost(group: int, fold: int) -> tuple[bool, float, int, int]:
        own, has = members[group], counts[fold]
        takes_all = any(has[code] + count == totals[code] for code, count in own)
        return takes_all, sum(has[code] * count / totals[code] ** 2 for code, count in own), lengths[fold], fold

    for group in sorted(order, key=lambda group: -sizes[group]):
        fold = min(range(n_folds), key=partial(cost, group))
        fold_of_group[group] = fold
        lengths[fold] += sizes[group]
        for code, count in members[group]:
            counts[fold][code] += count
    return fold_of_group


def group_codes(groups: object, row_numbers: Indices) -> Codes:
    """The code of the group of each of these rows, from one value for each row of the table."""
    if isinstance(groups, str) or not isinstance(groups, Iterable):
        raise InvalidType(f"groups must hold the group of each row, one value a row, got {groups!r} instead.")
    values = groups.tolist() if hasattr(groups, "tolist") else list(groups)
    n_needed = int(row_numbers.max(initial=-1)) + 1
    if len(values) < n_needed or (len(values) > n_needed and len(row_numbers) == n_needed):
        raise InvalidInput(
            f"X has {n_needed} rows but groups has {len(values)} values (inconsistent numbers of samples). Give one a "
            "row."
        )
    missing = [row for row, value in enumerate(values) if is_missing(value)]
    if missing:
        raise InvalidInput(
            f"groups has no value in {len(missing)} of {len(values)} rows (first: row {missing[0]}). Fill them in, or "
            "leave those rows out."
        )
    known: dict[Hashable, int] = {}
    try:
        codes = [known.setdefault(value, len(known)) for value in values]
    except TypeError:
        raise InvalidInput("A group must be a single value, such as a name or a number.") from None
    return np.array(codes, dtype=np.int32)[row_numbers]
