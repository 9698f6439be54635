"""Tests of whether categories and classes are independent: chi-square, G, and permutations of the labels."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy import sparse
from scipy.special import chdtrc, xlogy

from fewest.arrays import Codes, Floats, Indices, Integers
from fewest.methods.information.beyond_chance import chance_information
from fewest.methods.information.discretisation.categorical_rows import CategoricalRows
from fewest.methods.information.discretisation.discretizer import MANY_CATEGORIES, Discretizer
from fewest.objectives import ColumnScores
from fewest.threads import thread_count

#: With fewer values to count a second thread takes longer to start than it saves.
_MIN_VALUES_PER_THREAD = 2_000_000


class CountsByClass(Protocol):
    """The rows in each category of every column, one after the other, by class; and where columns begin."""

    def counts_by_class(self) -> tuple[Integers, Integers]: ...


class CategoryScores(ColumnScores):
    """Scores of columns from their counts of categories by class, with p-values.

    test : "G test" or "chi-square test"
    """

    def __init__(self, scores: Floats, table: CountsByClass, test: str) -> None:
        super().__init__(scores)
        self._table, self.test = table, test

    def p_values(self) -> Floats:
        """Return the probability of counts this far from independence, by the chi-square distribution.

        The degrees of freedom are (categories - 1) (classes - 1), those without a row left out. Scores beyond chance
        are tested by the plain statistic. G of columns of more than 10 categories is scaled to its exact mean.
        """
        return independence_p_values(*self._table.counts_by_class(), is_g=self.test == "G test")


def independence_p_values(cells: Integers, starts: Integers, *, is_g: bool) -> Floats:
    """Return the p-value of each column from its counts.

    cells : (n_categories of all columns, n_classes) rows
    starts : the first line of each column
    is_g : G = 2 sum of count log(count / expected) instead of the sum of (count - expected)^2 / expected
    """
    column = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(cells)))
    of_category = cells.sum(axis=1)
    of_class = np.add.reduceat(cells, starts, axis=0)
    n_rows = of_class.sum(axis=1)
    n_categories = np.add.reduceat(of_category > 0, starts, dtype=np.int64)
    n_free = (n_categories - 1.0) * (np.count_nonzero(of_class, axis=1) - 1.0)
    expected = of_category[:, None] * of_class[column] / np.maximum(n_rows, 1)[column][:, None]
    known = np.where(expected > 0, expected, 1.0)
    terms = 2 * xlogy(cells, cells / known) if is_g else np.where(expected > 0, np.square(cells - known) / known, 0.0)
    statistic = np.maximum(np.add.reduceat(terms.sum(axis=1), starts), 0.0)
    is_tested = n_free > 0
    for j in np.flatnonzero(is_tested & (n_categories > MANY_CATEGORIES)) if is_g else ():
        # With few rows a category G is larger than its degrees of freedom, whatever the labels.
        own = of_category[starts[j] : starts[j] + np.count_nonzero(column == j)]
        mean = 2 * n_rows[j] * chance_information(of_class[j], [own]).mean[0]
        statistic[j] *= n_free[j] / mean if mean > 0 else 1.0
    return np.where(is_tested, chdtrc(np.maximum(n_free, 1.0), statistic), 1.0)


class PermutedCategories:
    """Information, or chi-square, of each column with labels other than the rows' own.

    The labels of each permutation are one more column of categories.

    measure : "information" or "chi_square"
    """

    def __init__(self, rows: CategoricalRows, discretizer: Discretizer, measure: str) -> None:
        self._fitted = discretizer.fit(rows)
        self._parts = [list(self._fitted.encode(chunk.table, chunk.values)) for chunk in rows.chunks]
        self._n_rows, self._n_columns, self._n_classes = rows.n_rows, rows.n_features, len(rows.classes)
        self._measure = measure

    @classmethod
    def of(cls, rows: object, discretizer: Discretizer, measure: str) -> PermutedCategories | None:
        """Return the same of these rows; None where they are not categories, or sparse."""
        if not isinstance(rows, CategoricalRows) or any(sparse.issparse(chunk.values) for chunk in rows.chunks):
            return None
        return cls(rows, discretizer, measure)

    def __call__(self, codes: Codes, features: Indices) -> Floats:
        """Return the measure of each feature: (n_permutations, n_features)."""
        encoded = self._fitted.allocate(self._n_classes, self._n_rows, len(codes))
        for parts in self._parts:
            for part in parts:
                part.fill(encoded)
        targets = self._n_columns + np.arange(len(codes))
        encoded.fill(targets, codes.astype(np.uint16), np.zeros(len(codes), dtype=np.int64), thread_count())
        found = np.empty((len(codes), len(features)))
        measure = getattr(encoded, self._measure)
        columns = features.astype(np.int64)
        n_threads = thread_count() if len(features) * self._n_rows > _MIN_VALUES_PER_THREAD else 1
        for target, scores in zip(targets.tolist(), found, strict=True):
            measure(target, columns, scores, n_threads)
        return found
