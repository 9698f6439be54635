"""Tests of scores that depend on other columns, which keep their differences between the classes meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from zlib import crc32

import numpy as np

from fewest.arrays import Codes, Floats, Indices, Mask
from fewest.data.derived.relabelled_rows import RelabelledRows
from fewest.protocols import AnyCriterion
from fewest.selectors.collection import bind_features
from fewest.selectors.significance.label_permutations import LabelPermutations

#: Columns that passed are tested again in at most this number of parts, each with the columns of the others held.
MOST_PARTS = 10
#: Columns whose ranks within the classes correlate by this much are in one part: held, one would stand for the others.
_AGREEING = 0.9


class HeldColumns:
    """Tables of permuted labels in which some columns have the same values in each class as before.

    A value is known by its class and its rank among the values of that class. Under other labels a row keeps its
    ranks: the rows of a class get the values that a held column has in this class, in the order of these ranks. So a
    held column differs between the classes as it does in the data, columns correlate within classes as they do there,
    and all others are independent of the labels. With the labels of the data the table is the data.

    Parameters
    ----------
    permutations : LabelPermutations
        The rows and their labels.
    features : array of int
        The features that may be held.
    """

    def __init__(self, permutations: LabelPermutations, features: Indices) -> None:
        self._permutations = permutations
        values = np.vstack([block.dense_values for block in permutations.blocks])
        first = permutations.blocks[0]
        of_column = np.arange(values.shape[1]) if first.feature_of is None else first.feature_of
        self._values = values.astype(np.float64, copy=False)
        self._columns: Indices = np.flatnonzero(np.isin(of_column, features))
        #: The features, ascending, and the one of each column: a feature of text may be several indicators.
        self._features: Indices
        self._of_column: Indices
        self._features, self._of_column = np.unique(of_column[self._columns], return_inverse=True)
        #: By feature (rank + a random number) / rows of the class; by column the values by class, in order of ranks.
        self._ranks = np.empty((len(values), len(self._features)))
        self._sorted = np.empty((len(values), len(self._columns)))
        for index in range(len(self._features)):
            own = np.flatnonzero(self._of_column == index)
            columns = self._columns[own]
            is_category = len(columns) > 1 or int(columns[0]) in first.categorical_columns
            order, self._ranks[:, index] = self._ranked(self._values[:, columns], is_category)
            self._sorted[:, own] = self._values[np.ix_(order, columns)]

    def parts(self, passing: Indices) -> list[Indices]:
        """Return features in at most MOST_PARTS parts; those whose ranks within the classes agree are in one."""
        leaders = np.empty((len(passing), len(self._ranks)))
        n_leaders = 0
        group_of = np.empty(len(passing), dtype=np.intp)
        for index, position in enumerate(np.searchsorted(self._features, passing).tolist()):
            ranks = self._ranks[:, position] - self._ranks[:, position].mean()
            ranks /= np.sqrt(ranks @ ranks)
            agrees = np.flatnonzero(np.abs(leaders[:n_leaders] @ ranks) >= _AGREEING)
            group_of[index] = agrees[0] if len(agrees) else n_leaders
            if len(agrees) == 0:
                leaders[n_leaders] = ranks
                n_leaders += 1
        return [passing[group_of % MOST_PARTS == part] for part in range(min(MOST_PARTS, n_leaders))]

    def permuted(self, codes: Codes) -> Callable[[Indices], RelabelledRows]:
        """Return what gives the rows with these labels, which are a permutation, and some of the features held."""
        under_codes = np.empty_like(self._sorted)
        order = np.argsort(codes[:, None] + self._ranks, axis=0)
        np.put_along_axis(under_codes, order[:, self._of_column], self._sorted, axis=0)
        blocks = self._permutations.blocks
        ends = np.cumsum([block.n_rows for block in blocks])[:-1]

        def relabelled(held: Indices) -> RelabelledRows:
            chosen = np.isin(self._features, held)[self._of_column]
            values = self._values.copy()
            values[:, self._columns[chosen]] = under_codes[:, chosen]
            parts = zip(blocks, np.split(values, ends), strict=True)
            return self._permutations.relabelled(codes, [replace(block, values=own) for block, own in parts])

        return relabelled

    def _ranked(self, values: Floats, is_category: bool) -> tuple[Indices, Floats]:
        """Return the rows by class, their values ascending within it, and each row's rank in its class, from 0 to 1.

        values : the columns of one feature
        """
        rows, codes = self._permutations.order, self._permutations.codes
        # Zero is zero, whatever its sign.
        compared = values[rows, 0] + 0.0
        if is_category:
            # Codes mean nothing: categories go by the first row that has them.
            known = np.where(np.isnan(values[rows]), np.inf, values[rows])
            _, firsts, inverse = np.unique(known, axis=0, return_index=True, return_inverse=True)
            compared = firsts[inverse.ravel()].astype(np.float64)
        # Equal values are ranked at random, drawn by the values of the column, wherever it stands.
        seed = crc32(np.sort(compared).tobytes())
        drawn = np.random.default_rng([self._permutations.seed % 2**64, seed]).random(len(rows))
        own = codes[rows]
        order = np.lexsort((drawn, compared, own))
        counts = np.bincount(own)
        positions = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        ranks = np.empty(len(rows))
        ranks[rows[order]] = (positions + drawn[order]) / counts[own[order]]
        return rows[order], ranks


def scorer_of_held(
    criterion: AnyCriterion, permutations: LabelPermutations, passing: Indices, n_features: int, is_largest: bool
) -> Callable[[int, Indices], Floats]:
    """Return what scores columns under permutations in which the others that pass are held.

    Parameters
    ----------
    criterion : criterion
        What scores the columns.
    permutations : LabelPermutations
        The rows, and what is drawn.
    passing : array of int
        The columns that pass the test without any held, by their scores. Up to MOST_PARTS of them each have
        permutations of their own, with all others held; more are tested in that number of parts.
    n_features : int
        The number of columns that are scored.
    is_largest : bool
        Compare with the largest score of all columns that are not held (Westfall and Young).
    """
    tables = HeldColumns(permutations, passing)
    parts = tables.parts(passing)
    held = [np.setdiff1d(passing, part) for part in parts]

    def score(n: int, columns: Indices) -> Floats:
        scores = np.full((n, n_features), np.nan)
        requested: Mask = np.isin(np.arange(n_features), columns)
        open_parts = [k for k, part in enumerate(parts) if requested[part].any()]
        for own, codes in zip(scores, permutations.draw(n), strict=True):
            relabelled = tables.permuted(codes)
            for k in open_parts:
                statistic = relabelled(held[k]).collect(criterion.statistic())
                found = bind_features(criterion, statistic).score_features()
                own[parts[k]] = np.nanmax(np.delete(found, held[k])) if is_largest else found[parts[k]]
        return scores[:, columns]

    return score
