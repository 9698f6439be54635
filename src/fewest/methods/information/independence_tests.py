"""Tests of whether categories and classes are independent: chi-square, G, and permutations of the labels."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy import sparse
from scipy.special import chdtrc, xlogy

from fewest.arrays import Codes, Floats, Indices, Integers
from fewest.methods.information.discretisation.categorical_rows import CategoricalRows
from fewest.methods.information.discretisation.discretizer import Discretizer
from fewest.objectives import ColumnScores
from fewest.threads import thread_count

#: With fewer rows expected in a cell G is larger than its degrees of freedom, whatever the labels.
_FEWEST_FOR_G = 10.0
#: With fewer the chi-square distribution is no good approximation of Pearson's statistic either.
_FEWEST_EXPECTED = 1.0
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
        #: What p_values() has found to be said of them.
        self.test_notes: tuple[str, ...] = ()

    def p_values(self) -> Floats:
        """Return the probability of counts this far from independence, by the chi-square distribution.

        The degrees of freedom are (categories - 1) (classes - 1), those without a row left out. Scores beyond chance
        are tested by the plain statistic. G is too large where few rows are expected in a cell: below 10 Pearson's
        chi-square takes its place.
        """
        p_values, expected = independence_p_values(*self._table.counts_by_class(), is_g=self.test == "G test")
        n_rough = int(np.count_nonzero(expected < _FEWEST_EXPECTED))
        self.test_notes = ()
        if n_rough:
            self.test_notes = (
                f"{n_rough:,} column(s) have cells in which less than {_FEWEST_EXPECTED:g} row is expected: their "
                "p-values are rough. n_permutations=1000 permutes the labels instead",
            )
        return self._p_values_of_features(p_values)


def independence_p_values(cells: Integers, starts: Integers, *, is_g: bool) -> tuple[Floats, Floats]:
    """Return the p-value of each column from its counts, and the least number of rows expected in a cell.

    cells : (n_categories of all columns, n_classes) rows
    starts : the first line of each column
    is_g : G = 2 sum of count log(count / expected), where enough rows are expected, instead of the sum of
        (count - expected)^2 / expected
    """
    column = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(cells)))
    of_category = cells.sum(axis=1)
    of_class = np.add.reduceat(cells, starts, axis=0)
    n_rows = of_class.sum(axis=1)
    n_categories = np.add.reduceat((of_category > 0).astype(np.int64), starts)
    n_free = (n_categories - 1.0) * (np.count_nonzero(of_class, axis=1) - 1.0)
    expected = of_category[:, None] * of_class[column] / np.maximum(n_rows, 1)[column][:, None]
    is_cell = expected > 0
    known = np.where(is_cell, expected, 1.0)
    statistic = np.add.reduceat(np.where(is_cell, np.square(cells - known) / known, 0.0).sum(axis=1), starts)
    is_tested = n_free > 0
    least = np.minimum.reduceat(np.where(is_cell, expected, np.inf).min(axis=1), starts)
    if is_g:
        g = np.add.reduceat(2 * xlogy(cells, cells / known).sum(axis=1), starts)
        statistic = np.where(least >= _FEWEST_FOR_G, np.maximum(g, 0.0), statistic)
    p_values = np.where(is_tested, chdtrc(np.maximum(n_free, 1.0), statistic), 1.0)
    return p_values, np.where(is_tested, least, np.inf)


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
