"""Complementary pairs of halves of the rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fewest.arrays import Codes, Indices

Pair = tuple[Indices, Indices]


def draw_pairs(codes: Codes, groups: Codes | None, n_pairs: int, seed: int) -> Iterator[Pair]:
    """Yield pairs of disjoint halves of the rows, as positions in ascending order.

    Every class is cut in half at random. The odd rows of classes go to one half and the other in turn, and one row of
    an odd number of rows is left out, so that halves are of one size. With groups, all rows of a group are in one half,
    and halves are about of one size.
    """
    # By appearance, since the codes depend on the order in which rows were read.
    of_class, of_group = _by_appearance(codes), None if groups is None else _by_appearance(groups)
    for pair in range(n_pairs):
        draw = np.random.default_rng([seed, pair])
        halves = _halves_of_rows(of_class, draw) if of_group is None else _halves_of_groups(of_class, of_group, draw)
        yield np.flatnonzero(halves == 0), np.flatnonzero(halves == 1)


def _halves_of_rows(codes: Indices, draw: np.random.Generator) -> Indices:
    """Return the half of each row, 0 or 1; -1 for the row that is left out."""
    halves = np.full(len(codes), -1, dtype=np.intp)
    odd: list[int] = []
    for code in np.unique(codes):
        rows = draw.permutation(np.flatnonzero(codes == code))
        n_each = len(rows) // 2
        halves[rows[:n_each]], halves[rows[n_each : 2 * n_each]] = 0, 1
        odd += rows[2 * n_each :].tolist()
    left = draw.permutation(np.array(odd, dtype=np.intp))
    left = left[: len(left) // 2 * 2]
    halves[left] = np.arange(len(left)) % 2
    return halves


def _halves_of_groups(codes: Indices, groups: Indices, draw: np.random.Generator) -> Indices:
    """Return the half of each row: each group, in a random order, goes to where its classes are rarest so far."""
    n_groups, n_classes = int(groups.max()) + 1, int(codes.max()) + 1
    counts = np.zeros((n_groups, n_classes))
    np.add.at(counts, (groups, codes), 1.0)
    shares = counts / np.maximum(counts.sum(axis=0), 1.0)
    so_far, lengths = np.zeros((2, n_classes)), np.zeros(2)
    half_of_group = np.zeros(n_groups, dtype=np.intp)
    for group in draw.permutation(n_groups).tolist():
        load = so_far @ shares[group]
        half = 0 if (load[0], lengths[0]) <= (load[1], lengths[1]) else 1
        half_of_group[group] = half
        so_far[half] += shares[group]
        lengths[half] += counts[group].sum()
    return np.asarray(half_of_group[groups])


def _by_appearance(codes: NDArray[np.integer]) -> Indices:
    """Return the codes numbered by the first row of each."""
    _, first, which = np.unique(codes, return_index=True, return_inverse=True)
    ranks = np.empty(len(first), dtype=np.intp)
    ranks[np.argsort(first)] = np.arange(len(first))
    return np.asarray(ranks[which])
